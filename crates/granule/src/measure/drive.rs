//! Driving an experiment's simulation: a device that fails ends the experiment instead of leaving it without numbers.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::simulation::SimulationError;
use crate::simulator::{Snapshot, StepReport};

use super::run::Run;

/// Advances by a step.
pub fn step(simulation: &mut Run) -> Result<StepReport, SimulationError> {
    simulation.step()
}

/// Advances to the next frame; gives the report of its last step.
pub fn next_frame(simulation: &mut Run) -> Result<StepReport, SimulationError> {
    simulation.next_frame()
}

/// Advances to the first frame at or after a time \[s\].
pub fn run_until(simulation: &mut Run, seconds: f64) -> Result<(), SimulationError> {
    simulation.run_until(seconds)
}

/// Reads fields.
pub fn read(simulation: &mut Run, fields: &[&str]) -> Result<Snapshot, SimulationError> {
    simulation.read(fields)
}

/// What fields amount to. Where runs are kept that alone is written down, not the fields: for what is looked at in every frame.
pub fn look<T: Serialize + DeserializeOwned>(
    simulation: &mut Run,
    fields: &[&str],
    amount: impl FnOnce(&Snapshot) -> T,
) -> Result<T, SimulationError> {
    simulation.observe(&format!("look at {fields:?}"), |simulation| {
        let snapshot = simulation.read(fields).map_err(|error| SimulationError::Failed(error.to_string()))?;
        Ok(amount(&snapshot))
    })
}
