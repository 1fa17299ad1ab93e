//! The types of a scene file: TOML, SI units, degrees for angles, words for choices.
//!
//! Every default is here; `scene/validate.rs` checks ranges and cross references.

mod air;
mod bodies;
mod dem;
mod expect;
mod fluids;
mod grain_shape;
mod output;
mod pbd;
mod radius;
mod strain;
mod upsample;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::boundary::{Motion, Resolution, Shape};
use crate::sph::{Kernel, KernelKind};

pub use air::*;
pub use bodies::*;
pub use dem::*;
pub use expect::*;
pub use fluids::*;
pub use grain_shape::*;
pub use output::*;
pub use pbd::*;
pub use radius::*;
pub use strain::*;
pub use upsample::*;

/// A whole scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Settings of the solver with distinct elements.
    #[serde(default)]
    pub dem: DemSettings,
    /// Settings of the position-based solver.
    #[serde(default)]
    pub pbd: PbdSettings,
    /// Materials by name; at least one.
    #[serde(default)]
    pub material: Vec<MaterialSettings>,
    /// Pairs of materials whose contacts are not the mean of both (`dem`, `pbd`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pair: Vec<PairSettings>,
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
    /// Overrides for the form with grains, which a scene for a continuum takes with a solver that has grains (`--solver dem` or `pbd`), as
    /// scene paths; in `[as_grains.quick]` those of its quick form.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, serde_json::Value>"))]
    pub as_grains: BTreeMap<String, toml::Value>,
    /// Overrides for a coarser, shorter form (`--quick`), as scene paths.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, serde_json::Value>"))]
    pub quick: BTreeMap<String, toml::Value>,
}

impl Scene {
    /// The radius that lengths of the scene scale with \[m\]: that of the first material, the only one for solvers that
    /// need one radius per scene.
    pub fn reference_radius(&self) -> f32 {
        self.material.first().map_or(MaterialSettings::default().radius, |material| material.radius)
    }

    /// The radius that all grains have \[m\]; none where they may differ.
    pub fn one_radius(&self) -> Option<f32> {
        let first = self.reference_radius();
        let of_materials = self.material.iter().all(|material| material.radius == first);
        let given = self.grains.iter().filter_map(|grains| grains.radius.as_ref());
        let mut given = given.chain(self.emitter.iter().filter_map(|emitter| emitter.radius.as_ref()));
        (of_materials && given.all(|radius| radius.one() == Some(first))).then_some(first)
    }

    /// Radii of grains of a material with a key `radius` of their own, if they have it.
    pub fn radius_of(&self, material: &str, own: Option<&RadiusSettings>) -> RadiusSettings {
        let of_material = || self.material.iter().find(|known| known.name == material);
        own.cloned().unwrap_or_else(|| {
            RadiusSettings::One(of_material().map_or(self.reference_radius(), |material| material.radius))
        })
    }

    /// Radius of the particles that a body is made of \[m\]; none for one that is not.
    pub fn particle_radius_of(&self, body: &BodySettings) -> Option<f32> {
        let made = body.coupling == BodyCoupling::Particles;
        made.then(|| body.particle_radius.unwrap_or(self.reference_radius()))
    }

    /// What meshes are resolved for: the first material's grains. None where there is no material.
    pub fn resolution(&self) -> Option<Resolution> {
        let spacing = 2.0 * self.material.first()?.radius;
        let kernel = Kernel::new(self.simulation.kernel, self.simulation.support * spacing);
        Some(Resolution { kernel, spacing })
    }

    /// The shapes of single grains.
    pub fn grain_shapes_mut(&mut self) -> impl Iterator<Item = &mut GrainShape> {
        let grains = self.grains.iter_mut().map(|grains| &mut grains.grain);
        grains.chain(self.emitter.iter_mut().map(|emitter| &mut emitter.grain))
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SolverKind {
    /// Granular implicit incompressible SPH.
    #[default]
    Iisph,
    /// Weakly compressible SPH: fluids with an equation of state, viscosity and surface tension.
    Wcsph,
    /// Distinct elements: every grain a rigid sphere with its own contacts, after LAMMPS.
    Dem,
    /// Position-based: rigid spheres with few steps per frame, for interactive worlds.
    Pbd,
}

/// Solver, device, time and space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Fixed time step \[s\]; adaptive when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_step: Option<f64>,
    /// Largest adaptive time step \[s\]; 0.045 sqrt(d/g) with `iisph` and none with `wcsph` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time_step: Option<f64>,
    /// Courant number: largest distance per step in particle diameters; with `wcsph` also that of sound.
    pub cfl: f64,
    /// Seed of everything random.
    pub seed: u64,
    /// Simulated time between two visits of emitters and outlets \[s\]; every step when absent, 0.001 s with `dem`, 0.01 s with `pbd`. They act
    /// at every frame, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow_interval: Option<f64>,
    /// Simulated time between two visits of the engine of rigid bodies, which finds contacts among them and joints \[s\], with
    /// `dem`, which moves bodies under the forces of grains by itself; 0.001 s when absent. Other solvers visit it at every step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_interval: Option<f64>,
    /// Periodic axes.
    #[serde(skip_serializing_if = "Periodic::is_none")]
    pub periodic: Periodic,
    /// How periodic axes strain, with `dem`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strain: Option<StrainSettings>,
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
            flow_interval: None,
            body_interval: None,
            periodic: Periodic::default(),
            strain: None,
        }
    }
}

/// Axes along which space repeats; each as [from, to] in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Periodic {
    /// Range along x \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<[f32; 2]>,
    /// Range along y \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<[f32; 2]>,
    /// Range along z \[m\].
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FrictionMode {
    /// Together with pressure, iterated and warm-started.
    #[default]
    Coupled,
    /// Neder's single clamp, for comparison: piles creep and melt.
    Explicit,
}

/// Which line the friction angle means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum YieldLaw {
    /// sqrt(2) tan(theta) p: a slope of exactly theta is the limit.
    #[default]
    Tan,
    /// sqrt(2) sin(theta) p as printed by Neder: the limiting slope is atan(sin(theta)).
    Neder,
}

/// Settings of the granular IISPH solver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct IisphSettings {
    /// How friction is solved.
    pub friction: FrictionMode,
    /// Which line the friction angle means.
    #[serde(rename = "yield")]
    pub yield_law: YieldLaw,
    /// Fewest iterations per step; chosen from the height of the heap when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_iterations: Option<u32>,
    /// Most iterations per step.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct MaterialSettings {
    /// Name that grains and emitters refer to.
    pub name: String,
    /// Radius of a particle \[m\]; the spacing is twice as much.
    pub radius: f32,
    /// Bulk rest density [kg/m3]; that of the solid grains with `dem` and `pbd`.
    pub density: f32,
    /// Angle of internal friction \[degrees\]; 0 is a fluid.
    pub friction_angle: f32,
    /// Friction angle that fast flow approaches \[degrees\] (mu(I) law); friction does not depend on the rate when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast_friction_angle: Option<f32>,
    /// Diameter of the real grains for the mu(I) law \[m\]; the particle's own when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grain_diameter: Option<f32>,
    /// Cohesion: shear strength without load \[Pa\].
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
    /// What it is like in contacts of distinct elements (`dem`).
    #[serde(skip_serializing_if = "DemMaterialSettings::is_default")]
    pub dem: DemMaterialSettings,
    /// What it is like in contacts of position-based grains (`pbd`).
    #[serde(skip_serializing_if = "PbdMaterialSettings::is_default")]
    pub pbd: PbdMaterialSettings,
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
            dem: DemMaterialSettings::default(),
            pbd: PbdMaterialSettings::default(),
            albedo: [0.76, 0.60, 0.36],
        }
    }
}

/// How a volume is filled with particles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// At random, pushed apart, with the mass that bulk matter on a lattice has, where grains have 0.6 of the volume (solvers
    /// with grains): 1.146 grains of one radius per place of the lattice, as far as they fit.
    Packed,
    /// As `packed`, then drawn together until neighbours touch: pores grow where gaps close, as in moist sand that was built
    /// with.
    Touching,
}

/// Initial grains that fill a shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GrainsSettings {
    /// Name of the material.
    pub material: String,
    /// The volume to fill; whole grains lie inside.
    pub shape: Shape,
    /// How it is filled.
    #[serde(default)]
    pub fill: Fill,
    /// What a grain is: a sphere, or several spheres as one rigid grain (solvers with grains), turned at random; these take
    /// `random` and `lattice` fills.
    #[serde(default, skip_serializing_if = "GrainShape::is_sphere")]
    pub grain: GrainShape,
    /// Initial velocity [m/s].
    #[serde(default)]
    pub velocity: [f32; 3],
    /// Radii, of grains of several spheres that of the sphere of the same volume; the material's when absent. `random` and
    /// `relaxed` fills take any, `lattice` and `jittered` one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<RadiusSettings>,
    /// Whether the grains are held where they are (solvers with grains).
    #[serde(default, skip_serializing_if = "is_false")]
    pub fixed: bool,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// A wall, container or tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BoundarySettings {
    /// Name that commands refer to.
    pub name: String,
    /// The solid; grains stay outside it.
    pub shape: Shape,
    /// Coulomb friction coefficient; the material's own (tangent of its angle) when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f32>,
    /// Coefficient of rolling friction of grains on it (`dem`, `pbd`); the material's own when absent. Grains slide on a wall that
    /// has as much of it as of friction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling_friction: Option<f32>,
    /// Motion over time; at rest when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Name of the material that it is made of (`dem`, `pbd`); that of the grain which touches it when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Diameter of fixed spheres that cover the wall \[m\], about one per squared diameter, out of order and half in the
    /// wall (solvers with grains); smooth when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rough: Option<f32>,
    /// Where it is rough; all of its surface when absent, which planes must not leave out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rough_region: Option<RegionSettings>,
}

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RegionSettings {
    /// Smallest corner \[m\].
    pub min: [f32; 3],
    /// Largest corner \[m\].
    pub max: [f32; 3],
}

/// A place where grains enter at a rate, at random and never into each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EmitterSettings {
    /// Name that results refer to.
    pub name: String,
    /// Name of the material.
    pub material: String,
    /// Where the centres of new grains lie: a bounded shape; a flat cylinder is a disc.
    pub shape: Shape,
    /// What a grain is: a sphere, or several spheres as one rigid grain (solvers with grains), turned at random.
    #[serde(default, skip_serializing_if = "GrainShape::is_sphere")]
    pub grain: GrainShape,
    /// Velocity of new grains [m/s].
    #[serde(default)]
    pub velocity: [f32; 3],
    /// Radii, of grains of several spheres that of the sphere of the same volume; the material's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<RadiusSettings>,
    /// Rate [grains/s].
    pub rate: f64,
    /// Time window \[s\]; always when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<[f64; 2]>,
    /// Most grains in all; no limit when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// A region that removes and counts the grains whose centres are inside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OutletSettings {
    /// Name that results refer to.
    pub name: String,
    /// The region; a plane takes all that is behind it.
    pub shape: Shape,
    /// Time window \[s\]; always when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<[f64; 2]>,
}

/// A region whose grains are counted at every frame and otherwise left alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CounterSettings {
    /// Name that results refer to.
    pub name: String,
    /// The region; a plane counts all that is behind it.
    pub shape: Shape,
}
