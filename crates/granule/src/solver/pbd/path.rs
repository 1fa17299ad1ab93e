//! Ways along which grains are listed.
//!
//! A grain is expected to go on as it does, or to stop on its way, and may leave that by a skin: a capsule around where its centre may be
//! before lists are made anew. Pairs are listed whose capsules, as wide as the grains are beside that, meet. Grains that follow each
//! other have few partners so, however fast they are.

use glam::{Vec3, Vec4};
use serde::{Deserialize, Serialize};

use crate::neighbors::{Domain, listed_radius};

/// Where a grain may be, from where it was listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Path {
    /// To the end of its way \[m\]; 0 for those that may go anywhere alike.
    pub way: Vec3,
    /// Its radius, and how far it may leave its way \[m\].
    pub radius: f32,
}

impl From<Vec4> for Path {
    fn from(numbers: Vec4) -> Self {
        Self { way: numbers.truncate(), radius: numbers.w }
    }
}

impl From<Path> for Vec4 {
    fn from(path: Path) -> Self {
        path.way.extend(path.radius)
    }
}

impl Path {
    /// Whether it may go anywhere alike.
    #[inline(always)]
    pub fn is_short(&self) -> bool {
        self.way == Vec3::ZERO
    }

    /// Radius of a sphere around where it was listed that has all of it \[m\].
    #[inline(always)]
    pub fn reach(&self) -> f32 {
        self.radius + self.way.length()
    }

    /// How far from its way a grain is that has moved so far since it was listed \[m\].
    #[inline(always)]
    pub fn aside(&self, moved: Vec3) -> f32 {
        let share = (moved.dot(self.way) / self.way.length_squared().max(LEAST)).clamp(0.0, 1.0);
        (moved - share * self.way).length()
    }

    /// Whether two grains may meet, by how they are listed: positions and ways.
    #[inline]
    pub fn may_meet(domain: &Domain, (x, own): (Vec4, &Self), (y, other): (Vec4, &Self)) -> bool {
        if own.is_short() && other.is_short() {
            return true;
        }
        let apart = domain.displacement(x.truncate(), y.truncate());
        let reach =
            listed_radius(domain, x.with_w(own.radius)) + listed_radius(domain, y.with_w(other.radius));
        distance_squared(apart, own.way, other.way) < reach * reach
    }
}

/// What stands for the square of a length of zero \[m2\].
const LEAST: f32 = 1e-30;

/// Square of the least distance between a segment from `d` to `d + a` and one from 0 to `b`:
///
/// ```text
/// min |d + s a - t b|^2,   0 <= s, t <= 1
/// ```
#[inline]
fn distance_squared(d: Vec3, a: Vec3, b: Vec3) -> f32 {
    let (aa, bb, ab) = (a.length_squared().max(LEAST), b.length_squared().max(LEAST), a.dot(b));
    let (ad, bd) = (a.dot(d), b.dot(d));
    let area = aa * bb - ab * ab;
    // Of parallel ones any pair of points serves that the bounds allow.
    let mut s = if area > 1e-6 * aa * bb { ((ab * bd - ad * bb) / area).clamp(0.0, 1.0) } else { 0.0 };
    let t = ((ab * s + bd) / bb).clamp(0.0, 1.0);
    s = ((ab * t - ad) / aa).clamp(0.0, 1.0);
    (d + s * a - t * b).length_squared()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn vector(random: &mut Random, size: f32) -> Vec3 {
        Vec3::from_array([(); 3].map(|_| size * (2.0 * random.unit() - 1.0)))
    }

    /// Against points of both segments, of all lengths and directions, parallel ones and points among them.
    #[test]
    fn segments_are_as_near_as_their_nearest_points() {
        let mut random = Random::new(8);
        for case in 0..400 {
            let d = vector(&mut random, 2.0);
            let a = vector(&mut random, if case % 5 == 0 { 0.0 } else { 1.5 });
            let b = match case % 4 {
                0 => a,
                1 => -0.5 * a,
                2 => Vec3::ZERO,
                _ => vector(&mut random, 1.5),
            };
            let mut least = f32::INFINITY;
            for s in 0..=60 {
                for t in 0..=60 {
                    let apart = d + s as f32 / 60.0 * a - t as f32 / 60.0 * b;
                    least = least.min(apart.length_squared());
                }
            }
            let found = distance_squared(d, a, b);
            assert!(found <= least + 1e-5, "{case}: {found}, but points are {least} apart");
            assert!(found.sqrt() > least.sqrt() - 0.06, "{case}: {found}, nearest points {least}");
        }
    }

    /// Grains that follow each other are not partners until the second may reach where the first is.
    #[test]
    fn grains_side_by_side_are_no_partners_those_in_a_row_are() {
        let domain = Domain::new([None, None, Some([0.0, 10.0])]);
        let path = Path { way: Vec3::Z * 0.8, radius: 0.6 };
        let at = |x: f32, z: f32| Vec4::new(x, 0.0, z, path.reach());
        let meet = |x: f32, z: f32| Path::may_meet(&domain, (at(0.0, 9.9), &path), (at(x, z), &path));
        assert!(meet(1.19, 9.9) && !meet(1.21, 9.9), "side by side");
        assert!(meet(0.0, 1.85) && !meet(0.0, 1.95), "in a row, across the period");
        assert!(meet(0.0, 7.95) && !meet(0.0, 7.85), "the row behind");
        let still = Path { way: Vec3::ZERO, radius: 1.4 };
        assert!(
            Path::may_meet(&domain, (at(0.0, 0.0), &still), (at(2.5, 0.0), &still)),
            "spheres are listed by spheres"
        );
    }

    #[test]
    fn a_grain_is_aside_by_its_distance_to_the_way() {
        let path = Path { way: Vec3::X * 2.0, radius: 1.0 };
        let aside = [[-0.5, 0.0], [0.0, 0.3], [1.0, -0.4], [2.3, 0.4]]
            .map(|[x, y]| (path.aside(Vec3::new(x, y, 0.0)) * 1e4).round());
        assert_eq!(aside, [5000.0, 3000.0, 4000.0, 5000.0]);
        assert_eq!((path.reach(), Path::default().is_short()), (3.0, true));
    }
}
