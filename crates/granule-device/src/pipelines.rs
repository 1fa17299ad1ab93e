//! Compiled compute pipelines, kept for as long as their device.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use wgpu::ComputePipeline;

use crate::GpuDevice;

/// Pipelines by what they are compiled from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipelines {
    known: Arc<Mutex<HashMap<String, Arc<OnceLock<ComputePipeline>>>>>,
}

impl GpuDevice {
    /// The compute pipeline that is compiled from `text`, by `compile` where the device does not have it yet.
    ///
    /// The text must tell apart all that makes a difference: shader, entry point, constants and layouts. Who asks for a
    /// pipeline while somebody else compiles it waits for that one. Drivers in software take seconds for a large one.
    pub fn compute_pipeline(
        &self,
        text: String,
        compile: impl FnOnce() -> ComputePipeline,
    ) -> ComputePipeline {
        let mut known = self.pipelines.known.lock().unwrap_or_else(PoisonError::into_inner);
        let pipeline = Arc::clone(known.entry(text).or_default());
        drop(known);
        pipeline.get_or_init(compile).clone()
    }
}
