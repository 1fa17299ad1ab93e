//! The carrier of contact states.

use crate::team::{self, BLOCK, QUICK, block_count, block_range};

use super::{ContactState, Partner};

/// The contacts of the particles of one block, one particle after the other.
#[derive(Clone, Debug)]
pub struct ContactBlock<S> {
    /// First contact of every particle, and the end of the last.
    offset: Vec<u32>,
    partner: Vec<Partner>,
    state: Vec<S>,
}

impl<S> Default for ContactBlock<S> {
    fn default() -> Self {
        Self { offset: vec![0], partner: Vec::new(), state: Vec::new() }
    }
}

impl<S: ContactState> ContactBlock<S> {
    /// Partners and states of the block's `k`-th particle.
    #[inline]
    pub fn of(&self, k: usize) -> (&[Partner], &[S]) {
        let range = self.offset[k] as usize..self.offset[k + 1] as usize;
        (&self.partner[range.clone()], &self.state[range])
    }

    /// Partners and states of the block's `k`-th particle, states to be changed.
    #[inline]
    pub fn of_mut(&mut self, k: usize) -> (&[Partner], &mut [S]) {
        let range = self.offset[k] as usize..self.offset[k + 1] as usize;
        (&self.partner[range.clone()], &mut self.state[range])
    }

    /// Where each particle's contacts begin among all of the block, and where the last one's end.
    pub fn offsets(&self) -> &[u32] {
        &self.offset
    }

    /// The states of all contacts of the block, particle by particle.
    pub fn states(&self) -> &[S] {
        &self.state
    }

    /// Where each particle's contacts begin, and the states of all contacts of the block, to be changed.
    pub fn split_mut(&mut self) -> (&[u32], &mut [S]) {
        (&self.offset, &mut self.state)
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.offset.len() - 1
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn clear(&mut self) {
        self.offset.truncate(1);
        self.partner.clear();
        self.state.clear();
    }

    fn push(&mut self, partner: Partner, state: S) {
        self.partner.push(partner);
        self.state.push(state);
    }

    fn end_particle(&mut self) {
        self.offset.push(self.partner.len() as u32);
    }

    fn bytes(&self) -> usize {
        4 * self.offset.capacity() + 8 * self.partner.capacity() + size_of::<S>() * self.state.capacity()
    }
}

/// States of contacts, particle by particle in memory order; see the [module](super).
#[derive(Clone, Debug)]
pub struct ContactMemory<S> {
    blocks: Vec<ContactBlock<S>>,
    /// What the next rebuild writes to.
    spare: Vec<ContactBlock<S>>,
}

impl<S> Default for ContactMemory<S> {
    fn default() -> Self {
        Self { blocks: Vec::new(), spare: Vec::new() }
    }
}

impl<S: ContactState> ContactMemory<S> {
    /// Number of particles that it knows; those added since have no contacts yet.
    pub fn len(&self) -> usize {
        self.blocks.last().map_or(0, |last| (self.blocks.len() - 1) * BLOCK + last.len())
    }

    /// Whether it knows no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Partners and states of a particle by its place in memory; none of one that came after the last rebuild.
    pub fn of(&self, particle: usize) -> (&[Partner], &[S]) {
        match self.blocks.get(particle / BLOCK) {
            Some(block) if particle % BLOCK < block.len() => block.of(particle % BLOCK),
            _ => (&[], &[]),
        }
    }

    /// Contacts in blocks of [`BLOCK`] particles.
    pub fn blocks(&self) -> &[ContactBlock<S>] {
        &self.blocks
    }

    /// Contacts in blocks of [`BLOCK`] particles, for passes that change states.
    pub fn blocks_mut(&mut self) -> &mut [ContactBlock<S>] {
        &mut self.blocks
    }

    /// The contacts of particles that are in a new order: particle k was at `sources[k]` before. `list` is called for
    /// every particle and pushes or carries its contacts; what it leaves out is forgotten.
    pub fn rebuild(&mut self, sources: &[u32], list: impl Fn(usize, &mut Carried<S>) + Sync) {
        let mut blocks = std::mem::take(&mut self.spare);
        blocks.resize_with(block_count(sources.len()), ContactBlock::default);
        team::for_each_mut(&mut blocks, 1, |b, block| {
            block.clear();
            for i in block_range(b, sources.len()) {
                let (partner, state) = self.of(sources[i] as usize);
                list(i, &mut Carried { block, partner, state, next: 0 });
                block.end_particle();
            }
        });
        self.spare = std::mem::replace(&mut self.blocks, blocks);
    }

    /// Replaces everything by what `list` pushes for each of `count` particles.
    pub fn record(&mut self, count: usize, list: impl Fn(usize, &mut Carried<S>) + Sync) {
        self.blocks.resize_with(block_count(count), ContactBlock::default);
        team::for_each_mut(&mut self.blocks, QUICK, |b, block| {
            block.clear();
            for i in block_range(b, count) {
                list(i, &mut Carried { block, partner: &[], state: &[], next: 0 });
                block.end_particle();
            }
        });
    }

    /// Follows a sort: particle k was at `sources[k]` before.
    pub fn permute(&mut self, sources: &[u32]) {
        self.rebuild(sources, |_, contacts| contacts.carry_all());
    }

    /// Keeps the particles for which `keep` holds, and forgets contacts with the others. `id` are the ids before.
    pub fn retain(&mut self, keep: &[bool], id: &[u32]) {
        let mut removed: Vec<u32> =
            id.iter().zip(keep).filter(|(_, keep)| !**keep).map(|(id, _)| *id).collect();
        removed.sort_unstable();
        let kept: Vec<u32> = (0..keep.len() as u32).filter(|&i| keep[i as usize]).collect();
        let stays = |partner: Partner| match partner.as_particle() {
            Some(id) => removed.binary_search(&id).is_err(),
            None => true,
        };
        self.rebuild(&kept, |_, contacts| contacts.carry_if(stays));
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().chain(&self.spare).map(ContactBlock::bytes).sum()
    }
}

/// The contacts of one particle while they are listed, and those that it had.
pub struct Carried<'a, S> {
    block: &'a mut ContactBlock<S>,
    partner: &'a [Partner],
    state: &'a [S],
    /// Where the next partner is looked for first: lists change little.
    next: usize,
}

impl<S: ContactState> Carried<'_, S> {
    /// Adds a contact with a state.
    pub fn push(&mut self, partner: Partner, state: S) {
        self.block.push(partner, state);
    }

    /// Adds the contact with a partner that occurs once, with the state that it had: zero where it is new.
    #[inline]
    pub fn carry(&mut self, partner: Partner) {
        let state = self.find(partner).map_or(S::zeroed(), |at| self.state[at]);
        self.block.push(partner, state);
    }

    /// Adds a contact with a partner that may occur several times: the state is that with the highest score among those
    /// for which `score` gives one, the last of equals, or `fresh`.
    pub fn carry_best(&mut self, partner: Partner, fresh: S, score: impl Fn(&S) -> Option<f32>) {
        let state = best_match((self.partner, self.state), partner, score).copied().unwrap_or(fresh);
        self.block.push(partner, state);
    }

    /// Adds all contacts that the particle had.
    pub fn carry_all(&mut self) {
        self.block.partner.extend_from_slice(self.partner);
        self.block.state.extend_from_slice(self.state);
    }

    /// Adds the contacts that the particle had with the partners for which `stays` holds.
    pub fn carry_if(&mut self, stays: impl Fn(Partner) -> bool) {
        for (partner, state) in self.partner.iter().zip(self.state) {
            if stays(*partner) {
                self.block.push(*partner, *state);
            }
        }
    }

    #[inline]
    fn find(&mut self, partner: Partner) -> Option<usize> {
        let (before, after) = self.partner.split_at(self.next);
        let at = after.iter().position(|known| *known == partner).map(|at| at + self.next);
        let at = at.or_else(|| before.iter().position(|known| *known == partner))?;
        self.next = at + 1;
        Some(at)
    }
}

/// The state of the contact with a partner that has the highest score, the last of equals, among those for which `score`
/// gives one.
pub fn best_match<'a, S>(
    (partners, states): (&'a [Partner], &'a [S]),
    partner: Partner,
    score: impl Fn(&S) -> Option<f32>,
) -> Option<&'a S> {
    let same = partners.iter().zip(states).filter(|(known, _)| **known == partner);
    let scored = same.filter_map(|(_, state)| Some((score(state)?, state)));
    scored.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, state)| state)
}
