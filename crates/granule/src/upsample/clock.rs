//! How long the stages of a frame take.

use std::time::Instant;

/// Sums of the times of stages.
#[derive(Clone, Debug, Default)]
pub struct StageClock {
    stages: Vec<(&'static str, f64)>,
    frames: u64,
    last: Option<Instant>,
}

impl StageClock {
    /// A frame begins.
    pub fn begin(&mut self) {
        self.frames += 1;
        self.last = Some(Instant::now());
    }

    /// A stage of the frame has ended: its time is that since the last one did.
    pub fn lap(&mut self, stage: &'static str) {
        let now = Instant::now();
        let seconds = self.last.map_or(0.0, |last| (now - last).as_secs_f64());
        self.last = Some(now);
        match self.stages.iter_mut().find(|(name, _)| *name == stage) {
            Some((_, sum)) => *sum += seconds,
            None => self.stages.push((stage, seconds)),
        }
    }

    /// Mean milliseconds per frame of every stage since the start.
    pub fn means(&self) -> Vec<(&'static str, f64)> {
        let mean = |&(name, sum): &(&'static str, f64)| (name, 1e3 * sum / self.frames.max(1) as f64);
        self.stages.iter().map(mean).collect()
    }
}
