//! What `pbd` shares with other solvers, and what is its own in it.
//!
//! Checkpoints hold what lists were made from, not the lists; where these do not go on to hold, neighbours are listed anew.

use crate::assemblies::{AssembliesError, SavedAssemblies};
use crate::contacts::{Contact, ContactError, SavedContacts};
use crate::material::Material;
use crate::neighbors::Domain;
use crate::particles::NewGrain;
use crate::position::ExactPosition;
use crate::scene::Scene;
use crate::simulator::{FieldData, FieldInfo, StepReport};
use crate::solver::particle_solver::{ParticleSolver, solid_mass};
use crate::solver::saved::SavedLists;
use crate::solver::world::World;

use super::Pbd;
use super::params::Setup;
use super::state::PbdState;

impl ParticleSolver for Pbd {
    type Columns = PbdState;
    const NAME: &'static str = "pbd";
    const FIELDS: &'static [FieldInfo] = super::FIELDS;

    fn world(&self) -> &World {
        &self.world
    }

    fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    fn columns(&self) -> &PbdState {
        &self.state
    }

    fn columns_mut(&mut self) -> &mut PbdState {
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

    fn list_contacts(&self) -> Vec<Contact> {
        self.touching()
    }

    fn adopt(&mut self, scene: Scene) {
        self.setup = Setup::new(&scene, &self.setup.shapes, self.setup.defect, self.setup.instructions);
        self.world.adopt(scene);
    }

    fn other_bytes(&self) -> usize {
        self.state.memory.bytes()
            + self.state.walls.bytes()
            + self.pairs.bytes()
            + self.search.bytes()
            + self.shaped.bytes()
    }

    fn before_command(&mut self) {
        self.give_up_lists();
    }

    fn before_change(&mut self) {
        self.give_up_lists();
    }

    fn after_growth(&mut self, first: usize) {
        self.begin_particles(first);
    }

    fn after_removal(&mut self, keep: &[bool], id: &[u32]) {
        self.state.memory.retain(keep, id);
        self.state.walls.retain(keep, id, self.dt);
        self.listed = false;
        self.shaped.find(&self.world.particles.id);
    }

    fn saved_contacts(&self) -> SavedContacts {
        // Of lists that go on to hold impulses are saved as they are, so that a resumed run has the same bits.
        let pairs = self.memory_of_now(if self.search.is_valid() { 1.0 } else { self.dt });
        let count = self.world.particles.len();
        SavedContacts::of_pairs_and_walls(count, &pairs, |i| self.state.walls.of(i, self.dt))
    }

    fn saved_lists(&self) -> Option<SavedLists> {
        let lists = || SavedLists {
            listed: self.search.listed().to_vec(),
            paths: self.path.clone(),
            wall_skin: self.skin,
            wall_way: self.wall_way,
            step: self.dt,
        };
        (self.listed && self.search.is_valid()).then(lists)
    }

    fn restore_assemblies(&mut self, saved: SavedAssemblies) -> Result<(), AssembliesError> {
        let particles = &self.world.particles;
        let known = saved.assembly.is_empty() && self.shaped.recognise(&particles.id, &particles.material);
        self.world.hidden = self.shaped.ids();
        if known { Ok(()) } else { Err(AssembliesError::Particles) }
    }

    fn restore_contacts(columns: &mut PbdState, saved: &SavedContacts) -> Result<(), ContactError> {
        if let Some(at_walls) = saved.restore_pairs(&mut columns.memory)? {
            columns.walls.restore(&at_walls);
        }
        Ok(())
    }

    fn after_restore(&mut self, _primed: bool, lists: Option<SavedLists>) {
        self.listed = false;
        self.search.invalidate();
        lists.into_iter().for_each(|lists| self.make_lists_again(lists));
    }

    fn mass_of(&self, grain: &NewGrain) -> f32 {
        solid_mass(self.materials(), grain)
    }
}

impl Pbd {
    /// Fills the columns of particles that have come, from `first` on.
    pub(super) fn begin_particles(&mut self, first: usize) {
        let (world, state) = (&mut self.world, &mut self.state);
        let Some(spin) = world.particles.angular_velocity.as_mut() else { return };
        for (i, spin) in spin.iter_mut().enumerate().skip(first) {
            let place = ExactPosition::new(world.particles.position[i].truncate()).unwrap_or_default();
            state.place[i] = self.setup.exact_domain.wrap(place);
            spin.w = 1.0 / world.particles.velocity[i].w;
        }
    }
}
