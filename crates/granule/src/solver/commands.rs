//! What commands and new grains do to a running scene, whatever solves it on whatever device.

use glam::{Quat, Vec3};

use crate::air::Air;
use crate::bodies::Bodies;
use crate::boundary::{Boundaries, Sdf, ToolPose};
use crate::neighbors::OverlapQuery;
use crate::particles::{NewGrain, NewParticle};
use crate::scene::{AirSettings, BodyKind, Scene};
use crate::simulator::{Command, CommandError, MIN_SEPARATION};

/// What is left to the solver after a command.
pub enum Applied {
    /// Nothing.
    Done,
    /// To take over a changed scene.
    Changed(Box<Scene>),
    /// To add particles of a material, by its index.
    Emit(u16),
    /// To remove the particles in a region.
    Remove(Box<Sdf>),
}

/// What commands act on.
pub struct Commanded<'a> {
    /// The scene as commands have changed it.
    pub scene: &'a Scene,
    /// Gravity [m/s2].
    pub gravity: &'a mut Vec3,
    /// Surrounding air.
    pub air: &'a mut Option<Air>,
    /// Walls and tools.
    pub boundaries: &'a mut Boundaries,
    /// Rigid bodies.
    pub bodies: &'a mut Bodies,
    /// Simulated time \[s\].
    pub time: f64,
}

impl Commanded<'_> {
    /// Does what a command asks for as far as it is not the solver's own business.
    ///
    /// # Errors
    /// Says what does not exist or is not allowed.
    pub fn apply(self, command: &Command) -> Result<Applied, CommandError> {
        match command {
            Command::Set { path, value } => {
                let scene = with_parameter(self.scene, path, *value)?;
                *self.gravity = Vec3::from(scene.simulation.gravity);
                return Ok(Applied::Changed(Box::new(scene)));
            }
            Command::Choose { path, word } => {
                return Ok(Applied::Changed(Box::new(with_choice(self.scene, path, word)?)));
            }
            Command::Emit { material, .. } => {
                let names: Vec<&str> = self.scene.material.iter().map(|m| m.name.as_str()).collect();
                let index = names.iter().position(|known| *known == material);
                let index = index.ok_or_else(|| CommandError::unknown("material", material, &names))?;
                return Ok(Applied::Emit(index as u16));
            }
            Command::Gravity(gravity) => {
                let mut scene = self.scene.clone();
                scene.simulation.gravity = gravity.to_array();
                *self.gravity = *gravity;
                return Ok(Applied::Changed(Box::new(scene)));
            }
            Command::Remove { region } => {
                let region = Sdf::new(region).map_err(|error| CommandError::Region(error.to_string()))?;
                return Ok(Applied::Remove(Box::new(region)));
            }
            Command::ToolPose { boundary, position, rotation, velocity, angular_velocity } => {
                let pose = ToolPose {
                    position: finite("tool_pose.position", *position)?,
                    rotation: unit("tool_pose.rotation", *rotation)?,
                    velocity: finite("tool_pose.velocity", *velocity)?,
                    angular_velocity: finite("tool_pose.angular_velocity", *angular_velocity)?,
                };
                if !self.boundaries.set_pose(boundary, &pose) {
                    return Err(CommandError::unknown("boundary", boundary, &self.boundaries.names()));
                }
            }
            Command::MoveTool { boundary, position, rotation, seconds } => {
                let pose = ToolPose {
                    position: finite("move_tool.position", *position)?,
                    rotation: unit("move_tool.rotation", *rotation)?,
                    ..ToolPose::default()
                };
                let seconds = duration("move_tool.seconds", *seconds)?;
                if !self.boundaries.lead(boundary, &pose, self.time, seconds) {
                    return Err(CommandError::unknown("boundary", boundary, &self.boundaries.names()));
                }
            }
            Command::PushBody { body, impulse, point } => {
                let index = free_body(self.scene, body)?;
                let impulse = finite("push_body.impulse", *impulse)?;
                let point = point.map(|point| finite("push_body.point", point)).transpose()?;
                if !self.bodies.push(index, impulse, point, self.boundaries) {
                    return Err(CommandError::Value {
                        path: "push_body.impulse".into(),
                        value: impulse.to_string(),
                        reason: format!("more than `{body}` can take: its velocity would not be finite"),
                    });
                }
            }
            Command::Wind(velocity) => {
                let air = self.air.get_or_insert_with(|| Air::new(AirSettings::default()));
                air.set_uniform_wind(*velocity);
            }
            // Emitters are not the solver's, and new bodies make a new one.
            Command::Emitter { .. } | Command::AddBody { .. } => {}
        }
        Ok(Applied::Done)
    }
}

/// Number of a body that moves freely, by its name.
fn free_body(scene: &Scene, name: &str) -> Result<usize, CommandError> {
    let names: Vec<&str> = scene.body.iter().map(|body| body.name.as_str()).collect();
    let index = names.iter().position(|known| *known == name);
    let index = index.ok_or_else(|| CommandError::unknown("body", name, &names))?;
    let kind = match scene.body[index].kind {
        BodyKind::Dynamic => return Ok(index),
        BodyKind::Keyframed => "keyframed",
        BodyKind::Static => "static",
    };
    Err(CommandError::NotFree { name: name.into(), kind })
}

/// A vector without infinities and numbers that are none.
fn finite(path: &str, value: Vec3) -> Result<Vec3, CommandError> {
    let wrong = || CommandError::Value {
        path: path.into(),
        value: value.to_string(),
        reason: "must be finite".into(),
    };
    value.is_finite().then_some(value).ok_or_else(wrong)
}

/// A time that is longer than nothing \[s\].
fn duration(path: &str, value: f64) -> Result<f64, CommandError> {
    let wrong = || CommandError::Value {
        path: path.into(),
        value: value.to_string(),
        reason: "must be finite and above 0".into(),
    };
    (value.is_finite() && value > 0.0).then_some(value).ok_or_else(wrong)
}

/// Distance of the square of a quaternion's length from 1 that is rounding.
const UNIT_TOLERANCE: f32 = 1e-3;

/// A rotation.
fn unit(path: &str, value: Quat) -> Result<Quat, CommandError> {
    let wrong = || CommandError::Value {
        path: path.into(),
        value: value.to_string(),
        reason: "must be a unit quaternion (x, y, z, w)".into(),
    };
    let is_unit = (value.length_squared() - 1.0).abs() <= UNIT_TOLERANCE;
    is_unit.then(|| value.normalize()).ok_or_else(wrong)
}

/// Takes over what a changed scene says of boundaries and air.
pub fn adopt(scene: &Scene, boundaries: &mut Boundaries, air: &mut Option<Air>) {
    for (index, boundary) in scene.boundary.iter().enumerate() {
        boundaries.set_friction(index, boundary.friction);
    }
    if let Some(settings) = &scene.air {
        match air {
            Some(air) => air.set_settings(settings.clone()),
            None => *air = Some(Air::new(settings.clone())),
        }
    }
}

/// Places for grains: each grain, in their order, takes the first of the places left that has room for it: none in
/// walls, in particles or in each other. `query` knows the particles. Of grains of several spheres all must have room.
pub fn free_places(
    places: &[Vec3],
    grains: &[NewGrain],
    boundaries: &Boundaries,
    mut query: OverlapQuery,
) -> Vec<Vec3> {
    let mut free = Vec::new();
    for &place in places {
        let Some(grain) = grains.get(free.len()) else { break };
        let has_room = |x: Vec3, radius: f32| {
            x.is_finite() && boundaries.distance(x) >= MIN_SEPARATION * radius && query.is_free(x, radius)
        };
        if grain.clump.is_none() {
            if has_room(place, grain.radius) {
                query.insert(place, grain.radius);
                free.push(place);
            }
            continue;
        }
        let spheres = grain.spheres_at(place, 0.0);
        let wrapped = |sphere: &NewParticle| query.domain().wrap(sphere.position);
        if place.is_finite() && spheres.iter().all(|sphere| has_room(wrapped(sphere), sphere.radius)) {
            let spheres: Vec<(Vec3, f32)> =
                spheres.iter().map(|sphere| (wrapped(sphere), sphere.radius)).collect();
            spheres.into_iter().for_each(|(x, radius)| query.insert(x, radius));
            free.push(place);
        }
    }
    free
}

/// The scene with a number set by its path.
///
/// # Errors
/// Refuses what is not allowed or cannot change while grains exist.
pub fn with_parameter(scene: &Scene, path: &str, value: f64) -> Result<Scene, CommandError> {
    let wrong = |reason: String| CommandError::Value { path: path.into(), value: value.to_string(), reason };
    changed(scene, path, format!("{value:?}"), &wrong)
}

/// The scene with a choice set by its path.
///
/// # Errors
/// Refuses words that are not allowed or choices that cannot change while grains exist.
pub fn with_choice(scene: &Scene, path: &str, word: &str) -> Result<Scene, CommandError> {
    let wrong = |reason: String| CommandError::Value { path: path.into(), value: word.into(), reason };
    changed(scene, path, format!("{word:?}"), &wrong)
}

fn changed(
    scene: &Scene,
    path: &str,
    value: String,
    wrong: &dyn Fn(String) -> CommandError,
) -> Result<Scene, CommandError> {
    let text = scene.to_toml().map_err(|e| wrong(e.to_string()))?;
    let set = [(path.to_string(), value)];
    let changed = Scene::resolve(&text, &scene.name, false, &set).map_err(|e| wrong(e.to_string()))?;
    if with_adjustable_from(scene, &changed) == changed { Ok(changed) } else { Err(wrong(ADJUSTABLE.into())) }
}

/// What a running simulation lets change.
const ADJUSTABLE: &str = "only [air], the solver's own section, materials except their radius, friction and \
                          rolling friction of boundaries, and gravity, cfl, time steps and the strain of [simulation] can change while a \
                          simulation runs";

/// The scene `old` with everything that may change while it runs taken from `new`.
fn with_adjustable_from(old: &Scene, new: &Scene) -> Scene {
    let mut scene = old.clone();
    scene.iisph = new.iisph.clone();
    scene.wcsph = new.wcsph.clone();
    scene.dem = new.dem.clone();
    scene.pbd = new.pbd.clone();
    scene.pair = new.pair.clone();
    scene.air = new.air.clone();
    scene.simulation.gravity = new.simulation.gravity;
    scene.simulation.cfl = new.simulation.cfl;
    scene.simulation.time_step = new.simulation.time_step;
    scene.simulation.max_time_step = new.simulation.max_time_step;
    if let (Some(mine), Some(theirs)) = (&mut scene.simulation.strain, &new.simulation.strain) {
        *mine = theirs.clone();
    }
    for (mine, theirs) in scene.material.iter_mut().zip(&new.material) {
        let radius = mine.radius;
        *mine = theirs.clone();
        mine.radius = radius;
    }
    for (mine, theirs) in scene.boundary.iter_mut().zip(&new.boundary) {
        (mine.friction, mine.rolling_friction) = (theirs.friction, theirs.rolling_friction);
    }
    scene
}
