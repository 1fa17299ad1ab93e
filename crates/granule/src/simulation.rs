//! The front door: a [`Scene`] becomes a [`Simulation`] that steps and hands out fields.

mod added_body;
mod checkpoint;
mod grains;
mod playback;

use std::any::Any;
use std::ops::ControlFlow;

use crate::bodies::{BodyReport, MeanLoads};
use crate::boundary::Pose;
use crate::build::{self, Parts};
use crate::contacts::Contact;
use crate::flow::{Flow, Ledger};
use crate::scene::{BoundarySettings, Scene};
use crate::simulator::{
    Command, CommandError, CommandReport, FieldError, FieldInfo, Simulator, Snapshot, StepReport,
};
use crate::stages::Stage;
use crate::upsample::Upsampler;

pub use crate::build::{Device, Options};
pub use crate::error::SimulationError;

/// Part of a time that is rounding where it is compared with a frame time k/fps: some thousand times the rounding of an f64,
/// and far below any step.
pub const FRAME_ROUNDING: f64 = 1e-12;

/// A running simulation.
///
/// ```
/// use granule::{MaterialSettings, Options, Scene, Shape, Simulation};
///
/// let scene = Scene::new("drop")
///     .with_material(MaterialSettings::default())
///     .with_wall("floor", Shape::floor(0.0))
///     .with_grains("sand", Shape::cuboid([0.0; 3], [0.1; 3]));
/// let mut simulation = Simulation::new(scene, &Options::default())?;
/// let report = simulation.step();
/// assert_eq!(report.particles, simulation.particle_count());
///
/// // To the next frame, and on from a checkpoint there: the same bits.
/// simulation.run_until(1.0 / simulation.scene().simulation.fps);
/// let mut again = Simulation::resume(&simulation.checkpoint()?, &Options::default())?;
/// simulation.step();
/// again.step();
/// assert_eq!(simulation.simulator().state_hash(), again.simulator().state_hash());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// What it was made with, to be made anew.
    options: Options,
}

impl Simulation {
    /// Checks a scene and fills it with grains.
    pub fn new(mut scene: Scene, options: &Options) -> Result<Self, SimulationError> {
        scene.simulation.seed = scene.simulation.seed.wrapping_add(options.seed_shift);
        let solver = options.solver_for(&scene);
        scene.validate_for(solver.name, solver.capabilities)?;
        let boundaries = build::boundaries(&scene)?;
        let shapes = build::shapes(&scene)?;
        let grain_shapes = build::grain_shapes(&scene)?;
        let grains = build::grains(&scene, solver.capabilities, &shapes, &grain_shapes, &boundaries)?;
        (solver.check)(&scene, &grains.particles, &grain_shapes)?;
        let parts = build::parts(&scene, boundaries, &grain_shapes, &grains, options)?;
        let mut simulation = Self::of_parts(scene, parts, options);
        simulation.begin_grains(&shapes)?;
        Ok(simulation)
    }

    fn of_parts(scene: Scene, parts: Parts, options: &Options) -> Self {
        let Parts { simulator, flow, upsampler, refusal } = parts;
        Self {
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
            options: options.clone(),
        }
    }

    /// Why the device that was preferred did not take the scene, if it did not.
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// The scene as it started, with the bodies that were added since.
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
        let ends_frame = self.simulator.time() >= target * (1.0 - FRAME_ROUNDING);
        self.flow.after_step(self.simulator.as_mut(), start, ends_frame, &mut report);
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
    /// time after each step \[s\].
    pub fn step_ahead(&mut self) -> Vec<(StepReport, f64)> {
        if !self.flow.is_still() || !self.scene.body.is_empty() {
            let report = self.step();
            return vec![(report, self.simulator.time())];
        }
        let target = (self.frame + 1) as f64 / self.scene.simulation.fps;
        let start = self.simulator.time();
        let reports = self.simulator.advance(target, usize::MAX);
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

    /// Ends the frame where its time has come; gives the time that fine grains took \[s\].
    fn end_frame_at(&mut self, target: f64) -> f64 {
        if self.simulator.time() < target * (1.0 - FRAME_ROUNDING) {
            return 0.0;
        }
        self.frame += 1;
        self.loads.end_frame();
        self.flow.record(self.simulator.as_mut());
        self.advance_grains()
    }

    /// Advances to the first frame time at or after `seconds` \[s\] of simulated time, or until the device fails.
    pub fn run_until(&mut self, seconds: f64) {
        while self.time() < seconds * (1.0 - FRAME_ROUNDING) && self.failure().is_none() {
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

    /// Simulated time \[s\].
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

    /// Number of grains now: those of several spheres count once.
    pub fn grain_count(&self) -> usize {
        self.simulator.grain_count()
    }

    /// Grains removed so far because their state was not finite.
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

    /// Where the boundaries are, in the order of the scene.
    pub fn boundary_poses(&self) -> Vec<Pose> {
        let mut poses = self.simulator.boundary_poses();
        let by_motion = |settings: &BoundarySettings| {
            settings.motion.as_ref().map_or(Pose::IDENTITY, |motion| motion.pose(self.time()))
        };
        let known = poses.len().min(self.scene.boundary.len());
        poses.truncate(known);
        poses.extend(self.scene.boundary[known..].iter().map(by_motion));
        poses
    }

    /// Every grain that ever was, by where it came from and where it went.
    pub fn ledger(&self) -> Ledger {
        if let Some(ledger) = self.played_ledger() {
            return ledger;
        }
        self.flow.ledger(self.lost, self.simulator.grain_count())
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

    /// The contacts of now: who touches what, where and how hard. Empty with solvers that have none.
    pub fn contacts(&mut self) -> Vec<Contact> {
        self.simulator.contacts()
    }

    /// Changes something between steps.
    pub fn apply(&mut self, command: &Command) -> Result<CommandReport, CommandError> {
        if let Command::Emitter { name, open } = command {
            self.flow.switch(name, *open)?;
            return Ok(CommandReport::default());
        }
        if let Command::AddBody { body } = command {
            self.add_body(body)?;
            return Ok(CommandReport::default());
        }
        let report = self.simulator.apply(command)?;
        self.flow.note_command(&report);
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
