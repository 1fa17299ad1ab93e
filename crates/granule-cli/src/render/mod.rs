//! `granule render`: pictures and videos of runs.

mod distance;
mod field;
mod frame_renderer;
mod request;
mod video;

use std::path::{Path, PathBuf};

use granule::io::{RunFolder, RunFrames};
use granule_render::{CameraChoice, Renderer, RendererChoice};

use crate::args::{RenderArgs, RunArgs};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::scenes::Opened;
use crate::{output, run};
use frame_renderer::FrameRenderer;
use request::RenderRequest;

/// What an output path asks for.
enum OutputKind {
    Picture,
    Movie,
}

/// Draws a run, or runs a scene and draws that. All that can be wrong is found before anything is written.
pub fn render(args: &RenderArgs) -> Result<(), Failure> {
    let output_kind = output_kind(&args.output)?;
    let request = RenderRequest::of(args)?;
    let mut renderer = open(&args.device)?;
    let interrupt = Interrupt::listen()?;
    let folder = match Path::new(&args.source).is_dir() {
        true => PathBuf::from(&args.source),
        false => run_scene(args, &interrupt)?,
    };
    let frames = RunFrames::open(&folder)?;
    let frame_renderer = FrameRenderer::new(&frames, &request)?;
    let written = match output_kind {
        OutputKind::Picture => {
            frame_renderer.picture(&mut renderer, &args.output)?;
            args.output.display().to_string()
        }
        OutputKind::Movie => {
            video::write(&frame_renderer, &mut renderer, &args.output, args.fps, &interrupt)?
        }
    };
    output::text(&written)
}

/// Draws the last frame of a run into its folder; gives the picture's path.
pub fn picture_of_run(folder: &RunFolder, device: &str) -> Result<PathBuf, Failure> {
    let mut renderer = open(device)?;
    let frames = RunFrames::open(folder.path())?;
    let path = folder.picture();
    FrameRenderer::new(&frames, &RenderRequest::default())?.picture(&mut renderer, &path)?;
    Ok(path)
}

/// Draws frames of a run from its beginning to its end; gives times \[s\] and PNG files.
pub fn pictures_of_run(
    folder: &RunFolder,
    device: &str,
    size: [u32; 2],
    count: usize,
    camera: Option<CameraChoice>,
) -> Result<Vec<(f64, Vec<u8>)>, Failure> {
    let mut renderer = open(device)?;
    let frames = RunFrames::open(folder.path())?;
    // A scene's own camera is the same for all of its runs.
    let camera = camera.filter(|_| frames.scene().camera.is_none());
    let request = RenderRequest { size, camera, ..RenderRequest::default() };
    let frame_renderer = FrameRenderer::new(&frames, &request)?;
    let setup = frame_renderer.setup_for_all()?;
    let entries = frames.entries();
    let picked = (0..count).map(|k| &entries[k * (entries.len() - 1) / (count - 1).max(1)]);
    let drawn = picked.map(|entry| {
        let frame = frame_renderer.read(entry)?;
        let mut png = Vec::new();
        let image = frame_renderer.draw(&mut renderer, &setup, &frame, 0.0)?;
        image
            .write_png(&mut png)
            .map_err(|error| Failure::Run(format!("cannot write a picture: {error}")))?;
        Ok((entry.time, png))
    });
    drawn.collect()
}

/// Opens a renderer; one line says so where there is no adapter.
fn open(device: &str) -> Result<Renderer, Failure> {
    let Ok(choice) = device.parse::<RendererChoice>();
    let renderer =
        Renderer::open(&choice).map_err(|error| Failure::Input(format!("--device {device}: {error}")))?;
    if let Renderer::Software(Some(reason)) = &renderer {
        eprintln!("granule: drawn in software, without ambient occlusion: {reason}");
    }
    Ok(renderer)
}

/// Runs a scene in its own folder, with the field that colours the picture.
fn run_scene(args: &RenderArgs, interrupt: &Interrupt) -> Result<PathBuf, Failure> {
    let mut run_args = RunArgs { quick: args.quick, ..RunArgs::of(&args.source) };
    let scene = Opened::for_run(&args.source, &run_args)?.scene;
    if let Some(field) = args.color_by.as_deref().and_then(field::needed)
        && !scene.output.fields.iter().any(|known| known == field)
    {
        let fields = scene.output.fields.iter().map(String::as_str).chain([field]);
        let list: Vec<String> = fields.map(|name| format!("{name:?}")).collect();
        run_args.set.push(("output.fields".into(), format!("[{}]", list.join(", "))));
    }
    run_args.set.push(("output.formats".into(), "[\"ply\"]".into()));
    run_args.contacts = args.contacts;
    run_args.seconds = args.time;
    let finished = run::run(&run_args, interrupt)?;
    finished.verdict.map(|()| finished.folder.path().to_path_buf())
}

/// What to make, by the extension; folders and unknown kinds are refused.
fn output_kind(output: &Path) -> Result<OutputKind, Failure> {
    let shown = output.display();
    let wrong = |words: &str| Err(Failure::Input(format!("{shown}: {words}")));
    if output.is_dir() {
        return wrong("this is a folder; name a file in it, e.g. picture.png");
    }
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return wrong("there is no such folder to write to");
    }
    match output.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase).as_deref() {
        Some("png") => Ok(OutputKind::Picture),
        Some("mp4") => Ok(OutputKind::Movie),
        _ => wrong("write .png for a picture or .mp4 for a video"),
    }
}
