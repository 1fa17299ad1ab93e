//! Times of stages, by the device's own clock.

use granule::stages::{Stage, StageTimes};
use granule_device::GpuDevice;
use wgpu::{
    Buffer, BufferUsages, CommandEncoder, ComputePassTimestampWrites, Features, QuerySet, QuerySetDescriptor,
    QueryType,
};

/// Queries of a set; a device allows no more.
const QUERIES: u32 = 4096;

/// Timestamps of the stages that are recorded together.
pub struct Timing {
    set: QuerySet,
    resolved: Buffer,
    /// Stage and recorded step of every pair of queries.
    marks: Vec<(Stage, u32)>,
    step: u32,
}

impl Timing {
    /// A set of timestamps, where the device has them.
    pub fn new(gpu: &GpuDevice) -> Option<Self> {
        if !gpu.device.features().contains(Features::TIMESTAMP_QUERY) {
            return None;
        }
        let descriptor =
            QuerySetDescriptor { label: Some("timestamps"), ty: QueryType::Timestamp, count: QUERIES };
        let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        Some(Self {
            set: gpu.device.create_query_set(&descriptor),
            resolved: gpu.create_buffer("timestamps", 8 * u64::from(QUERIES), usage),
            marks: Vec::new(),
            step: 0,
        })
    }

    /// Begins anew with the recorded step of this number.
    pub fn begin(&mut self, step: u32) {
        self.marks.clear();
        self.step = step;
    }

    /// The next recorded step begins.
    pub fn next_step(&mut self) {
        self.step += 1;
    }

    /// Where a pass writes its times; nothing once the set is full.
    pub fn next(&mut self, stage: Stage) -> Option<ComputePassTimestampWrites<'_>> {
        let first = 2 * self.marks.len() as u32;
        if first + 2 > QUERIES {
            return None;
        }
        self.marks.push((stage, self.step));
        Some(ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// Records that the times go to memory.
    pub fn resolve(&self, encoder: &mut CommandEncoder) {
        let count = 2 * self.marks.len() as u32;
        if count > 0 {
            encoder.resolve_query_set(&self.set, 0..count, &self.resolved, 0);
        }
    }

    /// The part of a buffer that holds the times.
    pub fn part(&self) -> (&Buffer, u64, u64) {
        (&self.resolved, 0, 16 * self.marks.len() as u64)
    }

    /// Every pass that was recorded, from the bytes of [`Timing::part`].
    pub fn passed(&self, gpu: &GpuDevice, bytes: &[u8]) -> Vec<Passed> {
        let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
        let period = f64::from(gpu.queue.get_timestamp_period());
        let pairs = ticks.as_chunks::<2>().0.iter();
        let passed = pairs.zip(&self.marks).map(|([begin, end], (stage, step))| Passed {
            step: *step,
            stage: *stage,
            seconds: end.saturating_sub(*begin) as f64 * period * 1e-9,
        });
        passed.collect()
    }
}

/// When a pass ran.
#[derive(Clone, Copy, Debug)]
pub struct Passed {
    /// Number of the recorded step.
    pub step: u32,
    /// Its stage.
    pub stage: Stage,
    /// How long it took [s].
    pub seconds: f64,
}

/// Times of each report: those of the recorded steps since the one before it.
pub fn stage_times(passed: &[Passed], last_steps: &[u32]) -> Vec<StageTimes> {
    let mut times = vec![StageTimes::default(); last_steps.len()];
    for pass in passed {
        let report = last_steps.partition_point(|last| *last < pass.step);
        if let Some(times) = times.get_mut(report) {
            times.add(pass.stage, pass.seconds);
        }
    }
    times
}
