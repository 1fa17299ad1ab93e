//! What of the world outlives a step, for checkpoints.

use glam::{Vec3, Vec4};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::air::Air;
use crate::boundary::BoundaryState;
use crate::particles::{Birth, Particles};
use crate::quarantine::unsound;
use crate::scene::{AirSettings, Scene};
use crate::simulator::StateError;

use super::walls::{MAX_SAMPLES, SavedContact, WallContacts};
use super::world::World;

/// The world's state; columns are in memory order.
#[derive(Clone, Serialize, Deserialize)]
pub struct SavedWorld {
    /// Simulated time [s].
    pub time: f64,
    /// The scene as commands have changed it, as TOML.
    pub scene: String,
    /// Gravity [m/s2].
    pub gravity: Vec3,
    /// Uniform wind set by a command.
    pub wind: Option<Vec3>,
    /// Poses of boundaries.
    pub boundaries: Vec<BoundaryState>,
    /// Id of the next particle.
    pub next_id: u32,
    /// When grains entered, by their ids.
    pub births: Vec<Birth>,
    /// Centre and radius [m].
    pub position: Vec<Vec4>,
    /// Velocity [m/s] and mass [kg].
    pub velocity: Vec<Vec4>,
    /// Identity.
    pub id: Vec<u32>,
    /// Index of the material.
    pub material: Vec<u16>,
}

impl World {
    /// What a checkpoint must hold of the world, without its bodies.
    ///
    /// # Errors
    /// Says why the scene cannot be written.
    pub fn save(&self) -> Result<SavedWorld, StateError> {
        let particles = &self.particles;
        Ok(SavedWorld {
            time: self.time,
            scene: self.scene.to_toml().map_err(|e| StateError::Unreadable(e.to_string()))?,
            gravity: self.gravity,
            wind: self.air.as_ref().and_then(Air::uniform_wind),
            boundaries: self.boundaries.state(),
            next_id: particles.next_id(),
            births: particles.births().to_vec(),
            position: particles.position.clone(),
            velocity: particles.velocity.clone(),
            id: particles.id.clone(),
            material: particles.material.clone(),
        })
    }

    /// The bodies' bytes.
    ///
    /// # Errors
    /// Says why they cannot be written.
    pub fn save_bodies(&self) -> Result<Vec<u8>, StateError> {
        self.bodies.save().map_err(|e| StateError::Unreadable(e.to_string()))
    }

    /// Takes over the bodies of a checkpoint.
    ///
    /// # Errors
    /// Refuses those of another scene.
    pub fn restore_bodies(&mut self, bodies: &[u8]) -> Result<(), StateError> {
        if self.bodies.restore(bodies, &mut self.boundaries) {
            Ok(())
        } else {
            Err(impossible("rigid bodies that are not those of the scene"))
        }
    }

    /// Takes over a checked state.
    pub fn take_over(&mut self, saved: SavedWorld) {
        self.time = saved.time;
        self.gravity = saved.gravity;
        if let Some(wind) = saved.wind {
            self.air.get_or_insert_with(|| Air::new(AirSettings::default())).set_uniform_wind(wind);
        }
        self.boundaries.restore(&saved.boundaries);
        self.particles = Particles::from_columns(
            saved.position,
            saved.velocity,
            saved.id,
            saved.material,
            saved.next_id,
            saved.births,
        );
    }
}

impl SavedWorld {
    /// The scene as commands had changed it, if the state fits it and what the solver was made from. `columns` are the
    /// lengths of the solver's own columns.
    ///
    /// # Errors
    /// Says what is impossible.
    pub fn check(&self, boundary_count: usize, radius: f32, columns: &[usize]) -> Result<Scene, StateError> {
        let scene = Scene::parse(&self.scene, "the changed scene");
        let scene = scene.map_err(|e| StateError::Unreadable(e.to_string()))?;
        self.check_counts(boundary_count, &scene, columns)?;
        self.check_values()?;
        if scene.material[0].radius != radius {
            return Err(impossible("the particle radius is not that of the scene"));
        }
        Ok(scene)
    }

    /// Columns of equal length, indices that exist, ids that are unique.
    fn check_counts(&self, boundary_count: usize, scene: &Scene, own: &[usize]) -> Result<(), StateError> {
        let count = self.position.len();
        let columns = [self.velocity.len(), self.id.len(), self.material.len()];
        if columns.iter().chain(own).any(|length| *length != count) {
            return Err(impossible("columns of different lengths"));
        }
        if self.boundaries.len() != boundary_count {
            return Err(impossible("not as many boundaries as in the scene"));
        }
        if self.material.iter().any(|material| *material as usize >= scene.material.len()) {
            return Err(impossible("a material that the scene does not have"));
        }
        let mut ids = self.id.clone();
        ids.sort_unstable();
        if ids.windows(2).any(|pair| pair[0] == pair[1]) || ids.last().is_some_and(|id| *id >= self.next_id) {
            return Err(impossible("ids that are not unique, or newer than the newest"));
        }
        let ordered = |pair: &[Birth]| pair[0].first_id < pair[1].first_id && pair[0].time < pair[1].time;
        let newest = self.births.last();
        let known = newest.is_none_or(|birth| birth.first_id < self.next_id && birth.time <= self.time);
        if !known || !self.births.windows(2).all(ordered) {
            return Err(impossible("births that are out of order, or of grains that do not exist"));
        }
        Ok(())
    }

    /// Everything finite, masses and radii positive.
    ///
    /// # Errors
    /// Names what is not.
    pub fn check_values(&self) -> Result<(), StateError> {
        all_sound(&[
            ("time", self.time.is_finite() && self.time >= 0.0),
            ("gravity", self.gravity.is_finite()),
            ("wind", self.wind.is_none_or(Vec3::is_finite)),
            ("boundaries", self.boundaries.iter().all(BoundaryState::is_sound)),
            ("position and velocity", unsound(&self.position, &self.velocity).is_none()),
            ("radius", self.position.iter().all(|x| x.w.is_finite() && x.w > 0.0)),
            ("mass", self.velocity.iter().all(|v| v.w.is_finite() && v.w > 0.0)),
            ("births", self.births.iter().all(|birth| birth.time.is_finite())),
        ])
    }
}

/// Wall contacts that the next step takes over.
#[derive(Clone, Serialize, Deserialize)]
pub struct SavedContacts {
    /// Contacts per particle.
    pub count: Vec<u8>,
    /// Contacts, particle by particle.
    pub contacts: Vec<SavedContact>,
}

impl SavedContacts {
    /// The contacts of so many particles.
    pub fn of(contacts: &WallContacts, count: usize) -> Self {
        let (count, contacts) = contacts.save(count);
        Self { count, contacts }
    }

    /// Refuses contacts that do not belong to particles and walls.
    ///
    /// # Errors
    /// Says so.
    pub fn check(&self, boundary_count: usize) -> Result<(), StateError> {
        let contacts: usize = self.count.iter().map(|count| *count as usize).sum();
        if contacts != self.contacts.len()
            || self.count.iter().any(|count| *count as usize > MAX_SAMPLES)
            || self.contacts.iter().any(|contact| contact.boundary as usize >= boundary_count)
        {
            return Err(impossible("wall contacts that do not belong to particles and walls"));
        }
        all_sound(&[("contacts", self.contacts.iter().all(SavedContact::is_finite))])
    }
}

/// Names the first that is not sound.
///
/// # Errors
/// If any is not.
pub fn all_sound(fields: &[(&'static str, bool)]) -> Result<(), StateError> {
    match fields.iter().find(|(_, sound)| !sound) {
        Some((name, _)) => Err(StateError::NotFinite(name)),
        None => Ok(()),
    }
}

/// The bytes of a state.
///
/// # Errors
/// Says why it cannot be written.
pub fn encode<T: Serialize>(state: &T) -> Result<Vec<u8>, StateError> {
    postcard::to_stdvec(state).map_err(|e| StateError::Unreadable(e.to_string()))
}

/// A state from its bytes, all of which it must need.
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
