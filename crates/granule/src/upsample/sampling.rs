//! Initial positions of fine grains: maximal Poisson-disk samples of the shapes that are filled, and of the volume of every
//! guide that enters later.
//!
//! A cube of grains that repeats in all directions is filled once, by cells of side `2 r / sqrt(3)` of which each holds
//! one centre at most \[SSS22\] section 4, until no more fit. Shapes are cut out of its repetitions: any number of
//! grains, the same for any number of threads, and no grid over the whole shape.

use glam::{IVec3, UVec3, Vec3};
use rayon::prelude::*;

use crate::boundary::Sdf;
use crate::random::Random;

/// Side of the repeated cube, in radii of a fine grain: about 5,900 grains. A choice: large enough that its repetition is
/// not seen, small enough to be filled in a fraction of a second.
const TILE: f32 = 40.0;

/// Volume per grain of a full cube, in radii cubed: 4/3 pi over a volume fraction of 0.3825, which tiles of this size reach
/// (test below). The limit of random sequential addition of spheres is 0.3841 \[ZT13\].
pub const VOLUME_PER_GRAIN: f64 = 10.95;

/// Grains at random that repeat along every axis, none nearer to another than a diameter, without space for one more.
#[derive(Clone, Debug)]
pub struct Tile {
    radius: f32,
    side: f32,
    /// Centres in the cube \[m\].
    point: Vec<Vec3>,
}

impl Tile {
    /// Fills a cube with grains of a radius [m].
    pub fn new(radius: f32, seed: u64) -> Self {
        Self::spread(radius, radius, seed)
    }

    /// Fills a cube with grains of a radius [m], at the places of spheres of another radius, `spread` [m], that do not overlap.
    pub fn spread(spread: f32, radius: f32, seed: u64) -> Self {
        let mut sampling = PoissonDisk::new(seed);
        let point = sampling.run().into_iter().map(|p| p * spread).collect();
        Self { radius, side: TILE * spread, point }
    }

    /// Grains per volume [1/m3].
    pub fn density(&self) -> f64 {
        self.point.len() as f64 / f64::from(self.side).powi(3)
    }

    /// Centres of the whole grains in a shape [m] that are `wanted`, in a fixed order.
    pub fn fill(&self, shape: &Sdf, wanted: impl Fn(Vec3) -> bool + Sync) -> Vec<Vec3> {
        let Some((min, max)) = shape.bounds() else { return Vec::new() };
        let (low, high) = ((min / self.side).floor().as_ivec3(), (max / self.side).floor().as_ivec3());
        let size = (high - low + 1).max(IVec3::ZERO).as_i64vec3();
        let tiles = (0..size.element_product()).into_par_iter();
        let parts: Vec<Vec<Vec3>> = tiles
            .map(|k| {
                let tile = low
                    + IVec3::new(
                        (k % size.x) as i32,
                        (k / size.x % size.y) as i32,
                        (k / size.x / size.y) as i32,
                    );
                self.cut(tile.as_vec3() * self.side, shape, &wanted)
            })
            .collect();
        parts.concat()
    }

    /// The whole grains of one repetition that are in the shape.
    fn cut(&self, corner: Vec3, shape: &Sdf, wanted: &impl Fn(Vec3) -> bool) -> Vec<Vec3> {
        let half = 0.5 * self.side;
        let middle = shape.distance(corner + half);
        let diagonal = half * 3.0_f32.sqrt();
        if middle > diagonal {
            return Vec::new();
        }
        let inside = |x: &Vec3| shape.distance(*x) <= -0.999 * self.radius && wanted(*x);
        self.point.iter().map(|p| corner + *p).filter(inside).collect()
    }

    /// Positions around a guide of a radius [m], as many as its volume is worth: a piece of the tile, turned at random.
    pub fn around(&self, center: Vec3, guide_radius: f32, random: &mut Random) -> Vec<Vec3> {
        let corner = Vec3::new(random.unit(), random.unit(), random.unit()) * self.side;
        let size = 2.0 * guide_radius;
        let order = random.bits() % 6;
        let mut positions = Vec::new();
        for p in &self.point {
            let mut offset = *p - corner;
            offset -= (offset / self.side).floor() * self.side;
            if offset.max_element() >= size {
                continue;
            }
            let o = offset - guide_radius;
            let turned = [
                o,
                Vec3::new(o.y, o.z, o.x),
                Vec3::new(o.z, o.x, o.y),
                -o,
                -Vec3::new(o.y, o.z, o.x),
                -Vec3::new(o.z, o.x, o.y),
            ];
            positions.push(center + turned[order as usize]);
        }
        positions
    }
}

/// Levels by which cells are divided, and darts per part and level. A choice: what stays free is smaller than a
/// 128th of a cell along each axis, and the volume fraction is within 0.5 % of its limit.
const LEVELS: u32 = 7;
const DARTS: u32 = 4;

/// Dart throwing into cells that are divided until none can take a centre, in radii.
struct PoissonDisk {
    random: Random,
    cells: u32,
    side: f32,
    /// Centre in each cell; not a number where there is none.
    center: Vec<Vec3>,
}

impl PoissonDisk {
    fn new(seed: u64) -> Self {
        let cells = (TILE * 3.0_f32.sqrt() / 2.0).ceil() as u32;
        let side = TILE / cells as f32;
        Self {
            random: Random::new(seed),
            cells,
            side,
            center: vec![Vec3::NAN; (cells * cells * cells) as usize],
        }
    }

    fn run(&mut self) -> Vec<Vec3> {
        let n = self.cells;
        let mut positions: Vec<(UVec3, UVec3)> =
            (0..n * n * n).map(|k| (UVec3::new(k % n, k / n % n, k / n / n), UVec3::ZERO)).collect();
        for level in 0..=LEVELS {
            for _ in 0..DARTS {
                self.throw_darts(&mut positions, level);
            }
            positions = self.divide(&positions, level);
        }
        self.center.iter().copied().filter(|c| !c.is_nan()).collect()
    }

    /// Throws one dart into every free part of a cell, in random order so that none is preferred.
    fn throw_darts(&mut self, positions: &mut [(UVec3, UVec3)], level: u32) {
        for k in (1..positions.len()).rev() {
            let other = (self.random.bits() % (k as u64 + 1)) as usize;
            positions.swap(k, other);
        }
        let size = self.side / (1 << level) as f32;
        for (cell, part) in positions.iter() {
            let index = self.index(*cell);
            let share = Vec3::new(self.random.unit(), self.random.unit(), self.random.unit());
            if self.center[index].is_nan() {
                let point = cell.as_vec3() * self.side + size * (part.as_vec3() + share);
                if self.near(*cell).all(|d| (d + cell.as_vec3() * self.side - point).length_squared() >= 4.0)
                {
                    self.center[index] = point;
                }
            }
        }
    }

    fn index(&self, cell: UVec3) -> usize {
        ((cell.z * self.cells + cell.y) * self.cells + cell.x) as usize
    }

    /// Centres around a cell, relative to its corner.
    fn near(&self, cell: UVec3) -> impl Iterator<Item = Vec3> + '_ {
        let n = self.cells as i32;
        let steps = (0..125).map(|k| IVec3::new(k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2));
        steps.filter_map(move |step| {
            let other = cell.as_ivec3() + step;
            // Cheaper than a remainder, and most of what a tile takes.
            let within = |c: i32| if c < 0 { c + n } else { c - if c >= n { n } else { 0 } };
            let wrapped = IVec3::new(within(other.x), within(other.y), within(other.z));
            let center = self.center[self.index(wrapped.as_uvec3())];
            let shift = (other - wrapped).as_vec3() * self.side;
            (!center.is_nan()).then(|| center + shift - cell.as_vec3() * self.side)
        })
    }

    /// The halves along each axis of all parts that could still take a centre.
    fn divide(&self, positions: &[(UVec3, UVec3)], level: u32) -> Vec<(UVec3, UVec3)> {
        let size = self.side / (2 << level) as f32;
        let mut halves = Vec::new();
        for (cell, part) in positions {
            if !self.center[self.index(*cell)].is_nan() {
                continue;
            }
            for k in 0..8 {
                let part = 2 * part + UVec3::new(k & 1, k >> 1 & 1, k >> 2);
                let low = size * part.as_vec3();
                let covered = |d: Vec3| (low + size - d).max(d - low).length_squared() < 4.0;
                if !self.near(*cell).any(covered) {
                    halves.push((*cell, part));
                }
            }
        }
        halves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Shape;

    #[test]
    fn a_tile_is_full_and_no_grains_overlap_across_its_repetitions() {
        let tile = Tile::new(1.0, 7);
        let fraction = tile.density() * 4.0 / 3.0 * std::f64::consts::PI;
        assert!((0.375..0.39).contains(&fraction), "{fraction}");
        assert!((1.0 / tile.density() / VOLUME_PER_GRAIN - 1.0).abs() < 0.02, "{}", 1.0 / tile.density());
        let cube = Shape::Box { min: [-10.0; 3], max: [70.0; 3], hollow: false };
        let points = tile.fill(&Sdf::new(&cube).unwrap(), |_| true);
        let near_seam: Vec<&Vec3> =
            points.iter().filter(|p| p.x.abs() < 3.0 || (p.y - 40.0).abs() < 3.0).collect();
        for (k, a) in near_seam.iter().enumerate().take(1500) {
            assert!(near_seam[..k].iter().all(|b| a.distance(**b) > 1.999), "{a}");
        }
    }

    #[test]
    fn whole_grains_fill_a_shape() {
        let tile = Tile::new(0.1, 7);
        let ball = Sdf::new(&Shape::Sphere { center: [3.0, -2.0, 1.0], radius: 2.0, hollow: false }).unwrap();
        let points = tile.fill(&ball, |_| true);
        assert!(points.iter().all(|p| ball.distance(*p) <= -0.0998));
        let expected = tile.density() * 4.0 / 3.0 * std::f64::consts::PI * 1.9f64.powi(3);
        assert!((points.len() as f64 / expected - 1.0).abs() < 0.02, "{} {expected}", points.len());
    }

    #[test]
    fn guides_get_grains_for_their_volume() {
        let tile = Tile::new(0.25, 7);
        let mut random = Random::new(1);
        let count: usize = (0..500).map(|_| tile.around(Vec3::ONE, 1.0, &mut random).len()).sum();
        let expected = 500.0 * 8.0 * tile.density();
        assert!((count as f64 / expected - 1.0).abs() < 0.01, "{count} {expected}");
        let positions = tile.around(Vec3::ONE, 1.0, &mut random);
        assert!(positions.iter().all(|p| (*p - 1.0).abs().max_element() <= 1.0));
    }
}
