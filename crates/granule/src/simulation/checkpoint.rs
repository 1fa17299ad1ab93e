//! Checkpoints of a simulation, and simulations from checkpoints.

use crate::bodies::MeanLoads;
use crate::build;
use crate::io::{Checkpoint, CheckpointError};
use crate::scene::Scene;

use super::{Options, Simulation, SimulationError};

/// Name of the extension that holds the state of emitters, outlets and counters.
const FLOW: &str = "flow";

/// Name of the extension that holds fine grains.
const UPSAMPLE: &str = "upsample";

/// Distance from a frame time that is rounding, in frames.
const FRAME_TOLERANCE: f64 = 1e-6;

impl Simulation {
    /// The bytes of a checkpoint file: what [`Simulation::resume`] needs to go on bit for bit. Taken at frame times
    /// only; a state that holds values which are not finite is refused.
    pub fn checkpoint(&self) -> Result<Vec<u8>, CheckpointError> {
        self.save()?.encode()
    }

    /// What the file of a [`checkpoint`](Simulation::checkpoint) holds, to be kept in memory.
    pub fn save(&self) -> Result<Checkpoint, CheckpointError> {
        if !self.is_at_frame() {
            return Err(CheckpointError::NotAtFrame { time: self.time() });
        }
        let scene = self.scene.to_toml().map_err(|e| CheckpointError::Content(e.to_string()))?;
        Ok(Checkpoint {
            engine_version: env!("CARGO_PKG_VERSION").into(),
            scene,
            solver: self.simulator.solver().into(),
            frame: self.frame,
            steps: self.steps,
            lost: self.lost as u64,
            state: self.simulator.checkpoint()?,
            extensions: self.extensions()?,
        })
    }

    /// Goes back, or on, to a checkpoint of this very simulation; bodies that were added since are gone then. Walls, grids and threads stay as they are where the
    /// solver [restores in place](crate::simulator::Simulator::restores_in_place) and there are no fine grains; else the
    /// simulation is made anew with these options, as by [`Simulation::restore`].
    ///
    /// # Errors
    /// Says what is wrong with the checkpoint, or why the simulation cannot be made anew.
    pub fn rewind(&mut self, checkpoint: &Checkpoint, options: &Options) -> Result<(), CheckpointError> {
        let in_place = self.simulator.restores_in_place()
            && self.upsampler.is_none()
            && self.failure().is_none()
            && checkpoint.solver == self.simulator.solver()
            && self.scene.to_toml().is_ok_and(|scene| scene == checkpoint.scene);
        if !in_place {
            *self = Self::restore(checkpoint, options)?;
            return Ok(());
        }
        self.simulator.restore(&checkpoint.state)?;
        self.take_over(checkpoint)
    }

    /// Goes on where the simulation was that gave these bytes; options may differ.
    pub fn resume(bytes: &[u8], options: &Options) -> Result<Self, CheckpointError> {
        Self::restore(&Checkpoint::decode(bytes)?, options)
    }

    /// Goes on from a checkpoint that has been read.
    pub fn restore(checkpoint: &Checkpoint, options: &Options) -> Result<Self, CheckpointError> {
        let scene = match options.solver {
            Some(solver) => {
                Scene::parse_for(solver.name, solver.capabilities, &checkpoint.scene, "checkpoint")?
            }
            None => Scene::parse(&checkpoint.scene, "checkpoint")?,
        };
        let boundaries = build::boundaries(&scene)?;
        let parts = build::parts(&scene, boundaries, &[], options).map_err(|error| match error {
            SimulationError::Scene(error) => CheckpointError::Scene(error),
            other => CheckpointError::Simulation(other),
        })?;
        let mut simulation = Self::of_parts(scene, parts, options);
        let wrong = |reason: String| CheckpointError::Content(reason);
        if checkpoint.solver != simulation.simulator.solver() {
            let known = simulation.simulator.solver();
            return Err(wrong(format!("state of `{}` in a scene for `{known}`", checkpoint.solver)));
        }
        simulation.simulator.restore(&checkpoint.state)?;
        simulation.take_over(checkpoint)?;
        Ok(simulation)
    }

    /// Takes over what a checkpoint holds beside the solver's state.
    fn take_over(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        self.frame = checkpoint.frame;
        self.steps = checkpoint.steps;
        self.lost = checkpoint.lost as usize;
        self.loads = MeanLoads::default();
        if !self.is_at_frame() {
            let reason = format!("t = {} s is not the time of frame {}", self.time(), checkpoint.frame);
            return Err(CheckpointError::Content(reason));
        }
        self.restore_extensions(&checkpoint.extensions)
    }

    fn is_at_frame(&self) -> bool {
        (self.time() * self.scene.simulation.fps - self.frame as f64).abs() < FRAME_TOLERANCE
    }

    /// State beside the solver's, by name.
    fn extensions(&self) -> Result<Vec<(String, Vec<u8>)>, CheckpointError> {
        let wrong = |e: postcard::Error| CheckpointError::Content(e.to_string());
        let flow = postcard::to_allocvec(&self.flow.state()).map_err(wrong)?;
        let mut extensions = vec![(FLOW.into(), flow)];
        if let Some(upsampler) = &self.upsampler {
            let state = upsampler.state().map_err(|e| CheckpointError::Content(e.to_string()))?;
            extensions.push((UPSAMPLE.into(), postcard::to_allocvec(&state).map_err(wrong)?));
        }
        Ok(extensions)
    }

    fn restore_extensions(&mut self, extensions: &[(String, Vec<u8>)]) -> Result<(), CheckpointError> {
        let wrong = |reason: &str| CheckpointError::Content(reason.into());
        let mut refined = false;
        for (name, bytes) in extensions {
            match (name.as_str(), &mut self.upsampler) {
                (FLOW, _) => {
                    let state = postcard::from_bytes(bytes).map_err(|e| wrong(&e.to_string()))?;
                    if !self.flow.restore(state) {
                        return Err(wrong(
                            "the emitters and outlets of the checkpoint are not those of its scene",
                        ));
                    }
                }
                (UPSAMPLE, Some(upsampler)) => {
                    let state = postcard::from_bytes(bytes).map_err(|e| wrong(&e.to_string()))?;
                    upsampler.restore(state).map_err(|e| wrong(&e.to_string()))?;
                    upsampler.track_on_device(self.simulator.as_ref()).map_err(|e| wrong(&e.to_string()))?;
                    refined = true;
                }
                _ => return Err(CheckpointError::UnknownExtension(name.clone())),
            }
        }
        if self.upsampler.is_some() && !refined {
            return Err(wrong("the scene asks for fine grains, but there are none"));
        }
        Ok(())
    }
}
