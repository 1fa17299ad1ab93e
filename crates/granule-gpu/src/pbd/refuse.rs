//! What of a scene position-based sand does not have on devices.

use crate::GpuError;
use crate::core::method::MethodInput;

use super::layout::MOST_LAWS;
use super::shaped;

/// Refuses what is not there, before anything is made.
///
/// # Errors
/// Names the key and the remedy.
pub fn check(input: &MethodInput) -> Result<(), GpuError> {
    let scene = input.scene;
    // Bodies made of particles are materials of their own.
    let (materials, walls) =
        (scene.material.len() + shaped::count_in(scene), scene.boundary.len() + scene.body.len());
    let count = materials * (materials + walls);
    if count > MOST_LAWS {
        return Err(GpuError::Laws { count, most: MOST_LAWS });
    }
    Ok(())
}
