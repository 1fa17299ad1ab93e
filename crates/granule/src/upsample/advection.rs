//! The way of grains through a frame.

use glam::Vec3;

use super::contact::{Motion, Wall};
use super::grain::Grain;
use super::guides::GuideGrid;
use super::mover::{Fault, FrameInput, MoverSettings};
use super::nodes::{Nodes, Place, Said};
use super::spreading::{FineMesh, activity};
use super::weights::{coverage, guided_share, weight};
use crate::simd::{Lanes, Vectorised};

/// What guides say at a point themselves, without nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Surroundings {
    /// Sum of the weights.
    sum: f32,
    /// Largest weight.
    largest: f32,
    /// Weighted mean of their velocities [m/s].
    velocity: Vec3,
}

fn surroundings(grid: &GuideGrid, x: Vec3) -> Surroundings {
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

/// Moves grains through a frame.
pub struct Advection<'a> {
    /// What does not change.
    pub settings: &'a MoverSettings,
    /// The frame.
    pub frame: &'a FrameInput<'a>,
    /// What guides say.
    pub nodes: &'a Nodes,
    /// Where grains are crowded; none where nothing spreads them.
    pub mesh: Option<&'a FineMesh>,
    /// How far walls may be from grains that meet them [m].
    pub reach: f32,
    /// Bits of the walls that move.
    pub moving_walls: u32,
}

/// Coverage at which flying grains land: they come to lie a little below the surface of the mass of guides, which has
/// a half, and are covered as guides land.
pub const LANDED: f32 = 0.42;

/// Steps of a landing grain back to the surface, in radii of a guide.
pub const LANDING_STEP: f32 = 0.5;
/// Most such steps.
pub const LANDING_STEPS: f32 = 24.0;

/// Grains that are moved by one thread, compiled for every set of instructions.
pub struct MoveGrains<'a> {
    /// How.
    pub advection: &'a Advection<'a>,
    /// Which.
    pub grains: &'a mut [Grain],
}

impl Vectorised for MoveGrains<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for grain in self.grains {
            self.advection.advance(grain);
        }
    }
}

impl Advection<'_> {
    #[inline(always)]
    fn advance(&self, grain: &mut Grain) {
        let x = Vec3::from(grain.position);
        let place = self.nodes.locate(x);
        let said = place.map_or_else(Said::default, |place| self.nodes.said(&place));
        let mut motion = self.motion(grain, &said);
        if let Some(Place { block, .. }) = place {
            self.spread(&mut motion, &said, block);
        }
        let walls = self.walls(place, &motion);
        let at_rest = motion.to == x && motion.velocity == Vec3::ZERO && walls & self.moving_walls == 0;
        if !at_rest {
            self.finish(grain, &mut motion, walls);
        }
    }

    /// The way that guides and gravity lead a grain.
    #[inline(always)]
    fn motion(&self, grain: &Grain, said: &Said) -> Motion {
        let (dt, gravity) = (self.frame.dt, self.frame.gravity);
        let (x, v) = (Vec3::from(grain.position), Vec3::from(grain.velocity));
        let own = 1.0 - said.share;
        if own <= 0.0 {
            return Motion { from: x, to: x + said.way, velocity: said.velocity, own: 0.0 };
        }
        let flown = match self.settings.fault {
            Some(Fault::EulerFlight) => v * dt,
            _ => v * dt + gravity * (0.5 * dt * dt),
        };
        Motion {
            from: x,
            to: x + said.share * said.way + own * flown,
            velocity: said.share * said.velocity + own * (v + gravity * dt),
            own,
        }
    }

    /// Out of crowds, as far as guides move the grain anyway.
    #[inline(always)]
    fn spread(&self, motion: &mut Motion, said: &Said, block: usize) {
        let Some(mesh) = self.mesh else { return };
        if said.share > 0.0 && self.nodes.stirs[block] {
            let part = said.share * activity(said.way, self.settings.radius);
            if part > 0.0 {
                motion.to += part * mesh.way(motion.from, self.settings.radius);
            }
        }
    }

    /// Bits of the walls that a motion may meet.
    #[inline(always)]
    fn walls(&self, place: Option<Place>, motion: &Motion) -> u32 {
        if self.settings.fault == Some(Fault::NoContact) {
            return 0;
        }
        let least = self.reach - 2.0 * self.settings.radius;
        let short = motion.from.distance_squared(motion.to) <= least * least;
        match place {
            Some(place) if short => self.nodes.walls[place.block],
            _ => u32::MAX,
        }
    }

    /// Walls and landing; writes the grain.
    fn finish(&self, grain: &mut Grain, motion: &mut Motion, walls: u32) {
        if self.settings.fault == Some(Fault::StickyWalls) {
            self.stick(motion);
        }
        self.restrict(grain, motion, walls);
        if motion.own > 0.0 && self.land(motion) {
            self.restrict(grain, motion, walls);
        }
        grain.position = self.settings.domain.wrap(motion.to).into();
        grain.velocity = motion.velocity.into();
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

    fn restrict(&self, grain: &Grain, motion: &mut Motion, bits: u32) {
        if bits == 0 {
            return;
        }
        let friction = self.settings.friction.get(grain.material as usize).copied().unwrap_or(0.0);
        // Once more where several walls touch the grain: what the second has moved may be in the first again.
        let mut touched = 0;
        for round in 0..2 {
            for (k, wall) in self.frame.walls.iter().enumerate() {
                let near = bits >> (k as u32).min(31) & 1 == 1;
                if near && self.meet(wall, motion, friction) && round == 0 {
                    touched += 1;
                }
            }
            if touched < 2 {
                return;
            }
        }
    }

    fn meet(&self, wall: &Wall, motion: &mut Motion, friction: f32) -> bool {
        wall.restrict(motion, self.settings.radius, self.frame.dt, friction)
    }

    /// Stops a grain that has flown into a mass of guides at its surface: it goes back the way that it came, as seen from
    /// the guides, and takes their velocity. Tells whether it did.
    fn land(&self, motion: &mut Motion) -> bool {
        let inside = |x: Vec3| {
            let around = surroundings(self.frame.after, x);
            let several = guided_share(around.sum, around.largest, 0.0, 0.0) >= 1.0;
            (several && coverage(around.sum, 0.0) > LANDED).then_some(around.velocity)
        };
        if self.settings.fault == Some(Fault::PublishedShare) {
            return false;
        }
        let Some(velocity) = inside(motion.to) else { return false };
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
        true
    }
}
