//! A measurement of one's own: the front of a collapsing column over time, for several friction angles.
#![allow(clippy::print_stdout)]

use std::error::Error;

use granule::{MaterialSettings, Options, Scene, Shape, Simulation, SimulationError};

/// Width and height of the column [m].
const COLUMN: [f32; 2] = [0.1, 0.2];

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    println!("friction angle [degrees], run-out (front - width) / width");
    let mut runouts = Vec::new();
    for angle in [20.0, 30.0, 40.0] {
        let runout = runout(angle)?;
        println!("{angle:22} {runout:.2}");
        runouts.push(runout);
    }
    // What slides more easily runs farther.
    assert!(runouts.is_sorted_by(|first, second| first > second), "{runouts:?}");
    Ok(())
}

/// How far a column of sand runs out within half a second, in its own widths.
fn runout(friction_angle: f32) -> Result<f32, SimulationError> {
    let [width, height] = COLUMN;
    let scene = Scene::new("run-out")
        .with_material(MaterialSettings { friction_angle, ..MaterialSettings::default() })
        .with_wall("channel", Shape::container([0.0; 3], [2.0, 1.0, 0.1]))
        .with_grains("sand", Shape::cuboid([0.0; 3], [width, height, 0.1]));
    let mut simulation = Simulation::new(scene, &Options::default())?;
    simulation.run_until(0.5);
    // A device that fails says so; CPU cores do not.
    if let Some(reason) = simulation.failure() {
        return Err(SimulationError::Failed(reason.into()));
    }
    // Every solver has positions.
    let snapshot = simulation.read(&["position"]).unwrap_or_default();
    let mut along: Vec<f32> = snapshot.vec3("position").unwrap_or_default().iter().map(|x| x[0]).collect();
    along.sort_by(f32::total_cmp);
    // Single grains that roll ahead are no front.
    let front = along.get(along.len() * 98 / 100).copied().unwrap_or(width);
    Ok((front - width) / width)
}
