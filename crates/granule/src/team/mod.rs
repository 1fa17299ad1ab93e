//! A team of threads that stays awake during a step, and the ways in which it shares work.
//!
//! A step has some fifty parallel stages of ten microseconds to a few milliseconds. Waking threads for each of them, as a
//! general thread pool does, takes as long as the shorter ones. Members of a [`Team`] look out for the next stage for some
//! microseconds before they go to sleep, and each takes the same run of blocks in every stage, so that what it needs is
//! still in its core's cache. Who is through early helps the others, block by block.
//!
//! Stages call the free functions of this room, which use the team that [`Team::install`] has put in charge of the thread, or
//! none: then, and inside of a stage, everything is done by the caller alone. Nothing here adds numbers up in an order that
//! depends on the number of threads.
//!
//! | function | does |
//! | --- | --- |
//! | [`for_each`], [`for_each_mut`] | something for each of a number of items |
//! | [`for_each_block`] | something for each block of [`BLOCK`] particles, with its part of columns |
//! | [`map`], [`map_blocks`], [`sum_blocks`], [`fill`] | the same, with results in order |
//! | [`PassPlan::run`] | several passes over blocks, each block's as soon as its neighbours allow |

mod blocks;
mod columns;
mod crew;
mod passes;
mod wait;
mod work;

use std::cell::Cell;

pub use blocks::{BLOCK, QUICK, block_count, block_range, map_blocks, sum_blocks};
pub use columns::{BlockColumns, PerBlock, SharedColumn, for_each_block};
pub use passes::PassPlan;
pub use work::{fill, for_each, for_each_mut, map};

use crew::Crew;

/// Threads that share the work of a simulation, the one that calls among them.
#[derive(Debug)]
pub struct Team {
    crew: Crew,
    /// What is done rarely, rayon's way.
    pool: rayon::ThreadPool,
}

/// Threads that could not be started, in the system's words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TeamError(String);

thread_local! {
    /// The team in charge of this thread.
    static IN_CHARGE: Cell<*const Crew> = const { Cell::new(std::ptr::null()) };
}

impl Team {
    /// A team of a number of threads; of as many as there are cores for 0.
    ///
    /// # Errors
    /// Says why threads could not be started.
    pub fn new(threads: usize) -> Result<Self, TeamError> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let count = if threads == 0 { cores() } else { threads };
        let crew = Crew::new(count).map_err(|error| TeamError(error.to_string()))?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
        Ok(Self { crew, pool: pool.map_err(|error| TeamError(error.to_string()))? })
    }

    /// Number of threads.
    pub fn thread_count(&self) -> usize {
        self.crew.len()
    }

    /// Does something with this team in charge.
    pub fn install<R>(&self, work: impl FnOnce() -> R) -> R {
        struct Back(*const Crew);
        impl Drop for Back {
            fn drop(&mut self) {
                IN_CHARGE.set(self.0);
            }
        }
        let _back = Back(IN_CHARGE.replace(&self.crew));
        work()
    }

    /// Does something rare: rayon's functions share it among as many threads, and the team is in charge, too.
    pub fn install_pool<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(|| self.install(work))
    }
}

/// Number of threads of the team in charge.
pub fn thread_count() -> usize {
    in_charge(|crew| crew.map_or(1, Crew::len))
}

/// Which member of the team in charge this thread is; 0 for who called.
pub fn member() -> usize {
    crew::MEMBER.get()
}

/// Calls `work` with the crew in charge of this thread.
fn in_charge<R>(work: impl FnOnce(Option<&Crew>) -> R) -> R {
    let crew = IN_CHARGE.get();
    // SAFETY: `install` borrows the team for as long as it is in charge.
    work(unsafe { crew.as_ref() })
}

#[cfg(test)]
mod tests;
