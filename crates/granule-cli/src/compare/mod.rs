//! `granule compare`: one scene with several solvers, side by side on a page.

mod page;

use std::fs;
use std::path::Path;

use glam::Vec3;
use granule::io::{check_writable, write_bytes_atomic};
use granule_render::CameraChoice;

use crate::args::{CompareArgs, RunArgs};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::scenes::Opened;
use crate::track::Track;
use crate::{output, render, run};

use page::Shown;

/// Pictures of each run.
const PICTURES: usize = 4;
/// Size of a picture [pixels].
const PICTURE_SIZE: [u32; 2] = [480, 320];

/// From where runs are looked at, and how many widths of the deposit away.
const VIEW: [f32; 3] = [0.35, 0.5, 1.0];
const FILLING: f32 = 3.2;

/// Runs a scene with every solver. All that can be wrong with them is found before anything is written.
pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let runs: Vec<RunArgs> = args.solvers.iter().map(|solver| run_args(args, solver)).collect();
    let chosen = args.place.open()?;
    for run in &runs {
        Opened::for_run(&args.scene, run)?.build(&chosen.options)?;
    }
    make_folder(&args.output)?;
    let interrupt = Interrupt::listen()?;
    let mut ended = Vec::new();
    for run_args in &runs {
        let finished = run::run_quietly(run_args, &interrupt)?;
        if interrupt.wanted() {
            return Err(Failure::Interrupted);
        }
        ended.push((Track::read(finished.folder.path(), &finished.verdict)?, finished));
    }
    let camera = camera(ended.iter().map(|(track, _)| track));
    let mut shown = Vec::new();
    for (track, finished) in ended {
        let pictures = match finished.drawable {
            true => render::pictures_of_run(&finished.folder, "auto", PICTURE_SIZE, PICTURES, camera)?,
            false => Vec::new(),
        };
        shown.push(Shown { track, pictures });
    }
    let tracks: Vec<&Track> = shown.iter().map(|shown| &shown.track).collect();
    let json = serde_json::to_string_pretty(&tracks);
    let json = json.map_err(|error| Failure::Run(format!("cannot write JSON: {error}")))?;
    write(&args.output.join("compare.json"), &json)?;
    let page_path = args.output.join("compare.html");
    write(&page_path, &page::page(&args.scene, args.quick, &shown))?;
    match args.json {
        true => output::json(&tracks),
        false => output::text(&format!("{}\n\n{}", in_words(&tracks), page_path.display())),
    }
}

/// One camera for all runs, so that their pictures can be compared: it sees the widest deposit.
fn camera<'a>(tracks: impl Iterator<Item = &'a Track> + Clone) -> Option<CameraChoice> {
    let highest = |points: &[[f64; 2]]| points.iter().map(|point| point[1]).fold(0.0, f64::max) as f32;
    let width = tracks.clone().map(|track| highest(&track.runout)).fold(0.0, f32::max);
    let height = tracks.clone().map(|track| highest(&track.crest)).fold(0.0, f32::max);
    let middle = Vec3::from(tracks.into_iter().next()?.middle);
    let target = Vec3::new(middle.x, 0.3 * height, middle.z);
    let distance = FILLING * width.max(height).max(1e-3);
    Some(CameraChoice::Fixed { position: target + distance * Vec3::from(VIEW).normalize(), target })
}

/// What `granule run` would be asked for.
fn run_args(args: &CompareArgs, solver: &str) -> RunArgs {
    RunArgs {
        quick: args.quick,
        solver: Some(solver.into()),
        place: args.place.clone(),
        seconds: args.seconds,
        set: args.set.clone(),
        out: Some(args.output.join(solver)),
        ..RunArgs::of(&args.scene)
    }
}

/// Makes the folder; one that holds something is refused.
fn make_folder(folder: &Path) -> Result<(), Failure> {
    let wrong =
        |reason: String| Failure::Input(format!("-o {}: {reason}; choose another folder", folder.display()));
    if folder.exists() && !folder.is_dir() {
        return Err(wrong("is not a folder".into()));
    }
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(wrong("is not empty".into()));
    }
    fs::create_dir_all(folder)
        .and_then(|()| check_writable(folder))
        .map_err(|error| wrong(format!("cannot write into the folder: {error}")))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_bytes_atomic(path, text.as_bytes())
        .map_err(|error| Failure::Run(format!("{}: {error}", path.display())))
}

fn in_words(tracks: &[&Track]) -> String {
    let last = |points: &[[f64; 2]]| output::number_or_dash(points.last().map(|point| point[1]));
    let rows = tracks.iter().map(|track| {
        vec![
            track.solver.clone(),
            track.particles.to_string(),
            output::number(track.seconds_per_second),
            last(&track.runout),
            last(&track.crest),
            track.verdict.lines().next().unwrap_or_default().to_string(),
        ]
    });
    let header = ["solver", "particles", "s per simulated s", "runout [m]", "crest [m]", "run"];
    output::table(&header, &rows.collect::<Vec<_>>())
}
