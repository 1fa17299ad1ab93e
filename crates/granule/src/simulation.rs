//! The front door: a [`Scene`] becomes a [`Simulation`] that steps and hands out fields.

mod checkpoint;
mod grains;

use std::any::Any;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::admission::{Refusal, available_memory, check_fine_memory, check_memory, check_overlaps};
use crate::bodies::{Bodies, BodyReport, MeanLoads};
use crate::boundary::{Boundaries, Sdf};
use crate::flow::{Flow, Ledger};
use crate::grains::fill;
use crate::neighbors::Domain;
use crate::particles::NewParticle;
use crate::random::Random;
use crate::scene::{GrainsSettings, Problem, ProblemKind, Scene, SceneError};
use crate::simd::Instructions;
use crate::simulator::{
    Command, CommandError, CommandReport, FieldError, FieldInfo, Simulator, Snapshot, StepReport,
};
use crate::solver::{Defect, Order};
use crate::stages::Stage;
use crate::upsample::{Fault, GrainMover, MoverSettings, Upsampler};

/// Where and how to simulate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The device.
    pub device: Device,
    /// Number of CPU threads; all cores when absent.
    pub threads: Option<usize>,
    /// Instructions of the CPU to use; the best ones when absent or not available.
    pub instructions: Option<Instructions>,
    /// A deliberate fault, for negative controls only.
    pub defect: Option<Defect>,
    /// A deliberate fault of fine grains, for negative controls only.
    pub upsample_fault: Option<Fault>,
}

/// The devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Device {
    /// CPU cores.
    #[default]
    Cpu,
    /// Another device, by what makes solvers for it.
    Made(Maker),
    /// Another device where it takes the scene, else CPU cores.
    Preferred(Maker),
}

/// Makes solvers for a device that the engine does not know.
pub trait MakeSimulator: Send + Sync {
    /// A solver for a checked scene with its boundaries, rigid bodies and initial grains.
    ///
    /// # Errors
    /// Says in words why there is none and what to do.
    fn make(
        &self,
        scene: &Scene,
        boundaries: Boundaries,
        bodies: Bodies,
        grains: &[NewParticle],
    ) -> Result<Box<dyn Simulator>, String>;

    /// What moves fine grains on the device; none where the CPU is to do it.
    ///
    /// # Errors
    /// Says in words why the device cannot.
    fn make_grains(&self, _settings: &MoverSettings) -> Result<Option<Box<dyn GrainMover>>, String> {
        Ok(None)
    }
}

/// A shared [`MakeSimulator`].
#[derive(Clone)]
pub struct Maker(Arc<dyn MakeSimulator>);

impl Maker {
    /// Shares what makes solvers.
    pub fn new(maker: impl MakeSimulator + 'static) -> Self {
        Self(Arc::new(maker))
    }
}

impl fmt::Debug for Maker {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Maker")
    }
}

impl PartialEq for Maker {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Why a simulation could not be made, or not go on.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The scene is wrong.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The machine refused threads.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// The device refused.
    #[error("{0}")]
    Device(String),
    /// The device failed while it simulated.
    #[error("{0}")]
    Failed(String),
}

/// A running simulation.
pub struct Simulation {
    scene: Scene,
    simulator: Box<dyn Simulator>,
    flow: Flow,
    loads: MeanLoads,
    upsampler: Option<Upsampler>,
    /// Why fine grains cannot go on.
    upsample_failure: Option<String>,
    frame: u64,
    lost: usize,
    steps: u64,
    /// Why the preferred device did not take the scene.
    refusal: Option<String>,
}

impl Simulation {
    /// Checks a scene and fills it with grains.
    pub fn new(scene: Scene, options: &Options) -> Result<Self, SimulationError> {
        scene.validate()?;
        let boundaries = scene_boundaries(&scene)?;
        let shapes = scene_shapes(&scene)?;
        let grains = scene_grains(&scene, &shapes, &boundaries)?;
        let mut simulation = Self::build(scene, boundaries, &grains, options)?;
        simulation.begin_grains(&shapes)?;
        Ok(simulation)
    }

    fn build(
        scene: Scene,
        boundaries: Boundaries,
        grains: &[NewParticle],
        options: &Options,
    ) -> Result<Self, SimulationError> {
        let mut boundaries = boundaries;
        let bodies = scene_bodies(&scene, &mut boundaries)?;
        let mut flow = Flow::new(&scene, &boundaries)?;
        let mut refusal = None;
        let upsampler = grains::upsampler(&scene, &boundaries, options)?;
        let mut simulator = match &options.device {
            Device::Cpu => on_cpu(&scene, boundaries, bodies, grains, options)?,
            Device::Made(_) | Device::Preferred(_) if options.defect.is_some() => {
                return Err(SimulationError::Device(CONTROLS_ON_CPU.into()));
            }
            Device::Made(maker) => {
                maker.0.make(&scene, boundaries, bodies, grains).map_err(SimulationError::Device)?
            }
            Device::Preferred(maker) => match maker.0.make(&scene, boundaries.clone(), bodies, grains) {
                Ok(simulator) => simulator,
                Err(reason) => {
                    refusal = Some(reason);
                    let bodies = scene_bodies(&scene, &mut boundaries)?;
                    on_cpu(&scene, boundaries, bodies, grains, options)?
                }
            },
        };
        flow.begin(simulator.as_mut());
        Ok(Self {
            scene,
            simulator,
            flow,
            loads: MeanLoads::default(),
            upsampler,
            upsample_failure: None,
            frame: 0,
            lost: 0,
            steps: 0,
            refusal,
        })
    }

    /// Why the device that was preferred did not take the scene, if it did not.
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// The scene as it started.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Advances by one step, at most to the next frame time.
    pub fn step(&mut self) -> StepReport {
        let target = (self.frame + 1) as f64 / self.scene.simulation.fps;
        let start = self.simulator.time();
        let mut report = self.simulator.step(target - start);
        if !self.scene.body.is_empty() {
            self.loads.add(&self.simulator.bodies(), report.dt);
        }
        self.flow.after_step(self.simulator.as_mut(), start, &mut report);
        self.lost += report.lost;
        self.steps += 1;
        report.stages.add(Stage::Upsample, self.end_frame_at(target));
        report
    }

    /// Advances to the next frame time; `on_step` hears of every step and may stop it after any. A device that works
    /// ahead is stopped at the frame's end only. Stops, too, if the device has failed.
    pub fn run_frame(
        &mut self,
        on_step: &mut dyn FnMut(&StepReport, f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let target = self.frame + 1;
        while self.frame < target {
            for (report, time) in self.step_ahead() {
                on_step(&report, time)?;
            }
            if self.failure().is_some() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Advances to the next frame time, or by one step where grains come and go after every step. Reports come with the
    /// time after each step [s].
    pub fn step_ahead(&mut self) -> Vec<(StepReport, f64)> {
        if !self.flow.is_still() || !self.scene.body.is_empty() {
            let report = self.step();
            return vec![(report, self.simulator.time())];
        }
        let target = (self.frame + 1) as f64 / self.scene.simulation.fps;
        let start = self.simulator.time();
        let reports = self.simulator.advance(target - start, usize::MAX);
        let mut time = start;
        let end = self.simulator.time();
        let last = reports.len().saturating_sub(1);
        let timed = reports.into_iter().enumerate().map(|(k, report)| {
            time += report.dt;
            (report, if k == last { end } else { time })
        });
        let mut timed: Vec<(StepReport, f64)> = timed.collect();
        for (report, _) in &timed {
            self.lost += report.lost;
            self.steps += 1;
        }
        let seconds = self.end_frame_at(target);
        if let Some((report, _)) = timed.last_mut() {
            report.stages.add(Stage::Upsample, seconds);
        }
        timed
    }

    /// Ends the frame where its time has come; gives the time that fine grains took [s].
    fn end_frame_at(&mut self, target: f64) -> f64 {
        if self.simulator.time() < target * (1.0 - 1e-12) {
            return 0.0;
        }
        self.frame += 1;
        self.loads.end_frame();
        self.flow.record(self.simulator.as_mut());
        self.advance_grains()
    }

    /// Advances to the first frame time at or after `seconds` [s] of simulated time, or until the device fails.
    pub fn run_until(&mut self, seconds: f64) {
        while self.time() < seconds * (1.0 - 1e-12) && self.failure().is_none() {
            self.step_ahead();
        }
    }

    /// Why the device cannot go on, if it cannot.
    pub fn failure(&self) -> Option<&str> {
        self.simulator.failure().or(self.upsample_failure.as_deref())
    }

    /// Number of frames completed.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Number of steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.simulator.time()
    }

    /// The solver itself, where it is of this type: what a device offers beyond [`Simulator`], such as buffers that a
    /// renderer draws from.
    pub fn solver_as<T: Simulator>(&mut self) -> Option<&mut T> {
        let solver: &mut dyn Any = self.simulator.as_mut();
        solver.downcast_mut()
    }

    /// Number of particles now.
    pub fn particle_count(&self) -> usize {
        self.simulator.particle_count()
    }

    /// Particles removed so far because their state was not finite.
    pub fn lost(&self) -> usize {
        self.lost
    }

    /// Emitters, outlets and counters.
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// Emitters, outlets and counters, to take over the state of a checkpoint.
    pub fn flow_mut(&mut self) -> &mut Flow {
        &mut self.flow
    }

    /// The rigid bodies, with the grains' mean forces on them between the last two frames.
    pub fn bodies(&self) -> Vec<BodyReport> {
        let mut bodies = self.simulator.bodies();
        self.loads.write_into(&mut bodies);
        bodies
    }

    /// Every grain that ever was, by where it came from and where it went.
    pub fn ledger(&self) -> Ledger {
        self.flow.ledger(self.lost, self.particle_count())
    }

    /// The fields that the solver has.
    pub fn fields(&self) -> &'static [FieldInfo] {
        self.simulator.fields()
    }

    /// Reads fields by name, waiting for them, sorted by id.
    pub fn read(&mut self, fields: &[&str]) -> Result<Snapshot, FieldError> {
        let ticket = self.simulator.read(fields)?;
        let mut snapshot = Snapshot::default();
        while !self.simulator.poll(ticket, &mut snapshot) {
            std::thread::yield_now();
        }
        Ok(snapshot)
    }

    /// Changes something between steps.
    pub fn apply(&mut self, command: &Command) -> Result<CommandReport, CommandError> {
        if let Command::Emitter { name, open } = command {
            self.flow.switch(name, *open)?;
            return Ok(CommandReport::default());
        }
        let report = self.simulator.apply(command)?;
        self.flow.note_commanded(report.emitted);
        self.tell_grains(command);
        Ok(report)
    }

    /// The solver on its device.
    pub fn simulator(&self) -> &dyn Simulator {
        self.simulator.as_ref()
    }

    /// Switches costly diagnostics (friction power) on or off.
    pub fn set_diagnostics(&mut self, on: bool) {
        self.simulator.set_diagnostics(on);
    }
}

/// Why devices refuse deliberate faults.
const CONTROLS_ON_CPU: &str = "deliberate faults are for the CPU's solver only; take Device::Cpu";

fn scene_bodies(scene: &Scene, boundaries: &mut Boundaries) -> Result<Bodies, SceneError> {
    Bodies::new(scene, boundaries).map_err(|e| geometry_error(&e.path(), e.to_string()))
}

/// A solver on CPU cores.
fn on_cpu(
    scene: &Scene,
    boundaries: Boundaries,
    bodies: Bodies,
    grains: &[NewParticle],
    options: &Options,
) -> Result<Box<dyn Simulator>, SimulationError> {
    let threads = options.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| SimulationError::Threads { threads, reason: e.to_string() })?;
    let (instructions, defect) = (options.instructions, options.defect);
    let order = Order { scene: scene.clone(), boundaries, bodies, grains, pool, instructions, defect };
    Ok((scene.simulation.solver.entry().make)(order))
}

fn scene_boundaries(scene: &Scene) -> Result<Boundaries, SceneError> {
    let walls =
        scene.boundary.iter().map(|b| (b.name.clone(), b.shape.clone(), b.friction, b.motion.clone()));
    let bodies = scene.body.iter().map(|b| (b.name.clone(), b.shape.clone(), b.friction, b.motion.clone()));
    let resolution = scene.resolution();
    Boundaries::resolved(walls.chain(bodies), resolution.as_ref()).map_err(|e| {
        let of_body = scene.body.iter().any(|body| body.name == e.name());
        let section = if of_body { "body" } else { "boundary" };
        geometry_error(&format!("{section}.{}.shape", e.name()), e.to_string())
    })
}

/// The shapes that initial grains fill.
fn scene_shapes(scene: &Scene) -> Result<Vec<Sdf>, SceneError> {
    let resolution = scene.resolution();
    let shape = |(k, grains): (usize, &GrainsSettings)| {
        Sdf::resolved(&grains.shape, resolution.as_ref())
            .map_err(|e| geometry_error(&format!("grains.{k}.shape"), e.to_string()))
    };
    scene.grains.iter().enumerate().map(shape).collect()
}

/// The initial grains; refused before they are made if they do not fit, and after if they overlap.
fn scene_grains(
    scene: &Scene,
    shapes: &[Sdf],
    boundaries: &Boundaries,
) -> Result<Vec<NewParticle>, SceneError> {
    let wrong = |k: usize, reason: String| geometry_error(&format!("grains.{k}.shape"), reason);
    let refused = |refusal: Refusal| wrong(refusal.entry, refusal.reason);
    check_memory(scene, shapes, available_memory()).map_err(refused)?;
    check_fine_memory(scene, shapes, available_memory())
        .map_err(|reason| geometry_error("upsample.radius", reason))?;
    let mut random = Random::new(scene.simulation.seed);
    let mut all = Vec::new();
    let mut ends = Vec::with_capacity(shapes.len());
    for (k, (grains, shape)) in scene.grains.iter().zip(shapes).enumerate() {
        let index = scene.material.iter().position(|m| m.name == grains.material);
        let index = index.ok_or_else(|| wrong(k, format!("unknown material `{}`", grains.material)))?;
        let filled = fill(grains, shape, &scene.material[index], index as u16, &mut random);
        all.extend(filled.map_err(|e| wrong(k, e.to_string()))?);
        ends.push(all.len());
    }
    let entry_of = |grain: usize| ends.partition_point(|&end| end <= grain);
    let domain = Domain::new(scene.simulation.periodic.axes());
    check_overlaps(&all, entry_of, boundaries, &domain).map_err(refused)?;
    Ok(all)
}

fn geometry_error(path: &str, reason: String) -> SceneError {
    let path = path.split('.').map(String::from).collect();
    SceneError::Problem(Box::new(Problem {
        location: None,
        path,
        kind: ProblemKind::Geometry,
        found: reason,
        allowed: String::new(),
        nearest: None,
    }))
}
