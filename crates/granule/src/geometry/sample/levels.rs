//! Spheres of different sizes, to find those that are near.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use glam::IVec3;

use super::Ball;

/// Spheres by classes of size, each twice as wide as the one before and in cells of its own: small spheres do not look
/// through the cells of large ones, which hold thousands of them.
pub struct SphereLevels {
    least: f32,
    class: Vec<Class>,
}

#[derive(Default)]
struct Class {
    largest: f32,
    side: f32,
    /// Looked up only, never iterated: the order of a hash map is no one's.
    cells: HashMap<IVec3, Vec<(u32, Ball)>, BuildHasherDefault<CellHasher>>,
}

/// Hashes the numbers of a cell: the library's hash, which withstands those who choose keys, takes most of the time of a fill.
#[derive(Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_i32(i32::from(*byte)));
    }

    fn write_i32(&mut self, number: i32) {
        self.0 = (self.0.rotate_left(23) ^ u64::from(number as u32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

impl SphereLevels {
    /// Levels for spheres from a radius on [m].
    pub fn new(least: f32) -> Self {
        Self { least, class: Vec::new() }
    }

    /// Spheres with their numbers.
    pub fn of(balls: &[Ball]) -> Self {
        let least = balls.iter().map(|ball| ball.radius).fold(f32::INFINITY, f32::min);
        let mut levels = Self::new(least);
        balls.iter().enumerate().for_each(|(k, ball)| levels.insert(k as u32, *ball));
        levels
    }

    /// Adds a sphere with a number.
    pub fn insert(&mut self, number: u32, ball: Ball) {
        let mut k = 0;
        let mut largest = 2.0 * self.least;
        while ball.radius > largest {
            (k, largest) = (k + 1, 2.0 * largest);
        }
        while self.class.len() <= k {
            let largest = self.least * 2f32.powi(self.class.len() as i32 + 1);
            self.class.push(Class { largest, side: 2.0 * largest, cells: HashMap::default() });
        }
        let class = &mut self.class[k];
        let cell = (ball.center / class.side).floor().as_ivec3();
        class.cells.entry(cell).or_default().push((number, ball));
    }

    /// Visits the spheres whose surfaces may be nearer than `gap` [m] to that of a sphere, itself included, until `visit`
    /// returns false. Returns whether it never did.
    pub fn near(&self, ball: &Ball, gap: f32, mut visit: impl FnMut(u32, &Ball) -> bool) -> bool {
        self.class.iter().all(|class| {
            let reach = ball.radius + class.largest + gap;
            let low = ((ball.center - reach) / class.side).floor().as_ivec3();
            let high = ((ball.center + reach) / class.side).floor().as_ivec3();
            (low.z..=high.z).all(|z| {
                (low.y..=high.y).all(|y| {
                    (low.x..=high.x).all(|x| {
                        let found = class.cells.get(&IVec3::new(x, y, z));
                        found.is_none_or(|found| found.iter().all(|(number, other)| visit(*number, other)))
                    })
                })
            })
        })
    }

    /// Whether a sphere overlaps none.
    pub fn is_free(&self, ball: &Ball) -> bool {
        let apart = |other: &Ball| other.center.distance(ball.center) >= other.radius + ball.radius;
        self.near(ball, 0.0, |_, other| apart(other))
    }

    /// The numbers of the spheres whose surfaces are nearer than `gap` [m] to that of a sphere, in order, without its own.
    pub fn list(&self, number: u32, ball: &Ball, gap: f32) -> Vec<u32> {
        let mut list = Vec::new();
        self.near(ball, gap, |other, found| {
            let reach = ball.radius + found.radius + gap;
            if other != number && found.center.distance_squared(ball.center) < reach * reach {
                list.push(other);
            }
            true
        });
        list.sort_unstable();
        list
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::random::Random;

    #[test]
    fn lists_are_those_of_all_pairs() {
        let mut random = Random::new(2);
        let balls: Vec<Ball> = (0..600)
            .map(|_| {
                let center = 0.4 * Vec3::new(random.signed(), random.signed(), random.signed());
                Ball { center, radius: 0.01 + 0.09 * random.unit().powi(4) }
            })
            .collect();
        let levels = SphereLevels::of(&balls);
        let gap = 0.02;
        let mut pairs = 0;
        for (i, ball) in balls.iter().enumerate() {
            let close = |j: usize| {
                j != i && balls[j].center.distance(ball.center) < balls[j].radius + ball.radius + gap
            };
            let wanted: Vec<u32> = (0..balls.len()).filter(|&j| close(j)).map(|j| j as u32).collect();
            assert_eq!(levels.list(i as u32, ball, gap), wanted);
            pairs += wanted.len();
            let free = (0..balls.len())
                .all(|j| balls[j].center.distance(ball.center) >= balls[j].radius + ball.radius);
            assert_eq!(levels.is_free(ball), free);
        }
        assert!(pairs > 1000, "{pairs}");
    }
}
