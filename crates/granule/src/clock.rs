//! Run clocks: how simulated time follows real time.

use std::time::{Duration, Instant};

/// How fast a run should go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As fast as the machine can.
    Fastest,
    /// Simulated seconds per real second; frames that come too late are dropped, never caught up in bursts.
    RealTime(f64),
    /// Nothing moves.
    Paused,
}

/// Decides how many frames to simulate now.
#[derive(Clone, Debug)]
pub struct RunClock {
    pace: Pace,
    seconds_per_frame: f64,
    owed: f64,
    last: Option<Instant>,
    single_frames: u32,
    dropped: u64,
}

/// Most frames that a real-time clock lets run at once.
const MOST_FRAMES_BEHIND: f64 = 2.0;

impl RunClock {
    /// A clock for a scene's frame rate [1/s].
    pub fn new(pace: Pace, fps: f64) -> Self {
        Self { pace, seconds_per_frame: 1.0 / fps, owed: 0.0, last: None, single_frames: 0, dropped: 0 }
    }

    /// Changes the pace; time that passed under the old one is forgotten.
    pub fn set_pace(&mut self, pace: Pace) {
        self.pace = pace;
        self.owed = 0.0;
        self.last = None;
    }

    /// The pace.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// Lets one frame run while paused.
    pub fn single_frame(&mut self) {
        self.single_frames += 1;
    }

    /// Frames dropped so far because the machine was too slow.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Number of frames to simulate at the real time `now`.
    pub fn frames_due(&mut self, now: Instant) -> u32 {
        let elapsed = self.last.map_or(Duration::ZERO, |last| now.saturating_duration_since(last));
        self.last = Some(now);
        let singles = std::mem::take(&mut self.single_frames);
        match self.pace {
            Pace::Fastest => 1,
            Pace::Paused => singles,
            Pace::RealTime(speed) => {
                self.owed += elapsed.as_secs_f64() * speed / self.seconds_per_frame;
                let surplus = (self.owed - MOST_FRAMES_BEHIND).max(0.0).floor();
                self.dropped += surplus as u64;
                self.owed -= surplus;
                let due = self.owed.floor();
                self.owed -= due;
                due as u32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_time_owes_frames_and_drops_what_is_too_late() {
        let start = Instant::now();
        let mut clock = RunClock::new(Pace::RealTime(1.0), 50.0);
        assert_eq!(clock.frames_due(start), 0);
        assert_eq!(clock.frames_due(start + Duration::from_millis(21)), 1);
        assert_eq!(clock.frames_due(start + Duration::from_millis(30)), 0);
        assert_eq!(clock.frames_due(start + Duration::from_millis(1030)), 2);
        assert_eq!(clock.dropped(), 48);
    }

    #[test]
    fn a_paused_clock_runs_single_frames_only() {
        let mut clock = RunClock::new(Pace::Paused, 50.0);
        assert_eq!(clock.frames_due(Instant::now()), 0);
        clock.single_frame();
        assert_eq!(clock.frames_due(Instant::now()), 1);
        assert_eq!(clock.frames_due(Instant::now()), 0);
        clock.set_pace(Pace::Fastest);
        assert_eq!(clock.frames_due(Instant::now()), 1);
    }
}
