//! What the kernels of a step ask of memory, to be set against what the device's memory gives.

use granule::solver::iisph::setup::Setup;
use granule::stages::Stage;

use crate::core::layout::{LANES, StepRecord};
use crate::core::sorting::sort_bytes;
use crate::kernel::WORKGROUP;

use super::constants::{has_momentum, is_fluid, is_viscous};

/// Bytes of a column's record.
const RECORD: f64 = 16.0;

/// Bytes of an entry of a neighbour list.
const ENTRY: f64 = 4.0;

/// Bytes per stage of a step like the last one. Records of neighbours count once per pair, although caches serve
/// most of them; what depends on where particles lie (candidates of lists, walls) is left out.
pub fn stage_bytes(setup: &Setup, step: &StepRecord, state_bytes: u32) -> Vec<(Stage, f64)> {
    let (count, iterations) = (f64::from(step.count), f64::from(step.iteration));
    let entries = f64::from(step.list_slots) * f64::from(LANES);
    let density = entries * (ENTRY + RECORD) + count * 3.0 * RECORD;
    let load = if is_fluid(setup) { 4.0 } else { 2.0 * RECORD };
    let accelerate = entries * (ENTRY + RECORD + load) + count * (4.0 * RECORD + load + RECORD);
    let blocks = (count / f64::from(WORKGROUP)).ceil();
    let previous = if has_momentum(setup) { 4.0 } else { 0.0 };
    let project =
        entries * (ENTRY + 2.0 * RECORD) + count * (3.0 + 2.0 + 2.0 + previous) * RECORD + blocks * RECORD;
    vec![
        (Stage::Sort, count * sort_bytes(step, state_bytes)),
        (Stage::Density, density),
        (Stage::PredictVelocity, if is_viscous(setup) { 0.0 } else { count * 2.0 * RECORD }),
        (Stage::WarmStart, count * (2.0 + 1.0 + 3.0) * RECORD),
        (Stage::Accelerate, (iterations + 1.0) * accelerate),
        (Stage::Project, iterations * project),
        (Stage::Integrate, count * 8.0 * RECORD),
    ]
    .into_iter()
    .filter(|(_, bytes)| *bytes > 0.0)
    .collect()
}
