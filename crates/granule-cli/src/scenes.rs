//! From the command line to a scene and a simulation that is ready to step.

use granule::io::dump_fields;
use granule::live::{FileKind, Recording, RecordingError};
use granule::scene::{ExportFormat, Location, SceneError};
use granule::simulator::{FieldInfo, Snapshot};
use granule::{Options, Scene, Simulation, SimulationError};

use crate::args::RunArgs;
use crate::failure::Failure;

/// A scene that is sound by itself, and where it came from.
pub struct Opened {
    /// The scene.
    pub scene: Scene,
    /// What is to be done to it, where it comes from a recording.
    pub recording: Option<Recording>,
    origin: Origin,
}

/// Where a scene came from, to say at which line or flag it is wrong.
struct Origin {
    name_or_path: String,
    quick: bool,
    sets: Vec<(String, String)>,
    /// What stands in `sets` for a flag, and the flag.
    flags: Vec<(String, String)>,
}

impl Opened {
    /// Opens a scene as it is, or in its `[quick]` form.
    pub fn plain(name_or_path: &str, quick: bool) -> Result<Self, Failure> {
        Origin { name_or_path: name_or_path.into(), quick, sets: Vec::new(), flags: Vec::new() }.open()
    }

    /// Opens a scene with some values changed by `--set`.
    pub fn changed(name_or_path: &str, sets: &[(String, String)]) -> Result<Self, Failure> {
        let sets = sets.to_vec();
        Origin { name_or_path: name_or_path.into(), quick: false, sets, flags: Vec::new() }.open()
    }

    /// Opens a scene for a run: its file, `[quick]` form, `--set`, then the flags that stand for scene keys.
    pub fn for_run(name_or_path: &str, args: &RunArgs) -> Result<Self, Failure> {
        let (mut sets, mut flags) = (args.set.clone(), Vec::new());
        for (flag, key, value) in scene_flags(args) {
            let Some(value) = value else { continue };
            flags.push((
                format!("{key}={value}"),
                format!("{flag} {}", value.replace(['[', ']', '"', ' '], "")),
            ));
            sets.push((key.into(), value));
        }
        Origin { name_or_path: name_or_path.into(), quick: args.quick, sets, flags }.open()
    }

    /// Builds a simulation with grains and reads its initial state; all that can be wrong is found here.
    pub fn build(self, options: &Options) -> Result<(Simulation, Snapshot), Failure> {
        let Self { scene, origin, .. } = self;
        let wrong = |error| origin.explain(error);
        scene.require_grains().map_err(wrong)?;
        let mut simulation = Simulation::new(scene, options).map_err(|error| match error {
            SimulationError::Scene(error) => wrong(error),
            other => other.into(),
        })?;
        let known: Vec<&str> = simulation.fields().iter().map(|info| info.name).collect();
        simulation.scene().require_fields(&known).map_err(wrong)?;
        let snapshot = first_snapshot(&mut simulation)?;
        Ok((simulation, snapshot))
    }
}

impl Origin {
    fn open(self) -> Result<Opened, Failure> {
        let path = self.name_or_path.as_str();
        let recording = match FileKind::of(path) {
            FileKind::Recording => Some(Recording::read(path).map_err(|error| match error {
                RecordingError::Io { .. } => Failure::Input(error.to_string()),
                other => Failure::Input(format!("{path}: {other}")),
            })?),
            _ => None,
        };
        let scene = match &recording {
            Some(recording) => recording.resolve(path, self.quick, &self.sets),
            None => Scene::open(path, self.quick, &self.sets),
        };
        match scene {
            Ok(scene) => Ok(Opened { scene, recording, origin: self }),
            Err(error) => Err(self.explain(error)),
        }
    }

    /// Adds to an error where its key stands.
    fn explain(&self, error: SceneError) -> Failure {
        let error = Scene::explain(error, &self.name_or_path, self.quick, &self.sets);
        name_flag(error, &self.flags).into()
    }
}

/// The flags that stand for scene keys: flag, key and value where it is given.
fn scene_flags(args: &RunArgs) -> [(&'static str, &'static str, Option<String>); 7] {
    [
        ("--solver", "simulation.solver", args.solver.clone()),
        ("--fps", "simulation.fps", args.fps.map(|fps| fps.to_string())),
        ("--seed", "simulation.seed", args.seed.map(|seed| seed.to_string())),
        (
            "--export",
            "output.formats",
            args.export.as_deref().map(|words| list(words, |word| format!("{word:?}"))),
        ),
        ("--contacts", "output.contacts", args.contacts.then(|| "true".into())),
        ("--track", "output.track", args.track.as_deref().map(|ids| list(ids, u32::to_string))),
        ("--up", "output.up", args.up.clone()),
    ]
}

/// A list as a scene writes it.
fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(text).collect::<Vec<_>>().join(", "))
}

/// Says `--fps -1` where the scene only knows of `--set simulation.fps=-1`.
fn name_flag(mut error: SceneError, flags: &[(String, String)]) -> SceneError {
    if let SceneError::Problem(problem) = &mut error
        && let Some(Location::Set(text)) = &problem.location
        && let Some((_, flag)) = flags.iter().rev().find(|(set, _)| set == text)
    {
        problem.location = Some(Location::File { name: flag.clone(), line: None, quick: false });
    }
    error
}

/// Fields that pictures of grains need beside those that a scene names: sizes, and how grains have turned.
const DRAWN: [&str; 2] = ["radius", "orientation"];

/// Names of the fields in a scene's frames: those that it asks for, and what its pictures and exports need, of those that the
/// solver has.
pub fn frame_fields<'a>(scene: &'a Scene, known: &'static [FieldInfo]) -> Vec<&'a str> {
    let has = |name: &str| known.iter().any(|info| info.name == name);
    let mut fields: Vec<&str> = vec!["id", "position"];
    fields.extend(scene.output.fields.iter().map(String::as_str));
    let turning = has("orientation");
    let dumped = scene.output.has(ExportFormat::Lammps);
    let needed = DRAWN.into_iter().filter(|_| turning).chain(dump_fields().filter(|_| dumped));
    for field in needed.filter(|field| has(field)) {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    fields
}

/// Particles of a scene: those at the start and all that its emitters may add, where they have a limit.
pub fn particle_count(simulation: &Simulation) -> usize {
    let limits = simulation.scene().emitter.iter().filter_map(|emitter| emitter.limit);
    limits.fold(simulation.particle_count(), |sum, limit| sum.saturating_add(limit as usize))
}

/// Reads the fields of a simulation's first frame.
pub fn first_snapshot(simulation: &mut Simulation) -> Result<Snapshot, Failure> {
    let scene = simulation.scene().clone();
    let wrong = |error| Failure::Input(format!("`output.fields`: {error}"));
    let known = simulation.fields();
    simulation.read(&frame_fields(&scene, known)).map_err(wrong)
}
