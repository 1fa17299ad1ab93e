//! Pairs of grains that may touch, by colour, sixteen at a time.
//!
//! Pairs are listed block by block of the grain that keeps them, the one with the lower id, in the order of the contact memory.
//! For the sweeps they lie in groups of sixteen of one colour: pairs that touch first, so that groups of pairs that do not are
//! left out as a whole. The order inside of a colour changes no bit of the result.

use std::cmp::Reverse;
use std::ops::Range;

use glam::Vec4;

use crate::contacts::{ContactMemory, Partner, keeps_pair};
use crate::neighbors::{Domain, NeighborLists};
use crate::simd::{Instructions, LANES};
use crate::team::{self, BLOCK, QUICK, block_count, block_range};

use super::colour::{ColourInput, Colouring, REST, key};
use super::contact::TOUCH;
use super::kinds::{Kinds, Side, UNIFORM, VARIED};
use super::laws::LawTable;
use super::path::Path;
use super::state::REMEMBERED;

/// Impulses that a pair remembers, beside whether a pull connects it.
pub const IMPULSES: usize = REMEMBERED - 1;

/// No pair.
const NOBODY: u32 = u32::MAX;

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

/// What tells who may be a partner of a grain, close together.
#[derive(Clone, Copy, Debug)]
struct GrainMark {
    id: u32,
    /// Number of the body that it is a particle of.
    body: u16,
    held: bool,
    /// Whether it is listed along a way.
    has_way: bool,
}

/// Of no body.
const FREE: u16 = u16::MAX;

/// What pairs want to know of a grain, close together.
#[derive(Clone, Copy, Debug)]
struct GrainTraits {
    side: Side,
    moves: bool,
}

/// All pairs.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// Groups, colour by colour.
    pub groups: Vec<PairGroup>,
    /// What is constant for their pairs.
    pub kinds: Kinds,
    /// Velocities along the normals at the beginning of the step [m/s], by group; none where nothing bounces.
    pub approach: Vec<[f32; LANES]>,
    /// First group of every colour, and the end of the last one's.
    pub first: Vec<usize>,
    /// First pair of every block of keepers, and the end of the last one's.
    offset: Vec<u32>,
    keeper: Vec<u32>,
    other: Vec<u32>,
    colour: Vec<u8>,
    /// Where each pair is among the groups: 16 times the group, and the place in it.
    at: Vec<u32>,
    /// Which pair is there, or [`NOBODY`].
    pair_at: Vec<u32>,
    partners: Vec<PartnerBlock>,
    marks: Vec<GrainMark>,
    traits: Vec<GrainTraits>,
    colouring: Colouring,
}

/// Who may touch whom, of the grains of a block: the partners whose pairs they keep.
#[derive(Clone, Debug, Default)]
struct PartnerBlock {
    /// First partner of every grain, and the end of the last one's.
    first: Vec<u32>,
    kept: Vec<u32>,
}

impl PartnerBlock {
    fn list(&mut self, input: &PairInput, marks: &[GrainMark], grains: Range<usize>) {
        self.first.clear();
        self.kept.clear();
        self.first.push(0);
        for i in grains {
            let kept = input.lists.of(i).filter(|&j| input.keeps(marks, i, j));
            self.kept.extend(kept.map(|j| j as u32));
            self.first.push(self.kept.len() as u32);
        }
    }

    /// Partners whose pairs the block's `k`-th grain keeps.
    fn of(&self, k: usize) -> &[u32] {
        &self.kept[self.range_of(k)]
    }

    /// Where they are among those of the block.
    fn range_of(&self, k: usize) -> Range<usize> {
        self.first[k] as usize..self.first[k + 1] as usize
    }

    fn bytes(&self) -> usize {
        4 * (self.first.capacity() + self.kept.capacity())
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
    /// Length of the step \[s\].
    pub dt: f32,
    /// Instructions to use.
    pub instructions: Instructions,
}

impl PairInput<'_> {
    fn held(&self, i: usize) -> bool {
        self.spin[i].w == 0.0
    }

    fn mark(&self, i: usize) -> GrainMark {
        let material = self.material[i];
        let body = if self.laws.of_body(material) { material } else { FREE };
        GrainMark { id: self.id[i], body, held: self.held(i), has_way: !self.path[i].is_short() }
    }

    /// Whether a grain keeps the memory of its pair with a neighbour.
    #[inline(always)]
    fn keeps(&self, marks: &[GrainMark], i: usize, j: usize) -> bool {
        let (own, other) = (marks[i], marks[j]);
        // Particles of one body never touch each other.
        let never = own.held && other.held || own.body == other.body && own.body != FREE;
        if never || !keeps_pair(own.id, other.id) {
            return false;
        }
        if !own.has_way && !other.has_way {
            return true;
        }
        let of = |k: usize| (self.listed[k], &self.path[k]);
        Path::may_meet(self.domain, of(i), of(j))
    }

    /// Whether a pair touches, or nearly does, where lists are made.
    fn near(&self, i: usize, j: usize) -> bool {
        let [a, b] = [self.position[i], self.position[j]];
        let reach = a.w + b.w + 2.0 * TOUCH * (a.w + b.w);
        self.domain.displacement(a.truncate(), b.truncate()).length_squared() < reach * reach
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
        self.partners.resize_with(block_count(input.id.len()), PartnerBlock::default);
        team::fill(&mut self.marks, input.id.len(), |i| input.mark(i));
        let marks = &self.marks;
        team::for_each_mut(&mut self.partners, 1, |b, block| {
            block.list(input, marks, block_range(b, input.id.len()));
        });
        let partners = &self.partners;
        memory.rebuild(sources, |i, contacts| {
            let kept = partners[i / BLOCK].of(i % BLOCK);
            kept.iter().for_each(|&j| contacts.carry(Partner::particle(input.id[j as usize])));
        });
        self.list(input.id.len());
        self.find_colours(input);
        self.place_by_colour(input);
        self.fill_groups(input, memory);
    }

    /// Keepers and partners, in the order of the memory.
    fn list(&mut self, grains: usize) {
        self.offset.clear();
        self.offset.push(0);
        for block in &self.partners {
            self.offset.push(self.offset[self.offset.len() - 1] + block.kept.len() as u32);
        }
        let count = self.offset[self.offset.len() - 1] as usize;
        self.keeper.resize(count, 0);
        self.other.resize(count, 0);
        let (keeper, other) =
            (team::SharedColumn::of(&mut self.keeper), team::SharedColumn::of(&mut self.other));
        let (offset, partners) = (&self.offset, &self.partners);
        team::for_each(block_count(grains), QUICK, |b| {
            let own = offset[b] as usize..offset[b + 1] as usize;
            // SAFETY: every block is visited once and writes to its own pairs.
            let (keeper, other) = unsafe { (keeper.range_mut(own.clone()), other.range_mut(own)) };
            other.copy_from_slice(&partners[b].kept);
            for (k, i) in block_range(b, grains).enumerate() {
                keeper[partners[b].range_of(k)].fill(i as u32);
            }
        });
    }

    fn find_colours(&mut self, input: &PairInput) {
        let Self { colouring, colour, keeper, other, .. } = self;
        colour.resize(other.len(), REST);
        let pairs = ColourInput { keeper, other, id: input.id, instructions: input.instructions };
        colouring.colour(&pairs, |i| input.held(i), colour);
    }

    /// Finds the place of every pair among the groups: by colour, then those that are near, then the others. Of the rest, one in
    /// each group, in the order of keys.
    fn place_by_colour(&mut self, input: &PairInput) {
        let count = self.other.len();
        let mut bin = Vec::new();
        let (keeper, other, colour) = (&self.keeper, &self.other, &self.colour);
        team::fill(&mut bin, count, |p| {
            let far = !input.near(keeper[p] as usize, other[p] as usize);
            2 * colour[p] + u8::from(far)
        });
        let mut sizes = [0usize; 2 * (REST as usize + 1)];
        bin.iter().for_each(|bin| sizes[usize::from(*bin)] += 1);
        self.first.clear();
        let (mut next, mut groups) = ([0usize; 2 * (REST as usize + 1)], 0);
        for colour in 0..=usize::from(REST) {
            let of_colour = sizes[2 * colour] + sizes[2 * colour + 1];
            self.first.push(groups);
            next[2 * colour] = LANES * groups;
            next[2 * colour + 1] = LANES * groups + sizes[2 * colour];
            groups += if colour < usize::from(REST) { of_colour.div_ceil(LANES) } else { of_colour };
        }
        self.first.push(groups);
        self.pair_at.clear();
        self.pair_at.resize(LANES * groups, NOBODY);
        self.at.resize(count, 0);
        let mut rest = Vec::new();
        for (p, bin) in bin.iter().enumerate() {
            if bin / 2 == REST {
                rest.push(p);
                continue;
            }
            let place = &mut next[usize::from(*bin)];
            self.at[p] = *place as u32;
            self.pair_at[*place] = p as u32;
            *place += 1;
        }
        // Their order matters, and is that of keys on every device.
        let id = |place: u32| input.id[place as usize];
        rest.sort_unstable_by_key(|&p| Reverse(key(id(self.keeper[p]), id(self.other[p]))));
        let first = self.first[usize::from(REST)];
        for (group, p) in (first..).zip(rest) {
            self.at[p] = (LANES * group) as u32;
            self.pair_at[LANES * group] = p as u32;
        }
    }

    fn fill_groups(&mut self, input: &PairInput, memory: &ContactMemory<[f32; REMEMBERED]>) {
        let Self { groups, kinds, approach, pair_at, keeper, other, offset, traits, .. } = self;
        team::fill(traits, input.id.len(), |i| GrainTraits {
            side: Side { radius: input.position[i].w, material: input.material[i] },
            moves: !input.held(i),
        });
        let remembered = |p: usize| {
            let block = keeper[p] as usize / BLOCK;
            memory.blocks()[block].states()[p - offset[block] as usize].map(|force| force * input.dt)
        };
        team::fill(groups, pair_at.len() / LANES, |g| {
            let pairs = &pair_at[LANES * g..LANES * (g + 1)];
            let mut group = PairGroup::EMPTY;
            let sides = |p: u32| [&keeper, &other].map(|of| traits[of[p as usize] as usize].side);
            let first = sides(pairs[0]);
            // What is not filled looks like the first, and never touches.
            for (lane, &p) in pairs.iter().enumerate() {
                let filled = p != NOBODY;
                let p = if filled { p } else { pairs[0] } as usize;
                (group.i[lane], group.j[lane]) = (keeper[p], other[p]);
                let both = [traits[keeper[p] as usize], traits[other[p] as usize]];
                for (side, own) in both.into_iter().enumerate() {
                    group.moves[side] |= u32::from(filled && own.moves) << lane;
                    if own.side != first[side] {
                        group.kind = VARIED;
                    }
                }
                if filled {
                    let own = remembered(p);
                    (0..IMPULSES).for_each(|k| group.memory[k][lane] = own[k]);
                    group.connected |= u32::from(own[IMPULSES] > 0.0) << lane;
                }
            }
            group
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
                let at = self.at[first + k] as usize;
                let group = &self.groups[at / LANES];
                let connected = (group.connected >> (at % LANES) & 1) as f32;
                let of_pair = |k: usize| group.memory.get(k).map_or(connected, |lanes| lanes[at % LANES]);
                *state = std::array::from_fn(|k| of_pair(k) * per_time);
            }
        });
    }

    /// All pairs: where they are among the groups (16 times the group, and the place in it), and the places of both grains.
    pub fn listed(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        self.at.iter().zip(&self.keeper).zip(&self.other).map(|((at, keeper), other)| (*at, *keeper, *other))
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
            + 4 * (self.keeper.capacity() + self.other.capacity() + self.at.capacity())
            + 4 * (self.pair_at.capacity() + self.offset.capacity())
            + 8 * (self.traits.capacity() + self.marks.capacity())
            + self.colour.capacity()
            + self.partners.iter().map(PartnerBlock::bytes).sum::<usize>()
            + self.colouring.bytes()
    }
}
