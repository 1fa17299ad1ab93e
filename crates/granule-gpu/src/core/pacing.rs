//! How far steps are submitted ahead of a device that somebody else draws with.
//!
//! A queue does what it is given in order, so a picture waits for every step that was submitted before it. Where the device is
//! shared, steps are submitted in parts of a few milliseconds, and no more than two of them are under way: one that the
//! device works at and one that it finds when it is done, so that neither waits long for the other.

use std::collections::VecDeque;

use granule_device::{DeviceError, GpuDevice, Submission};

/// Most steps that are submitted at once. A batch begins with a single one, so that the device does not wait while several
/// are recorded.
const STEPS_PER_SUBMISSION: u32 = 4;

/// How long a submission may keep a device that is shared \[s\], unless a single step takes longer. Two of them leave a picture
/// of a sixtieth of a second most of its time.
const LONGEST_SUBMISSION: f64 = 2e-3;

/// Submissions under way on a device that is shared; one where a single step takes twice the time that a submission should.
const MOST_IN_FLIGHT: usize = 2;

/// What was submitted to a shared device and may not be done yet.
#[derive(Debug, Default)]
pub struct Pacing {
    in_flight: VecDeque<Submission>,
    /// How long the device takes for a step \[s\]; not known at first.
    step_seconds: Option<f64>,
    /// Most submissions that were under way at once.
    most: usize,
}

impl Pacing {
    /// Steps that may be submitted together.
    pub fn steps_together(&self, gpu: &GpuDevice) -> u32 {
        match (gpu.is_shared(), self.step_seconds) {
            (false, _) => STEPS_PER_SUBMISSION,
            (true, None) => 1,
            (true, Some(seconds)) => {
                (LONGEST_SUBMISSION / seconds).clamp(1.0, f64::from(STEPS_PER_SUBMISSION)) as u32
            }
        }
    }

    /// Submissions that may be under way together.
    fn depth(&self) -> usize {
        let long = self.step_seconds.is_some_and(|seconds| seconds > 2.0 * LONGEST_SUBMISSION);
        if long { 1 } else { MOST_IN_FLIGHT }
    }

    /// Waits until one more submission may be made; not at all where the device is not shared.
    ///
    /// # Errors
    /// Says how the device has failed.
    pub fn make_room(&mut self, gpu: &GpuDevice) -> Result<(), DeviceError> {
        while self.in_flight.len() >= self.depth() {
            let Some(oldest) = self.in_flight.pop_front() else { break };
            gpu.wait_for(&oldest)?;
        }
        Ok(())
    }

    /// Takes note of a submission.
    pub fn note(&mut self, gpu: &GpuDevice, submission: Submission) {
        if gpu.is_shared() {
            self.in_flight.push_back(submission);
            self.most = self.most.max(self.in_flight.len());
        }
    }

    /// All that was submitted is done; steps took so long by the device's clock, or on the wall where it has none \[s\].
    pub fn finish(&mut self, step_seconds: f64) {
        self.in_flight.clear();
        if step_seconds > 0.0 {
            self.step_seconds = Some(step_seconds);
        }
    }

    /// What was seen: time of a step \[s\], and most submissions under way at once.
    pub fn report(&self) -> PacingReport {
        PacingReport { step_seconds: self.step_seconds, most_in_flight: self.most }
    }
}

/// How steps were submitted to a device that is shared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PacingReport {
    /// How long the device takes for a step \[s\].
    pub step_seconds: Option<f64>,
    /// Most submissions of steps that were under way at once; 0 where the device is not shared.
    pub most_in_flight: usize,
}
