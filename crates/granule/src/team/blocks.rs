//! Fixed blocks of particles: the unit of parallel work and of reductions.
//!
//! Blocks depend only on the number of particles, never on the number of threads, and partial sums are added in
//! the order of blocks: results are bit-identical for any thread count.

use std::ops::Range;

use super::map;

/// Particles per block.
pub const BLOCK: usize = 256;

/// Number of blocks for `count` particles.
pub fn block_count(count: usize) -> usize {
    count.div_ceil(BLOCK)
}

/// The particles of a block.
pub fn block_range(block: usize, count: usize) -> Range<usize> {
    block * BLOCK..((block + 1) * BLOCK).min(count)
}

/// Fewest blocks that are worth a member for what is done quickly. A choice: a pass over 1024 particles that only reads them
/// takes about as long as a call of the team.
pub const QUICK: usize = 4;

/// Runs `work`, which is done quickly, for every block and returns the results in the order of blocks.
pub fn map_blocks<R: Send>(count: usize, work: impl Fn(usize, Range<usize>) -> R + Sync) -> Vec<R> {
    map(block_count(count), QUICK, |block| work(block, block_range(block, count)))
}

/// Sums per-block results in a fixed order.
pub fn sum_blocks(count: usize, work: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
    map_blocks(count, |_, range| work(range)).into_iter().sum()
}
