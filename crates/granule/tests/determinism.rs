//! The same bits for any number of threads and for all instructions.

mod common;

use common::{D, block, floor, sand};
use granule::scene::{AirSettings, Fill, GrainsSettings, MaterialSettings, WindField};
use granule::simd::Instructions;
use granule::{Options, Scene, Simulation};

/// What the scenes of these tests have in common with none of the built-in ones: two materials, of which one depends on
/// the rate, viscosity, cohesion, air and a periodic axis.
fn mixed() -> Scene {
    let mut scene = sand(30.0);
    scene.material[0].fast_friction_angle = Some(36.0);
    scene.material[0].cohesion = 20.0;
    let water = MaterialSettings {
        name: "water".into(),
        density: 1000.0,
        friction_angle: 0.0,
        viscosity: 1e-4,
        ..MaterialSettings::default()
    };
    scene.material.push(water);
    scene.simulation.periodic.z = Some([0.0, 12.0 * D]);
    scene.air = Some(AirSettings {
        wind: vec![WindField::Uniform { velocity: [2.0, 0.0, 0.0] }],
        ..AirSettings::default()
    });
    scene.boundary.push(floor());
    scene.grains.push(block([0.0; 3], [12.0, 10.0, 12.0], Fill::Jittered));
    scene.grains.push(GrainsSettings {
        radius: None,
        fixed: false,
        material: "water".into(),
        ..block([0.0, 10.0, 0.0], [12.0, 14.0, 12.0], Fill::Lattice)
    });
    scene
}

fn column(friction_angle: f32) -> Scene {
    let mut scene = sand(friction_angle);
    scene.boundary.push(floor());
    scene.grains.push(block([0.0; 3], [12.0, 20.0, 12.0], Fill::Jittered));
    scene
}

fn hash(scene: Scene, threads: usize, instructions: Option<Instructions>) -> u64 {
    let options = Options { threads: Some(threads), instructions, ..Options::default() };
    let mut simulation = Simulation::new(scene, &options).unwrap();
    simulation.run_until(0.2);
    simulation.simulator().state_hash()
}

#[test]
fn the_state_hash_is_the_same_for_1_2_and_4_threads() {
    for scene in [column(30.0), column(0.0), mixed()] {
        let one = hash(scene.clone(), 1, None);
        assert_eq!(one, hash(scene.clone(), 2, None));
        assert_eq!(one, hash(scene, 4, None));
    }
}

#[test]
fn the_state_hash_is_the_same_for_all_instructions() {
    for scene in [column(30.0), column(0.0), mixed()] {
        let plain = hash(scene.clone(), 2, Some(Instructions::Portable));
        for set in Instructions::ALL.into_iter().filter(|set| set.available()) {
            assert_eq!(hash(scene.clone(), 2, Some(set)), plain, "{}", set.name());
        }
    }
}

/// Large enough for sweeps that follow each other in one go on few threads, and not on many.
#[test]
fn the_state_hash_is_the_same_however_sweeps_are_interleaved() {
    let hash = |threads| {
        let mut scene = sand(30.0);
        scene.boundary.push(floor());
        scene.grains.push(block([0.0; 3], [20.0, 30.0, 60.0], Fill::Jittered));
        let options = Options { threads: Some(threads), ..Options::default() };
        let mut simulation = Simulation::new(scene, &options).unwrap();
        (0..8).for_each(|_| {
            simulation.step();
        });
        simulation.simulator().state_hash()
    };
    let one = hash(1);
    assert_eq!(one, hash(2));
    assert_eq!(one, hash(8));
}

#[test]
fn the_state_hash_tells_states_apart() {
    let mut scene = sand(30.0);
    scene.grains.push(block([0.0; 3], [4.0; 3], Fill::Jittered));
    let mut a = Simulation::new(scene.clone(), &Options::default()).unwrap();
    scene.simulation.seed = 2;
    let mut b = Simulation::new(scene, &Options::default()).unwrap();
    assert_ne!(a.simulator().state_hash(), b.simulator().state_hash());
    let before = a.simulator().state_hash();
    a.step();
    b.step();
    assert_ne!(a.simulator().state_hash(), before);
}
