//! Commands between steps: a tray of sand is tilted by turning gravity, made more slippery, then grains are added and
//! taken away.
#![allow(clippy::print_stdout)]

use std::error::Error;

use glam::Vec3;
use granule::{Command, MaterialSettings, Options, Scene, Shape, Simulation};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let scene = Scene::new("tray")
        .with_material(MaterialSettings::default())
        .with_wall("tray", Shape::container([0.0; 3], [0.4, 1.0, 0.1]))
        .with_grains("sand", Shape::cuboid([0.0; 3], [0.4, 0.06, 0.1]));
    let mut simulation = Simulation::new(scene, &Options::default())?;
    simulation.run_until(0.1);

    // A parameter by its path in the scene, as a slider would send it.
    simulation.apply(&Command::Set { path: "material.sand.friction_angle".into(), value: 10.0 })?;

    // Gravity turns by half a degree per step: what a hand does that tilts the tray.
    for step in 0..40 {
        let angle = (0.5 * f64::from(step)).to_radians() as f32;
        simulation.apply(&Command::Gravity(9.81 * Vec3::new(angle.sin(), -angle.cos(), 0.0)))?;
        let report = simulation.step();
        if step % 10 == 0 {
            println!("{:4.1} degrees: fastest grain {:.3} m/s", angle.to_degrees(), report.max_speed);
        }
    }

    let drop = |k: usize| Vec3::new(0.05 + 0.03 * k as f32, 0.3, 0.05);
    let positions = (0..10).map(drop).collect();
    let emit = Command::Emit { material: "sand".into(), positions, velocity: Vec3::ZERO };
    let report = simulation.apply(&emit)?;
    println!("{} grains added, {} found no room", report.emitted, report.blocked);
    assert_eq!(report.emitted, 10);

    // All grains in a shape, as a hand would suck them away.
    let region = Shape::ball([0.3, 0.0, 0.05], 0.05);
    let removed = simulation.apply(&Command::Remove { region })?.removed;
    println!("{removed} grains removed");
    assert!(removed > 0);

    // What does not exist is refused, with what does.
    let wrong = simulation.apply(&Command::Set { path: "material.sand.colour".into(), value: 1.0 });
    println!("{}", wrong.expect_err("there is no such parameter"));

    simulation.run_until(0.3);
    let books = simulation.ledger();
    println!("{} + {} - {} = {} grains", books.initial, books.emitted, books.removed, books.particles);
    assert_eq!(books.unaccounted(), 0);
    Ok(())
}
