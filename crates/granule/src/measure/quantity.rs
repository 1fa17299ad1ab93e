//! Quantities of scenes that follow from the particles alone.

use crate::scene::{Quantity, Scene};
use crate::simulator::{FieldData, Snapshot};

use super::segregation::segregation;
use super::{DepositProfile, surface_angle};

/// The fields that [`particle_quantity`] reads, of which some quantities need some.
pub const QUANTITY_FIELDS: [&str; 5] = ["position", "speed", "density", "material", "radius"];

/// What the particles of a snapshot tell; nothing where the quantity is another's to tell, or where there are no particles.
pub fn particle_quantity(quantity: Quantity, scene: &Scene, state: &Snapshot) -> Option<f64> {
    let position = state.vec3("position").unwrap_or_default();
    let speed = state.scalar("speed");
    let spacing = 2.0 * f64::from(scene.reference_radius());
    let profile = || DepositProfile::of(position, center(position), spacing);
    if position.is_empty() {
        return None;
    }
    Some(match quantity {
        Quantity::Height => position.iter().map(|x| f64::from(x[1])).fold(f64::NEG_INFINITY, f64::max),
        Quantity::MaxX => position.iter().map(|x| f64::from(x[0])).fold(f64::NEG_INFINITY, f64::max),
        Quantity::FrontRadius => profile().front,
        Quantity::SlopeAngle => profile().angle,
        Quantity::SurfaceAngle => surface_angle(position, spacing),
        Quantity::MeanSpeed => mean(speed?.iter().map(|speed| f64::from(*speed))),
        Quantity::MaxSpeed => speed?.iter().map(|speed| f64::from(*speed)).fold(0.0, f64::max),
        Quantity::MeanDensity => mean_density(scene, state)?,
        Quantity::Segregation => segregation_of(state)?,
        Quantity::MeanX => mean(position.iter().map(|x| f64::from(x[0]))),
        _ => return None,
    })
}

/// How far the first two materials of a snapshot have parted.
fn segregation_of(state: &Snapshot) -> Option<f64> {
    let Some(FieldData::Integer(material)) = state.column("material") else { return None };
    segregation(state.vec3("position")?, state.scalar("radius")?, material)
}

/// Mean x and z of the particles: the axis of a deposit.
fn center(position: &[[f32; 3]]) -> (f64, f64) {
    let along = |axis: usize| mean(position.iter().map(move |x| f64::from(x[axis])));
    (along(0), along(2))
}

/// Mean density, each particle's relative to the rest density of its material.
fn mean_density(scene: &Scene, state: &Snapshot) -> Option<f64> {
    let density = state.scalar("density")?;
    let Some(FieldData::Integer(material)) = state.column("material") else { return None };
    let relative = |(density, material): (&f32, &u32)| {
        let rest = scene.material.get(*material as usize).map_or(f64::NAN, |m| f64::from(m.density));
        f64::from(*density) / rest
    };
    Some(mean(density.iter().zip(material).map(relative)))
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len();
    values.sum::<f64>() / count as f64
}
