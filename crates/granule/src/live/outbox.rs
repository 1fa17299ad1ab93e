//! What lies ready for the interface: the newest frame, events, the recording.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::event::Event;
use super::frame::Frame;
use super::recording::Recording;

/// Events that are kept where nobody takes them; the oldest go first.
const MOST_EVENTS: usize = 4096;

/// What lies ready for the interface.
pub(super) struct Outbox {
    frame: Mutex<Arc<Frame>>,
    published: Condvar,
    events: Mutex<VecDeque<Event>>,
    recording: Mutex<Recording>,
}

/// A lock whose holder never leaves it half changed, whatever becomes of its thread.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Outbox {
    pub(super) fn new(frame: Frame, recording: Recording) -> Self {
        Self {
            frame: Mutex::new(Arc::new(frame)),
            published: Condvar::new(),
            events: Mutex::default(),
            recording: Mutex::new(recording),
        }
    }

    /// The newest frame.
    pub(super) fn latest(&self) -> Arc<Frame> {
        locked(&self.frame).clone()
    }

    /// Replaces the newest frame.
    pub(super) fn publish(&self, frame: Arc<Frame>) {
        // The old one is given up outside of the lock, as that may take time.
        let _old = std::mem::replace(&mut *locked(&self.frame), frame);
        self.published.notify_all();
    }

    /// The first frame for which `wanted` holds, if one comes in time.
    pub(super) fn wait(
        &self,
        timeout: Duration,
        mut wanted: impl FnMut(&Frame) -> bool,
    ) -> Option<Arc<Frame>> {
        let end = Instant::now() + timeout;
        let mut slot = locked(&self.frame);
        loop {
            if wanted(&slot) {
                return Some(slot.clone());
            }
            let left = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
            slot = self.published.wait_timeout(slot, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Adds an event.
    pub(super) fn tell(&self, event: Event) {
        let mut events = locked(&self.events);
        if events.len() >= MOST_EVENTS {
            events.pop_front();
        }
        events.push_back(event);
    }

    /// Takes all events.
    pub(super) fn take_events(&self) -> Vec<Event> {
        locked(&self.events).drain(..).collect()
    }

    /// Looks at the recording, or changes it.
    pub(super) fn with_recording<R>(&self, work: impl FnOnce(&mut Recording) -> R) -> R {
        work(&mut locked(&self.recording))
    }
}
