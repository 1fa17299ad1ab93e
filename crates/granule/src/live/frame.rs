//! What a live run shows of itself.

use std::sync::Arc;

use crate::bodies::BodyReport;
use crate::boundary::Pose;
use crate::contacts::Contact;
use crate::flow::Ledger;
use crate::scene::Scene;
use crate::simulator::{FieldInfo, Snapshot};

use super::history::HistoryReport;
use super::options::Speed;
use super::request::RequestId;
use super::statistics::StepStatistics;

/// A live run at one moment: between two steps, mostly at a frame.
#[derive(Clone, Debug)]
pub struct Frame {
    /// How many were published before; tells a new one from one that is known.
    pub sequence: u64,
    /// The last request that was handled before; commands that wait for the frame's end are counted as handled.
    pub answered: RequestId,
    /// Frames completed.
    pub frame: u64,
    /// Simulated time \[s\].
    pub time: f64,
    /// Whether single steps have gone beyond the frame. Commands wait for its end then.
    pub mid_frame: bool,
    /// Commands that wait for the frame's end.
    pub waiting: usize,
    /// Whether it plays.
    pub playing: bool,
    /// How fast it is to play.
    pub speed: Speed,
    /// The frame on the way to which it is.
    pub seeking: Option<u64>,
    /// Why it cannot go on, if it cannot: it has diverged, or its device has failed. Seek, reset or load.
    pub halted: Option<String>,
    /// The scene as it began.
    pub scene: Arc<Scene>,
    /// The solver's name.
    pub solver: &'static str,
    /// Device and adapter in words.
    pub device: Arc<str>,
    /// The fields that the solver has.
    pub fields: &'static [FieldInfo],
    /// The fields that were asked for, sorted by id.
    pub snapshot: Arc<Snapshot>,
    /// The contacts, where they were asked for and the solver has some.
    pub contacts: Arc<[Contact]>,
    /// The rigid bodies. Mean forces are those since the frame before; after a seek they begin anew.
    pub bodies: Arc<[BodyReport]>,
    /// Where the boundaries are, in the order of the scene.
    pub boundaries: Arc<[Pose]>,
    /// Every grain that ever was.
    pub ledger: Ledger,
    /// The steps since the frame before.
    pub statistics: StepStatistics,
    /// Simulated seconds per second of wall time over the last second of play, all work and waiting included; none
    /// before two frames were played.
    pub real_time_factor: Option<f64>,
    /// What can be reached without going beyond what is known.
    pub history: HistoryReport,
    /// Hash of the state, where asked for.
    pub state_hash: Option<u64>,
}
