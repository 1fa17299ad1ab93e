//! The types of a scene file: TOML, SI units, degrees for angles, words for choices.
//!
//! Every default is here; `scene/validate.rs` checks ranges and cross references.

mod bodies;
mod fluids;
mod upsample;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::boundary::{Motion, Resolution, Shape};
use crate::sph::{Kernel, KernelKind};

pub use bodies::*;
pub use fluids::*;
pub use upsample::*;

/// A whole scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Name, used for the run folder.
    pub name: String,
    /// One line that says what the scene shows.
    #[serde(default)]
    pub description: String,
    /// Solver, device, time and space.
    #[serde(default)]
    pub simulation: SimulationSettings,
    /// Settings of the granular IISPH solver.
    #[serde(default)]
    pub iisph: IisphSettings,
    /// Settings of the weakly compressible solver.
    #[serde(default)]
    pub wcsph: WcsphSettings,
    /// Materials by name; at least one.
    #[serde(default)]
    pub material: Vec<MaterialSettings>,
    /// Initial grains.
    #[serde(default)]
    pub grains: Vec<GrainsSettings>,
    /// Walls and moving tools.
    #[serde(default)]
    pub boundary: Vec<BoundarySettings>,
    /// Rigid bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<BodySettings>,
    /// Joints between rigid bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<JointSettings>,
    /// Where grains enter during a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emitter: Vec<EmitterSettings>,
    /// Where grains leave during a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outlet: Vec<OutletSettings>,
    /// Where grains are counted at every frame.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counter: Vec<CounterSettings>,
    /// Surrounding air.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub air: Option<AirSettings>,
    /// High-resolution grains; none when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upsample: Option<UpsampleSettings>,
    /// Where pictures are taken from; chosen so that all grains are seen when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camera: Option<CameraSettings>,
    /// What a run writes.
    #[serde(default)]
    pub output: OutputSettings,
    /// Quantities that must lie in a range at the end of a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<ExpectSettings>,
    /// Overrides for a coarser, shorter form (`--quick`), as scene paths.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub quick: BTreeMap<String, toml::Value>,
}

impl Scene {
    /// What meshes are resolved for: the first material's grains. None where there is no material.
    pub fn resolution(&self) -> Option<Resolution> {
        let spacing = 2.0 * self.material.first()?.radius;
        let kernel = Kernel::new(self.simulation.kernel, self.simulation.support * spacing);
        Some(Resolution { kernel, spacing })
    }

    /// All shapes of the scene.
    pub fn shapes_mut(&mut self) -> impl Iterator<Item = &mut Shape> {
        let grains = self.grains.iter_mut().map(|grains| &mut grains.shape);
        let walls = self.boundary.iter_mut().map(|wall| &mut wall.shape);
        let bodies = self.body.iter_mut().map(|body| &mut body.shape);
        let emitters = self.emitter.iter_mut().map(|emitter| &mut emitter.shape);
        let outlets = self.outlet.iter_mut().map(|outlet| &mut outlet.shape);
        let counters = self.counter.iter_mut().map(|counter| &mut counter.shape);
        grains.chain(walls).chain(bodies).chain(emitters).chain(outlets).chain(counters)
    }
}

/// The solvers that a scene may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SolverKind {
    /// Granular implicit incompressible SPH.
    #[default]
    Iisph,
    /// Weakly compressible SPH: fluids with an equation of state, viscosity and surface tension.
    Wcsph,
}

/// Solver, device, time and space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SimulationSettings {
    /// Which solver moves the grains.
    pub solver: SolverKind,
    /// Smoothing kernel, the same in every term; with `wcsph`, poly6 has the gradient of spiky.
    pub kernel: KernelKind,
    /// Kernel support in particle spacings (diameters).
    pub support: f32,
    /// Gravity [m/s2].
    pub gravity: [f32; 3],
    /// Frames per second of simulated time.
    pub fps: f64,
    /// Simulated seconds of a full run.
    pub seconds: f64,
    /// Fixed time step [s]; adaptive when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_step: Option<f64>,
    /// Largest adaptive time step [s]; 0.045 sqrt(d/g) with `iisph` and none with `wcsph` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time_step: Option<f64>,
    /// Courant number: largest distance per step in particle diameters; with `wcsph` also that of sound.
    pub cfl: f64,
    /// Seed of everything random.
    pub seed: u64,
    /// Periodic axes.
    #[serde(skip_serializing_if = "Periodic::is_none")]
    pub periodic: Periodic,
}

impl Default for SimulationSettings {
    fn default() -> Self {
        Self {
            solver: SolverKind::Iisph,
            kernel: KernelKind::Cubic,
            support: 2.0,
            gravity: [0.0, -9.81, 0.0],
            fps: 50.0,
            seconds: 2.0,
            time_step: None,
            max_time_step: None,
            cfl: 0.4,
            seed: 1,
            periodic: Periodic::default(),
        }
    }
}

/// Axes along which space repeats; each as [from, to] in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Periodic {
    /// Range along x [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<[f32; 2]>,
    /// Range along y [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<[f32; 2]>,
    /// Range along z [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub z: Option<[f32; 2]>,
}

impl Periodic {
    /// Whether no axis is periodic.
    pub fn is_none(&self) -> bool {
        self.x.is_none() && self.y.is_none() && self.z.is_none()
    }

    /// The ranges by axis.
    pub fn axes(&self) -> [Option<[f32; 2]>; 3] {
        [self.x, self.y, self.z]
    }
}

/// How friction is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrictionMode {
    /// Together with pressure, iterated and warm-started.
    #[default]
    Coupled,
    /// Neder's single clamp, for comparison: piles creep and melt.
    Explicit,
}

/// Which line the friction angle means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum YieldLaw {
    /// sqrt(2) tan(theta) p: a slope of exactly theta is the limit.
    #[default]
    Tan,
    /// sqrt(2) sin(theta) p as printed by Neder: the limiting slope is atan(sin(theta)).
    Neder,
}

/// Settings of the granular IISPH solver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IisphSettings {
    /// How friction is solved.
    pub friction: FrictionMode,
    /// Which line the friction angle means.
    #[serde(rename = "yield")]
    pub yield_law: YieldLaw,
    /// Fewest sweeps per step; chosen from the height of the heap when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_iterations: Option<u32>,
    /// Most sweeps per step.
    pub max_iterations: u32,
    /// Average density error at which the loop may end, relative to the rest density.
    pub density_error: f32,
    /// Relative change of the friction stress at which the loop may end.
    pub friction_error: f32,
}

impl Default for IisphSettings {
    fn default() -> Self {
        Self {
            friction: FrictionMode::Coupled,
            yield_law: YieldLaw::Tan,
            min_iterations: None,
            max_iterations: 30,
            density_error: 1e-3,
            friction_error: 0.02,
        }
    }
}

/// A named material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MaterialSettings {
    /// Name that grains and emitters refer to.
    pub name: String,
    /// Radius of a particle [m]; the spacing is twice as much.
    pub radius: f32,
    /// Bulk rest density [kg/m3].
    pub density: f32,
    /// Angle of internal friction [degrees]; 0 is a fluid.
    pub friction_angle: f32,
    /// Friction angle that fast flow approaches [degrees] (mu(I) law); friction does not depend on the rate when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast_friction_angle: Option<f32>,
    /// Diameter of the real grains for the mu(I) law [m]; the particle's own when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grain_diameter: Option<f32>,
    /// Cohesion: shear strength without load [Pa].
    pub cohesion: f32,
    /// Kinematic viscosity [m2/s].
    pub viscosity: f32,
    /// Equation of state (`wcsph`).
    pub pressure: PressureLaw,
    /// Exponent of Tait's equation, from 1 to 9 (`wcsph`).
    pub tait_exponent: u32,
    /// Surface tension by cohesion of particles [N/m] (`wcsph`).
    pub surface_tension: f32,
    /// Acceleration per difference of normals that smooths surfaces [m/s2] (`wcsph`).
    pub surface_smoothing: f32,
    /// Monaghan's artificial viscosity alpha (`wcsph`).
    pub artificial_viscosity: f32,
    /// Colour in linear RGB, 0 to 1.
    pub albedo: [f32; 3],
}

impl Default for MaterialSettings {
    fn default() -> Self {
        Self {
            name: "sand".into(),
            radius: 0.01,
            density: 1600.0,
            friction_angle: 30.0,
            fast_friction_angle: None,
            grain_diameter: None,
            cohesion: 0.0,
            viscosity: 0.0,
            pressure: PressureLaw::Tait,
            tait_exponent: 7,
            surface_tension: 0.0,
            surface_smoothing: 0.0,
            artificial_viscosity: 0.0,
            albedo: [0.76, 0.60, 0.36],
        }
    }
}

/// How a volume is filled with particles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// A cubic lattice of one spacing.
    #[default]
    Lattice,
    /// The lattice with every particle displaced at random by up to a tenth of the spacing.
    Jittered,
    /// At random until no more fit: about 0.73 of the rest density, so that it settles.
    Random,
    /// At random, as many as at rest, pushed apart until none overlap: without order; its height changes by less than
    /// 5 % when it comes to rest.
    Relaxed,
}

/// Initial grains that fill a shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrainsSettings {
    /// Name of the material.
    pub material: String,
    /// The volume to fill; whole grains lie inside.
    pub shape: Shape,
    /// How it is filled.
    #[serde(default)]
    pub fill: Fill,
    /// Initial velocity [m/s].
    #[serde(default)]
    pub velocity: [f32; 3],
}

/// A wall, container or tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoundarySettings {
    /// Name that commands refer to.
    pub name: String,
    /// The solid; grains stay outside it.
    pub shape: Shape,
    /// Coulomb friction coefficient; the material's own (tangent of its angle) when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f32>,
    /// Motion over time; at rest when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
}

/// A place where grains enter at a rate, at random and never into each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmitterSettings {
    /// Name that results refer to.
    pub name: String,
    /// Name of the material.
    pub material: String,
    /// Where the centres of new grains lie: a bounded shape; a flat cylinder is a disc.
    pub shape: Shape,
    /// Velocity of new grains [m/s].
    #[serde(default)]
    pub velocity: [f32; 3],
    /// Rate [grains/s].
    pub rate: f64,
    /// Time window [s]; always when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<[f64; 2]>,
    /// Most grains in all; no limit when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// A region that removes and counts the grains whose centres are inside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutletSettings {
    /// Name that results refer to.
    pub name: String,
    /// The region; a plane takes all that is behind it.
    pub shape: Shape,
    /// Time window [s]; always when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<[f64; 2]>,
}

/// A region whose grains are counted at every frame and otherwise left alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CounterSettings {
    /// Name that results refer to.
    pub name: String,
    /// The region; a plane counts all that is behind it.
    pub shape: Shape,
}

/// Surrounding air: drag and wind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AirSettings {
    /// Density of the air [kg/m3].
    pub density: f32,
    /// Dynamic viscosity of the air [Pa s], for the Reynolds number.
    pub viscosity: f32,
    /// How the drag coefficient is found.
    pub drag: DragLaw,
    /// Whether upwind neighbours shield a grain.
    pub occlusion: bool,
    /// Diameter of the real grains that a particle stands for [m]; the particle's own when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grain_diameter: Option<f32>,
    /// Wind fields; their velocities add up.
    pub wind: Vec<WindField>,
}

impl Default for AirSettings {
    fn default() -> Self {
        Self {
            density: 1.2,
            viscosity: 1.8e-5,
            drag: DragLaw::Reynolds,
            occlusion: true,
            grain_diameter: None,
            wind: Vec::new(),
        }
    }
}

/// How the drag coefficient is found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DragLaw {
    /// A constant coefficient.
    Constant(f32),
    /// 24/Re (1 + Re^(2/3)/6) up to Re = 1000, 0.424 above.
    Reynolds,
}

/// A wind field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum WindField {
    /// The same everywhere.
    Uniform {
        /// Velocity [m/s].
        velocity: [f32; 3],
    },
    /// A Rankine vortex around an axis.
    Vortex {
        /// A point on the axis [m].
        center: [f32; 3],
        /// Direction of the axis.
        axis: [f32; 3],
        /// Radius of the rigidly turning core [m].
        core_radius: f32,
        /// Speed at the core's edge [m/s].
        speed: f32,
    },
    /// Wind in a ball during a time window, fading towards its edge.
    Gust {
        /// Centre [m].
        center: [f32; 3],
        /// Radius [m].
        radius: f32,
        /// Velocity in the centre [m/s].
        velocity: [f32; 3],
        /// Time window [s].
        time: [f64; 2],
    },
    /// Velocities on a regular grid, interpolated linearly, still outside.
    Grid {
        /// Position of the first node [m].
        origin: [f32; 3],
        /// Distance of nodes [m].
        spacing: [f32; 3],
        /// Number of nodes.
        size: [u32; 3],
        /// Velocities [m/s], x fastest.
        velocity: Vec<[f32; 3]>,
    },
}

/// Where pictures are taken from: `position` and `target` of a camera that rests, or `keys` of one that moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CameraSettings {
    /// The eye [m]; not with `keys`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<[f32; 3]>,
    /// The point in the middle of the picture [m]; not with `keys`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<[f32; 3]>,
    /// Angle between the lower and the upper edge of the picture [degrees].
    #[serde(default = "default_fov")]
    pub fov: f32,
    /// Places that the camera moves through smoothly, at least two; before and after them it rests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<CameraKey>,
}

/// Where a moving camera is at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CameraKey {
    /// Simulated time [s], later than that of the key before.
    pub time: f64,
    /// The eye [m].
    pub eye: [f32; 3],
    /// The point in the middle of the picture [m].
    pub target: [f32; 3],
    /// Angle between the lower and the upper edge of the picture [degrees]; the camera's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fov: Option<f32>,
}

fn default_fov() -> f32 {
    35.0
}

/// What a run writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputSettings {
    /// Files to write for every frame.
    pub formats: Vec<ExportFormat>,
    /// Particle fields in every frame, beside id and position.
    pub fields: Vec<String>,
    /// Ids of particles whose paths go to tracks.csv; with any, `csv` need not stand in `formats`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub track: Vec<u32>,
    /// The axis that points up in the files; the simulation itself has y up.
    pub up: UpAxis,
}

impl Default for OutputSettings {
    fn default() -> Self {
        Self {
            formats: vec![ExportFormat::Ply],
            fields: ["velocity", "density", "pressure"].map(String::from).to_vec(),
            track: Vec::new(),
            up: UpAxis::Y,
        }
    }
}

impl OutputSettings {
    /// Whether a format is asked for.
    pub fn has(&self, format: ExportFormat) -> bool {
        self.formats.contains(&format)
    }

    /// Whether the paths of particles are asked for.
    pub fn tracks(&self) -> bool {
        !self.track.is_empty()
    }
}

/// Files that a run can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// Binary PLY, one file per frame.
    Ply,
    /// VTK PolyData (.vtp), one file per frame, with a time series (.pvd).
    Vtk,
    /// NumPy arrays, one file per field and frame.
    Npy,
    /// The paths of the particles in `track`, one table.
    Csv,
}

/// The axis that points up in files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UpAxis {
    /// As simulated.
    #[default]
    Y,
    /// (x, y, z) becomes (x, -z, y).
    Z,
}

/// A quantity that must lie in a range at the end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectSettings {
    /// What is measured.
    pub quantity: Quantity,
    /// Name of the emitter, outlet, counter or body that is meant, where the quantity belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Allowed range.
    pub range: [f64; 2],
    /// Where the range comes from.
    #[serde(default)]
    pub source: String,
}

/// Quantities that `[[expect]]` can check at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Highest particle centre [m].
    Height,
    /// Mean distance of the deposit's edge from its axis [m].
    FrontRadius,
    /// Largest x of any particle [m].
    MaxX,
    /// Mean speed [m/s].
    MeanSpeed,
    /// Fastest particle [m/s].
    MaxSpeed,
    /// Mean density relative to the rest density.
    MeanDensity,
    /// Particles removed because their state was not finite.
    LostParticles,
    /// Slope between 20 and 80 % of the height [degrees].
    SlopeAngle,
    /// Mean x of all particles [m].
    MeanX,
    /// Particles at the end.
    Particles,
    /// Grains that the emitter `of` has added; of all emitters and commands when absent.
    Emitted,
    /// Grains that the emitter `of` gave up for want of room; of all emitters when absent.
    Blocked,
    /// Grains that the outlet `of` has taken; of all outlets when absent.
    Drained,
    /// Grains inside the counter `of`.
    Counted,
    /// Rate of the middle 60 % of what passed the outlet or counter `of` [grains/s].
    FlowRate,
    /// R2 of a line through the middle 60 % of what passed the outlet or counter `of` over time.
    FlowLinearity,
    /// Grains that initial + emitted - drained - lost does not explain.
    Unaccounted,
    /// Inclination of a line through the free surface seen along z, over the middle 60 % of its length [degrees].
    SurfaceAngle,
    /// Height of the centre of the body `of` [m].
    BodyHeight,
    /// Distance of the centre of the body `of` from where it started [m].
    BodyShift,
    /// Angle by which the body `of` has turned [degrees].
    BodyTurn,
    /// Speed of the centre of the body `of` [m/s].
    BodySpeed,
}
