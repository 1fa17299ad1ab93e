//! Real-time granular matter: sand that flows, piles and stays piled, and water beside it.
//!
//! A [`Scene`] says what there is: materials, grains, walls, rigid bodies, emitters. [`Simulation::new`] checks it, fills it
//! with grains and gives a simulation that steps, takes commands and hands out fields. Several solvers move the same scenes
//! ([`SolverKind`]); changing the solver is changing a word.
//!
//! # A first scene
//!
//! ```
//! use granule::{MaterialSettings, Options, Scene, Shape, Simulation};
//!
//! let scene = Scene::new("heap")
//!     .with_material(MaterialSettings::default()) // sand: grains of 1 cm, 30 degrees
//!     .with_wall("floor", Shape::floor(0.0))
//!     .with_grains("sand", Shape::cuboid([0.0; 3], [0.1, 0.2, 0.1]));
//! let mut simulation = Simulation::new(scene, &Options::default())?;
//! simulation.run_until(0.1);
//! let snapshot = simulation.read(&["position", "speed"])?;
//! let highest = snapshot.vec3("position").unwrap().iter().map(|x| x[1]).fold(0.0, f32::max);
//! assert!(highest < 0.2, "the column has begun to fall: {highest} m");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Scenes are TOML files, too: [`Scene::load`] reads one, [`Scene::open`] also knows those that come with the crate, and
//! [`Scene::to_toml`] writes one. All quantities are SI; y points up. Errors ([`SceneError`]) name file, line and key, what
//! was found, what is allowed and what was probably meant, before anything is allocated.
//!
//! # Stepping
//!
//! | you want | it is |
//! | --- | --- |
//! | one step, at most to the next frame | [`Simulation::step`] |
//! | one frame, hearing of every step | [`Simulation::run_frame`] |
//! | to go on until a time | [`Simulation::run_until`] |
//! | to know what happened | [`StepReport`], [`Simulation::ledger`], [`Simulation::bodies`] |
//! | to stop and go on another day | [`Simulation::checkpoint`], [`Simulation::resume`] |
//!
//! Stepping neither panics nor fails halfway: it reports. Particles whose state is not finite are removed and counted.
//!
//! # Commands
//!
//! Between steps [`Simulation::apply`] changes a parameter by its path in the scene, emits grains, moves a tool, turns gravity
//! or the wind: see [`Command`].
//!
//! # Live
//!
//! [`Live`] gives a simulation a thread of its own: play, pause, steps, speed, commands, going back in time, scene files that
//! are loaded again when they change, and frames that are there when they are asked for. A window never waits for it.
//!
//! # Fields
//!
//! [`Simulation::fields`] lists what the solver has, with unit and kind; [`Simulation::read`] gives any of them as arrays in
//! the order of ids ([`Snapshot`]). Ids are never reused, so a grain can be followed through a run.
//!
//! # Devices and solvers
//!
//! [`Options`] choose threads and device. The engine itself knows CPU cores only; another crate brings a [`Backend`] for its
//! device (`granule-gpu` is one, on Vulkan, Metal and DX12) and [`Options::device`] carries it. In the same way
//! [`Options::solver`] carries a solver of your own ([`SolverEntry`]).
//!
//! # Determinism
//!
//! The same scene gives the same bits on any number of threads and with any instructions of the processor; a run that was
//! resumed from a checkpoint gives the bits of one that never stopped. No damping, speed caps or sleeping are hidden anywhere.
//!
//! # Features
//!
//! All are on by default. A scene that needs one which is off is refused with its name.
//!
//! | feature | without it |
//! | --- | --- |
//! | `bodies` | no rigid bodies; rapier is not compiled |
//! | `schema` | no JSON schema and no reference of scenes; schemars is not compiled |
//! | `meshes` | no mesh files; meshes that the crate makes itself (`builtin:...`) stay |
//!
//! # Where to read on
//!
//! The crate's `examples/` build a scene, give commands, read arrays and measure. [`scene`] has all that a scene may hold,
//! [`measure`] the experiments that hold the solvers against physics, [`io`] the files of a run, [`solver`] what a further
//! solver can use.

#[doc(hidden)]
pub mod air;
#[doc(hidden)]
pub mod assemblies;
#[doc(hidden)]
pub mod blow_up;
#[doc(hidden)]
pub mod bodies;
#[doc(hidden)]
pub mod boundary;
#[doc(hidden)]
pub mod build;
#[doc(hidden)]
pub mod cell;
#[doc(hidden)]
pub mod clumps;
pub mod coarse_graining;
#[doc(hidden)]
pub mod columns;
#[doc(hidden)]
pub mod contacts;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod flow;
// Parts of it serve readers of meshes only.
#[cfg_attr(not(feature = "meshes"), allow(dead_code))]
mod formats;
#[doc(hidden)]
pub mod geometry;
#[doc(hidden)]
pub mod grains;
#[doc(hidden)]
pub mod hash;
pub mod io;
pub mod live;
#[doc(hidden)]
pub mod material;
pub mod measure;
#[doc(hidden)]
pub mod neighbors;
#[doc(hidden)]
pub mod particles;
#[doc(hidden)]
pub mod position;
#[doc(hidden)]
pub mod preflight;
#[doc(hidden)]
pub mod quarantine;
#[doc(hidden)]
pub mod random;
#[cfg(feature = "schema")]
#[doc(hidden)]
pub mod reference;
pub mod scene;
#[doc(hidden)]
pub mod simd;
#[doc(hidden)]
pub mod simulation;
#[doc(hidden)]
pub mod simulator;
pub mod solver;
#[doc(hidden)]
pub mod sph;
#[doc(hidden)]
pub mod stages;
#[doc(hidden)]
pub mod statistics;
#[doc(hidden)]
pub mod sym3;
#[doc(hidden)]
pub mod team;
#[doc(hidden)]
pub mod upsample;

pub use bodies::BodyReport;
pub use boundary::{Keyframe, Motion, Shape};
pub use build::{Backend, BackendInput, Device, Options, SharedBackend};
pub use contacts::{Contact, Partner};
pub use error::{BackendError, SimulationError};
pub use flow::Ledger;
pub use io::CheckpointError;
pub use live::{Live, LiveOptions};
pub use scene::{
    BodySettings, BoundarySettings, EmitterSettings, Fill, GrainsSettings, MaterialSettings, OutletSettings,
    Scene, SceneError, SimulationSettings, SolverKind,
};
pub use simulation::Simulation;
pub use simulator::{
    Command, CommandError, CommandReport, FieldData, FieldError, FieldInfo, FieldKind, Simulator, Snapshot,
    StepReport,
};
pub use solver::{SolverEntry, SolverInput};
