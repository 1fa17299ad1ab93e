//! What outlives a step, in the form that the CPU's solver saves.

use granule::columns::ParticleColumns;
use granule::particles::Particles;
use granule::scene::Scene;
use granule::simulator::StateError;
use granule::solver::iisph::state::{IisphState, TensorColumns};
use granule::solver::saved::SavedState;

use crate::core::method::{StateToRestore, StateToSave};

use super::columns::{ACCELERATION, STRESS};
use super::fields::friction_stress;

/// The bytes of a checkpoint.
pub fn save(state: StateToSave) -> Result<Vec<u8>, StateError> {
    let StateToSave { world, particles, rows, live, contacts, .. } = state;
    let stress: Vec<[f32; 8]> = rows.of(STRESS);
    let acceleration: Vec<[f32; 4]> = rows.of(ACCELERATION);
    let density_state = rows.density_state();
    let friction: Vec<[f32; 6]> = live.iter().map(|&i| friction_stress(&stress[i])).collect();
    let moved = |i: usize| glam::Vec3::from_slice(&acceleration[i]).extend(0.0);
    let columns = IisphState {
        pressure: live.iter().map(|&i| stress[i][6]).collect(),
        stress: TensorColumns::from_rows(&friction),
        density: live.iter().map(|&i| f32::from_bits(density_state[i][0])).collect(),
        strain_rate: live.iter().map(|&i| stress[i][7]).collect(),
        predicted: live.iter().map(|&i| moved(i)).collect(),
        neighbor_count: live.iter().map(|&i| density_state[i][3] >> 12).collect(),
        ..IisphState::default()
    };
    SavedState::new(world, &particles, columns.save(), contacts, true).encode()
}

/// A checkpoint from its bytes.
pub fn decode(bytes: &[u8], scene: &Scene, boundary_count: usize) -> Result<StateToRestore, StateError> {
    let mut saved = SavedState::decode(bytes, scene, boundary_count, &Particles::default())?;
    let mut columns = IisphState::default();
    columns.restore(&mut saved.columns, saved.particles.len())?;
    saved.columns.check_all_taken()?;
    let stress = |i: usize| {
        let [xx, xy, xz, yy, yz, zz] = columns.stress.get(i).to_array();
        [xx, xy, xz, yy, yz, zz, columns.pressure[i], columns.strain_rate[i]]
    };
    let stress: Vec<[f32; 8]> = (0..saved.particles.len()).map(stress).collect();
    let acceleration: Vec<[f32; 4]> = columns.predicted.iter().map(|a| a.to_array()).collect();
    Ok(StateToRestore {
        lists: None,
        world: saved.world,
        scene: saved.scene,
        particles: saved.particles,
        contacts: saved.contacts,
        density: columns.density,
        neighbor_count: columns.neighbor_count,
        columns: vec![
            (STRESS, bytemuck::pod_collect_to_vec(&stress)),
            (ACCELERATION, bytemuck::pod_collect_to_vec(&acceleration)),
        ],
        progress: 0,
        remembered: None,
        assemblies: Default::default(),
    })
}
