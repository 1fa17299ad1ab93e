//! Changes between steps.

use glam::Vec3;
use rayon::prelude::*;

use crate::air::Air;
use crate::material::Material;
use crate::particles::NewParticle;
use crate::scene::{AirSettings, Scene};
use crate::simulator::{Command, CommandError, CommandReport};

use super::Iisph;
use super::params::IisphParams;

/// Closest distance at which a grain may be added, in spacings to grains and radii to walls.
const ROOM: f32 = 0.9;

impl Iisph {
    pub(super) fn apply_command(&mut self, command: &Command) -> Result<CommandReport, CommandError> {
        match command {
            Command::Set { path, value } => self.set_parameter(path, *value)?,
            Command::Emit { material, positions, velocity } => {
                return self.emit(material, positions, *velocity);
            }
            Command::Gravity(gravity) => self.gravity = *gravity,
            Command::ToolPose { boundary, position, velocity } => {
                if !self.boundaries.set_pose(boundary, *position, *velocity) {
                    return Err(unknown("boundary", boundary, &self.boundaries.names()));
                }
            }
            Command::Wind(velocity) => {
                let air = self.air.get_or_insert_with(|| Air::new(AirSettings::default()));
                air.set_uniform_wind(*velocity);
            }
        }
        Ok(CommandReport::default())
    }

    /// Sets a number of the scene by its path; grains and walls that exist stay as they are.
    fn set_parameter(&mut self, path: &str, value: f64) -> Result<(), CommandError> {
        let wrong = |reason: String| CommandError::Value { path: path.into(), value, reason };
        let text = self.scene.to_toml().map_err(|e| wrong(e.to_string()))?;
        let set = [(path.to_string(), format!("{value:?}"))];
        let scene = Scene::resolve(&text, &self.scene.name, false, &set).map_err(|e| wrong(e.to_string()))?;
        if scene.material[0].radius != self.scene.material[0].radius {
            return Err(wrong("the radius of particles that exist cannot change".into()));
        }
        self.gravity = Vec3::from(scene.simulation.gravity);
        self.adopt(scene);
        Ok(())
    }

    /// Takes over the constants and materials of a changed scene.
    pub(super) fn adopt(&mut self, scene: Scene) {
        self.setup.params = IisphParams::new(&scene, &self.setup.kernel);
        self.setup.materials =
            scene.material.iter().map(|m| Material::new(m, scene.iisph.yield_law)).collect();
        self.scene = scene;
    }

    fn emit(
        &mut self,
        name: &str,
        positions: &[Vec3],
        velocity: Vec3,
    ) -> Result<CommandReport, CommandError> {
        let names: Vec<&str> = self.setup.materials.iter().map(|m| m.name.as_str()).collect();
        let Some(material) = names.iter().position(|known| *known == name) else {
            return Err(unknown("material", name, &names));
        };
        let mut report = CommandReport::default();
        let mass = self.setup.materials[material].mass;
        let radius = self.setup.params.radius;
        for &position in positions {
            let position = self.setup.domain.wrap(position);
            if !self.has_room(position) {
                report.blocked += 1;
                continue;
            }
            self.particles.push(NewParticle { position, velocity, radius, mass, material: material as u16 });
            report.emitted += 1;
        }
        self.state.resize(self.particles.len());
        Ok(report)
    }

    /// Whether a grain fits at `x` without overlapping grains or walls.
    fn has_room(&self, x: Vec3) -> bool {
        let params = &self.setup.params;
        let near = (ROOM * params.spacing).powi(2);
        x.is_finite()
            && self.boundaries.distance(x) >= ROOM * params.radius
            && self
                .particles
                .position
                .par_iter()
                .with_min_len(4096)
                .all(|other| self.setup.domain.displacement(x, other.truncate()).length_squared() >= near)
    }
}

fn unknown(what: &'static str, name: &str, known: &[&str]) -> CommandError {
    CommandError::Unknown { what, name: name.into(), known: known.join(", ") }
}
