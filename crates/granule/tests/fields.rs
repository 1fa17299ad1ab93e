//! Fields that are found when somebody asks for them: age, force, normal, cell.

mod common;

use common::{D, block, sand, simulate};
use glam::Vec3;
use granule::Simulation;
use granule::scene::Fill;
use granule::simulator::Command;

fn vectors(simulation: &mut Simulation, name: &str) -> Vec<Vec3> {
    let snapshot = simulation.read(&[name]).unwrap();
    snapshot.vec3(name).unwrap().iter().map(|v| Vec3::from(*v)).collect()
}

/// A cube of grains in the air.
fn cube(side: f32) -> Simulation {
    let mut scene = sand(30.0);
    scene.grains.push(block([0.0; 3], [side; 3], Fill::Lattice));
    simulate(scene)
}

#[test]
fn age_counts_from_the_beginning_or_from_the_entrance() {
    let mut simulation = cube(3.0);
    let initial = simulation.particle_count();
    let emit = |simulation: &mut Simulation, x: f32| {
        let positions = vec![Vec3::new(x, 20.0 * D, 0.0), Vec3::new(x, 23.0 * D, 0.0)];
        let command = Command::Emit { material: "sand".into(), positions, velocity: Vec3::ZERO };
        assert_eq!(simulation.apply(&command).unwrap().emitted, 2);
    };
    simulation.run_until(0.02);
    let first = simulation.time();
    emit(&mut simulation, 0.0);
    simulation.run_until(0.06);
    let second = simulation.time();
    emit(&mut simulation, 10.0 * D);
    let resumed = Simulation::resume(&simulation.checkpoint().unwrap(), &Default::default()).unwrap();
    for mut simulation in [simulation, resumed] {
        simulation.run_until(0.1);
        let time = simulation.time();
        let snapshot = simulation.read(&["age", "id"]).unwrap();
        let (age, id) = (snapshot.scalar("age").unwrap(), snapshot.integer("id").unwrap());
        for (age, id) in age.iter().zip(id) {
            let birth = match *id as usize {
                id if id < initial => 0.0,
                id if id < initial + 2 => first,
                _ => second,
            };
            assert_eq!(*age, (time - birth) as f32, "grain {id}");
        }
    }
}

#[test]
fn the_force_on_a_falling_grain_is_its_weight_and_on_a_resting_one_none() {
    let mut simulation = cube(1.0);
    assert_eq!(vectors(&mut simulation, "force"), [Vec3::ZERO], "before the first step");
    simulation.run_until(0.02);
    let mass = simulation.scene().material[0].density * D.powi(3);
    let force = vectors(&mut simulation, "force")[0];
    assert!((force / mass - Vec3::new(0.0, -9.81, 0.0)).length() < 0.02, "{}", force / mass);

    let mut scene = sand(30.0);
    scene.boundary.push(common::floor());
    scene.grains.push(block([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], Fill::Lattice));
    let mut simulation = simulate(scene);
    simulation.run_until(0.6);
    let force = vectors(&mut simulation, "force")[0];
    assert!((force / mass).length() < 0.2, "{}", force / mass);
}

#[test]
fn normals_point_out_of_a_block_and_vanish_inside() {
    let mut simulation = cube(9.0);
    let (position, normal) = (vectors(&mut simulation, "position"), vectors(&mut simulation, "normal"));
    let middle = position.iter().sum::<Vec3>() / position.len() as f32;
    let (mut outer, mut inner) = (0, 0);
    for (x, n) in position.iter().zip(&normal) {
        let away = (*x - middle) / D;
        let depth = 4.0 - away.abs().max_element();
        if depth < 0.5 {
            assert!(n.length() > 0.3 && n.dot(away) > 0.0, "{away}: {n}");
            outer += 1;
        } else if depth > 2.5 {
            assert!(n.length() < 1e-3, "{away}: {n}");
            inner += 1;
        }
    }
    assert_eq!((outer, inner), (9 * 9 * 9 - 7 * 7 * 7, 3 * 3 * 3));
}

#[test]
fn cells_are_counted_from_the_origin_and_do_not_depend_on_other_grains() {
    let support = 2.0 * D;
    let numbers = |side: f32| {
        let mut simulation = cube(side);
        let position = vectors(&mut simulation, "position");
        let snapshot = simulation.read(&["cell"]).unwrap();
        let cell = snapshot.integer("cell").unwrap().to_vec();
        for (x, cell) in position.iter().zip(&cell) {
            let [x, y, z] = (*x / support).floor().to_array().map(|part| part as u32);
            assert_eq!(*cell, x | y << 11 | z << 21, "{x} {y} {z}");
        }
        cell
    };
    let (few, many) = (numbers(4.0), numbers(6.0));
    assert!(few.iter().all(|cell| many.contains(cell)));
    assert_eq!(std::collections::BTreeSet::from_iter(&few).len(), 8);
}
