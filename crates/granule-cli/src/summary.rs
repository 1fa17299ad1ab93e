//! The summary of a run: summary.json, `run --json` and the text for people.

use std::collections::BTreeMap;

use granule::Simulation;
use granule::bodies::BodyReport;
use granule::io::RunFolder;
use granule::upsample::Upsampler;
use serde::Serialize;

use crate::expectations::{self, Expectation};
use crate::output::{self, number};
use crate::resume::ResumedFrom;
use crate::statistics::{MeanMax, StageMedians, Statistics};

/// Everything worth knowing about a run.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The scene's name.
    pub scene: String,
    /// The program's version.
    pub version: &'static str,
    /// Whether it ran in its coarser, shorter form; not known of the scene inside a checkpoint.
    pub quick: Option<bool>,
    /// The solver.
    pub solver: &'static str,
    /// The device.
    pub device: &'static str,
    /// The device in words.
    pub adapter: String,
    /// CPU threads.
    pub threads: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Particles at the end.
    pub particles: usize,
    /// High-resolution particles at the end.
    pub high_resolution_particles: usize,
    /// How the high-resolution particles moved; absent where there are none.
    pub upsample: Option<UpsampleSummary>,
    /// Steps taken, since the checkpoint if it was resumed.
    pub steps: u64,
    /// Frames written, with the first one.
    pub frames: usize,
    /// Simulated time since the scene's beginning [s].
    pub simulated_seconds: f64,
    /// Wall time of the run with its output [s].
    pub wall_seconds: f64,
    /// Simulated time of this run per wall time.
    pub real_time_factor: f64,
    /// Particles times steps per second of stepping, without output.
    pub particle_steps_per_second: f64,
    /// Median milliseconds per step of every stage.
    pub stages: StageMedians,
    /// Iterations per step.
    pub iterations: MeanMax,
    /// Density error after a step, relative to the rest density.
    pub density_error: MeanMax,
    /// Kinetic energy at the end [J].
    pub kinetic_energy: f64,
    /// Fastest particle at the end [m/s].
    pub max_speed: f64,
    /// Particles at the start.
    pub initial_particles: u64,
    /// Grains added by emitters.
    pub emitted: u64,
    /// Grains that emitters gave up for want of room.
    pub blocked: u64,
    /// Grains taken, per outlet.
    pub drained: BTreeMap<String, u64>,
    /// Grains taken by commands.
    pub removed: u64,
    /// Grains inside at the last frame, per counter.
    pub counted: BTreeMap<String, u64>,
    /// Grains that initial + emitted - drained - removed - lost does not explain.
    pub unaccounted: i64,
    /// Rigid bodies at the end, with the grains' mean forces on them between the last two frames.
    pub bodies: Vec<BodySummary>,
    /// Particles removed because their state was not finite.
    pub lost_particles: usize,
    /// Whether every step converged.
    pub converged: bool,
    /// Steps that did not.
    pub unconverged_steps: u64,
    /// Whether the run reached its end.
    pub complete: bool,
    /// Whether the run was ended from outside.
    pub interrupted: bool,
    /// The checkpoint that the run went on from.
    pub resumed_from: Option<ResumedFrom>,
    /// Why the run was stopped, if it diverged.
    pub diverged: Option<String>,
    /// Why the run could not go on, if a file could not be written.
    pub failed: Option<String>,
    /// Hash of the final state, in hexadecimal.
    pub state_hash: String,
    /// The scene's expectations.
    pub expectations: Vec<Expectation>,
    /// Followed particles that the last frame did not have: lost, or never there.
    pub missing_tracks: Vec<u32>,
    /// What the run left.
    pub files: Files,
}

/// High-resolution particles and the time that they took.
#[derive(Clone, Debug, Serialize)]
pub struct UpsampleSummary {
    /// The device in words.
    pub device: String,
    /// Radius of a fine grain [m].
    pub radius: f32,
    /// Grains at the end.
    pub grains: usize,
    /// Grains that were there at the start or came with new particles.
    pub made: u64,
    /// Grains that outlets took.
    pub drained: u64,
    /// Grains that commands took.
    pub removed: u64,
    /// Grains removed because their state was not finite.
    pub lost: u64,
    /// Median milliseconds per frame.
    pub ms_per_frame: f64,
    /// Grains times frames per second.
    pub grains_per_second: f64,
    /// Bytes held per grain.
    pub bytes_per_grain: f64,
    /// Mean milliseconds per frame of every stage since the start, where they are known.
    #[serde(skip_serializing_if = "StageMedians::is_empty")]
    pub stages: StageMedians,
}

impl UpsampleSummary {
    /// The summary of fine grains.
    pub fn new(upsampler: &Upsampler, statistics: &Statistics) -> Self {
        let totals = upsampler.totals();
        let (ms_per_frame, seconds, frames) = statistics.upsample();
        Self {
            device: upsampler.device(),
            radius: upsampler.radius(),
            grains: upsampler.count(),
            made: totals.made,
            drained: totals.drained,
            removed: totals.removed,
            lost: totals.lost,
            ms_per_frame,
            grains_per_second: upsampler.count() as f64 * frames as f64 / seconds.max(1e-9),
            bytes_per_grain: upsampler.bytes_per_grain(),
            stages: StageMedians(upsampler.stages()),
        }
    }
}

/// A rigid body at the end of a run.
#[derive(Clone, Debug, Serialize)]
pub struct BodySummary {
    /// Name in the scene.
    pub name: String,
    /// Mass [kg]; 0 for bodies that do not move freely.
    pub mass: f32,
    /// Centre of mass [m].
    pub center: [f32; 3],
    /// Orientation as a quaternion (x, y, z, w).
    pub rotation: [f32; 4],
    /// Velocity of the centre [m/s].
    pub velocity: [f32; 3],
    /// Angular velocity [rad/s].
    pub angular_velocity: [f32; 3],
    /// Mean force of the grains over the last frame [N].
    pub force: [f32; 3],
    /// Mean torque of the grains about the centre over the last frame [N m].
    pub torque: [f32; 3],
}

impl From<BodyReport> for BodySummary {
    fn from(body: BodyReport) -> Self {
        Self {
            name: body.name,
            mass: body.mass,
            center: body.center.to_array(),
            rotation: body.pose.rotation.to_array(),
            velocity: body.velocity.to_array(),
            angular_velocity: body.angular_velocity.to_array(),
            force: body.force.to_array(),
            torque: body.torque.to_array(),
        }
    }
}

/// The files of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Files {
    /// The run folder.
    pub folder: String,
    /// Files and folders in it.
    pub files: Vec<String>,
}

impl Files {
    /// What a run leaves in its folder with its exports; frames.json lists the frames.
    pub fn new(folder: &RunFolder, exports: &[&str]) -> Self {
        let always = ["scene.toml", "summary.json", "series.csv", "frames.json"];
        let checkpoints = folder.checkpoints().is_dir().then_some("checkpoints");
        let bodies = folder.bodies().is_file().then_some("bodies.csv");
        let files = always.iter().chain(exports).copied().chain(bodies).chain(checkpoints);
        let files = files.map(String::from).collect();
        Self { folder: folder.path().display().to_string(), files }
    }
}

/// What only the run itself knows.
pub struct Ending {
    /// Whether the scene's coarser form was run.
    pub quick: Option<bool>,
    /// The device: cpu or gpu.
    pub device: &'static str,
    /// CPU threads.
    pub threads: usize,
    /// Wall time [s].
    pub wall_seconds: f64,
    /// Whether it reached its end.
    pub complete: bool,
    /// Whether it was ended from outside.
    pub interrupted: bool,
    /// The checkpoint that it went on from.
    pub resumed_from: Option<ResumedFrom>,
    /// Why it was stopped, if it diverged.
    pub diverged: Option<String>,
    /// Why it could not go on, if a file could not be written.
    pub failed: Option<String>,
    /// The scene's expectations.
    pub expectations: Vec<Expectation>,
    /// Followed particles that the last frame did not have.
    pub missing_tracks: Vec<u32>,
    /// Frames written.
    pub frames: usize,
    /// What the run left.
    pub files: Files,
}

impl Summary {
    /// The summary of a run that has ended.
    pub fn new(simulation: &Simulation, statistics: &Statistics, ending: Ending) -> Self {
        let (scene, flow) = (simulation.scene(), simulation.flow());
        let counted = flow.history().last().map_or(&[][..], |point| &point.counted);
        let resumed_at = ending.resumed_from.as_ref().map_or(0.0, |from| from.time);
        Self {
            scene: scene.name.clone(),
            version: env!("CARGO_PKG_VERSION"),
            quick: ending.quick,
            solver: simulation.simulator().solver(),
            device: ending.device,
            adapter: simulation.simulator().device(),
            threads: ending.threads,
            seed: scene.simulation.seed,
            particles: simulation.particle_count(),
            high_resolution_particles: simulation.upsampler().map_or(0, Upsampler::count),
            upsample: simulation.upsampler().map(|upsampler| UpsampleSummary::new(upsampler, statistics)),
            steps: statistics.steps(),
            frames: ending.frames,
            simulated_seconds: simulation.time(),
            wall_seconds: ending.wall_seconds,
            real_time_factor: (simulation.time() - resumed_at) / ending.wall_seconds.max(1e-9),
            particle_steps_per_second: statistics.particle_steps_per_second(),
            stages: statistics.stages(),
            iterations: statistics.iterations(),
            density_error: statistics.density_error(),
            kinetic_energy: statistics.kinetic_energy(),
            max_speed: statistics.max_speed(),
            initial_particles: simulation.ledger().initial,
            emitted: flow.emitted(),
            blocked: flow.blocked(),
            drained: flow.outlets().iter().map(|outlet| (outlet.name().into(), outlet.drained())).collect(),
            removed: flow.removed(),
            counted: flow
                .counters()
                .iter()
                .zip(counted)
                .map(|(counter, count)| (counter.name().into(), *count))
                .collect(),
            unaccounted: simulation.ledger().unaccounted(),
            bodies: simulation.bodies().into_iter().map(BodySummary::from).collect(),
            lost_particles: simulation.lost(),
            converged: statistics.unconverged() == 0,
            unconverged_steps: statistics.unconverged(),
            complete: ending.complete,
            interrupted: ending.interrupted,
            resumed_from: ending.resumed_from,
            diverged: ending.diverged,
            failed: ending.failed,
            state_hash: format!("{:016x}", simulation.simulator().state_hash()),
            expectations: ending.expectations,
            missing_tracks: ending.missing_tracks,
            files: ending.files,
        }
    }

    /// The summary for people.
    pub fn in_words(&self) -> String {
        let resumed_at = self.resumed_from.as_ref().map_or(0.0, |from| from.time);
        let mut text = format!(
            "{}: {} s simulated in {} s, {} x real time\n",
            self.scene,
            number(self.simulated_seconds - resumed_at),
            number(self.wall_seconds),
            number(self.real_time_factor)
        );
        let mut line = |name: &str, value: String| text += &format!("  {name:<16}{value}\n");
        if let Some(from) = &self.resumed_from {
            line("resumed from", format!("{}, t = {} s, frame {}", from.file, number(from.time), from.frame));
        }
        line("solver", format!("{} on {}", self.solver, self.adapter));
        line("particles", format!("{}, {} lost", self.particles, self.lost_particles));
        if let Some(fine) = &self.upsample {
            let speed = number(fine.grains_per_second);
            let ms = number(fine.ms_per_frame);
            line("fine grains", format!("{}, {ms} ms per frame, {speed} per second", fine.grains));
        }
        if self.emitted + self.blocked > 0 {
            line("emitted", format!("{}, {} blocked", self.emitted, self.blocked));
        }
        for (what, counts) in [("drained", &self.drained), ("counted", &self.counted)] {
            if !counts.is_empty() {
                let words: Vec<String> =
                    counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
                line(what, words.join(", "));
            }
        }
        if self.removed > 0 {
            line("removed", self.removed.to_string());
        }
        for body in &self.bodies {
            let [x, y, z] = body.center.map(|c| number(c.into()));
            let newton = number(f64::from(glam::Vec3::from(body.force).length()));
            line("body", format!("{} at ({x}, {y}, {z}) m, {newton} N from the grains", body.name));
        }
        line("steps", format!("{}, {} of them not converged", self.steps, self.unconverged_steps));
        line("iterations", format!("{} mean, {} most", number(self.iterations.mean), self.iterations.max));
        let error = &self.density_error;
        line("density error", format!("{} mean, {} most", number(error.mean), number(error.max)));
        line("fastest", format!("{} m/s", number(self.max_speed)));
        line("kinetic energy", format!("{} J", number(self.kinetic_energy)));
        line("speed", format!("{} particle steps per second", number(self.particle_steps_per_second)));
        line("state hash", self.state_hash.clone());
        line("frames", format!("{} in {}", self.frames, self.files.folder));
        if !self.missing_tracks.is_empty() {
            let ids: Vec<String> = self.missing_tracks.iter().map(u32::to_string).collect();
            line("not there", format!("followed particles {}", ids.join(", ")));
        }
        if !self.expectations.is_empty() {
            text += &format!("\n{}\n", expectations::table(&self.expectations));
        }
        text.trim_end().to_string()
    }

    /// Prints the summary as text or JSON.
    pub fn print(&self, json: bool) -> Result<(), crate::failure::Failure> {
        if json { output::json(self) } else { output::text(&self.in_words()) }
    }
}
