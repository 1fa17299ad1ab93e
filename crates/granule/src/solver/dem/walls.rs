//! Contacts of grains with walls and bodies.

use glam::{DVec3, Vec3, Vec4};

use super::contact::{History, Motion, contact_loads, contact_sphere_wall};
use super::laws::LawTable;
use crate::bodies::Wrench;
use crate::boundary::{Boundaries, ExactSurface, NO_BODY};
use crate::contacts::{Carried, ContactMemory, Partner, SavedAtWalls};
use crate::position::ExactPosition;
use crate::team::{self, BLOCK, block_count, block_range};

/// Numbers that a contact with a wall remembers: those of the law, the wall's normal, and the feature of a mesh.
pub const REMEMBERED: usize = 12;

/// Cosine of the largest angle by which a wall's normal turns from step to step. A choice: 45 degrees, so that two sides of
/// a right edge are never taken for each other.
const SAME_WALL: f32 = 0.7;

/// Numbers of features that single precision holds.
const FEATURE_BITS: u32 = (1 << 24) - 1;

/// A grain that touches a wall.
#[derive(Clone, Copy, Debug)]
pub struct WallTouch {
    /// The grain's place in its block.
    pub grain: u16,
    /// The wall.
    pub partner: Partner,
    /// Number of the rigid body, or [`NO_BODY`].
    pub body: u32,
    /// Unit normal out of the wall.
    pub normal: Vec3,
    /// Nearest point of the wall \[m\].
    pub point: Vec3,
    /// Which face, edge or vertex of a mesh it is. As a number of 24 bits, which a memory of single precision holds; meshes
    /// of more features than that may take one for another, which their normals then tell apart.
    pub feature: u32,
    /// Overlap \[m\].
    pub overlap: f32,
    /// What the contact remembers.
    pub history: [f32; 8],
    /// Force on the grain \[N\].
    pub force: Vec3,
    /// Torque on the grain [N m].
    pub torque: Vec3,
}

impl WallTouch {
    fn remembered(&self) -> [f32; REMEMBERED] {
        let [x, y, z] = self.normal.to_array();
        let known = [x, y, z, self.feature as f32];
        std::array::from_fn(|k| if k < 8 { self.history[k] } else { known[k - 8] })
    }

    /// A contact as it was remembered, without loads.
    fn of(grain: u16, partner: Partner, remembered: &[f32; REMEMBERED]) -> Self {
        Self {
            grain,
            partner,
            body: NO_BODY,
            normal: Vec3::from_slice(&remembered[8..11]),
            point: Vec3::ZERO,
            feature: remembered[11] as u32,
            overlap: 0.0,
            history: std::array::from_fn(|k| remembered[k]),
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
        }
    }
}

/// Walls near the grains of one block.
#[derive(Clone, Debug, Default)]
pub struct WallBlock {
    /// Grains, by their places in the block, and boundaries that may touch.
    near: Vec<(u16, u16)>,
    /// Contacts of now, in the order of grains.
    pub touch: Vec<WallTouch>,
    /// Contacts of the step before.
    before: Vec<WallTouch>,
    /// Walls that a grain touches, by face, with what their contacts remember.
    found: Vec<(u16, ExactSurface, Option<[f32; 8]>)>,
}

/// Walls near grains.
#[derive(Clone, Debug, Default)]
pub struct Walls {
    /// Per block.
    pub blocks: Vec<WallBlock>,
    /// What contacts remember while particles are sorted.
    memory: ContactMemory<[f32; REMEMBERED]>,
}

/// What contacts with walls depend on.
#[derive(Clone, Copy)]
pub struct WallInput<'a> {
    /// Laws of materials and walls.
    pub laws: &'a LawTable,
    /// The walls.
    pub boundaries: &'a Boundaries,
    /// Inverse masses of bodies [1/kg], 0 of those that do not give way.
    pub inverse_mass: &'a [f32],
    /// Rounded positions and radii \[m\].
    pub position: &'a [Vec4],
    /// Exact positions.
    pub place: &'a [ExactPosition],
    /// Velocities in the middle of the step [m/s].
    pub velocity: &'a [Vec4],
    /// Angular velocities in the middle of the step [rad/s] and inverse masses [1/kg].
    pub angular_velocity: &'a [Vec4],
    /// Materials.
    pub material: &'a [u16],
    /// Length of the step \[s\]; 0 before the first.
    pub dt: f32,
}

impl Walls {
    /// Puts what contacts remember aside, so that it can follow particles to other places.
    pub fn remember(&mut self, count: usize) {
        let blocks = &self.blocks;
        self.memory.record(count, |i, contacts| remember_grain(blocks, i, contacts));
    }

    /// Takes over what was remembered, for particles in a new order, and lists the walls that are near. `reach` says how
    /// far a grain may be from a wall \[m\].
    pub fn rebuild(
        &mut self,
        sources: &[u32],
        boundaries: &Boundaries,
        position: &[Vec4],
        reach: impl Fn(Vec3, f32) -> f32 + Sync,
    ) {
        self.memory.permute(sources);
        let count = position.len();
        self.blocks.resize_with(block_count(count), WallBlock::default);
        let memory = &self.memory;
        team::for_each_mut(&mut self.blocks, 1, |b, block| {
            block.touch.clear();
            block.near.clear();
            for (k, i) in block_range(b, count).enumerate() {
                let (partners, states) = memory.of(i);
                let known = partners.iter().zip(states);
                block.touch.extend(known.map(|(partner, state)| WallTouch::of(k as u16, *partner, state)));
                let (x, radius) = (position[i].truncate(), position[i].w);
                let reach = reach(x, radius);
                for (w, wall) in boundaries.iter().enumerate() {
                    if wall.may_be_within(x, reach) {
                        block.near.push((k as u16, w as u16));
                    }
                }
            }
        });
    }

    /// Finds the contacts of a step.
    pub fn touch(&mut self, input: &WallInput) {
        team::for_each_mut(&mut self.blocks, 1, |b, block| block.find(b, input));
    }

    /// Forgets the particles for which `keep` does not hold.
    pub fn retain(&mut self, keep: &[bool], id: &[u32]) {
        self.remember(keep.len());
        self.memory.retain(keep, id);
        self.take_back(keep.iter().filter(|keep| **keep).count());
    }

    /// Contacts as they were remembered, of so many particles in the same order.
    fn take_back(&mut self, count: usize) {
        self.blocks.clear();
        self.blocks.resize_with(block_count(count), WallBlock::default);
        for i in 0..count {
            let (partners, states) = self.memory.of(i);
            let known = partners.iter().zip(states);
            let touch = known.map(|(partner, state)| WallTouch::of((i % BLOCK) as u16, *partner, state));
            self.blocks[i / BLOCK].touch.extend(touch);
        }
    }

    /// What the contacts of a particle remember.
    pub fn of(&self, i: usize) -> impl Iterator<Item = (Partner, [f32; REMEMBERED])> + '_ {
        let block = self.blocks.get(i / BLOCK).map_or(&[][..], |block| &block.touch);
        let own = block.iter().filter(move |touch| usize::from(touch.grain) == i % BLOCK);
        own.map(|touch| (touch.partner, touch.remembered()))
    }

    /// The contacts of a particle by its place in memory as they are now, of walls that it is known to touch: from what they
    /// remember, where `input` says that no time passes.
    pub fn touching(&self, input: &WallInput, i: usize) -> Vec<WallTouch> {
        let (grain, mut touching) = ((i % BLOCK) as u16, Vec::new());
        let Some(block) = self.blocks.get(i / BLOCK) else { return touching };
        let known: Vec<WallTouch> =
            block.touch.iter().filter(|touch| touch.grain == grain).copied().collect();
        let mut boundaries: Vec<u16> =
            known.iter().filter_map(|touch| Some(touch.partner.as_wall()?.0)).collect();
        boundaries.dedup();
        let mut found = Vec::new();
        for boundary in boundaries {
            let before = Before { known: &known, taken: 0 };
            touch_wall(input, i, grain, boundary, before, &mut found, &mut touching);
        }
        touching
    }

    /// Takes over contacts of a checkpoint: `of` gives those of each of `count` particles.
    pub fn restore(&mut self, saved: &SavedAtWalls<REMEMBERED>) {
        self.blocks.clear();
        self.blocks.resize_with(block_count(saved.count()), WallBlock::default);
        for i in 0..saved.count() {
            let touch =
                saved.of(i).map(|(partner, state)| WallTouch::of((i % BLOCK) as u16, partner, &state));
            self.blocks[i / BLOCK].touch.extend(touch);
        }
    }

    /// Forces and torques on bodies about their centres of mass \[m\], in the order of blocks: what grains at their positions
    /// \[m\] lose, resistance to rolling and twisting included.
    ///
    /// ```text
    /// F = -f,   T = -t + (x - c) x F          f, t on the grain at x
    /// ```
    pub fn loads_on_bodies(&self, centers: &[Vec3], position: &[Vec4]) -> Vec<Wrench> {
        let mut loads = vec![Wrench::default(); centers.len()];
        for (b, block) in self.blocks.iter().enumerate() {
            for touch in &block.touch {
                let Some(load) = loads.get_mut(touch.body as usize) else { continue };
                let force: DVec3 = -touch.force.as_dvec3();
                let grain = position[b * BLOCK + usize::from(touch.grain)].truncate();
                let arm = (grain - centers[touch.body as usize]).as_dvec3();
                *load += Wrench { force, torque: arm.cross(force) - touch.torque.as_dvec3() };
            }
        }
        loads
    }

    /// Force on a boundary \[N\], in the order of blocks.
    pub fn force_on(&self, boundary: u16) -> DVec3 {
        let touch = self.blocks.iter().flat_map(|block| &block.touch);
        let own = touch.filter(|touch| touch.partner.as_wall().is_some_and(|(wall, _)| wall == boundary));
        own.fold(DVec3::ZERO, |sum, touch| sum - touch.force.as_dvec3())
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let of_block = |block: &WallBlock| {
            4 * block.near.capacity()
                + size_of::<WallTouch>() * (block.touch.capacity() + block.before.capacity())
        };
        self.blocks.iter().map(of_block).sum::<usize>() + self.memory.bytes()
    }
}

fn remember_grain(blocks: &[WallBlock], i: usize, contacts: &mut Carried<[f32; REMEMBERED]>) {
    let Some(block) = blocks.get(i / BLOCK) else { return };
    let own = block.touch.iter().filter(|touch| usize::from(touch.grain) == i % BLOCK);
    own.for_each(|touch| contacts.push(touch.partner, touch.remembered()));
}

impl WallBlock {
    fn find(&mut self, b: usize, input: &WallInput) {
        std::mem::swap(&mut self.touch, &mut self.before);
        self.touch.clear();
        let Self { near, touch, before, found } = self;
        let mut known = 0..0;
        for &(grain, boundary) in near.iter() {
            let i = b * BLOCK + usize::from(grain);
            // Contacts are in the order of grains.
            while before.get(known.end).is_some_and(|touch| touch.grain <= grain) {
                known.end += 1;
            }
            while known.start < known.end && before[known.start].grain < grain {
                known.start += 1;
            }
            // Those that are held have no mass.
            if input.angular_velocity[i].w > 0.0 {
                let before = &before[known.clone()];
                touch_wall(input, i, grain, boundary, Before { known: before, taken: 0 }, found, touch);
            }
        }
    }
}

/// Contacts that a grain had, each of which only one of now goes on with.
struct Before<'a> {
    known: &'a [WallTouch],
    /// A bit for each that goes on.
    taken: u64,
}

impl Before<'_> {
    /// The contact that one of now goes on with: of the same wall, with a normal that has hardly turned, `accept`ed, and not
    /// taken yet.
    fn take(
        &mut self,
        partner: Partner,
        normal: Vec3,
        accept: impl Fn(&WallTouch) -> bool,
    ) -> Option<[f32; 8]> {
        let free = |k: usize| self.taken >> k.min(63) & 1 == 0;
        let known = self.known.iter().enumerate().filter(|(k, touch)| touch.partner == partner && free(*k));
        let turned = known.map(|(k, touch)| (k, touch, touch.normal.dot(normal)));
        let (k, touch, _) = turned
            .filter(|(_, touch, turn)| *turn > SAME_WALL && accept(touch))
            .max_by(|(_, _, a), (_, _, b)| a.total_cmp(b))?;
        self.taken |= 1 << k.min(63);
        Some(touch.history)
    }
}

/// Finds the contacts of a grain with a boundary.
fn touch_wall(
    input: &WallInput,
    i: usize,
    grain: u16,
    boundary: u16,
    mut before: Before,
    found: &mut Vec<(u16, ExactSurface, Option<[f32; 8]>)>,
    out: &mut Vec<WallTouch>,
) {
    let Some(wall) = input.boundaries.iter().nth(usize::from(boundary)) else { return };
    let (x, radius) = (input.position[i].truncate(), input.position[i].w);
    let reach = radius + input.laws.reach + 1e-6 * (x.abs().max_element() + radius);
    found.clear();
    wall.near(x, input.place[i].to_meters(), reach, &mut |surface, exact| {
        found.push((surface.face, exact, None));
    });
    // A contact goes on with what it was; one that has slid over a seam of triangles with what was beyond the seam.
    for same_feature in [true, false] {
        for (face, exact, history) in found.iter_mut().filter(|(_, _, history)| history.is_none()) {
            let partner = Partner::wall(boundary, *face);
            let feature = exact.feature & FEATURE_BITS;
            *history = before
                .take(partner, exact.normal.as_vec3(), |touch| !same_feature || touch.feature == feature);
        }
    }
    let law = input.laws.of_wall(usize::from(boundary), input.material[i]);
    for (face, exact, history) in found.iter() {
        let normal = exact.normal.as_vec3();
        let point = exact.closest.as_vec3();
        // A wall that is rounder than the grain would touch it all around.
        let curvature = (exact.curvature as f32).max(-0.5 / radius);
        let geometry = contact_sphere_wall(normal.to_array(), exact.distance as f32, radius, curvature);
        let (v, spin) = (input.velocity[i].truncate(), input.angular_velocity[i]);
        let motion = Motion {
            velocity: [v.to_array(), wall.velocity_at(point).to_array()],
            angular_velocity: [spin.truncate().to_array(), [0.0; 3]],
        };
        let history = history.map_or(History::none(), History::from_array);
        let of_body = input.inverse_mass.get(wall.body() as usize).copied().unwrap_or(0.0);
        let mass = 1.0 / (spin.w + of_body);
        let (loads, now) = contact_loads(law, &geometry, mass, &motion, input.dt, &history);
        if now == History::none() {
            continue;
        }
        out.push(WallTouch {
            grain,
            partner: Partner::wall(boundary, *face),
            body: wall.body(),
            normal,
            point,
            feature: exact.feature & FEATURE_BITS,
            overlap: geometry.overlap,
            history: now.to_array(),
            force: Vec3::from(loads.force),
            torque: Vec3::from(loads.torque_i),
        });
    }
}
