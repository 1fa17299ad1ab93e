//! `--device`: where to simulate.

use granule::{Device, Options, Simulation};
use granule_device::{ADAPTER_VARIABLE, AdapterChoice, AdapterKind, list_adapters};
use granule_gpu::GpuMaker;

use crate::args::{DeviceChoice, PlaceArgs};
use crate::failure::Failure;

/// A device that is open, and its word in summaries.
#[derive(Clone)]
pub struct Chosen {
    /// Options of the simulation.
    pub options: Options,
    /// `cpu` or `gpu`.
    pub word: &'static str,
    /// CPU threads.
    pub threads: usize,
    /// Why `auto` took the CPU.
    notice: Option<String>,
}

impl Chosen {
    /// Says why `auto` took the CPU, once the input is known to be right.
    pub fn announce(&self) {
        if let Some(notice) = &self.notice {
            eprintln!("granule: simulating on the CPU: {notice}");
        }
    }
}

impl PlaceArgs {
    /// Opens the device. Without a graphics card, `auto` takes the CPU: a graphics driver in software is
    /// slower than the solver for CPUs.
    pub fn open(&self) -> Result<Chosen, Failure> {
        let threads = thread_count(self.threads);
        match &self.device {
            DeviceChoice::Cpu => Ok(on_cpu(threads)),
            DeviceChoice::Gpu(adapter) => match GpuMaker::open(adapter) {
                Ok(maker) => Ok(on_gpu(maker.into_device(), threads)),
                Err(error) => Err(Failure::Input(format!("--device: {error}"))),
            },
            DeviceChoice::Auto => Ok(best(threads)),
        }
    }
}

/// Number of threads to use: as asked for, or one per core.
fn thread_count(asked: Option<u16>) -> usize {
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

impl Chosen {
    /// What simulates: this device, or the CPU where nobody asked for a device and it refused the scene; says so then.
    pub fn that_took(&self, simulation: &Simulation) -> Self {
        match simulation.refusal() {
            Some(reason) => {
                eprintln!("granule: {}: simulating on the CPU: {reason}", simulation.scene().name);
                Self { word: "cpu", ..self.clone() }
            }
            None => self.clone(),
        }
    }
}

fn best(threads: usize) -> Chosen {
    let named = std::env::var_os(ADAPTER_VARIABLE).is_some();
    if !named && !list_adapters().iter().any(|adapter| is_card(adapter.kind)) {
        return Chosen { notice: Some("there is no graphics card".into()), ..on_cpu(threads) };
    }
    match GpuMaker::open(&AdapterChoice::Auto) {
        Ok(maker) => on_gpu(maker.into_preferred_device(), threads),
        Err(error) => Chosen { notice: Some(error.to_string()), ..on_cpu(threads) },
    }
}

fn is_card(kind: AdapterKind) -> bool {
    matches!(kind, AdapterKind::Discrete | AdapterKind::Integrated | AdapterKind::Virtual)
}

fn on_cpu(threads: usize) -> Chosen {
    Chosen { options: cpu_options(threads), word: "cpu", threads, notice: None }
}

/// Simulation options on the CPU.
pub fn cpu_options(threads: usize) -> Options {
    Options { device: Device::Cpu, threads: Some(threads), ..Options::default() }
}

fn on_gpu(device: Device, threads: usize) -> Chosen {
    let chosen = on_cpu(threads);
    Chosen { options: Options { device, ..chosen.options }, word: "gpu", ..chosen }
}
