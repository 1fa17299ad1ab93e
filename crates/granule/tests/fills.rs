//! How shapes are filled with grains.

mod common;

use common::{D, block, mean, sand, simulate, wall};
use glam::Vec3;
use granule::boundary::{MeshShape, Shape};
use granule::geometry::MeshTree;
use granule::scene::{Fill, GrainsSettings, Scene};

/// A block of twelve spacings in a box that it fills to its walls.
fn boxed(fill: Fill) -> Scene {
    let mut scene = sand(30.0);
    let (min, max) = ([0.0; 3], [12.0 * D, 24.0 * D, 12.0 * D]);
    scene.boundary.push(wall("box", Shape::Box { min, max, hollow: true }, None));
    scene.grains.push(block([0.0; 3], [12.0; 3], fill));
    scene
}

#[test]
fn a_relaxed_block_does_not_settle() {
    let mut simulation = simulate(boxed(Fill::Relaxed));
    assert!(simulation.particle_count() >= 1650, "{} of 1728 grains", simulation.particle_count());
    let before = mean(&mut simulation, "position")[1];
    simulation.run_until(1.0);
    let settled = 1.0 - mean(&mut simulation, "position")[1] / before;
    // Without a lattice's order the kernel sums are a little larger than at rest, so that it rises rather than settles.
    assert!((-0.05..0.03).contains(&settled), "the block settles by {settled}");
}

#[test]
fn a_random_block_is_loose_and_settles() {
    let mut simulation = simulate(boxed(Fill::Random));
    let part = simulation.particle_count() as f64 / 1728.0;
    assert!((0.55..0.78).contains(&part), "{part} of the grains at rest");
    let before = mean(&mut simulation, "position")[1];
    simulation.run_until(1.0);
    let settled = 1.0 - mean(&mut simulation, "position")[1] / before;
    assert!(settled > 0.1, "the block settles by {settled} only");
}

#[test]
fn a_mesh_is_filled_with_whole_grains_the_same_every_time() {
    let shape = MeshShape { size: Some(20.0 * D), ..MeshShape::of_file("builtin:bumpy".into()) };
    let mesh = shape.load_placed().unwrap();
    let most = mesh.signed_volume() / f64::from(D).powi(3);
    let tree = MeshTree::new(&mesh);
    for (fill, least) in [(Fill::Relaxed, 0.85), (Fill::Random, 0.5), (Fill::Lattice, 0.6)] {
        let positions = || {
            let mut scene = sand(30.0);
            let shape = Shape::Mesh(shape.clone());
            scene.grains.push(GrainsSettings {
                material: "sand".into(),
                shape,
                fill,
                velocity: [0.0; 3],
                radius: None,
                grain: Default::default(),
                fixed: false,
            });
            let snapshot = simulate(scene).read(&["position"]).unwrap();
            snapshot.vec3("position").unwrap().to_vec()
        };
        let found = positions();
        let part = found.len() as f64 / most;
        assert!(part > least && part <= 1.001, "{fill:?}: {part}");
        // The walls of meshes in scenes are interpolated.
        let depth = |position: &[f32; 3]| -tree.signed(Vec3::from(*position), 0).0 / (0.5 * D);
        let shallowest = found.iter().map(depth).fold(f32::INFINITY, f32::min);
        assert!(shallowest > 0.9, "{fill:?}: a centre {shallowest} radii inside");
        assert_eq!(found, positions(), "{fill:?}");
    }
}
