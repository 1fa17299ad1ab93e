//! Medians over rounds, their ratios and the table of them.

use serde::Serialize;

use crate::output::table;

use super::cases::{CASES, Case, Runs, Sample};
use super::{FEW, MANY};

/// All that was measured.
#[derive(Serialize)]
pub struct Comparison {
    size: &'static str,
    threads: u32,
    results: [CaseResult; CASES.len()],
    ratio: Ratio,
}

/// How fast a case was: medians over rounds of the means over steps.
#[derive(Serialize)]
struct CaseResult {
    program: &'static str,
    solver: &'static str,
    boundary: &'static str,
    particles: u32,
    ms_per_step: f64,
    /// The same, per round.
    ms_per_step_of_rounds: Vec<f64>,
    /// With [`FEW`] and [`MANY`] iterations, per round.
    ms_per_step_with_fixed_iterations: [Vec<f64>; 2],
    iterations: f64,
    divergence_iterations: f64,
    particle_steps_per_second: f64,
    /// By difference; nothing where it was not timed, or where it drowned in noise.
    particle_iterations_per_second: Option<f64>,
}

/// Speed of granule in units of SPlisHSPlasH's, with boundary particles where nothing else is said.
#[derive(Serialize)]
struct Ratio {
    /// Particle-steps per second against IISPH.
    iisph: f64,
    /// Particle-steps per second against DFSPH.
    dfsph: f64,
    /// Particle-iterations per second against DFSPH.
    iteration: Option<f64>,
    /// Particle-steps per second of both weakly compressible solvers, SPlisHSPlasH's with volume maps.
    wcsph: f64,
}

impl Comparison {
    /// Compares the cases, all of which must have had the same number of particles.
    pub fn new(size: &'static str, threads: u32, runs: &[Runs; CASES.len()]) -> Result<Self, String> {
        let results = std::array::from_fn(|k| result(&CASES[k], &runs[k]));
        let [granule, iisph, dfsph, _, weak, their_weak] = &results;
        if results.iter().any(|result| result.particles != granule.particles) {
            return Err("the programs had different numbers of particles".into());
        }
        let rates = granule.particle_iterations_per_second.zip(dfsph.particle_iterations_per_second);
        let ratio = Ratio {
            iisph: granule.particle_steps_per_second / iisph.particle_steps_per_second,
            dfsph: granule.particle_steps_per_second / dfsph.particle_steps_per_second,
            iteration: rates.map(|(ours, theirs)| ours / theirs),
            wcsph: weak.particle_steps_per_second / their_weak.particle_steps_per_second,
        };
        Ok(Self { size, threads, results, ratio })
    }

    /// A table, the iterations of both IISPH, and the ratios in the last line.
    pub fn in_words(&self) -> String {
        let header = [
            "program",
            "solver",
            "boundary",
            "particles",
            "ms/step",
            "iterations",
            "particle-steps/s",
            "particle-iterations/s",
        ];
        let rows: Vec<Vec<String>> = self.results.iter().map(CaseResult::row).collect();
        let Ratio { iisph, dfsph, iteration, wcsph } = self.ratio;
        [
            table(&header, 3, &rows),
            format!(
                "iterations per step of IISPH: granule {:.2}, SPlisHSPlasH {:.2}",
                self.results[0].iterations, self.results[1].iterations
            ),
            format!(
                "ratio iisph {iisph:.2} dfsph {dfsph:.2} iteration {} wcsph {wcsph:.2}",
                or_dash(iteration, 2)
            ),
        ]
        .join("\n\n")
    }
}

impl CaseResult {
    fn row(&self) -> Vec<String> {
        let iterations = match self.divergence_iterations {
            0.0 => format!("{:.2}", self.iterations),
            second => format!("{:.2} + {second:.2}", self.iterations),
        };
        vec![
            self.program.into(),
            self.solver.into(),
            self.boundary.into(),
            self.particles.to_string(),
            format!("{:.1}", self.ms_per_step),
            iterations,
            format!("{:.0}", self.particle_steps_per_second),
            or_dash(self.particle_iterations_per_second, 0),
        ]
    }
}

fn result(case: &Case, runs: &Runs) -> CaseResult {
    let ms_per_step = median(&runs.free, |sample| sample.ms_per_step);
    let particles = runs.free.first().map_or(0, |sample| sample.particles);
    CaseResult {
        program: case.program.name(),
        solver: case.solver,
        boundary: case.boundary,
        particles,
        ms_per_step,
        ms_per_step_of_rounds: milliseconds(&runs.free),
        ms_per_step_with_fixed_iterations: [milliseconds(&runs.few), milliseconds(&runs.many)],
        iterations: median(&runs.free, |sample| sample.iterations),
        divergence_iterations: median(&runs.free, |sample| sample.divergence_iterations),
        particle_steps_per_second: 1e3 * f64::from(particles) / ms_per_step,
        particle_iterations_per_second: iteration_rate(particles, &runs.few, &runs.many),
    }
}

/// n (many - few) / (t_many - t_few) [1/s], where t grows with the number of iterations.
fn iteration_rate(particles: u32, few: &[Sample], many: &[Sample]) -> Option<f64> {
    let [few, many] = [few, many].map(|samples| median(samples, |sample| sample.ms_per_step));
    let rate = 1e3 * f64::from(particles) * f64::from(MANY - FEW) / (many - few);
    (few < many).then_some(rate)
}

fn milliseconds(samples: &[Sample]) -> Vec<f64> {
    samples.iter().map(|sample| sample.ms_per_step).collect()
}

/// The median of a number; NaN where there is none.
fn median(samples: &[Sample], number: impl Fn(&Sample) -> f64) -> f64 {
    let mut values: Vec<f64> = samples.iter().map(number).collect();
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[middle],
        _ => 0.5 * (values[middle - 1] + values[middle]),
    }
}

fn or_dash(value: Option<f64>, decimals: usize) -> String {
    value.map_or("-".into(), |value| format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(milliseconds: &[f64]) -> Vec<Sample> {
        let sample = |&ms_per_step| Sample {
            particles: 1000,
            ms_per_step,
            iterations: 2.0,
            divergence_iterations: 0.0,
        };
        milliseconds.iter().map(sample).collect()
    }

    /// Runs of granule at 10 ms per step, and of the others at 20, 40 and 30 ms; of the weakly compressible ones at 5 and
    /// 15 ms.
    fn runs() -> [Runs; CASES.len()] {
        [10.0, 20.0, 40.0, 30.0, 5.0, 15.0].map(|ms| Runs {
            free: samples(&[9.0 * ms, ms, 0.5 * ms]),
            few: samples(&[ms]),
            many: samples(&[3.0 * ms]),
        })
    }

    #[test]
    fn ratios_come_from_medians_and_stand_in_the_last_line() {
        let comparison = Comparison::new("30k", 2, &runs()).unwrap();
        assert_eq!(comparison.results[0].particle_steps_per_second, 1e5);
        assert_eq!(comparison.results[0].particle_iterations_per_second, Some(1e6));
        let text = comparison.in_words();
        assert_eq!(text.lines().last(), Some("ratio iisph 2.00 dfsph 4.00 iteration 4.00 wcsph 3.00"));
    }

    #[test]
    fn iterations_that_cost_nothing_are_noise() {
        assert_eq!(iteration_rate(1000, &samples(&[5.0]), &samples(&[4.0])), None);
        assert_eq!(iteration_rate(1000, &[], &[]), None);
    }

    #[test]
    fn different_numbers_of_particles_are_not_compared() {
        let mut runs = runs();
        runs[1].free[0].particles = 999;
        assert!(Comparison::new("30k", 2, &runs).is_err());
    }
}
