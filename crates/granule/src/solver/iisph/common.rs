//! What `iisph` shares with other solvers, and what is its own in it.

use crate::columns::{AnyColumn, ColumnData, ParticleColumns, SavedColumns};
use crate::contacts::{ContactError, SavedContacts};
use crate::material::Material;
use crate::neighbors::Domain;
use crate::scene::Scene;
use crate::simulator::{FieldData, FieldInfo, StepReport};
use crate::solver::particle_solver::ParticleSolver;
use crate::solver::saved::SavedLists;
use crate::solver::search::Search;
use crate::solver::world::World;

use super::Iisph;
use super::params::IisphParams;
use super::state::IisphState;

impl ParticleSolver for Iisph {
    type Columns = IisphState;
    const NAME: &'static str = "iisph";
    const FIELDS: &'static [FieldInfo] = super::FIELDS;

    fn world(&self) -> &World {
        &self.world
    }

    fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    fn columns(&self) -> &IisphState {
        &self.state
    }

    fn columns_mut(&mut self) -> &mut IisphState {
        &mut self.state
    }

    fn domain(&self) -> Domain {
        self.setup.domain
    }

    fn materials(&self) -> &[Material] {
        &self.setup.materials
    }

    fn step_stages(&mut self, max_dt: f64) -> StepReport {
        self.run_stages(max_dt)
    }

    fn field(&self, name: &str, order: &[u32]) -> FieldData {
        self.own_field(name, order)
    }

    fn adopt(&mut self, scene: Scene) {
        self.setup.params = IisphParams::new(&scene, &self.setup.kernel);
        self.setup.materials =
            scene.material.iter().map(|m| Material::new(m, scene.iisph.yield_law)).collect();
        self.world.adopt(scene);
    }

    fn other_bytes(&self) -> usize {
        self.state.other_bytes() + self.search.bytes()
    }

    fn before_change(&mut self) {
        self.refresh_columns();
    }

    fn after_removal(&mut self, keep: &[bool], id: &[u32]) {
        self.state.contacts.memory.retain(keep, id);
    }

    fn switch_diagnostics(&mut self, on: bool) {
        self.diagnostics = on;
    }

    fn saved_columns(&self) -> SavedColumns {
        let mut columns = self.state.save();
        columns.set("strain_rate", self.strain_rates().into_owned().save());
        columns.set("neighbor_count", ColumnData::U32(self.neighbor_counts().into_owned()));
        columns
    }

    fn saved_contacts(&self) -> SavedContacts {
        self.state.contacts.memory.save(self.world.particles.len())
    }

    fn restore_contacts(columns: &mut IisphState, saved: &SavedContacts) -> Result<(), ContactError> {
        columns.contacts.memory.restore(saved)
    }

    fn after_restore(&mut self, _primed: bool, _lists: Option<SavedLists>) {
        self.search = Search::default();
    }
}
