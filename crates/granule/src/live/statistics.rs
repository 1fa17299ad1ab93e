//! Steps, merged into the numbers of a frame.

use crate::simulator::StepReport;
use crate::stages::{Stage, StageTimes};

/// What the steps between two published frames were like. Values that are not finite are left out of sums.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepStatistics {
    /// Number of steps.
    pub steps: u64,
    /// Steps that did not converge.
    pub unconverged: u64,
    /// Steps that the CFL condition made shorter.
    pub limited: u64,
    /// Simulated time \[s\].
    pub simulated_seconds: f64,
    /// Shortest step \[s\].
    pub shortest_dt: f64,
    /// Iterations of all steps.
    pub iterations: u64,
    /// Most iterations of a step.
    pub most_iterations: u32,
    /// Mean density error of the steps, relative to the rest density.
    pub density_error: f64,
    /// Mean relative change of the friction stress in the last iteration.
    pub friction_error: f64,
    /// Particles after the last step.
    pub particles: usize,
    /// Fastest particle after the last step [m/s].
    pub max_speed: f64,
    /// Kinetic energy after the last step \[J\].
    pub kinetic_energy: f64,
    /// Mean number of neighbours in the last step.
    pub neighbors_mean: f64,
    /// Particles lost because their state was not finite.
    pub lost: usize,
    /// Boundary samples that did not fit the per-particle limit.
    pub dropped_samples: usize,
    /// Grains added by emitters.
    pub emitted: usize,
    /// Grains that emitters gave up.
    pub blocked: usize,
    /// Seconds per stage, of all steps.
    pub stages: StageTimes,
    /// Wall time of the steps \[s\].
    pub step_seconds: f64,
    /// Wall time of taking checkpoints \[s\].
    pub checkpoint_seconds: f64,
    /// Wall time of publishing the frame before \[s\].
    pub publish_seconds: f64,
}

impl StepStatistics {
    /// Mean length of the steps \[s\].
    pub fn dt_mean(&self) -> f64 {
        self.simulated_seconds / self.steps.max(1) as f64
    }

    /// Mean iterations per step.
    pub fn iterations_mean(&self) -> f64 {
        self.iterations as f64 / self.steps.max(1) as f64
    }

    /// Adds a step.
    pub(super) fn add(&mut self, report: &StepReport) {
        let before = self.steps as f64;
        self.steps += 1;
        self.unconverged += u64::from(!report.converged);
        self.limited += u64::from(report.limited);
        self.simulated_seconds += report.dt;
        self.shortest_dt = if before == 0.0 { report.dt } else { self.shortest_dt.min(report.dt) };
        self.iterations += u64::from(report.iterations);
        self.most_iterations = self.most_iterations.max(report.iterations);
        let mean = |old: f64, new: f64| {
            if new.is_finite() { old + (new - old) / (before + 1.0) } else { old }
        };
        self.density_error = mean(self.density_error, report.density_error);
        self.friction_error = mean(self.friction_error, report.friction_error);
        let newest = |old: f64, new: f64| if new.is_finite() { new } else { old };
        self.particles = report.particles;
        self.max_speed = newest(self.max_speed, report.max_speed);
        self.kinetic_energy = newest(self.kinetic_energy, report.kinetic_energy);
        self.neighbors_mean = newest(self.neighbors_mean, report.neighbors_mean);
        self.lost += report.lost;
        self.dropped_samples += report.dropped_samples;
        self.emitted += report.emitted;
        self.blocked += report.blocked;
        for &stage in Stage::ALL {
            self.stages.add(stage, report.stages.get(stage));
        }
    }
}
