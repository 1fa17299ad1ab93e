//! A live run: a simulation on a thread of its own, for windows, scripts and tests.
//!
//! ```text
//! Live --requests-->  worker (one thread)         --frames, events, recording-->  outbox --> Live
//!                     run: simulation, history of checkpoints, detector of divergence
//!                     pace: when the next frame is due; watch: whether the scene's file has changed
//! ```
//!
//! Nothing that [`Live`] offers waits for the simulation: requests go through a channel, and what is asked for lies ready in
//! the outbox, whose locks are held for as long as a pointer takes to copy. Requests are handled in their order, at the end
//! of the frame under way. Those that leave this frame (seek, reset, load, rebuild) and the end of the run wait for its
//! current step only.
//!
//! **Time.** Commands act at frames and are [recorded](Recording) with them. Whoever goes back in time sees the same commands
//! replayed, and the same bits, until a new command cuts off what came after it.
//!
//! **Beginnings.** A [`Source`] is a scene, a [recording](Recording), which is replayed as the run goes, a checkpoint, which the
//! run goes on from, or the folder of a run that is over: its frames are played, nothing simulates, commands are refused.
//!
//! **History.** Checkpoints are kept within a budget of bytes; seeking restores the nearest one before the frame and simulates
//! from there. They are taken as densely as [`LiveOptions::checkpoint_after`] says, and thinned where the budget ends.

mod beginning;
mod event;
mod frame;
mod handle;
mod history;
mod options;
mod outbox;
mod pace;
mod recording;
mod request;
mod run;
mod statistics;
mod watch;
mod worker;

#[cfg(test)]
mod tests;

pub use beginning::FileKind;
pub use event::Event;
pub use frame::Frame;
pub use handle::Live;
pub use history::HistoryReport;
pub use options::{HISTORY_BYTES, LiveOptions, Publish, Source, Speed};
pub use recording::{LoggedCommand, Recording, RecordingError};
pub use request::RequestId;
pub use statistics::StepStatistics;
