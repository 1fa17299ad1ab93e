//! A scene in code: sand runs out of a box whose gate is pulled up, past a post.
#![allow(clippy::print_stdout)]

use std::error::Error;

use granule::scene::BoundarySettings;
use granule::{Keyframe, MaterialSettings, Motion, Options, Scene, Shape, Simulation};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let sand = MaterialSettings { radius: 0.008, friction_angle: 33.0, ..MaterialSettings::default() };
    let at = |time, height| Keyframe { time, translation: [0.0, height, 0.0], ..Keyframe::default() };
    let pull = Motion { keyframe: vec![at(0.1, 0.0), at(0.2, 0.3)], ..Motion::default() };
    let gate = BoundarySettings {
        motion: Some(pull),
        ..BoundarySettings::new("gate", Shape::cuboid([0.16, 0.0, -0.1], [0.18, 0.3, 0.2]))
    };
    let mut scene = Scene::new("gate")
        .with_material(sand)
        .with_wall("room", Shape::container([0.0; 3], [0.6, 1.0, 0.1]))
        .with_wall("post", Shape::pillar([0.3, 0.0, 0.05], 0.5, 0.02))
        .with_grains("sand", Shape::cuboid([0.0; 3], [0.16, 0.2, 0.1]));
    scene.boundary.push(gate);
    scene.simulation.fps = 50.0;

    let mut simulation = Simulation::new(scene, &Options::default())?;
    println!("{} grains", simulation.particle_count());
    for _ in 0..20 {
        simulation.run_until(simulation.time() + 0.02);
        let front = farthest(&mut simulation)?;
        println!("t = {:.2} s: sand reaches x = {front:.3} m", simulation.time());
    }
    assert!(farthest(&mut simulation)? > 0.2, "the gate is open");
    println!("{}", simulation.scene().to_toml()?);
    Ok(())
}

/// Largest x of all grains [m].
fn farthest(simulation: &mut Simulation) -> Result<f32, Box<dyn Error>> {
    let snapshot = simulation.read(&["position"])?;
    let positions = snapshot.vec3("position").ok_or("positions are vectors")?;
    Ok(positions.iter().map(|x| x[0]).fold(f32::MIN, f32::max))
}
