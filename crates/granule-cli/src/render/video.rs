//! Writes videos of runs.

use std::path::Path;

use granule_render::{Image, Renderer};
use granule_scenery::VideoWriter;

use super::frame_renderer::FrameRenderer;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Progress;

/// Draws all frames of a run into a video; gives the path of what was written.
///
/// Every frame of the run is one of the video, so that its time runs as fast as the scene's, or at `fps` frames per
/// second where given.
pub fn write(
    frame_renderer: &FrameRenderer,
    renderer: &mut Renderer,
    path: &Path,
    fps: Option<f64>,
    interrupt: &Interrupt,
) -> Result<String, Failure> {
    let fps = fps.unwrap_or_else(|| frame_renderer.frames().fps());
    let setup = frame_renderer.setup_for_all()?;
    let entries = frame_renderer.frames().entries();
    let mut video: Option<VideoWriter> = None;
    let mut progress = Progress::new("video");
    for (number, entry) in entries.iter().enumerate() {
        let share = number as f32 / entries.len() as f32;
        let drawn =
            frame_renderer.read(entry).and_then(|frame| frame_renderer.draw(renderer, &setup, &frame, share));
        let result = drawn.and_then(|image| {
            let video = match &mut video {
                Some(video) => video,
                empty => empty.insert(begin(path, &image, fps)?),
            };
            Ok(video.add(image)?)
        });
        let result = if interrupt.wanted() { result.and(Err(Failure::Interrupted)) } else { result };
        if let Err(failure) = result {
            if let Some(video) = video {
                video.give_up();
            }
            return Err(failure);
        }
        progress.update((number + 1) as f64 / entries.len() as f64, || {
            format!("frame {} of {}", number + 1, entries.len())
        });
    }
    progress.finish();
    match video {
        Some(video) => Ok(video.end()?.display().to_string()),
        None => Err(Failure::Input("the run has no frames".into())),
    }
}

/// Begins a video; one line says so where it becomes something else.
fn begin(path: &Path, first: &Image, fps: f64) -> Result<VideoWriter, Failure> {
    let video = VideoWriter::begin(path, first, fps)?;
    if let Some(notice) = video.notice() {
        eprintln!("granule: {notice}");
    }
    Ok(video)
}
