//! Spheres at random, pushed apart until none overlap.

use glam::Vec3;
use rayon::prelude::*;

use super::cells::Cells;
use super::{Ball, SampleError, Solid, Spread, check_places, check_radius, random};
use crate::geometry::mesh::Bounds;
use crate::random::Random;

/// Spheres are pushed apart as if they were larger by this part, so that what is left after a finite number of sweeps
/// is not an overlap.
const LARGER: f32 = 0.006;
/// Part of an overlap that a sweep removes from each of the two spheres.
const STEP: f32 = 0.45;
/// Farthest way of a sphere in a sweep, in radii.
const LONGEST: f32 = 0.5;
/// Lists hold what is this much farther than a diameter, in radii; they are made anew when it is used up.
const SKIN: f32 = 0.6;
/// Largest overlap, and way out of the solid, that is left, in radii.
const TOLERANCE: f32 = 5e-4;
/// Sweeps before spheres are given up, and between one such time and the next.
const PATIENCE: usize = 600;
const AGAIN: usize = 100;
/// Most sweeps.
const MOST_SWEEPS: usize = 4000;
/// Tries to find a place inside for each sphere.
const TRIES: usize = 20_000;

/// Fills a solid with whole spheres that do not overlap, one for every cube of a diameter of its volume: 0.5236 of it,
/// the density at which simulated particles are at rest. Without any order: they begin at random and are pushed apart.
///
/// Where so many do not fit (a solid of only a few diameters), those that are in the way most are left out.
pub fn relaxed(solid: &dyn Solid, radius: f32, seed: u64) -> Result<Vec<Ball>, SampleError> {
    check_radius(radius)?;
    check_places(solid.bounds(), 2.0 * radius)?;
    let wanted = (solid.volume() / f64::from(2.0 * radius).powi(3) + 1e-3).floor().max(1.0) as usize;
    let mut packing = Packing::begin(solid, radius, wanted, seed)?;
    let mut since = 0;
    for sweep in 0..MOST_SWEEPS {
        if packing.sweep() {
            break;
        }
        since += 1;
        if sweep + 1 >= PATIENCE && since >= AGAIN {
            packing.give_up_some();
            since = 0;
        }
    }
    packing.give_up_all_that_overlap();
    let balls: Vec<Ball> = packing.position.into_iter().map(|center| Ball { center, radius }).collect();
    if balls.is_empty() { Err(SampleError::Empty { radius }) } else { Ok(balls) }
}

/// Spheres on their way.
struct Packing<'a> {
    solid: &'a dyn Solid,
    bounds: Bounds,
    radius: f32,
    position: Vec<Vec3>,
    /// Largest overlap of each, in radii.
    overlap: Vec<f32>,
    list: Vec<Vec<u32>>,
    /// Farthest way since the lists were made [m].
    moved: f32,
}

impl<'a> Packing<'a> {
    /// As many points inside the solid as are wanted: those of a saturated random filling, and more in between.
    fn begin(solid: &'a dyn Solid, radius: f32, wanted: usize, seed: u64) -> Result<Self, SampleError> {
        let first = random(solid, radius, Spread::None, seed)?;
        let mut position: Vec<Vec3> = first.into_iter().map(|ball| ball.center).collect();
        let bounds = solid.bounds();
        let missing = wanted.saturating_sub(position.len());
        let inside = |k: usize| {
            let mut random = Random::new(Random::new(seed ^ !(k as u64)).bits());
            (0..TRIES).find_map(|_| {
                let t = Vec3::new(random.unit(), random.unit(), random.unit());
                let point = bounds.min + bounds.size() * t;
                (solid.sample(point, -1.1 * radius).0 <= -radius).then_some(point)
            })
        };
        let more: Vec<Option<Vec3>> = (0..missing).into_par_iter().map(inside).collect();
        position.extend(more.into_iter().flatten());
        position.truncate(wanted);
        let overlap = vec![0.0; position.len()];
        Ok(Self { solid, bounds, radius, position, overlap, list: Vec::new(), moved: f32::INFINITY })
    }

    /// Moves every sphere out of its neighbours and into the solid; says whether none overlapped.
    fn sweep(&mut self) -> bool {
        if self.moved >= 0.5 * SKIN * self.radius {
            let side = (2.0 + SKIN) * self.radius;
            self.list = Cells::new(&self.position, self.bounds, side).lists(&self.position);
            self.moved = 0.0;
        }
        let moved: Vec<(Vec3, f32)> =
            (0..self.position.len()).into_par_iter().with_min_len(128).map(|i| self.pushed(i)).collect();
        let worst = moved.iter().fold(0.0, |worst: f32, (_, overlap)| worst.max(*overlap));
        if worst <= TOLERANCE {
            return true;
        }
        let mut longest = 0.0_f32;
        for (i, (to, overlap)) in moved.into_iter().enumerate() {
            longest = longest.max(to.distance_squared(self.position[i]));
            self.position[i] = to;
            self.overlap[i] = overlap;
        }
        self.moved += longest.sqrt();
        false
    }

    /// Where a sphere goes, and its largest overlap before, in radii.
    fn pushed(&self, i: usize) -> (Vec3, f32) {
        let (center, radius) = (self.position[i], self.radius);
        let reach = 2.0 * radius * (1.0 + LARGER);
        let (mut push, mut worst) = (Vec3::ZERO, 0.0_f32);
        for &j in &self.list[i] {
            let offset = center - self.position[j as usize];
            let squared = offset.length_squared();
            if squared >= reach * reach {
                continue;
            }
            let distance = squared.sqrt();
            // Spheres at the same place go different ways.
            let upwards = if i < j as usize { Vec3::Y } else { Vec3::NEG_Y };
            let direction = if distance > 1e-6 * radius { offset / distance } else { upwards };
            push += STEP * (reach - distance) * direction;
            worst = worst.max((2.0 * radius - distance) / radius);
        }
        let length = push.length();
        if length > LONGEST * radius {
            push *= LONGEST * radius / length;
        }
        let (before, _) = self.solid.sample(center, -1.1 * radius);
        worst = worst.max((before + radius) / radius);
        (self.inside(center + push), worst)
    }

    /// A place moved into the solid, deep enough for the whole sphere; twice, for corners.
    fn inside(&self, mut center: Vec3) -> Vec3 {
        let depth = -self.radius * (1.0 + 0.5 * TOLERANCE);
        for _ in 0..3 {
            let (distance, normal) = self.solid.sample(center, depth);
            if distance <= depth {
                break;
            }
            center -= (distance - depth) * normal;
        }
        center
    }

    /// Leaves out the few spheres that overlap most.
    fn give_up_some(&mut self) {
        let mut order: Vec<u32> = (0..self.position.len() as u32).collect();
        order.sort_by(|a, b| self.overlap[*b as usize].total_cmp(&self.overlap[*a as usize]).then(a.cmp(b)));
        order.truncate(1 + self.position.len() / 200);
        let mut keep = vec![true; self.position.len()];
        order
            .iter()
            .filter(|i| self.overlap[**i as usize] > TOLERANCE)
            .for_each(|i| keep[*i as usize] = false);
        self.retain(&keep);
    }

    /// Leaves out spheres, those that overlap most first, until no two overlap and all are inside.
    fn give_up_all_that_overlap(&mut self) {
        let side = (2.0 + SKIN) * self.radius;
        self.list = Cells::new(&self.position, self.bounds, side).lists(&self.position);
        let least = (2.0 - 2.0 * TOLERANCE) * self.radius;
        let inside =
            |p: &Vec3| self.solid.sample(*p, -1.1 * self.radius).0 <= (2.0 * TOLERANCE - 1.0) * self.radius;
        let mut keep: Vec<bool> = self.position.par_iter().map(inside).collect();
        for i in 0..self.position.len() {
            let clashes = |j: &u32| {
                let j = *j as usize;
                j < i && keep[j] && self.position[j].distance(self.position[i]) < least
            };
            if self.list[i].iter().any(clashes) {
                keep[i] = false;
            }
        }
        self.retain(&keep);
    }

    fn retain(&mut self, keep: &[bool]) {
        let mut k = 0;
        self.position.retain(|_| {
            k += 1;
            keep[k - 1]
        });
        self.overlap = vec![0.0; self.position.len()];
        self.moved = f32::INFINITY;
    }
}
