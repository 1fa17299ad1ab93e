//! What the solver must not change: momentum, swings, similarity. Nothing calms the motion.

mod common;

use common::{D, block, floor, mean, sand, simulate, wall};
use granule::boundary::Shape;
use granule::scene::{Fill, Periodic, Scene};
use granule::simulation::Simulation;

#[test]
fn an_isolated_particle_keeps_its_momentum_exactly() {
    for gravity in [[0.0; 3], [0.0, -9.81, 0.0]] {
        let mut scene = sand(30.0);
        scene.simulation.gravity = gravity;
        let mut grain = block([0.0; 3], [1.0; 3], Fill::Lattice);
        grain.velocity = [0.3, 0.4, -0.1];
        scene.grains.push(grain);
        let mut simulation = simulate(scene);
        assert_eq!(simulation.particle_count(), 1);
        for _ in 0..200 {
            simulation.step();
        }
        let velocity = mean(&mut simulation, "velocity");
        let expected = [0.3, 0.4 + gravity[1] as f64 * simulation.time(), -0.1];
        for (v, e) in velocity.iter().zip(expected) {
            assert!((v - e).abs() < 1e-5 * (1.0 + e.abs()), "{velocity:?} instead of {expected:?}");
        }
        if gravity[1] == 0.0 {
            assert_eq!(velocity, [0.3f32 as f64, 0.4f32 as f64, -0.1f32 as f64]);
        }
    }
}

#[test]
fn a_free_flying_cluster_keeps_its_momentum() {
    for friction in [0.0, 30.0] {
        let mut scene = sand(friction);
        scene.simulation.gravity = [0.0; 3];
        let mut left = block([0.0; 3], [8.0; 3], Fill::Jittered);
        left.velocity = [1.5, 0.2, 0.0];
        let mut right = block([9.0, 2.0, 1.0], [15.0, 8.0, 7.0], Fill::Jittered);
        right.velocity = [-0.5, 0.0, 0.3];
        scene.grains.extend([left, right]);
        let mut simulation = simulate(scene);
        let before = mean(&mut simulation, "velocity");
        let energy: Vec<f64> = (0..300).map(|_| simulation.step().kinetic_energy).collect();
        assert!(
            energy[299] < 0.95 * energy[0],
            "the clusters met: {} J of {} J left",
            energy[299],
            energy[0]
        );
        let after = mean(&mut simulation, "velocity");
        for k in 0..3 {
            assert!((after[k] - before[k]).abs() < 2e-5, "friction {friction}: {before:?} became {after:?}");
        }
    }
}

/// Horizontal centre of mass over time in a tank of fluid released with a sloping surface.
fn slosh() -> Vec<f64> {
    let (length, height) = (40.0, 12.5);
    let mut scene = sand(0.0);
    scene.simulation.periodic = Periodic { z: Some([0.0, 6.0 * D]), ..Periodic::default() };
    let tank = Shape::Box { min: [0.0, 0.0, -1.0], max: [length * D, 1.0, 2.0], hollow: true };
    scene.boundary.push(wall("tank", tank, Some(0.0)));
    // Steps of the surface from left to right.
    for k in 0..8 {
        let (x, top) = (k as f32 * length / 8.0, height + 3.5 - k as f32);
        scene.grains.push(block([x, 0.0, 0.0], [x + length / 8.0, top, 6.0], Fill::Lattice));
    }
    scene.simulation.fps = 100.0;
    let mut simulation = simulate(scene);
    let mut track = Vec::new();
    while simulation.time() < 2.6 {
        let frame = simulation.frame() + 1;
        while simulation.frame() < frame {
            simulation.step();
        }
        track.push(mean(&mut simulation, "position")[0] / D as f64 - length as f64 / 2.0);
    }
    track
}

#[test]
fn a_frictionless_slosh_keeps_its_amplitude() {
    let track = slosh();
    // The first swing is the first extreme on the far side, the second the next extreme on the near side.
    let first_at = track.iter().enumerate().take(110).max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
    let first = track[first_at];
    let second = track[first_at..].iter().copied().take(110).fold(f64::INFINITY, f64::min);
    assert!(track[0] < 0.0 && first > 0.0, "it swings over: {} to {first}", track[0]);
    assert!(-second >= 0.8 * first, "first swing {first:.3} d, second {:.3} d", -second);
}

/// The column of the similarity test with every length scaled.
fn scaled_column(scale: f32, frames_per_second: f64) -> Simulation {
    let mut scene: Scene = sand(30.0);
    scene.material[0].radius *= scale;
    scene.simulation.fps = frames_per_second;
    scene.boundary.push(floor());
    let mut grains = block([-4.0, 0.0, -4.0], [4.0, 12.0, 4.0], Fill::Jittered);
    if let Shape::Box { min, max, .. } = &mut grains.shape {
        *min = min.map(|c| c * scale);
        *max = max.map(|c| c * scale);
    }
    scene.grains.push(grains);
    simulate(scene)
}

#[test]
fn froude_similarity_holds_bit_for_bit() {
    // Lengths times 4, times 2: every operation scales by powers of two, so a hidden dimensional constant shows.
    let (mut small, mut large) = (scaled_column(1.0, 64.0), scaled_column(4.0, 32.0));
    small.run_until(0.25);
    large.run_until(0.5);
    assert_eq!(small.steps(), large.steps());
    let (a, b) = (small.read(&["position"]).unwrap(), large.read(&["position"]).unwrap());
    let (a, b) = (a.vec3("position").unwrap(), b.vec3("position").unwrap());
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert_eq!(a.map(|c| 4.0 * c), *b);
    }
}
