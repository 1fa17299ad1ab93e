//! Changes between steps.

use glam::Vec3;
use rayon::prelude::*;

use crate::air::Air;
use crate::boundary::Sdf;
use crate::flow::ROOM;
use crate::material::Material;
use crate::neighbors::Room;
use crate::particles::NewParticle;
use crate::scene::{AirSettings, Scene};
use crate::simulator::{Command, CommandError, CommandReport};

use super::Iisph;
use super::params::IisphParams;

impl Iisph {
    pub(super) fn apply_command(&mut self, command: &Command) -> Result<CommandReport, CommandError> {
        match command {
            Command::Set { path, value } => self.set_parameter(path, *value)?,
            Command::Emit { material, positions, velocity } => {
                return self.emit(material, positions, *velocity);
            }
            Command::Gravity(gravity) => {
                let mut scene = self.scene.clone();
                scene.simulation.gravity = gravity.to_array();
                self.gravity = *gravity;
                self.adopt(scene);
            }
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

    /// Sets a number of the scene by its path, if it can change while grains exist.
    fn set_parameter(&mut self, path: &str, value: f64) -> Result<(), CommandError> {
        let scene = with_parameter(&self.scene, path, value)?;
        self.gravity = Vec3::from(scene.simulation.gravity);
        self.adopt(scene);
        Ok(())
    }

    /// Takes over the constants and materials of a changed scene.
    pub(super) fn adopt(&mut self, scene: Scene) {
        self.setup.params = IisphParams::new(&scene, &self.setup.kernel);
        self.setup.materials =
            scene.material.iter().map(|m| Material::new(m, scene.iisph.yield_law)).collect();
        for (index, boundary) in scene.boundary.iter().enumerate() {
            self.boundaries.set_friction(index, boundary.friction);
        }
        if let Some(settings) = &scene.air {
            match &mut self.air {
                Some(air) => air.set_settings(settings.clone()),
                None => self.air = Some(Air::new(settings.clone())),
            }
        }
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
        let emitted = self.add_grains(material as u16, positions, velocity, positions.len());
        Ok(CommandReport { emitted, blocked: positions.len() - emitted })
    }

    /// Adds the first `most` of the places that have room and returns how many.
    pub(super) fn add_grains(
        &mut self,
        material: u16,
        places: &[Vec3],
        velocity: Vec3,
        most: usize,
    ) -> usize {
        let Some(mass) = self.setup.materials.get(material as usize).map(|material| material.mass) else {
            return 0;
        };
        let (radius, domain) = (self.setup.params.radius, self.setup.domain);
        let places: Vec<Vec3> = places.iter().map(|place| domain.wrap(*place)).collect();
        self.refresh_strain_rates();
        let reach = ROOM * self.setup.params.spacing;
        let mut room = Room::new(&domain, reach, &places, &self.particles.position);
        let (mut added, first_id) = (0, self.particles.next_id());
        for position in places {
            if added == most {
                break;
            }
            let clear = position.is_finite() && self.boundaries.distance(position) >= ROOM * radius;
            if clear && room.is_free(position) {
                room.insert(position);
                self.particles.push(NewParticle { position, velocity, radius, mass, material });
                added += 1;
            }
        }
        if added > 0 {
            self.particles.note_birth(first_id, self.time);
        }
        self.state.resize(self.particles.len());
        added
    }

    /// Removes the grains whose centres lie in the regions and returns how many per region.
    pub(super) fn remove_grains_inside(&mut self, regions: &[&Sdf]) -> Vec<usize> {
        let bounds: Vec<_> = regions.iter().map(|region| region.bounds()).collect();
        let holds = |k: usize, x: Vec3| {
            let near = bounds[k].is_none_or(|(min, max)| x.cmpge(min).all() && x.cmple(max).all());
            near && regions[k].distance(x) <= 0.0
        };
        let region_of = |x: Vec3| (0..regions.len()).find(|&k| holds(k, x));
        let position = &self.particles.position;
        let found: Vec<Option<usize>> =
            position.par_iter().with_min_len(1024).map(|x| region_of(x.truncate())).collect();
        let mut counts = vec![0; regions.len()];
        found.iter().flatten().for_each(|&k| counts[k] += 1);
        if counts.iter().any(|&count| count > 0) {
            let keep: Vec<bool> = found.iter().map(Option::is_none).collect();
            self.remove(&keep);
        }
        counts
    }
}

/// The scene with a number set by its path.
///
/// # Errors
/// Refuses what is not allowed or cannot change while grains exist.
pub fn with_parameter(scene: &Scene, path: &str, value: f64) -> Result<Scene, CommandError> {
    let wrong = |reason: String| CommandError::Value { path: path.into(), value, reason };
    let text = scene.to_toml().map_err(|e| wrong(e.to_string()))?;
    let set = [(path.to_string(), format!("{value:?}"))];
    let changed = Scene::resolve(&text, &scene.name, false, &set).map_err(|e| wrong(e.to_string()))?;
    if with_adjustable_from(scene, &changed) == changed { Ok(changed) } else { Err(wrong(ADJUSTABLE.into())) }
}

/// What a running simulation lets change.
const ADJUSTABLE: &str = "only [iisph], [air], materials except their radius, friction of boundaries, and gravity, \
                          cfl and time steps of [simulation] can change while a simulation runs";

/// The scene `old` with everything that may change while it runs taken from `new`.
fn with_adjustable_from(old: &Scene, new: &Scene) -> Scene {
    let mut scene = old.clone();
    scene.iisph = new.iisph.clone();
    scene.air = new.air.clone();
    scene.simulation.gravity = new.simulation.gravity;
    scene.simulation.cfl = new.simulation.cfl;
    scene.simulation.time_step = new.simulation.time_step;
    scene.simulation.max_time_step = new.simulation.max_time_step;
    for (mine, theirs) in scene.material.iter_mut().zip(&new.material) {
        let radius = mine.radius;
        *mine = theirs.clone();
        mine.radius = radius;
    }
    for (mine, theirs) in scene.boundary.iter_mut().zip(&new.boundary) {
        mine.friction = theirs.friction;
    }
    scene
}

/// That nothing has this name.
pub fn unknown(what: &'static str, name: &str, known: &[&str]) -> CommandError {
    CommandError::Unknown { what, name: name.into(), known: known.join(", ") }
}
