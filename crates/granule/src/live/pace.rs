//! When the next frame is due, and how fast time really passes.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::options::Speed;

/// How long the real-time factor looks back.
const WINDOW: Duration = Duration::from_secs(1);

/// Delay that is still made up for; what is later is dropped.
const MOST_DELAY: Duration = Duration::from_millis(100);

/// Longest pause between two frames, where motion is very slow.
const LONGEST_INTERVAL: f64 = 3600.0;

/// The clock of a run that plays.
pub(super) struct Pace {
    speed: Speed,
    /// When the next frame may begin.
    due: Option<Instant>,
    /// When frames were published, and their simulated times \[s\].
    recent: VecDeque<(Instant, f64)>,
}

impl Pace {
    pub(super) fn new(speed: Speed) -> Self {
        Self { speed, due: None, recent: VecDeque::new() }
    }

    pub(super) fn speed(&self) -> Speed {
        self.speed
    }

    /// Changes the speed; the factor is measured anew.
    pub(super) fn set_speed(&mut self, speed: Speed) {
        self.speed = speed;
        self.restart();
    }

    /// Begins anew: after a pause or a jump.
    pub(super) fn restart(&mut self) {
        self.due = None;
        self.recent.clear();
    }

    /// How long to wait before the next frame begins.
    pub(super) fn wait(&self, now: Instant) -> Duration {
        self.due.map_or(Duration::ZERO, |due| due.saturating_duration_since(now))
    }

    /// A frame of `seconds` simulated time begins: says when the one after it may.
    pub(super) fn begin(&mut self, now: Instant, seconds: f64) {
        self.due = match self.speed {
            Speed::Unlimited => None,
            Speed::RealTime(factor) => {
                let started = self.due.filter(|due| *due + MOST_DELAY > now).unwrap_or(now);
                Some(started + Duration::from_secs_f64((seconds / factor).min(LONGEST_INTERVAL)))
            }
        };
    }

    /// A frame at a simulated time \[s\] was published.
    pub(super) fn note(&mut self, now: Instant, time: f64) {
        self.recent.push_back((now, time));
        while self.recent.len() > 2 && self.recent.get(1).is_some_and(|(at, _)| now - *at >= WINDOW) {
            self.recent.pop_front();
        }
    }

    /// Simulated seconds per second of wall time.
    pub(super) fn factor(&self) -> Option<f64> {
        let ((first, from), (last, to)) = (self.recent.front()?, self.recent.back()?);
        let wall = last.duration_since(*first).as_secs_f64();
        (wall > 0.0).then(|| (to - from) / wall)
    }
}
