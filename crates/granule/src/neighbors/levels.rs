//! Cells for particles of different sizes: particles are put into levels by their radii, and every level has cells of its
//! own size.
//!
//! A level holds radii that differ by less than a factor of two, so its cells fit all of its particles. Particles are
//! sorted by level and cell, the largest first: a level is a contiguous range of particles, and whoever looks for
//! neighbours asks every level with the reach that the level's largest particle needs. Grids in levels are the usual answer
//! to wide distributions of sizes: V. Ogarko, S. Luding, "A fast multilevel algorithm for contact detection of arbitrarily
//! polydisperse objects", Computer Physics Communications 183 (2012) 931.

use std::ops::Range;

use glam::{DVec3, Vec4};

use super::cells::{CellIndex, Look};
use super::domain::Domain;
use super::sort::Permutation;
use crate::team;

/// Most levels; the last one holds all radii that are too small for the others (less than 1/128 of the largest).
const MOST_LEVELS: usize = 8;

/// Sides of cells along x, y and z in units of the level's largest reach. The fastest of five tried on random beds of one
/// size, 1:2 and 1:10, looser than settled ones: long rows of few cells fill the sixteen lanes of a test of candidates.
const CELL_SIDES: [f32; 3] = [1.0, 2.0, 2.0];

/// Rows of cells among which it is not worth to leave some out.
const FEW_ROWS: usize = 9;

/// What rounding of positions to f32 can add to what is known of a pair, per particle and relative to its largest
/// coordinate.
///
/// A position is off by at most 2^-24 of its length, so by sqrt(3) 2^-24 = 1.03e-7 of its largest coordinate. This counts
/// three times: when a pair is listed, and in both ends of the way that a particle is said to have moved since. The rest is
/// for the arithmetic.
const ROUNDING: f32 = 4e-7;

/// The radius that a particle is listed with \[m\]: its own, and what rounding may hide.
///
/// With it lists of positions that were rounded to f32 miss no pair of the exact ones, wherever the particle lies: at 10 m
/// from the origin it adds 4e-6 m. It never adds more than the radius itself, so that a stray does not become the largest
/// particle of all: beyond 2.5 million radii from the origin (1.25 km for grains of 1 mm) contacts of strays may be found
/// late.
#[inline]
pub fn listed_radius(domain: &Domain, particle: Vec4) -> f32 {
    let coordinate = particle.truncate().abs().max(domain.lengths()).max_element();
    particle.w + (ROUNDING * (coordinate + particle.w)).min(particle.w)
}

/// Particles whose radii differ by less than a factor of two (except in the last level).
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    /// Occupied cells.
    pub(super) cells: CellIndex,
    /// The particles, in order.
    pub(super) particles: Range<u32>,
    /// Largest listed radius \[m\].
    pub(super) radius: f32,
}

/// Levels of cells for particles of different sizes.
#[derive(Clone, Debug, Default)]
pub struct LevelIndex {
    /// Levels that hold particles, the largest particles first.
    pub(super) levels: Vec<Level>,
    skin: f32,
}

/// What is known of a level before its cells are made.
#[derive(Clone, Copy)]
struct Extent {
    count: u32,
    radius: f32,
    lowest: Vec4,
    highest: Vec4,
}

impl Extent {
    const NONE: Self = Self { count: 0, radius: 0.0, lowest: Vec4::INFINITY, highest: Vec4::NEG_INFINITY };

    fn with(&self, other: &Self) -> Self {
        Self {
            count: self.count + other.count,
            radius: self.radius.max(other.radius),
            lowest: self.lowest.min(other.lowest),
            highest: self.highest.max(other.highest),
        }
    }
}

/// The level of a radius: how often it can be doubled below the largest one.
#[inline]
fn level_of(radius: f32, largest: f32) -> usize {
    let exponent = ((largest / radius).to_bits() >> 23 & 0xff) as usize;
    exponent.saturating_sub(127).min(MOST_LEVELS - 1)
}

impl LevelIndex {
    /// Finds levels and cells, and the order of the particles by level and cell; `key` is memory for it.
    ///
    /// A particle's radius is the fourth number of its position. Pairs nearer than r_i + r_j + `skin` [m] will be looked
    /// for.
    pub fn sort(
        &mut self,
        domain: &Domain,
        skin: f32,
        position: &[Vec4],
        key: &mut Vec<u64>,
        order: &mut Permutation,
    ) {
        self.skin = skin;
        let largest_of = |_: usize, range: Range<usize>| {
            position[range].iter().map(|x| listed_radius(domain, *x)).fold(0.0, f32::max)
        };
        let largest = team::map_blocks(position.len(), largest_of).into_iter().fold(0.0, f32::max);
        let extents = extents(domain, largest, position);
        let mut numbers = [0; MOST_LEVELS];
        self.levels.truncate(MOST_LEVELS);
        let mut found = 0;
        let mut bits = 0;
        for (extent, number) in extents.iter().zip(&mut numbers).filter(|(extent, _)| extent.count > 0) {
            if self.levels.len() == found {
                self.levels.push(Level::default());
            }
            let level = &mut self.levels[found];
            let reach = 2.0 * extent.radius + skin;
            level.radius = extent.radius;
            level.cells.divide(domain, CELL_SIDES.map(|side| side * reach));
            level.cells.fit_keys_to_bounds(extent.lowest, extent.highest);
            bits = bits.max(level.cells.key_bits());
            *number = found;
            found += 1;
        }
        self.levels.truncate(found);
        let levels = &self.levels;
        let key_of = |x: &Vec4| {
            let number = numbers[level_of(listed_radius(domain, *x), largest)];
            (number as u64) << bits | levels[number].cells.key_of(x.truncate())
        };
        team::fill(key, position.len(), |i| key_of(&position[i]));
        let level_bits = usize::BITS - found.saturating_sub(1).leading_zeros();
        order.sort(key, bits + level_bits);
        self.index(&extents, key, (1 << bits) - 1);
    }

    /// Lists the occupied cells of sorted particles.
    fn index(&mut self, extents: &[Extent; MOST_LEVELS], key: &[u64], cell_bits: u64) {
        let mut first = 0;
        let counts = extents.iter().map(|extent| extent.count).filter(|count| *count > 0);
        for (level, count) in self.levels.iter_mut().zip(counts) {
            level.particles = first..first + count;
            let keys = key[first as usize..(first + count) as usize].iter().map(|key| key & cell_bits);
            level.cells.index_from(first, keys);
            first += count;
        }
    }

    /// How much farther than their radii pairs are listed [m].
    pub fn skin(&self) -> f32 {
        self.skin
    }

    /// Number of levels that hold particles.
    pub fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// Number of particles in all levels.
    pub(super) fn particle_count(&self) -> usize {
        self.levels.last().map_or(0, |level| level.particles.end as usize)
    }

    /// The level of a particle.
    pub(super) fn level_of_particle(&self, particle: usize) -> usize {
        self.levels.partition_point(|level| level.particles.end as usize <= particle)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|level| level.cells.bytes()).sum()
    }
}

fn extents(domain: &Domain, largest: f32, position: &[Vec4]) -> [Extent; MOST_LEVELS] {
    let of_block = |_: usize, range: Range<usize>| {
        let mut extents = [Extent::NONE; MOST_LEVELS];
        for &x in &position[range] {
            let radius = listed_radius(domain, x);
            let extent = &mut extents[level_of(radius, largest)];
            *extent = extent.with(&Extent { count: 1, radius, lowest: x, highest: x });
        }
        extents
    };
    let both = |a: [Extent; MOST_LEVELS], b: [Extent; MOST_LEVELS]| std::array::from_fn(|k| a[k].with(&b[k]));
    team::map_blocks(position.len(), of_block).into_iter().fold([Extent::NONE; MOST_LEVELS], both)
}

/// A box in space \[m\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) low: DVec3,
    pub(super) high: DVec3,
}

/// Ranges of particles that may be near something, ascending and without overlap.
pub(super) type Ranges = Vec<(u32, u32)>;

impl Level {
    /// Adds the particles in all cells that a box touches.
    pub(super) fn in_box(&self, bounds: &Bounds, look: &mut Look, ranges: &mut Ranges) {
        if self.is_small() {
            return ranges.push((self.particles.start, self.particles.end));
        }
        let spans = [0, 1, 2].map(|axis| self.cells.spans_of(axis, bounds.low[axis], bounds.high[axis]));
        if spans.iter().any(|spans| spans.count() == 0) {
            return;
        }
        if spans[1].count() * spans[2].count() > self.cells.occupied_count() {
            return self.cells.push_layers(&spans[2], ranges);
        }
        look.begin();
        spans[2].for_each(|z| {
            spans[1].for_each(|y| {
                for &span in spans[0].as_slice() {
                    self.cells.push_row([y, z], span, look, ranges);
                }
            });
        });
    }

    /// Adds the particles in all cells that a sphere touches, less some that lie before or after it in their rows.
    pub(super) fn in_sphere(&self, center: DVec3, radius: f64, look: &mut Look, ranges: &mut Ranges) {
        if self.is_small() {
            return ranges.push((self.particles.start, self.particles.end));
        }
        let spans =
            [1, 2].map(|axis| self.cells.spans_of(axis, center[axis] - radius, center[axis] + radius));
        let rows = spans[0].count() * spans[1].count();
        if rows <= FEW_ROWS {
            return self.in_box(&Bounds { low: center - radius, high: center + radius }, look, ranges);
        }
        if rows > self.cells.occupied_count() {
            return self.cells.push_layers(&spans[1], ranges);
        }
        look.begin();
        spans[1].for_each(|z| {
            let beyond = self.cells.distance_to_cell(2, z, center.z);
            let left = radius * radius - beyond * beyond;
            spans[0].for_each(|y| {
                let beyond = self.cells.distance_to_cell(1, y, center.y);
                let left = left - beyond * beyond;
                if left < 0.0 {
                    return;
                }
                let half = left.sqrt();
                let row = self.cells.spans_of(0, center.x - half, center.x + half);
                for &span in row.as_slice() {
                    self.cells.push_row([y, z], span, look, ranges);
                }
            });
        });
    }

    /// Whether all particles of the level are tested as quickly as its cells are looked up.
    fn is_small(&self) -> bool {
        self.particles.len() <= crate::simd::LANES
    }
}
