//! From the command line to a scene and a simulation that is ready to step.

use granule::scene::{Location, SceneError};
use granule::simulator::Snapshot;
use granule::{Options, Scene, Simulation};

use crate::args::RunArgs;
use crate::failure::Failure;

/// Opens the scene of a run: its file, `[quick]` form, `--set`, then the flags that stand for scene keys.
pub fn open(args: &RunArgs) -> Result<Scene, Failure> {
    let flags = [
        ("--solver", "simulation.solver", args.solver.clone()),
        ("--fps", "simulation.fps", args.fps.map(|fps| fps.to_string())),
        ("--seed", "simulation.seed", args.seed.map(|seed| seed.to_string())),
    ];
    let mut sets = args.set.clone();
    let mut origins = Vec::new();
    for (flag, key, value) in flags {
        if let Some(value) = value {
            origins.push((format!("{key}={value}"), format!("{flag} {value}")));
            sets.push((key.into(), value));
        }
    }
    Scene::open(&args.scene, args.quick, &sets).map_err(|error| name_flag(error, &origins).into())
}

/// Says `--fps -1` where the scene only knows of `--set simulation.fps=-1`.
fn name_flag(mut error: SceneError, origins: &[(String, String)]) -> SceneError {
    if let SceneError::Problem(problem) = &mut error
        && let Some(Location::Set(text)) = &problem.location
        && let Some((_, flag)) = origins.iter().rev().find(|(set, _)| set == text)
    {
        problem.location = Some(Location::File { name: flag.clone(), line: None, quick: false });
    }
    error
}

/// Names of the fields in a scene's frames.
pub fn frame_fields(scene: &Scene) -> Vec<&str> {
    ["id", "position"].into_iter().chain(scene.output.fields.iter().map(String::as_str)).collect()
}

/// Particles of a scene: those at the start and all that its emitters may add, where they have a limit.
pub fn particle_count(simulation: &Simulation) -> usize {
    let limits = simulation.scene().emitter.iter().filter_map(|emitter| emitter.limit);
    limits.fold(simulation.particle_count(), |sum, limit| sum.saturating_add(limit as usize))
}

/// Builds a simulation with grains and reads its initial state; all that can be wrong is found here.
pub fn build(scene: Scene, options: &Options) -> Result<(Simulation, Snapshot), Failure> {
    scene.require_grains()?;
    let mut simulation = Simulation::new(scene.clone(), options)?;
    let wrong = |error| Failure::Input(format!("`output.fields`: {error}"));
    let snapshot = simulation.read(&frame_fields(&scene)).map_err(wrong)?;
    Ok((simulation, snapshot))
}
