//! What the solver refuses of scenes that are right in themselves.

use crate::grains::GrainShapes;
use crate::particles::NewParticle;
use crate::scene::{BodyCoupling, BodySettings, PbdScheme, Problem, ProblemKind, Scene, SceneError};

use super::params::{needed_substeps, radii};

fn refuse(path: &str, found: String, allowed: String) -> Result<(), SceneError> {
    Err(SceneError::from(Box::new(Problem::new(ProblemKind::OutOfRange, path, found, allowed))))
}

/// Refuses steps that are too few for the grains, periods too short for them, and cells that strain.
///
/// # Errors
/// Names the key, what was found and the remedy.
pub fn check(scene: &Scene, _: &[NewParticle], shapes: &GrainShapes) -> Result<(), SceneError> {
    if scene.simulation.strain.is_some() {
        let allowed = "left out: solver pbd has no cells that strain; take dem".to_string();
        return refuse("simulation.strain", "a cell that strains".into(), allowed);
    }
    check_bodies(scene)?;
    check_substeps(scene, shapes)?;
    check_periods(scene, shapes)
}

/// Bodies made of particles need contacts that keep momentum.
fn check_bodies(scene: &Scene) -> Result<(), SceneError> {
    let made = |body: &BodySettings| body.coupling == BodyCoupling::Particles;
    let averaged = scene.pbd.scheme == PbdScheme::Averaged;
    let Some(body) = scene.body.iter().find(|body| averaged && made(body)) else { return Ok(()) };
    let allowed =
        "left out, or pbd.scheme = \"impulse\": the averaged scheme has no bodies made of particles";
    refuse(&format!("body.{}.coupling", body.name), "particles".into(), allowed.into())
}

/// A frame needs as many sweeps as the smallest grains need steps: with half as many as two for each, heaps get one to three
/// degrees flatter, with a quarter they sag.
fn check_substeps(scene: &Scene, shapes: &GrainShapes) -> Result<(), SceneError> {
    if scene.pbd.scheme == PbdScheme::Averaged {
        return Ok(());
    }
    let needed = needed_substeps(scene, shapes);
    let Some(substeps) = scene.pbd.substeps.filter(|substeps| substeps * scene.pbd.sweeps < needed) else {
        return Ok(());
    };
    let diameter = (2.0 * radii(scene, shapes).0) as f32;
    let allowed = format!(
        "{needed} for grains of {diameter} m at {} frames per second with two sweeps each, at least {} with pbd.sweeps = {}, or left \
         out",
        scene.simulation.fps,
        needed.div_ceil(scene.pbd.sweeps),
        scene.pbd.sweeps
    );
    refuse("pbd.substeps", substeps.to_string(), allowed)
}

/// A pair is found once only where a period is longer than twice what lists reach over.
fn check_periods(scene: &Scene, shapes: &GrainShapes) -> Result<(), SceneError> {
    let (least, most) = radii(scene, shapes);
    let shortest = 2.0 * (2.0 * most + 2.0 * least);
    for (axis, range) in ["x", "y", "z"].into_iter().zip(scene.simulation.periodic.axes()) {
        let Some([from, to]) = range.filter(|[from, to]| f64::from(to - from) < shortest * (1.0 - 1e-6))
        else {
            continue;
        };
        let allowed = format!(
            "at least {} m long: two diameters of the largest grain and two of the smallest",
            shortest as f32
        );
        return refuse(&format!("simulation.periodic.{axis}"), format!("[{from}, {to}]"), allowed);
    }
    Ok(())
}
