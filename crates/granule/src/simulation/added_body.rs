//! A rigid body that is added to a running simulation.

use crate::build;
use crate::io::Checkpoint;
use crate::scene::{BodyCoupling, BodySettings, Scene};
use crate::simulator::CommandError;
use crate::solver::saved::SavedState;

use super::{Simulation, SimulationError};

impl Simulation {
    /// Goes on with one body more: the state is that of now, everything around it is made anew.
    pub(super) fn add_body(&mut self, body: &BodySettings) -> Result<(), CommandError> {
        let refused = |reason: String| CommandError::NotAdded { name: body.name.clone(), reason };
        if body.coupling == BodyCoupling::Particles {
            let reason = "bodies made of particles are there from the start; leave out `coupling`";
            return Err(refused(reason.into()));
        }
        let checkpoint = self.save().map_err(|error| refused(error.to_string()))?;
        let mut scene = self.scene.clone();
        scene.body.push(body.clone());
        let solver = self.options.solver_for(&scene);
        scene.validate_for(solver.name, solver.capabilities).map_err(|error| refused(error.to_string()))?;
        let state = with_body(&checkpoint.state, body).map_err(|error| refused(error.to_string()))?;
        let text = scene.to_toml().map_err(|error| refused(error.to_string()))?;
        let checkpoint = Checkpoint { scene: text, state, ..checkpoint };
        let simulation =
            Self::restore(&checkpoint, &self.options).map_err(|error| refused(error.to_string()))?;
        *self = simulation;
        Ok(())
    }
}

/// The bytes of a state to which a body was added.
fn with_body(bytes: &[u8], body: &BodySettings) -> Result<Vec<u8>, SimulationError> {
    let failed = |error: String| SimulationError::Failed(error);
    let mut state = SavedState::read(bytes).map_err(|error| failed(error.to_string()))?;
    state.end_lists();
    let before = Scene::parse(&state.world.scene, "the changed scene")?;
    let mut scene = before.clone();
    scene.body.push(body.clone());
    let [mut walls_before, mut walls] = [build::boundaries(&before)?, build::boundaries(&scene)?];
    walls_before.restore(&state.world.boundaries);
    walls.restore(&state.world.boundaries);
    let added = state.world.add_body(&before, &mut walls_before, &scene, &mut walls);
    added.map_err(|error| failed(error.to_string()))?;
    state.encode().map_err(|error| failed(error.to_string()))
}
