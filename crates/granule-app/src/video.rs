//! A video of the view, drawn and encoded on a thread of its own: one picture per simulated frame. The window does not wait;
//! where encoding is slower than the simulation, the simulation does.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use glam::Vec3;
use granule::live::Frame;
use granule::scene::Scene;
use granule_device::GpuDevice;
use granule_render::{Bounds, Camera, GpuRenderer, Image, Light, RenderScene, RenderSettings};
use granule_scenery::{Scenery, VideoWriter};

use crate::look::Look;
use crate::picture::{Grains, Stage};
use crate::publisher::{FineGrains, Tapped};

/// Frames that wait to be drawn, at most.
const WAITING: usize = 4;

/// How often it is looked whether the video was stopped.
const PATIENCE: Duration = Duration::from_millis(100);

/// Where the camera is and how sand is shown.
#[derive(Clone)]
pub struct Eye {
    /// The camera.
    pub camera: Camera,
    /// Colours and light.
    pub look: Look,
}

/// A video that is being recorded.
pub struct Video {
    frames: Option<SyncSender<Tapped>>,
    eye: Arc<Mutex<Eye>>,
    written: Arc<AtomicU64>,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<String, String>>>,
}

impl Video {
    /// Begins a video of a size \[pixels\].
    pub fn begin(gpu: GpuDevice, path: &Path, size: [u32; 2], eye: Eye) -> Self {
        let (sender, receiver) = sync_channel(WAITING);
        let (eye, written) = (Arc::new(Mutex::new(eye)), Arc::new(AtomicU64::new(0)));
        let stopped = Arc::new(AtomicBool::new(false));
        let mut recorder = Recorder {
            gpu,
            path: path.into(),
            size,
            eye: Arc::clone(&eye),
            written: Arc::clone(&written),
            stopped: Arc::clone(&stopped),
            stage: None,
            last: None,
        };
        let thread = thread::spawn(move || recorder.record(&receiver));
        Self { frames: Some(sender), eye, written, stopped, thread: Some(thread) }
    }

    /// Where frames go.
    pub fn sender(&self) -> Option<SyncSender<Tapped>> {
        self.frames.clone()
    }

    /// Looks from somewhere else from now on.
    pub fn look(&self, eye: Eye) {
        *self.eye.lock().unwrap_or_else(PoisonError::into_inner) = eye;
    }

    /// Pictures so far.
    pub fn count(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Takes no more frames; those that wait are still drawn.
    pub fn stop(&mut self) {
        self.frames = None;
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// What came of it, once all is written; `wait` has it waited for.
    pub fn result(&mut self, wait: bool) -> Option<Result<String, String>> {
        let thread = self.thread.take()?;
        if !wait && !thread.is_finished() {
            self.thread = Some(thread);
            return None;
        }
        Some(thread.join().unwrap_or_else(|_| Err("the video has ended by a fault".into())))
    }
}

/// The other end.
struct Recorder {
    gpu: GpuDevice,
    path: PathBuf,
    size: [u32; 2],
    eye: Arc<Mutex<Eye>>,
    written: Arc<AtomicU64>,
    stopped: Arc<AtomicBool>,
    stage: Option<(Arc<Scene>, Option<Stage>)>,
    /// Scene and frame of the last picture.
    last: Option<(Arc<Scene>, u64)>,
}

impl Recorder {
    /// Draws and writes until no more frames come; says where the video is.
    fn record(&mut self, frames: &Receiver<Tapped>) -> Result<String, String> {
        let mut renderer = GpuRenderer::new(self.gpu.clone()).map_err(|error| error.to_string())?;
        let mut video: Option<VideoWriter> = None;
        let mut notice = None;
        while let Some(Tapped { frame, fine }) = self.next(frames) {
            if !self.is_new(&frame) {
                continue;
            }
            let added = self.draw(&mut renderer, &frame, fine).and_then(|image| {
                let video = match &mut video {
                    Some(video) => video,
                    empty => {
                        let fps = frame.scene.simulation.fps;
                        let begun = VideoWriter::begin(&self.path, &image, fps).map_err(|e| e.to_string())?;
                        notice = begun.notice();
                        empty.insert(begun)
                    }
                };
                video.add(image).map_err(|error| error.to_string())
            });
            if let Err(error) = added {
                if let Some(video) = video {
                    video.give_up();
                }
                return Err(error);
            }
            self.written.fetch_add(1, Ordering::Relaxed);
            self.last = Some((frame.scene, frame.frame));
        }
        let video = video.ok_or("no frame was simulated, so there is no video")?;
        let path = video.end().map_err(|error| error.to_string())?;
        let notice = notice.map_or(String::new(), |notice| format!(" ({notice})"));
        Ok(format!("video of {} frames in {}{notice}", self.written.load(Ordering::Relaxed), path.display()))
    }

    /// The next frame, until no more come or the video is stopped.
    fn next(&self, frames: &Receiver<Tapped>) -> Option<Tapped> {
        loop {
            match frames.recv_timeout(PATIENCE) {
                Ok(frame) => return Some(frame),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if self.stopped.load(Ordering::Relaxed) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Whether a frame is another one than the last picture's, and holds grains that can be drawn.
    fn is_new(&self, frame: &Frame) -> bool {
        let known =
            |(scene, number): &(Arc<Scene>, u64)| Arc::ptr_eq(scene, &frame.scene) && *number == frame.frame;
        let held = frame.snapshot.column("position").is_some();
        held && !frame.mid_frame && frame.seeking.is_none() && !self.last.as_ref().is_some_and(known)
    }

    fn draw(
        &mut self,
        renderer: &mut GpuRenderer,
        frame: &Frame,
        fine: Option<FineGrains>,
    ) -> Result<Image, String> {
        let Eye { camera, look } = self.eye.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let grains = match fine.filter(|_| !look.guides) {
            Some(fine) => Grains::fine(frame, &look, fine),
            None => Grains::of(frame, &look),
        };
        let (scenery, ground) = self.scenery(frame, &look, &grains);
        let scene = RenderScene {
            spheres: grains.source(),
            paint: &grains.paint,
            meshes: &scenery.meshes,
            field: grains.field.as_ref(),
            ground,
            lines: &scenery.lines,
            triangles: &[],
        };
        let settings = RenderSettings {
            light: Light { sun_direction: look.sun_direction(), ..Light::default() },
            shadows: look.shadows,
            occlusion: look.occlusion,
            supersampling: look.supersampling,
            ..RenderSettings::new(self.size[0], self.size[1], camera)
        };
        let mut image = renderer.draw(&scene, &settings).map_err(|error| error.to_string())?;
        if let Some(legend) = &grains.legend {
            legend.draw(&mut image);
        }
        Ok(image)
    }

    /// Walls and bodies; without those that cannot be drawn, which the window tells.
    fn scenery(&mut self, frame: &Frame, look: &Look, grains: &Grains) -> (Scenery, Option<f32>) {
        if self.stage.as_ref().is_none_or(|(scene, _)| !Arc::ptr_eq(scene, &frame.scene)) {
            let region = grains.bounds().unwrap_or(Bounds { min: Vec3::splat(-0.5), max: Vec3::splat(0.5) });
            self.stage = Some((Arc::clone(&frame.scene), Stage::new(&frame.scene, region).ok()));
        }
        let stage = self.stage.as_ref().and_then(|(_, stage)| stage.as_ref());
        let (mut scenery, ground) =
            stage.map_or_else(Default::default, |stage| (stage.at(frame, look.walls), stage.ground()));
        scenery.meshes.extend(grains.bars.iter().cloned());
        (scenery, ground)
    }
}
