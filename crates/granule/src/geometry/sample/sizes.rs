//! Distributions of radii, as shares of the number of spheres.

use super::SampleError;
use crate::random::Random;

/// Pieces that a density is divided into; linear in between, so that shares are exact to about 1e-6.
const PIECES: usize = 1024;

/// Radii and which share of all spheres has them. One random number gives one radius.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeDistribution {
    /// Radius \[m\] and share of the spheres up to it, both growing; the last share is 1.
    step: Vec<(f32, f64)>,
    /// Whether radii lie between the steps, too.
    continuous: bool,
}

impl SizeDistribution {
    /// Radii from `least` to `most` [m] with a density of numbers, of any scale.
    ///
    /// # Errors
    /// Refuses limits that are no radii, and densities without any spheres.
    pub fn from_density(least: f32, most: f32, density: impl Fn(f64) -> f64) -> Result<Self, SampleError> {
        if !(least > 0.0 && least < most && most.is_finite()) {
            let what = format!("radii from {least} to {most} m: both must be lengths, the smaller one first");
            return Err(SampleError::Spread(what));
        }
        let radius = |k: usize| {
            let t = k as f64 / PIECES as f64;
            f64::from(least) * (1.0 - t) + f64::from(most) * t
        };
        let mut sum = 0.0;
        let mut step = vec![(least, 0.0)];
        for k in 1..=PIECES {
            sum += 0.5 * (density(radius(k - 1)) + density(radius(k)));
            step.push((radius(k) as f32, sum));
        }
        Self::of_steps(step, sum, true)
    }

    /// Radii [m] with shares of the number of spheres, of any scale.
    ///
    /// # Errors
    /// Refuses radii that are none, and shares that are negative or all 0.
    pub fn from_shares(rows: &[(f32, f64)]) -> Result<Self, SampleError> {
        let mut rows = rows.to_vec();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let sound = |(radius, share): &(f32, f64)| *radius > 0.0 && radius.is_finite() && *share >= 0.0;
        if !rows.iter().all(sound) {
            return Err(SampleError::Spread(
                "radii must be positive lengths with shares of 0 or more".into(),
            ));
        }
        let mut sum = 0.0;
        let step: Vec<(f32, f64)> = rows
            .into_iter()
            .map(|(radius, share)| {
                sum += share;
                (radius, sum)
            })
            .collect();
        Self::of_steps(step, sum, false)
    }

    fn of_steps(mut step: Vec<(f32, f64)>, sum: f64, continuous: bool) -> Result<Self, SampleError> {
        if !(sum > 0.0 && sum.is_finite()) {
            return Err(SampleError::Spread("no radius of the distribution has a share".into()));
        }
        step.iter_mut().for_each(|(_, share)| *share /= sum);
        Ok(Self { step, continuous })
    }

    /// Smallest and largest radius [m].
    pub fn limits(&self) -> (f32, f32) {
        let end = |step: Option<&(f32, f64)>| step.map_or(0.0, |(radius, _)| *radius);
        (end(self.step.first()), end(self.step.last()))
    }

    /// A radius [m].
    pub fn draw(&self, random: &mut Random) -> f32 {
        self.at(f64::from(random.unit()))
    }

    /// The radius that a share of the spheres, 0 to 1, is smaller than [m].
    pub fn at(&self, share: f64) -> f32 {
        let k = self.step.partition_point(|(_, up_to)| *up_to <= share).min(self.step.len() - 1);
        let (radius, up_to) = self.step[k];
        if !self.continuous || k == 0 {
            return radius;
        }
        let (before, from) = self.step[k - 1];
        let t = ((share - from) / (up_to - from)) as f32;
        before + t.clamp(0.0, 1.0) * (radius - before)
    }

    /// Mean of the cubed radius [m3].
    pub fn mean_cube(&self) -> f64 {
        let mut from = 0.0;
        let mut sum = 0.0;
        for (k, (radius, up_to)) in self.step.iter().enumerate() {
            let below = if self.continuous && k > 0 { self.step[k - 1].0 } else { *radius };
            let middle = 0.5 * (f64::from(below).powi(3) + f64::from(*radius).powi(3));
            sum += (up_to - from) * middle;
            from = *up_to;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(sizes: &SizeDistribution, count: usize) -> Vec<f64> {
        let mut random = Random::new(11);
        (0..count).map(|_| f64::from(sizes.draw(&mut random))).collect()
    }

    fn moments(values: &[f64]) -> (f64, f64) {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64;
        (mean, variance.sqrt())
    }

    #[test]
    fn draws_have_the_moments_of_their_density() {
        let normal = |r: f64| (-0.5 * ((r - 0.01) / 0.001).powi(2)).exp();
        let sizes = SizeDistribution::from_density(0.007, 0.013, normal).unwrap();
        let values = draws(&sizes, 100_000);
        let (mean, deviation) = moments(&values);
        // A normal distribution cut at three deviations has 0.9866 of its deviation left.
        assert!(
            (mean - 0.01).abs() < 1e-5 && (deviation / 0.001 - 0.9866).abs() < 0.01,
            "{mean} {deviation}"
        );
        assert!(values.iter().all(|r| (0.007..=0.013001).contains(r)));
        let cubes = values.iter().map(|r| r.powi(3)).sum::<f64>() / values.len() as f64;
        assert!((cubes / sizes.mean_cube() - 1.0).abs() < 5e-3, "{cubes} {}", sizes.mean_cube());
    }

    /// Even by volume between a and b: a share u of the number has radii up to (a^-2 - u (a^-2 - b^-2))^(-1/2).
    #[test]
    fn shares_of_volume_become_shares_of_number() {
        let (a, b) = (0.01_f64, 0.04_f64);
        let sizes = SizeDistribution::from_density(0.01, 0.04, |r| r.powi(-3)).unwrap();
        let mut values = draws(&sizes, 100_000);
        values.sort_by(f64::total_cmp);
        for share in [0.1, 0.5, 0.9] {
            let found = values[(share * 100_000.0) as usize];
            let wanted = (a.powi(-2) - share * (a.powi(-2) - b.powi(-2))).powf(-0.5);
            assert!((found / wanted - 1.0).abs() < 0.01, "{share}: {found} instead of {wanted}");
        }
        // And the volume is even: half of it below the middle.
        let volume = |values: &[f64]| values.iter().map(|r| r.powi(3)).sum::<f64>();
        let below: Vec<f64> = values.iter().copied().filter(|r| *r < 0.025).collect();
        assert!((volume(&below) / volume(&values) - 0.5).abs() < 0.02);
    }

    #[test]
    fn tables_give_their_radii_by_their_shares() {
        let sizes = SizeDistribution::from_shares(&[(0.02, 1.0), (0.01, 3.0)]).unwrap();
        let values = draws(&sizes, 40_000);
        let small = values.iter().filter(|r| **r == f64::from(0.01_f32)).count();
        assert!(values.iter().all(|r| [0.01_f32, 0.02].map(f64::from).contains(r)));
        assert!((small as f64 / 40_000.0 - 0.75).abs() < 0.01, "{small}");
        assert_eq!(sizes.limits(), (0.01, 0.02));
        assert!((sizes.mean_cube() - (0.75e-6 + 0.25 * 8e-6)).abs() < 1e-12);
    }

    #[test]
    fn distributions_without_spheres_are_refused() {
        assert!(SizeDistribution::from_density(0.02, 0.01, |_| 1.0).is_err());
        assert!(SizeDistribution::from_density(-0.02, 0.01, |_| 1.0).is_err());
        assert!(SizeDistribution::from_density(0.01, 0.02, |_| 0.0).is_err());
        assert!(SizeDistribution::from_shares(&[]).is_err());
        assert!(SizeDistribution::from_shares(&[(0.01, 0.0)]).is_err());
        assert!(SizeDistribution::from_shares(&[(0.01, -1.0), (0.02, 3.0)]).is_err());
        assert!(SizeDistribution::from_shares(&[(f32::NAN, 1.0)]).is_err());
    }
}
