//! Steps that are recorded.

use std::cell::RefCell;
use std::rc::Rc;

use granule::stages::Stage;
use wgpu::{CommandEncoder, ComputePass};

use super::timing::Timing;
use crate::kernel::watched;

/// What a stage records.
pub type Work<'a> = Box<dyn Fn(&mut ComputePass) + 'a>;

/// The stages of a step, in their order.
pub type StageList<'a> = Vec<(Stage, Work<'a>)>;

/// What is recorded for a step.
#[derive(Clone, Copy, Debug)]
pub struct Recorded {
    /// Workgroups that cover all particles there may be.
    pub blocks: u32,
    /// Iterations that every step takes, without a decision after them.
    pub sure_iterations: u32,
    /// Further iterations.
    pub iterations: u32,
    /// Passes of the sort.
    pub passes: u32,
    /// Whether friction power is measured.
    pub diagnostics: bool,
    /// Whether particles can be sorted; a method that keeps lists waits for such a step where it needs one.
    pub sorts: bool,
}

impl Recorded {
    /// Whether steps recorded like this do what is asked for; how many iterations are recorded changes no result.
    pub fn serves(&self, asked: &Self) -> bool {
        self.blocks == asked.blocks
            && self.sure_iterations == asked.sure_iterations
            && self.passes == asked.passes
            && self.diagnostics == asked.diagnostics
            && self.sorts == asked.sorts
    }
}

/// Steps that are ready to be submitted.
pub struct RecordedSteps {
    /// The commands.
    pub commands: wgpu::CommandBuffer,
    /// Their times.
    pub timing: Option<Timing>,
    /// What was recorded for each.
    pub shape: Recorded,
}

/// The stretch of time up to a frame's end that batches count from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    /// Simulated time at its start \[s\].
    pub start: f64,
    /// Its length \[s\].
    pub length: f64,
}

impl Frame {
    /// Whether it ends at a time [s].
    pub fn ends_at(&self, time: f64) -> bool {
        self.length > 0.0 && (self.start + self.length - time).abs() <= 1e-9 * self.length
    }
}

/// Records the stages of a step, or of what is left of one: each decides on the device whether it has anything to do.
pub fn record(stages: StageList, encoder: &mut CommandEncoder, timing: &mut Option<Timing>) {
    if let Some(timing) = timing.as_mut().filter(|timing| timing.needs_passes()) {
        for (stage, work) in stages {
            let descriptor = wgpu::ComputePassDescriptor {
                label: Some(stage.name()),
                timestamp_writes: timing.of_pass(stage),
            };
            work(&mut encoder.begin_compute_pass(&descriptor));
        }
        return;
    }
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    if !timing.as_ref().is_some_and(Timing::watches_kernels) {
        record_in(stages, &mut pass, &mut |pass, stage| {
            timing.iter_mut().for_each(|timing| timing.write(pass, stage));
        });
        return;
    }
    let shared = Rc::new(RefCell::new(timing.take()));
    let of_kernels = Rc::clone(&shared);
    let watcher = move |pass: &mut ComputePass, name| {
        of_kernels.borrow_mut().iter_mut().for_each(|timing| timing.write_kernel(pass, name));
    };
    watched(Box::new(watcher), || {
        record_in(stages, &mut pass, &mut |pass, stage| {
            shared.borrow_mut().iter_mut().for_each(|timing| timing.write(pass, stage));
        });
    });
    *timing = shared.take();
}

/// Records stages in one pass, with a mark before the first and after each.
fn record_in(
    stages: StageList,
    pass: &mut ComputePass,
    mark: &mut dyn FnMut(&mut ComputePass, Option<Stage>),
) {
    mark(pass, None);
    for (stage, work) in stages {
        work(pass);
        mark(pass, Some(stage));
    }
}
