//! Spheres at random until no more fit.

use glam::{IVec3, UVec3, Vec3};
use rayon::prelude::*;

use super::covered::Covered;
use super::{Ball, SampleError, SizeDistribution, Solid, SphereLevels, Spread, check_places, check_radius};
use crate::geometry::mesh::Bounds;
use crate::random::Random;

/// How often places are divided by two along each axis: down to 1/128 of a cell, where what is left holds nothing.
const LEVELS: u32 = 7;
/// Candidates per place and level.
const CANDIDATES: u32 = 4;
/// Cells that are this far apart cannot hold spheres that touch.
const APART: u32 = 3;
/// Part of the volume that spheres of different radii are to fill, and tries for each of them.
const SPREAD_FRACTION: f64 = 0.38;
const SPREAD_TRIES: u32 = 3000;

/// Fills a solid with whole spheres at random places until there is no room for another.
///
/// For equal radii by cells of side `2 r / sqrt(3)`, each of which holds one centre at most \[SSS22\] section 4:
/// candidates fall into cells that are still empty, and what spheres around them leave free is divided further and
/// further until nothing is left. With a spread, radii are drawn for 0.38 of the volume and placed from the largest to
/// the smallest; those for which there is no room are left out.
pub fn random(solid: &dyn Solid, radius: f32, spread: Spread, seed: u64) -> Result<Vec<Ball>, SampleError> {
    check_radius(radius)?;
    spread.check()?;
    let balls = match spread {
        Spread::None => Saturation::new(solid, radius, seed)?.run(),
        _ => placed(solid, spread.limits(radius), seed, |random| spread.draw(radius, random))?,
    };
    if balls.is_empty() { Err(SampleError::Empty { radius: spread.limits(radius).0 }) } else { Ok(balls) }
}

/// A box in which a centre may still lie: part of a cell.
#[derive(Clone, Copy, Debug)]
struct Place {
    cell: UVec3,
    /// Lowest corner in the cell, in parts of the current level.
    part: UVec3,
}

/// A filling in progress.
struct Saturation<'a> {
    solid: &'a dyn Solid,
    radius: f32,
    seed: u64,
    origin: Vec3,
    side: f32,
    count: UVec3,
    /// Centre in each cell; not a number where there is none.
    center: Vec<Vec3>,
}

impl<'a> Saturation<'a> {
    fn new(solid: &'a dyn Solid, radius: f32, seed: u64) -> Result<Self, SampleError> {
        let bounds = solid.bounds();
        // A little less than the largest side, so that rounding lets no two centres into a cell.
        let side = 2.0 * radius / 3.0_f32.sqrt() * 0.9999;
        check_places(bounds, side)?;
        let count = (bounds.size() / side).ceil().max(Vec3::ONE).as_uvec3();
        let cells = count.x as usize * count.y as usize * count.z as usize;
        Ok(Self { solid, radius, seed, origin: bounds.min, side, count, center: vec![Vec3::NAN; cells] })
    }

    fn run(mut self) -> Vec<Ball> {
        let cells = (0..self.center.len() as u32).into_par_iter().map(|k| {
            let (x, y) = (self.count.x, self.count.y);
            Place { cell: UVec3::new(k % x, k / x % y, k / x / y), part: UVec3::ZERO }
        });
        let mut places: Vec<Place> = cells.filter(|place| self.is_open(place, 0)).collect();
        for level in 0..=LEVELS {
            for attempt in 0..CANDIDATES {
                self.throw(&places, level, attempt);
            }
            if level < LEVELS {
                places = self.divide(&places, level);
            }
        }
        let found = self.center.iter().filter(|center| !center.is_nan());
        found.map(|&center| Ball { center, radius: self.radius }).collect()
    }

    fn cell_index(&self, cell: UVec3) -> usize {
        (cell.z as usize * self.count.y as usize + cell.y as usize) * self.count.x as usize + cell.x as usize
    }

    /// The box of a place.
    fn bounds(&self, place: &Place, level: u32) -> Bounds {
        let size = self.side / (1 << level) as f32;
        let min = self.origin + self.side * place.cell.as_vec3() + size * place.part.as_vec3();
        Bounds { min, max: min + size }
    }

    /// Spheres that may reach into a cell.
    fn near(&self, cell: UVec3) -> impl Iterator<Item = Vec3> + '_ {
        let low = (cell.as_ivec3() - 2).max(IVec3::ZERO).as_uvec3();
        let high = (cell + 2).min(self.count - 1);
        let rows = (low.z..=high.z).flat_map(move |z| (low.y..=high.y).map(move |y| (y, z)));
        rows.flat_map(move |(y, z)| {
            let first = self.cell_index(UVec3::new(low.x, y, z));
            self.center[first..=first + (high.x - low.x) as usize].iter().copied().filter(|c| !c.is_nan())
        })
    }

    fn is_free(&self, cell: UVec3, point: Vec3) -> bool {
        let least = (2.0 * self.radius).powi(2);
        self.near(cell).all(|center| center.distance_squared(point) >= least)
    }

    /// One candidate for every place whose cell is empty. Cells that are far enough apart are tried at the same time.
    fn throw(&mut self, places: &[Place], level: u32, attempt: u32) {
        for phase in 0..APART.pow(3) {
            let phase = UVec3::new(phase % APART, phase / APART % APART, phase / APART / APART);
            let mine = places.par_iter().enumerate().filter(|(_, place)| place.cell % APART == phase);
            let accepted: Vec<(usize, Vec3)> = mine
                .filter_map(|(k, place)| {
                    let cell = self.cell_index(place.cell);
                    if !self.center[cell].is_nan() {
                        return None;
                    }
                    let key = self.seed ^ (u64::from(level * CANDIDATES + attempt) << 40 | k as u64);
                    let mut random = Random::new(Random::new(key).bits());
                    let bounds = self.bounds(place, level);
                    let point =
                        bounds.min + bounds.size() * Vec3::new(random.unit(), random.unit(), random.unit());
                    let free = self.is_free(place.cell, point)
                        && self.solid.sample(point, -1.1 * self.radius).0 <= -self.radius;
                    free.then_some((cell, point))
                })
                .collect();
            // Of several candidates in one cell the first stays.
            for (cell, point) in accepted {
                if self.center[cell].is_nan() {
                    self.center[cell] = point;
                }
            }
        }
    }

    /// The halves along each axis of all places that could still take a centre.
    fn divide(&self, places: &[Place], level: u32) -> Vec<Place> {
        let halves = |place: &Place| {
            let (cell, part) = (place.cell, 2 * place.part);
            (0..8).map(move |k| Place { cell, part: part + UVec3::new(k & 1, k >> 1 & 1, k >> 2) })
        };
        let parts: Vec<Vec<Place>> = places
            .par_iter()
            .with_min_len(64)
            .map(|place| {
                if !self.center[self.cell_index(place.cell)].is_nan() {
                    return Vec::new();
                }
                halves(place).filter(|half| self.is_open(half, level + 1)).collect()
            })
            .collect();
        parts.concat()
    }

    /// Whether a centre may lie in a place: inside the solid, and not all of it near one sphere.
    fn is_open(&self, place: &Place, level: u32) -> bool {
        let bounds = self.bounds(place, level);
        let (center, half) = (bounds.center(), 0.5 * bounds.size().length());
        let covered = |other: Vec3| {
            let farthest = (bounds.max - other).max(other - bounds.min);
            farthest.length_squared() < (2.0 * self.radius).powi(2)
        };
        !self.near(place.cell).any(covered)
            && self.solid.sample(center, -1.1 * self.radius - half).0 <= half - self.radius
    }
}

/// Fills a solid with spheres of different sizes at random places, as [`random`] does with a spread.
pub fn random_of_sizes(
    solid: &dyn Solid,
    sizes: &SizeDistribution,
    seed: u64,
) -> Result<Vec<Ball>, SampleError> {
    let balls = placed(solid, sizes.limits(), seed, |random| sizes.draw(random))?;
    if balls.is_empty() { Err(SampleError::Empty { radius: sizes.limits().0 }) } else { Ok(balls) }
}

/// Spheres of different radii, the largest first.
fn placed(
    solid: &dyn Solid,
    (least, _): (f32, f32),
    seed: u64,
    mut draw: impl FnMut(&mut Random) -> f32,
) -> Result<Vec<Ball>, SampleError> {
    check_radius(least)?;
    let bounds = solid.bounds();
    check_places(bounds, 2.0 * least)?;
    let mut random = Random::new(seed);
    let mut radii = Vec::new();
    let mut left = SPREAD_FRACTION * solid.volume();
    while left > 0.0 {
        let radius = draw(&mut random);
        left -= 4.0 / 3.0 * std::f64::consts::PI * f64::from(radius).powi(3);
        radii.push(radius);
    }
    radii.sort_by(|a, b| b.total_cmp(a));
    let (mut levels, mut covered) = (SphereLevels::new(least), Covered::new(bounds, least));
    let mut balls: Vec<Ball> = Vec::new();
    for radius in radii {
        for _ in 0..SPREAD_TRIES {
            let t = Vec3::new(random.unit(), random.unit(), random.unit());
            let ball = Ball { center: bounds.min + bounds.size() * t, radius };
            // Most places are taken, and known to be so at once.
            let free = !covered.holds(ball.center) && levels.is_free(&ball);
            if free && solid.sample(ball.center, -1.1 * radius).0 <= -radius {
                levels.insert(balls.len() as u32, ball);
                covered.add(&ball);
                balls.push(ball);
                break;
            }
        }
    }
    Ok(balls)
}
