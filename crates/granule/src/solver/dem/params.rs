//! Constants of a simulation with distinct elements, derived once from the scene.

use std::sync::Arc;

use glam::Vec3;

use super::contact::duration::{
    hertz_contact_time, hertz_stiffness, rayleigh_time, rolling_step, twisting_step,
};
use super::laws::{LawTable, elasticity, pair_law};
use crate::clumps::ClumpShape;
use crate::grains::GrainShapes;
use crate::material::{Material, grain_mass};
use crate::neighbors::Domain;
use crate::position::ExactDomain;
use crate::scene::{NormalLaw, RadiusSettings, Scene, YieldLaw};
use crate::simd::Instructions;
use crate::solver::Defect;
use crate::solver::fall::fall_height;
use crate::solver::search::{Cutoff, SearchParams};

/// Time between two visits of bodies to each other \[s\]. A choice: a body falls by 5 micrometres in it.
const BODY_INTERVAL: f64 = 1e-3;

/// Constants that do not change within a frame.
pub struct Setup {
    /// Laws of contacts.
    pub laws: LawTable,
    /// Length of a step at most \[s\].
    pub step: f64,
    /// Time between two visits of bodies to each other \[s\].
    pub body_interval: f64,
    /// How far a grain may move before lists are made anew, doubled \[m\].
    pub skin: f32,
    /// Materials as all solvers know them.
    pub materials: Vec<Material>,
    /// Space.
    pub domain: Domain,
    /// Space for exact positions.
    pub exact_domain: ExactDomain,
    /// Whether liquid bridges span gaps at the start.
    pub bridges_at_start: bool,
    /// What grains of several spheres are like.
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
        Self {
            laws: LawTable::new(scene, shapes, defect),
            step: scene.simulation.time_step.unwrap_or_else(|| StepBounds::new(scene, shapes).longest()),
            body_interval: scene.simulation.body_interval.unwrap_or(BODY_INTERVAL),
            skin: scene.dem.skin * radii(scene, shapes).0 as f32,
            bridges_at_start: scene.dem.bridges_at_start,
            shapes: shapes.clone(),
            materials: scene.material.iter().map(|m| Material::new(m, YieldLaw::Tan)).collect(),
            domain: Domain::new(axes),
            exact_domain: ExactDomain::new(axes).unwrap_or_default(),
            instructions,
            defect,
        }
    }

    /// How neighbours are searched.
    pub fn search_params(&self) -> SearchParams {
        SearchParams {
            domain: self.domain,
            cutoff: Cutoff::Radii,
            skin: self.skin + self.laws.reach,
            instructions: self.instructions,
            all_rows: self.defect != Some(Defect::MissingNeighborRow),
        }
    }

    /// How far from a grain of radius `radius` \[m\] walls are listed \[m\]: as far as both may move before lists are made
    /// anew, and what rounding may hide.
    pub fn wall_reach(&self, x: Vec3, radius: f32) -> f32 {
        radius + self.skin + self.laws.reach + 1e-6 * (x.abs().max_element() + radius)
    }
}

/// Smallest and largest radii of spheres of a material that move \[m\], by the keys of the scene.
fn radii_of(scene: &Scene, shapes: &GrainShapes, material: &str) -> Vec<(f32, f32)> {
    let of_clump = |clump: Option<&Option<Arc<ClumpShape>>>| match clump {
        Some(Some(clump)) => clump.limits(),
        _ => (1.0, 1.0),
    };
    let grains = scene.grains.iter().enumerate().filter(|(_, g)| g.material == material && !g.fixed);
    let grains = grains.map(|(k, g)| (g.radius.as_ref(), of_clump(shapes.grains.get(k))));
    let emitters = scene.emitter.iter().enumerate().filter(|(_, e)| e.material == material);
    let emitters = emitters.map(|(k, e)| (e.radius.as_ref(), of_clump(shapes.emitters.get(k))));
    let limits = |(own, share): (Option<&RadiusSettings>, (f32, f32))| {
        let (least, most) = scene.radius_of(material, own).limits();
        (least * share.0, most * share.1)
    };
    grains.chain(emitters).map(limits).collect()
}

/// Smallest and largest radius of spheres that move \[m\]; those of materials where the scene has no grains yet.
pub fn radii(scene: &Scene, shapes: &GrainShapes) -> (f64, f64) {
    let mut all: Vec<(f32, f32)> = Vec::new();
    for material in &scene.material {
        all.extend(radii_of(scene, shapes, &material.name));
    }
    if all.is_empty() {
        all.extend(scene.material.iter().map(|material| (material.radius, material.radius)));
    }
    let least = all.iter().map(|limits| limits.0).fold(f32::INFINITY, f32::min);
    let most = all.iter().map(|limits| limits.1).fold(0.0, f32::max);
    (f64::from(least), f64::from(most))
}

/// What bounds the length of a step \[s\].
#[derive(Clone, Copy, Debug)]
pub struct StepBounds {
    /// Share of the Rayleigh time of the smallest grain of each material.
    pub rayleigh: f64,
    /// Share of the duration of a collision at the fastest speed that is to be expected.
    pub collision: f64,
    /// Springs against rolling and twisting.
    pub resistance: f64,
    /// The scene's own largest step.
    pub given: f64,
}

impl StepBounds {
    /// The bounds of a checked scene.
    ///
    /// ```text
    /// dt <= 0.15 t_R,   dt <= 0.04 t_c(v),   dt <= 0.2 sqrt(0.4 m/k_r),   dt <= 0.2 R sqrt(0.4 m/k_w)
    /// ```
    /// t_R is the time of a Rayleigh wave around the smallest grain, t_c the duration of a collision of two equal grains
    /// or of a grain and a wall at the speed v: the fastest given velocity or that of the longest fall. With 0.04 of its
    /// duration a collision with a restitution of 0.7 leaves 0.7046 (LAMMPS).
    pub fn new(scene: &Scene, shapes: &GrainShapes) -> Self {
        let speed = expected_speed(scene);
        let mut bounds = Self {
            rayleigh: f64::INFINITY,
            collision: f64::INFINITY,
            resistance: f64::INFINITY,
            given: scene.simulation.max_time_step.unwrap_or(f64::INFINITY),
        };
        for (m, material) in scene.material.iter().enumerate() {
            let moving = radii_of(scene, shapes, &material.name);
            let unused = scene.grains.is_empty() && scene.emitter.is_empty();
            let least = moving.iter().map(|limits| limits.0).fold(f32::INFINITY, f32::min);
            let least = if unused { material.radius } else { least };
            if !least.is_finite() {
                continue;
            }
            let (radius, density) = (f64::from(least), f64::from(material.density));
            let mass = f64::from(grain_mass(material.density, least));
            let rayleigh = rayleigh_time(elasticity(material), radius, density);
            bounds.rayleigh = bounds.rayleigh.min(scene.dem.rayleigh_share * rayleigh);
            for other in 0..scene.material.len() {
                let law = pair_law(scene, m, other);
                for (reduced, effective) in [(0.5 * mass, 0.5 * radius), (mass, radius)] {
                    let time = if scene.dem.normal == NormalLaw::Hooke {
                        std::f64::consts::PI * (reduced / law.normal.stiffness).sqrt()
                    } else {
                        hertz_contact_time(reduced, hertz_stiffness(law.normal.stiffness, effective), speed)
                    };
                    bounds.collision = bounds.collision.min(scene.dem.collision_share * time);
                }
                let rolling = law.rolling.map_or(f64::INFINITY, |law| rolling_step(mass, law.stiffness));
                let twisting =
                    law.twisting.map_or(f64::INFINITY, |law| twisting_step(mass, radius, law.stiffness));
                bounds.resistance = bounds.resistance.min(rolling).min(twisting);
            }
        }
        if scene.dem.normal == NormalLaw::Hooke {
            bounds.rayleigh = f64::INFINITY;
        }
        bounds
    }

    /// The longest step that all bounds allow \[s\].
    pub fn longest(&self) -> f64 {
        self.stable().min(self.given)
    }

    /// The longest step that is stable \[s\].
    pub fn stable(&self) -> f64 {
        self.rayleigh.min(self.collision).min(self.resistance)
    }
}

/// The fastest speed that a scene lets expect [m/s]: given velocities, the longest fall, and walls that move.
fn expected_speed(scene: &Scene) -> f64 {
    let velocities = scene.grains.iter().map(|grains| grains.velocity);
    let velocities = velocities.chain(scene.emitter.iter().map(|emitter| emitter.velocity));
    let given = velocities.map(|v| Vec3::from(v).length()).fold(0.0, f32::max);
    let gravity = Vec3::from(scene.simulation.gravity);
    let fall = 2.0 * gravity.length() * fall_height(scene, gravity.normalize_or_zero());
    f64::from(given).hypot(f64::from(fall).sqrt())
}
