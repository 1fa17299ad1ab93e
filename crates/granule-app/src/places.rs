//! Where a window can simulate, and with what.

use granule::scene::SolverKind;
use granule::{Options, SolverEntry};
use granule_device::{AdapterKind, GpuDevice};
use granule_gpu::GpuBackend;

use crate::options::{AppOptions, Place};

/// CPU cores in the list of places.
pub const CPU: usize = 0;
/// The window's own device in the list of places.
const GPU: usize = 1;

/// What a run simulates with.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The solver instead of the scene's.
    pub solver: Option<SolverKind>,
    /// The place, by its number in [`Places::names`].
    pub place: usize,
    /// CPU threads; all cores when absent.
    pub threads: Option<usize>,
}

/// Where a window can simulate.
pub struct Places {
    gpu: GpuDevice,
    base: Options,
}

impl Places {
    /// CPU cores and the window's own device.
    pub fn new(gpu: GpuDevice, options: &AppOptions) -> Self {
        Self { gpu, base: Options { solver: options.solver, ..Options::default() } }
    }

    /// Their names.
    pub fn names(&self) -> Vec<String> {
        vec!["CPU cores".into(), self.gpu.adapter.name.clone()]
    }

    /// What a window begins with.
    pub fn first(&self, options: &AppOptions) -> Setting {
        let hardware = self.gpu.adapter.kind != AdapterKind::Software;
        let place = match options.place {
            Place::Gpu => GPU,
            Place::Auto if hardware => GPU,
            Place::Auto | Place::Cpu => CPU,
        };
        Setting { solver: None, place, threads: options.threads }
    }

    /// The engine's options; a device that nobody asked for by name may refuse a scene.
    pub fn options(&self, setting: &Setting, asked_for: bool) -> Options {
        let device = match setting.place {
            CPU => granule::Device::Cpu,
            _ if asked_for => GpuBackend::adopt(self.gpu.clone()).into_device(),
            _ => GpuBackend::adopt(self.gpu.clone()).into_preferred_device(),
        };
        let solver = setting.solver.map(SolverEntry::of).or(self.base.solver);
        Options { device, threads: setting.threads, solver, ..self.base.clone() }
    }
}
