//! Times of stages and kernels, by the device's own clock.

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
    marks: Vec<Mark>,
    step: u32,
    /// Whether kernels are timed as well.
    kernels: bool,
}

/// What has ended at a timestamp; nothing at the first.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    stage: Option<Stage>,
    kernel: Option<&'static str>,
    /// The recorded step.
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
            kernels: false,
        })
    }

    /// Begins anew with the recorded step of this number, with the times of kernels where these are asked for.
    pub fn begin(&mut self, step: u32, kernels: bool) {
        self.marks.clear();
        self.step = step;
        self.kernels = kernels && self.inside;
    }

    /// Whether kernels are timed.
    pub fn watches_kernels(&self) -> bool {
        self.kernels
    }

    /// The next recorded step begins.
    pub fn next_step(&mut self) {
        self.step += 1;
    }

    /// Whether stages must be passes of their own to be timed.
    pub fn needs_passes(&self) -> bool {
        !self.inside
    }

    fn mark(&mut self, stage: Option<Stage>, kernel: Option<&'static str>) -> Option<u32> {
        let number = self.marks.len() as u32;
        (number < QUERIES).then(|| {
            self.marks.push(Mark { stage, kernel, step: self.step });
            number
        })
    }

    /// Marks the end of a kernel.
    pub fn write_kernel(&mut self, pass: &mut ComputePass, name: &'static str) {
        if let Some(number) = self.mark(None, Some(name)) {
            pass.write_timestamp(&self.set, number);
        }
    }

    /// Marks the end of a stage in a pass, or the beginning of all.
    pub fn write(&mut self, pass: &mut ComputePass, stage: Option<Stage>) {
        if self.inside
            && (stage.is_some() || self.marks.is_empty())
            && let Some(number) = self.mark(stage, None)
        {
            pass.write_timestamp(&self.set, number);
        }
    }

    /// Where a pass that is a whole stage writes its times; nothing once the set is full.
    pub fn of_pass(&mut self, stage: Stage) -> Option<ComputePassTimestampWrites<'_>> {
        let beginning_of_pass_write_index = if self.marks.is_empty() { self.mark(None, None) } else { None };
        let end_of_pass_write_index = Some(self.mark(Some(stage), None)?);
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

    /// What has ended at every timestamp but the first, and how long that took \[s\], from the bytes of [`Timing::part`].
    fn spans(&self, gpu: &GpuDevice, bytes: &[u8]) -> Vec<(Mark, f64)> {
        let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
        let period = f64::from(gpu.queue.get_timestamp_period());
        let seconds = ticks.windows(2).map(|pair| pair[1].saturating_sub(pair[0]) as f64 * period * 1e-9);
        self.marks.iter().skip(1).copied().zip(seconds).collect()
    }

    /// Every stage that was recorded.
    pub fn passed(&self, gpu: &GpuDevice, bytes: &[u8]) -> Vec<Passed> {
        // A stage takes as long as its kernels, where these have timestamps of their own.
        let mut seconds = 0.0;
        let passed = self.spans(gpu, bytes).into_iter().filter_map(|(mark, span)| {
            seconds += span;
            let stage = mark.stage?;
            Some(Passed { step: mark.step, stage, seconds: std::mem::take(&mut seconds) })
        });
        passed.collect()
    }

    /// Every kernel that was recorded, and its time \[s\].
    pub fn kernels(&self, gpu: &GpuDevice, bytes: &[u8]) -> Vec<(&'static str, f64)> {
        self.spans(gpu, bytes).into_iter().filter_map(|(mark, span)| Some((mark.kernel?, span))).collect()
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

/// Times of kernels over many steps.
#[derive(Clone, Debug, Default)]
pub struct KernelTimes {
    /// Names in the order of their first dispatch, and the times of all \[s\].
    times: Vec<(&'static str, Vec<f64>)>,
}

impl KernelTimes {
    /// Counts a dispatch.
    pub fn add(&mut self, name: &'static str, seconds: f64) {
        match self.times.iter_mut().find(|(known, _)| *known == name) {
            Some((_, times)) => times.push(seconds),
            None => self.times.push((name, vec![seconds])),
        }
    }

    /// Name, dispatches, their median and their sum \[s\] of every kernel, in the order of their first dispatch.
    pub fn list(&self) -> Vec<KernelTime> {
        let one = |(name, times): &(&'static str, Vec<f64>)| {
            let mut sorted = times.clone();
            sorted.sort_by(f64::total_cmp);
            KernelTime {
                name,
                dispatches: sorted.len(),
                median: sorted[sorted.len() / 2],
                sum: sorted.iter().sum(),
            }
        };
        self.times.iter().map(one).collect()
    }
}

/// Times of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct KernelTime {
    /// Its entry point.
    pub name: &'static str,
    /// How often it ran, or had nothing to do.
    pub dispatches: usize,
    /// Median of its times \[s\].
    pub median: f64,
    /// Their sum \[s\].
    pub sum: f64,
}

#[cfg(test)]
mod tests {
    use super::KernelTimes;

    #[test]
    fn kernels_are_added_up_by_name() {
        let mut times = KernelTimes::default();
        for (name, seconds) in [("b", 1.0), ("a", 5.0), ("b", 3.0), ("b", 2.0)] {
            times.add(name, seconds);
        }
        let list: Vec<_> = times.list().iter().map(|k| (k.name, k.dispatches, k.median, k.sum)).collect();
        assert_eq!(list, [("b", 3, 2.0, 6.0), ("a", 1, 5.0, 5.0)]);
    }
}
