//! `granule check`: finds what is wrong with a scene without running it.

use serde::Serialize;

use crate::args::{CheckArgs, RunArgs};
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
    let opened = open(args, false)?;
    let has_quick = !opened.scene.quick.is_empty();
    let (simulation, _) = opened.build(&cpu_options(1))?;
    let quick_particles = has_quick.then(|| quick_particles(args)).transpose()?;
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

/// Opens a scene as `run` would with the same options.
fn open(args: &CheckArgs, quick: bool) -> Result<Opened, Failure> {
    let (solver, set) = (args.solver.clone(), args.set.clone());
    let as_run = RunArgs { quick, solver, set, ..RunArgs::of(&args.scene) };
    Opened::for_run(&args.scene, &as_run)
}

fn quick_particles(args: &CheckArgs) -> Result<usize, Failure> {
    let (simulation, _) = open(args, true)?.build(&cpu_options(1))?;
    Ok(scenes::particle_count(&simulation))
}

fn in_words(checked: &Checked) -> String {
    let quick = checked.quick_particles.map(|count| format!(" ({count} with --quick)")).unwrap_or_default();
    format!(
        "{}: ok; solver {}, {} particles{quick}, {} s at {} frames per second, {} expectations",
        checked.scene, checked.solver, checked.particles, checked.seconds, checked.fps, checked.expectations
    )
}
