//! Pouring: grains that begin to fall above what is pointed at.

use glam::Vec3;
use granule::random::Random;
use granule::scene::Scene;
use granule::simulator::Command;

/// Grains that are poured at once, at most.
const POUR_AT_ONCE: usize = 24;
/// Radius of the stream that is poured, in radii of its grains.
pub(super) const STREAM: f32 = 6.0;
/// How far above what is pointed at grains begin to fall, in their radii.
pub(super) const POUR_HEIGHT: f32 = 10.0;
/// Speed of poured grains [m/s].
const POUR_SPEED: f32 = 0.5;

/// Grains at random places of a disc above a point; those without room are left out by the simulation.
pub(super) fn pour(random: &mut Random, scene: &Scene, at: Vec3) -> Option<Command> {
    let material = scene.material.first()?;
    let (radius, up) =
        (material.radius, Vec3::from(scene.simulation.gravity).normalize_or(Vec3::NEG_Y) * -1.0);
    let (right, forward) = up.any_orthonormal_pair();
    let center = at + POUR_HEIGHT * radius * up;
    let mut place = || {
        let (x, y) = (random.signed(), random.signed());
        (x * x + y * y <= 1.0).then(|| center + STREAM * radius * (x * right + y * forward))
    };
    let positions: Vec<Vec3> = (0..POUR_AT_ONCE).filter_map(|_| place()).collect();
    Some(Command::Emit { material: material.name.clone(), positions, velocity: -POUR_SPEED * up })
}
