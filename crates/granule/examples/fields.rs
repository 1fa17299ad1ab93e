//! Fields as arrays: every field of the solver is read, and some are put to use.
#![allow(clippy::print_stdout)]

use std::error::Error;

use granule::{FieldData, Options, Scene, Simulation};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // A scene that comes with the crate, in its coarser form.
    let scene = Scene::open("column", true, &[])?;
    let mut simulation = Simulation::new(scene, &Options::default())?;
    simulation.run_until(0.2);

    // What the solver has, with unit and kind; then all of it, as arrays in the order of ids.
    let names: Vec<&str> = simulation.fields().iter().map(|field| field.name).collect();
    let snapshot = simulation.read(&names)?;
    for (field, data) in &snapshot.columns {
        let first = match data {
            FieldData::Integer(values) => format!("{:?}", values.first()),
            FieldData::Scalar(values) => format!("{:?}", values.first()),
            FieldData::Vec3(values) => format!("{:?}", values.first()),
            FieldData::Quaternion(values) => format!("{:?}", values.first()),
            FieldData::Tensor(values) => format!("{:?}", values.first()),
        };
        println!("{:16} [{}] {} values, the first: {first}", field.name, field.unit, data.len());
    }

    // Pressure at the bottom, against the weight of the sand above it.
    let position = snapshot.vec3("position").ok_or("positions are vectors")?;
    let pressure = snapshot.scalar("pressure").ok_or("pressures are numbers")?;
    let highest = position.iter().map(|x| x[1]).fold(0.0, f32::max);
    let low: Vec<f32> =
        position.iter().zip(pressure).filter(|(x, _)| x[1] < 0.25 * highest).map(|(_, p)| *p).collect();
    let mean = low.iter().sum::<f32>() / low.len() as f32;
    println!(
        "mean pressure in the lowest quarter: {mean:.0} Pa; {highest:.2} m of sand stand above the floor"
    );
    assert!(mean > 0.0 && snapshot.columns.len() == names.len());
    Ok(())
}
