//! The way of grains through a frame.

use glam::Vec3;

use super::contact::{Motion, Wall};
use super::fine_mesh::FineMesh;
use super::grain::Grain;
use super::guides::{Guide, GuideGrid};
use super::mover::{Fault, FrameInput, MoverSettings};
use super::nodes::{Nodes, Place, STEEPEST, Said};
use super::spreading::activity;
use super::weights::{coverage, guided_share, weight};
use crate::simd::{Lanes, Vectorised};

/// Calls with the weight of every guide around a point.
#[inline(always)]
fn for_guides(grid: &GuideGrid, x: Vec3, mut each: impl FnMut(&Guide, f32)) {
    let inverse = 1.0 / (grid.support * grid.support);
    grid.rows(x, x, |range| {
        for guide in &grid.guide[range] {
            each(guide, weight(x.distance_squared(guide.position.into()) * inverse));
        }
    });
}

/// Sum and largest of the guides' weights at a point, asked of the guides themselves.
fn weights_at(grid: &GuideGrid, x: Vec3) -> (f32, f32) {
    let (mut sum, mut largest) = (0.0, 0.0f32);
    for_guides(grid, x, |_, w| (sum, largest) = (sum + w, largest.max(w)));
    (sum, largest)
}

/// Whether weights are those of a point so far inside a mass of guides that a grain lands there.
fn is_inside((sum, largest): (f32, f32)) -> bool {
    coverage(sum, 0.0) > LANDED && guided_share(sum, largest, 0.0, 0.0) >= 1.0
}

/// Weighted mean of the velocities of the guides around a point that is inside [m/s].
fn mean_velocity(grid: &GuideGrid, x: Vec3) -> Vec3 {
    let (mut sum, mut velocity) = (0.0, Vec3::ZERO);
    for_guides(grid, x, |guide, w| {
        (sum, velocity) = (sum + w, velocity + w * Vec3::from(guide.velocity));
    });
    velocity / sum
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
    /// Whether space is periodic along any axis.
    pub periodic: bool,
}

/// Coverage at which flying grains land: they come to lie a little below the surface of the mass of guides, which has
/// a half, and are covered as guides land.
pub const LANDED: f32 = 0.42;

/// Distance from a wall above which a grain does not touch it, in radii.
const TOUCHING: f32 = 1.1;

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
    /// Whether all numbers are finite.
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self) -> bool {
        let mut finite = true;
        for grain in self.grains {
            self.advection.advance(grain);
            finite &= grain.is_finite();
        }
        finite
    }
}

impl Advection<'_> {
    #[inline(always)]
    fn advance(&self, grain: &mut Grain) {
        let x = Vec3::from(grain.position);
        let place = self.nodes.locate(x);
        let mut said = match &place {
            Some(place) => self.nodes.said(place),
            None => Said::default(),
        };
        if said.share > 0.0 && said.share < 1.0 {
            said.share = self.share_at_surface(x, said.share);
        }
        let mut motion = self.motion(grain, &said);
        if let Some(Place { block, .. }) = place {
            self.spread(&mut motion, &said, block);
        }
        let walls = self.walls(place, &motion);
        let at_rest = motion.to == x && motion.velocity == Vec3::ZERO && walls & self.moving_walls == 0;
        if at_rest {
            return;
        }
        if walls != 0 || motion.own > 0.0 {
            self.meet_walls_and_land(grain, &mut motion, walls);
        }
        let to = if self.periodic { self.settings.domain.wrap(motion.to) } else { motion.to };
        grain.position = to.into();
        grain.velocity = motion.velocity.into();
    }

    /// The guides' share where some of the nodes around a grain are outside their mass, instead of that of the nodes: what
    /// has landed stays, and does not sink to where all nodes are inside; what has no guide near flies freely.
    fn share_at_surface(&self, x: Vec3, share: f32) -> f32 {
        let weights = weights_at(self.frame.guides, x);
        if self.settings.fault == Some(Fault::PublishedShare) {
            share
        } else if weights.0 == 0.0 {
            0.0
        } else if is_inside(weights) {
            1.0
        } else {
            share
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
        let way = motion.from.distance_squared(motion.to);
        let Some(Place { block, .. }) = place else { return u32::MAX };
        if way > least * least {
            return u32::MAX;
        }
        let bits = self.nodes.walls[block];
        if bits & self.moving_walls != 0 || self.settings.fault == Some(Fault::StickyWalls) {
            return bits;
        }
        // From the middle of the block to the grain, and on to where it goes.
        let off = self.nodes.middle(self.nodes.cell_of_block[block]).distance(motion.from);
        let clear = self.nodes.room[block] - STEEPEST * off > way.sqrt() + TOUCHING * self.settings.radius;
        if clear { 0 } else { bits }
    }

    /// What walls and the surface of the mass of guides leave of a motion.
    fn meet_walls_and_land(&self, grain: &Grain, motion: &mut Motion, walls: u32) {
        if self.settings.fault == Some(Fault::StickyWalls) {
            self.stick(motion);
        }
        self.restrict(grain, motion, walls);
        if motion.own > 0.0 && self.land(motion) {
            self.restrict(grain, motion, walls);
        }
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
        if self.settings.fault == Some(Fault::PublishedShare)
            || !is_inside(weights_at(self.frame.after, motion.to))
        {
            return false;
        }
        let velocity = mean_velocity(self.frame.after, motion.to);
        let way = (motion.velocity - velocity) * self.frame.dt;
        let longest = way.length().min(motion.from.distance(motion.to));
        let step = LANDING_STEP * self.settings.guide_radius;
        let steps = (longest / step).ceil().min(LANDING_STEPS);
        let back = -way.normalize_or_zero() * step;
        let mut place = motion.to;
        for k in 1..=steps as u32 {
            let before = motion.to + k as f32 * back;
            if !is_inside(weights_at(self.frame.after, before)) {
                break;
            }
            place = before;
        }
        motion.to = place;
        motion.velocity = velocity;
        true
    }
}
