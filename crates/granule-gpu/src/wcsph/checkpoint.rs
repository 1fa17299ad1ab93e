//! What outlives a step, in the form that the CPU's solver saves.

use granule::columns::ParticleColumns;
use granule::contacts::SavedContacts;
use granule::particles::Particles;
use granule::scene::Scene;
use granule::simulator::StateError;
use granule::solver::saved::SavedState;
use granule::solver::wcsph::state::WcsphState;

use crate::core::method::{StateToRestore, StateToSave};

use super::columns::ACCELERATION;
use super::layout::progress;

/// The bytes of a checkpoint.
pub fn save(state: StateToSave) -> Result<Vec<u8>, StateError> {
    let StateToSave { world, particles, rows, live, step, .. } = state;
    let acceleration: Vec<[f32; 4]> = rows.of(ACCELERATION);
    let density_state = rows.density_state();
    let pushed = |i: usize| glam::Vec3::from_slice(&acceleration[i]).extend(0.0);
    let columns = WcsphState {
        acceleration: live.iter().map(|&i| pushed(i)).collect(),
        density: live.iter().map(|&i| f32::from_bits(density_state[i][0])).collect(),
        pressure: live.iter().map(|&i| acceleration[i][3]).collect(),
        neighbors: live.iter().map(|&i| (density_state[i][3] >> 12) as f32).collect(),
        ..WcsphState::default()
    };
    let primed = step.progress != progress::PRIMES;
    SavedState::new(world, &particles, columns.save(), SavedContacts::default(), primed).encode()
}

/// A checkpoint from its bytes. Neighbours and walls are not saved: they are found anew.
pub fn decode(bytes: &[u8], scene: &Scene, boundary_count: usize) -> Result<StateToRestore, StateError> {
    let mut saved = SavedState::decode(bytes, scene, boundary_count, &Particles::default())?;
    let mut columns = WcsphState::default();
    columns.restore(&mut saved.columns, saved.particles.len())?;
    saved.columns.check_all_taken()?;
    let rows = columns.acceleration.iter().zip(&columns.pressure);
    let acceleration: Vec<[f32; 4]> =
        rows.map(|(a, pressure)| a.truncate().extend(*pressure).to_array()).collect();
    Ok(StateToRestore {
        lists: None,
        contacts: saved.contacts,
        world: saved.world,
        scene: saved.scene,
        particles: saved.particles,
        density: columns.density,
        neighbor_count: columns.neighbors.iter().map(|n| *n as u32).collect(),
        columns: vec![(ACCELERATION, bytemuck::pod_collect_to_vec(&acceleration))],
        progress: if saved.primed { progress::SAMPLES } else { progress::PRIMES },
        remembered: None,
        assemblies: Default::default(),
    })
}
