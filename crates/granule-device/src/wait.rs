//! Submitting work and waiting for it, also on a device that somebody else draws with.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use wgpu::{CommandBuffer, PollType, SubmissionIndex};

use crate::{DeviceError, GpuDevice};

/// How long a thread sleeps between two looks at a device that is shared: short against a step, long against a look.
pub(crate) const LOOK_EVERY: Duration = Duration::from_micros(50);

/// Work that was submitted.
#[derive(Debug)]
pub struct Submission {
    index: SubmissionIndex,
    /// Whether it is done, as far as somebody has looked; on devices that are shared.
    done: Arc<AtomicBool>,
}

impl GpuDevice {
    /// Submits work that is to be waited for.
    pub fn submit(&self, commands: impl IntoIterator<Item = CommandBuffer>) -> Submission {
        let submission = Submission { index: self.queue.submit(commands), done: Arc::default() };
        if self.is_shared() {
            let done = Arc::clone(&submission.done);
            self.queue.on_submitted_work_done(move || done.store(true, Ordering::Release));
        }
        submission
    }

    /// Waits until all that was submitted is done.
    ///
    /// # Errors
    /// Says how the device has failed.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.wait_for(&self.submit([]))
    }

    /// Waits until a submission, and all before it, is done.
    ///
    /// A thread that waits inside the driver holds a lock of wgpu (30.0, `Device::poll`) that others need to show a picture
    /// or to free a texture. So a thread that shares the device looks and sleeps in turns instead. It does not ask wgpu for a
    /// wait of no length: that panics where another thread finds the queue empty in the same moment.
    ///
    /// # Errors
    /// Says how the device has failed.
    pub fn wait_for(&self, submission: &Submission) -> Result<(), DeviceError> {
        if self.is_shared() {
            while !submission.done.load(Ordering::Acquire) {
                self.poll(PollType::Poll)?;
                if !submission.done.load(Ordering::Acquire) {
                    std::thread::sleep(LOOK_EVERY);
                }
            }
        } else {
            self.poll(PollType::Wait { submission_index: Some(submission.index.clone()), timeout: None })?;
        }
        self.take_error().map_or(Ok(()), Err)
    }

    /// Has the driver looked at.
    pub(crate) fn poll(&self, how: PollType) -> Result<(), DeviceError> {
        let polled = self.device.poll(how);
        polled.map(drop).map_err(|error| DeviceError::Failed(error.to_string()))
    }
}
