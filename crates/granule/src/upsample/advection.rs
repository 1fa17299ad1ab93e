//! The way of grains through a frame, sixteen at a time.

use glam::Vec3;

use super::contact::{Motion, Wall};
use super::grain::Grain;
use super::guides::{Deformation, Guide, GuideGrid};
use super::mover::{Fault, FrameInput, MoverSettings};
use super::weights::{beyond_wall, guided_share, published_share, weight};
use crate::simd::{Instructions, LANES, Lanes, Vectorised};

/// What guides say at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// Sum of the weights.
    pub sum: f32,
    /// Largest weight.
    pub largest: f32,
    /// Sum of the weights of guides that take grains along alone.
    pub carrying: f32,
    /// Weighted mean of their ways, deformations included [m].
    pub way: Vec3,
    /// Weighted mean of their velocities [m/s].
    pub velocity: Vec3,
}

/// What guides say at sixteen points.
#[derive(Clone, Copy, Default)]
struct Sums {
    sum: [f32; LANES],
    largest: [f32; LANES],
    carrying: [f32; LANES],
    way: [[f32; LANES]; 3],
    velocity: [[f32; LANES]; 3],
}

/// Sums over candidates at sixteen points.
///
/// ```text
/// u(x) = sum_j w_j (u_j + A_j (x - x_j)) / sum_j w_j      v(x) = sum_j w_j v_j / sum_j w_j
/// ```
struct Gather<'a> {
    guide: &'a [Guide],
    deformation: &'a [Deformation],
    candidate: &'a [u32],
    x: &'a [[f32; LANES]; 3],
    inverse_support: f32,
}

impl Vectorised for Gather<'_> {
    type Output = Sums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Sums {
        let zero = L::splat(0.0);
        let x = [L::from_array(&self.x[0]), L::from_array(&self.x[1]), L::from_array(&self.x[2])];
        let (mut sum, mut largest, mut carrying) = (zero, zero, zero);
        let (mut way, mut velocity) = ([zero; 3], [zero; 3]);
        let inverse = L::splat(self.inverse_support * self.inverse_support);
        for &j in self.candidate {
            let (guide, affine) = (&self.guide[j as usize], &self.deformation[j as usize]);
            let d = [
                x[0] - L::splat(guide.position[0]),
                x[1] - L::splat(guide.position[1]),
                x[2] - L::splat(guide.position[2]),
            ];
            let w = weight((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * inverse);
            sum = sum + w;
            largest = largest.at_least(w);
            carrying = carrying + w * L::splat(affine.rows[0][3]);
            for k in 0..3 {
                let row = &affine.rows[k];
                let own = L::splat(guide.displacement[k])
                    + L::splat(row[0]) * d[0]
                    + L::splat(row[1]) * d[1]
                    + L::splat(row[2]) * d[2];
                way[k] = way[k] + w * own;
                velocity[k] = velocity[k] + w * L::splat(guide.velocity[k]);
            }
        }
        Sums {
            sum: sum.to_array(),
            largest: largest.to_array(),
            carrying: carrying.to_array(),
            way: way.map(Lanes::to_array),
            velocity: velocity.map(Lanes::to_array),
        }
    }
}

impl Sums {
    fn lane(&self, k: usize) -> Surroundings {
        let mean = |of: &[[f32; LANES]; 3]| {
            let inverse = if self.sum[k] > 0.0 { 1.0 / self.sum[k] } else { 0.0 };
            Vec3::new(of[0][k], of[1][k], of[2][k]) * inverse
        };
        Surroundings {
            sum: self.sum[k],
            largest: self.largest[k],
            carrying: self.carrying[k],
            way: mean(&self.way),
            velocity: mean(&self.velocity),
        }
    }
}

/// What guides say at one point, without deformations.
pub fn surroundings(grid: &GuideGrid, x: Vec3) -> Surroundings {
    let mut found = Surroundings::default();
    let inverse = 1.0 / (grid.support * grid.support);
    grid.rows(x, x, |range| {
        for guide in &grid.guide[range] {
            let w = weight(x.distance_squared(guide.position.into()) * inverse);
            if w > 0.0 {
                found.sum += w;
                found.largest = found.largest.max(w);
                found.velocity += w * Vec3::from(guide.velocity);
            }
        }
    });
    if found.sum > 0.0 {
        found.velocity /= found.sum;
    }
    found
}

/// Memory of a thread.
#[derive(Default)]
pub struct Scratch {
    candidate: Vec<u32>,
    walls: Vec<u32>,
}

/// Moves grains through a frame.
pub struct Advection<'a> {
    /// What does not change.
    pub settings: &'a MoverSettings,
    /// The frame.
    pub frame: &'a FrameInput<'a>,
    /// Deformations around the guides, in the order of the grid.
    pub deformation: &'a [Deformation],
    /// Instructions to use.
    pub instructions: Instructions,
}

/// Groups of sixteen grains that are farther apart than this, in supports, are taken one by one.
const SCATTERED: f32 = 5.0;

/// Steps of a landing grain back to the surface, in radii of a guide.
const LANDING_STEP: f32 = 0.5;
const LANDING_STEPS: f32 = 24.0;

impl Advection<'_> {
    /// Moves up to sixteen grains that are near each other in memory.
    pub fn group(&self, grains: &mut [Grain], scratch: &mut Scratch) {
        let (low, high) = bounds(grains);
        if (high - low).max_element() > SCATTERED * self.frame.guides.support && grains.len() > 1 {
            for grain in grains {
                self.group(std::slice::from_mut(grain), scratch);
            }
            return;
        }
        self.find_candidates(low, high, scratch);
        let mut x = [[0.0; LANES]; 3];
        for k in 0..LANES {
            let grain = &grains[k.min(grains.len() - 1)];
            (0..3).for_each(|axis| x[axis][k] = grain.position[axis]);
        }
        let sums = self.instructions.run(Gather {
            guide: &self.frame.guides.guide,
            deformation: self.deformation,
            candidate: &scratch.candidate,
            x: &x,
            inverse_support: 1.0 / self.frame.guides.support,
        });
        self.move_group(grains, &sums, (low, high), scratch);
    }

    /// Guides that are within their support of a box.
    fn find_candidates(&self, low: Vec3, high: Vec3, scratch: &mut Scratch) {
        let grid = self.frame.guides;
        let reach = grid.support * grid.support;
        scratch.candidate.clear();
        grid.rows(low, high, |range| {
            for j in range {
                let p = Vec3::from(grid.guide[j].position);
                let beyond = (low - p).max(p - high).max(Vec3::ZERO);
                if beyond.length_squared() < reach {
                    scratch.candidate.push(j as u32);
                }
            }
        });
    }

    fn move_group(
        &self,
        grains: &mut [Grain],
        sums: &Sums,
        (low, high): (Vec3, Vec3),
        scratch: &mut Scratch,
    ) {
        let mut motions =
            [Motion { from: Vec3::ZERO, to: Vec3::ZERO, velocity: Vec3::ZERO, own: 0.0 }; LANES];
        let mut longest: f32 = 0.0;
        for (k, grain) in grains.iter().enumerate() {
            motions[k] = self.motion(grain, &sums.lane(k));
            longest = longest.max(motions[k].from.distance(motions[k].to));
        }
        let (center, half) = (0.5 * (low + high), 0.5 * (high - low).length());
        let near = |wall: &Wall| !wall.is_far(center, half, longest + 2.0 * self.settings.radius);
        scratch.walls.clear();
        if self.settings.fault != Some(Fault::NoContact) {
            let walls = self.frame.walls.iter().zip(0u32..).filter(|(wall, _)| near(wall));
            scratch.walls.extend(walls.map(|(_, k)| k));
        }
        for (grain, motion) in grains.iter_mut().zip(&mut motions) {
            self.restrict(grain, motion, &scratch.walls);
            if motion.own > 0.0 {
                self.land(motion);
                self.restrict(grain, motion, &scratch.walls);
            }
            grain.position = self.settings.domain.wrap(motion.to).into();
            grain.velocity = motion.velocity.into();
        }
    }

    /// The way that guides and gravity lead a grain.
    pub fn motion(&self, grain: &Grain, around: &Surroundings) -> Motion {
        let (dt, gravity) = (self.frame.dt, self.frame.gravity);
        let (x, v) = (Vec3::from(grain.position), Vec3::from(grain.velocity));
        let share = self.share(x, around);
        let flown = match self.settings.fault {
            Some(Fault::EulerFlight) => v * dt,
            _ => v * dt + gravity * (0.5 * dt * dt),
        };
        let own = 1.0 - share;
        let mut motion = Motion {
            from: x,
            to: x + share * around.way + own * flown,
            velocity: share * around.velocity + own * (v + gravity * dt),
            own,
        };
        if self.settings.fault == Some(Fault::StickyWalls) {
            self.stick(&mut motion);
        }
        motion
    }

    /// The guides' share of a grain's motion.
    fn share(&self, x: Vec3, around: &Surroundings) -> f32 {
        if self.settings.fault == Some(Fault::PublishedShare) {
            return published_share(around.sum, around.largest);
        }
        let share = guided_share(around.sum, around.largest, around.carrying, 0.0);
        if share == 1.0 || around.sum == 0.0 {
            return share;
        }
        // A wall beside the grain is no missing guide.
        let support = self.frame.guides.support;
        let distance = |wall: &Wall| wall.sdf.distance(wall.start.body_from_world(x));
        let nearest = self.frame.walls.iter().map(distance).fold(support, f32::min);
        guided_share(around.sum, around.largest, around.carrying, beyond_wall(nearest / support))
    }

    /// The published fault: walls count as guides wherever a grain is near.
    fn stick(&self, motion: &mut Motion) {
        for wall in self.frame.walls {
            let place = wall.start.body_from_world(motion.from);
            if wall.sdf.distance(place) < 2.0 * self.settings.radius {
                let carried = wall.end.world_from_body(place);
                motion.velocity = (carried - motion.from) / self.frame.dt;
                motion.to = carried;
            }
        }
    }

    fn restrict(&self, grain: &Grain, motion: &mut Motion, walls: &[u32]) {
        let friction = self.settings.friction.get(grain.material as usize).copied().unwrap_or(0.0);
        // Once more where several walls meet: what the second has moved may be in the first again.
        let rounds = if walls.len() > 1 { 2 } else { 1 };
        for _ in 0..rounds {
            for &k in walls {
                self.frame.walls[k as usize].restrict(motion, self.settings.radius, self.frame.dt, friction);
            }
        }
    }

    /// Stops a grain that has flown into a mass of guides at its surface: it goes back the way that it came, as seen from
    /// the guides, and takes their velocity.
    fn land(&self, motion: &mut Motion) {
        let inside = |x: Vec3| {
            let around = surroundings(self.frame.after, x);
            (guided_share(around.sum, around.largest, 0.0, 0.0) >= 1.0).then_some(around.velocity)
        };
        if self.settings.fault == Some(Fault::PublishedShare) {
            return;
        }
        let Some(velocity) = inside(motion.to) else { return };
        let way = (motion.velocity - velocity) * self.frame.dt;
        let longest = way.length().min(motion.from.distance(motion.to));
        let step = LANDING_STEP * self.settings.guide_radius;
        let steps = (longest / step).ceil().min(LANDING_STEPS);
        let back = -way.normalize_or_zero() * step;
        let mut place = motion.to;
        for k in 1..=steps as u32 {
            let before = motion.to + k as f32 * back;
            if inside(before).is_none() {
                break;
            }
            place = before;
        }
        motion.to = place;
        motion.velocity = velocity;
    }
}

fn bounds(grains: &[Grain]) -> (Vec3, Vec3) {
    grains.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), grain| {
        let x = Vec3::from(grain.position);
        (low.min(x), high.max(x))
    })
}
