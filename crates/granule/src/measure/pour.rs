//! Slow pouring of a heap through the `emit` command.

use glam::Vec3;

use crate::random::Random;
use crate::simulation::SimulationError;
use crate::simulator::Command;

use super::drive::{look, next_frame};
use super::run::Run;
use super::scenes::SPACING;

/// Radius of the stream in spacings.
const STREAM: f32 = 3.0;

/// Height of the stream's start over the crest in spacings.
const DROP: f32 = 3.5;

/// Grains that are tried per emission.
const TRIES: usize = 40;

/// Speed at which grains leave the spout [m/s].
const SPEED: f32 = 0.3;

/// Frames between emissions, so that the last layer has left the spout.
const FRAMES: u64 = 2;

/// A spout that follows the crest of the heap below it.
pub struct Pour {
    random: Random,
    crest: f32,
    per_emission: usize,
}

impl Pour {
    /// A spout over the origin that lets out `per_emission` grains every few frames.
    pub fn new(seed: u64, per_emission: usize) -> Self {
        Self { random: Random::new(seed), crest: 0.0, per_emission }
    }

    /// Pours `count` grains, calling `progress` with how many there are now and then.
    ///
    /// # Errors
    /// The device has failed.
    pub fn pour(
        &mut self,
        simulation: &mut Run,
        count: usize,
        progress: &mut dyn FnMut(usize),
    ) -> Result<(), SimulationError> {
        // Spheres of a rough floor are there already.
        let before = simulation.particle_count();
        loop {
            let poured = simulation.particle_count().saturating_sub(before);
            if poured >= count {
                return Ok(());
            }
            if simulation.frame().is_multiple_of(FRAMES) {
                self.emit(simulation, (count - poured).min(self.per_emission))?;
                progress(poured);
            }
            next_frame(simulation)?;
        }
    }

    fn emit(&mut self, simulation: &mut Run, most: usize) -> Result<(), SimulationError> {
        self.crest = crest(simulation)?.max(0.0);
        let height = self.crest + DROP * SPACING;
        let mut emitted = 0;
        for _ in 0..TRIES {
            if emitted == most {
                break;
            }
            let (x, z) = (self.random.signed(), self.random.signed());
            if x * x + z * z > 1.0 {
                continue;
            }
            let position = Vec3::new(x * STREAM * SPACING, height, z * STREAM * SPACING);
            let command = Command::Emit {
                material: "sand".into(),
                positions: vec![position],
                velocity: Vec3::new(0.0, -SPEED, 0.0),
            };
            // The material exists: the experiment's scene has it.
            emitted += simulation.apply(&command).map_or(0, |report| report.emitted);
        }
        Ok(())
    }
}

/// Highest grain near the axis that is not falling \[m\].
fn crest(simulation: &mut Run) -> Result<f32, SimulationError> {
    look(simulation, &["position", "velocity"], |snapshot| {
        let position = snapshot.vec3("position").unwrap_or_default();
        let velocity = snapshot.vec3("velocity").unwrap_or_default();
        let near = |x: &[f32; 3]| x[0].hypot(x[2]) < STREAM * SPACING;
        let resting = position.iter().zip(velocity).filter(|(x, v)| near(x) && v[1] > -0.5 * SPEED);
        resting.map(|(x, _)| x[1]).fold(0.0, f32::max)
    })
}
