//! The averaged scheme, which is there for comparison: what it keeps, and what it does not.

use super::*;
use crate::rest::{heap, watch};

const AVERAGED: &str = "scheme = \"averaged\"\nsweeps = 5";

/// Means as they are, not multiplied.
const AVERAGED_PLAIN: &str = "[pbd.averaged]\nover_relaxation = 1\n";

/// A head-on impact without friction: both have one contact, so momentum is kept, and they part no faster than they met.
#[test]
fn two_grains_that_meet_keep_their_momentum() {
    let rest = "[[grains]]\nmaterial = \"sand\"\nvelocity = [1, 0, 0]\nshape.box = { min = [-0.0301, -0.01, -0.0101], \
                max = [-0.0099, 0.0101, 0.0101] }\n[[grains]]\nmaterial = \"sand\"\nvelocity = [-1, 0, 0]\n\
                shape.box = { min = [0.0099, -0.01, -0.0101], max = [0.0301, 0.0101, 0.0101] }\n";
    let mut simulation = start(scene("gravity = [0, 0, 0]", AVERAGED, (0.3, 0.0), rest));
    assert_eq!(simulation.particle_count(), 2);
    run_to(&mut simulation, 0.1);
    let fields = simulation.read(&["velocity"]).unwrap();
    let velocity = fields.vec3("velocity").unwrap();
    assert!((velocity[0][0] + velocity[1][0]).abs() < 1e-5, "{velocity:?}");
    assert!(velocity[0][0].abs() < 1.0, "{velocity:?}");
    let x = positions(&mut simulation);
    assert!((x[0] - x[1]).length() > 0.99 * D, "{x:?}");
}

/// A grain slides on a floor: what falls in a step is what friction is bounded by, so it slows down as Coulomb has it.
#[test]
fn a_grain_that_slides_slows_down_by_kinetic_friction() {
    let slide = |friction: f64| {
        let rest = format!(
            "{AVERAGED_PLAIN}[[grains]]\nmaterial = \"sand\"\nvelocity = [1, 0, 0]\nshape.box = {{ min = [-0.0101, 0, -0.0101], \
             max = [0.0101, 0.0201, 0.0101] }}\n[[boundary]]\nname = \"floor\"\nfriction = {friction}\nshape.plane = {{ point = \
             [0, 0, 0], normal = [0, 1, 0] }}\n"
        );
        let mut simulation = start(scene("", AVERAGED, (friction, 0.0), &rest));
        run_to(&mut simulation, 0.1);
        let fields = simulation.read(&["velocity"]).unwrap();
        f64::from(fields.vec3("velocity").unwrap()[0][0])
    };
    let expected = 1.0 - 0.857 * 0.5 * GRAVITY * 0.1;
    assert!((slide(0.5) - expected).abs() < 0.02, "{} instead of {expected}", slide(0.5));
    assert!((slide(0.0) - 1.0).abs() < 1e-5);
}

/// The fault that the other scheme cures: with the bars of the test that a heap comes to rest and stays, it does not.
#[test]
fn heaps_melt() {
    let mut melting = heap((0.5, 0.1), 0.16, 0.1);
    melting.pbd.scheme = granule::scene::PbdScheme::Averaged;
    melting.pbd.sweeps = 5;
    let (drop, speed, height) = watch(melting, &options(2), 3.0, 6.0);
    assert!(drop.abs() > 0.01 || speed > 1e-4 || height < 0.7, "{drop} {speed} {height}");
}

#[test]
fn threads_change_no_bit() {
    let run = |threads: usize| {
        let mut moving = heap((0.4, 0.0), 0.08, 0.1);
        moving.pbd.scheme = granule::scene::PbdScheme::Averaged;
        let mut simulation = Simulation::new(moving, &options(threads)).unwrap();
        run_to(&mut simulation, 0.3);
        hash(&simulation)
    };
    assert_eq!(run(1), run(3));
}
