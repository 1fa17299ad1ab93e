//! Distinct elements on a device against trajectories that LAMMPS has computed: the oracles that the CPU's solver meets.

mod common;

use std::path::Path;

use glam::{DVec3, Vec4};
use granule::bodies::Bodies;
use granule::columns::ColumnData;
use granule::position::ExactPosition;
use granule::simulator::Simulator;
use granule::solver::dem::oracle::{Comparison, Differences, Energies, Engine, EngineOptions, Oracle};
use granule::solver::saved::{self, SavedState};
use granule_device::GpuDevice;
use granule_gpu::core::simulation::NewGrains;
use granule_gpu::{GpuSimulation, METHODS};

use common::adapter;

/// Grains whose motion nobody prescribes: led spheres are the CPU's only.
const NAMES: [&str; 14] = [
    "clump_pair",
    "clump_wall",
    "cylinder_wall",
    "dmt_pair",
    "head_on_0.01",
    "head_on_0.1",
    "head_on_1",
    "jkr_pair",
    "limit_damping",
    "oblique_wall",
    "poly_pair",
    "roll_slide",
    "settle30",
    "twist_sds",
];

fn oracle(name: &str) -> Oracle {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../granule/tests/oracles");
    Oracle::from_json(&std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap()).unwrap()
}

/// The grains of an oracle on a device, in the state in which the CPU's begin.
fn simulation(oracle: &Oracle, gpu: &GpuDevice) -> GpuSimulation {
    let (scene, boundaries) = Engine::surroundings(oracle).unwrap();
    let entry = METHODS.iter().find(|entry| entry.name == "dem").unwrap();
    let grains = NewGrains { grains: &[], assemblies: &[], shapes: &Default::default() };
    let mut simulation =
        GpuSimulation::new(gpu.clone(), entry, scene, boundaries, Bodies::default(), grains).unwrap();
    let engine = Engine::new(oracle, EngineOptions { threads: 1, ..EngineOptions::default() }).unwrap();
    // Springs that no contact has are 0 in oracles, and absent in scenes.
    let mut state = SavedState::read(&engine.checkpoint().unwrap()).unwrap();
    let present = |line: &&str| !(line.contains("ing_stiffness = ") && line.trim().ends_with("= 0.0"));
    state.world.scene = state.world.scene.lines().filter(present).collect::<Vec<_>>().join("\n");
    simulation.restore(&saved::encode(&state).unwrap()).unwrap();
    simulation
}

/// Position, velocity, angular velocity, force and torque of every sphere, by id.
fn state(simulation: &GpuSimulation) -> Vec<[f64; 15]> {
    let mut saved = SavedState::read(&simulation.checkpoint().unwrap()).unwrap();
    let rows = |column: Option<&mut ColumnData>| -> Vec<Vec4> {
        match column {
            Some(ColumnData::Vec4(rows)) => rows.clone(),
            other => panic!("{other:?}"),
        }
    };
    let places: Vec<ExactPosition> = match saved.columns.get_mut("place") {
        Some(ColumnData::Exact(places)) => places.clone(),
        other => panic!("{other:?}"),
    };
    let ids = match saved.particles.get_mut("id") {
        Some(ColumnData::U32(ids)) => ids.clone(),
        other => panic!("{other:?}"),
    };
    let velocity = rows(saved.particles.get_mut("velocity"));
    let spin = rows(saved.particles.get_mut("angular_velocity"));
    let (force, torque) = (rows(saved.columns.get_mut("force")), rows(saved.columns.get_mut("torque")));
    let mut states = vec![[0.0; 15]; ids.len()];
    for (i, id) in ids.iter().enumerate() {
        let wide = |v: Vec4| v.truncate().as_dvec3();
        let parts =
            [places[i].to_meters(), wide(velocity[i]), wide(spin[i]), wide(force[i]), wide(torque[i])];
        states[*id as usize] = std::array::from_fn(|k| parts[k / 3][k % 3]);
    }
    states
}

fn energies(oracle: &Oracle, states: &[[f64; 15]], step: u32) -> Energies {
    let mut sum = Energies { step, ..Energies::default() };
    for (row, sphere) in states.iter().zip(&oracle.spheres) {
        let vector = |k: usize| DVec3::new(row[k], row[k + 1], row[k + 2]);
        let (radius, density) = (sphere[9], sphere[10]);
        let mass = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3) * density;
        sum.kinetic += 0.5 * mass * vector(3).length_squared();
        sum.rotation += 0.2 * mass * radius * radius * vector(6).length_squared();
        sum.potential -= mass * DVec3::from(oracle.gravity).dot(vector(0));
    }
    sum
}

fn compare(oracle: &Oracle, gpu: &GpuDevice) -> Differences {
    let mut simulation = simulation(oracle, gpu);
    let mut comparison = Comparison::new(oracle);
    let mut stops: Vec<u32> = oracle.samples.iter().map(|sample| sample.step).collect();
    stops.extend(oracle.energies.iter().map(|energies| energies.step));
    stops.sort_unstable();
    stops.dedup();
    // Before the first step there are no forces yet.
    let (mut step, start) = (0, simulation.time());
    for stop in stops.into_iter().filter(|stop| (1..=oracle.steps).contains(stop)) {
        let until = start + f64::from(stop) * oracle.dt;
        while step < stop {
            step += simulation.advance(until, (stop - step) as usize).len() as u32;
            assert_eq!(simulation.failure(), None, "{}", oracle.name);
        }
        let states = state(&simulation);
        for sample in oracle.samples.iter().filter(|sample| sample.step == step) {
            comparison.add_state(sample, &states);
        }
        for theirs in oracle.energies.iter().filter(|energies| energies.step == step) {
            comparison.add_energies(theirs, &energies(oracle, &states, step));
        }
    }
    comparison.differences()
}

#[test]
fn oracles_are_met_on_a_device() {
    let Some(gpu) = adapter() else { return };
    for name in NAMES {
        let oracle = oracle(name);
        let found = compare(&oracle, &gpu);
        eprintln!("{name:14} {found:?}");
        assert!(found.largest_of_states() <= oracle.tolerance.f32, "{name} {found:?}");
        assert!(found.energy <= oracle.tolerance.f32_energy.unwrap_or(0.0), "{name} {found:?}");
    }
}
