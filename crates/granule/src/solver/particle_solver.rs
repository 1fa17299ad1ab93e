//! What particle solvers on CPU cores have in common: steps, commands, particles that come and go, fields and
//! checkpoints are written here once. A solver implements [`ParticleSolver`] and is a [`Simulator`] by that.

use glam::Vec3;

use crate::assemblies::{Assemblies, AssembliesError, SavedAssemblies};
use crate::bodies::BodyReport;
use crate::boundary::{Boundary, Pose, Sdf};
use crate::cell::{CellState, StrainedCell};
use crate::clumps::PlacedAssembly;
use crate::columns::{ParticleColumns, SavedColumns};
use crate::contacts::{Contact, ContactError, SavedContacts};
use crate::material::{Material, grain_mass};
use crate::neighbors::Domain;
use crate::particles::NewGrain;
use crate::scene::Scene;
use crate::simulator::{
    Command, CommandError, CommandReport, FieldData, FieldError, FieldInfo, ReadTicket, Simulator, Snapshot,
    StateError, StepReport,
};

use super::reads::find_field;
use super::saved::{SavedLists, SavedState, impossible};
use super::world::{Applied, World};

/// A solver whose particles live in a [`World`].
pub trait ParticleSolver: Send + 'static {
    /// Its own columns beside those of the particles, declared by [`particle_columns!`](crate::particle_columns).
    type Columns: ParticleColumns + Default;

    /// Its word in scenes.
    const NAME: &'static str;

    /// The fields it has.
    const FIELDS: &'static [FieldInfo];

    /// Particles and the world around them.
    fn world(&self) -> &World;

    /// Particles and the world around them.
    fn world_mut(&mut self) -> &mut World;

    /// Its own columns.
    fn columns(&self) -> &Self::Columns;

    /// Its own columns.
    fn columns_mut(&mut self) -> &mut Self::Columns;

    /// Space.
    fn domain(&self) -> Domain;

    /// The materials that new particles may have.
    fn materials(&self) -> &[Material];

    /// The stages of a step of at most `max_dt` \[s\], in order; runs on the world's threads.
    fn step_stages(&mut self, max_dt: f64) -> StepReport;

    /// Some steps, at most to a time \[s\] and at most this many, where several together are faster than one by one.
    fn advance_stages(&mut self, until: f64, _most: usize) -> Vec<StepReport> {
        vec![self.step_stages(until - self.world().time)]
    }

    /// The values of one of its fields for the particles in this order.
    fn field(&self, name: &str, order: &[u32]) -> FieldData;

    /// The contacts of now; none for solvers without.
    fn list_contacts(&self) -> Vec<Contact> {
        Vec::new()
    }

    /// Takes over the constants and materials of a changed scene, and hands it to the world.
    fn adopt(&mut self, scene: Scene);

    /// Bytes held beside particles and columns: lists, contacts, memory for sorting.
    fn other_bytes(&self) -> usize;

    /// Called before a command is carried out.
    fn before_command(&mut self) {}

    /// Brings columns up to date that would be lost when particles come or go.
    fn before_change(&mut self) {}

    /// Called when particles from `first` on have come and columns have room for them.
    fn after_growth(&mut self, _first: usize) {}

    /// Its rigid grains of several particles; none for solvers without.
    fn assemblies(&self) -> &Assemblies {
        const NONE: &Assemblies = &Assemblies::NONE;
        NONE
    }

    /// Called after [`after_growth`](Self::after_growth) with the rigid grains among the particles that have come; only
    /// where [the solver has such](crate::scene::SolverCapabilities::has_clumps).
    fn add_assemblies(&mut self, _new: &[PlacedAssembly]) {}

    /// Called when particles have gone and columns follow: `keep` and `id` are those before.
    fn after_removal(&mut self, _keep: &[bool], _id: &[u32]) {}

    /// Switches costly diagnostics on or off, where it has any.
    fn switch_diagnostics(&mut self, _on: bool) {}

    /// The columns that a checkpoint holds; differs from the registry's where columns are brought up to date late.
    fn saved_columns(&self) -> SavedColumns {
        self.columns().save()
    }

    /// What its contacts remember.
    fn saved_contacts(&self) -> SavedContacts {
        SavedContacts::default()
    }

    /// Takes over what contacts remember, where they are kept beside columns that were restored.
    ///
    /// # Errors
    /// Refuses contacts of another solver.
    fn restore_contacts(_columns: &mut Self::Columns, saved: &SavedContacts) -> Result<(), ContactError> {
        if saved.partner.is_empty() { Ok(()) } else { Err(ContactError::Count) }
    }

    /// Its rigid assemblies.
    fn saved_assemblies(&self) -> SavedAssemblies {
        SavedAssemblies::default()
    }

    /// Takes over rigid assemblies; particles are restored already.
    ///
    /// # Errors
    /// Refuses those that contradict the particles, and all where the solver has none.
    fn restore_assemblies(&mut self, saved: SavedAssemblies) -> Result<(), AssembliesError> {
        if saved.assembly.is_empty() { Ok(()) } else { Err(AssembliesError::Particles) }
    }

    /// Whether the forces that a step begins with are those of now.
    fn is_primed(&self) -> bool {
        true
    }

    /// Lists that go on to hold after a checkpoint; [`saved_contacts`](Self::saved_contacts) gives impulses then.
    fn saved_lists(&self) -> Option<SavedLists> {
        None
    }

    /// Called when a checkpoint has been taken over: gives up all that is found anew, and makes lists again that go on to hold.
    fn after_restore(&mut self, _primed: bool, _lists: Option<SavedLists>) {}

    /// Mass of a new grain \[kg\]; that of its material where particles stand for bulk matter.
    fn mass_of(&self, grain: &NewGrain) -> f32 {
        self.materials().get(grain.material as usize).map_or(0.0, |material| material.mass)
    }

    /// Adds grains, each at the first of the places left that has room for it, and returns how many.
    fn add_particles(&mut self, grains: &[NewGrain], places: &[Vec3]) -> usize {
        if grains.iter().any(|grain| grain.material as usize >= self.materials().len()) {
            return 0;
        }
        let (domain, first) = (self.domain(), self.world().particles.len());
        let mass: Vec<f32> = grains.iter().map(|grain| self.mass_of(grain)).collect();
        self.before_change();
        let (added, assemblies) = self.world_mut().add_grains(&domain, grains, places, &mass);
        if added > 0 {
            let count = self.world().particles.len();
            self.columns_mut().resize(count);
            self.after_growth(first);
            self.add_assemblies(&assemblies);
        }
        added
    }

    /// Removes the particles for which `keep` does not hold, and all others of their rigid grains. Returns how many grains
    /// went.
    fn remove_particles(&mut self, keep: &[bool]) -> usize {
        self.before_change();
        let before = self.grains();
        let keep = self.assemblies().whole(keep);
        let id = self.world().particles.id.clone();
        self.world_mut().particles.retain(&keep);
        self.columns_mut().retain(&keep);
        self.after_removal(&keep, &id);
        before - self.grains()
    }

    /// Number of grains: those of several particles count once.
    fn grains(&self) -> usize {
        let assemblies = self.assemblies();
        self.world().shown() + assemblies.len() - assemblies.member_count()
    }
}

impl<S: ParticleSolver> Simulator for S {
    fn solver(&self) -> &'static str {
        S::NAME
    }

    fn device(&self) -> String {
        self.world().device()
    }

    fn step(&mut self, max_dt: f64) -> StepReport {
        let team = self.world().team.clone();
        team.install(|| self.step_stages(max_dt))
    }

    fn advance(&mut self, until: f64, most: usize) -> Vec<StepReport> {
        let team = self.world().team.clone();
        team.install(|| self.advance_stages(until, most))
    }

    fn apply(&mut self, command: &Command) -> Result<CommandReport, CommandError> {
        self.before_command();
        match (self.world_mut().apply(command)?, command) {
            (Applied::Changed(scene), _) => self.adopt(*scene),
            (Applied::Emit(material), Command::Emit { positions, velocity, .. }) => {
                let radius = self.world().scene.material[material as usize].radius;
                let one = NewGrain { velocity: *velocity, radius, material, clump: None };
                let emitted = self.add_particles(&vec![one; positions.len()], positions);
                let blocked = positions.len() - emitted;
                return Ok(CommandReport { emitted, blocked, ..CommandReport::default() });
            }
            (Applied::Remove(region), _) => {
                let removed = self.remove_inside(&[&region]).iter().sum();
                return Ok(CommandReport { removed, ..CommandReport::default() });
            }
            _ => {}
        }
        Ok(CommandReport::default())
    }

    fn emit(&mut self, grains: &[NewGrain], places: &[Vec3]) -> usize {
        let team = self.world().team.clone();
        team.install_pool(|| self.add_particles(grains, places))
    }

    fn remove_inside(&mut self, regions: &[&Sdf]) -> Vec<usize> {
        let team = self.world().team.clone();
        team.install_pool(|| {
            let (counts, keep) = self.world().inside(&self.domain(), regions, self.assemblies());
            if let Some(keep) = keep {
                self.remove_particles(&keep);
            }
            counts
        })
    }

    fn fields(&self) -> &'static [FieldInfo] {
        S::FIELDS
    }

    fn read(&mut self, fields: &[&str]) -> Result<ReadTicket, FieldError> {
        let mut columns = Vec::with_capacity(fields.len());
        let order = self.world().shown_by_id();
        for &name in fields {
            let info = find_field(S::FIELDS, S::NAME, name)?;
            let values = self.world().field(name, &order);
            columns.push((info, values.unwrap_or_else(|| self.field(name, &order))));
        }
        let world = self.world_mut();
        Ok(world.reads.push(Snapshot { time: world.time, columns }))
    }

    fn poll(&mut self, ticket: ReadTicket, snapshot: &mut Snapshot) -> bool {
        self.world_mut().reads.take(ticket, snapshot)
    }

    fn particle_count(&self) -> usize {
        self.world().shown()
    }

    fn grain_count(&self) -> usize {
        self.grains()
    }

    fn grain_centers(&self) -> Option<Vec<[f32; 3]>> {
        let assemblies = self.assemblies();
        if assemblies.is_empty() {
            return None;
        }
        let position = self.world().particles.position.iter().enumerate();
        let single =
            position.filter(|(i, _)| assemblies.assembly_of(*i).is_none()).map(|(_, x)| x.truncate());
        let domain = self.domain();
        let rigid = assemblies.all().iter().map(|assembly| domain.wrap(assembly.position.to_vec3()));
        Some(single.chain(rigid).map(|x| x.to_array()).collect())
    }

    fn contacts(&mut self) -> Vec<Contact> {
        self.list_contacts()
    }

    fn time(&self) -> f64 {
        self.world().time
    }

    fn bytes_per_particle(&self) -> f64 {
        let particles = &self.world().particles;
        let bytes = particles.bytes() + self.columns().bytes() + self.other_bytes();
        bytes as f64 / particles.len().max(1) as f64
    }

    fn state_hash(&self) -> u64 {
        self.world().hash()
    }

    fn bodies(&self) -> Vec<BodyReport> {
        self.world().bodies.reports(&self.world().boundaries)
    }

    fn cell(&self) -> Option<CellState> {
        self.world().cell.as_ref().map(StrainedCell::state)
    }

    fn boundary_poses(&self) -> Vec<Pose> {
        self.world().boundaries.iter().map(Boundary::pose).collect()
    }

    fn set_diagnostics(&mut self, on: bool) {
        self.switch_diagnostics(on);
    }

    fn checkpoint(&self) -> Result<Vec<u8>, StateError> {
        let world = self.world();
        let (columns, contacts) = (self.saved_columns(), self.saved_contacts());
        let state = SavedState::new(world.save()?, &world.particles, columns, contacts, self.is_primed());
        state.with_assemblies(self.saved_assemblies()).with_lists(self.saved_lists()).encode()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let world = self.world();
        let mut saved = SavedState::decode(state, &world.scene, world.boundaries.len(), &world.particles)?;
        let mut columns = S::Columns::default();
        columns.restore(&mut saved.columns, saved.particles.len())?;
        saved.columns.check_all_taken()?;
        S::restore_contacts(&mut columns, &saved.contacts)?;
        self.world_mut().restore_bodies(&saved.world.bodies)?;
        self.adopt(saved.scene);
        self.world_mut().take_over(saved.world, saved.particles);
        *self.columns_mut() = columns;
        self.restore_assemblies(saved.assemblies).map_err(|error| impossible(&error.to_string()))?;
        self.after_restore(saved.primed, saved.lists);
        Ok(())
    }

    fn restores_in_place(&self) -> bool {
        true
    }
}

/// Mass of a new grain that is solid itself, not bulk matter \[kg\].
pub fn solid_mass(materials: &[Material], grain: &NewGrain) -> f32 {
    let density = materials.get(usize::from(grain.material)).map_or(0.0, |material| material.density);
    grain_mass(density, grain.radius)
}
