//! What of a scene position-based sand does not have on devices.

use granule::scene::BodyCoupling;

use crate::GpuError;
use crate::core::method::MethodInput;

use super::layout::MOST_LAWS;

/// What helps always.
const TAKE_THE_CPU: &str = "take the CPU (--device cpu)";

fn unsupported(key: impl Into<String>, what: &'static str, remedy: &'static str) -> Result<(), GpuError> {
    Err(GpuError::Unsupported { key: key.into(), what, solver: super::NAME, remedy })
}

/// Refuses what is not there, before anything is made.
///
/// # Errors
/// Names the key and the remedy.
pub fn check(input: &MethodInput) -> Result<(), GpuError> {
    let scene = input.scene;
    if let Some(body) = scene.body.iter().find(|body| body.coupling == BodyCoupling::Particles) {
        let key = format!("body.{}.coupling", body.name);
        return unsupported(key, "bodies made of particles", TAKE_THE_CPU);
    }
    let (materials, walls) = (scene.material.len(), scene.boundary.len() + scene.body.len());
    let count = materials * (materials + walls);
    if count > MOST_LAWS {
        return Err(GpuError::Laws { count, most: MOST_LAWS });
    }
    Ok(())
}
