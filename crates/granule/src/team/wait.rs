//! How to wait for a few microseconds without losing them, and for longer without taking a core from others.

use std::time::{Duration, Instant};

/// How long a thread looks out before it sleeps. A choice: longer than the work between two stages, and shorter than what the
/// system takes to notice that somebody else would have liked the core.
const LOOK_OUT: Duration = Duration::from_micros(40);

/// How long a thread sleeps that nobody wakes. A choice, as long as the system's timers take anyway.
const NAP: Duration = Duration::from_micros(50);

/// Looks between two looks at the clock.
const LOOKS: u32 = 16;

/// One wait.
#[derive(Default)]
pub struct Wait {
    looks: u32,
    since: Option<Instant>,
    is_long: bool,
}

impl Wait {
    /// Waits a moment, and says whether it is time to sleep.
    pub fn is_long(&mut self) -> bool {
        self.looks += 1;
        if self.looks.is_multiple_of(LOOKS) {
            self.is_long |= self.since.get_or_insert_with(Instant::now).elapsed() > LOOK_OUT;
        }
        std::hint::spin_loop();
        self.is_long
    }

    /// Waits a moment, or sleeps for one where it is time to.
    pub fn look_or_nap(&mut self) {
        if self.is_long() {
            std::thread::sleep(NAP);
        }
    }

    /// Whether this is more than a moment.
    pub fn is_tiring(&self) -> bool {
        self.looks > 4 * LOOKS
    }
}

/// Keeps what is inside away from the cache lines of others; processors fetch lines in pairs.
#[repr(align(128))]
#[derive(Debug, Default)]
pub struct Apart<T>(pub T);
