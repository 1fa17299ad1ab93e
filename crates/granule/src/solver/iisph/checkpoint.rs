//! What outlives a step, saved and taken over: after it, every step gives the same bits.
//!
//! Beside the columns that are state, the order of particles in memory matters: the sort by cell is stable, and sums
//! over neighbours follow it. Neighbour lists and samples of walls are found anew in every step.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::scene::Scene;
use crate::simulator::StateError;
use crate::solver::changes::Changeable;
use crate::solver::saved::{self, SavedContacts, SavedWorld, all_sound};

use super::Iisph;
use super::state::{IisphState, TensorColumns};

/// The solver's state; columns are in memory order.
#[derive(Serialize, Deserialize)]
pub struct SavedState {
    /// Particles and what is around them.
    pub world: SavedWorld,
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
    /// Wall contacts.
    pub contacts: SavedContacts,
    /// The world of the rigid bodies; empty without any.
    pub bodies: Vec<u8>,
}

impl Iisph {
    pub(super) fn save_state(&self) -> Result<Vec<u8>, StateError> {
        let (count, state) = (self.world.particles.len(), &self.state);
        let saved = SavedState {
            world: self.world.save()?,
            pressure: state.pressure.clone(),
            stress: (0..count).map(|i| state.stress.get(i).to_array()).collect(),
            density: state.density.clone(),
            strain_rate: self.strain_rates().into_owned(),
            acceleration: state.predicted.iter().map(|a| a.truncate()).collect(),
            neighbor_count: (0..count).map(|i| self.search.neighbor_count(i)).collect(),
            contacts: SavedContacts::of(&state.contacts, count),
            bodies: self.world.save_bodies()?,
        };
        saved.encode()
    }

    pub(super) fn restore_state(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let boundary_count = self.world.boundaries.len();
        let (saved, scene) = SavedState::decode(bytes, boundary_count, self.setup.params.radius)?;
        self.world.restore_bodies(&saved.bodies)?;
        self.adopt(scene);
        self.take_over(saved);
        Ok(())
    }

    fn take_over(&mut self, saved: SavedState) {
        let count = saved.world.position.len();
        self.state = IisphState {
            pressure: saved.pressure,
            stress: TensorColumns::from_rows(&saved.stress),
            density: saved.density,
            strain_rate: saved.strain_rate,
            predicted: saved.acceleration.iter().map(|a| a.extend(0.0)).collect(),
            ..IisphState::default()
        };
        self.state.resize(count);
        self.state.contacts.restore(&saved.contacts.count, &saved.contacts.contacts);
        self.search.restore(saved.neighbor_count);
        self.world.take_over(saved.world);
    }
}

impl SavedState {
    /// The bytes of a state whose values are all finite.
    ///
    /// # Errors
    /// Names what is not finite.
    pub fn encode(&self) -> Result<Vec<u8>, StateError> {
        self.world.check_values()?;
        self.check_values()?;
        saved::encode(self)
    }

    /// A state and the scene as commands had changed it, checked as a whole against what the solver was made from.
    ///
    /// # Errors
    /// Says what cannot be read or is impossible.
    pub fn decode(bytes: &[u8], boundary_count: usize, radius: f32) -> Result<(Self, Scene), StateError> {
        let state: Self = saved::decode(bytes)?;
        let columns = [
            state.pressure.len(),
            state.stress.len(),
            state.density.len(),
            state.strain_rate.len(),
            state.acceleration.len(),
            state.neighbor_count.len(),
            state.contacts.count.len(),
        ];
        let scene = state.world.check(boundary_count, radius, &columns)?;
        state.contacts.check(boundary_count)?;
        state.check_values()?;
        Ok((state, scene))
    }

    fn check_values(&self) -> Result<(), StateError> {
        let finite = |column: &[f32]| column.iter().all(|value| value.is_finite());
        all_sound(&[
            ("pressure", finite(&self.pressure)),
            ("stress", finite(self.stress.as_flattened())),
            ("density", finite(&self.density)),
            ("strain_rate", finite(&self.strain_rate)),
            ("acceleration", self.acceleration.iter().all(|a| a.is_finite())),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Checkpoint;
    use crate::particles::Birth;
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
            ("time", &|s| s.world.time += 1e-9),
            ("scene", &|s| s.world.scene = s.world.scene.replace("cohesion = 50.0", "cohesion = 20.0")),
            ("gravity", &|s| s.world.gravity.x = 0.0),
            ("wind", &|s| s.world.wind = None),
            ("boundaries", &|s| s.world.boundaries.reverse()),
            ("next_id", &|s| s.world.next_id += 1),
            ("pressure", &|s| s.pressure.fill(0.0)),
            ("stress", &|s| s.stress.fill([0.0; 6])),
            ("strain_rate", &|s| s.strain_rate.fill(0.0)),
            ("contacts", &|s| s.contacts.contacts.iter_mut().for_each(|c| c.normal = 0.0)),
            ("contact walls", &|s| s.contacts.contacts.iter_mut().for_each(|c| c.face ^= 1)),
            ("order in memory", &|s| {
                s.world.position.reverse();
                s.world.velocity.reverse();
                s.world.id.reverse();
                s.world.material.reverse();
                s.pressure.reverse();
                s.stress.reverse();
                s.strain_rate.reverse();
                s.contacts.count.reverse();
                s.contacts.contacts.reverse();
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
            ("births", &|s| s.world.births.push(Birth { first_id: s.world.next_id, time: 0.0 })),
            ("`acceleration`", &|s| s.acceleration[3].x = f32::NAN),
            ("different lengths", &|s| s.pressure.truncate(3)),
            ("as many boundaries", &|s| s.world.boundaries.truncate(1)),
            ("a material", &|s| s.world.material[5] = 2),
            ("unique", &|s| s.world.id[5] = s.world.id[6]),
            ("newer", &|s| s.world.next_id = 5),
            ("wall contacts", &|s| s.contacts.count[0] += 1),
            ("wall contacts", &|s| s.contacts.contacts[0].boundary = 3),
            ("`position and velocity`", &|s| s.world.position[7].y = f32::NAN),
            ("`position and velocity`", &|s| s.world.velocity[7].y = f32::INFINITY),
            ("`mass`", &|s| s.world.velocity[7].w = 0.0),
            ("`stress`", &|s| s.stress[7][2] = f32::NAN),
            ("`contacts`", &|s| s.contacts.contacts[0].tangent.x = f32::NAN),
            ("`boundaries`", &|s| s.world.boundaries[0] = postcard::from_bytes(&[0; 65]).unwrap()),
            ("`time`", &|s| s.world.time = f64::NAN),
        ];
        for (word, change) in changes {
            let error = Simulation::restore(&changed(&sound, change), &Options::default()).err().unwrap();
            assert!(error.to_string().contains(word), "{word}: {error}");
        }
    }
}
