//! What outlives a step, for checkpoints: one form for all solvers on all devices.
//!
//! Beside the columns that are state, the order of particles in memory matters: the sort by cell is stable, and sums
//! over neighbours follow it. Samples of walls are found anew, and so are neighbour lists, where a solver keeps them beyond a frame
//! from where particles were when they were listed ([`SavedLists`]).

use glam::{Vec3, Vec4};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::air::Air;
use crate::assemblies::SavedAssemblies;
use crate::bodies::Bodies;
use crate::boundary::{Boundaries, BoundaryState};
use crate::columns::{ParticleColumns, SavedColumns};
use crate::contacts::SavedContacts;
use crate::particles::{Birth, Particles};
use crate::quarantine::unsound;
use crate::scene::Scene;
use crate::simulator::StateError;
use crate::solver::pbd::path::Path;

use crate::cell::CellState;

/// What is around the particles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedWorld {
    /// Simulated time \[s\].
    pub time: f64,
    /// The scene as commands have changed it, as TOML.
    pub scene: String,
    /// Gravity [m/s2].
    pub gravity: Vec3,
    /// Uniform wind set by a command.
    pub wind: Option<Vec3>,
    /// Poses of boundaries.
    pub boundaries: Vec<BoundaryState>,
    /// The world of the rigid bodies; empty without any.
    pub bodies: Vec<u8>,
    /// The periodic cell, where it strains.
    pub cell: Option<CellState>,
}

impl SavedWorld {
    /// The world at a time \[s\].
    ///
    /// # Errors
    /// Says why scene or bodies cannot be written.
    pub fn new(
        time: f64,
        scene: &Scene,
        gravity: Vec3,
        air: Option<&Air>,
        boundaries: &Boundaries,
        bodies: &Bodies,
    ) -> Result<Self, StateError> {
        Ok(Self {
            time,
            scene: scene.to_toml().map_err(|e| StateError::Unreadable(e.to_string()))?,
            gravity,
            wind: air.and_then(Air::uniform_wind),
            boundaries: boundaries.state(),
            bodies: bodies.save().map_err(|e| StateError::Unreadable(e.to_string()))?,
            cell: None,
        })
    }
}

impl SavedWorld {
    /// Goes over from the scene `before` to `scene`, which has one body more, its last. Both with their walls as they are now.
    ///
    /// # Errors
    /// Says why the bodies cannot be made or written.
    pub fn add_body(
        &mut self,
        before: &Scene,
        walls_before: &mut Boundaries,
        scene: &Scene,
        walls: &mut Boundaries,
    ) -> Result<(), StateError> {
        let unreadable = |error: &dyn std::error::Error| StateError::Unreadable(error.to_string());
        let mut known = Bodies::new(before, walls_before).map_err(|e| unreadable(&e))?;
        if !known.restore(&self.bodies, walls_before) {
            return Err(impossible("the bodies are not those of the scene"));
        }
        let mut bodies = Bodies::new(scene, walls).map_err(|e| unreadable(&e))?;
        bodies.take_over(&known, walls);
        self.bodies = bodies.save().map_err(|e| unreadable(&e))?;
        self.boundaries = walls.state();
        self.scene = scene.to_toml().map_err(|e| unreadable(&e))?;
        Ok(())
    }
}

/// The state of a solver: all columns are in memory order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedState {
    /// What is around the particles.
    pub world: SavedWorld,
    /// Id of the next particle.
    pub next_id: u32,
    /// When grains entered, by their ids.
    pub births: Vec<Birth>,
    /// Columns that all particles have.
    pub particles: SavedColumns,
    /// The solver's own columns.
    pub columns: SavedColumns,
    /// What contacts remember.
    pub contacts: SavedContacts,
    /// Rigid assemblies of particles.
    pub assemblies: SavedAssemblies,
    /// Whether the forces that a step begins with are those of now; not so before the first step of a solver that needs
    /// them.
    pub primed: bool,
    /// Lists that go on to hold; contacts of pairs remember impulses then instead of forces.
    pub lists: Option<SavedLists>,
}

/// Lists of pairs as what they were made from: listed again, particles have the same partners.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedLists {
    /// Where particles were when they were listed, and how far they were: their radii, and how far each may move before lists are
    /// made anew \[m\].
    pub listed: Vec<Vec4>,
    /// Ways that they were listed along.
    pub paths: Vec<Path>,
    /// How far walls may move \[m\].
    pub wall_skin: f32,
    /// How far walls have moved since, at most \[m\].
    pub wall_way: f32,
    /// Length of the step that impulses are of \[s\].
    pub step: f32,
}

impl SavedLists {
    fn check(&self, particles: usize) -> Result<(), StateError> {
        if self.listed.len() != particles || self.paths.len() != particles {
            return Err(impossible("lists that do not belong to the particles"));
        }
        all_sound(&[
            ("listed positions", self.listed.iter().all(|x| x.is_finite() && x.w > 0.0)),
            ("ways", self.paths.iter().all(|path| path.way.is_finite() && path.radius > 0.0)),
            ("ways of walls", self.wall_skin > 0.0 && self.wall_way >= 0.0 && self.wall_way.is_finite()),
            ("length of the last step", self.step > 0.0 && self.step.is_finite()),
        ])
    }
}

/// A state that has been read and checked as a whole against the scene.
pub struct RestoredState {
    /// The scene as commands had changed it.
    pub scene: Scene,
    /// What is around the particles.
    pub world: SavedWorld,
    /// Particles.
    pub particles: Particles,
    /// The solver's own columns, to be taken by [`ParticleColumns::restore`].
    pub columns: SavedColumns,
    /// What contacts remember.
    pub contacts: SavedContacts,
    /// Rigid assemblies of particles.
    pub assemblies: SavedAssemblies,
    /// As in [`SavedState`].
    pub primed: bool,
    /// As in [`SavedState`].
    pub lists: Option<SavedLists>,
}

impl SavedState {
    /// The state of particles with a solver's own columns and contacts.
    pub fn new(
        world: SavedWorld,
        particles: &Particles,
        columns: SavedColumns,
        contacts: SavedContacts,
        primed: bool,
    ) -> Self {
        Self {
            world,
            next_id: particles.next_id(),
            births: particles.births().to_vec(),
            particles: particles.save(),
            columns,
            contacts,
            assemblies: SavedAssemblies::default(),
            primed,
            lists: None,
        }
    }

    /// The same with lists that go on to hold, whose contacts remember impulses.
    pub fn with_lists(self, lists: Option<SavedLists>) -> Self {
        Self { lists, ..self }
    }

    /// Ends lists that would go on to hold: contacts of pairs remember forces then.
    pub fn end_lists(&mut self) {
        let Some(lists) = self.lists.take() else { return };
        let per_time = 1.0 / lists.step;
        let width = usize::from(self.contacts.width).max(1);
        let states = self.contacts.state.chunks_exact_mut(width);
        for (partner, state) in self.contacts.partner.iter().zip(states) {
            if partner.as_particle().is_some() {
                state.iter_mut().for_each(|number| *number *= per_time);
            }
        }
    }

    /// The same with rigid assemblies.
    pub fn with_assemblies(self, assemblies: SavedAssemblies) -> Self {
        Self { assemblies, ..self }
    }

    /// The bytes of a state whose values are all finite.
    ///
    /// # Errors
    /// Names what is not finite.
    pub fn encode(&self) -> Result<Vec<u8>, StateError> {
        self.check_values()?;
        self.particles.check_finite()?;
        self.columns.check_finite()?;
        encode(self)
    }

    /// A state from its bytes, to be changed and written again; only its form is checked.
    ///
    /// # Errors
    /// Says what cannot be read.
    pub fn read(bytes: &[u8]) -> Result<Self, StateError> {
        decode(bytes)
    }

    /// A state from its bytes, checked against the scene that the solver was made from, its boundaries, and particles
    /// that have the solver's optional columns.
    ///
    /// # Errors
    /// Says what cannot be read or is impossible.
    pub fn decode(
        bytes: &[u8],
        scene: &Scene,
        boundary_count: usize,
        like: &Particles,
    ) -> Result<RestoredState, StateError> {
        decode::<Self>(bytes)?.check(scene, boundary_count, like)
    }

    fn check(
        mut self,
        made_from: &Scene,
        boundary_count: usize,
        like: &Particles,
    ) -> Result<RestoredState, StateError> {
        let scene = Scene::parse(&self.world.scene, "the changed scene");
        let scene = scene.map_err(|e| StateError::Unreadable(e.to_string()))?;
        let radii = |scene: &Scene| scene.material.iter().map(|m| m.radius).collect::<Vec<_>>();
        if radii(&scene) != radii(made_from) {
            return Err(impossible("the particle radius is not that of the scene"));
        }
        if self.world.boundaries.len() != boundary_count {
            return Err(impossible("not as many boundaries as in the scene"));
        }
        self.check_values()?;
        self.check_births()?;
        let count = self.particles.iter().next().map_or(0, |(_, column)| column.len());
        let mut particles = like.empty_like(self.next_id, std::mem::take(&mut self.births));
        particles.restore(&mut self.particles, count)?;
        self.particles.check_all_taken()?;
        check_particles(&particles, scene.material.len() + scene.body.len())?;
        self.contacts.check(count, boundary_count, self.next_id)?;
        self.lists.iter().try_for_each(|lists| lists.check(count))?;
        let Self { world, columns, contacts, assemblies, primed, lists, .. } = self;
        Ok(RestoredState { scene, world, particles, columns, contacts, assemblies, primed, lists })
    }

    fn check_values(&self) -> Result<(), StateError> {
        let world = &self.world;
        all_sound(&[
            ("time", world.time.is_finite() && world.time >= 0.0),
            ("gravity", world.gravity.is_finite()),
            ("wind", world.wind.is_none_or(Vec3::is_finite)),
            ("boundaries", world.boundaries.iter().all(BoundaryState::is_sound)),
            ("births", self.births.iter().all(|birth| birth.time.is_finite())),
        ])
    }

    fn check_births(&self) -> Result<(), StateError> {
        let ordered = |pair: &[Birth]| pair[0].first_id < pair[1].first_id && pair[0].time < pair[1].time;
        let newest = self.births.last();
        let known = newest.is_none_or(|birth| birth.first_id < self.next_id && birth.time <= self.world.time);
        if known && self.births.windows(2).all(ordered) {
            Ok(())
        } else {
            Err(impossible("births that are out of order, or of grains that do not exist"))
        }
    }
}

/// Materials that exist, ids that are unique, nothing far away, masses and radii positive.
fn check_particles(particles: &Particles, material_count: usize) -> Result<(), StateError> {
    if particles.material.iter().any(|material| *material as usize >= material_count) {
        return Err(impossible("a material that the scene does not have"));
    }
    let mut ids = particles.id.clone();
    ids.sort_unstable();
    if ids.windows(2).any(|pair| pair[0] == pair[1])
        || ids.last().is_some_and(|id| *id >= particles.next_id())
    {
        return Err(impossible("ids that are not unique, or newer than the newest"));
    }
    all_sound(&[
        ("position and velocity", unsound(&particles.position, &particles.velocity).is_none()),
        ("radius", particles.position.iter().all(|x| x.w > 0.0)),
        ("mass", particles.velocity.iter().all(|v| v.w > 0.0)),
    ])
}

/// Names the first that is not sound.
fn all_sound(fields: &[(&'static str, bool)]) -> Result<(), StateError> {
    match fields.iter().find(|(_, sound)| !sound) {
        Some((name, _)) => Err(StateError::NotFinite(name)),
        None => Ok(()),
    }
}

/// The bytes of a state, unchecked.
///
/// # Errors
/// Says why it cannot be written.
pub fn encode<T: Serialize>(state: &T) -> Result<Vec<u8>, StateError> {
    postcard::to_stdvec(state).map_err(|e| StateError::Unreadable(e.to_string()))
}

/// A state from its bytes, all of which it must need, unchecked.
///
/// # Errors
/// Says what cannot be read.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, StateError> {
    let (state, rest) =
        postcard::take_from_bytes::<T>(bytes).map_err(|e| StateError::Unreadable(e.to_string()))?;
    if rest.is_empty() {
        Ok(state)
    } else {
        Err(StateError::Unreadable(format!("{} bytes too many", rest.len())))
    }
}

/// That a state contradicts itself or the scene.
pub fn impossible(reason: &str) -> StateError {
    StateError::Impossible(reason.into())
}

#[cfg(test)]
mod tests;
