//! The same bits for any number of threads.

mod common;

use common::{block, floor, sand};
use granule::scene::Fill;
use granule::{Options, Simulation};

fn hash(threads: usize) -> u64 {
    let mut scene = sand(30.0);
    scene.boundary.push(floor());
    scene.grains.push(block([0.0; 3], [12.0, 20.0, 12.0], Fill::Jittered));
    let options = Options { threads: Some(threads), ..Options::default() };
    let mut simulation = Simulation::new(scene, &options).unwrap();
    simulation.run_until(0.2);
    simulation.simulator().state_hash()
}

#[test]
fn the_state_hash_is_the_same_for_1_2_and_4_threads() {
    let one = hash(1);
    assert_eq!(one, hash(2));
    assert_eq!(one, hash(4));
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
