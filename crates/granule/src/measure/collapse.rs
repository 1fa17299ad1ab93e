//! Not measured yet.
use super::{MeasureOptions, Measurement, Progress};
use crate::simulation::SimulationError;
pub fn measure(_: &MeasureOptions, _: &mut Measurement, _: &mut Progress) -> Result<(), SimulationError> {
    Ok(())
}
