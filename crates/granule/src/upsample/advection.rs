//! The way of grains through a frame.

use glam::Vec3;

use super::contact::{Contact, Motion};
use super::fine_mesh::FineMesh;
use super::grain::Grain;
use super::guides::GuideGrid;
use super::mover::{Fault, FrameInput, MoverSettings};
use super::nodes::{Nodes, Places, SaidAll};
use super::sixteen::{
    are_finite, at, bits_where, columns_of, differ, difference, lanes, lanes_of, numbers, set, square,
    write_columns,
};
use super::spreading::IN_MOTION;
use super::weights::{coverage, guided_share, weight};
use crate::boundary::{MOST_SLOPE, Parts};
use crate::simd::{Instructions, LANES, Lanes, Vectorised};

/// Whether weights are those of a point so far inside a mass of guides that a grain lands there.
fn is_inside((sum, largest): (f32, f32)) -> bool {
    coverage(sum, 0.0) > LANDED && guided_share(sum, largest, 0.0, 0.0) >= 1.0
}

/// Weighted mean of the velocities of the guides around a point that is inside [m/s].
fn mean_velocity(grid: &GuideGrid, x: Vec3) -> Vec3 {
    let inverse = 1.0 / (grid.support * grid.support);
    let (mut sum, mut velocity) = (0.0, Vec3::ZERO);
    for guide in grid.around(x) {
        let w = weight(x.distance_squared(guide.position.into()) * inverse);
        (sum, velocity) = (sum + w, velocity + w * Vec3::from(guide.velocity));
    }
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
    /// Parts of every wall that decide in every block; all where there is none.
    pub parts: &'a [Parts],
    /// What the processor has.
    pub instructions: Instructions,
}

/// Walls that a grain may meet: a bit each, and the block whose parts of them decide, if that is known.
#[derive(Clone, Copy)]
struct Near {
    bits: u32,
    block: Option<usize>,
    /// Whether one of them may be ahead on the grain's way.
    ahead: bool,
    /// The number of one that is known to be in the way, and the distance of its start from that [m].
    blocked: Option<(usize, f32)>,
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
        let (groups, rest) = self.grains.as_chunks_mut();
        let mut finite = true;
        for grains in groups {
            finite &= self.advection.advance::<L>(grains);
        }
        if !rest.is_empty() {
            // Others in their company do not matter to grains.
            let mut grains = [rest[0]; LANES];
            grains[..rest.len()].copy_from_slice(rest);
            finite &= self.advection.advance::<L>(&mut grains);
            rest.copy_from_slice(&grains[..rest.len()]);
        }
        finite
    }
}

/// What sixteen grains do in a frame.
struct Motions<L> {
    from: [L; 3],
    to: [L; 3],
    velocity: [L; 3],
    own: L,
}

impl Advection<'_> {
    /// Moves sixteen grains; tells whether all numbers are finite.
    #[inline(always)]
    fn advance<L: Lanes>(&self, grains: &mut [Grain; LANES]) -> bool {
        let [[x, y, z, id], [vx, vy, vz, material]] = columns_of::<L>(grains);
        let x = [x, y, z];
        let place = self.nodes.locate_all(&x);
        let mut said = self.nodes.said_at::<L>(&place);
        self.ask_at_surface(&x, &place, &mut said.share);
        let mut motion = self.motions(x, [vx, vy, vz], &said);
        self.spread(&mut motion, &said, &place);
        let mut walls = self.near_walls(&place, &motion);
        let moves = bits_where(|k| walls[k].bits & self.moving_walls != 0) | differ(&motion.from, &motion.to);
        let moves = moves | differ(&motion.velocity, &[L::splat(0.0); 3]);
        let alone = L::splat(0.0).below(motion.own);
        self.find_free_ways(&motion, moves, &mut walls);
        let meeting = moves & (alone | bits_where(|k| walls[k].ahead));
        if meeting != 0 {
            self.meet_all(grains, &mut motion, meeting, &walls);
        }
        if self.periodic {
            self.wrap(&mut motion.to);
        }
        let (to, v) = (motion.to, motion.velocity);
        write_columns([[to[0], to[1], to[2], id], [v[0], v[1], v[2], material]], grains);
        are_finite(&to) && are_finite(&v)
    }

    /// What walls and the surface of the mass of guides leave of the motions whose bits are set.
    #[inline(always)]
    fn meet_all<L: Lanes>(
        &self,
        grains: &[Grain; LANES],
        motion: &mut Motions<L>,
        meeting: u32,
        walls: &[Near; LANES],
    ) {
        let from = numbers(motion.from);
        let (mut to, mut velocity, own) =
            (numbers(motion.to), numbers(motion.velocity), motion.own.to_array());
        for k in lanes_of(meeting) {
            let mut one =
                Motion { from: at(&from, k), to: at(&to, k), velocity: at(&velocity, k), own: own[k] };
            self.meet_walls_and_land(&grains[k], &mut one, walls[k]);
            set(&mut to, k, one.to);
            set(&mut velocity, k, one.velocity);
        }
        (motion.to, motion.velocity) = (lanes(&to), lanes(&velocity));
    }

    /// Moves places beyond an end of a period to the other.
    #[inline(always)]
    fn wrap<L: Lanes>(&self, x: &mut [L; 3]) {
        let mut places = numbers(*x);
        for k in 0..LANES {
            let wrapped = self.settings.domain.wrap(at(&places, k));
            set(&mut places, k, wrapped);
        }
        *x = lanes(&places);
    }

    /// Asks the guides themselves where only some of the nodes around a grain are inside their mass: what has landed stays,
    /// and does not sink to where all nodes are inside; what has no guide near flies freely.
    #[inline(always)]
    fn ask_at_surface<L: Lanes>(&self, x: &[L; 3], place: &Places<L>, share: &mut L) {
        if self.settings.fault == Some(Fault::PublishedShare) {
            return;
        }
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let mut left = zero.below(*share) & share.below(one);
        while left != 0 {
            let block = place.block[left.trailing_zeros() as usize];
            let together = left & bits_where(|k| place.block[k] == block);
            left &= !together;
            let cell = self.nodes.inner_cell(block as usize);
            let (sum, largest) = self.frame.guides.weights_at_all(x, cell);
            let inside = L::splat(LANDED).below(coverage(sum, zero))
                & !guided_share(sum, largest, zero, zero).below(one)
                & together;
            *share = one.keep(inside) + share.keep(!inside & (!together | zero.below(sum)));
        }
    }

    /// The ways that guides and gravity lead grains.
    #[inline(always)]
    fn motions<L: Lanes>(&self, from: [L; 3], v: [L; 3], said: &SaidAll<L>) -> Motions<L> {
        let (dt, gravity) = (self.frame.dt, self.frame.gravity);
        let fallen = match self.settings.fault {
            Some(Fault::EulerFlight) => Vec3::ZERO,
            _ => gravity * (0.5 * dt * dt),
        };
        let own = L::splat(1.0) - said.share;
        let (mut to, mut velocity) = (from, from);
        for axis in 0..3 {
            let flown = v[axis] * L::splat(dt) + L::splat(fallen[axis]);
            to[axis] = from[axis] + said.share * said.way[axis] + own * flown;
            velocity[axis] =
                said.share * said.velocity[axis] + own * (v[axis] + L::splat(gravity[axis] * dt));
        }
        Motions { from, to, velocity, own }
    }

    /// Out of crowds, as far as guides move grains anyway.
    #[inline(always)]
    fn spread<L: Lanes>(&self, motion: &mut Motions<L>, said: &SaidAll<L>, place: &Places<L>) {
        let Some(mesh) = self.mesh else { return };
        let radius = self.settings.radius;
        let activity =
            (square(said.way).root() * L::splat(1.0 / (IN_MOTION * radius))).at_most(L::splat(1.0));
        let stirs = bits_where(|k| self.nodes.stirs.get(place.block[k] as usize).copied().unwrap_or(false));
        let part = (said.share * activity).keep(stirs);
        let wanted = L::splat(0.0).below(part);
        if wanted != 0 {
            let ways = mesh.ways(&motion.from, radius, wanted);
            for (to, way) in motion.to.iter_mut().zip(ways) {
                *to = *to + part * way;
            }
        }
    }

    /// Bits of the walls that motions may meet.
    #[inline(always)]
    fn near_walls<L: Lanes>(&self, place: &Places<L>, motion: &Motions<L>) -> [Near; LANES] {
        let mut near = [Near { bits: 0, block: None, ahead: false, blocked: None }; LANES];
        if self.settings.fault == Some(Fault::NoContact) {
            return near;
        }
        let radius = self.settings.radius;
        let least = self.reach - 2.0 * radius;
        let way = square(difference(motion.to, motion.from)).root();
        let far = L::splat(least).below(way);
        let nodes = self.nodes;
        let wall_bits = |block: u32| nodes.walls.get(block as usize).copied().unwrap_or(u32::MAX);
        let mut bits = [wall_bits(place.block[0]); LANES];
        if place.block != [place.block[0]; LANES] {
            for (bits, &block) in bits.iter_mut().zip(&place.block) {
                *bits = wall_bits(block);
            }
        }
        if far == 0 && bits == [0; LANES] {
            return near;
        }
        let mut room = [f32::NEG_INFINITY; LANES];
        let mut middle = [[0.0; LANES]; 3];
        for (k, room) in room.iter_mut().enumerate() {
            let block = place.block[k] as usize;
            if block < nodes.walls.len() {
                *room = nodes.room[block];
                set(&mut middle, k, nodes.center[block].into());
            }
        }
        // From the middle of the block to the grain and on to where it goes, or from the nearest node.
        let off = square(difference(motion.from, lanes(&middle))).root();
        let room = L::from_array(&room) - L::splat(MOST_SLOPE) * off;
        let room = room.at_least(self.nodes.room_at(place, self.reach));
        let clear = (way + L::splat(TOUCHING * radius)).below(room);
        let is_set = |mask: u32, k: usize| mask >> k & 1 == 1;
        let sticky = self.settings.fault == Some(Fault::StickyWalls);
        for k in 0..LANES {
            let (bits, block) = match is_set(far, k) {
                true => (u32::MAX, None),
                false => (bits[k], Some(place.block[k] as usize)),
            };
            // What is known of the room is true of walls that do not move.
            let free = is_set(clear, k) && bits & self.moving_walls == 0 && !sticky;
            let bits = if free { 0 } else { bits };
            near[k] = Near { bits, block, ahead: bits != 0, blocked: None };
        }
        near
    }

    /// Finds ways of moving grains that no wall is ahead on.
    #[inline(always)]
    fn find_free_ways<L: Lanes>(&self, motion: &Motions<L>, moves: u32, near: &mut [Near; LANES]) {
        if self.settings.fault == Some(Fault::StickyWalls) {
            return;
        }
        let mut free = moves & bits_where(|k| near[k].ahead);
        for (wall_number, wall) in self.frame.walls.iter().enumerate() {
            if free == 0 {
                return;
            }
            let asked = free & bits_where(|k| near[k].bits >> wall_number.min(31) & 1 == 1);
            let parts = |parts: Parts, k: usize| parts.with(self.parts(near[k], wall_number));
            let parts = lanes_of(asked).fold(Parts::NONE, parts);
            let radius = self.settings.radius;
            let found = wall.free_ways(&motion.from, &motion.to, radius, asked, parts, self.instructions);
            free &= !asked | found.free;
            for k in lanes_of(found.blocked) {
                near[k].blocked = Some((wall_number, found.distance[k]));
            }
        }
        for k in lanes_of(free) {
            near[k].ahead = false;
        }
    }

    /// What walls and the surface of the mass of guides leave of a motion.
    fn meet_walls_and_land(&self, grain: &Grain, motion: &mut Motion, walls: Near) {
        if self.settings.fault == Some(Fault::StickyWalls) {
            self.stick(motion);
        }
        if walls.ahead {
            self.restrict(grain, motion, walls);
        }
        if motion.own > 0.0 && self.land(motion) {
            // It is not where it was to be: any wall may be there.
            self.restrict(grain, motion, Near { bits: u32::MAX, block: None, ahead: true, blocked: None });
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

    fn restrict(&self, grain: &Grain, motion: &mut Motion, near: Near) {
        if near.bits == 0 || self.settings.fault == Some(Fault::NoContact) {
            return;
        }
        let friction = self.settings.friction.get(grain.material as usize).copied().unwrap_or(0.0);
        let contact = Contact { radius: self.settings.radius, friction, dt: self.frame.dt };
        let walls = self.frame.walls.iter().enumerate();
        let walls = walls.filter(|(k, _)| near.bits >> (*k as u32).min(31) & 1 == 1);
        // Once more where one of several walls has moved the grain: it may be in another then.
        for round in 0..2 {
            let (mut count, mut touched) = (0, false);
            for (k, wall) in walls.clone() {
                // What is known is so until another wall has changed the way.
                let known = near.blocked.filter(|(wall, _)| *wall == k && round == 0 && !touched);
                let distance = known.map(|(_, distance)| distance);
                touched |= wall.restrict(motion, &contact, self.parts(near, k), distance);
                count += 1;
            }
            if count < 2 || !touched {
                return;
            }
        }
    }

    /// The parts of a wall that decide where a grain may go.
    #[inline]
    fn parts(&self, near: Near, wall: usize) -> Parts {
        let walls = self.frame.walls.len();
        near.block.and_then(|block| self.parts.get(block * walls + wall)).copied().unwrap_or(Parts::ALL)
    }

    /// Stops a grain that has flown into a mass of guides at its surface: it goes back the way that it came, as seen from
    /// the guides, and takes their velocity. Tells whether it did.
    fn land(&self, motion: &mut Motion) -> bool {
        if self.settings.fault == Some(Fault::PublishedShare)
            || !is_inside(self.frame.after.weights_at(motion.to, self.instructions))
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
            if !is_inside(self.frame.after.weights_at(before, self.instructions)) {
                break;
            }
            place = before;
        }
        motion.to = place;
        motion.velocity = velocity;
        true
    }
}
