//! Where no further sphere can be: a quick answer to most tries of a random fill.

use glam::{UVec3, Vec3};

use super::Ball;
use crate::geometry::mesh::Bounds;

/// Sides of cubes, in the radius of the smallest sphere: a finer grid knows more, and takes more memory and time.
const SIDE: f32 = 0.3;
/// Most cubes: 128 MiB of bits. Larger spaces have larger cubes.
const MOST_CUBES: f64 = (1u64 << 30) as f64;
/// What rounding may do, in the same radius.
const MARGIN: f32 = 1e-2;

/// A bit per cube of space: whether any centre of a sphere there, however small it is, lies too near to one that is placed.
pub struct Covered {
    origin: Vec3,
    side: f32,
    count: UVec3,
    least: f32,
    bits: Vec<u64>,
}

impl Covered {
    /// Nothing covered, for spheres from a radius on \[m\].
    pub fn new(bounds: Bounds, least: f32) -> Self {
        let size = bounds.size().max(Vec3::splat(least));
        let cubes = size.as_dvec3().element_product() / f64::from(SIDE * least).powi(3);
        let side = SIDE * least * (cubes / MOST_CUBES).max(1.0).cbrt() as f32;
        let count = (size / side).floor().as_uvec3() + 1;
        let bits = vec![0; count.as_u64vec3().element_product().div_ceil(64) as usize];
        Self { origin: bounds.min, side, count, least, bits }
    }

    fn bit(&self, cube: UVec3) -> (usize, u64) {
        let UVec3 { x, y, .. } = self.count;
        let k = (u64::from(cube.z) * u64::from(y) + u64::from(cube.y)) * u64::from(x) + u64::from(cube.x);
        ((k / 64) as usize, 1 << (k % 64))
    }

    /// Whether a centre \[m\] certainly lies too near; what is not covered may do so as well.
    pub fn holds(&self, center: Vec3) -> bool {
        let cube = ((center - self.origin) / self.side).max(Vec3::ZERO).as_uvec3().min(self.count - 1);
        let (word, bit) = self.bit(cube);
        self.bits[word] & bit != 0
    }

    /// Covers the cubes that lie wholly within reach of a sphere.
    pub fn add(&mut self, ball: &Ball) {
        let reach = ball.radius + self.least * (1.0 - MARGIN);
        let at = |point: Vec3| ((point - self.origin) / self.side).max(Vec3::ZERO).as_uvec3();
        let low = at(ball.center - reach);
        let high = at(ball.center + reach).min(self.count - 1);
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let cube = UVec3::new(x, y, z);
                    let corner = self.origin + self.side * cube.as_vec3() - ball.center;
                    let farthest = corner.abs().max((corner + self.side).abs());
                    if farthest.length_squared() < reach * reach {
                        let (word, bit) = self.bit(cube);
                        self.bits[word] |= bit;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Whatever is covered is too near for the smallest sphere, and most of what is too near is covered.
    #[test]
    fn covered_is_too_near() {
        let bounds = Bounds { min: Vec3::new(-0.3, 5.0, 0.1), max: Vec3::new(0.2, 5.4, 0.6) };
        let mut random = Random::new(4);
        let mut point =
            || bounds.min + bounds.size() * Vec3::new(random.unit(), random.unit(), random.unit());
        let balls = [0.02, 0.05, 0.02, 0.03].map(|radius| Ball { center: point(), radius });
        let mut covered = Covered::new(bounds, 0.02);
        balls.iter().for_each(|ball| covered.add(ball));
        let (mut near, mut held) = (0, 0);
        for _ in 0..20_000 {
            let center = point();
            let too_near = balls.iter().any(|ball| ball.center.distance(center) < ball.radius + 0.02);
            assert!(too_near || !covered.holds(center), "{center}");
            near += u32::from(too_near);
            held += u32::from(covered.holds(center));
        }
        assert!(near > 300 && f64::from(held) > 0.5 * f64::from(near), "{held} of {near}");
    }
}
