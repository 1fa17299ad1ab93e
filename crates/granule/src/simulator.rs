//! What every solver on every device offers to the rest of the program.

use std::any::Any;

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::bodies::BodyReport;
use crate::boundary::{Pose, Sdf, Shape};
use crate::cell::CellState;
use crate::columns::ColumnError;
use crate::contacts::{Contact, ContactError};
use crate::particles::NewGrain;
use crate::scene::BodySettings;
use crate::stages::{Stage, StageTimes};

/// The kind of values a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// An unsigned integer per particle.
    Integer,
    /// A number per particle.
    Scalar,
    /// A vector per particle.
    Vec3,
    /// An orientation per particle (x, y, z, w).
    Quaternion,
    /// A symmetric tensor per particle (xx, xy, xz, yy, yz, zz).
    Tensor,
}

/// Name, unit and kind of a particle field that a solver can hand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FieldInfo {
    /// Name, as used on the command line and in files.
    pub name: &'static str,
    /// SI unit; "1" where there is none.
    pub unit: &'static str,
    /// Kind of values.
    pub kind: FieldKind,
}

/// The values of one field, in the order of ids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FieldData {
    /// Integers.
    Integer(Vec<u32>),
    /// Numbers.
    Scalar(Vec<f32>),
    /// Vectors.
    Vec3(Vec<[f32; 3]>),
    /// Orientations.
    Quaternion(Vec<[f32; 4]>),
    /// Symmetric tensors (xx, xy, xz, yy, yz, zz).
    Tensor(Vec<[f32; 6]>),
}

impl FieldData {
    /// Number of particles.
    pub fn len(&self) -> usize {
        match self {
            Self::Integer(values) => values.len(),
            Self::Scalar(values) => values.len(),
            Self::Vec3(values) => values.len(),
            Self::Quaternion(values) => values.len(),
            Self::Tensor(values) => values.len(),
        }
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Fields of all particles at one time, sorted by id.
///
/// ```
/// # use granule::{FieldKind, MaterialSettings, Options, Scene, Shape, Simulation};
/// # let scene = Scene::new("a")
/// #     .with_material(MaterialSettings::default())
/// #     .with_grains("sand", Shape::cuboid([0.0; 3], [0.1; 3]));
/// # let mut simulation = Simulation::new(scene, &Options::default())?;
/// let snapshot = simulation.read(&["position", "density"])?;
/// let positions: &[[f32; 3]] = snapshot.vec3("position").unwrap();
/// let densities: &[f32] = snapshot.scalar("density").unwrap();
/// assert_eq!(positions.len(), densities.len());
/// assert_eq!(snapshot.columns[0].0.unit, "m");
/// assert_eq!(snapshot.columns[1].0.kind, FieldKind::Scalar);
/// assert!(simulation.read(&["colour"]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Simulated time \[s\].
    pub time: f64,
    /// The fields that were asked for, in the order asked.
    pub columns: Vec<(FieldInfo, FieldData)>,
}

impl Snapshot {
    /// The values of a field, if the snapshot holds it.
    pub fn column(&self, name: &str) -> Option<&FieldData> {
        self.columns.iter().find(|(info, _)| info.name == name).map(|(_, data)| data)
    }

    /// The values of a vector field, if the snapshot holds it.
    pub fn vec3(&self, name: &str) -> Option<&[[f32; 3]]> {
        match self.column(name) {
            Some(FieldData::Vec3(values)) => Some(values),
            _ => None,
        }
    }

    /// The values of an integer field, if the snapshot holds it.
    pub fn integer(&self, name: &str) -> Option<&[u32]> {
        match self.column(name) {
            Some(FieldData::Integer(values)) => Some(values),
            _ => None,
        }
    }

    /// The values of a scalar field, if the snapshot holds it.
    pub fn scalar(&self, name: &str) -> Option<&[f32]> {
        match self.column(name) {
            Some(FieldData::Scalar(values)) => Some(values),
            _ => None,
        }
    }
}

/// A pending read; a device may deliver later than it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadTicket(pub u64);

/// What may be changed between steps.
///
/// ```
/// # use granule::{MaterialSettings, Options, Scene, Shape, Simulation};
/// use granule::Command;
/// # let scene = Scene::new("a")
/// #     .with_material(MaterialSettings::default())
/// #     .with_grains("sand", Shape::cuboid([0.0; 3], [0.1; 3]));
/// # let mut simulation = Simulation::new(scene, &Options::default())?;
/// let steeper = Command::Set { path: "material.sand.friction_angle".into(), value: 40.0 };
/// simulation.apply(&steeper)?;
/// let error = simulation.apply(&Command::Set { path: "material.sand.friction".into(), value: 1.0 });
/// assert!(error.is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Sets a numeric parameter by its scene path, e.g. `material.sand.friction_angle` \[degrees\].
    Set {
        /// Scene path.
        path: String,
        /// New value, in the scene's units.
        value: f64,
    },
    /// Sets a choice by its scene path, e.g. `material.water.pressure` to `ideal`.
    Choose {
        /// Scene path.
        path: String,
        /// One of the words that the scene allows there.
        word: String,
    },
    /// Opens or closes an emitter; from then on its time window does not matter.
    Emitter {
        /// Name of the emitter.
        name: String,
        /// Whether it is to emit.
        open: bool,
    },
    /// Adds grains; those that would overlap others or walls are not added and are reported.
    Emit {
        /// Name of the grains' material.
        material: String,
        /// Centres \[m\].
        positions: Vec<Vec3>,
        /// Common velocity [m/s].
        velocity: Vec3,
    },
    /// Removes all grains whose centres lie in a region, at once; they are in the books as removed.
    Remove {
        /// The region, where it is in the world.
        region: Shape,
    },
    /// Replaces gravity or any other uniform force field [m/s2].
    Gravity(Vec3),
    /// Takes over a named boundary's pose: it stays there, and its walls move with these velocities, until told otherwise.
    /// Whoever leads a tool so gives a pose per step; [`Command::MoveTool`] moves on by itself. With the pivot p of the boundary's motion (0 without one) and
    /// the place X that a point of it is described at:
    ///
    /// ```text
    /// x = position + p + R (X - p)                 R: rotation
    /// v = velocity + omega x (x - position - p)    omega: angular_velocity
    /// ```
    ToolPose {
        /// Name of the boundary.
        boundary: String,
        /// Displacement of the pivot from where it is described \[m\].
        position: Vec3,
        /// Rotation about the pivot from how the boundary is described, a unit quaternion.
        #[serde(default)]
        rotation: Quat,
        /// Velocity of the pivot [m/s].
        velocity: Vec3,
        /// Angular velocity [rad/s].
        #[serde(default)]
        angular_velocity: Vec3,
    },
    /// Leads a named boundary from where it is to a pose within a time, at constant velocity and turning rate, the shorter way
    /// round; it stays there until told otherwise. Its walls move in every step, so grains feel a motion without jumps if
    /// whoever leads a tool gives a pose per frame and the time of a frame. Positions are those of [`Command::ToolPose`].
    MoveTool {
        /// Name of the boundary.
        boundary: String,
        /// Displacement of the pivot from where it is described \[m\].
        position: Vec3,
        /// Rotation about the pivot from how the boundary is described, a unit quaternion.
        #[serde(default)]
        rotation: Quat,
        /// Time that it takes \[s\].
        seconds: f64,
    },
    /// Pushes a free rigid body: its velocities change at once, as by a blow.
    ///
    /// ```text
    /// v += J / m,   omega += I^-1 (r x J)    r: from the centre of mass to the point
    /// ```
    PushBody {
        /// Name of the body.
        body: String,
        /// Impulse J [N s].
        impulse: Vec3,
        /// Where it acts in the world \[m\]; at the centre of mass if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        point: Option<Vec3>,
    },
    /// Adds a rigid body where its shape is described, at once; between frames only. Grains there are pushed out, so a tool
    /// is described in its own frame and led to a free place by [`Command::ToolPose`] before the next step.
    AddBody {
        /// The body, as a scene has it.
        body: Box<BodySettings>,
    },
    /// Replaces the uniform wind [m/s].
    Wind(Vec3),
}

/// What a command did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandReport {
    /// Grains that were added.
    pub emitted: usize,
    /// Grains that found no room.
    pub blocked: usize,
    /// Grains that were removed.
    pub removed: usize,
}

/// Why a command was refused.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum CommandError {
    /// No parameter, material or boundary has this name.
    #[error("{what} `{name}` does not exist; known: {known}")]
    Unknown {
        /// What kind of thing was looked for.
        what: &'static str,
        /// The name that was given.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// The value is outside its range.
    #[error("`{path}` = {value}: {reason}")]
    Value {
        /// The parameter.
        path: String,
        /// The value.
        value: String,
        /// What is allowed.
        reason: String,
    },
    /// A region is no shape, or none that the device can have.
    #[error("the region: {0}")]
    Region(String),
    /// The body cannot be added.
    #[error("body `{name}` cannot be added: {reason}")]
    NotAdded {
        /// Name of the body.
        name: String,
        /// Why.
        reason: String,
    },
    /// The body does not move freely.
    #[error("body `{name}` is {kind}: only a dynamic body can be pushed")]
    NotFree {
        /// Name of the body.
        name: String,
        /// What it is instead.
        kind: &'static str,
    },
    /// Nothing simulates.
    #[error("this run is over: its frames are played, and nothing can be changed in it")]
    Over,
}

impl CommandError {
    /// That nothing of this kind has this name.
    pub fn unknown(what: &'static str, name: &str, known: &[&str]) -> Self {
        Self::Unknown { what, name: name.into(), known: known.join(", ") }
    }
}

/// Why a solver's state could not be saved or taken over.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum StateError {
    /// The bytes are no state of this solver.
    #[error("the solver's state cannot be read or written: {0}")]
    Unreadable(String),
    /// A number is infinite or not a number.
    #[error("the state holds a value that is not finite: `{0}`")]
    NotFinite(&'static str),
    /// Numbers that contradict each other or the scene.
    #[error("the state is impossible: {0}")]
    Impossible(String),
    /// A column is missing, or its values do not fit.
    #[error("the state is impossible: {0}")]
    Column(#[from] ColumnError),
    /// Contacts that do not belong to the particles and walls.
    #[error("the state is impossible: {0}")]
    Contacts(#[from] ContactError),
}

/// A field name that the solver does not have.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("solver `{solver}` has no field `{name}`; it has: {known}")]
pub struct FieldError {
    /// The solver.
    pub solver: &'static str,
    /// The field that was asked for.
    pub name: String,
    /// The fields it has.
    pub known: String,
}

/// What happened in one step.
///
/// ```
/// # use granule::{MaterialSettings, Options, Scene, Shape, Simulation};
/// # let scene = Scene::new("a")
/// #     .with_material(MaterialSettings::default())
/// #     .with_grains("sand", Shape::cuboid([0.0; 3], [0.1; 3]));
/// # let mut simulation = Simulation::new(scene, &Options::default())?;
/// let report = simulation.step();
/// assert!(report.dt > 0.0 && report.lost == 0);
/// assert!(report.max_speed > 0.0, "nothing holds the grains");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StepReport {
    /// Length of the step \[s\].
    pub dt: f64,
    /// Particles after the step.
    pub particles: usize,
    /// Sweeps of the pressure and friction loop.
    pub iterations: u32,
    /// Average density error after the loop, relative to the rest density.
    pub density_error: f64,
    /// Relative change of the friction stress in the last sweep.
    pub friction_error: f64,
    /// Whether both errors fell below their thresholds.
    pub converged: bool,
    /// Whether the CFL condition shortened the step below its maximum.
    pub limited: bool,
    /// Fastest particle [m/s].
    pub max_speed: f64,
    /// Kinetic energy \[J\].
    pub kinetic_energy: f64,
    /// Power of the frictional stress \[W\]; measured only where diagnostics are on.
    pub friction_power: Option<f64>,
    /// Particles removed in this step because their state was not finite.
    pub lost: usize,
    /// Boundary samples that did not fit the per-particle limit.
    pub dropped_samples: usize,
    /// Mean number of neighbours.
    pub neighbors_mean: f64,
    /// Grains added by emitters at the end of the step.
    pub emitted: usize,
    /// Grains that emitters gave up in this step because they found no room.
    pub blocked: usize,
    /// Grains taken at the end of the step, per outlet of the scene.
    pub drained: Vec<usize>,
    /// Seconds per stage.
    #[serde(skip)]
    pub stages: StageTimes,
}

/// Closest distance at which a grain may be added ([`Simulator::emit`]), in spacings to grains and radii to walls.
pub const MIN_SEPARATION: f32 = 0.9;

/// A solver on a device.
pub trait Simulator: Any + Send {
    /// The solver's word in scenes.
    fn solver(&self) -> &'static str;
    /// Device and adapter in words.
    fn device(&self) -> String;
    /// Advances by one step of at most `max_dt` seconds.
    fn step(&mut self, max_dt: f64) -> StepReport;
    /// Advances by at least one step and at most `most`, not beyond the time `until` \[s\], and reports them in their order.
    /// A device that works ahead takes as many as it is let.
    fn advance(&mut self, until: f64, most: usize) -> Vec<StepReport> {
        debug_assert!(most > 0);
        vec![self.step(until - self.time())]
    }
    /// Why the device cannot go on, if it cannot: steps then do nothing and report nothing.
    fn failure(&self) -> Option<&str> {
        None
    }
    /// Changes something between steps.
    fn apply(&mut self, command: &Command) -> Result<CommandReport, CommandError>;
    /// Adds grains between steps: each, in their order, at the first of the `places` \[m\] left that has room for it, in
    /// theirs. Returns how many were added.
    fn emit(&mut self, grains: &[NewGrain], places: &[Vec3]) -> usize;
    /// Removes the grains whose centres (of mass, where they are several particles) lie in any of the regions between
    /// steps. Returns how many per region; a grain in several belongs to the first.
    fn remove_inside(&mut self, regions: &[&Sdf]) -> Vec<usize>;
    /// The fields this solver has.
    fn fields(&self) -> &'static [FieldInfo];
    /// Asks for fields; the values are there once `poll` returns true.
    fn read(&mut self, fields: &[&str]) -> Result<ReadTicket, FieldError>;
    /// Fetches a read that has finished.
    fn poll(&mut self, ticket: ReadTicket, snapshot: &mut Snapshot) -> bool;
    /// Number of particles now.
    fn particle_count(&self) -> usize;
    /// Number of grains now: those of several particles count once.
    fn grain_count(&self) -> usize {
        self.particle_count()
    }
    /// Centres of all grains \[m\], in any order, where some are several particles; else the field `position` has them.
    fn grain_centers(&self) -> Option<Vec<[f32; 3]>> {
        None
    }
    /// The contacts of now, in an order that the number of threads does not change; none for solvers without contacts.
    fn contacts(&mut self) -> Vec<Contact> {
        Vec::new()
    }
    /// Simulated time \[s\].
    fn time(&self) -> f64;
    /// Bytes held per particle by columns, lists and scratch.
    fn bytes_per_particle(&self) -> f64;
    /// Bytes that stages of a step like the last one read and write, each as often as it is asked for; only stages of
    /// which that is known.
    fn traffic(&self) -> Vec<(Stage, f64)> {
        Vec::new()
    }
    /// Hash of ids, positions, velocities, time and counts, independent of the order in memory.
    fn state_hash(&self) -> u64;
    /// The rigid bodies between two steps.
    fn bodies(&self) -> Vec<BodyReport>;
    /// The periodic cell, where it strains.
    fn cell(&self) -> Option<CellState> {
        None
    }
    /// Where the boundaries are between two steps, in the order of the scene, then those of its bodies; nothing where a
    /// solver does not know, and then they follow from the scene.
    fn boundary_poses(&self) -> Vec<Pose> {
        Vec::new()
    }
    /// Switches costly diagnostics (friction power) on or off.
    fn set_diagnostics(&mut self, on: bool);
    /// Everything that outlives a step, as bytes for `restore`.
    fn checkpoint(&self) -> Result<Vec<u8>, StateError>;
    /// Takes over such bytes, after which every step gives the same bits as in the solver that gave them. Belongs to a
    /// solver made from the scene that the other one was made from, which was just made or [restores in
    /// place](Simulator::restores_in_place). On an error nothing has changed.
    fn restore(&mut self, state: &[u8]) -> Result<(), StateError>;
    /// Whether [`Simulator::restore`] may be called on a solver that has stepped and taken commands.
    fn restores_in_place(&self) -> bool {
        false
    }
}
