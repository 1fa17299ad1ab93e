//! From the command line to a scene and a simulation that is ready to step.

use granule::scene::{Location, SceneError};
use granule::simulator::Snapshot;
use granule::{Options, Scene, Simulation};

use crate::args::RunArgs;
use crate::failure::Failure;

/// Opens a scene for a run: its file, `[quick]` form, `--set`, then the flags that stand for scene keys.
pub fn open(name_or_path: &str, args: &RunArgs) -> Result<Scene, Failure> {
    let flags = [
        ("--solver", "simulation.solver", args.solver.clone()),
        ("--fps", "simulation.fps", args.fps.map(|fps| fps.to_string())),
        ("--seed", "simulation.seed", args.seed.map(|seed| seed.to_string())),
        (
            "--export",
            "output.formats",
            args.export.as_deref().map(|words| list(words, |word| format!("{word:?}"))),
        ),
        ("--track", "output.track", args.track.as_deref().map(|ids| list(ids, u32::to_string))),
        ("--up", "output.up", args.up.clone()),
    ];
    let mut sets = args.set.clone();
    let mut origins = Vec::new();
    for (flag, key, value) in flags {
        if let Some(value) = value {
            origins.push((
                format!("{key}={value}"),
                format!("{flag} {}", value.replace(['[', ']', '"', ' '], "")),
            ));
            sets.push((key.into(), value));
        }
    }
    Scene::open(name_or_path, args.quick, &sets).map_err(|error| name_flag(error, &origins).into())
}

/// A list as a scene writes it.
fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(text).collect::<Vec<_>>().join(", "))
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
    let mut simulation = Simulation::new(scene, options)?;
    let snapshot = first_snapshot(&mut simulation)?;
    Ok((simulation, snapshot))
}

/// Reads the fields of a simulation's first frame.
pub fn first_snapshot(simulation: &mut Simulation) -> Result<Snapshot, Failure> {
    let scene = simulation.scene().clone();
    let wrong = |error| Failure::Input(format!("`output.fields`: {error}"));
    simulation.read(&frame_fields(&scene)).map_err(wrong)
}
