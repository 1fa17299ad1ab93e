//! What the kernels of a step ask of memory, to be set against what the device's memory gives.

use granule::stages::Stage;

use crate::kernel::WORKGROUP;
use crate::layout::LANES;
use crate::solver::GpuIisph;

/// Bytes of a column's record.
const RECORD: f64 = 16.0;

/// Bytes of an entry of a neighbour list.
const ENTRY: f64 = 4.0;

impl GpuIisph {
    /// Bytes per stage of a step like the last one. Records of neighbours count once per pair, although caches serve
    /// most of them; what depends on where particles lie (candidates of lists, walls) is left out.
    pub(crate) fn stage_bytes(&self) -> Vec<(Stage, f64)> {
        let step = &self.step;
        let (count, sweeps) = (f64::from(step.count), f64::from(step.iteration));
        let entries = f64::from(step.list_slots) * f64::from(LANES);
        let fluid = self.variant.fluid;
        // Keys of 8 bytes and places of 4: counted, then moved.
        let pass = 8.0 + 2.0 * 12.0;
        let columns = 5.0 * RECORD;
        let sort = 3.0 * RECORD
            + (2.0 * RECORD + 12.0)
            + f64::from(step.sort_passes) * pass
            + (4.0 + 2.0 * columns)
            + (2.0 * columns + 2.0 * 8.0 + 4.0);
        if self.variant.weak.is_some() {
            return weak_bytes(count, entries);
        }
        let density = entries * (ENTRY + RECORD) + count * 3.0 * RECORD;
        let load = if fluid { 4.0 } else { 2.0 * RECORD };
        let accelerate = entries * (ENTRY + RECORD + load) + count * (4.0 * RECORD + load + RECORD);
        let blocks = (count / f64::from(WORKGROUP)).ceil();
        let project = entries * (ENTRY + 2.0 * RECORD) + count * (3.0 + 2.0 + 2.0) * RECORD + blocks * RECORD;
        vec![
            (Stage::Sort, count * sort),
            (Stage::Density, density),
            (Stage::PredictVelocity, if self.variant.viscous { 0.0 } else { count * 2.0 * RECORD }),
            (Stage::WarmStart, count * (2.0 + 1.0 + 3.0) * RECORD),
            (Stage::Accelerate, (sweeps + 1.0) * accelerate),
            (Stage::Project, sweeps * project),
            (Stage::Integrate, count * 8.0 * RECORD),
        ]
        .into_iter()
        .filter(|(_, bytes)| *bytes > 0.0)
        .collect()
    }
}

/// Bytes per stage of a weakly compressible step that has kept its lists, which most do.
fn weak_bytes(count: f64, entries: f64) -> Vec<(Stage, f64)> {
    let measure = 4.0 * RECORD;
    // Positions and velocities are read and written; accelerations, tags, walls and listed positions read.
    let drift = 8.0 * RECORD;
    let kick = 6.0 * RECORD;
    vec![
        (Stage::Integrate, count * (measure + drift + kick)),
        (Stage::SampleBoundaries, count * RECORD),
        (Stage::Density, entries * (ENTRY + RECORD) + count * 7.0 * RECORD),
        (Stage::Accelerate, entries * (ENTRY + 2.0 * RECORD) + count * 4.0 * RECORD),
    ]
}
