//! `granule check`: finds what is wrong with a scene without running it.

use serde::Serialize;

use crate::args::CheckArgs;
use crate::device::cpu_options;
use crate::failure::Failure;
use crate::output;
use crate::scenes::{self, Opened};

/// What a sound scene holds.
#[derive(Serialize)]
struct Checked {
    scene: String,
    solver: &'static str,
    particles: usize,
    /// Particles of the `[quick]` form, where there is one.
    quick_particles: Option<usize>,
    seconds: f64,
    fps: f64,
    expectations: usize,
}

/// Checks a scene and its `[quick]` form.
pub fn check(args: &CheckArgs) -> Result<(), Failure> {
    let opened = Opened::plain(&args.scene, false)?;
    let has_quick = !opened.scene.quick.is_empty();
    let (simulation, _) = opened.build(&cpu_options(1))?;
    let quick_particles = has_quick.then(|| quick_particles(&args.scene)).transpose()?;
    let scene = simulation.scene();
    let checked = Checked {
        scene: scene.name.clone(),
        solver: simulation.simulator().solver(),
        particles: scenes::particle_count(&simulation),
        quick_particles,
        seconds: scene.simulation.seconds,
        fps: scene.simulation.fps,
        expectations: scene.expect.len(),
    };
    if args.json { output::json(&checked) } else { output::text(&in_words(&checked)) }
}

fn quick_particles(name: &str) -> Result<usize, Failure> {
    let (simulation, _) = Opened::plain(name, true)?.build(&cpu_options(1))?;
    Ok(scenes::particle_count(&simulation))
}

fn in_words(checked: &Checked) -> String {
    let quick = checked.quick_particles.map(|count| format!(" ({count} with --quick)")).unwrap_or_default();
    format!(
        "{}: ok; solver {}, {} particles{quick}, {} s at {} frames per second, {} expectations",
        checked.scene, checked.solver, checked.particles, checked.seconds, checked.fps, checked.expectations
    )
}
