//! The stages of a step on a device, in the order of `crates/granule/src/solver/iisph/mod.rs`.

mod binder;
mod search;
mod sorting;

use granule::stages::Stage;
use granule_device::GpuDevice;
use wgpu::{Buffer, CommandEncoder, ComputePass};

use crate::bodies::BodyStages;
use crate::columns::Columns;
use crate::constants::BodyVariant;
use crate::kernel::Access::{Read, Write};
use crate::kernel::Bound;
use crate::layout::slot;
use crate::program::Program;
use crate::shaders;
use crate::timing::Timing;
use crate::wcsph::WeakStages;

pub use binder::{Binder, Kernels};
use search::Search;
use sorting::Sorting;

/// The kernels of a step with their buffers.
pub struct Stages {
    sorting: Sorting,
    search: Search,
    density: Bound,
    warm_start: Bound,
    drag: Option<Bound>,
    predict: Bound,
    find_trial: Option<Bound>,
    accelerate: Bound,
    project: Bound,
    decide: Bound,
    finish: Bound,
    integrate: Bound,
    diagnose: Bound,
    end: Bound,
    arguments: Buffer,
    bodies: Option<BodyStages>,
    two_way: bool,
    weak: Option<WeakStages>,
}

/// What a stage records.
type Work = fn(&Stages, &mut ComputePass, &Recorded);

/// What is recorded for a step.
#[derive(Clone, Copy, Debug)]
pub struct Recorded {
    /// Workgroups that cover all particles there may be.
    pub blocks: u32,
    /// Sweeps that every step takes, without a decision after them.
    pub sure_sweeps: u32,
    /// Further sweeps.
    pub sweeps: u32,
    /// Passes of the sort.
    pub passes: u32,
    /// Whether friction power is measured.
    pub diagnostics: bool,
}

impl Stages {
    /// Binds kernels to buffers.
    pub fn new(gpu: &GpuDevice, c: &Columns, kernels: &mut Kernels, program: &Program) -> Self {
        let mut b = Binder::new(gpu, c, kernels);
        let variant = b.variant();
        let flag = |on: bool| f64::from(u8::from(on));
        let predict = [("AIR", flag(variant.air)), ("VISCOUS", flag(variant.viscous))];
        // Drag changes accelerations of the weakly compressible solver, and velocities of the other.
        let driven = if variant.weak.is_some() { &c.stress } else { &c.prediction };
        let drag = variant.air.then(|| {
            let buffers = [
                (Read, &c.list),
                (Read, &c.position),
                (Read, &c.velocity),
                (Read, &c.tags),
                (Read, &c.air),
                (Write, driven),
            ];
            b.stage(&shaders::DRAG, "predict_drag", &[], &buffers)
        });
        let bodies = (variant.bodies != BodyVariant::Absent).then(|| BodyStages::new(&mut b, c));
        let weak = variant.weak.map(|weak| WeakStages::new(&mut b, c, &weak, variant.bodies));
        let find_trial = variant.explicit.then(|| {
            let buffers = [(Read, &c.list), (Read, &c.position), (Read, &c.found), (Write, &c.prediction)];
            b.stage(&shaders::FIND_TRIAL, "find_trial_stress", &[], &buffers)
        });
        Self {
            sorting: Sorting::new(&mut b, c),
            search: Search::new(&mut b, c, program),
            density: b.stage(
                &shaders::DENSITY,
                "compute_density",
                &[],
                &[
                    (Read, &c.list),
                    (Read, &c.position),
                    (Read, &c.tags),
                    (Read, &c.contacts),
                    (Write, &c.found),
                ],
            ),
            warm_start: b.stage(
                &shaders::WARM_START,
                "warm_start",
                &[],
                &[
                    (Write, &c.stress),
                    (Read, &c.found),
                    (Read, &c.contacts),
                    (Write, &c.prediction),
                    (Write, &c.partials),
                ],
            ),
            drag,
            predict: b.stage(
                &shaders::PREDICT,
                "predict_velocity",
                &predict,
                &[
                    (Read, &c.list),
                    (Read, &c.position),
                    (Read, &c.velocity),
                    (Read, &c.tags),
                    (Write, &c.prediction),
                ],
            ),
            find_trial,
            accelerate: b.stage(
                &shaders::ACCELERATE,
                "accelerate",
                &[],
                &[
                    (Read, &c.list),
                    (Read, &c.position),
                    (Read, &c.stress),
                    (Read, &c.prediction),
                    (Read, &c.found),
                    (Write, &c.solved),
                ],
            ),
            project: b.stage(
                &shaders::PROJECT,
                "project",
                &[],
                &[
                    (Read, &c.list),
                    (Read, &c.position),
                    (Read, &c.solved),
                    (Write, &c.stress),
                    (Read, &c.found),
                    (Write, &c.contacts),
                    (Write, &c.prediction),
                    (Write, &c.partials),
                ],
            ),
            decide: b.control(
                &shaders::DECIDE,
                "decide",
                &shaders::decide_constants(),
                &[(Write, &c.step), (Write, &c.arguments), (Read, &c.partials)],
            ),
            finish: b.control(&shaders::FINISH, "finish", &[], &[(Write, &c.step), (Write, &c.arguments)]),
            integrate: b.stage(
                &shaders::INTEGRATE,
                "integrate",
                &[],
                &[
                    (Write, &c.position),
                    (Write, &c.velocity),
                    (Read, &c.solved),
                    (Write, &c.tags),
                    (Read, &c.found),
                    (Write, &c.partials),
                    (Write, &c.prediction),
                ],
            ),
            diagnose: b.stage(
                &shaders::DIAGNOSE,
                "diagnose",
                &[],
                &[
                    (Read, &c.list),
                    (Read, &c.position),
                    (Read, &c.solved),
                    (Read, &c.stress),
                    (Write, &c.partials),
                ],
            ),
            end: b.control(
                &shaders::END,
                "end",
                &[],
                &[(Write, &c.step), (Write, &c.counters), (Read, &c.partials), (Write, &c.reports)],
            ),
            arguments: c.arguments.clone(),
            bodies,
            two_way: variant.bodies == BodyVariant::Free,
            weak,
        }
    }

    /// Records a step, or what is left of one: each stage decides on the device whether it has anything to do.
    pub fn record(&self, encoder: &mut CommandEncoder, recorded: &Recorded, timing: &mut Option<Timing>) {
        let stages = self.list(recorded);
        if let Some(timing) = timing.as_mut().filter(|timing| timing.needs_passes()) {
            for (stage, work) in stages {
                let descriptor = wgpu::ComputePassDescriptor {
                    label: Some(stage.name()),
                    timestamp_writes: timing.of_pass(stage),
                };
                work(self, &mut encoder.begin_compute_pass(&descriptor), recorded);
            }
            return;
        }
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let mut mark = |pass: &mut ComputePass, stage| {
            if let Some(timing) = timing {
                timing.write(pass, stage);
            }
        };
        mark(&mut pass, None);
        for (stage, work) in stages {
            work(self, &mut pass, recorded);
            mark(&mut pass, Some(stage));
        }
    }

    /// The stages of a weakly compressible step, in order.
    fn weak_list(&self) -> Vec<(Stage, Work)> {
        fn weakly(s: &Stages, mut run: impl FnMut(&WeakStages)) {
            s.weak.iter().for_each(&mut run);
        }
        let mut list: Vec<(Stage, Work)> = vec![
            (Stage::Integrate, |s, pass, recorded| {
                s.sorting.begin(pass, recorded.blocks);
                weakly(s, |weak| {
                    weak.kick_and_drift(pass, s.bodies.as_ref(), |p, k| s.run(p, k, slot::BLOCKS))
                });
            }),
            (Stage::Sort, |s, pass, recorded| s.sorting.sort(pass, recorded.passes)),
            (Stage::Neighbors, |s, pass, _| s.search.find_neighbors(pass)),
            (Stage::SampleBoundaries, |s, pass, _| s.search.sample_boundaries(pass)),
            (Stage::Density, |s, pass, _| {
                weakly(s, |weak| weak.density(pass, |p, k| s.run(p, k, slot::PARTICLES)))
            }),
            (Stage::Normals, |s, pass, _| {
                weakly(s, |weak| weak.normals(pass, |p, k| s.run(p, k, slot::PARTICLES)))
            }),
            (Stage::Accelerate, |s, pass, _| {
                weakly(s, |weak| weak.accelerate(pass, |p, k| s.run(p, k, slot::PARTICLES)));
            }),
        ];
        if self.drag.is_some() {
            list.push((Stage::Drag, |s, pass, _| s.drag(pass)));
        }
        list.push((Stage::Integrate, |s, pass, _| {
            weakly(s, |weak| weak.kick(pass, |p, k| s.run(p, k, slot::PARTICLES)))
        }));
        list.push((Stage::Quarantine, |s, pass, _| s.end.dispatch(pass, 1)));
        list
    }

    /// The stages of a step, in order.
    fn list(&self, recorded: &Recorded) -> Vec<(Stage, Work)> {
        if self.weak.is_some() {
            return self.weak_list();
        }
        let mut list: Vec<(Stage, Work)> = vec![
            (Stage::Sort, |s, pass, recorded| {
                s.sorting.begin(pass, recorded.blocks);
                s.sorting.sort(pass, recorded.passes);
            }),
            (Stage::Neighbors, |s, pass, _| s.search.find_neighbors(pass)),
            (Stage::SampleBoundaries, |s, pass, _| s.search.sample_boundaries(pass)),
            (Stage::WarmStart, |s, pass, _| {
                s.begin_bodies(pass);
                s.run(pass, &s.warm_start, slot::PARTICLES);
            }),
            (Stage::Density, |s, pass, _| s.run(pass, &s.density, slot::PARTICLES)),
        ];
        if self.drag.is_some() {
            list.push((Stage::Drag, |s, pass, _| s.drag(pass)));
        }
        list.push((Stage::PredictVelocity, |s, pass, _| {
            s.run(pass, &s.predict, slot::PARTICLES);
            s.find_trial.iter().for_each(|find_trial| s.run(pass, find_trial, slot::PARTICLES));
        }));
        list.push((Stage::Accelerate, |s, pass, _| s.run(pass, &s.accelerate, slot::PARTICLES)));
        for _ in 0..recorded.sure_sweeps {
            list.push((Stage::Project, |s, pass, _| {
                s.run(pass, &s.project, slot::PARTICLES);
                s.push_bodies(pass, slot::PARTICLES);
            }));
            list.push((Stage::Accelerate, |s, pass, _| s.run(pass, &s.accelerate, slot::PARTICLES)));
        }
        for _ in 0..recorded.sweeps {
            list.push((Stage::Project, |s, pass, _| {
                s.run(pass, &s.project, slot::SWEEP);
                s.decide.dispatch(pass, 1);
                s.push_bodies(pass, slot::ACCELERATE);
            }));
            list.push((Stage::Accelerate, |s, pass, _| s.run(pass, &s.accelerate, slot::ACCELERATE)));
        }
        list.push((Stage::Integrate, |s, pass, _| {
            s.finish.dispatch(pass, 1);
            s.load_bodies(pass);
            s.run(pass, &s.integrate, slot::FINISH);
        }));
        if recorded.diagnostics {
            list.push((Stage::Diagnose, |s, pass, _| s.run(pass, &s.diagnose, slot::FINISH)));
        }
        list.push((Stage::Quarantine, |s, pass, _| s.end.dispatch(pass, 1)));
        list
    }

    fn drag(&self, pass: &mut ComputePass) {
        self.drag.iter().for_each(|drag| self.run(pass, drag, slot::PARTICLES));
    }

    fn run(&self, pass: &mut ComputePass, kernel: &Bound, slot: u64) {
        kernel.dispatch_indirect(pass, &self.arguments, slot);
    }

    /// Bodies without grains, then under the impulses of the last step.
    fn begin_bodies(&self, pass: &mut ComputePass) {
        if let Some(bodies) = &self.bodies {
            bodies.begin(pass, self.two_way, |pass, kernel| self.run(pass, kernel, slot::PARTICLES));
        }
    }

    /// What a sweep has given to grains is taken from the bodies.
    fn push_bodies(&self, pass: &mut ComputePass, slot: u64) {
        if let Some(bodies) = self.bodies.as_ref().filter(|_| self.two_way) {
            bodies.update(pass, |pass, kernel| self.run(pass, kernel, slot));
        }
    }

    /// The forces on bodies that no sweep has pushed.
    fn load_bodies(&self, pass: &mut ComputePass) {
        if let Some(bodies) = self.bodies.as_ref().filter(|_| !self.two_way) {
            bodies.sum_up(pass, |pass, kernel| self.run(pass, kernel, slot::FINISH));
        }
    }
}
