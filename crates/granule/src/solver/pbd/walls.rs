//! Contacts of grains with walls and bodies: which there are, and what they remember.
//!
//! Walls that may touch are listed as long as pairs are; in every step the exact distances of the listed ones are asked for.
//! A contact goes on with the memory of one that it had with the same face, edge or vertex, or else of one with nearly the same
//! normal: it slides over seams of meshes without a jump. Led walls have gone where they will be at the step's end; free bodies
//! are where they were at its beginning.

use glam::{Vec3, Vec4};

use crate::bodies::BodyMotion;
use crate::boundary::{Boundaries, Boundary, ExactSurface};
use crate::contacts::{ContactMemory, Partner, SavedAtWalls};
use crate::position::ExactPosition;
use crate::team::{self, BLOCK, block_count, block_range};

use super::contact::{REACH, TOUCH};
use super::laws::{Law, LawTable};
use super::state::REMEMBERED;

/// Numbers that a contact with a wall remembers: those of a pair, the wall's normal, and the feature of a mesh.
pub const AT_WALL: usize = 12;

/// Cosine of the largest angle by which a wall's normal turns from step to step. A choice: 45 degrees, so that two sides of
/// a right edge are never taken for each other.
const SAME_WALL: f32 = 0.7;

/// Numbers of features that single precision holds.
const FEATURE_BITS: u32 = (1 << 24) - 1;

/// A grain at a wall.
#[derive(Clone, Copy, Debug)]
pub struct WallTouch {
    /// The grain's place in its block.
    pub grain: u16,
    /// The wall.
    pub partner: Partner,
    /// Number of the rigid body, or [`NO_BODY`](crate::boundary::NO_BODY).
    pub body: u32,
    /// Constants of the contact.
    pub law: Law,
    /// Unit normal out of the wall.
    pub normal: Vec3,
    /// Which face, edge or vertex of a mesh it is, in 24 bits.
    pub feature: u32,
    /// From the grain's centre to where it touches, against the normal \[m\].
    pub arm: f32,
    /// Where the grain touches the wall, or would \[m\].
    pub point: Vec3,
    /// Gap at the beginning of the step \[m\].
    pub gap: f32,
    /// Velocity of the wall there [m/s].
    pub velocity: Vec3,
    /// Angular velocity of the wall [rad/s].
    pub turning: Vec3,
    /// Velocity along the normal at the beginning of the step [m/s].
    pub approach: f32,
    /// What a body that gives way adds to the inverse masses along the normal and across it, and to the inverse inertia.
    pub gives: [f32; 3],
    /// Impulse of a bounce [N s], which is not remembered.
    pub bounced: f32,
    /// What the contact remembers, as pairs do: impulses, and whether a pull connects it.
    pub memory: [f32; REMEMBERED],
}

impl WallTouch {
    /// A contact that has bounced forgets its impulses.
    fn remembered(&self, per_time: f32) -> [f32; AT_WALL] {
        let [x, y, z] = self.normal.to_array();
        let known = [x, y, z, self.feature as f32];
        let keeps = if self.bounced > 0.0 { 0.0 } else { per_time };
        std::array::from_fn(|k| if k < REMEMBERED { self.memory[k] * keeps } else { known[k - REMEMBERED] })
    }
}

/// A contact of the step before.
#[derive(Clone, Copy, Debug)]
struct Known {
    grain: u16,
    partner: Partner,
    /// Forces, normal and feature.
    state: [f32; AT_WALL],
}

/// Walls near the grains of one block.
#[derive(Clone, Debug, Default)]
pub struct WallBlock {
    /// Grains, by their places in the block, and boundaries that may touch.
    near: Vec<(u16, u16)>,
    /// Contacts of now, in the order of grains.
    pub touch: Vec<WallTouch>,
    /// Contacts of the step before, in the order of grains.
    known: Vec<Known>,
}

/// Walls near grains.
#[derive(Clone, Debug, Default)]
pub struct Walls {
    /// Per block.
    pub blocks: Vec<WallBlock>,
    /// What contacts remember while particles are sorted.
    memory: ContactMemory<[f32; AT_WALL]>,
}

/// What contacts with walls depend on.
#[derive(Clone, Copy)]
pub struct WallInput<'a> {
    /// Laws of materials and walls.
    pub laws: &'a LawTable,
    /// The walls.
    pub boundaries: &'a Boundaries,
    /// Motions of bodies.
    pub bodies: &'a [BodyMotion],
    /// Rounded positions and radii \[m\].
    pub position: &'a [Vec4],
    /// Exact positions.
    pub place: &'a [ExactPosition],
    /// Velocities [m/s] and masses \[kg\].
    pub velocity: &'a [Vec4],
    /// Angular velocities [rad/s] and inverse masses [1/kg].
    pub spin: &'a [Vec4],
    /// Materials.
    pub material: &'a [u16],
    /// Length of the step \[s\].
    pub dt: f32,
}

impl Walls {
    /// Puts what contacts remember aside, so that it can follow particles to other places; impulses of steps of `dt` \[s\] as
    /// forces.
    pub fn remember(&mut self, count: usize, dt: f32) {
        let blocks = &self.blocks;
        self.memory.record(count, |i, contacts| {
            remembered(blocks, i, dt).for_each(|(partner, state)| contacts.push(partner, state));
        });
    }

    /// Takes over what was remembered, for particles in a new order, and lists the walls that are near. `grain` are positions and
    /// how far grains are listed \[m\]; `reach` says how far such a grain may be from a wall \[m\], if it meets it as one.
    pub fn rebuild(
        &mut self,
        sources: &[u32],
        boundaries: &Boundaries,
        grain: &[Vec4],
        reach: impl Fn(Vec4, &Boundary) -> Option<f32> + Sync,
    ) {
        self.memory.permute(sources);
        let count = grain.len();
        self.take_back(count);
        team::for_each_mut(&mut self.blocks, 1, |b, block| {
            for (k, i) in block_range(b, count).enumerate() {
                for (w, wall) in boundaries.iter().enumerate() {
                    let reach = reach(grain[i], wall);
                    if reach.is_some_and(|reach| wall.may_be_within(grain[i].truncate(), reach)) {
                        block.near.push((k as u16, w as u16));
                    }
                }
            }
        });
    }

    /// Contacts as they were remembered, of so many particles in the same order, and no wall near.
    fn take_back(&mut self, count: usize) {
        let memory = &self.memory;
        self.blocks.resize_with(block_count(count), WallBlock::default);
        team::for_each_mut(&mut self.blocks, 4, |b, block| {
            block.touch.clear();
            block.near.clear();
            block.known.clear();
            for (k, i) in block_range(b, count).enumerate() {
                let (partners, states) = memory.of(i);
                let known = partners.iter().zip(states);
                block.known.extend(known.map(|(partner, state)| Known {
                    grain: k as u16,
                    partner: *partner,
                    state: *state,
                }));
            }
        });
    }

    /// Finds the contacts of a step; impulses of the step before were of a step of `before` \[s\].
    pub fn find(&mut self, input: &WallInput, before: f32) {
        team::for_each_mut(&mut self.blocks, 1, |b, block| block.find(b, input, before));
    }

    /// Forgets the particles for which `keep` does not hold; impulses were of steps of `dt` \[s\].
    pub fn retain(&mut self, keep: &[bool], id: &[u32], dt: f32) {
        self.remember(keep.len(), dt);
        self.memory.retain(keep, id);
        self.take_back(keep.iter().filter(|keep| **keep).count());
    }

    /// What the contacts of a particle remember; impulses are of steps of `dt` \[s\].
    pub fn of(&self, i: usize, dt: f32) -> impl Iterator<Item = (Partner, [f32; AT_WALL])> + '_ {
        remembered(&self.blocks, i, dt)
    }

    /// Lets all contacts of the step forget their impulses.
    pub fn forget(&mut self) {
        let touches = self.blocks.iter_mut().flat_map(|block| &mut block.touch);
        touches.for_each(|touch| touch.memory = [0.0; REMEMBERED]);
    }

    /// Takes over contacts of a checkpoint.
    pub fn restore(&mut self, saved: &SavedAtWalls<AT_WALL>) {
        self.memory.record(saved.count(), |i, contacts| {
            saved.of(i).for_each(|(partner, state)| contacts.push(partner, state));
        });
        self.take_back(saved.count());
    }

    /// All contacts of the last step, with the places of their grains.
    pub fn touching(&self) -> impl Iterator<Item = (usize, &WallTouch)> {
        self.blocks.iter().enumerate().flat_map(|(b, block)| {
            block.touch.iter().map(move |touch| (b * BLOCK + usize::from(touch.grain), touch))
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let of_block = |block: &WallBlock| {
            4 * block.near.capacity()
                + size_of::<WallTouch>() * block.touch.capacity()
                + size_of::<Known>() * block.known.capacity()
        };
        self.blocks.iter().map(of_block).sum::<usize>() + self.memory.bytes()
    }
}

/// What the contacts of a particle remember: those of the last step, or else those that are known from before.
fn remembered(
    blocks: &[WallBlock],
    i: usize,
    dt: f32,
) -> impl Iterator<Item = (Partner, [f32; AT_WALL])> + '_ {
    let (grain, per_time) = ((i % BLOCK) as u16, 1.0 / dt);
    let (touch, known) = match blocks.get(i / BLOCK) {
        Some(block) => (&block.touch[..], &block.known[..]),
        None => (&[][..], &[][..]),
    };
    let first = touch.partition_point(|touch| touch.grain < grain);
    let touch = touch[first..].iter().take_while(move |touch| touch.grain == grain);
    let first = known.partition_point(|known| known.grain < grain);
    let known = known[first..].iter().take_while(move |known| known.grain == grain);
    let touch = touch.map(move |touch| (touch.partner, touch.remembered(per_time)));
    touch.chain(known.map(|known| (known.partner, known.state)))
}

impl WallBlock {
    /// Finds the contacts of the step.
    fn find(&mut self, b: usize, input: &WallInput, before: f32) {
        let Self { near, touch, known } = self;
        known.extend(touch.drain(..).map(|touch| Known {
            grain: touch.grain,
            partner: touch.partner,
            state: touch.remembered(1.0 / before),
        }));
        let (mut own, mut taken, mut last) = (0..0, 0, None);
        for &(grain, boundary) in near.iter() {
            // Contacts are in the order of grains.
            while known.get(own.end).is_some_and(|known| known.grain <= grain) {
                own.end += 1;
            }
            while own.start < own.end && known[own.start].grain < grain {
                own.start += 1;
            }
            if last != Some(grain) {
                (last, taken) = (Some(grain), 0);
            }
            let i = b * BLOCK + usize::from(grain);
            if input.spin[i].w > 0.0 {
                let before = Before { known: &known[own.clone()], taken: &mut taken };
                find_at_wall(input, i, grain, boundary, before, touch);
            }
        }
        // What goes on is in the contacts now.
        known.clear();
    }
}

/// Contacts that a grain had, each of which only one of now goes on with.
struct Before<'a> {
    known: &'a [Known],
    /// A bit for each that goes on.
    taken: &'a mut u64,
}

impl Before<'_> {
    /// The forces of the contact that one of now goes on with: of the same wall and feature, or else with a normal that has hardly
    /// turned, and not taken yet.
    fn take(&mut self, partner: Partner, normal: Vec3, feature: u32) -> Option<[f32; REMEMBERED]> {
        let free = |k: usize| *self.taken >> k.min(63) & 1 == 0;
        let known = self.known.iter().enumerate().filter(|(k, known)| known.partner == partner && free(*k));
        let turned = known.map(|(k, known)| {
            let same = known.state[REMEMBERED + 3] == feature as f32;
            (k, known, Vec3::from_slice(&known.state[REMEMBERED..]).dot(normal), same)
        });
        let near = turned.filter(|(_, _, turn, _)| *turn > SAME_WALL);
        let (k, known, ..) =
            near.max_by(|(_, _, a, same_a), (_, _, b, same_b)| same_a.cmp(same_b).then(a.total_cmp(b)))?;
        *self.taken |= 1 << k.min(63);
        Some(std::array::from_fn(|k| known.state[k]))
    }
}

/// Finds the contacts of a grain with a boundary.
fn find_at_wall(
    input: &WallInput,
    i: usize,
    grain: u16,
    boundary: u16,
    mut before: Before,
    out: &mut Vec<WallTouch>,
) {
    let Some(wall) = input.boundaries.iter().nth(usize::from(boundary)) else { return };
    let (x, radius) = (input.position[i].truncate(), input.position[i].w);
    let v = input.velocity[i].truncate();
    let fastest = (v - wall.velocity_at(x)).length() + radius * wall.angular_velocity().length();
    let reach =
        radius + (2.0 * radius * REACH).max(input.dt * fastest) + 1e-6 * (x.abs().max_element() + radius);
    let law = *input.laws.of_wall(boundary, input.material[i]);
    wall.near(x, input.place[i].to_meters(), reach, &mut |surface, exact| {
        let mut touch = touch_at(input, i, grain, wall, boundary, surface.face, &exact, law);
        touch.feature = exact.feature & FEATURE_BITS;
        let old = before.take(touch.partner, touch.normal, touch.feature);
        if goes_on(&mut touch, old.unwrap_or_default(), input.dt, radius) {
            out.push(touch);
        }
    });
}

/// A wall as a grain meets it, without any memory.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn touch_at(
    input: &WallInput,
    i: usize,
    grain: u16,
    wall: &Boundary,
    boundary: u16,
    face: u16,
    exact: &ExactSurface,
    law: Law,
) -> WallTouch {
    let (x, radius, normal) = (input.position[i].truncate(), input.position[i].w, exact.normal.as_vec3());
    let distance = exact.distance as f32;
    let arm = distance.clamp(0.0, radius);
    let point = x - arm * normal;
    let free = input.bodies.get(wall.body() as usize).filter(|body| body.inverse_mass > 0.0);
    let velocity = free.map_or_else(|| wall.velocity_at(point), |body| body.velocity_at(point));
    let turning = free.map_or_else(|| wall.angular_velocity(), |body| body.angular);
    // A led wall is where it will be: the gap was larger by its way.
    let ahead = if free.is_some() { 0.0 } else { input.dt * velocity.dot(normal) };
    WallTouch {
        grain,
        partner: Partner::wall(boundary, face),
        body: wall.body(),
        law,
        normal,
        feature: 0,
        arm,
        point,
        gap: distance - radius + ahead,
        velocity,
        turning,
        approach: (input.velocity[i].truncate() - velocity).dot(normal),
        gives: [0.0; 3],
        bounced: 0.0,
        memory: [0.0; REMEMBERED],
    }
}

/// Gives a contact the forces that it goes on with, and says whether it does: where it touches, will within the step, or a pull
/// connects it.
#[inline(always)]
fn goes_on(touch: &mut WallTouch, forces: [f32; REMEMBERED], dt: f32, radius: f32) -> bool {
    let touches = touch.gap < TOUCH * 2.0 * radius;
    let connected =
        touch.law.tension > 0.0 && (touches || (forces[7] > 0.0 && touch.gap < REACH * 2.0 * radius));
    if !touches && !connected && touch.gap + dt * touch.approach >= 0.0 {
        return false;
    }
    touch.memory = forces.map(|force| force * dt);
    let tangent = Vec3::from_slice(&touch.memory[1..]);
    let tangent = tangent - tangent.dot(touch.normal) * touch.normal;
    touch.memory[1..4].copy_from_slice(&tangent.to_array());
    touch.memory[7] = f32::from(u8::from(connected));
    true
}
