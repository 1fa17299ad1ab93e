//! Spheres at random, pushed apart until none overlap.

use glam::Vec3;
use rayon::prelude::*;

use super::cells::Cells;
use super::{
    Ball, SampleError, SizeDistribution, Solid, SphereLevels, Spread, check_places, check_radius, random,
};
use crate::geometry::mesh::Bounds;
use crate::random::Random;

/// Spheres are pushed apart as if they were larger by this part, so that what is left after a finite number of sweeps
/// is not an overlap.
const LARGER: f32 = 0.006;
/// The same for spheres that are to touch in the end.
const LARGER_IF_TOUCHING: f32 = 1e-3;
/// Farthest gap that spheres are drawn together over, in radii.
const FARTHEST_GAP: f32 = 0.2;
/// Way that a sphere is drawn towards each neighbour across a gap in the first sweep, in radii; half of it after every so many
/// sweeps, and nothing after the last.
const FIRST_PULL: f32 = 0.01;
const HALF_PULL: usize = 60;
const PULLS: usize = 420;
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
/// Tries among them to find one without overlaps, for spheres of different sizes.
const FREE_TRIES: usize = 50;

/// Fills a solid with whole spheres that do not overlap, one for every cube of a diameter of its volume: 0.5236 of it,
/// the density at which simulated particles are at rest. Without any order: they begin at random and are pushed apart.
///
/// Where so many do not fit (a solid of only a few diameters), those that are in the way most are left out.
pub fn relaxed(solid: &dyn Solid, radius: f32, seed: u64) -> Result<Vec<Ball>, SampleError> {
    check_radius(radius)?;
    check_places(solid.bounds(), 2.0 * radius)?;
    let wanted = (solid.volume() / f64::from(2.0 * radius).powi(3) + 1e-3).floor().max(1.0) as usize;
    packed(solid, radius, wanted, seed)
}

/// Fills a solid with a number of whole spheres that do not overlap, or as many as fit, without any order as [`relaxed`] does.
pub fn packed(solid: &dyn Solid, radius: f32, count: usize, seed: u64) -> Result<Vec<Ball>, SampleError> {
    check_radius(radius)?;
    check_places(solid.bounds(), 2.0 * radius)?;
    pushed_apart(Packing::begin(solid, radius, count.max(1), seed)?, radius)
}

/// Fills a solid as [`packed`] does and draws spheres together until neighbours touch: pores grow where gaps close, as in moist sand.
pub fn touching(solid: &dyn Solid, radius: f32, count: usize, seed: u64) -> Result<Vec<Ball>, SampleError> {
    let balls = packed(solid, radius, count, seed)?;
    let mut packing = Packing::of(solid, balls);
    packing.larger = LARGER_IF_TOUCHING;
    for sweep in 0..PULLS {
        packing.pull = FIRST_PULL * 0.5_f32.powf(sweep as f32 / HALF_PULL as f32);
        packing.sweep();
    }
    packing.pull = 0.0;
    pushed_apart(packing, radius)
}

/// Fills a solid with whole spheres of different sizes that do not overlap, as [`relaxed`] does with equal ones: their
/// cubes of a diameter are its volume. Small spheres give way to large ones.
pub fn relaxed_of_sizes(
    solid: &dyn Solid,
    sizes: &SizeDistribution,
    seed: u64,
) -> Result<Vec<Ball>, SampleError> {
    let least = sizes.limits().0;
    check_radius(least)?;
    check_places(solid.bounds(), 2.0 * least)?;
    pushed_apart(Packing::begin_with_sizes(solid, sizes, seed), least)
}

/// Pushes spheres apart, and leaves out those that stay in the way. `smallest` is their smallest radius \[m\].
fn pushed_apart(mut packing: Packing, smallest: f32) -> Result<Vec<Ball>, SampleError> {
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
    let spheres = packing.position.into_iter().zip(packing.radius);
    let balls: Vec<Ball> = spheres.map(|(center, radius)| Ball { center, radius }).collect();
    if balls.is_empty() { Err(SampleError::Empty { radius: smallest }) } else { Ok(balls) }
}

/// Spheres on their way.
struct Packing<'a> {
    solid: &'a dyn Solid,
    bounds: Bounds,
    /// How much larger they are while they are pushed apart, as a part of their radii.
    larger: f32,
    /// How far a sweep draws them over each gap, in radii.
    pull: f32,
    /// Smallest and largest radius \[m\].
    least: f32,
    most: f32,
    radius: Vec<f32>,
    position: Vec<Vec3>,
    /// Largest overlap of each, in radii.
    overlap: Vec<f32>,
    list: Vec<Vec<u32>>,
    /// Farthest way since the lists were made \[m\].
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
        Ok(Self::of(solid, position.iter().map(|center| Ball { center: *center, radius }).collect()))
    }

    /// As many spheres as fit the volume at rest, from the largest to the smallest: where there is room, or anywhere
    /// inside.
    fn begin_with_sizes(solid: &'a dyn Solid, sizes: &SizeDistribution, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut radii = Vec::new();
        let mut left = solid.volume() * (1.0 + 1e-3);
        loop {
            let radius = sizes.draw(&mut random);
            left -= f64::from(2.0 * radius).powi(3);
            if left < 0.0 {
                break;
            }
            radii.push(radius);
        }
        radii.sort_by(|a, b| b.total_cmp(a));
        let bounds = solid.bounds();
        let (mut levels, mut balls) = (SphereLevels::new(sizes.limits().0), Vec::new());
        for radius in radii {
            let mut anywhere = None;
            let room = (0..TRIES).find_map(|attempt| {
                let t = Vec3::new(random.unit(), random.unit(), random.unit());
                let ball = Ball { center: bounds.min + bounds.size() * t, radius };
                if solid.sample(ball.center, -1.1 * radius).0 <= -radius {
                    anywhere = Some(ball);
                }
                let settle = attempt >= FREE_TRIES && anywhere.is_some();
                (settle || (anywhere == Some(ball) && levels.is_free(&ball))).then_some(anywhere).flatten()
            });
            if let Some(ball) = room {
                levels.insert(balls.len() as u32, ball);
                balls.push(ball);
            }
        }
        Self::of(solid, balls)
    }

    fn of(solid: &'a dyn Solid, balls: Vec<Ball>) -> Self {
        let radius: Vec<f32> = balls.iter().map(|ball| ball.radius).collect();
        Self {
            solid,
            bounds: solid.bounds(),
            larger: LARGER,
            pull: 0.0,
            least: radius.iter().copied().fold(f32::INFINITY, f32::min),
            most: radius.iter().copied().fold(0.0, f32::max),
            position: balls.iter().map(|ball| ball.center).collect(),
            overlap: vec![0.0; balls.len()],
            radius,
            list: Vec::new(),
            moved: f32::INFINITY,
        }
    }

    /// How much farther than touching lists reach [m].
    fn skin(&self) -> f32 {
        if self.least == self.most { SKIN * self.least } else { SKIN * (self.least * self.most).sqrt() }
    }

    /// For every sphere those that may come to touch it, in order.
    fn lists(&self) -> Vec<Vec<u32>> {
        if self.least == self.most {
            return Cells::new(&self.position, self.bounds, (2.0 + SKIN) * self.least).lists(&self.position);
        }
        let ball = |i: usize| Ball { center: self.position[i], radius: self.radius[i] };
        let balls: Vec<Ball> = (0..self.position.len()).map(ball).collect();
        let levels = SphereLevels::of(&balls);
        let list = |(i, ball): (usize, &Ball)| levels.list(i as u32, ball, self.skin());
        balls.par_iter().enumerate().with_min_len(256).map(list).collect()
    }

    /// Moves every sphere out of its neighbours and into the solid; says whether none overlapped.
    fn sweep(&mut self) -> bool {
        if self.moved >= 0.5 * self.skin() {
            self.list = self.lists();
            self.moved = 0.0;
        }
        let moved: Vec<(Vec3, f32)> =
            (0..self.position.len()).into_par_iter().with_min_len(128).map(|i| self.pushed(i)).collect();
        let worst = moved.iter().fold(0.0, |worst: f32, (_, overlap)| worst.max(*overlap));
        if worst <= TOLERANCE && self.pull == 0.0 {
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
        let (center, radius) = (self.position[i], self.radius[i]);
        let (mut push, mut worst) = (Vec3::ZERO, 0.0_f32);
        for &j in &self.list[i] {
            let offset = center - self.position[j as usize];
            let other = self.radius[j as usize];
            let reach = (radius + other) * (1.0 + self.larger);
            let squared = offset.length_squared();
            if squared >= reach * reach {
                if self.pull > 0.0 {
                    push -= self.pulled(offset, squared.sqrt() - (radius + other), radius);
                }
                continue;
            }
            let distance = squared.sqrt();
            // Spheres at the same place go different ways.
            let upwards = if i < j as usize { Vec3::Y } else { Vec3::NEG_Y };
            let direction = if distance > 1e-6 * radius { offset / distance } else { upwards };
            // By volume, twice the other's share: 1 for equal ones.
            let share = 2.0 * other.powi(3) / (radius.powi(3) + other.powi(3));
            push += STEP * share * (reach - distance) * direction;
            worst = worst.max((radius + other - distance) / radius.min(other));
        }
        let length = push.length();
        if length > LONGEST * radius {
            push *= LONGEST * radius / length;
        }
        let (before, _) = self.solid.sample(center, -1.1 * radius);
        worst = worst.max((before + radius) / radius);
        (self.inside(center + push, radius), worst)
    }

    /// How far a sphere is drawn away from where it is, against the offset from a neighbour across a gap \[m\].
    fn pulled(&self, offset: Vec3, gap: f32, radius: f32) -> Vec3 {
        if gap > FARTHEST_GAP * radius {
            return Vec3::ZERO;
        }
        (self.pull * radius).min(STEP * gap) * offset.normalize_or_zero()
    }

    /// A place moved into the solid, deep enough for the whole sphere; twice, for corners.
    fn inside(&self, mut center: Vec3, radius: f32) -> Vec3 {
        let depth = -radius * (1.0 + 0.5 * TOLERANCE);
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
        self.list = self.lists();
        let inside = |(p, r): (&Vec3, &f32)| self.solid.sample(*p, -1.1 * r).0 <= (2.0 * TOLERANCE - 1.0) * r;
        let mut keep: Vec<bool> = self.position.par_iter().zip(&self.radius).map(inside).collect();
        for i in 0..self.position.len() {
            let clashes = |j: &u32| {
                let j = *j as usize;
                let least = (self.radius[i] + self.radius[j]) * (1.0 - TOLERANCE);
                j < i && keep[j] && self.position[j].distance(self.position[i]) < least
            };
            if self.list[i].iter().any(clashes) {
                keep[i] = false;
            }
        }
        self.retain(&keep);
    }

    fn retain(&mut self, keep: &[bool]) {
        fn kept<T: Copy>(column: &[T], keep: &[bool]) -> Vec<T> {
            column.iter().zip(keep).filter(|(_, keep)| **keep).map(|(entry, _)| *entry).collect()
        }
        self.position = kept(&self.position, keep);
        self.radius = kept(&self.radius, keep);
        self.overlap = vec![0.0; self.position.len()];
        self.moved = f32::INFINITY;
    }
}
