//! What `dem` shares with other solvers, and what is its own in it.
//!
//! Checkpoints are taken at frame times, where neighbours are listed anew: they hold what contacts remember, not the lists.

use crate::assemblies::{Assemblies, AssembliesError, SavedAssemblies};
use crate::clumps::PlacedAssembly;
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

use super::Dem;
use super::params::Setup;
use super::state::{DemState, mover};

/// Most steps that are taken before somebody may look: enough to hide the ends of the first and the last.
const AHEAD: usize = 16;

impl ParticleSolver for Dem {
    type Columns = DemState;
    const NAME: &'static str = "dem";
    const FIELDS: &'static [FieldInfo] = super::FIELDS;

    fn world(&self) -> &World {
        &self.world
    }

    fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    fn columns(&self) -> &DemState {
        &self.state
    }

    fn columns_mut(&mut self) -> &mut DemState {
        &mut self.state
    }

    fn domain(&self) -> Domain {
        self.setup.domain
    }

    fn materials(&self) -> &[Material] {
        &self.setup.materials
    }

    fn step_stages(&mut self, max_dt: f64) -> StepReport {
        self.run_steps(self.step_of(max_dt), self.world.time + max_dt, 1).pop().unwrap_or_default()
    }

    fn advance_stages(&mut self, until: f64, most: usize) -> Vec<StepReport> {
        self.run_steps(self.step_of(until - self.world.time), until, most.min(AHEAD))
    }

    fn field(&self, name: &str, order: &[u32]) -> FieldData {
        self.own_field(name, order)
    }

    fn list_contacts(&self) -> Vec<Contact> {
        self.touching().into_iter().map(|touching| touching.contact).collect()
    }

    fn adopt(&mut self, scene: Scene) {
        self.setup = Setup::new(&scene, &self.setup.shapes, self.setup.defect, self.setup.instructions);
        self.world.adopt(scene);
        self.fit_domain();
    }

    fn other_bytes(&self) -> usize {
        self.state.other_bytes() + self.search.bytes()
    }

    fn before_command(&mut self) {
        self.search.invalidate();
    }

    /// New grains are pushed by gravity alone until forces are found.
    fn after_growth(&mut self, first: usize) {
        self.begin_particles(first);
        self.search.invalidate();
    }

    fn after_removal(&mut self, keep: &[bool], id: &[u32]) {
        self.assemblies.grow(keep.len());
        self.assemblies.retain(&mut keep.to_vec());
        self.state.memory.retain(keep, id);
        self.state.walls.retain(keep, id);
        self.search.invalidate();
    }

    fn saved_contacts(&self) -> SavedContacts {
        let (count, pairs) = (self.world.particles.len(), &self.state.memory);
        SavedContacts::of_pairs_and_walls(count, pairs, |i| self.state.walls.of(i))
    }

    fn restore_contacts(columns: &mut DemState, saved: &SavedContacts) -> Result<(), ContactError> {
        if let Some(at_walls) = saved.restore_pairs(&mut columns.memory)? {
            columns.walls.restore(&at_walls);
        }
        Ok(())
    }

    fn saved_assemblies(&self) -> SavedAssemblies {
        self.assemblies.save()
    }

    fn restore_assemblies(&mut self, saved: SavedAssemblies) -> Result<(), AssembliesError> {
        self.assemblies = Assemblies::restore(saved, &self.world.particles.id)?;
        Ok(())
    }

    fn assemblies(&self) -> &Assemblies {
        &self.assemblies
    }

    fn add_assemblies(&mut self, new: &[PlacedAssembly]) {
        self.assemblies.grow(self.world.particles.len());
        self.assemble(new);
    }

    fn is_primed(&self) -> bool {
        self.ready
    }

    fn after_restore(&mut self, primed: bool, _lists: Option<SavedLists>) {
        self.ready = primed;
        self.fit_domain();
        self.search.invalidate();
    }

    fn mass_of(&self, grain: &NewGrain) -> f32 {
        solid_mass(self.materials(), grain)
    }
}

impl Dem {
    /// Fills the columns of particles that have come, from `first` on.
    pub(super) fn begin_particles(&mut self, first: usize) {
        let (world, state) = (&mut self.world, &mut self.state);
        let gravity = world.gravity;
        let Some(angular_velocity) = world.particles.angular_velocity.as_mut() else { return };
        for (i, spin) in angular_velocity.iter_mut().enumerate().skip(first) {
            let x = world.particles.position[i].truncate();
            let place = ExactPosition::new(x).unwrap_or_default();
            state.place[i] = self.setup.exact_domain.wrap(place);
            let mass = world.particles.velocity[i].w;
            state.force[i] = (mass * gravity).extend(0.0);
            state.mover[i] = mover::FREE;
            spin.w = 1.0 / mass;
        }
    }
}
