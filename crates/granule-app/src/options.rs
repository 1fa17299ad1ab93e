//! What the window is opened with.

use std::path::PathBuf;

use egui_wgpu::RenderState;
use granule::SolverEntry;
use granule::live::{HISTORY_BYTES, Source};
use granule_device::{AdapterKind, AdapterSummary, GpuDevice, Purpose, lack_of};

use crate::AppError;
use crate::look::Look;

/// Where a window simulates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// The window's graphics card where it is one, else CPU cores.
    #[default]
    Auto,
    /// CPU cores.
    Cpu,
    /// The window's own device.
    Gpu,
}

/// What the window is opened with.
#[derive(Clone, Debug)]
pub struct AppOptions {
    /// The scene.
    pub source: Source,
    /// Where to simulate.
    pub place: Place,
    /// CPU threads; all cores when absent.
    pub threads: Option<usize>,
    /// A solver instead of the scene's own.
    pub solver: Option<&'static SolverEntry>,
    /// Whether the size of the grains follows the machine, so that it runs in real time.
    pub fits_machine: bool,
    /// Whether it plays from the start.
    pub playing: bool,
    /// Frames after which the window closes by itself.
    pub frames: Option<u64>,
    /// The picture that is written then.
    pub screenshot: Option<PathBuf>,
    /// Whether panels are where they were the last time.
    pub remember: bool,
    /// Size of pictures \[pixels\].
    pub picture_size: [u32; 2],
    /// Most bytes that the past of a run may take, which the time line goes back to.
    pub history_bytes: usize,
}

impl AppOptions {
    /// A scene, playing.
    pub fn new(source: Source) -> Self {
        Self {
            source,
            place: Place::Auto,
            threads: None,
            solver: None,
            fits_machine: false,
            playing: true,
            frames: None,
            screenshot: None,
            remember: false,
            picture_size: [1280, 720],
            history_bytes: HISTORY_BYTES,
        }
    }

    /// The window's device for drawing and simulating, and a look that it can draw at a usable rate.
    pub(crate) fn adopt(&self, state: &RenderState) -> Result<(GpuDevice, Look), AppError> {
        let summary = AdapterSummary::of(&state.adapter);
        if let Some(lack) = lack_of(&state.adapter, Purpose::Draw) {
            return Err(AppError::Adapter { adapter: summary.name, lack });
        }
        let look = if summary.kind == AdapterKind::Software { Look::frugal() } else { Look::default() };
        Ok((GpuDevice::adopt(summary, state.device.clone(), state.queue.clone()), look))
    }
}
