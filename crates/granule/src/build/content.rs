//! What a scene contains: walls, shapes, grains and bodies.

use crate::bodies::Bodies;
use crate::boundary::{Boundaries, Sdf};
use crate::grains::fill;
use crate::neighbors::Domain;
use crate::particles::NewParticle;
use crate::preflight::{Refusal, available_memory, check_fine_memory, check_memory, check_overlaps};
use crate::random::Random;
use crate::scene::{GrainsSettings, Problem, ProblemKind, Scene, SceneError};

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

/// The initial grains; refused before they are made if they do not fit, and after if they overlap.
pub(crate) fn grains(
    scene: &Scene,
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
        let filled = fill(grains, shape, &scene.material[index], index as u16, &mut random);
        all.extend(filled.map_err(|e| wrong(k, e.to_string()))?);
        ends.push(all.len());
    }
    let entry_of = |grain: usize| ends.partition_point(|&end| end <= grain);
    let domain = Domain::new(scene.simulation.periodic.axes());
    check_overlaps(&all, entry_of, boundaries, &domain).map_err(refused)?;
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
