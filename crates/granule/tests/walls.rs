//! Walls: distance of rest, Coulomb friction, corners, motion.

mod common;

use common::{D, block, floor, mean, sand, simulate, wall};
use granule::boundary::{Keyframe, Motion, Shape};
use granule::scene::{Fill, GrainsSettings, Scene};
use granule::simulator::Command;

/// One grain on a plane of the given friction, with gravity tilted by an angle [degrees].
fn grain_on_slope(friction: f32, angle: f32) -> Scene {
    let mut scene = sand(30.0);
    let (sin, cos) = angle.to_radians().sin_cos();
    scene.simulation.gravity = [9.81 * sin, -9.81 * cos, 0.0];
    let plane = Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] };
    scene.boundary.push(wall("floor", plane, Some(friction)));
    scene.grains.push(block([0.0; 3], [1.0; 3], Fill::Lattice));
    scene
}

#[test]
fn a_lone_grain_rests_at_one_radius() {
    let mut simulation = simulate(grain_on_slope(0.5, 0.0));
    simulation.run_until(2.0);
    let height = mean(&mut simulation, "position")[1] / (0.5 * D as f64);
    assert!((height - 1.0).abs() < 0.01, "{height} r");
}

#[test]
fn a_grain_slides_with_coulomb_friction_above_the_angle_of_friction() {
    let mut simulation = simulate(grain_on_slope(0.5, 35.0));
    simulation.run_until(1.0);
    let (sin, cos) = 35f64.to_radians().sin_cos();
    let expected = 9.81 * (sin - 0.5 * cos) * simulation.time();
    let speed = mean(&mut simulation, "velocity")[0];
    assert!((speed / expected - 1.0).abs() < 0.01, "{speed} instead of {expected} m/s");
}

#[test]
fn a_grain_sticks_below_the_angle_of_friction() {
    let mut simulation = simulate(grain_on_slope(0.5, 25.0));
    simulation.run_until(0.5);
    let before = mean(&mut simulation, "position")[0];
    simulation.run_until(5.5);
    let drift = (mean(&mut simulation, "position")[0] - before) / D as f64;
    assert!(drift.abs() < 0.01, "{drift} d in 5 s");
}

/// Fills a container with sand, lets it settle and returns the smallest distance to its walls in radii.
fn smallest_distance(container: Shape, grains: Shape) -> (f32, usize, usize) {
    let mut scene = sand(30.0);
    scene.boundary.push(wall("container", container.clone(), None));
    scene.grains.push(GrainsSettings {
        radius: None,
        grain: Default::default(),
        fixed: false,
        material: "sand".into(),
        shape: grains,
        fill: Fill::Jittered,
        velocity: [0.0; 3],
    });
    let mut simulation = simulate(scene);
    let count = simulation.particle_count();
    simulation.run_until(1.5);
    let sdf = granule::boundary::Sdf::new(&container).unwrap();
    let snapshot = simulation.read(&["position"]).unwrap();
    let position = snapshot.vec3("position").unwrap();
    let nearest = position.iter().map(|x| sdf.distance(glam::Vec3::from(*x))).fold(f32::INFINITY, f32::min);
    (nearest / (0.5 * D), count, position.len())
}

#[test]
fn containers_keep_their_grains_one_radius_off_every_wall() {
    let tray = Shape::Box { min: [0.0; 3], max: [10.0 * D, 1.0, 8.0 * D], hollow: true };
    let drum = Shape::Cylinder { from: [0.0; 3], to: [0.0, 1.0, 0.0], radius: 6.0 * D, hollow: true };
    let bowl = Shape::Sphere { center: [0.0, 8.0 * D, 0.0], radius: 8.0 * D, hollow: true };
    let hopper = Shape::Cone {
        from: [0.0; 3],
        to: [0.0, 16.0 * D, 0.0],
        from_radius: 2.0 * D,
        to_radius: 12.0 * D,
        hollow: true,
    };
    let box_of = |min: [f32; 3], max: [f32; 3]| Shape::Box {
        min: min.map(|c| c * D),
        max: max.map(|c| c * D),
        hollow: false,
    };
    for (container, grains) in [
        (tray, box_of([0.0, 0.0, 0.0], [10.0, 8.0, 8.0])),
        (drum, box_of([-4.0, 0.0, -4.0], [4.0, 10.0, 4.0])),
        (bowl, box_of([-4.0, 4.0, -4.0], [4.0, 10.0, 4.0])),
        (hopper, box_of([-3.0, 6.0, -3.0], [3.0, 12.0, 3.0])),
    ] {
        let words = format!("{container:?}");
        let (nearest, before, after) = smallest_distance(container, grains);
        assert!(nearest > 0.9, "{nearest} r in {words}");
        assert_eq!(before, after);
    }
}

#[test]
fn a_keyframed_piston_pushes_the_grains_at_its_own_speed() {
    let mut scene = sand(30.0);
    scene.boundary.push(floor());
    let piston = Shape::Box { min: [-0.5, -0.1, -1.0], max: [0.0, 0.5, 1.0], hollow: false };
    let mut piston = wall("piston", piston, Some(0.3));
    let key =
        |time: f64, x: f32| Keyframe { time, translation: [x, 0.0, 0.0], axis: [0.0, 1.0, 0.0], angle: 0.0 };
    piston.motion = Some(Motion { keyframe: vec![key(0.0, 0.0), key(1.0, 0.4)], ..Motion::default() });
    scene.boundary.push(piston);
    scene.grains.push(block([0.0; 3], [6.0, 5.0, 6.0], Fill::Jittered));
    let mut simulation = simulate(scene);
    simulation.run_until(1.0);
    let snapshot = simulation.read(&["position"]).unwrap();
    let last = snapshot.vec3("position").unwrap().iter().map(|x| x[0]).fold(f32::INFINITY, f32::min);
    let behind = (last - 0.4) / (0.5 * D);
    assert!(behind > 0.8, "a grain is {behind} r in front of the piston's face");
    assert!(mean(&mut simulation, "position")[0] > 0.4, "the heap is in front of the piston");
}

#[test]
fn a_tool_pose_moves_a_wall_by_command() {
    let mut scene = sand(30.0);
    scene.boundary.push(floor());
    scene.grains.push(block([0.0; 3], [4.0, 3.0, 4.0], Fill::Jittered));
    let mut simulation = simulate(scene);
    simulation.run_until(0.5);
    let before = mean(&mut simulation, "position")[1];
    for k in 1..=50 {
        let position = glam::Vec3::new(0.0, 0.002 * k as f32, 0.0);
        let velocity = glam::Vec3::new(0.0, 0.1, 0.0);
        simulation.apply(&Command::ToolPose { boundary: "floor".into(), position, velocity }).unwrap();
        simulation.run_until(0.5 + 0.02 * k as f64);
    }
    let lifted = mean(&mut simulation, "position")[1] - before;
    assert!((lifted - 0.1).abs() < 0.005, "lifted by {lifted} m");
    let unknown =
        Command::ToolPose { boundary: "flor".into(), position: glam::Vec3::ZERO, velocity: glam::Vec3::ZERO };
    assert!(simulation.apply(&unknown).unwrap_err().to_string().contains("floor"));
}
