//! What a scene contains: walls, shapes, grains and bodies.

use glam::Vec3;

use crate::bodies::Bodies;
use crate::boundary::{Boundaries, Sdf};
use crate::grains::{cover_with_spheres, fill};
use crate::material::particle_mass;
use crate::neighbors::Domain;
use crate::particles::NewParticle;
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

/// The initial grains as a solver takes them, and the spheres of rough walls; refused before they are made if they do not
/// fit, and after if they overlap.
pub(crate) fn grains(
    scene: &Scene,
    can: SolverCapabilities,
    shapes: &[Sdf],
    boundaries: &Boundaries,
) -> Result<Vec<NewParticle>, SceneError> {
    let wrong = |k: usize, reason: String| problem(&format!("grains.{k}.shape"), reason);
    let refused = |refusal: Refusal| wrong(refusal.entry, refusal.reason);
    check_memory(scene, shapes, available_memory()).map_err(refused)?;
    check_fine_memory(scene, shapes, available_memory())
        .map_err(|error| problem("upsample.radius", error.to_string()))?;
    let mut random = Random::new(scene.simulation.seed);
    let mut all = Vec::new();
    let mut ends = Vec::with_capacity(shapes.len());
    for (k, (grains, shape)) in scene.grains.iter().zip(shapes).enumerate() {
        let index = scene.material.iter().position(|m| m.name == grains.material);
        let index = index.ok_or_else(|| wrong(k, format!("unknown material `{}`", grains.material)))?;
        let radius = scene.radius_of(&grains.material, grains.radius.as_ref());
        let mass_of = |radius: f32| particle_mass(can, scene.material[index].density, radius);
        let filled = fill(grains, shape, &radius, index as u16, mass_of, &mut random);
        all.extend(filled.map_err(|e| wrong(k, e.to_string()))?);
        ends.push(all.len());
    }
    let entry_of = |grain: usize| ends.partition_point(|&end| end <= grain);
    let domain = Domain::new(scene.simulation.periodic.axes());
    check_overlaps(&all, entry_of, boundaries, &domain).map_err(refused)?;
    let rough = rough_walls(scene, can, boundaries, &mut random)?;
    check_rough(&all, entry_of, &rough, &domain).map_err(refused)?;
    all.extend(rough);
    Ok(all)
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
