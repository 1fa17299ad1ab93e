//! What outlives a step, in the form that the CPU's solver saves.

use glam::Vec3;
use granule::simulator::StateError;
use granule::solver::iisph::checkpoint::SavedState;

use crate::core::method::{StateToRestore, StateToSave};

use super::columns::{ACCELERATION, STRESS};
use super::fields::friction_stress;

/// The bytes of a checkpoint.
pub fn save(state: StateToSave) -> Result<Vec<u8>, StateError> {
    let StateToSave { world, bodies, rows, live, contacts, .. } = state;
    let stress: Vec<[f32; 8]> = rows.of(STRESS);
    let acceleration: Vec<[f32; 4]> = rows.of(ACCELERATION);
    let density_state = rows.density_state();
    let saved = SavedState {
        world,
        pressure: live.iter().map(|&i| stress[i][6]).collect(),
        stress: live.iter().map(|&i| friction_stress(&stress[i])).collect(),
        density: live.iter().map(|&i| f32::from_bits(density_state[i][0])).collect(),
        strain_rate: live.iter().map(|&i| stress[i][7]).collect(),
        acceleration: live.iter().map(|&i| Vec3::from_slice(&acceleration[i])).collect(),
        neighbor_count: live.iter().map(|&i| density_state[i][3] >> 12).collect(),
        contacts,
        bodies,
    };
    saved.encode()
}

/// A checkpoint from its bytes.
pub fn decode(bytes: &[u8], boundary_count: usize, radius: f32) -> Result<StateToRestore, StateError> {
    let (saved, scene) = SavedState::decode(bytes, boundary_count, radius)?;
    let rows = saved.stress.iter().zip(&saved.pressure).zip(&saved.strain_rate);
    let stress: Vec<[f32; 8]> = rows
        .map(|((s, pressure), strain_rate)| [s[0], s[1], s[2], s[3], s[4], s[5], *pressure, *strain_rate])
        .collect();
    let acceleration: Vec<[f32; 4]> = saved.acceleration.iter().map(|a| a.extend(0.0).to_array()).collect();
    Ok(StateToRestore {
        world: saved.world,
        scene,
        bodies: saved.bodies,
        contacts: saved.contacts,
        density: saved.density,
        neighbor_count: saved.neighbor_count,
        columns: vec![
            (STRESS, bytemuck::pod_collect_to_vec(&stress)),
            (ACCELERATION, bytemuck::pod_collect_to_vec(&acceleration)),
        ],
        progress: 0,
    })
}
