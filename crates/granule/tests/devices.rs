//! Devices that refuse a scene, and what they are never asked.

mod common;

use common::{block, floor, sand};
use granule::bodies::Bodies;
use granule::boundary::Boundaries;
use granule::particles::NewParticle;
use granule::scene::{Fill, Scene};
use granule::simulator::Simulator;
use granule::solver::Defect;
use granule::{Device, MakeSimulator, Maker, Options, Simulation};

/// A device that takes no scene.
struct Refusing;

impl MakeSimulator for Refusing {
    fn make(
        &self,
        _: &Scene,
        _: Boundaries,
        _: Bodies,
        _: &[NewParticle],
    ) -> Result<Box<dyn Simulator>, String> {
        Err("it is too small".into())
    }
}

fn scene() -> Scene {
    let mut scene = sand(30.0);
    scene.boundary.push(floor());
    scene.grains.push(block([0.0; 3], [4.0; 3], Fill::Lattice));
    scene.body.push(common::body(
        "ball",
        granule::boundary::Shape::Sphere { center: [0.04, 0.2, 0.04], radius: 0.03, hollow: false },
        1000.0,
    ));
    scene
}

fn hash(options: &Options) -> (u64, Option<String>) {
    let mut simulation = Simulation::new(scene(), options).unwrap();
    simulation.run_until(0.04);
    (simulation.simulator().state_hash(), simulation.refusal().map(String::from))
}

#[test]
fn the_cpu_takes_what_a_preferred_device_refuses_and_says_why() {
    let preferred = Options { device: Device::Preferred(Maker::new(Refusing)), ..Options::default() };
    let (bits, reason) = hash(&preferred);
    assert_eq!(reason.as_deref(), Some("it is too small"));
    assert_eq!((bits, None), hash(&Options::default()));
}

#[test]
fn a_device_that_was_asked_for_is_not_replaced() {
    let options = Options { device: Device::Made(Maker::new(Refusing)), ..Options::default() };
    let error = Simulation::new(scene(), &options).err().unwrap();
    assert_eq!(error.to_string(), "it is too small");
}

#[test]
fn deliberate_faults_are_refused_where_they_would_do_nothing() {
    for device in [Device::Made(Maker::new(Refusing)), Device::Preferred(Maker::new(Refusing))] {
        let options = Options { device, defect: Some(Defect::StressSign), ..Options::default() };
        let error = Simulation::new(scene(), &options).err().unwrap();
        assert!(error.to_string().contains("faults"), "{error}");
    }
}
