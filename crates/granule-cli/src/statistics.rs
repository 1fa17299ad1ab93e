//! Numbers gathered over the steps of a run.

use granule::simulator::StepReport;
use granule::stages::{Stage, StageTimes};
use serde::{Serialize, Serializer};

/// Most steps whose times are kept; above it every second one is dropped and fewer are kept from then on.
const MOST_SAMPLES: usize = 4096;

/// Mean and largest value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MeanMax {
    /// Mean.
    pub mean: f64,
    /// Largest value.
    pub max: f64,
}

/// Sum and largest of the finite values.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    count: u64,
    sum: f64,
    max: f64,
}

impl Tally {
    fn add(&mut self, value: f64) {
        if value.is_finite() {
            self.count += 1;
            self.sum += value;
            self.max = self.max.max(value);
        }
    }

    fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    fn mean_max(&self) -> MeanMax {
        MeanMax { mean: self.mean(), max: self.max }
    }
}

/// Times of a sample of the steps, bounded however long the run.
#[derive(Clone, Debug)]
struct TimeSample {
    seconds: Vec<(f64, StageTimes)>,
    stride: u64,
}

impl Default for TimeSample {
    fn default() -> Self {
        Self { seconds: Vec::new(), stride: 1 }
    }
}

impl TimeSample {
    fn add(&mut self, step: u64, seconds: f64, stages: StageTimes) {
        if step.is_multiple_of(self.stride) {
            self.seconds.push((seconds, stages));
        }
        if self.seconds.len() > MOST_SAMPLES {
            let mut keep = false;
            self.seconds.retain(|_| {
                keep = !keep;
                keep
            });
            self.stride *= 2;
        }
    }

    /// Median milliseconds of a part of the step.
    fn median(&self, part: impl Fn(&(f64, StageTimes)) -> f64) -> f64 {
        let mut values: Vec<f64> = self.seconds.iter().map(part).collect();
        values.sort_unstable_by(f64::total_cmp);
        let middle = values.len() / 2;
        match values.len() {
            0 => 0.0,
            odd if odd % 2 == 1 => 1e3 * values[middle],
            _ => 0.5e3 * (values[middle - 1] + values[middle]),
        }
    }
}

/// A number per stage, in the order of a step: median milliseconds, unless said otherwise.
#[derive(Clone, Debug, Default)]
pub struct StageMedians(pub Vec<(&'static str, f64)>);

impl StageMedians {
    /// The number of a stage.
    pub fn of(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// Whether no stage has a number.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for StageMedians {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// What the steps since the last frame were like.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interval {
    steps: u64,
    unconverged: u64,
    iterations: Tally,
    density_error: Tally,
    friction_error: Tally,
}

impl Interval {
    /// Number of steps.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Steps that did not converge.
    pub fn unconverged(&self) -> u64 {
        self.unconverged
    }

    /// Mean iterations per step.
    pub fn iterations_mean(&self) -> f64 {
        self.iterations.mean()
    }

    /// Mean density error, relative to the rest density.
    pub fn density_error_mean(&self) -> f64 {
        self.density_error.mean()
    }

    /// Mean relative change of the friction stress in the last iteration.
    pub fn friction_error_mean(&self) -> f64 {
        self.friction_error.mean()
    }

    fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.unconverged += u64::from(!report.converged);
        self.iterations.add(report.iterations.into());
        self.density_error.add(report.density_error);
        self.friction_error.add(report.friction_error);
    }
}

/// Numbers over all steps; values that are not finite are left out.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    total: Interval,
    interval: Interval,
    neighbors: Tally,
    times: TimeSample,
    particle_steps: f64,
    step_seconds: f64,
    kinetic_energy: f64,
    max_speed: f64,
    /// Seconds that fine grains took, per frame.
    upsample: Vec<f64>,
}

impl Statistics {
    /// Adds a step that took `seconds` of wall time.
    pub fn add(&mut self, report: &StepReport, seconds: f64) {
        self.times.add(self.total.steps, seconds, report.stages);
        self.total.add(report);
        self.interval.add(report);
        self.neighbors.add(report.neighbors_mean);
        self.particle_steps += report.particles as f64;
        self.step_seconds += seconds;
        let upsample = report.stages.get(Stage::Upsample);
        if upsample > 0.0 {
            self.upsample.push(upsample);
        }
        if report.kinetic_energy.is_finite() {
            self.kinetic_energy = report.kinetic_energy;
        }
        if report.max_speed.is_finite() {
            self.max_speed = report.max_speed;
        }
    }

    /// The steps since this was last asked for.
    pub fn take_interval(&mut self) -> Interval {
        std::mem::take(&mut self.interval)
    }

    /// Number of steps.
    pub fn steps(&self) -> u64 {
        self.total.steps
    }

    /// Median milliseconds that fine grains took per frame, seconds in all, and frames.
    pub fn upsample(&self) -> (f64, f64, usize) {
        let mut sorted = self.upsample.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
        (1e3 * median, self.upsample.iter().sum(), sorted.len())
    }

    /// Steps that did not converge.
    pub fn unconverged(&self) -> u64 {
        self.total.unconverged
    }

    /// Iterations per step.
    pub fn iterations(&self) -> MeanMax {
        self.total.iterations.mean_max()
    }

    /// Density error after a step, relative to the rest density.
    pub fn density_error(&self) -> MeanMax {
        self.total.density_error.mean_max()
    }

    /// Mean number of neighbours.
    pub fn neighbors_mean(&self) -> f64 {
        self.neighbors.mean()
    }

    /// Kinetic energy after the last step [J].
    pub fn kinetic_energy(&self) -> f64 {
        self.kinetic_energy
    }

    /// Fastest particle after the last step [m/s].
    pub fn max_speed(&self) -> f64 {
        self.max_speed
    }

    /// Particles times steps per second of stepping.
    pub fn particle_steps_per_second(&self) -> f64 {
        if self.step_seconds > 0.0 { self.particle_steps / self.step_seconds } else { 0.0 }
    }

    /// Median wall time of a step [ms].
    pub fn step_milliseconds(&self) -> f64 {
        self.times.median(|(seconds, _)| *seconds)
    }

    /// Median share of a step's time that no stage accounts for.
    pub fn idle_share(&self) -> f64 {
        let idle = |(seconds, stages): &(f64, StageTimes)| {
            let busy: f64 = Stage::ALL.iter().map(|stage| stages.get(*stage)).sum();
            1.0 - busy / seconds.max(1e-12)
        };
        1e-3 * self.times.median(idle)
    }

    /// Median wall time of every stage [ms].
    pub fn stages(&self) -> StageMedians {
        let median = |stage: Stage| self.times.median(|(_, stages)| stages.get(stage));
        StageMedians(Stage::ALL.iter().map(|stage| (stage.name(), median(*stage))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_stays_bounded_and_keeps_the_median() {
        let mut statistics = Statistics::default();
        for step in 0..50_000 {
            let seconds = if step % 5 == 0 { 9.0 } else { 2.0 };
            statistics.add(&StepReport { iterations: 3, ..StepReport::default() }, seconds);
        }
        assert!(statistics.times.seconds.len() <= MOST_SAMPLES);
        assert_eq!(statistics.step_milliseconds(), 2000.0);
        assert_eq!(statistics.steps(), 50_000);
        assert_eq!(statistics.iterations(), MeanMax { mean: 3.0, max: 3.0 });
    }

    #[test]
    fn values_that_are_not_finite_leave_no_trace() {
        let mut statistics = Statistics::default();
        let sound = StepReport { density_error: 0.5, kinetic_energy: 2.0, ..StepReport::default() };
        statistics.add(&sound, 1.0);
        let broken = StepReport { density_error: f64::NAN, kinetic_energy: f64::NAN, ..sound };
        statistics.add(&broken, 1.0);
        assert_eq!(statistics.density_error(), MeanMax { mean: 0.5, max: 0.5 });
        assert_eq!(statistics.kinetic_energy(), 2.0);
    }

    #[test]
    fn an_interval_begins_anew_once_taken() {
        let mut statistics = Statistics::default();
        statistics.add(&StepReport::default(), 1.0);
        assert_eq!(statistics.take_interval().steps(), 1);
        assert_eq!(statistics.take_interval().steps(), 0);
    }
}
