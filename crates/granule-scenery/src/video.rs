//! Videos: MP4 through ffmpeg where it is installed, else numbered pictures and an animated PNG.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use granule::io::write_atomic;
use granule_render::{Image, write_animated_png};

/// Bytes of pictures that an animated PNG may be made of: all of them are in memory until it is written.
const ANIMATION_BYTES: usize = 1 << 30;

/// Why there is no video.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct VideoError {
    /// The file.
    pub path: String,
    /// Why not.
    pub reason: String,
}

impl VideoError {
    fn new(path: &Path, reason: impl ToString) -> Self {
        Self { path: path.display().to_string(), reason: reason.to_string() }
    }
}

/// A video that is being written.
pub struct VideoWriter {
    kind: Kind,
}

enum Kind {
    Ffmpeg {
        child: Child,
        temporary: PathBuf,
        path: PathBuf,
    },
    Pictures {
        folder: PathBuf,
        animation: PathBuf,
        count: usize,
        /// Pictures of the animated PNG; none once they are too many.
        frames: Option<Vec<Image>>,
        fps: f64,
    },
}

impl VideoWriter {
    /// Begins a video of so many pictures per second, of the size of the first one.
    ///
    /// # Errors
    /// Says why it cannot be written.
    pub fn begin(path: &Path, first: &Image, fps: f64) -> Result<Self, VideoError> {
        let temporary = path.with_file_name(format!(".{}.tmp.mp4", std::process::id()));
        match start_ffmpeg(&temporary, first.width(), first.height(), fps) {
            Ok(child) => Ok(Self { kind: Kind::Ffmpeg { child, temporary, path: path.into() } }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::without_ffmpeg(path, fps),
            Err(error) => Err(VideoError::new(path, format!("ffmpeg cannot be started: {error}"))),
        }
    }

    fn without_ffmpeg(path: &Path, fps: f64) -> Result<Self, VideoError> {
        let folder = path.with_extension("frames");
        std::fs::create_dir_all(&folder)
            .map_err(|error| VideoError::new(&folder, format!("cannot create the folder: {error}")))?;
        let animation = path.with_extension("png");
        Ok(Self { kind: Kind::Pictures { folder, animation, count: 0, frames: Some(Vec::new()), fps } })
    }

    /// What is written instead of a video, where that is so.
    pub fn notice(&self) -> Option<String> {
        let Kind::Pictures { folder, .. } = &self.kind else { return None };
        let folder = folder.display();
        Some(format!(
            "ffmpeg is not installed; pictures go to {folder} and an animated PNG instead of a video"
        ))
    }

    /// Adds a picture.
    ///
    /// # Errors
    /// Says why it cannot be written.
    pub fn add(&mut self, image: Image) -> Result<(), VideoError> {
        match &mut self.kind {
            Kind::Ffmpeg { child, path, .. } => {
                let written = child.stdin.as_mut().map_or(Ok(()), |stdin| stdin.write_all(image.bytes()));
                let wrong =
                    |error| VideoError::new(path, format!("ffmpeg does not take the pictures: {error}"));
                written.map_err(wrong)
            }
            Kind::Pictures { folder, count, frames, .. } => {
                let file = folder.join(format!("{count:06}.png"));
                let written = write_atomic(&file, |writer| image.write_png(writer));
                written
                    .map_err(|error| VideoError::new(&file, format!("cannot write the picture: {error}")))?;
                *count += 1;
                if *count * image.bytes().len() > ANIMATION_BYTES {
                    *frames = None;
                }
                if let Some(frames) = frames {
                    frames.push(image);
                }
                Ok(())
            }
        }
    }

    /// Ends the video; gives the path of what was written.
    ///
    /// # Errors
    /// Says why there is none.
    pub fn end(self) -> Result<PathBuf, VideoError> {
        match self.kind {
            Kind::Ffmpeg { mut child, temporary, path } => {
                drop(child.stdin.take());
                let output = child.wait_with_output();
                let done = output.is_ok_and(|output| output.status.success());
                let moved = done.then(|| std::fs::rename(&temporary, &path));
                match moved {
                    Some(Ok(())) => Ok(path),
                    failed => {
                        // What is left of it helps nobody.
                        let _ = std::fs::remove_file(&temporary);
                        let why = failed
                            .and_then(Result::err)
                            .map_or("ffmpeg failed".into(), |error| error.to_string());
                        Err(VideoError::new(&path, format!("no video: {why}")))
                    }
                }
            }
            Kind::Pictures { folder, frames: None, .. } => Ok(folder),
            Kind::Pictures { animation, frames: Some(frames), fps, .. } => {
                let written = write_atomic(&animation, |writer| write_animated_png(writer, &frames, fps));
                let wrong =
                    |error| VideoError::new(&animation, format!("cannot write the animation: {error}"));
                written.map_err(wrong)?;
                Ok(animation)
            }
        }
    }

    /// Ends without a video and leaves no part of one.
    pub fn give_up(self) {
        if let Kind::Ffmpeg { mut child, temporary, .. } = self.kind {
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
        .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "20"])
        .args(["-pix_fmt", "yuv420p", "-movflags", "+faststart"])
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
}
