//! The stages of a step on a device, in the order of `crates/granule/src/solver/iisph/mod.rs`.

use std::collections::HashMap;

use granule::stages::Stage;
use granule_device::GpuDevice;
use wgpu::{BindGroup, Buffer, CommandEncoder, ComputePass};

use crate::bodies::BodyStages;
use crate::columns::Columns;
use crate::constants::{BodyVariant, Variant};
use crate::kernel::Access::{Read, Write};
use crate::kernel::{Access, Bound, Kernel, KernelPlan, Shader, SharedLayout};
use crate::layout::slot;
use crate::primitives::{BoundCompact, BoundSort, Compact, Launch, MOST_PASSES, Sort};
use crate::program::Program;
use crate::shaders;
use crate::timing::Timing;
use crate::wcsph::WeakStages;

/// The kernels of a step with their buffers.
pub struct Stages {
    measure: Bound,
    begin: Bound,
    keys: Bound,
    sort: BoundSort,
    reorder: Bound,
    put_back: Bound,
    list_cells: BoundCompact,
    index_cells: Bound,
    rows: Bound,
    neighbors: Bound,
    sample: Bound,
    check: Bound,
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

/// Compiled kernels of a variant, for whatever buffers.
pub struct Kernels {
    variant: Variant,
    constants: SharedLayout,
    step: SharedLayout,
    compiled: HashMap<&'static str, Kernel>,
    sort: Sort,
    compact: Compact,
}

impl Kernels {
    /// Kernels of a variant; each is compiled when it is first used.
    pub fn new(gpu: &GpuDevice, variant: Variant) -> Self {
        Self {
            variant,
            constants: SharedLayout::new(gpu, "constants", 2),
            step: SharedLayout::new(gpu, "step", 1),
            compiled: HashMap::new(),
            sort: Sort::new(gpu),
            compact: Compact::new(gpu),
        }
    }

    fn compile(&mut self, gpu: &GpuDevice, shader: &Shader, entry: &'static str, plan: &Plan) -> &Kernel {
        let Self { variant, constants, step, compiled, .. } = self;
        compiled.entry(entry).or_insert_with(|| {
            let source = shader.source();
            let declared = |name: &str| source.contains(&format!("override {name}:"));
            let overrides: Vec<(&str, f64)> = variant
                .constants()
                .into_iter()
                .chain(plan.constants.iter().copied())
                .filter(|(name, _)| declared(name))
                .collect();
            let access: Vec<Access> = plan.buffers.iter().map(|(access, _)| *access).collect();
            let shared: &[&SharedLayout] = if plan.control { &[constants] } else { &[constants, step] };
            Kernel::new(gpu, &KernelPlan { shader, entry, access: &access, shared, constants: &overrides })
        })
    }
}

/// How a kernel is bound.
struct Plan<'a> {
    /// Whether it writes the step's numbers, so that it cannot read them as constants.
    control: bool,
    constants: &'a [(&'a str, f64)],
    buffers: &'a [(Access, &'a Buffer)],
}

/// Binds kernels to the buffers of a simulation.
pub struct Binder<'a> {
    gpu: &'a GpuDevice,
    kernels: &'a mut Kernels,
    constants: BindGroup,
    step: BindGroup,
}

impl Binder<'_> {
    /// A stage: reads the step's numbers.
    pub fn stage(
        &mut self,
        shader: &Shader,
        entry: &'static str,
        constants: &[(&str, f64)],
        buffers: &[(Access, &Buffer)],
    ) -> Bound {
        self.bind(shader, entry, &Plan { control: false, constants, buffers })
    }

    /// A stage of control: writes the step's numbers.
    pub fn control(&mut self, shader: &Shader, entry: &'static str, buffers: &[(Access, &Buffer)]) -> Bound {
        self.bind(shader, entry, &Plan { control: true, constants: &[], buffers })
    }

    fn bind(&mut self, shader: &Shader, entry: &'static str, plan: &Plan) -> Bound {
        let kernel = self.kernels.compile(self.gpu, shader, entry, plan);
        let buffers: Vec<&Buffer> = plan.buffers.iter().map(|(_, buffer)| *buffer).collect();
        let shared = [&self.constants, &self.step];
        kernel.bind_shared(self.gpu, &buffers, if plan.control { &shared[..1] } else { &shared })
    }
}

impl Stages {
    /// Binds kernels to buffers.
    pub fn new(gpu: &GpuDevice, c: &Columns, kernels: &mut Kernels, program: &Program) -> Self {
        let constants = kernels.constants.bind(gpu, &[&c.params, &c.materials]);
        let step = kernels.step.bind(gpu, &[&c.step]);
        let variant = kernels.variant;
        let sort = kernels.sort.bind(
            gpu,
            &c.extent,
            [&c.first_keys, &c.second_keys],
            [&c.first_order, &c.second_order],
            &c.starts,
        );
        let list_cells = kernels.compact.bind(gpu, &c.extent, &c.heads, &c.sums, &c.cells);
        let mut b = Binder { gpu, kernels, constants, step };
        let ranges = [("RANGES", f64::from(variant.ranges()))];
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
            measure: b.stage(
                &shaders::MEASURE,
                "measure",
                &[],
                &[
                    (Read, &c.position),
                    (Read, &c.velocity),
                    (Read, &c.tags),
                    (Write, &c.partials),
                    (Read, &c.stress),
                ],
            ),
            begin: b.control(
                &shaders::BEGIN,
                "begin",
                &[
                    (Write, &c.step),
                    (Write, &c.arguments),
                    (Write, &c.counters),
                    (Read, &c.partials),
                    (Write, &c.poses),
                    (Read, &c.segments),
                    (Write, &c.extent),
                ],
            ),
            keys: b.stage(
                &shaders::KEYS,
                "assign_keys",
                &[],
                &[(Read, &c.position), (Read, &c.tags), (Write, &c.first_keys), (Write, &c.first_order)],
            ),
            sort,
            reorder: b.stage(
                &shaders::REORDER,
                "reorder",
                &[],
                &[
                    (Read, &c.first_order),
                    (Read, &c.second_order),
                    (Read, &c.position),
                    (Read, &c.velocity),
                    (Read, &c.stress),
                    (Read, &c.tags),
                    (Write, &c.scratch),
                ],
            ),
            put_back: b.stage(
                &shaders::PUT_BACK,
                "put_back",
                &[],
                &[
                    (Read, &c.scratch),
                    (Write, &c.position),
                    (Write, &c.velocity),
                    (Write, &c.stress),
                    (Write, &c.tags),
                    (Read, &c.first_keys),
                    (Read, &c.second_keys),
                    (Write, &c.heads),
                ],
            ),
            list_cells,
            index_cells: b.control(
                &shaders::INDEX_CELLS,
                "index_cells",
                &[(Write, &c.step), (Write, &c.arguments), (Read, &c.sums)],
            ),
            rows: b.stage(
                &shaders::ROWS,
                "find_rows",
                &ranges,
                &[(Read, &c.cells), (Read, &c.first_keys), (Read, &c.second_keys), (Write, &c.rows)],
            ),
            neighbors: b.stage(
                &shaders::NEIGHBORS,
                "list_neighbors",
                &ranges,
                &[
                    (Read, &c.position),
                    (Read, &c.heads),
                    (Read, &c.rows),
                    (Write, &c.list),
                    (Write, &c.counters),
                    (Write, &c.found),
                    (Read, &c.tags),
                ],
            ),
            sample: b.stage(
                &shaders::SAMPLE,
                "sample_boundaries",
                &program.constants(),
                &[
                    (Read, &c.program),
                    (Read, &c.poses),
                    (Read, &c.position),
                    (Read, &c.tags),
                    (Write, &c.contacts),
                    (Write, &c.found),
                    (Write, &c.counters),
                ],
            ),
            check: b.control(
                &shaders::CHECK,
                "check_room",
                &[(Write, &c.step), (Write, &c.arguments), (Write, &c.counters)],
            ),
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
            decide: b.bind(
                &shaders::DECIDE,
                "decide",
                &Plan {
                    control: true,
                    constants: &shaders::decide_constants(),
                    buffers: &[(Write, &c.step), (Write, &c.arguments), (Read, &c.partials)],
                },
            ),
            finish: b.control(&shaders::FINISH, "finish", &[(Write, &c.step), (Write, &c.arguments)]),
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
                s.begin_step(pass, recorded.blocks);
                weakly(s, |weak| {
                    weak.kick_and_drift(pass, s.bodies.as_ref(), |p, k| s.run(p, k, slot::BLOCKS))
                });
            }),
            (Stage::Sort, |s, pass, recorded| s.sort(pass, recorded.passes)),
            (Stage::Neighbors, |s, pass, _| s.find_neighbors(pass)),
            (Stage::SampleBoundaries, |s, pass, _| s.sample_boundaries(pass)),
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
                s.begin_step(pass, recorded.blocks);
                s.sort(pass, recorded.passes);
            }),
            (Stage::Neighbors, |s, pass, _| s.find_neighbors(pass)),
            (Stage::SampleBoundaries, |s, pass, _| s.sample_boundaries(pass)),
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

    fn sample_boundaries(&self, pass: &mut ComputePass) {
        self.run(pass, &self.sample, slot::LIVE);
        self.check.dispatch(pass, 1);
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

    /// The step's length and dispatches.
    fn begin_step(&self, pass: &mut ComputePass, blocks: u32) {
        self.measure.dispatch(pass, blocks);
        self.begin.dispatch(pass, 1);
    }

    fn sort(&self, pass: &mut ComputePass, passes: u32) {
        self.run(pass, &self.keys, slot::BLOCKS);
        for number in 0..MOST_PASSES.min(passes as usize) {
            let launch = Launch::Indirect {
                arguments: &self.arguments,
                blocks: slot::BLOCKS,
                tiles: slot::PASS_TILES + number as u64,
                one: slot::PASS_DIGITS + number as u64,
            };
            self.sort.record_pass(pass, number, launch);
        }
        self.run(pass, &self.reorder, slot::BLOCKS);
        self.run(pass, &self.put_back, slot::BLOCKS);
    }

    fn find_neighbors(&self, pass: &mut ComputePass) {
        let launch = Launch::Indirect {
            arguments: &self.arguments,
            blocks: slot::BLOCKS,
            tiles: slot::TILES,
            one: slot::ONE,
        };
        self.list_cells.record(pass, launch);
        self.index_cells.dispatch(pass, 1);
        self.run(pass, &self.rows, slot::CELLS);
        self.run(pass, &self.neighbors, slot::SEARCH);
    }
}
