//! Driving an experiment's simulation: a device that fails ends the experiment instead of leaving it without numbers.

use std::ops::ControlFlow;

use crate::simulation::{Simulation, SimulationError};
use crate::simulator::{Snapshot, StepReport};

/// Advances by a step.
pub fn step(simulation: &mut Simulation) -> Result<StepReport, SimulationError> {
    let report = simulation.step();
    check(simulation).map(|()| report)
}

/// Advances to the next frame; gives the report of its last step.
pub fn next_frame(simulation: &mut Simulation) -> Result<StepReport, SimulationError> {
    let mut last = StepReport::default();
    // Nothing but a failure stops it.
    let _ = simulation.run_frame(&mut |report, _| {
        last = report.clone();
        ControlFlow::Continue(())
    });
    check(simulation).map(|()| last)
}

/// Advances to the first frame at or after a time \[s\].
pub fn run_until(simulation: &mut Simulation, seconds: f64) -> Result<(), SimulationError> {
    simulation.run_until(seconds);
    check(simulation)
}

/// Reads fields.
pub fn read(simulation: &mut Simulation, fields: &[&str]) -> Result<Snapshot, SimulationError> {
    let snapshot = simulation.read(fields).map_err(|error| SimulationError::Failed(error.to_string()))?;
    check(simulation).map(|()| snapshot)
}

fn check(simulation: &Simulation) -> Result<(), SimulationError> {
    simulation.failure().map_or(Ok(()), |reason| Err(SimulationError::Failed(reason.into())))
}
