//! What a scene contains: walls, shapes, grains and bodies.

use glam::Vec3;

use crate::assemblies::NO_ASSEMBLY;
use crate::bodies::Bodies;
use crate::boundary::{Boundaries, Sdf};
use crate::clumps::{ClumpShape, PlacedAssembly};
use crate::grains::{GrainShapes, cover_with_spheres, fill, fill_with_clumps};
use crate::material::particle_mass;
use crate::neighbors::Domain;
use crate::particles::{NewClump, NewParticle};
use crate::preflight::{
    Refusal, available_memory, check_fine_memory, check_memory, check_overlaps, check_rough,
};
use crate::random::Random;
use crate::scene::{GrainsSettings, Problem, ProblemKind, Scene, SceneError, SolverCapabilities};

/// The rigid bodies of a scene.
pub(super) fn bodies(scene: &Scene, boundaries: &mut Boundaries) -> Result<Bodies, SceneError> {
    Bodies::new(scene, boundaries).map_err(|e| problem(&e.path(), e.to_string()))
}

/// The walls of a scene, and its bodies as walls.
pub(crate) fn boundaries(scene: &Scene) -> Result<Boundaries, SceneError> {
    let walls =
        scene.boundary.iter().map(|b| (b.name.clone(), b.shape.clone(), b.friction, b.motion.clone()));
    let bodies = scene.body.iter().map(|b| (b.name.clone(), b.shape.clone(), b.friction, b.motion.clone()));
    let resolution = scene.resolution();
    Boundaries::resolved(walls.chain(bodies), resolution.as_ref()).map_err(|e| {
        let of_body = scene.body.iter().any(|body| body.name == e.name());
        let section = if of_body { "body" } else { "boundary" };
        problem(&format!("{section}.{}.shape", e.name()), e.to_string())
    })
}

/// The shapes that initial grains fill.
pub(crate) fn shapes(scene: &Scene) -> Result<Vec<Sdf>, SceneError> {
    let resolution = scene.resolution();
    let shape = |(k, grains): (usize, &GrainsSettings)| {
        Sdf::resolved(&grains.shape, resolution.as_ref())
            .map_err(|e| problem(&format!("grains.{k}.shape"), e.to_string()))
    };
    scene.grains.iter().enumerate().map(shape).collect()
}

/// What a scene starts with.
#[derive(Debug, Default)]
pub(crate) struct InitialGrains {
    /// All spheres: grains, those of grains of several spheres, and those of rough walls.
    pub particles: Vec<NewParticle>,
    /// The rigid grains of several spheres among them.
    pub assemblies: Vec<PlacedAssembly>,
}

/// The shapes of the grains of a scene that are several spheres.
pub(crate) fn grain_shapes(scene: &Scene) -> Result<GrainShapes, SceneError> {
    GrainShapes::new(scene).map_err(|error| problem(&error.path, error.reason))
}

/// The initial grains as a solver takes them, and the spheres of rough walls; refused before they are made if they do not
/// fit, and after if they overlap.
pub(crate) fn grains(
    scene: &Scene,
    can: SolverCapabilities,
    shapes: &[Sdf],
    grain_shapes: &GrainShapes,
    boundaries: &Boundaries,
) -> Result<InitialGrains, SceneError> {
    let wrong = |k: usize, reason: String| problem(&format!("grains.{k}.shape"), reason);
    let refused = |refusal: Refusal| wrong(refusal.entry, refusal.reason);
    let clump_of = |k: usize| grain_shapes.grains.get(k).and_then(Option::as_ref);
    let spheres_of = |k: usize| clump_of(k).map_or(1, |clump| clump.len());
    check_memory(scene, shapes, spheres_of, available_memory()).map_err(refused)?;
    check_fine_memory(scene, shapes, available_memory())
        .map_err(|error| problem("upsample.radius", error.to_string()))?;
    let mut random = Random::new(scene.simulation.seed);
    let mut all = InitialGrains::default();
    let mut ends = Vec::with_capacity(shapes.len());
    for (k, (grains, shape)) in scene.grains.iter().zip(shapes).enumerate() {
        let index = scene.material.iter().position(|m| m.name == grains.material);
        let index = index.ok_or_else(|| wrong(k, format!("unknown material `{}`", grains.material)))?;
        let radius = scene.radius_of(&grains.material, grains.radius.as_ref());
        let density = scene.material[index].density;
        let mass_of = |radius: f32| particle_mass(can, density, radius);
        match clump_of(k) {
            None => {
                let filled = fill(grains, shape, &radius, index as u16, mass_of, &mut random);
                all.particles.extend(filled.map_err(|e| wrong(k, e.to_string()))?);
            }
            Some(clump) => {
                let poses = fill_with_clumps(grains.fill, shape, clump, &radius, &mut random);
                for pose in poses.map_err(|e| wrong(k, e.to_string()))? {
                    let whole = NewParticle {
                        position: pose.center,
                        velocity: Vec3::from(grains.velocity),
                        radius: pose.radius,
                        mass: mass_of(pose.radius),
                        material: index as u16,
                        fixed: grains.fixed,
                    };
                    let clump = NewClump { shape: clump.clone(), orientation: pose.orientation };
                    all.push_clump(&clump, &whole, density);
                }
            }
        }
        ends.push(all.particles.len());
    }
    let entry_of = |grain: usize| ends.partition_point(|&end| end <= grain);
    let domain = Domain::new(scene.simulation.periodic.axes());
    check_overlaps(&all.particles, &all.clump_of(), entry_of, boundaries, &domain).map_err(refused)?;
    let rough = rough_walls(scene, can, boundaries, &mut random)?;
    check_rough(&all.particles, entry_of, &rough, &domain).map_err(refused)?;
    all.particles.extend(rough);
    Ok(all)
}

impl InitialGrains {
    /// Adds a grain of several spheres; where it is held in place, its spheres alone.
    fn push_clump(&mut self, clump: &NewClump, whole: &NewParticle, density: f32) {
        let first = self.particles.len();
        self.particles.extend(clump.particles(whole.radius, whole.position, whole));
        let shape: &ClumpShape = &clump.shape;
        let assembly =
            shape.assembly(whole.radius, density, whole.position, clump.orientation, whole.velocity);
        if let Some(assembly) = assembly.filter(|_| !whole.fixed) {
            self.assemblies.push(PlacedAssembly { first, assembly });
        }
    }

    /// The number of the assembly of every particle; empty without assemblies.
    fn clump_of(&self) -> Vec<u32> {
        let mut clump_of = Vec::new();
        if !self.assemblies.is_empty() {
            clump_of.resize(self.particles.len(), NO_ASSEMBLY);
        }
        for (number, placed) in self.assemblies.iter().enumerate() {
            clump_of[placed.first..placed.first + placed.assembly.spheres.len()].fill(number as u32);
        }
        clump_of
    }
}

/// The spheres that cover rough walls: held in place, of the first material.
fn rough_walls(
    scene: &Scene,
    can: SolverCapabilities,
    boundaries: &Boundaries,
    random: &mut Random,
) -> Result<Vec<NewParticle>, SceneError> {
    let mut all = Vec::new();
    for settings in &scene.boundary {
        let (Some(diameter), Some(wall)) =
            (settings.rough, boundaries.iter().find(|wall| wall.name() == settings.name))
        else {
            continue;
        };
        let wrong = |reason: String| problem(&format!("boundary.{}.rough", settings.name), reason);
        let region = settings.rough_region.map(|region| (Vec3::from(region.min), Vec3::from(region.max)));
        let region = region.or(wall.sdf().wall_bounds());
        let region = region.ok_or_else(|| wrong("the wall has no end; give a rough_region".into()))?;
        let others = || boundaries.iter().filter(|other| other.name() != settings.name);
        let is_open = |x: Vec3| others().all(|other| other.distance(x) > 0.0);
        let spheres = cover_with_spheres(wall.sdf(), region, diameter, random.bits(), is_open);
        let density = scene.material.first().map_or(0.0, |material| material.density);
        all.extend(spheres.map_err(|error| wrong(error.to_string()))?.into_iter().map(|sphere| {
            NewParticle {
                position: sphere.center,
                velocity: Vec3::ZERO,
                radius: sphere.radius,
                mass: particle_mass(can, density, sphere.radius),
                material: 0,
                fixed: true,
            }
        }));
    }
    Ok(all)
}

/// That a part of the scene cannot be made.
pub(crate) fn problem(path: &str, reason: String) -> SceneError {
    let path = path.split('.').map(String::from).collect();
    SceneError::Problem(Box::new(Problem {
        location: None,
        path,
        kind: ProblemKind::Geometry,
        found: reason,
        allowed: String::new(),
        nearest: None,
    }))
}
