//! Parameters of a scene that commands change while it runs.

use crate::scene::Scene;
use crate::simulator::CommandError;

/// The scene with a number set by its path.
///
/// # Errors
/// Refuses what is not allowed or cannot change while grains exist.
pub fn with_parameter(scene: &Scene, path: &str, value: f64) -> Result<Scene, CommandError> {
    let wrong = |reason: String| CommandError::Value { path: path.into(), value: value.to_string(), reason };
    changed(scene, path, format!("{value:?}"), &wrong)
}

/// The scene with a choice set by its path.
///
/// # Errors
/// Refuses words that are not allowed or choices that cannot change while grains exist.
pub fn with_choice(scene: &Scene, path: &str, word: &str) -> Result<Scene, CommandError> {
    let wrong = |reason: String| CommandError::Value { path: path.into(), value: word.into(), reason };
    changed(scene, path, format!("{word:?}"), &wrong)
}

fn changed(
    scene: &Scene,
    path: &str,
    value: String,
    wrong: &dyn Fn(String) -> CommandError,
) -> Result<Scene, CommandError> {
    let text = scene.to_toml().map_err(|e| wrong(e.to_string()))?;
    let set = [(path.to_string(), value)];
    let changed = Scene::resolve(&text, &scene.name, false, &set).map_err(|e| wrong(e.to_string()))?;
    if with_adjustable_from(scene, &changed) == changed { Ok(changed) } else { Err(wrong(ADJUSTABLE.into())) }
}

/// What a running simulation lets change.
const ADJUSTABLE: &str = "only [air], the solver's own section, materials except their radius, friction of \
                          boundaries, and gravity, cfl and time steps of [simulation] can change while a simulation \
                          runs";

/// The scene `old` with everything that may change while it runs taken from `new`.
fn with_adjustable_from(old: &Scene, new: &Scene) -> Scene {
    let mut scene = old.clone();
    scene.iisph = new.iisph.clone();
    scene.wcsph = new.wcsph.clone();
    scene.air = new.air.clone();
    scene.simulation.gravity = new.simulation.gravity;
    scene.simulation.cfl = new.simulation.cfl;
    scene.simulation.time_step = new.simulation.time_step;
    scene.simulation.max_time_step = new.simulation.max_time_step;
    for (mine, theirs) in scene.material.iter_mut().zip(&new.material) {
        let radius = mine.radius;
        *mine = theirs.clone();
        mine.radius = radius;
    }
    for (mine, theirs) in scene.boundary.iter_mut().zip(&new.boundary) {
        mine.friction = theirs.friction;
    }
    scene
}

/// That nothing has this name.
pub fn unknown(what: &'static str, name: &str, known: &[&str]) -> CommandError {
    CommandError::Unknown { what, name: name.into(), known: known.join(", ") }
}
