//! Times of stages, by the device's own clock.

use granule::stages::{Stage, StageTimes};
use granule_device::GpuDevice;
use wgpu::{
    Buffer, BufferUsages, CommandEncoder, ComputePass, ComputePassTimestampWrites, Features, QuerySet,
    QuerySetDescriptor, QueryType,
};

/// Queries of a set; a device allows no more.
const QUERIES: u32 = 4096;

/// Timestamps of the stages that are recorded together: one at the beginning, one after every stage.
pub struct Timing {
    set: QuerySet,
    resolved: Buffer,
    /// Whether a pass may write timestamps between its dispatches.
    inside: bool,
    /// Stage and recorded step of every timestamp; the first has none.
    marks: Vec<(Option<Stage>, u32)>,
    step: u32,
}

impl Timing {
    /// A set of timestamps, where the device has them.
    pub fn new(gpu: &GpuDevice) -> Option<Self> {
        let features = gpu.device.features();
        if !features.contains(Features::TIMESTAMP_QUERY) {
            return None;
        }
        let descriptor =
            QuerySetDescriptor { label: Some("timestamps"), ty: QueryType::Timestamp, count: QUERIES };
        let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        Some(Self {
            set: gpu.device.create_query_set(&descriptor),
            resolved: gpu.create_buffer("timestamps", 8 * u64::from(QUERIES), usage),
            inside: features.contains(Features::TIMESTAMP_QUERY_INSIDE_PASSES),
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

    /// Whether stages must be passes of their own to be timed.
    pub fn needs_passes(&self) -> bool {
        !self.inside
    }

    fn mark(&mut self, stage: Option<Stage>) -> Option<u32> {
        let number = self.marks.len() as u32;
        (number < QUERIES).then(|| {
            self.marks.push((stage, self.step));
            number
        })
    }

    /// Marks the end of a stage in a pass, or the beginning of all.
    pub fn write(&mut self, pass: &mut ComputePass, stage: Option<Stage>) {
        if self.inside
            && (stage.is_some() || self.marks.is_empty())
            && let Some(number) = self.mark(stage)
        {
            pass.write_timestamp(&self.set, number);
        }
    }

    /// Where a pass that is a whole stage writes its times; nothing once the set is full.
    pub fn of_pass(&mut self, stage: Stage) -> Option<ComputePassTimestampWrites<'_>> {
        let beginning_of_pass_write_index = if self.marks.is_empty() { self.mark(None) } else { None };
        let end_of_pass_write_index = Some(self.mark(Some(stage))?);
        Some(ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index,
            end_of_pass_write_index,
        })
    }

    /// Records that the times go to memory.
    pub fn resolve(&self, encoder: &mut CommandEncoder) {
        let count = self.marks.len() as u32;
        if count > 0 {
            encoder.resolve_query_set(&self.set, 0..count, &self.resolved, 0);
        }
    }

    /// The part of a buffer that holds the times.
    pub fn part(&self) -> (&Buffer, u64, u64) {
        (&self.resolved, 0, 8 * self.marks.len() as u64)
    }

    /// Every stage that was recorded, from the bytes of [`Timing::part`].
    pub fn passed(&self, gpu: &GpuDevice, bytes: &[u8]) -> Vec<Passed> {
        let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
        let period = f64::from(gpu.queue.get_timestamp_period());
        let pairs = ticks.windows(2).zip(self.marks.iter().skip(1));
        let passed = pairs.filter_map(|(pair, (stage, step))| {
            let seconds = pair[1].saturating_sub(pair[0]) as f64 * period * 1e-9;
            Some(Passed { step: *step, stage: (*stage)?, seconds })
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
    /// How long it took \[s\].
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
