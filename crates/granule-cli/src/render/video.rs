//! Writes videos: MP4 through ffmpeg where it is installed, else numbered pictures and an animated PNG.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use granule::io::write_atomic;
use granule_render::{Image, Renderer, write_animated_png};

use super::frame_renderer::{FrameRenderer, write_image};
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
                empty => empty.insert(VideoWriter::begin(path, &image, fps)?),
            };
            video.add(image)
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
        Some(video) => video.end(),
        None => Err(Failure::Input("the run has no frames".into())),
    }
}

/// A video that is being written.
enum VideoWriter {
    Ffmpeg { child: Child, temporary: PathBuf, path: PathBuf },
    Pictures { folder: PathBuf, animation: PathBuf, frames: Vec<Image>, fps: f64 },
}

impl VideoWriter {
    fn begin(path: &Path, first: &Image, fps: f64) -> Result<Self, Failure> {
        let temporary = path.with_file_name(format!(".{}.tmp.mp4", std::process::id()));
        match start_ffmpeg(&temporary, first.width(), first.height(), fps) {
            Ok(child) => Ok(Self::Ffmpeg { child, temporary, path: path.into() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::without_ffmpeg(path, fps),
            Err(error) => Err(Failure::Run(format!("ffmpeg cannot be started: {error}"))),
        }
    }

    fn without_ffmpeg(path: &Path, fps: f64) -> Result<Self, Failure> {
        let folder = path.with_extension("frames");
        eprintln!(
            "granule: ffmpeg is not installed; pictures go to {} and an animated PNG instead of a video",
            folder.display()
        );
        std::fs::create_dir_all(&folder).map_err(|error| {
            Failure::Run(format!("{}: cannot create the folder: {error}", folder.display()))
        })?;
        Ok(Self::Pictures { folder, animation: path.with_extension("png"), frames: Vec::new(), fps })
    }

    fn add(&mut self, image: Image) -> Result<(), Failure> {
        match self {
            Self::Ffmpeg { child, .. } => {
                let written = child.stdin.as_mut().map_or(Ok(()), |stdin| stdin.write_all(image.bytes()));
                written.map_err(|error| Failure::Run(format!("ffmpeg does not take the pictures: {error}")))
            }
            Self::Pictures { folder, frames, .. } => {
                write_image(&folder.join(format!("{:06}.png", frames.len())), &image)?;
                frames.push(image);
                Ok(())
            }
        }
    }

    fn end(self) -> Result<String, Failure> {
        match self {
            Self::Ffmpeg { mut child, temporary, path } => {
                drop(child.stdin.take());
                let output = child.wait_with_output();
                let done = output.is_ok_and(|output| output.status.success());
                let moved = done.then(|| std::fs::rename(&temporary, &path));
                match moved {
                    Some(Ok(())) => Ok(path.display().to_string()),
                    failed => {
                        // What is left of it helps nobody.
                        let _ = std::fs::remove_file(&temporary);
                        let why = failed
                            .and_then(Result::err)
                            .map_or("ffmpeg failed".into(), |error| error.to_string());
                        Err(Failure::Run(format!("{}: no video: {why}", path.display())))
                    }
                }
            }
            Self::Pictures { animation, frames, fps, .. } => {
                let written = write_atomic(&animation, |writer| write_animated_png(writer, &frames, fps));
                let shown = animation.display();
                written
                    .map_err(|error| Failure::Run(format!("{shown}: cannot write the animation: {error}")))?;
                Ok(shown.to_string())
            }
        }
    }

    /// Ends without a video and leaves no part of one.
    fn give_up(self) {
        if let Self::Ffmpeg { mut child, temporary, .. } = self {
            // It may have ended already; either way it is gone afterwards.
            let _ = child.kill();
            let _ = child.wait();
            let _ = std::fs::remove_file(temporary);
        }
    }
}

/// ffmpeg, reading raw pictures from its input. Sides are rounded up to even numbers, as its format demands.
fn start_ffmpeg(path: &Path, width: u32, height: u32, fps: f64) -> io::Result<Child> {
    Command::new("ffmpeg")
        .args(["-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba"])
        .args(["-s", &format!("{width}x{height}"), "-r", &fps.to_string(), "-i", "-"])
        .args([
            "-vf",
            "pad=ceil(iw/2)*2:ceil(ih/2)*2",
            "-c:v",
            "libx264",
            "-crf",
            "20",
            "-pix_fmt",
            "yuv420p",
        ])
        .args(["-movflags", "+faststart"])
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
}
