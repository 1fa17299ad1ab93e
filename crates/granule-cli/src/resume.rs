//! `--resume`: a run that goes on from a checkpoint.

use std::path::Path;

use granule::io::{Checkpoint, CheckpointError};
use granule::live::Recording;
use granule::{Options, Simulation, SimulationError};
use serde::Serialize;

use crate::args::RunArgs;
use crate::failure::Failure;
use crate::scenes::Opened;

/// Where a resumed run began.
#[derive(Clone, Debug, Serialize)]
pub struct ResumedFrom {
    /// The checkpoint.
    pub file: String,
    /// Its frame.
    pub frame: u64,
    /// Its simulated time [s].
    pub time: f64,
    /// Steps taken before it.
    pub steps: u64,
}

/// A simulation, where it began, and what is still to be done to it.
pub type Resumed = (Simulation, ResumedFrom, Option<Recording>);

/// Reads a checkpoint and makes a simulation of it, after checking that it belongs to this run. With a recording, the commands
/// after the checkpoint's frame are still to be given.
pub fn resume(args: &RunArgs, path: &Path, options: &Options) -> Result<Resumed, Failure> {
    let file = path.display().to_string();
    refuse_own_folder(args, path)?;
    let checkpoint = Checkpoint::read(path).map_err(|error| failed(&file, error))?;
    let mut recording = None;
    if let Some(scene) = &args.scene {
        let opened = Opened::for_run(scene, args)?;
        recording = opened.recording;
        let given = opened.scene.to_toml();
        let given = given.map_err(|error| Failure::Run(format!("cannot write the scene: {error}")))?;
        refuse_other_scene(&file, &checkpoint, scene, &given)?;
    }
    let simulation = Simulation::restore(&checkpoint, options).map_err(|error| failed(&file, error))?;
    if checkpoint.engine_version != env!("CARGO_PKG_VERSION") {
        eprintln!(
            "granule: {file} was written by version {}, this is {}; the run may go on with other bits than it would \
             have there",
            checkpoint.engine_version,
            env!("CARGO_PKG_VERSION")
        );
    }
    let (frame, time, steps) = (simulation.frame(), simulation.time(), simulation.steps());
    Ok((simulation, ResumedFrom { file, frame, time, steps }, recording))
}

/// Reads a checkpoint and makes a simulation of it, whatever run it belongs to.
pub fn restore(path: &Path, options: &Options) -> Result<Simulation, Failure> {
    let read = Checkpoint::read(path).and_then(|checkpoint| Simulation::restore(&checkpoint, options));
    read.map_err(|error| failed(&path.display().to_string(), error))
}

/// A checkpoint that cannot be used, in words.
fn failed(file: &str, error: CheckpointError) -> Failure {
    match error {
        CheckpointError::Simulation(error @ SimulationError::Threads { .. }) => error.into(),
        error => Failure::Input(format!("{file}: {error}\n  remedy: {}", remedy(&error))),
    }
}

/// What to do about a checkpoint that cannot be used.
fn remedy(error: &CheckpointError) -> &'static str {
    match error {
        CheckpointError::Io(_) | CheckpointError::NotACheckpoint => {
            "name a file that a run with --checkpoint-every left: FOLDER/checkpoints/NNNNNN.ckpt"
        }
        CheckpointError::Truncated { .. } | CheckpointError::TooLong { .. } | CheckpointError::Checksum => {
            "take the checkpoint before it, or copy the file again if it comes from elsewhere"
        }
        _ => "resume it with the version of granule that wrote it, or run the scene.toml of its folder anew",
    }
}

/// A scene on the command line must be the one that the checkpoint's run started from.
fn refuse_other_scene(file: &str, checkpoint: &Checkpoint, name: &str, given: &str) -> Result<(), Failure> {
    if checkpoint.scene == given {
        return Ok(());
    }
    let inside = Checkpoint { scene: given.into(), ..checkpoint.clone() };
    let differing = checkpoint.scene.lines().zip(given.lines()).find(|(a, b)| a != b);
    let differing = differing
        .map(|(a, b)| format!("\n  first difference: `{a}` inside, `{b}` given"))
        .unwrap_or_default();
    Err(Failure::Input(format!(
        "{file}: the checkpoint is of another scene: {} ({:016x}) inside, {} ({:016x}) given as `{name}`{differing}\n  \
         remedy: leave out the scene to go on with the one inside, or give it with the flags it first ran with",
        scene_name(&checkpoint.scene),
        checkpoint.scene_hash(),
        scene_name(given),
        inside.scene_hash(),
    )))
}

/// The name in a scene's text, quoted.
fn scene_name(toml: &str) -> &str {
    toml.lines().find_map(|line| line.strip_prefix("name = ")).unwrap_or("a scene without a name")
}

/// `--force` would remove the checkpoint before the first new one is there.
fn refuse_own_folder(args: &RunArgs, path: &Path) -> Result<(), Failure> {
    let Some(out) = args.out.as_deref().filter(|_| args.force) else { return Ok(()) };
    match (out.canonicalize(), path.canonicalize()) {
        (Ok(folder), Ok(file)) if file.starts_with(&folder) => Err(Failure::Input(format!(
            "{}: the checkpoint lies in {}, which --force would replace\n  remedy: choose another folder, or copy the \
             checkpoint first",
            path.display(),
            out.display()
        ))),
        _ => Ok(()),
    }
}
