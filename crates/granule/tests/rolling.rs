//! Walls and bodies that resist rolling: a ball on them slows down by 5/7 mu_r g, whatever grains resist each other by.

use granule::scene::Scene;
use granule::simulator::Command;
use granule::{Options, Simulation};

const GRAVITY: f64 = 9.81;
/// Speed of launch [m/s]: a ball that slides at first rolls at five sevenths of it.
const LAUNCH: f64 = 0.7;
/// From when on it rolls, and until when it is watched \[s\].
const ROLLS: [f64; 2] = [0.1, 0.3];

/// A ball on the top of a floor or of a body that stands, whose keys are given beside the rolling friction among grains.
fn ball(solver: &str, of_grains: f64, ground: &str, keys: &str) -> Simulation {
    let shape = match ground {
        "boundary" => "shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }",
        _ => "kind = \"static\"\nshape.box = { min = [-1, -0.1, -1], max = [1, 0, 1] }",
    };
    let text = format!(
        "name = \"ball\"\n[simulation]\nsolver = \"{solver}\"\nfps = 100\n[[material]]\nname = \"sand\"\nradius = 0.01\n\
         density = 2500\n[material.dem]\nyoung = 5e6\nfriction = 0.5\nrolling_friction = {of_grains}\n\
         [material.pbd]\nfriction = 0.5\nrolling_friction = {of_grains}\n[[grains]]\nmaterial = \"sand\"\n\
         velocity = [{LAUNCH}, 0, 0]\nshape.box = {{ min = [-0.01, 0, -0.01], max = [0.0101, 0.0201, 0.0101] }}\n\
         [[{ground}]]\nname = \"ground\"\n{keys}\n{shape}\n"
    );
    let scene = Scene::parse(&text, "test").unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(scene, &Options { threads: Some(1), ..Options::default() }).unwrap()
}

fn speed(simulation: &mut Simulation) -> f64 {
    let fields = simulation.read(&["velocity"]).unwrap();
    let velocities = fields.vec3("velocity").unwrap();
    assert_eq!(velocities.len(), 1);
    f64::from(velocities[0][0])
}

/// How it slows down between two times, over 5/7 g.
fn resistance(simulation: &mut Simulation, [from, to]: [f64; 2]) -> f64 {
    simulation.run_until(from);
    let before = speed(simulation);
    simulation.run_until(to);
    (before - speed(simulation)) / (to - from) / (5.0 / 7.0 * GRAVITY)
}

#[test]
fn walls_and_bodies_resist_rolling_as_they_say() {
    for solver in ["dem", "pbd"] {
        for ground in ["boundary", "body"] {
            for (of_grains, keys, expected) in [
                (0.0, "rolling_friction = 0.05", 0.05),
                (0.05, "rolling_friction = 0", 0.0),
                (0.02, "rolling_friction = 0.06", 0.06),
                (0.03, "", 0.03),
            ] {
                let mut simulation = ball(solver, of_grains, ground, keys);
                let found = resistance(&mut simulation, ROLLS);
                let words = format!("{solver}, {ground}, {of_grains} among grains, `{keys}`: {found}");
                assert!((found - expected).abs() < 0.02 * expected + 2e-4, "{words}");
            }
        }
    }
}

#[test]
fn walls_learn_to_resist_while_they_are_rolled_on() {
    for solver in ["dem", "pbd"] {
        let mut simulation = ball(solver, 0.0, "boundary", "rolling_friction = 0");
        let before = resistance(&mut simulation, [0.1, 0.15]);
        let path = "boundary.ground.rolling_friction".into();
        simulation.apply(&Command::Set { path, value: 0.05 }).unwrap();
        let after = resistance(&mut simulation, [0.16, 0.3]);
        assert!(before.abs() < 2e-4 && (after / 0.05 - 1.0).abs() < 0.02, "{solver}: {before}, {after}");
    }
}
