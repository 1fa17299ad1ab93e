//! `--device`: where to simulate.

use granule::{Device, Options, Simulation};
use granule_device::{
    ADAPTER_VARIABLE, AdapterChoice, AdapterKind, AdapterSummary, Purpose, list_adapters_for,
};
use granule_gpu::GpuBackend;

use crate::args::{DeviceChoice, PlaceArgs};
use crate::failure::Failure;

/// A device that is open, and its word in summaries.
#[derive(Clone)]
pub struct Chosen {
    /// Options of the simulation.
    pub options: Options,
    /// `cpu` or `gpu`.
    pub word: &'static str,
    /// The adapter with its driver; empty on CPU cores.
    pub adapter: String,
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
            DeviceChoice::Gpu(adapter) => match GpuBackend::open(adapter) {
                Ok(maker) => Ok(on_gpu(maker, GpuBackend::into_device, threads)),
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
    let choice = if named { Ok(AdapterChoice::Auto) } else { best_card(list_adapters_for(Purpose::Compute)) };
    match choice.and_then(|choice| GpuBackend::open(&choice).map_err(|error| error.to_string())) {
        Ok(maker) => on_gpu(maker, GpuBackend::into_preferred_device, threads),
        Err(reason) => Chosen { notice: Some(reason), ..on_cpu(threads) },
    }
}

/// The first graphics card that can simulate, of a list with what adapters lack; else why there is none.
fn best_card(adapters: Vec<(AdapterSummary, Option<String>)>) -> Result<AdapterChoice, String> {
    let cards = adapters.into_iter().filter(|(adapter, _)| is_card(adapter.kind));
    let mut reason = None;
    for (card, lack) in cards {
        match lack {
            None => return Ok(AdapterChoice::Index(card.index)),
            Some(lack) => reason = reason.or(Some(format!("{} is not enough: {lack}", card.name))),
        }
    }
    Err(reason.unwrap_or_else(|| "there is no graphics card".into()))
}

fn is_card(kind: AdapterKind) -> bool {
    matches!(kind, AdapterKind::Discrete | AdapterKind::Integrated | AdapterKind::Virtual)
}

fn on_cpu(threads: usize) -> Chosen {
    Chosen { options: cpu_options(threads), word: "cpu", adapter: String::new(), threads, notice: None }
}

/// Simulation options on the CPU.
pub fn cpu_options(threads: usize) -> Options {
    Options { device: Device::Cpu, threads: Some(threads), ..Options::default() }
}

fn on_gpu(maker: GpuBackend, into_device: fn(GpuBackend) -> Device, threads: usize) -> Chosen {
    let chosen = on_cpu(threads);
    let AdapterSummary { name, backend, driver, .. } = maker.adapter();
    let adapter = format!("{name}, {backend}, {driver}");
    Chosen {
        options: Options { device: into_device(maker), ..chosen.options },
        word: "gpu",
        adapter,
        ..chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_card_that_can_simulate_is_taken_and_no_driver_in_software() {
        let adapter = |index, kind, lack: Option<&str>| {
            let (name, backend) = (format!("card {index}"), "gl".into());
            let summary = AdapterSummary { index, name, kind, backend, driver: String::new() };
            (summary, lack.map(String::from))
        };
        let weak = || adapter(0, AdapterKind::Discrete, Some("no compute shaders"));
        let software = || adapter(2, AdapterKind::Software, None);
        let strong = adapter(1, AdapterKind::Integrated, None);
        assert_eq!(best_card(vec![weak(), strong, software()]), Ok(AdapterChoice::Index(1)));
        assert_eq!(
            best_card(vec![weak(), software()]).unwrap_err(),
            "card 0 is not enough: no compute shaders"
        );
        assert_eq!(best_card(vec![software()]).unwrap_err(), "there is no graphics card");
    }
}
