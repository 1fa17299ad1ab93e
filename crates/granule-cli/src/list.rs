//! `granule list`: the built-in scenes.

use granule::scene::builtin_scenes;
use rayon::prelude::*;
use serde::Serialize;

use crate::args::ListArgs;
use crate::device::cpu_options;
use crate::failure::Failure;
use crate::output;
use crate::scenes::{self, Opened};

/// A scene in the list.
#[derive(Serialize)]
struct Listed {
    name: &'static str,
    solver: &'static str,
    particles: usize,
    seconds: f64,
    description: String,
}

/// Prints the built-in scenes.
pub fn list(args: &ListArgs) -> Result<(), Failure> {
    let listed: Vec<Listed> =
        builtin_scenes().par_iter().map(|scene| describe(scene.name)).collect::<Result<_, _>>()?;
    if args.json {
        return output::json(&listed);
    }
    let rows: Vec<Vec<String>> = listed
        .iter()
        .map(|scene| {
            let numbers = [scene.particles.to_string(), output::number(scene.seconds)];
            let words = [scene.name.to_string(), scene.solver.to_string()];
            words.into_iter().chain(numbers).chain([scene.description.clone()]).collect()
        })
        .collect();
    output::text(&output::table(&["scene", "solver", "particles", "seconds", "what it shows"], &rows))
}

fn describe(name: &'static str) -> Result<Listed, Failure> {
    let mut opened = Opened::plain(name, false)?;
    // Fine grains are not counted, and take longest to fill.
    opened.scene.upsample = None;
    let (simulation, _) = opened.build(&cpu_options(1))?;
    Ok(Listed {
        name,
        solver: simulation.simulator().solver(),
        particles: scenes::particle_count(&simulation),
        seconds: simulation.scene().simulation.seconds,
        description: simulation.scene().description.clone(),
    })
}
