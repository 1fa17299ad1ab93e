//! Weakly compressible SPH on a device: two kicks around what all methods share (sort, lists, samples of walls, bodies, air,
//! reports), and the forces between them. The order is that of `crates/granule/src/solver/wcsph/mod.rs`; `stages.rs` is the
//! list of stages.
//!
//! | column | holds | life |
//! | --- | --- | --- |
//! | acceleration | acceleration and pressure | state |
//! | place | position and p/rho^2; then normals, where surfaces are smoothed | scratch |
//! | motion | velocity at the time of the positions, and density | scratch |
//! | density state | density, whether walls can be near, contacts, material and number of neighbours | shared |
//!
//! **Lists** reach a skin farther than the support. After the drift the device finds how far particles are from where they
//! were listed, and leaves out sort and search as long as no two can have come near from beyond (`decide_lists.wgsl`); pairs
//! beyond the support add nothing. Nor are walls sampled for particles that were far from all.
//!
//! **Interrupted steps.** A step kicks and drifts before anything has room to find out that it has none. If lists or contacts
//! do not fit, it halts as steps of `iisph` do; begun anew it goes on behind the drift (`StepRecord::progress`). So it does
//! where there are bodies: rapier moves these between the drift and the samples of walls.
//!
//! **Beginnings.** The very first step is preceded by one of no length, which finds accelerations, neighbours and walls. The
//! first one of a frame, or after anything was changed between steps, is preceded by one that finds neighbours and walls
//! alone: a checkpoint need not hold them, and a resumed run gives the same bits.

mod checkpoint;
mod columns;
mod constants;
pub mod layout;
pub mod shaders;
mod stages;

use granule::scene::Scene;
use granule::simd::Instructions;
use granule::simulator::{FieldData, FieldInfo, StateError, StepReport};
use granule::solver::wcsph::FIELDS;
use granule::solver::wcsph::params::Setup;
use granule::stages::Stage;

use crate::core::binder::Binder;
use crate::core::buffers::Buffers;
use crate::core::columns::{ColumnInfo, VELOCITY};
use crate::core::constants::StepLimits;
use crate::core::hooks::Hooks;
use crate::core::layout::{LANES, ReportRecord, StepRecord};
use crate::core::method::{
    BodyVisit, FieldInput, Method, MethodEntry, MethodStages, PublishedField, StateToRestore, StateToSave,
};

use columns::ACCELERATION;
use layout::progress;

/// The method for registries.
pub const ENTRY: MethodEntry =
    MethodEntry { name: "wcsph", make: |input| Ok(Box::new(Wcsph::new(input.scene))) };

/// Weakly compressible SPH.
struct Wcsph {
    setup: Setup,
}

impl Wcsph {
    fn new(scene: &Scene) -> Self {
        Self { setup: Setup::new(scene, None, Instructions::Portable) }
    }
}

impl Method for Wcsph {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn fields(&self) -> &'static [FieldInfo] {
        FIELDS
    }

    fn published(&self) -> &'static [PublishedField] {
        &[PublishedField { name: "pressure", column: ACCELERATION, number: 3 }]
    }

    fn adopt(&mut self, scene: &Scene) {
        *self = Self::new(scene);
    }

    fn limits(&self) -> StepLimits {
        constants::limits(&self.setup)
    }

    fn first_step(&self, gravity: f32) -> f64 {
        let params = &self.setup.params;
        params.time_step.unwrap_or_else(|| params.longest_step(0.0, f64::from(gravity)))
    }

    fn body_visit(&self) -> BodyVisit {
        BodyVisit::WithinStep
    }

    fn overrides(&self) -> Vec<(&'static str, f64)> {
        constants::overrides(&self.setup)
    }

    fn params(&self) -> Vec<u8> {
        bytemuck::bytes_of(&constants::params(&self.setup)).to_vec()
    }

    fn materials(&self) -> Vec<u8> {
        bytemuck::pod_collect_to_vec(&constants::fluids(&self.setup))
    }

    fn columns(&self) -> Vec<ColumnInfo> {
        columns::list(self.setup.params.smoothed)
    }

    fn hooks(&self) -> Hooks {
        shaders::HOOKS
    }

    fn measured(&self) -> Option<ColumnInfo> {
        Some(ACCELERATION)
    }

    fn driven(&self) -> Option<ColumnInfo> {
        Some(ACCELERATION)
    }

    fn bind(&self, binder: &mut Binder, buffers: &Buffers) -> Box<dyn MethodStages> {
        Box::new(stages::WcsphStages::new(binder, buffers, &self.setup))
    }

    fn first_progress(&self) -> u32 {
        progress::PRIMES
    }

    fn forget_neighbors(&self, step: &mut StepRecord) {
        step.listed = 0;
        if step.progress == progress::NOT_KICKED {
            step.progress = progress::SAMPLES;
        }
    }

    fn report(&self, record: &ReportRecord, report: &mut StepReport) {
        report.density_error = f64::from(record.density_error);
    }

    fn field_columns(&self, field: &str) -> Vec<ColumnInfo> {
        if field == "force" { vec![VELOCITY, ACCELERATION] } else { vec![ACCELERATION] }
    }

    fn field(&self, name: &str, input: &FieldInput) -> FieldData {
        if name == "force" {
            return input.forces(ACCELERATION);
        }
        let acceleration: Vec<[f32; 4]> = input.rows.of(ACCELERATION);
        input.scalars(|i| acceleration[i][3])
    }

    /// Of a step that has kept its lists, which most do.
    fn traffic(&self, step: &StepRecord, _: u32) -> Vec<(Stage, f64)> {
        // Bytes of a column's record, and of an entry of a neighbour list.
        let (record, entry) = (16.0, 4.0);
        let (count, entries) = (f64::from(step.count), f64::from(step.list_slots) * f64::from(LANES));
        let measure = 4.0 * record;
        // Positions and velocities are read and written; accelerations, meta, walls and listed positions read.
        let drift = 8.0 * record;
        let kick = 5.0 * record;
        vec![
            (Stage::Integrate, count * (measure + drift + kick)),
            (Stage::SampleBoundaries, count * record),
            (Stage::Density, entries * (entry + record) + count * 7.0 * record),
            (Stage::Accelerate, entries * (entry + 2.0 * record) + count * 4.0 * record),
        ]
    }

    fn save(&self, state: StateToSave) -> Result<Vec<u8>, StateError> {
        checkpoint::save(state)
    }

    fn decode(
        &self,
        bytes: &[u8],
        scene: &Scene,
        boundary_count: usize,
    ) -> Result<StateToRestore, StateError> {
        checkpoint::decode(bytes, scene, boundary_count)
    }
}

#[cfg(test)]
mod tests;
