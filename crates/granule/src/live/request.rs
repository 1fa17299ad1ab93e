//! What a live run can be asked for.

use crate::build::Options;
use crate::simulation::Simulation;
use crate::simulator::Command;

use super::options::{Publish, Source, Speed};

/// Number of a request, counted from 1 in the order in which they were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestId(pub u64);

/// What a live run can be asked for.
pub(super) enum Request {
    /// Goes on.
    Play,
    /// Stops at the next frame.
    Pause,
    /// Pauses and takes one step.
    Step,
    /// Pauses and goes to the next frame.
    Frame,
    /// Begins anew, without any commands.
    Reset,
    /// Changes the speed.
    Speed(Speed),
    /// Changes something in the scene.
    Apply(Command),
    /// Goes to a frame.
    Seek(u64),
    /// Goes back to before what was last done by hand, and forgets it.
    Undo,
    /// Takes another scene.
    Load(Source),
    /// Takes a source as the one of the scene that runs; its file has just been written.
    Saved(Source),
    /// Does something with the simulation.
    Work(Box<dyn FnOnce(&mut Simulation) + Send>),
    /// Takes another solver or device.
    Rebuild(Box<Options>),
    /// Changes the fields of frames.
    Fields(Vec<String>),
    /// Changes whether frames have contacts.
    Contacts(bool),
    /// Changes what takes frames on the simulation's thread.
    Publisher(Option<Box<dyn Publish>>),
}

impl Request {
    /// Whether it leaves the frame under way, so that this need not come to its end.
    pub(super) fn leaves_frame(&self) -> bool {
        matches!(self, Self::Reset | Self::Undo | Self::Seek(_) | Self::Load(_) | Self::Rebuild(_))
    }

    /// Whether it must find the frame under way at its end, or begins where that ends.
    pub(super) fn needs_frame(&self) -> bool {
        matches!(self, Self::Apply(_) | Self::Step | Self::Frame | Self::Work(_))
    }
}
