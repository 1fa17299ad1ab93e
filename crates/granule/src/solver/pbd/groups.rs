//! Pairs of grains that may touch, by colour, sixteen at a time.
//!
//! Pairs are listed block by block of the grain that keeps them, the one with the lower id, in the order of the contact memory.
//! For the sweeps they lie in groups of sixteen of one colour: pairs that are near first, so that groups of pairs that do not touch are
//! left out as a whole. The order inside of a colour changes no bit of the result.

use glam::Vec4;

use crate::contacts::{ContactMemory, Partner};
use crate::neighbors::{Domain, NeighborLists};
use crate::simd::{Instructions, LANES, Lanes, Vectorised};
use crate::team::{self, BLOCK, QUICK, block_count, block_range};

use super::bricks::{PARTITIONS, bricks_of};
use super::contact::TOUCH;
use super::kinds::{Kinds, Side, UNIFORM, VARIED};
use super::laws::LawTable;
use super::order::{NOBODY, OrderInput, PairOrder};
use super::partners::Partners;
use super::path::Path;
use super::state::REMEMBERED;

/// Impulses that a pair remembers, beside whether a pull connects it.
pub const IMPULSES: usize = REMEMBERED - 1;

/// Sixteen pairs of one colour.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct PairGroup {
    /// Places of the keepers.
    pub i: [u32; LANES],
    /// Places of their partners.
    pub j: [u32; LANES],
    /// From the partner to the keeper.
    pub normal: [[f32; LANES]; 3],
    /// Gaps at the beginning of the step \[m\].
    pub gap: [f32; LANES],
    /// What the pairs remember: impulses along the normal, across it, against rolling.
    pub memory: [[f32; LANES]; IMPULSES],
    /// Which keepers and which partners move; places that are not filled do not.
    pub moves: [u32; 2],
    /// Which pairs touch, or will within the step.
    pub active: u32,
    /// Which pairs a pull connects, which they remember, too.
    pub connected: u32,
    /// Number of the group's [kind](super::kinds).
    pub kind: u32,
}

impl PairGroup {
    const EMPTY: Self = Self {
        i: [0; LANES],
        j: [0; LANES],
        normal: [[0.0; LANES]; 3],
        gap: [0.0; LANES],
        memory: [[0.0; LANES]; IMPULSES],
        moves: [0; 2],
        active: 0,
        connected: 0,
        kind: UNIFORM,
    };
}

/// What pairs want to know of a grain, close together.
#[derive(Clone, Copy, Debug)]
struct GrainTraits {
    side: Side,
    moves: bool,
}

/// All pairs.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// Groups, in the order of their [places](PairOrder).
    pub groups: Vec<PairGroup>,
    /// What is constant for their pairs.
    pub kinds: Kinds,
    /// Velocities along the normals at the beginning of the step [m/s], by group; none where nothing bounces.
    pub approach: Vec<[f32; LANES]>,
    /// Where all pairs are among the groups.
    pub order: PairOrder,
    /// First pair of every block of keepers, and the end of the last one's.
    offset: Vec<u32>,
    keeper: Vec<u32>,
    other: Vec<u32>,
    partners: Partners,
    traits: Vec<GrainTraits>,
    bricks: Vec<[u32; PARTITIONS]>,
}

/// What groups are filled from.
struct Filling<'a> {
    pair_at: &'a [u32],
    keeper: &'a [u32],
    other: &'a [u32],
    offset: &'a [u32],
    traits: &'a [GrainTraits],
    memory: &'a ContactMemory<[f32; REMEMBERED]>,
    /// Length of the step that impulses are of \[s\].
    dt: f32,
}

impl Filling<'_> {
    /// What a pair remembers, as forces.
    #[inline(always)]
    fn remembered(&self, p: usize) -> &[f32; REMEMBERED] {
        let block = self.keeper[p] as usize / BLOCK;
        &self.memory.blocks()[block].states()[p - self.offset[block] as usize]
    }
}

/// Makes one group.
struct FillGroup<'a> {
    filling: &'a Filling<'a>,
    g: usize,
}

impl Vectorised for FillGroup<'_> {
    type Output = PairGroup;

    #[inline(always)]
    fn run<L: Lanes>(self) -> PairGroup {
        let Self { filling, g } = self;
        let Filling { keeper, other, traits, .. } = filling;
        let pairs = &filling.pair_at[LANES * g..LANES * (g + 1)];
        let mut group = PairGroup::EMPTY;
        let (nothing, mut filled) = ([0.0f32; REMEMBERED], 0);
        let mut remembered = [nothing.as_ptr(); LANES];
        let mut first = None;
        for lane in 0..LANES {
            let is_filled = pairs[lane] != NOBODY;
            // What is not filled looks like the first, and never touches.
            let p = if is_filled { pairs[lane] } else { pairs[0] } as usize;
            (group.i[lane], group.j[lane]) = (keeper[p], other[p]);
            let [own, partner] = [&traits[keeper[p] as usize], &traits[other[p] as usize]];
            group.moves[0] |= u32::from(is_filled & own.moves) << lane;
            group.moves[1] |= u32::from(is_filled & partner.moves) << lane;
            if *first.get_or_insert([own.side, partner.side]) != [own.side, partner.side] {
                group.kind = VARIED;
            }
            if is_filled {
                remembered[lane] = filling.remembered(p).as_ptr();
                filled |= 1 << lane;
            }
        }
        // SAFETY: records of eight numbers are there.
        let (along, turning): ([L; 4], [L; 4]) = unsafe {
            (L::from_rows_at(|lane| remembered[lane]), L::from_rows_at(|lane| remembered[lane].add(4)))
        };
        let dt = L::splat(filling.dt);
        for (lanes, force) in group.memory.iter_mut().zip(along.iter().chain(&turning)) {
            *lanes = (*force * dt).to_array();
        }
        group.connected = L::splat(0.0).below(turning[3] * dt) & filled;
        group
    }
}

/// What pairs are listed from.
#[derive(Clone, Copy)]
pub struct PairInput<'a> {
    /// Neighbours.
    pub lists: &'a NeighborLists,
    /// Space.
    pub domain: &'a Domain,
    /// Laws of contacts.
    pub laws: &'a LawTable,
    /// Ids.
    pub id: &'a [u32],
    /// Positions and radii \[m\].
    pub position: &'a [Vec4],
    /// Positions where lists are made, and how far grains are listed \[m\].
    pub listed: &'a [Vec4],
    /// Ways that they are listed along.
    pub path: &'a [Path],
    /// Angular velocities and inverse masses [1/kg].
    pub spin: &'a [Vec4],
    /// Materials.
    pub material: &'a [u16],
    /// The first material of particles of bodies.
    pub first_of_bodies: u16,
    /// Inverse side of a brick [1/m].
    pub inverse_brick: f32,
    /// Length of the step \[s\].
    pub dt: f32,
    /// Instructions to use.
    pub instructions: Instructions,
}

impl PairInput<'_> {
    /// Whether a grain is held where it is.
    pub fn held(&self, i: usize) -> bool {
        self.spin[i].w == 0.0
    }

    /// Whether a pair touches, or nearly does, where lists are made: sums of radii apart, but for a fiftieth.
    fn near(&self, i: usize, j: usize) -> bool {
        let [a, b] = [self.listed[i], self.listed[j]].map(Vec4::truncate);
        let sum = self.position[i].w + self.position[j].w;
        let reach = sum + 2.0 * TOUCH * sum;
        self.domain.displacement(a, b).length_squared() < reach * reach
    }
}

impl Pairs {
    /// Lists the pairs of particles in a new order, takes over what contacts remember, and colours them. Particle k was at
    /// `sources[k]` before.
    pub fn rebuild(
        &mut self,
        input: &PairInput,
        sources: &[u32],
        memory: &mut ContactMemory<[f32; REMEMBERED]>,
    ) {
        self.partners.list(input);
        let partners = &self.partners;
        memory.rebuild(sources, |i, contacts| {
            partners.of(i).iter().for_each(|&j| contacts.carry(Partner::particle(input.id[j as usize])));
        });
        self.list(input.id.len());
        self.find_order(input);
        self.fill_groups(input, memory);
    }

    /// Keepers and partners, in the order of the memory.
    fn list(&mut self, grains: usize) {
        self.offset.clear();
        self.offset.push(0);
        for block in &self.partners.blocks {
            self.offset.push(self.offset[self.offset.len() - 1] + block.kept().len() as u32);
        }
        let count = self.offset[self.offset.len() - 1] as usize;
        self.keeper.resize(count, 0);
        self.other.resize(count, 0);
        let (keeper, other) =
            (team::SharedColumn::of(&mut self.keeper), team::SharedColumn::of(&mut self.other));
        let (offset, partners) = (&self.offset, &self.partners.blocks);
        team::for_each(block_count(grains), QUICK, |b| {
            let own = offset[b] as usize..offset[b + 1] as usize;
            // SAFETY: every block is visited once and writes to its own pairs.
            let (keeper, other) = unsafe { (keeper.range_mut(own.clone()), other.range_mut(own)) };
            other.copy_from_slice(partners[b].kept());
            for (k, i) in block_range(b, grains).enumerate() {
                keeper[partners[b].range_of(k)].fill(i as u32);
            }
        });
    }

    fn find_order(&mut self, input: &PairInput) {
        let Self { order, keeper, other, bricks, .. } = self;
        team::fill(bricks, input.id.len(), |i| bricks_of(input.listed[i].truncate(), input.inverse_brick));
        let pairs = OrderInput {
            keeper,
            other,
            id: input.id,
            brick: bricks,
            material: input.material,
            first_of_bodies: input.first_of_bodies,
            instructions: input.instructions,
        };
        let near = |p: usize| input.near(keeper[p] as usize, other[p] as usize);
        order.find(&pairs, |i| input.held(i), near);
    }

    fn fill_groups(&mut self, input: &PairInput, memory: &ContactMemory<[f32; REMEMBERED]>) {
        let Self { groups, kinds, approach, order, keeper, other, offset, traits, .. } = self;
        team::fill(traits, input.id.len(), |i| GrainTraits {
            side: Side { radius: input.position[i].w, material: input.material[i] },
            moves: !input.held(i),
        });
        let filling =
            Filling { pair_at: &order.pair_at, keeper, other, offset, traits, memory, dt: input.dt };
        groups.resize(order.groups(), PairGroup::EMPTY);
        team::for_each_mut(groups, 32, |g, group| {
            *group = input.instructions.run(FillGroup { filling: &filling, g });
        });
        let sides = |group: &PairGroup, lane: usize| {
            [group.i[lane], group.j[lane]].map(|place| traits[place as usize].side)
        };
        kinds.find(groups, input.laws, sides);
        approach.clear();
        approach.resize(if input.laws.bounces { groups.len() } else { 0 }, [0.0; LANES]);
    }

    /// Lets the contact memory know what the pairs remember: impulses of steps of `dt` \[s\] as forces.
    pub fn remember(&self, memory: &mut ContactMemory<[f32; REMEMBERED]>, dt: f32) {
        let per_time = 1.0 / dt;
        team::for_each_mut(memory.blocks_mut(), 1, |b, block| {
            let first = self.offset[b] as usize;
            for (k, state) in block.split_mut().1.iter_mut().enumerate() {
                let at = self.order.at[first + k] as usize;
                let group = &self.groups[at / LANES];
                let connected = (group.connected >> (at % LANES) & 1) as f32;
                let of_pair = |k: usize| group.memory.get(k).map_or(connected, |lanes| lanes[at % LANES]);
                *state = std::array::from_fn(|k| of_pair(k) * per_time);
            }
        });
    }

    /// All pairs: where they are among the groups (16 times the group, and the place in it), and the places of both grains.
    pub fn listed(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        self.order
            .at
            .iter()
            .zip(&self.keeper)
            .zip(&self.other)
            .map(|((at, keeper), other)| (*at, *keeper, *other))
    }

    /// Number of pairs that touch.
    pub fn active(&self) -> usize {
        self.groups.iter().map(|group| group.active.count_ones() as usize).sum()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of::<PairGroup>() * self.groups.capacity()
            + self.kinds.bytes()
            + 4 * LANES * self.approach.capacity()
            + 4 * (self.keeper.capacity() + self.other.capacity() + self.offset.capacity())
            + size_of::<GrainTraits>() * self.traits.capacity()
            + size_of::<[u32; PARTITIONS]>() * self.bricks.capacity()
            + self.order.bytes()
            + self.partners.bytes()
    }
}
