//! Recorded trajectories of a few grains, held against the solver with distinct elements.

use super::{Measurement, Point};
use crate::build::Options;
use crate::scene::SolverKind;
use crate::solver::dem::oracle::{EngineOptions, Oracle, SetupError, compare_engine};

/// Runs the solver through an oracle file, and reports the largest scaled difference per kind.
///
/// # Errors
/// Says what cannot be set up.
pub fn measure_oracle(oracle: &Oracle, options: &Options) -> Result<Measurement, SetupError> {
    let start = std::time::Instant::now();
    let threads = options.threads.unwrap_or(0);
    let engine = EngineOptions { threads, instructions: options.instructions, defect: options.defect };
    let found = compare_engine(oracle, engine)?;
    let tolerance = oracle.tolerance.f32;
    let kinds = [
        ("length / R", found.length, tolerance),
        ("speed / largest speed", found.speed, tolerance),
        ("force / largest force", found.force, tolerance),
        ("torque / (R largest force)", found.torque, tolerance),
        ("energy / sum of energies", found.energy, oracle.tolerance.f32_energy.unwrap_or(tolerance)),
    ];
    let source = "the file's tolerance for single precision";
    let point = |(kind, found, most): (&str, f64, f64)| {
        let quantity = format!("{}: difference of {kind}", oracle.name);
        Point::new(quantity, found, [0.0, most], source).with("steps", f64::from(oracle.steps)).against(0.0)
    };
    let points: Vec<Point> = kinds.into_iter().map(point).collect();
    Ok(Measurement {
        experiment: format!("oracle {}", oracle.name),
        solver: SolverKind::Dem.name().into(),
        device: format!("cpu, {threads} threads"),
        seconds: start.elapsed().as_secs_f64(),
        pass: points.iter().all(|point| point.pass),
        points,
        plots: Vec::new(),
    })
}
