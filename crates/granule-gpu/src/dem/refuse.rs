//! What of a scene distinct elements do not have on devices.

use crate::GpuError;
use crate::core::method::MethodInput;

use super::layout::MOST_LAWS;

/// What helps always.
const TAKE_THE_CPU: &str = "take the CPU (--device cpu)";

fn unsupported(key: impl Into<String>, what: &'static str, remedy: &'static str) -> Result<(), GpuError> {
    Err(GpuError::Unsupported { key: key.into(), what, solver: super::NAME, remedy })
}

/// Refuses grains of several spheres where a scene has begun without any.
pub fn clumps_of_none() -> Result<(), GpuError> {
    unsupported("emitter.grain", "grains of several spheres in a scene that began without", TAKE_THE_CPU)
}

/// Refuses what is not there, before anything is made.
///
/// # Errors
/// Names the key and the remedy.
pub fn check(input: &MethodInput) -> Result<(), GpuError> {
    let scene = input.scene;
    let (materials, walls) = (scene.material.len(), scene.boundary.len() + scene.body.len());
    let count = materials * (materials + walls);
    if count > MOST_LAWS {
        return Err(GpuError::Laws { count, most: MOST_LAWS });
    }
    Ok(())
}
