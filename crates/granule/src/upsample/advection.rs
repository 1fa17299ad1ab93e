//! Advection of fine grains through a frame: by their guides, in flight, against walls, and to the surface they land on.

use glam::Vec3;

use super::advector::{AdvectionSettings, Fault, FrameInput};
use super::contact::{Contact, Motion};
use super::fine_grid::FineGrid;
use super::grain::Grain;
use super::grain_lanes::{
    are_finite, at, bits_where, columns_of, differ, difference, lanes, lanes_of, numbers, set, square,
    write_columns,
};
use super::guide_grid::GuideGrid;
use super::nodes::{GuideMotion, NodeLocation, Nodes};
use super::shifting::IN_MOTION;
use super::weights::{coverage, guided_share};
use crate::boundary::{MOST_SLOPE, Parts};
use crate::simd::{Instructions, LANES, Lanes, Vectorised};

/// Whether weights are those of a point so far inside a mass of guides that a grain lands there.
fn is_inside((sum, largest): (f32, f32)) -> bool {
    coverage(sum, 0.0) > LANDED && guided_share(sum, largest, 0.0, 0.0) >= 1.0
}

/// Weighted mean of the velocities of the guides around a point that is inside [m/s].
fn mean_velocity(grid: &GuideGrid, x: Vec3) -> Vec3 {
    let (mut sum, mut velocity) = (0.0, Vec3::ZERO);
    for guide in grid.around(x) {
        let w = grid.weight_of(guide, x);
        (sum, velocity) = (sum + w, velocity + w * Vec3::from(guide.velocity));
    }
    velocity / sum
}

/// What the advection of a frame reads.
pub struct Advection<'a> {
    /// What does not change.
    pub settings: &'a AdvectionSettings,
    /// The frame.
    pub frame: &'a FrameInput<'a>,
    /// Interpolated motion of the guides.
    pub nodes: &'a Nodes,
    /// Concentration of the grains on the fine grid; none where nothing is shifted.
    pub fine_grid: Option<&'a FineGrid>,
    /// How far walls may be from grains that meet them \[m\].
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
struct NearWalls {
    bits: u32,
    block: Option<usize>,
    /// Whether one of them may be on the grain's path.
    ahead: bool,
    /// The number of one that is known to block the path, and the distance of the path's start from it \[m\].
    blocked: Option<(usize, f32)>,
}

/// Coverage from which on flying grains land, and grains at the surface are held. A choice between the 0.5 of a flat surface
/// of a lattice, above which looser surfaces would let grains through, and the 0.35 from which on guides alone move grains
/// ([`COVERAGE_RAMP`](super::weights::COVERAGE_RAMP)), below which what has landed would not stay. Before grains were held
/// there the topmost ones sank and crept.
pub const LANDED: f32 = 0.42;

/// Distance from a wall above which a grain does not touch it, in radii. A choice for speed alone: more walls are looked at
/// than are touched.
const TOUCHING: f32 = 1.1;

/// Step of a landing grain back to the surface, in radii of a guide: half the spacing of the nodes. A choice; grains land by
/// whole steps, so it is also how far apart their landing depths are.
pub const LANDING_STEP: f32 = 0.5;
/// Most such steps: twelve radii of a guide. A choice; what came deeper stays there.
pub const LANDING_STEPS: f32 = 24.0;

/// Advects the grains of one thread, compiled for every set of instructions.
pub struct AdvectGrains<'a> {
    /// How.
    pub advection: &'a Advection<'a>,
    /// Which.
    pub grains: &'a mut [Grain],
}

impl Vectorised for AdvectGrains<'_> {
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
    /// Share of the motion that is the grain's own flight.
    flight_share: L,
}

impl Advection<'_> {
    /// Moves sixteen grains; tells whether all numbers are finite.
    #[inline(always)]
    fn advance<L: Lanes>(&self, grains: &mut [Grain; LANES]) -> bool {
        let [[x, y, z, id], [vx, vy, vz, material]] = columns_of::<L>(grains);
        let x = [x, y, z];
        let location = self.nodes.locate_all(&x);
        let mut guided = self.nodes.guide_motion_at::<L>(&location);
        self.share_at_surface(&x, &location, &mut guided.share);
        let mut motion = self.motions(x, [vx, vy, vz], &guided);
        self.shift(&mut motion, &guided, &location);
        let mut walls = self.near_walls(&location, &motion);
        let moves = bits_where(|k| walls[k].bits & self.moving_walls != 0) | differ(&motion.from, &motion.to);
        let moves = moves | differ(&motion.velocity, &[L::splat(0.0); 3]);
        let alone = L::splat(0.0).below(motion.flight_share);
        self.find_free_paths(&motion, moves, &mut walls);
        let colliding = moves & (alone | bits_where(|k| walls[k].ahead));
        if colliding != 0 {
            self.collide_all(grains, &mut motion, colliding, &walls);
        }
        if self.periodic {
            self.wrap(&mut motion.to);
        }
        let (to, v) = (motion.to, motion.velocity);
        write_columns([[to[0], to[1], to[2], id], [v[0], v[1], v[2], material]], grains);
        are_finite(&to) && are_finite(&v)
    }

    /// Collides the motions whose bits are set with walls, and lands them on the surface of the mass of guides.
    #[inline(always)]
    fn collide_all<L: Lanes>(
        &self,
        grains: &[Grain; LANES],
        motion: &mut Motions<L>,
        colliding: u32,
        walls: &[NearWalls; LANES],
    ) {
        let from = numbers(motion.from);
        let (mut to, mut velocity, flight_share) =
            (numbers(motion.to), numbers(motion.velocity), motion.flight_share.to_array());
        for k in lanes_of(colliding) {
            let mut one = Motion {
                from: at(&from, k),
                to: at(&to, k),
                velocity: at(&velocity, k),
                flight_share: flight_share[k],
            };
            self.collide_and_land(&grains[k], &mut one, walls[k]);
            set(&mut to, k, one.to);
            set(&mut velocity, k, one.velocity);
        }
        (motion.to, motion.velocity) = (lanes(&to), lanes(&velocity));
    }

    /// Wraps positions into the periodic domain.
    #[inline(always)]
    fn wrap<L: Lanes>(&self, x: &mut [L; 3]) {
        let mut positions = numbers(*x);
        for k in 0..LANES {
            let wrapped = self.settings.domain.wrap(at(&positions, k));
            set(&mut positions, k, wrapped);
        }
        *x = lanes(&positions);
    }

    /// The guides' share from the guides themselves where only some of the nodes around a grain are inside their mass: what
    /// has landed stays, and does not sink to where all nodes are inside; what has no guide near flies freely.
    #[inline(always)]
    fn share_at_surface<L: Lanes>(&self, x: &[L; 3], location: &NodeLocation<L>, share: &mut L) {
        if self.settings.fault == Some(Fault::PublishedShare) {
            return;
        }
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let mut left = zero.below(*share) & share.below(one);
        while left != 0 {
            let block = location.block[left.trailing_zeros() as usize];
            let together = left & bits_where(|k| location.block[k] == block);
            left &= !together;
            let cell = self.nodes.inner_cell(block as usize);
            let (sum, largest) = self.frame.guides.weights_at_all(x, cell);
            let inside = L::splat(LANDED).below(coverage(sum, zero))
                & !guided_share(sum, largest, zero, zero).below(one)
                & together;
            *share = one.keep(inside) + share.keep(!inside & (!together | zero.below(sum)));
        }
    }

    /// Displacements by guides and by flight under gravity, blended by the guides' share.
    #[inline(always)]
    fn motions<L: Lanes>(&self, from: [L; 3], v: [L; 3], guided: &GuideMotion<L>) -> Motions<L> {
        let (dt, gravity) = (self.frame.dt, self.frame.gravity);
        let fallen = match self.settings.fault {
            Some(Fault::EulerFlight) => Vec3::ZERO,
            _ => gravity * (0.5 * dt * dt),
        };
        let flight_share = L::splat(1.0) - guided.share;
        let (mut to, mut velocity) = (from, from);
        for axis in 0..3 {
            let flown = v[axis] * L::splat(dt) + L::splat(fallen[axis]);
            to[axis] = from[axis] + guided.share * guided.displacement[axis] + flight_share * flown;
            velocity[axis] = guided.share * guided.velocity[axis]
                + flight_share * (v[axis] + L::splat(gravity[axis] * dt));
        }
        Motions { from, to, velocity, flight_share }
    }

    /// Shifts grains down the gradient of their concentration, as far as guides move them anyway.
    #[inline(always)]
    fn shift<L: Lanes>(&self, motion: &mut Motions<L>, guided: &GuideMotion<L>, location: &NodeLocation<L>) {
        let Some(fine_grid) = self.fine_grid else { return };
        let radius = self.settings.radius;
        let activity = (square(guided.displacement).root() * L::splat(1.0 / (IN_MOTION * radius)))
            .at_most(L::splat(1.0));
        let active =
            bits_where(|k| self.nodes.active.get(location.block[k] as usize).copied().unwrap_or(false));
        let part = (guided.share * activity).keep(active);
        let wanted = L::splat(0.0).below(part);
        if wanted != 0 {
            let shifts = fine_grid.shifts(&motion.from, radius, wanted);
            for (to, shift) in motion.to.iter_mut().zip(shifts) {
                *to = *to + part * shift;
            }
        }
    }

    /// The walls that motions may meet.
    #[inline(always)]
    fn near_walls<L: Lanes>(&self, location: &NodeLocation<L>, motion: &Motions<L>) -> [NearWalls; LANES] {
        let mut near = [NearWalls { bits: 0, block: None, ahead: false, blocked: None }; LANES];
        if self.settings.fault == Some(Fault::NoContact) {
            return near;
        }
        // What is clear for the largest is for all.
        let radius = self.settings.radii.largest();
        let least = self.reach - 2.0 * radius;
        let length = square(difference(motion.to, motion.from)).root();
        let far = L::splat(least).below(length);
        let bits = self.wall_bits(&location.block);
        if far == 0 && bits == [0; LANES] {
            return near;
        }
        let clear = (length + L::splat(TOUCHING * radius)).below(self.clearance(location, motion.from));
        let is_set = |mask: u32, k: usize| mask >> k & 1 == 1;
        let sticky = self.settings.fault == Some(Fault::StickyWalls);
        for k in 0..LANES {
            let (bits, block) = match is_set(far, k) {
                true => (u32::MAX, None),
                false => (bits[k], Some(location.block[k] as usize)),
            };
            // The clearance is known for walls that do not move.
            let free = is_set(clear, k) && bits & self.moving_walls == 0 && !sticky;
            let bits = if free { 0 } else { bits };
            near[k] = NearWalls { bits, block, ahead: bits != 0, blocked: None };
        }
        near
    }

    /// Bits of the walls near sixteen blocks: grains side by side are mostly in the same one. All outside of blocks.
    #[inline(always)]
    fn wall_bits(&self, block: &[u32; LANES]) -> [u32; LANES] {
        let of_block = |block: u32| self.nodes.walls.get(block as usize).copied().unwrap_or(u32::MAX);
        let mut bits = [of_block(block[0]); LANES];
        if *block != [block[0]; LANES] {
            for (bits, &block) in bits.iter_mut().zip(block) {
                *bits = of_block(block);
            }
        }
        bits
    }

    /// Lower bounds of the distances of sixteen grains from the walls at the frame's start [m]: from the middle of the block
    /// or from the nearest node, whichever tells more.
    #[inline(always)]
    fn clearance<L: Lanes>(&self, location: &NodeLocation<L>, from: [L; 3]) -> L {
        let nodes = self.nodes;
        let mut clearance = [f32::NEG_INFINITY; LANES];
        let mut middle = [[0.0; LANES]; 3];
        for (k, clearance) in clearance.iter_mut().enumerate() {
            let block = location.block[k] as usize;
            if block < nodes.walls.len() {
                *clearance = nodes.center_clearance[block];
                set(&mut middle, k, nodes.center[block].into());
            }
        }
        let off = square(difference(from, lanes(&middle))).root();
        let clearance = L::from_array(&clearance) - L::splat(MOST_SLOPE) * off;
        clearance.at_least(nodes.wall_clearance_at(location, self.reach))
    }

    /// Finds the paths of moving grains that no wall is on.
    #[inline(always)]
    fn find_free_paths<L: Lanes>(&self, motion: &Motions<L>, moves: u32, near: &mut [NearWalls; LANES]) {
        if self.settings.fault == Some(Fault::StickyWalls) {
            return;
        }
        let mut free = moves & bits_where(|k| near[k].ahead);
        for (wall_number, wall) in self.frame.walls.iter().enumerate() {
            if free == 0 {
                return;
            }
            let queried = free & bits_where(|k| near[k].bits >> wall_number.min(31) & 1 == 1);
            let parts = |parts: Parts, k: usize| parts.with(self.parts(near[k], wall_number));
            let parts = lanes_of(queried).fold(Parts::NONE, parts);
            let radius = self.settings.radii.largest();
            let found = wall.free_paths(&motion.from, &motion.to, radius, queried, parts, self.instructions);
            free &= !queried | found.free;
            for k in lanes_of(found.blocked) {
                near[k].blocked = Some((wall_number, found.distance[k]));
            }
        }
        for k in lanes_of(free) {
            near[k].ahead = false;
        }
    }

    /// Collides a motion with walls, and lands it on the surface of the mass of guides.
    fn collide_and_land(&self, grain: &Grain, motion: &mut Motion, walls: NearWalls) {
        if self.settings.fault == Some(Fault::StickyWalls) {
            self.stick(motion);
        }
        if walls.ahead {
            self.restrict(grain, motion, walls);
        }
        if motion.flight_share > 0.0 && self.land(motion) {
            // It is not where it was to be: any wall may be there.
            self.restrict(
                grain,
                motion,
                NearWalls { bits: u32::MAX, block: None, ahead: true, blocked: None },
            );
        }
    }

    /// The published fault: walls count as guides wherever a grain is near.
    fn stick(&self, motion: &mut Motion) {
        for wall in self.frame.walls {
            let location = wall.start.body_from_world(motion.from);
            if wall.sdf.distance(location) < 2.0 * self.settings.radius {
                let carried = wall.end.world_from_body(location);
                motion.velocity = (carried - motion.from) / self.frame.dt;
                motion.to = carried;
            }
        }
    }

    fn restrict(&self, grain: &Grain, motion: &mut Motion, near: NearWalls) {
        if near.bits == 0 || self.settings.fault == Some(Fault::NoContact) {
            return;
        }
        let friction = self.settings.friction.get(grain.material as usize).copied().unwrap_or(0.0);
        let contact = Contact { radius: self.settings.radii.of(grain.id), friction, dt: self.frame.dt };
        let walls = self.frame.walls.iter().enumerate();
        let walls = walls.filter(|(k, _)| near.bits >> (*k as u32).min(31) & 1 == 1);
        // Once more where one of several walls has moved the grain: it may be in another then.
        for round in 0..2 {
            let (mut count, mut touched) = (0, false);
            for (k, wall) in walls.clone() {
                // The known distance holds until another wall has changed the path.
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
    fn parts(&self, near: NearWalls, wall: usize) -> Parts {
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
        let displacement = (motion.velocity - velocity) * self.frame.dt;
        let longest = displacement.length().min(motion.from.distance(motion.to));
        let step = LANDING_STEP * self.settings.guide_radius;
        let steps = (longest / step).ceil().min(LANDING_STEPS);
        let back = -displacement.normalize_or_zero() * step;
        let mut location = motion.to;
        for k in 1..=steps as u32 {
            let before = motion.to + k as f32 * back;
            if !is_inside(self.frame.after.weights_at(before, self.instructions)) {
                break;
            }
            location = before;
        }
        motion.to = location;
        motion.velocity = velocity;
        true
    }
}
