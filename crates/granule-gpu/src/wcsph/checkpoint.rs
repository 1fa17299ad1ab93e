//! What outlives a step, in the form that the CPU's solver saves.

use glam::Vec3;
use granule::simulator::StateError;
use granule::solver::saved::SavedContacts;
use granule::solver::wcsph::checkpoint::SavedState;

use crate::core::method::{StateToRestore, StateToSave};

use super::columns::ACCELERATION;
use super::layout::progress;

/// The bytes of a checkpoint.
pub fn save(state: StateToSave) -> Result<Vec<u8>, StateError> {
    let StateToSave { world, bodies, rows, live, step, .. } = state;
    let acceleration: Vec<[f32; 4]> = rows.of(ACCELERATION);
    let density_state = rows.density_state();
    let saved = SavedState {
        world,
        ready: step.progress != progress::PRIMES,
        acceleration: live.iter().map(|&i| Vec3::from_slice(&acceleration[i])).collect(),
        density: live.iter().map(|&i| f32::from_bits(density_state[i][0])).collect(),
        pressure: live.iter().map(|&i| acceleration[i][3]).collect(),
        neighbors: live.iter().map(|&i| (density_state[i][3] >> 12) as f32).collect(),
        bodies,
    };
    saved.encode()
}

/// A checkpoint from its bytes. Neighbours and walls are not saved: they are found anew.
pub fn decode(bytes: &[u8], boundary_count: usize, radius: f32) -> Result<StateToRestore, StateError> {
    let (saved, scene) = SavedState::decode(bytes, boundary_count, radius)?;
    let rows = saved.acceleration.iter().zip(&saved.pressure);
    let acceleration: Vec<[f32; 4]> = rows.map(|(a, pressure)| a.extend(*pressure).to_array()).collect();
    Ok(StateToRestore {
        contacts: SavedContacts { count: vec![0; saved.world.position.len()], contacts: Vec::new() },
        world: saved.world,
        scene,
        bodies: saved.bodies,
        density: saved.density,
        neighbor_count: saved.neighbors.iter().map(|n| *n as u32).collect(),
        columns: vec![(ACCELERATION, bytemuck::pod_collect_to_vec(&acceleration))],
        progress: if saved.ready { progress::SAMPLES } else { progress::PRIMES },
    })
}
