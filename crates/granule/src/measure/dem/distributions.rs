//! Statistics of forces: tails, shapes, distances between distributions, correlations.
//!
//! Forces are given over their mean, so that every distribution has the mean 1.

use crate::random::Random;
use crate::statistics::linear_fit;

/// Values over their mean; not a number where there are none.
pub fn normalized(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| value / mean).collect()
}

/// Density of values in bins of a width from 0 on: middle of the bin and density, up to `most`.
pub fn histogram(values: &[f64], width: f64, most: f64) -> Vec<[f64; 2]> {
    let mut counts = vec![0.0; (most / width).round() as usize];
    for value in values {
        if let Some(count) = counts.get_mut((value / width) as usize) {
            *count += 1.0;
        }
    }
    let scale = 1.0 / (values.len() as f64 * width);
    counts.iter().enumerate().map(|(k, count)| [(k as f64 + 0.5) * width, count * scale]).collect()
}

/// Rate beta of an exponential tail exp(-beta f) between two values, as the likeliest one.
///
/// ```text
/// <f - a> = 1/beta - L/(exp(beta L) - 1),   L = b - a      of values between a and b
/// ```
pub fn tail_rate(values: &[f64], [from, to]: [f64; 2]) -> f64 {
    let length = to - from;
    let inside: Vec<f64> = values.iter().filter(|f| **f > from && **f < to).map(|f| f - from).collect();
    let mean = inside.iter().sum::<f64>() / inside.len() as f64;
    if !(mean > 0.0 && mean < 0.5 * length) {
        return f64::NAN;
    }
    // The mean falls with beta.
    let (mut low, mut high) = (1e-6, 1e3);
    for _ in 0..200 {
        let beta = 0.5 * (low + high);
        let expected = 1.0 / beta - length / (beta * length).exp_m1();
        if expected > mean { low = beta } else { high = beta }
    }
    0.5 * (low + high)
}

/// R2 of the line through the logarithm of a histogram between two values.
pub fn tail_straightness(values: &[f64], [from, to]: [f64; 2], width: f64) -> f64 {
    let bins = histogram(values, width, to);
    let tail = bins.into_iter().filter(|[f, density]| *f > from && *density > 0.0);
    linear_fit(&tail.map(|[f, density]| [f, density.ln()]).collect::<Vec<_>>()).2
}

/// Largest distance between the cumulative distributions of two samples (Kolmogorov, Smirnov).
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    let sorted = |values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted
    };
    let (a, b) = (sorted(a), sorted(b));
    let below =
        |values: &[f64], x: f64| values.partition_point(|value| *value <= x) as f64 / values.len() as f64;
    a.iter().chain(&b).map(|&x| (below(&a, x) - below(&b, x)).abs()).fold(0.0, f64::max)
}

/// Share of the sum that the larger half of the values has.
pub fn share_of_larger_half(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let larger: f64 = sorted[half..].iter().sum();
    // The middle one of an odd number counts by half.
    let middle = if sorted.len() % 2 == 1 { 0.5 * sorted[half] } else { 0.0 };
    (larger - middle) / sorted.iter().sum::<f64>()
}

/// Values below which `share` and above which `share` of what `statistic` gives for samples drawn again lie (bootstrap).
pub fn bootstrap(values: &[f64], share: f64, seed: u64, statistic: impl Fn(&[f64]) -> f64) -> [f64; 2] {
    const DRAWS: usize = 400;
    let mut random = Random::new(seed);
    let mut found: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let place = |unit: f32| ((f64::from(unit) * values.len() as f64) as usize).min(values.len() - 1);
            let again: Vec<f64> =
                (0..values.len()).map(|_| values[place(0.5 * (1.0 + random.signed()))]).collect();
            statistic(&again)
        })
        .collect();
    found.sort_by(f64::total_cmp);
    let at = |part: f64| found[((part * DRAWS as f64) as usize).min(DRAWS - 1)];
    [at(share), at(1.0 - share)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values at even shares of a cumulative distribution, by its inverse.
    fn even(count: usize, inverse: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..count).map(|k| inverse((k as f64 + 0.5) / count as f64)).collect()
    }

    #[test]
    fn an_exponential_has_its_own_tail() {
        for beta in [0.8, 1.35, 2.0] {
            let values = even(200_000, |u| -(1.0 - u).ln() / beta);
            let found = tail_rate(&values, [2.0, 5.0]);
            assert!((found / beta - 1.0).abs() < 0.02, "{found} for {beta}");
            assert!(tail_straightness(&values, [2.0, 5.0], 0.5) > 0.999);
        }
        assert!(tail_rate(&[0.5, 0.7], [2.0, 5.0]).is_nan());
    }

    #[test]
    fn a_gaussian_tail_is_not_straight() {
        let values = even(20_000, |u| 5.0 * u);
        assert!(tail_rate(&values, [2.0, 5.0]).is_nan() || tail_rate(&values, [2.0, 5.0]) < 0.05);
        let gaussian = even(20_000, |u| 2.0 * (-(1.0 - u).ln()).sqrt());
        let straight = tail_straightness(&gaussian, [2.0, 5.0], 0.5);
        assert!(straight < 0.98, "{straight}");
    }

    #[test]
    fn distances_of_distributions() {
        let a = even(1000, |u| u);
        assert_eq!(distance(&a, &a), 0.0);
        let moved: Vec<f64> = a.iter().map(|x| x + 0.1).collect();
        assert!((distance(&a, &moved) - 0.1).abs() < 2e-3);
    }

    #[test]
    fn the_larger_half_of_exponential_forces_carries_its_share() {
        // (1 + ln 2)/2 of the sum for an exponential distribution; a half for equal forces.
        let share = share_of_larger_half(&even(100_000, |u| -(1.0 - u).ln()));
        assert!((share - 0.5 * (1.0 + 2f64.ln())).abs() < 1e-3, "{share}");
        assert!((share_of_larger_half(&[1.0; 7]) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn bootstraps_hold_the_mean() {
        let values = even(400, |u| u);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let [low, high] = bootstrap(&values, 0.025, 3, mean);
        // Standard error 1/sqrt(12 400) = 0.0144.
        assert!(low > 0.46 && low < 0.485 && high > 0.515 && high < 0.54, "{low} {high}");
    }

    #[test]
    fn histograms_are_densities() {
        let bins = histogram(&even(1000, |u| 2.0 * u), 0.5, 3.0);
        assert_eq!(bins.len(), 6);
        assert!(bins[..4].iter().all(|bin| (bin[1] - 0.5).abs() < 1e-9) && bins[4][1] == 0.0);
        assert_eq!(normalized(&[1.0, 3.0]), [0.5, 1.5]);
    }
}
