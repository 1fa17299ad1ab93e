//! What the window is opened with.

use std::path::PathBuf;

use egui_wgpu::RenderState;
use granule::Options;
use granule::live::Source;
use granule_device::{AdapterKind, AdapterSummary, GpuDevice, Purpose, lack_of};
use granule_gpu::GpuBackend;

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
}

impl AppOptions {
    /// A scene, playing.
    pub fn new(source: Source) -> Self {
        Self {
            source,
            place: Place::Auto,
            threads: None,
            playing: true,
            frames: None,
            screenshot: None,
            remember: false,
            picture_size: [1280, 720],
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

    /// The engine's options.
    pub(crate) fn simulation(&self, gpu: &GpuDevice) -> Result<Options, AppError> {
        let hardware = gpu.adapter.kind != AdapterKind::Software;
        let device = match self.place {
            Place::Cpu => granule::Device::Cpu,
            Place::Gpu => GpuBackend::adopt(gpu.clone()).into_device(),
            Place::Auto if hardware => GpuBackend::adopt(gpu.clone()).into_preferred_device(),
            Place::Auto => granule::Device::Cpu,
        };
        Ok(Options { device, threads: self.threads, ..Options::default() })
    }
}
