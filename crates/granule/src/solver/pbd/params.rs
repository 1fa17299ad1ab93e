//! Constants of a simulation, derived once from the scene.

use glam::Vec3;

use crate::grains::GrainShapes;
use crate::material::Material;
use crate::neighbors::Domain;
use crate::position::ExactDomain;
use crate::scene::{PbdScheme, Scene, YieldLaw};
use crate::simd::Instructions;
use crate::solver::Defect;
use crate::solver::dem::params;
use crate::solver::search::{Cutoff, SearchParams};

use super::laws::LawTable;

/// Longest step that keeps heaps and beds, over sqrt(d/g).
const STEP: f64 = 0.037;

/// Gravity that stands for none [m/s2].
const PLAIN_GRAVITY: f32 = 9.81;

/// How much farther than they touch grains are listed, in diameters of the smallest: at least, and at most where they are fast.
const SKIN: [f32; 2] = [0.25, 1.0];

/// Speed of the push over sqrt(g d).
const PUSH_SPEED: f32 = 1.1;

/// Impacts bounce that are faster than what gravity adds in so many steps.
const BOUNCE_STEPS: f32 = 4.0;

/// Constants that do not change within a frame.
pub struct Setup {
    /// Laws of contacts.
    pub laws: LawTable,
    /// Length of a step at most \[s\].
    pub step: f64,
    /// How often a step goes through all contacts.
    pub sweeps: u32,
    /// Whether grains turn.
    pub rotation: bool,
    /// How the other scheme averages, where that is asked for.
    pub averaging: Option<Averaging>,
    /// Diameter of the smallest grain that moves \[m\].
    pub diameter: f32,
    /// Gravity that speeds are compared with [m/s2].
    pub gravity: f32,
    /// Materials as all solvers know them.
    pub materials: Vec<Material>,
    /// Space.
    pub domain: Domain,
    /// Space for exact positions.
    pub exact_domain: ExactDomain,
    /// What grains of several spheres are like; here, none.
    pub shapes: GrainShapes,
    /// Instructions of the CPU to use.
    pub instructions: Instructions,
    /// A deliberate fault.
    pub defect: Option<Defect>,
}

impl Setup {
    /// What a checked scene says.
    pub fn new(
        scene: &Scene,
        shapes: &GrainShapes,
        defect: Option<Defect>,
        instructions: Instructions,
    ) -> Self {
        let axes = scene.simulation.periodic.axes();
        let averaging = (scene.pbd.scheme == PbdScheme::Averaged).then(|| Averaging::of(scene));
        let needed =
            || averaging.map_or_else(|| needed_substeps(scene, shapes), |_| averaged_substeps(scene));
        let substeps = scene.pbd.substeps.unwrap_or_else(needed);
        let bounds = [scene.simulation.time_step, scene.simulation.max_time_step];
        let step = 1.0 / (scene.simulation.fps * f64::from(substeps));
        Self {
            laws: LawTable::new(scene),
            step: bounds.into_iter().flatten().fold(step, f64::min),
            sweeps: scene.pbd.sweeps,
            rotation: scene.pbd.rotation && averaging.is_none(),
            averaging,
            diameter: 2.0 * radii(scene, shapes).0 as f32,
            gravity: gravity(scene),
            materials: scene.material.iter().map(|m| Material::new(m, YieldLaw::Tan)).collect(),
            domain: Domain::new(axes),
            exact_domain: ExactDomain::new(axes).unwrap_or_default(),
            shapes: shapes.clone(),
            instructions,
            defect,
        }
    }

    /// How much farther than they touch grains are listed \[m\], where the fastest moves by `way` in a step \[m\]: lists hold for
    /// the steps that gravity makes at least, and always for one.
    pub fn skin(&self, way: f32) -> f32 {
        (2.2 * way).clamp(SKIN[0] * self.diameter, SKIN[1] * self.diameter)
    }

    /// How neighbours are searched with a skin \[m\].
    pub fn search_params(&self, skin: f32) -> SearchParams {
        SearchParams {
            domain: self.domain,
            cutoff: Cutoff::Radii,
            skin,
            instructions: self.instructions,
            all_rows: self.defect != Some(Defect::MissingNeighborRow),
        }
    }

    /// Fastest push of a pair with a diameter \[m\], per root of it.
    pub fn push_speed(&self) -> f32 {
        PUSH_SPEED * self.gravity.sqrt()
    }

    /// Slowest impact that bounces with steps of `dt` \[s\], as a velocity [m/s].
    pub fn bounce_speed(&self, gravity: Vec3, dt: f32) -> f32 {
        BOUNCE_STEPS * gravity.length() * dt
    }

    /// How far from a grain of radius `radius` \[m\] walls are listed \[m\], with a skin \[m\]: as far as both may move before lists are
    /// made anew, and what rounding may hide.
    pub fn wall_reach(&self, x: Vec3, radius: f32, skin: f32) -> f32 {
        radius + skin + 1e-6 * (x.abs().max_element() + radius)
    }
}

/// How corrections are averaged; the keys of a scene.
#[derive(Clone, Copy, Debug)]
pub struct Averaging {
    /// Passes that remove the overlap of a step's beginning.
    pub stabilization: u32,
    /// What means are multiplied with.
    pub over_relaxation: f32,
    /// Kinetic friction over static friction.
    pub kinetic_share: f32,
    /// How fast masses shrink with height, per diameter.
    pub mass_scaling: f32,
}

impl Averaging {
    fn of(scene: &Scene) -> Self {
        let s = &scene.pbd.averaged;
        Self {
            stabilization: s.stabilization,
            over_relaxation: s.over_relaxation as f32,
            kinetic_share: s.kinetic_share as f32,
            mass_scaling: s.mass_scaling as f32,
        }
    }
}

/// Steps per frame of the averaged scheme, of at most 5 ms.
fn averaged_substeps(scene: &Scene) -> u32 {
    const STEP: f64 = 0.005;
    (1.0 / (scene.simulation.fps * STEP) - 1e-6).ceil().max(1.0) as u32
}

/// Modulus of gravity, or what stands for none [m/s2].
fn gravity(scene: &Scene) -> f32 {
    let gravity = Vec3::from(scene.simulation.gravity).length();
    if gravity > 0.0 { gravity } else { PLAIN_GRAVITY }
}

/// Smallest and largest radius of grains and of particles of bodies that move \[m\].
pub fn radii(scene: &Scene, shapes: &GrainShapes) -> (f64, f64) {
    let of_bodies = scene.body.iter().filter_map(|body| scene.particle_radius_of(body)).map(f64::from);
    of_bodies
        .fold(params::radii(scene, shapes), |(least, most), radius| (least.min(radius), most.max(radius)))
}

/// Steps per frame that the smallest grain needs:
///
/// ```text
/// n = ceil(dt_frame/(0.037 sqrt(d/g)))
/// ```
pub fn needed_substeps(scene: &Scene, shapes: &GrainShapes) -> u32 {
    let diameter = 2.0 * radii(scene, shapes).0;
    let longest = STEP * (diameter / f64::from(gravity(scene))).sqrt();
    // A scene that asks for exactly as many is not to get one more by rounding.
    (1.0 / (scene.simulation.fps * longest) - 1e-6).ceil().max(1.0) as u32
}
