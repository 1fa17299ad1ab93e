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
    /// Particles at the beginning, where they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    particles: Option<usize>,
    seconds: f64,
    description: String,
}

impl Listed {
    fn row(&self) -> Vec<String> {
        let words = [self.name.to_string(), self.solver.to_string()];
        let numbers = self.particles.map(|count| count.to_string()).into_iter();
        let numbers = numbers.chain([output::number(self.seconds)]);
        words.into_iter().chain(numbers).chain([self.description.clone()]).collect()
    }
}

/// Prints the built-in scenes.
pub fn list(args: &ListArgs) -> Result<(), Failure> {
    let describe = |name| describe(name, args.particles);
    let listed: Vec<Listed> =
        builtin_scenes().par_iter().map(|scene| describe(scene.name)).collect::<Result<_, _>>()?;
    if args.json {
        return output::json(&listed);
    }
    let header = ["scene", "solver", "particles", "seconds", "what it shows"];
    let header: Vec<&str> =
        header.into_iter().filter(|name| args.particles || *name != "particles").collect();
    let rows: Vec<Vec<String>> = listed.iter().map(Listed::row).collect();
    output::text(&output::table(&header, &rows))
}

fn describe(name: &'static str, with_particles: bool) -> Result<Listed, Failure> {
    let opened = Opened::plain(name, false)?;
    let simulation = &opened.scene.simulation;
    let listed = Listed {
        name,
        solver: simulation.solver.name(),
        particles: None,
        seconds: simulation.seconds,
        description: opened.scene.description.clone(),
    };
    let particles = if with_particles { Some(count(opened)?) } else { None };
    Ok(Listed { particles, ..listed })
}

/// Particles at the beginning. They are counted by filling the scene with them.
fn count(mut opened: Opened) -> Result<usize, Failure> {
    // Fine grains are not counted, and take longest to fill.
    opened.scene.upsample = None;
    let (simulation, _) = opened.build(&cpu_options(1))?;
    Ok(scenes::particle_count(&simulation))
}
