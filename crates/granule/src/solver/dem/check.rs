//! What the solver refuses of scenes that are right in themselves.

use glam::Vec3;

use crate::grains::GrainShapes;
use crate::neighbors::Domain;
use crate::particles::NewParticle;
use crate::scene::{NormalLaw, Problem, ProblemKind, Scene, SceneError};

use super::params::{StepBounds, radii};

fn refuse(path: &str, found: String, allowed: String) -> Result<(), SceneError> {
    Err(SceneError::from(Box::new(Problem::new(ProblemKind::OutOfRange, path, found, allowed))))
}

/// Refuses steps that are too long to be stable, periods too short for the grains, and sticky grains that overlap.
///
/// # Errors
/// Names the key, what was found and the remedy.
pub fn check(scene: &Scene, grains: &[NewParticle], shapes: &GrainShapes) -> Result<(), SceneError> {
    check_step(scene, shapes)?;
    check_periods(scene, shapes)?;
    check_sticky(scene, grains)
}

fn check_step(scene: &Scene, shapes: &GrainShapes) -> Result<(), SceneError> {
    let bounds = StepBounds::new(scene, shapes);
    let Some(step) = scene.simulation.time_step.filter(|step| *step > bounds.stable() * (1.0 + 1e-9)) else {
        return Ok(());
    };
    let why = if bounds.stable() == bounds.rayleigh {
        format!("{} of the Rayleigh time of the smallest grain", scene.dem.rayleigh_share)
    } else if bounds.stable() == bounds.collision {
        format!("{} of the duration of the fastest collision", scene.dem.collision_share)
    } else {
        "the springs against rolling and twisting".into()
    };
    let allowed = format!(
        "at most {:.3e} s ({why}); leave it out for that step, or take softer or larger grains",
        bounds.stable()
    );
    refuse("simulation.time_step", format!("{step} s"), allowed)
}

fn check_periods(scene: &Scene, shapes: &GrainShapes) -> Result<(), SceneError> {
    let (_, largest) = radii(scene, shapes);
    let least = 2.0 * (2.0 + f64::from(scene.dem.skin)) * largest;
    for (axis, range) in ["x", "y", "z"].into_iter().zip(scene.simulation.periodic.axes()) {
        let Some([from, to]) = range else { continue };
        if f64::from(to - from) < least {
            let allowed =
                format!("at least {least} m long, two diameters of the largest grain and their skins");
            return refuse(&format!("simulation.periodic.{axis}"), format!("[{from}, {to}]"), allowed);
        }
    }
    Ok(())
}

/// Sticky grains that overlap at the start would fly apart with the energy of that overlap, or never.
fn check_sticky(scene: &Scene, grains: &[NewParticle]) -> Result<(), SceneError> {
    let sticky = matches!(scene.dem.normal, NormalLaw::Dmt | NormalLaw::Jkr)
        && scene.material.iter().any(|m| m.dem.surface_energy > 0.0);
    if !sticky {
        return Ok(());
    }
    let domain = Domain::new(scene.simulation.periodic.axes());
    let Some((i, j)) = first_overlap(grains, &domain) else { return Ok(()) };
    let (x, y) = (grains[i].position, grains[j].position);
    let depth = grains[i].radius + grains[j].radius - domain.displacement(x, y).length();
    let found = format!("sticky grains overlap at the start, the first two by {depth:.2e} m at {x} m");
    let allowed = "no overlap with surface_energy above 0: fill = \"random\" with a smaller radius of the material for \
                   filling, a larger shape, or let dry grains settle first";
    refuse("grains", found, allowed.into())
}

/// Share of the sum of radii by which rounding of a fill may let grains overlap.
const FILL_ROUNDING: f32 = 1e-5;

fn first_overlap(grains: &[NewParticle], domain: &Domain) -> Option<(usize, usize)> {
    let largest = grains.iter().map(|grain| grain.radius).fold(0.0, f32::max);
    let mut order: Vec<usize> = (0..grains.len()).filter(|&i| !grains[i].fixed).collect();
    order.sort_by(|&a, &b| grains[a].position.x.total_cmp(&grains[b].position.x));
    let overlap = |i: usize, j: usize| {
        let d: Vec3 = domain.displacement(grains[i].position, grains[j].position);
        d.length() < (grains[i].radius + grains[j].radius) * (1.0 - FILL_ROUNDING)
    };
    for (k, &i) in order.iter().enumerate() {
        let reach = grains[i].position.x + grains[i].radius + largest;
        let near = order[k + 1..].iter().take_while(|&&j| grains[j].position.x < reach);
        if let Some(&j) = near.into_iter().find(|&&j| overlap(i, j)) {
            return Some((i, j));
        }
    }
    None
}
