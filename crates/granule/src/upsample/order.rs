//! Counting sort of the grains by blocks, for locality in memory only.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::grain::Grain;
use super::grain_lanes::positions_of;
use super::nodes::Nodes;
use crate::simd::{Instructions, LANES, Lanes, Vectorised};

/// Fewest grains that a thread takes at once.
const CHUNK: usize = 1 << 15;

/// Sorts grains by counting; those of a block keep their order.
#[derive(Debug, Default)]
pub(super) struct GrainOrder {
    /// Block of each grain; that after the last for those in none.
    block: Vec<u32>,
    /// Where the next grain of each block goes, for every chunk of grains.
    next: Vec<u32>,
    /// Which grain comes where.
    order: Vec<AtomicU32>,
    scratch: Vec<Grain>,
}

impl GrainOrder {
    /// Sorts grains by blocks, those outside last.
    pub fn sort(&mut self, grains: &mut Vec<Grain>, nodes: &Nodes, instructions: Instructions) {
        let blocks = nodes.cell_of_block.len() + 1;
        let chunk = grains.len().div_ceil(rayon::current_num_threads()).max(CHUNK);
        self.block.resize(grains.len(), 0);
        self.next.clear();
        self.next.resize(grains.len().div_ceil(chunk) * blocks, 0);
        self.order.resize_with(grains.len(), Default::default);
        let chunks = grains.par_chunks(chunk).zip(self.block.par_chunks_mut(chunk));
        chunks.zip(self.next.par_chunks_mut(blocks)).for_each(|((grains, block), count)| {
            instructions.run(FindBlocks { nodes, grains, block });
            block.iter().for_each(|&block| count[block as usize] += 1);
        });
        self.number(blocks);
        let order = &self.order;
        let chunks = self.block.par_chunks(chunk).zip(self.next.par_chunks_mut(blocks)).enumerate();
        chunks.for_each(|(k, (block, next))| {
            for (i, &block) in block.iter().enumerate() {
                let place = &mut next[block as usize];
                order[*place as usize].store((k * chunk + i) as u32, Ordering::Relaxed);
                *place += 1;
            }
        });
        let sorted = self.order.par_iter().with_min_len(4096);
        sorted
            .map(|grain| grains[grain.load(Ordering::Relaxed) as usize])
            .collect_into_vec(&mut self.scratch);
        std::mem::swap(grains, &mut self.scratch);
    }

    /// Turns counts into where the first grains go.
    fn number(&mut self, blocks: usize) {
        let mut first = 0;
        for block in 0..blocks {
            for next in self.next.iter_mut().skip(block).step_by(blocks) {
                (*next, first) = (first, first + *next);
            }
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * (self.block.capacity() + self.next.capacity() + self.order.capacity())
            + size_of::<Grain>() * self.scratch.capacity()
    }
}

/// Finds the blocks of grains.
struct FindBlocks<'a> {
    nodes: &'a Nodes,
    grains: &'a [Grain],
    block: &'a mut [u32],
}

impl Vectorised for FindBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (grains, block) in self.grains.chunks(LANES).zip(self.block.chunks_mut(LANES)) {
            let location = self.nodes.locate_all::<L>(&positions_of(grains));
            block.copy_from_slice(&location.block[..block.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::Domain;
    use crate::random::Random;
    use crate::upsample::{FrameInput, Guide, GuideGrid};
    use glam::Vec3;

    #[test]
    fn grains_come_by_blocks_and_keep_their_order_within() {
        let mut random = Random::new(8);
        let mut point = |size: f32| Vec3::new(random.unit(), random.unit(), random.unit()) * size;
        let guide = |x: Vec3| Guide { position: x.into(), ..Guide::default() };
        let grid = GuideGrid::new((0..80).map(|_| guide(point(20.0))).collect(), 1.0, &Domain::default());
        let mut nodes = Nodes::default();
        let (gravity, walls, outlets) = (Vec3::ZERO, &[], &[]);
        let frame = FrameInput { frame: 0, dt: 0.1, gravity, guides: &grid, after: &grid, walls, outlets };
        nodes.build(&frame, 1.0);
        let mut grains: Vec<Grain> = (0..3 * CHUNK as u32 + 5)
            .map(|id| Grain { position: (point(30.0) - 5.0).into(), id, ..Grain::default() })
            .collect();
        let all = grains.clone();
        GrainOrder::default().sort(&mut grains, &nodes, Instructions::best());
        let key = |grain: &Grain| (nodes.block_at(grain.position.into()).unwrap_or(usize::MAX), grain.id);
        assert!(grains.is_sorted_by_key(key));
        grains.sort_by_key(|grain| grain.id);
        assert_eq!(grains, all);
        assert!(nodes.cell_of_block.len() > 100);
    }
}
