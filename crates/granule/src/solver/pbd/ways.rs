//! How far grains have moved since lists were made, for how long these hold.
//!
//! Two grains come closer by the difference of their ways, which is no longer than the diagonal of a box around all ways: a grain
//! that is fast among slow ones may go twice as far as one of two that could meet, and so may a bed that falls as a whole.

use glam::Vec3;

/// Ways of grains since lists were made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ways {
    /// Square of the farthest \[m2\].
    square: f32,
    /// The box around all of them and around none \[m\]; held grains have none.
    low: Vec3,
    high: Vec3,
}

impl Ways {
    /// Adds the way of a grain \[m\].
    #[inline(always)]
    pub fn add(&mut self, way: Vec3) {
        self.square = self.square.max(way.length_squared());
        self.low = self.low.min(way);
        self.high = self.high.max(way);
    }

    /// Those of both.
    pub fn with(self, other: Self) -> Self {
        Self {
            square: self.square.max(other.square),
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// By how much less than the skin grains and walls have used up, as if all had moved this far \[m\], where walls have moved by
    /// `of_walls` at most \[m\]:
    ///
    /// ```text
    /// max(min(f, |high - low|/2), (f + w)/2)          f: farthest way, w: of_walls
    /// ```
    pub fn against_half_skin(&self, of_walls: f32) -> f32 {
        let farthest = self.square.sqrt();
        let of_pairs = farthest.min(0.5 * (self.high - self.low).length());
        of_pairs.max(0.5 * (farthest + of_walls))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Lists would miss a pair that has come closer than what its grains are said to have used up.
    #[test]
    fn no_two_grains_come_closer_than_their_ways_say() {
        let mut random = Random::new(9);
        for case in 0..200 {
            let drift = Vec3::new(random.unit(), -3.0, random.unit());
            let mut vector = || Vec3::from([(); 3].map(|_| 2.0 * random.unit() - 1.0));
            let spread = [0.01, 0.3, 1.0, 4.0][case % 4];
            let ways: Vec<Vec3> = (0..12).map(|_| drift + spread * vector()).collect();
            let mut found = Ways::default();
            ways.iter().for_each(|way| found.add(*way));
            let (used, of_walls) = (found.against_half_skin(0.7), 0.7);
            for a in &ways {
                assert!(a.length() + of_walls <= 2.0 * used + 1e-5, "a grain meets a wall");
                for b in ways.iter().chain([&Vec3::ZERO]) {
                    assert!((*a - *b).length() <= 2.0 * used + 1e-5, "{a} and {b}: {used}");
                }
            }
        }
    }

    /// A bed that falls as a whole, and one fast grain, use up half of their way.
    #[test]
    fn what_moves_together_or_alone_uses_up_half_of_its_way() {
        for slow in [Vec3::ZERO, Vec3::new(0.0, -2.0, 0.0)] {
            let mut ways = Ways::default();
            ways.add(Vec3::new(0.0, -2.0, 0.0));
            ways.add(slow);
            assert_eq!(ways.against_half_skin(0.0), 1.0);
            assert_eq!(ways.against_half_skin(3.0), 2.5);
        }
    }
}
