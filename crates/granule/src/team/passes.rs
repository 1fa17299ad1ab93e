//! Several passes over blocks without waiting for all between them.
//!
//! A pass of a block needs the pass before of the block and of its neighbours, not of all. A member goes over its run of blocks
//! to and fro: what it did last it does first in the next pass, so that its memory is still in a cache, and what it needs from
//! the members beside it they have done long ago. A run too large for a cache goes in waves instead: all passes follow each
//! other closely over the run, as far as they need nothing from other runs, and the rest comes after that.

use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicU32, Ordering};

use super::crew::Region;
use super::in_charge;
use super::work::run_start;

/// Fewest blocks of a member. A choice: with one block each, all would wait for the slowest.
const LEAST_BLOCKS: usize = 2;

/// Fewest blocks of a run that goes in waves. Found by experiment: fewer stay in the caches anyway.
const LEAST_OF_WAVE: usize = 64;

/// A pass over a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Item {
    pass: u32,
    block: u32,
}

/// Who does which pass over which block in what order. It is kept as long as blocks have the same neighbours.
#[derive(Debug, Default)]
pub struct PassPlan {
    /// Items per member.
    runs: Vec<Vec<Item>>,
    /// Passes that each block is through.
    through: Vec<AtomicU32>,
    /// Number of blocks, of passes and of members.
    made_for: [usize; 3],
}

impl PassPlan {
    /// Blocks have other neighbours now.
    pub fn forget(&mut self) {
        self.made_for = [0; 3];
    }

    /// Runs passes 0 to `passes - 1` over all blocks: `work` gets pass and block, each after the pass before of the block and
    /// of those among `neighbors` of it, which must be mutual.
    pub fn run(
        &mut self,
        blocks: usize,
        passes: usize,
        neighbors: impl Fn(usize) -> RangeInclusive<usize> + Sync,
        work: impl Fn(usize, usize) + Sync,
    ) {
        in_charge(|crew| {
            let region = Region::begin(crew, blocks / LEAST_BLOCKS);
            self.prepare([blocks, passes, region.members()], &neighbors);
            let (runs, through) = (&self.runs, &self.through);
            let claims = region.claims(|_| 0);
            let is_through = |b: usize, pass: u32| through[b].load(Ordering::Acquire) >= pass;
            let ready = |run: usize, k: usize| {
                let Item { pass, block } = runs[run][k];
                is_through(block as usize, pass) && neighbors(block as usize).all(|b| is_through(b, pass))
            };
            let run_item = |run: usize, k: usize| {
                let Item { pass, block } = runs[run][k];
                work(pass as usize, block as usize);
                through[block as usize].store(pass + 1, Ordering::Release);
            };
            region.run(&|member| claims.take_ready(member, |run| runs[run].len(), ready, run_item));
        });
    }

    fn prepare(&mut self, plan: [usize; 3], neighbors: &impl Fn(usize) -> RangeInclusive<usize>) {
        let [blocks, passes, members] = plan;
        self.through.resize_with(blocks, AtomicU32::default);
        self.through.iter_mut().for_each(|through| *through.get_mut() = 0);
        if self.made_for == plan {
            return;
        }
        self.made_for = plan;
        self.runs.resize_with(members, Vec::new);
        for (member, items) in self.runs.iter_mut().enumerate() {
            items.clear();
            let run = run_start(blocks, members, member)..run_start(blocks, members, member + 1);
            if run.len() < LEAST_OF_WAVE {
                push_to_and_fro(items, run, passes);
            } else {
                push_in_waves(items, run, passes, neighbors);
            }
        }
    }
}

/// Pass by pass, every other one backwards.
fn push_to_and_fro(items: &mut Vec<Item>, run: Range<usize>, passes: usize) {
    for pass in 0..passes {
        let forth = run.clone().map(|block| item(pass, block));
        if pass % 2 == 0 { items.extend(forth) } else { items.extend(forth.rev()) }
    }
}

fn item(pass: usize, block: usize) -> Item {
    Item { pass: pass as u32, block: block as u32 }
}

/// All passes close behind each other as far as they need nothing from other runs, then the rest pass by pass.
fn push_in_waves(
    items: &mut Vec<Item>,
    run: Range<usize>,
    passes: usize,
    neighbors: &impl Fn(usize) -> RangeInclusive<usize>,
) {
    let mut wave = Wave { items, done: vec![run.start..run.start; passes] };
    for block in run.clone() {
        wave.items.push(item(0, block));
        wave.done[0].end = block + 1;
        (1..passes).for_each(|pass| wave.advance(pass, neighbors));
    }
    let Wave { items, done } = wave;
    for (pass, done) in done.iter().enumerate() {
        items.extend(run.clone().filter(|block| !done.contains(block)).map(|block| item(pass, block)));
    }
}

struct Wave<'a> {
    items: &'a mut Vec<Item>,
    /// Blocks that each pass has done.
    done: Vec<Range<usize>>,
}

impl Wave<'_> {
    /// Takes a pass as far as the one before it allows.
    fn advance(&mut self, pass: usize, neighbors: &impl Fn(usize) -> RangeInclusive<usize>) {
        let before = self.done[pass - 1].clone();
        let done = &mut self.done[pass];
        while done.end < before.end {
            let needed = neighbors(done.end);
            if *needed.end() >= before.end {
                return;
            }
            if *needed.start() >= before.start && done.end >= before.start {
                self.items.push(item(pass, done.end));
                done.end += 1;
            } else if done.start == done.end {
                // Needs a block of another run: this one comes when the wave is through.
                *done = done.end + 1..done.end + 1;
            } else {
                return;
            }
        }
    }
}
