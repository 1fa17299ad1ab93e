//! Radii of fine grains, which follow from their ids: one, a range or a distribution.
//!
//! Fine grains are 32 bytes on every device, without a radius: an id is folded into one of 256 classes, each of which is worth as many
//! grains as any other. Threads, devices, checkpoints and pictures so agree about radii without any memory for them.

use crate::grains::size_distribution;
use crate::scene::RadiusSettings;

/// Classes of grains of one radius.
pub const CLASSES: usize = 256;

/// Radii of fine grains.
#[derive(Clone, Debug, PartialEq)]
pub struct FineRadii {
    /// Radii of all classes, ascending \[m\].
    class: Vec<f32>,
}

impl FineRadii {
    /// The same for all grains \[m\].
    pub fn one(radius: f32) -> Self {
        Self { class: vec![radius; CLASSES] }
    }

    /// What a checked scene asks for: each class has the middle of its share of the distribution.
    pub fn new(radius: &RadiusSettings) -> Self {
        let Some(sizes) = size_distribution(radius).ok().flatten() else {
            return Self::one(radius.limits().0);
        };
        let middle = |k: usize| (k as f64 + 0.5) / CLASSES as f64;
        Self { class: (0..CLASSES).map(|k| sizes.at(middle(k))).collect() }
    }

    /// Radius of the grain with an id \[m\].
    #[inline]
    pub fn of(&self, id: u32) -> f32 {
        self.class[class_of(id)]
    }

    /// Radii of all classes, ascending \[m\].
    pub fn classes(&self) -> &[f32] {
        &self.class
    }

    /// Smallest radius \[m\].
    pub fn smallest(&self) -> f32 {
        self.class[0]
    }

    /// Largest radius \[m\].
    pub fn largest(&self) -> f32 {
        self.class[CLASSES - 1]
    }

    /// Whether all are the same.
    pub fn are_equal(&self) -> bool {
        self.smallest() == self.largest()
    }

    /// The radius whose sphere has the mean volume \[m\]: what numbers of grains in a volume follow from.
    pub fn mean(&self) -> f32 {
        if self.are_equal() {
            return self.smallest();
        }
        let cubes = self.class.iter().map(|radius| f64::from(*radius).powi(3)).sum::<f64>();
        (cubes / CLASSES as f64).cbrt() as f32
    }
}

/// The class of an id: products and folds mix all of its bits into the highest eight. Twin of `class_of` in `fine_radius.wgsl`.
#[inline]
pub fn class_of(id: u32) -> usize {
    let spread = id.wrapping_mul(0x9e37_79b1);
    let folded = (spread ^ spread >> 15).wrapping_mul(0x2545_f491);
    ((folded ^ folded >> 13).wrapping_mul(0x9e37_79b1) >> 24) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{RadiusDistribution, ShareOf};

    /// Exact moments of even radii from 1 to 3: mean 2, variance 1/3, mean cube 10. Also of every eighth id, as neighbours have them.
    #[test]
    fn radii_of_ids_have_the_moments_of_their_distribution() {
        let radii = FineRadii::new(&RadiusSettings::Range([1.0, 3.0]));
        for stride in [1, 8, 77] {
            let found: Vec<f64> = (0..40_000).map(|k| f64::from(radii.of(stride * k))).collect();
            let mean = found.iter().sum::<f64>() / found.len() as f64;
            let variance = found.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / found.len() as f64;
            assert!((mean - 2.0).abs() < 0.02 && (3.0 * variance - 1.0).abs() < 0.03, "{mean} {variance}");
        }
        assert!((radii.mean().powi(3) - 10.0).abs() < 0.01 && !radii.are_equal(), "{}", radii.mean());
    }

    /// Radii of ids that follow each other know nothing of each other.
    #[test]
    fn neighbours_in_number_are_not_alike() {
        let radii = FineRadii::new(&RadiusSettings::Range([1.0, 3.0]));
        for step in [1, 2, 20, 256] {
            let product = |k: u32| f64::from(radii.of(k) - 2.0) * f64::from(radii.of(k + step) - 2.0);
            let correlation = 3.0 * (0..40_000).map(product).sum::<f64>() / 40_000.0;
            assert!(correlation.abs() < 0.03, "{step}: {correlation}");
        }
    }

    #[test]
    fn shares_of_a_table_are_those_of_numbers() {
        let rows = vec![[0.001, 1.0], [0.002, 3.0]];
        let table = RadiusDistribution::Table { rows, by: ShareOf::Number };
        let radii = FineRadii::new(&RadiusSettings::Distribution(table));
        let small = (0..10_000).filter(|id| radii.of(*id) == 0.001).count();
        assert!((2300..2700).contains(&small), "{small}");
        assert_eq!((radii.smallest(), radii.largest()), (0.001, 0.002));
        assert!(FineRadii::one(0.5).are_equal() && FineRadii::one(0.5).mean() == 0.5);
    }
}
