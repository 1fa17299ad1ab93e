//! Triangle meshes as walls, containers and bodies.

mod common;

use common::{D, block, body, floor, sand, simulate, wall};
use glam::Vec3;
use granule::boundary::{Keyframe, MeshShape, Motion, Shape};
use granule::geometry::MeshTree;
use granule::scene::{Fill, Scene};

/// A mesh that the program makes, of a size in spacings.
fn mesh(name: &str, size: f32, position: [f32; 3]) -> MeshShape {
    let position = position.map(|c| c * D);
    MeshShape { size: Some(size * D), position, ..MeshShape::of_file(format!("builtin:{name}")) }
}

#[test]
fn grains_rest_a_radius_above_a_mesh() {
    let mut scene = sand(30.0);
    // The top of a cube of 30 d, its middle 15 d down, is the floor.
    scene.boundary.push(wall("cube", Shape::Mesh(mesh("box", 30.0, [0.0, -15.0, 0.0])), Some(1.0)));
    scene.grains.push(block([-6.0, 0.2, -6.0], [6.0, 6.2, 6.0], Fill::Jittered));
    let mut simulation = simulate(scene);
    simulation.run_until(1.5);
    let snapshot = simulation.read(&["position"]).unwrap();
    let lowest: Vec<f32> = snapshot
        .vec3("position")
        .unwrap()
        .iter()
        .map(|x| x[1] / D)
        .filter(|y| (0.0..0.8).contains(y))
        .collect();
    let mean = lowest.iter().sum::<f32>() / lowest.len() as f32;
    assert!(lowest.len() > 80, "{} grains in the first layer", lowest.len());
    assert!((mean / 0.5 - 1.0).abs() < 0.1, "the first layer rests at {mean} d");
}

/// A bed full of sand that is shaken sideways and up and down, turned and tipped.
fn shaken_bed() -> Scene {
    let mut scene = sand(30.0);
    let bed = mesh("truck-bed", 30.0, [0.0; 3]);
    let key = |time: f64, translation: [f32; 3], angle: f32| Keyframe {
        time,
        translation,
        axis: [0.0, 0.0, 1.0],
        angle,
    };
    // Up to 2 m/s in both directions.
    let motion = Motion {
        keyframe: vec![
            key(0.1, [0.0; 3], 0.0),
            key(0.2, [0.2, 0.0, 0.0], 0.0),
            key(0.3, [0.2, -0.2, 0.0], 0.0),
            key(0.4, [0.2, 0.0, 0.0], 10.0),
            key(0.5, [0.0, 0.0, 0.0], -10.0),
            key(0.6, [0.0, 0.1, 0.0], 20.0),
            key(1.0, [0.0, 0.1, 0.0], 75.0),
        ],
        ..Motion::default()
    };
    scene.boundary.push(wall("bed", Shape::Mesh(bed), Some(0.3)));
    scene.boundary[0].motion = Some(motion);
    scene.grains.push(block([-12.0, -4.0, -6.0], [12.0, 3.0, 6.0], Fill::Lattice));
    scene.simulation.fps = 100.0;
    scene
}

#[test]
fn a_shaken_and_tipped_container_leaks_nothing() {
    let scene = shaken_bed();
    let Shape::Mesh(shape) = &scene.boundary[0].shape else { unreachable!() };
    let tree = MeshTree::new(&shape.load_placed().unwrap());
    let motion = scene.boundary[0].motion.clone().unwrap();
    let mut simulation = simulate(scene);
    let mut deepest = f32::INFINITY;
    let mut before: Vec<Vec3> = Vec::new();
    for frame in 1..=140 {
        simulation.run_until(frame as f64 / 100.0);
        let pose = motion.pose(simulation.time());
        let snapshot = simulation.read(&["position"]).unwrap();
        let places = snapshot.vec3("position").unwrap().iter();
        let places: Vec<Vec3> = places.map(|x| pose.body_from_world(Vec3::from(*x))).collect();
        // On its way from frame to frame no centre goes through the mesh either.
        for (k, to) in places.iter().enumerate() {
            let from = before.get(k).unwrap_or(to);
            for part in 1..=8 {
                let (distance, _, _) = tree.signed(from.lerp(*to, part as f32 / 8.0), 0);
                deepest = deepest.min(distance / (0.5 * D));
            }
        }
        before = places;
    }
    assert!(deepest > -0.5, "a centre was {deepest} radii from the wall");
    let out = before.iter().filter(|x| x.x < -16.0 * D).count();
    assert!(out > 100, "tipped, it empties: {out} of {} grains are out", before.len());
}

#[test]
fn a_mesh_body_falls_on_sand_and_lies_on_it() {
    let mut scene = sand(30.0);
    scene.boundary.push(floor());
    scene.grains.push(block([-8.0, 0.0, -8.0], [8.0, 4.0, 8.0], Fill::Lattice));
    scene.body.push(body("ring", Shape::Mesh(mesh("torus", 12.0, [0.0, 10.0, 0.0])), 1500.0));
    let mut simulation = simulate(scene);
    simulation.run_until(1.2);
    let ring = &simulation.simulator().bodies()[0];
    assert!(ring.velocity.length() < 0.05, "{ring:?}");
    assert!((2.0..7.0).contains(&(ring.center.y / D)), "{ring:?}");
}
