//! Sphere tracing of sixteen displacements at a time against a wall: most grains near a wall do not meet it.

use glam::{Mat3, Vec3};

use super::contact::{ALONG, SUNK, Wall};
use super::grain_lanes::{Columns, difference, numbers, scaled, square};
use crate::boundary::Parts;
use crate::simd::{Instructions, LANES, Lanes};

/// Steps along a path; those that are not through then are traced one by one. A choice for speed alone.
const STEPS: usize = 12;

/// Fewer paths are traced one by one. A choice for speed alone: what is free is free either way.
const WORTHWHILE: u32 = 3;

/// Which of sixteen paths a wall leaves free, as far as that was found out.
pub(super) struct Free {
    /// Bits of those that it is not in.
    pub free: u32,
    /// Bits of those that it is in.
    pub blocked: u32,
    /// Distances of the starts of all \[m\], where any bits are set.
    pub distance: [f32; LANES],
}

impl Wall {
    /// Which of the queried of sixteen paths [m] of grains of a radius [m] this wall, as far as the chosen parts of it go,
    /// leaves free. Twin of `Passing::is_free`.
    #[inline(always)]
    pub(super) fn free_paths<L: Lanes>(
        &self,
        from: &[L; 3],
        to: &[L; 3],
        radius: f32,
        queried: u32,
        parts: Parts,
        instructions: Instructions,
    ) -> Free {
        let mut displacements = Free { free: 0, blocked: 0, distance: [0.0; LANES] };
        if queried.count_ones() < WORTHWHILE || self.start != self.end || !self.sdf.is_fast_by_sixteen() {
            return displacements;
        }
        let (from, displacement) = (self.in_frame(from), difference(*to, *from));
        let displacement = turned(Mat3::from_quat(self.start.rotation.conjugate()), displacement);
        let length = square(displacement).root();
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let direction = scaled(displacement, zero.if_below(length, one / length, zero));
        let (r, sunk, along) = (L::splat(radius), L::splat(-SUNK * radius), L::splat(ALONG * radius));
        let (mut at, mut left) = (zero, queried);
        for step_number in 0..STEPS {
            let step = scaled(direction, at);
            let x: Columns = numbers([from[0] + step[0], from[1] + step[1], from[2] + step[2]]);
            let distance = self.sdf.distances_by(&x, parts, instructions);
            if step_number == 0 {
                displacements.distance = distance;
            }
            let gap = L::from_array(&distance) - r;
            displacements.blocked |= left & gap.below(sunk);
            left &= !displacements.blocked;
            displacements.free |= left & !gap.at_least(zero).below(length - at);
            left &= !displacements.free;
            if left == 0 {
                break;
            }
            at = (at + gap.at_least(along)).at_most(length);
        }
        displacements
    }

    /// Points in the wall's own frame at the frame's start.
    #[inline(always)]
    fn in_frame<L: Lanes>(&self, x: &[L; 3]) -> [L; 3] {
        let t = self.start.translation;
        let offset = difference(*x, [L::splat(t.x), L::splat(t.y), L::splat(t.z)]);
        turned(Mat3::from_quat(self.start.rotation.conjugate()), offset)
    }
}

/// Vectors turned by a matrix.
#[inline(always)]
fn turned<L: Lanes>(by: Mat3, v: [L; 3]) -> [L; 3] {
    [along(by.row(0), v), along(by.row(1), v), along(by.row(2), v)]
}

/// How far vectors reach along another one.
#[inline(always)]
fn along<L: Lanes>(axis: Vec3, v: [L; 3]) -> L {
    L::splat(axis.x) * v[0] + L::splat(axis.y) * v[1] + L::splat(axis.z) * v[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::{Pose, Sdf, Shape};
    use crate::random::Random;
    use crate::simd::Vectorised;
    use crate::upsample::contact::{Contact, Motion};
    use crate::upsample::grain_lanes::lanes;
    use glam::Quat;

    struct FreePaths<'a>(&'a Wall, &'a Columns, &'a Columns, f32);

    impl Vectorised for FreePaths<'_> {
        type Output = super::Free;

        #[inline(always)]
        fn run<L: Lanes>(self) -> super::Free {
            let (from, to) = (lanes(self.1), lanes(self.2));
            self.0.free_paths::<L>(&from, &to, self.3, 0xffff, Parts::ALL, Instructions::best())
        }
    }

    /// What is free is left as it is, and most of what is free is found.
    #[test]
    fn free_paths_are_those_that_walls_do_not_change() {
        let shape = Shape::Box { min: [-1.0, -0.5, -0.5], max: [1.0, 0.5, 0.7], hollow: true };
        let start = Pose { rotation: Quat::from_rotation_y(0.4), translation: Vec3::new(0.3, 0.0, -0.2) };
        let wall = Wall { sdf: Sdf::new(&shape).unwrap(), friction: Some(0.5), start, end: start };
        let (radius, mut random) = (0.05, Random::new(3));
        let (mut found, mut missed, mut met) = (0, 0, 0);
        for _ in 0..100 {
            let (mut from, mut to) = ([[0.0; LANES]; 3], [[0.0; LANES]; 3]);
            for axis in 0..3 {
                for k in 0..LANES {
                    from[axis][k] = 1.2 * (random.unit() - 0.5);
                    to[axis][k] = from[axis][k] + 0.6 * (random.unit() - 0.5);
                }
            }
            let free = Instructions::best().run(FreePaths(&wall, &from, &to, radius));
            for k in 0..LANES {
                let at = |x: &Columns| Vec3::new(x[0][k], x[1][k], x[2][k]);
                let mut motion =
                    Motion { from: at(&from), to: at(&to), velocity: Vec3::ONE, flight_share: 1.0 };
                let before = motion;
                let touches =
                    wall.restrict(&mut motion, &Contact { radius, friction: 0.5, dt: 0.1 }, Parts::ALL, None);
                if free.free >> k & 1 == 1 {
                    assert!(!touches && motion == before, "{before:?}");
                    found += 1;
                } else {
                    missed += u32::from(!touches);
                    met += u32::from(touches);
                }
                if free.blocked >> k & 1 == 1 {
                    let expected = wall.start_distance(before.from);
                    assert!((free.distance[k] - expected).abs() < 1e-5, "{before:?}");
                    // One that starts in the wall may leave it.
                    assert!(touches || expected < radius, "{before:?}");
                    assert_eq!(free.free >> k & 1, 0);
                }
            }
        }
        assert!(found > 500 && met > 50 && found > 3 * missed, "{found} {met} {missed}");
    }
}
