//! What a live run tells beside its frames.

use crate::simulator::CommandReport;

use super::request::RequestId;

/// What has happened in a live run.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A command was carried out.
    CommandDone {
        /// The request.
        id: RequestId,
        /// The frame at which it acts.
        frame: u64,
        /// What it did.
        report: CommandReport,
    },
    /// A request was refused; nothing has changed.
    Refused {
        /// The request.
        id: RequestId,
        /// Why, in words.
        reason: String,
    },
    /// A field that the solver does not have was asked for; the others are published.
    FieldRefused {
        /// Why, in words.
        reason: String,
    },
    /// A frame was reached that was sought.
    Arrived {
        /// The request.
        id: RequestId,
        /// The frame.
        frame: u64,
    },
    /// What was last done was undone.
    Undone {
        /// The request.
        id: RequestId,
        /// The frame that the run is at now.
        frame: u64,
    },
    /// A scene was loaded and begins.
    Loaded {
        /// The request; none where the file has changed on disk.
        id: Option<RequestId>,
        /// Name of the scene.
        scene: String,
    },
    /// A scene could not be loaded; the old one runs on.
    LoadRefused {
        /// The request; none where the file has changed on disk.
        id: Option<RequestId>,
        /// What is wrong with it.
        reason: String,
    },
    /// Another solver or device goes on.
    Rebuilt {
        /// The request.
        id: RequestId,
        /// The frame from which it goes on.
        frame: u64,
    },
    /// The scene began anew, since the new solver or device cannot go on from where the old one was.
    Restarted {
        /// The request.
        id: RequestId,
        /// Why.
        reason: String,
    },
    /// The preferred device did not take the scene; CPU cores do.
    DeviceRefused {
        /// Why.
        reason: String,
    },
    /// A new command was given in the past: what came after it is gone.
    HistoryTruncated {
        /// The last frame that is left.
        after: u64,
    },
    /// A checkpoint could not be taken, or not be used; going back takes longer. Told once per scene.
    NoCheckpoint {
        /// Its frame.
        frame: u64,
        /// Why.
        reason: String,
    },
    /// A recorded command was refused when it was replayed, which another solver or device may do.
    ReplayRefused {
        /// Its frame.
        frame: u64,
        /// Why.
        reason: String,
    },
    /// The run diverged and has stopped; the last good frame can be sought.
    Diverged {
        /// The last good frame.
        frame: u64,
        /// When, what was seen, the likely cause and the remedy.
        diagnosis: String,
    },
    /// The device failed and the run has stopped; seeking or resetting tries it anew.
    DeviceFailed {
        /// The last frame before.
        frame: u64,
        /// What the device says.
        reason: String,
    },
    /// The thread of the simulation has ended by a fault in the program; nothing more will come.
    Crashed {
        /// What is known.
        reason: String,
    },
}
