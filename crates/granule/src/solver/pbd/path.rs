//! Ways along which grains are listed.
//!
//! A grain is expected to go on as it does, or to stop on its way, and may leave that by a skin: a capsule around where its centre may be
//! before lists are made anew. Pairs are listed whose capsules, as wide as the grains are beside that, meet. Grains that follow each
//! other have few partners so, however fast they are.

use glam::{Vec3, Vec4};
use serde::{Deserialize, Serialize};

use crate::neighbors::{Domain, listed_radius};
use crate::simd::Lanes;
use crate::solver::dem::contact::vector::{add, dot, scale, sub};

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

    /// Its capsule, of a grain that was listed at `x`; what rounding may hide is added.
    pub fn capsule(&self, domain: &Domain, x: Vec4) -> Capsule {
        self.way.extend(listed_radius(domain, x.with_w(self.radius)))
    }
}

/// A way and how far grains may be from it \[m\].
pub type Capsule = Vec4;

/// What stands for the square of a length of zero \[m2\].
const LEAST: f32 = 1e-30;

/// Which of sixteen pairs may meet, by where both are listed and their capsules.
#[inline(always)]
pub fn meet<L: Lanes>(
    domain: &Domain,
    (x, [ax, ay, az, own]): ([L; 3], [L; 4]),
    (y, [bx, by, bz, other]): ([L; 3], [L; 4]),
) -> u32 {
    let apart = domain.nearest_image(sub(x, y));
    let reach = own + other;
    distance_squared(apart, [ax, ay, az], [bx, by, bz]).below(reach * reach)
}

/// Squares of the least distances between segments from `d` to `d + a` and others from 0 to `b`:
///
/// ```text
/// min |d + s a - t b|^2,   0 <= s, t <= 1
/// ```
#[inline(always)]
fn distance_squared<L: Lanes>(d: [L; 3], a: [L; 3], b: [L; 3]) -> L {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let share = |s: L| s.at_least(zero).at_most(one);
    let (aa, bb) = (dot(a, a).at_least(L::splat(LEAST)), dot(b, b).at_least(L::splat(LEAST)));
    let (ab, ad, bd) = (dot(a, b), dot(a, d), dot(b, d));
    let area = aa * bb - ab * ab;
    // Of parallel ones any pair of points serves that the bounds allow.
    let parallel = L::splat(1e-6) * aa * bb;
    let s = parallel.if_below(area, share((ab * bd - ad * bb) / area), zero);
    let t = share((ab * s + bd) / bb);
    let s = share((ab * t - ad) / aa);
    let between = sub(add(d, scale(s, a)), scale(t, b));
    dot(between, between)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::simd::{Portable, Real, splat3};

    fn lanes(v: Vec3) -> [Portable; 3] {
        splat3(v.to_array())
    }

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
            let found = distance_squared(lanes(d), lanes(a), lanes(b)).to_array()[3];
            assert!(found <= least + 1e-5, "{case}: {found}, but points are {least} apart");
            assert!(found.sqrt() > least.sqrt() - 0.06, "{case}: {found}, nearest points {least}");
        }
    }

    /// Grains that follow each other are not partners until the second may reach where the first is.
    #[test]
    fn grains_side_by_side_are_no_partners_those_in_a_row_are() {
        let domain = Domain::new([None, None, Some([0.0, 10.0])]);
        let path = Path { way: Vec3::Z * 0.8, radius: 0.6 };
        let meet = |path: &Path, from: [f32; 2], to: [f32; 2]| {
            let listed = |[x, z]: [f32; 2]| {
                let at = Vec4::new(x, 0.0, z, path.reach());
                let capsule = path.capsule(&domain, at).to_array().map(<Portable as Real>::splat);
                (lanes(at.truncate()), capsule)
            };
            meet(&domain, listed(from), listed(to)) == 0xffff
        };
        let moving = |x: f32, z: f32| meet(&path, [0.0, 9.9], [x, z]);
        assert!(moving(1.19, 9.9) && !moving(1.21, 9.9), "side by side");
        assert!(moving(0.0, 1.85) && !moving(0.0, 1.95), "in a row, across the period");
        assert!(moving(0.0, 7.95) && !moving(0.0, 7.85), "the row behind");
        let still = Path { way: Vec3::ZERO, radius: 1.4 };
        let resting = |x: f32| meet(&still, [0.0, 0.0], [x, 0.0]);
        assert!(resting(2.79) && !resting(2.81), "spheres");
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
