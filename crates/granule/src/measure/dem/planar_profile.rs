//! The surface of a deposit that does not change along z, from the volume of its grains.

use serde::{Deserialize, Serialize};

use crate::statistics::linear_fit;

use super::bed::{Bed, volume_below};
use super::sand::D;

/// Width of a bin \[d\].
const WIDTH: f64 = 1.0;

/// Heights over x \[d\].
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct PlanarProfile {
    /// Middle of a bin, and the height to which its grains would fill it.
    pub surface: Vec<[f64; 2]>,
}

impl PlanarProfile {
    /// That of a bed whose grains fill `fraction` of the volume, `depth` \[d\] along z, above height `base` \[d\]. A sphere counts
    /// in each bin with the part of it that lies there.
    pub fn of(bed: &Bed, depth: f64, fraction: f64, base: f64) -> Self {
        let grains: Vec<(f64, f64)> = bed
            .center
            .iter()
            .zip(&bed.radius)
            .filter(|(x, _)| x.y / D > base)
            .map(|(x, radius)| (x.x / D, radius / D))
            .collect();
        let low = grains.iter().map(|(x, r)| x - r).fold(f64::INFINITY, f64::min);
        let high = grains.iter().map(|(x, r)| x + r).fold(f64::NEG_INFINITY, f64::max);
        if grains.is_empty() {
            return Self::default();
        }
        let first = (low / WIDTH).floor();
        let mut volume = vec![0.0; ((high / WIDTH).floor() - first) as usize + 1];
        for (x, radius) in grains {
            let bins = ((x - radius) / WIDTH - first) as usize..=((x + radius) / WIDTH - first) as usize;
            let below = |plane: f64| volume_below(plane - x, radius);
            for (bin, volume) in volume.iter_mut().enumerate().filter(|(bin, _)| bins.contains(bin)) {
                let left = (first + bin as f64) * WIDTH;
                *volume += below(left + WIDTH) - below(left);
            }
        }
        let scale = 1.0 / (fraction * depth * WIDTH);
        let middle = |k: usize| (first + k as f64 + 0.5) * WIDTH;
        Self { surface: volume.iter().enumerate().map(|(k, v)| [middle(k), v * scale]).collect() }
    }

    /// Height of the crest \[d\].
    pub fn height(&self) -> f64 {
        self.surface.iter().map(|bin| bin[1]).fold(0.0, f64::max)
    }

    /// Where the deposit that hangs together with the crest ends towards positive x \[d\]: where it is lower than half a grain.
    pub fn front(&self) -> f64 {
        let crest = self.surface.iter().enumerate().max_by(|a, b| a.1[1].total_cmp(&b.1[1]));
        let start = crest.map_or(0, |(k, _)| k);
        let beyond = self.surface[start..].iter().take_while(|bin| bin[1] >= 0.5);
        beyond.last().map_or(f64::NAN, |bin| bin[0] + 0.5 * WIDTH)
    }

    /// Mean inclination of the flanks between two shares of the crest's height \[degrees\].
    pub fn slope(&self, [from, to]: [f64; 2]) -> f64 {
        let height = self.height();
        let crest = self.surface.iter().max_by(|a, b| a[1].total_cmp(&b[1])).map_or(0.0, |bin| bin[0]);
        let flank = |sign: f64| {
            let side = self.surface.iter().filter(|bin| sign * (bin[0] - crest) > 0.0);
            let part = side.filter(|bin| bin[1] >= from * height && bin[1] <= to * height);
            let part: Vec<[f64; 2]> = part.copied().collect();
            if part.len() < 3 { f64::NAN } else { linear_fit(&part).0.abs().atan().to_degrees() }
        };
        let sides = [flank(-1.0), flank(1.0)].into_iter().filter(|angle| angle.is_finite());
        let (sum, count) = sides.fold((0.0, 0.0), |(sum, count), angle| (sum + angle, count + 1.0));
        sum / count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    /// Spheres of a simple cubic lattice below a roof of 27 degrees.
    #[test]
    fn a_roof_has_its_own_slope_height_and_front() {
        let (mut center, slope) = (Vec::new(), 0.5);
        for x in -40..40 {
            let top = (20.0 - slope * (f64::from(x) + 0.5).abs()).round() as i32;
            for (y, z) in (0..top).flat_map(|y| (0..4).map(move |z| (y, z))) {
                center.push(D * DVec3::new(f64::from(x) + 0.5, f64::from(y) + 0.5, f64::from(z)));
            }
        }
        let count = center.len();
        let bed = Bed { center, radius: vec![0.5 * D; count], id: Vec::new(), contacts: Vec::new() };
        let profile = PlanarProfile::of(&bed, 4.0, std::f64::consts::PI / 6.0, 0.0);
        assert!(
            (profile.slope([0.2, 0.8]) - 0.5f64.atan().to_degrees()).abs() < 0.3,
            "{}",
            profile.slope([0.2, 0.8])
        );
        assert!(
            (profile.height() - 20.0).abs() < 0.6 && (profile.front() - 39.0).abs() <= 1.5,
            "{}",
            profile.front()
        );
    }
}
