//! Granular IISPH on a device: pressure and frictional stress by Jacobi iterations, in the order of
//! `crates/granule/src/solver/iisph/mod.rs`. `stages.rs` is the list of stages.
//!
//! | column | holds | life |
//! | --- | --- | --- |
//! | stress | frictional stress (6), pressure, strain rate | state |
//! | acceleration | of the last step, for readers | result |
//! | prediction | predicted velocity, acceleration from walls; what the last iteration gave, or trial stress where friction is explicit | scratch |
//! | solved | velocity with everything | scratch |
//!
//! **References, limitations, stability**: those of the CPU's solver. Pair gradients are not rounded to 1/32000 of the
//! longest; sums are single precision; the strain rate of a fluid is that of its last iteration.

mod checkpoint;
mod columns;
pub mod constants;
mod fields;
pub mod layout;
pub mod shaders;
mod stages;
mod traffic;

use granule::scene::Scene;
use granule::simulator::{FieldData, FieldInfo, StateError, StepReport};
use granule::solver::iisph::FIELDS;
use granule::solver::iisph::setup::Setup;
use granule::stages::Stage;

use crate::core::binder::Binder;
use crate::core::buffers::Buffers;
use crate::core::columns::ColumnInfo;
use crate::core::constants::StepLimits;
use crate::core::hooks::Hooks;
use crate::core::layout::{ReportRecord, StepRecord};
use crate::core::method::{
    FieldInput, Iterations, Method, MethodEntry, MethodStages, PublishedField, StateToRestore, StateToSave,
};

/// The method for registries.
pub const ENTRY: MethodEntry =
    MethodEntry { name: "iisph", make: |input| Ok(Box::new(Iisph::new(input.scene))) };

/// Granular IISPH.
struct Iisph {
    scene: Scene,
    setup: Setup,
}

impl Iisph {
    fn new(scene: &Scene) -> Self {
        Self { scene: scene.clone(), setup: Setup::new(scene) }
    }
}

impl Method for Iisph {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn fields(&self) -> &'static [FieldInfo] {
        FIELDS
    }

    fn published(&self) -> &'static [PublishedField] {
        fields::PUBLISHED
    }

    fn adopt(&mut self, scene: &Scene) {
        *self = Self::new(scene);
    }

    fn limits(&self) -> StepLimits {
        constants::limits(&self.setup)
    }

    fn iterations(&self) -> Iterations {
        constants::iterations(&self.setup)
    }

    fn overrides(&self) -> Vec<(&'static str, f64)> {
        constants::overrides(&self.setup)
    }

    fn params(&self) -> Vec<u8> {
        bytemuck::bytes_of(&constants::params(&self.scene, &self.setup)).to_vec()
    }

    fn materials(&self) -> Vec<u8> {
        bytemuck::pod_collect_to_vec(&constants::rheology(&self.setup))
    }

    fn columns(&self) -> Vec<ColumnInfo> {
        columns::list(constants::is_fluid(&self.setup))
    }

    fn hooks(&self) -> Hooks {
        shaders::HOOKS
    }

    fn driven(&self) -> Option<ColumnInfo> {
        Some(columns::PREDICTION)
    }

    fn bind(&self, binder: &mut Binder, buffers: &Buffers) -> Box<dyn MethodStages> {
        Box::new(stages::IisphStages::new(binder, buffers, &self.setup))
    }

    fn report(&self, record: &ReportRecord, report: &mut StepReport) {
        report.density_error = f64::from(record.density_error);
        report.friction_error = f64::from(record.friction_error);
    }

    fn field_columns(&self, field: &str) -> Vec<ColumnInfo> {
        fields::columns(field)
    }

    fn field(&self, name: &str, input: &FieldInput) -> FieldData {
        fields::field(name, input, &self.setup)
    }

    fn traffic(&self, step: &StepRecord, state_bytes: u32) -> Vec<(Stage, f64)> {
        traffic::stage_bytes(&self.setup, step, state_bytes)
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
