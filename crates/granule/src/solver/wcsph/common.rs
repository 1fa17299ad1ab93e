//! What `wcsph` shares with other solvers, and what is its own in it.
//!
//! Checkpoints are taken at frame times, where neighbours are listed and walls are sampled anew: they hold neither.

use crate::material::Material;
use crate::neighbors::Domain;
use crate::scene::Scene;
use crate::simulator::{FieldData, FieldInfo, StepReport};
use crate::solver::particle_solver::ParticleSolver;
use crate::solver::saved::SavedLists;
use crate::solver::world::World;

use super::Wcsph;
use super::params::Setup;
use super::state::WcsphState;

impl ParticleSolver for Wcsph {
    type Columns = WcsphState;
    const NAME: &'static str = "wcsph";
    const FIELDS: &'static [FieldInfo] = super::FIELDS;

    fn world(&self) -> &World {
        &self.world
    }

    fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    fn columns(&self) -> &WcsphState {
        &self.state
    }

    fn columns_mut(&mut self) -> &mut WcsphState {
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
        self.setup = Setup::new(&scene, self.setup.defect, self.setup.instructions);
        self.world.adopt(scene);
    }

    fn other_bytes(&self) -> usize {
        self.state.other_bytes() + self.search.bytes()
    }

    fn before_command(&mut self) {
        self.search.invalidate();
    }

    /// New particles are pushed by gravity alone until forces are found.
    fn after_growth(&mut self, first: usize) {
        self.state.acceleration[first..].fill(self.world.gravity.extend(0.0));
        self.search.invalidate();
    }

    fn after_removal(&mut self, _keep: &[bool], _id: &[u32]) {
        self.search.invalidate();
    }

    fn is_primed(&self) -> bool {
        self.ready
    }

    fn after_restore(&mut self, primed: bool, _lists: Option<SavedLists>) {
        self.ready = primed;
        self.search.invalidate();
    }
}
