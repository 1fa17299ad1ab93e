//! What outlives a step, saved and taken over: after it, every step gives the same bits.
//!
//! Beside the columns that are state, the order of particles in memory matters: the sort by cell is stable, and sums
//! over neighbours follow it. Neighbour lists and samples of walls are found anew in every step.

use glam::{Vec3, Vec4};
use serde::{Deserialize, Serialize};

use crate::air::Air;
use crate::boundary::BoundaryState;
use crate::particles::{Birth, Particles};
use crate::quarantine::unsound;
use crate::scene::{AirSettings, Scene};
use crate::simulator::StateError;

use super::Iisph;
use super::state::{IisphState, TensorColumns};
use super::walls::{MAX_SAMPLES, SavedContact};

/// The solver's state; columns are in memory order.
#[derive(Serialize, Deserialize)]
pub struct SavedState {
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
    /// Pressure [Pa].
    pub pressure: Vec<f32>,
    /// Frictional stress [Pa].
    pub stress: Vec<[f32; 6]>,
    /// Density relative to rest.
    pub density: Vec<f32>,
    /// Strain rate [1/s].
    pub strain_rate: Vec<f32>,
    /// Accelerations of the last step [m/s2].
    pub acceleration: Vec<Vec3>,
    /// Neighbours.
    pub neighbor_count: Vec<u32>,
    /// Wall contacts per particle.
    pub contact_count: Vec<u8>,
    /// Wall contacts, particle by particle.
    pub contacts: Vec<SavedContact>,
    /// The world of the rigid bodies; empty without any.
    pub bodies: Vec<u8>,
}

impl Iisph {
    pub(super) fn save_state(&self) -> Result<Vec<u8>, StateError> {
        let (particles, state) = (&self.particles, &self.state);
        let (contact_count, contacts) = state.contacts.save(particles.len());
        let saved = SavedState {
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
            pressure: state.pressure.clone(),
            stress: (0..particles.len()).map(|i| state.stress.get(i).to_array()).collect(),
            density: state.density.clone(),
            strain_rate: self.strain_rates().into_owned(),
            acceleration: state.predicted.iter().map(|a| a.truncate()).collect(),
            neighbor_count: (0..particles.len()).map(|i| self.search.neighbor_count(i)).collect(),
            contact_count,
            contacts,
            bodies: self.bodies.save().map_err(|e| StateError::Unreadable(e.to_string()))?,
        };
        saved.encode()
    }

    pub(super) fn restore_state(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let (saved, scene) = SavedState::decode(bytes, self.boundaries.len(), self.setup.params.radius)?;
        if !self.bodies.restore(&saved.bodies, &mut self.boundaries) {
            return Err(impossible("rigid bodies that are not those of the scene"));
        }
        self.adopt(scene);
        self.take_over(saved);
        Ok(())
    }

    fn take_over(&mut self, saved: SavedState) {
        self.time = saved.time;
        self.gravity = saved.gravity;
        if let Some(wind) = saved.wind {
            self.air.get_or_insert_with(|| Air::new(AirSettings::default())).set_uniform_wind(wind);
        }
        self.boundaries.restore(&saved.boundaries);
        let count = saved.position.len();
        self.state = IisphState {
            pressure: saved.pressure,
            stress: TensorColumns::from_rows(&saved.stress),
            density: saved.density,
            strain_rate: saved.strain_rate,
            predicted: saved.acceleration.iter().map(|a| a.extend(0.0)).collect(),
            ..IisphState::default()
        };
        self.state.resize(count);
        self.state.contacts.restore(&saved.contact_count, &saved.contacts);
        self.search.restore(saved.neighbor_count);
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

impl SavedState {
    /// The bytes of a state whose values are all finite.
    ///
    /// # Errors
    /// Names what is not finite.
    pub fn encode(&self) -> Result<Vec<u8>, StateError> {
        self.check_values()?;
        postcard::to_stdvec(self).map_err(|e| StateError::Unreadable(e.to_string()))
    }

    /// A state and the scene as commands had changed it, checked as a whole against what the solver was made from.
    ///
    /// # Errors
    /// Says what cannot be read or is impossible.
    pub fn decode(bytes: &[u8], boundary_count: usize, radius: f32) -> Result<(Self, Scene), StateError> {
        let unreadable = |reason: String| StateError::Unreadable(reason);
        let (saved, rest) =
            postcard::take_from_bytes::<Self>(bytes).map_err(|e| unreadable(e.to_string()))?;
        if !rest.is_empty() {
            return Err(unreadable(format!("{} bytes too many", rest.len())));
        }
        let scene = Scene::parse(&saved.scene, "the changed scene").map_err(|e| unreadable(e.to_string()))?;
        saved.check_counts(boundary_count, &scene)?;
        saved.check_values()?;
        if scene.material[0].radius != radius {
            return Err(impossible("the particle radius is not that of the scene"));
        }
        Ok((saved, scene))
    }

    /// Columns of equal length, indices that exist, ids that are unique.
    fn check_counts(&self, boundary_count: usize, scene: &Scene) -> Result<(), StateError> {
        let count = self.position.len();
        let columns = [
            self.velocity.len(),
            self.id.len(),
            self.material.len(),
            self.pressure.len(),
            self.stress.len(),
            self.density.len(),
            self.strain_rate.len(),
            self.acceleration.len(),
            self.neighbor_count.len(),
            self.contact_count.len(),
        ];
        if columns.iter().any(|length| *length != count) {
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
        let contacts: usize = self.contact_count.iter().map(|count| *count as usize).sum();
        if contacts != self.contacts.len()
            || self.contact_count.iter().any(|count| *count as usize > MAX_SAMPLES)
            || self.contacts.iter().any(|contact| contact.boundary as usize >= boundary_count)
        {
            return Err(impossible("wall contacts that do not belong to particles and walls"));
        }
        Ok(())
    }

    /// Everything finite, masses and radii positive.
    fn check_values(&self) -> Result<(), StateError> {
        let finite = |column: &[f32]| column.iter().all(|value| value.is_finite());
        let fields = [
            ("time", self.time.is_finite() && self.time >= 0.0),
            ("gravity", self.gravity.is_finite()),
            ("wind", self.wind.is_none_or(Vec3::is_finite)),
            ("boundaries", self.boundaries.iter().all(BoundaryState::is_sound)),
            ("position and velocity", unsound(&self.position, &self.velocity).is_none()),
            ("radius", self.position.iter().all(|x| x.w.is_finite() && x.w > 0.0)),
            ("mass", self.velocity.iter().all(|v| v.w.is_finite() && v.w > 0.0)),
            ("pressure", finite(&self.pressure)),
            ("stress", finite(self.stress.as_flattened())),
            ("density", finite(&self.density)),
            ("strain_rate", finite(&self.strain_rate)),
            ("contacts", self.contacts.iter().all(SavedContact::is_finite)),
            ("acceleration", self.acceleration.iter().all(|a| a.is_finite())),
            ("births", self.births.iter().all(|birth| birth.time.is_finite())),
        ];
        match fields.iter().find(|(_, sound)| !sound) {
            Some((name, _)) => Err(StateError::NotFinite(name)),
            None => Ok(()),
        }
    }
}

fn impossible(reason: &str) -> StateError {
    StateError::Impossible(reason.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Checkpoint;
    use crate::simulator::Command;
    use crate::{Options, Simulation};

    /// A part of the state, or words of a refusal, and what is done to it.
    type Change<'a> = (&'a str, &'a dyn Fn(&mut SavedState));

    /// A checkpoint in which everything that outlives a step matters.
    fn checkpoint() -> Checkpoint {
        let text = include_str!("../../../tests/scenes/checkpoint.toml");
        let mut simulation =
            Simulation::new(Scene::parse(text, "test").unwrap(), &Options::default()).unwrap();
        simulation.apply(&Command::Set { path: "material.sand.cohesion".into(), value: 50.0 }).unwrap();
        simulation.apply(&Command::Wind(Vec3::X)).unwrap();
        simulation.apply(&Command::Gravity(Vec3::new(0.5, -9.81, 0.0))).unwrap();
        let (position, velocity) = (Vec3::new(-0.1, 0.0, 0.0), Vec3::new(-0.5, 0.0, 0.0));
        simulation.apply(&Command::ToolPose { boundary: "tool".into(), position, velocity }).unwrap();
        simulation.run_until(0.08);
        Checkpoint::decode(&simulation.checkpoint().unwrap()).unwrap()
    }

    fn changed(checkpoint: &Checkpoint, change: &dyn Fn(&mut SavedState)) -> Checkpoint {
        let mut saved: SavedState = postcard::from_bytes(&checkpoint.state).unwrap();
        change(&mut saved);
        Checkpoint { state: postcard::to_stdvec(&saved).unwrap(), ..checkpoint.clone() }
    }

    fn end(checkpoint: &Checkpoint) -> u64 {
        let mut simulation = Simulation::restore(checkpoint, &Options::default()).unwrap();
        simulation.run_until(0.1);
        simulation.simulator().state_hash()
    }

    #[test]
    fn every_part_of_the_state_matters() {
        let sound = checkpoint();
        let unbroken = end(&sound);
        let changes: [Change; 12] = [
            ("time", &|s| s.time += 1e-9),
            ("scene", &|s| s.scene = s.scene.replace("cohesion = 50.0", "cohesion = 20.0")),
            ("gravity", &|s| s.gravity.x = 0.0),
            ("wind", &|s| s.wind = None),
            ("boundaries", &|s| s.boundaries.reverse()),
            ("next_id", &|s| s.next_id += 1),
            ("pressure", &|s| s.pressure.fill(0.0)),
            ("stress", &|s| s.stress.fill([0.0; 6])),
            ("strain_rate", &|s| s.strain_rate.fill(0.0)),
            ("contacts", &|s| s.contacts.iter_mut().for_each(|c| c.normal = 0.0)),
            ("contact walls", &|s| s.contacts.iter_mut().for_each(|c| c.face ^= 1)),
            ("order in memory", &|s| {
                s.position.reverse();
                s.velocity.reverse();
                s.id.reverse();
                s.material.reverse();
                s.pressure.reverse();
                s.stress.reverse();
                s.strain_rate.reverse();
                s.contact_count.reverse();
                s.contacts.reverse();
            }),
        ];
        for (name, change) in changes {
            assert_ne!(end(&changed(&sound, change)), unbroken, "{name}");
        }
        assert_eq!(end(&sound), unbroken);
    }

    #[test]
    fn impossible_states_are_refused() {
        let sound = checkpoint();
        let changes: [Change; 16] = [
            ("births", &|s| s.births.push(Birth { first_id: s.next_id, time: 0.0 })),
            ("`acceleration`", &|s| s.acceleration[3].x = f32::NAN),
            ("different lengths", &|s| s.pressure.truncate(3)),
            ("as many boundaries", &|s| s.boundaries.truncate(1)),
            ("a material", &|s| s.material[5] = 2),
            ("unique", &|s| s.id[5] = s.id[6]),
            ("newer", &|s| s.next_id = 5),
            ("wall contacts", &|s| s.contact_count[0] += 1),
            ("wall contacts", &|s| s.contacts[0].boundary = 3),
            ("`position and velocity`", &|s| s.position[7].y = f32::NAN),
            ("`position and velocity`", &|s| s.velocity[7].y = f32::INFINITY),
            ("`mass`", &|s| s.velocity[7].w = 0.0),
            ("`stress`", &|s| s.stress[7][2] = f32::NAN),
            ("`contacts`", &|s| s.contacts[0].tangent.x = f32::NAN),
            ("`boundaries`", &|s| s.boundaries[0] = postcard::from_bytes(&[0; 65]).unwrap()),
            ("`time`", &|s| s.time = f64::NAN),
        ];
        for (word, change) in changes {
            let error = Simulation::restore(&changed(&sound, change), &Options::default()).err().unwrap();
            assert!(error.to_string().contains(word), "{word}: {error}");
        }
    }
}
