//! The adapters of a machine, best first.

use std::fmt;

use wgpu::{Adapter, Backends, DeviceType, Instance, InstanceDescriptor, InstanceFlags};

use crate::capability::{Capability, Purpose};

/// What kind of processor an adapter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A graphics card.
    Discrete,
    /// Graphics inside the processor.
    Integrated,
    /// A graphics card lent to a virtual machine.
    Virtual,
    /// Unknown.
    Other,
    /// A driver in software on CPU cores.
    Software,
}

impl AdapterKind {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Other => "other",
            Self::Software => "software",
        }
    }
}

impl From<DeviceType> for AdapterKind {
    fn from(kind: DeviceType) -> Self {
        match kind {
            DeviceType::DiscreteGpu => Self::Discrete,
            DeviceType::IntegratedGpu => Self::Integrated,
            DeviceType::VirtualGpu => Self::Virtual,
            DeviceType::Cpu => Self::Software,
            DeviceType::Other => Self::Other,
        }
    }
}

/// What is known of an adapter without opening it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterSummary {
    /// Number in the list, best first.
    pub index: usize,
    /// Name as its driver gives it.
    pub name: String,
    /// Kind of processor.
    pub kind: AdapterKind,
    /// Interface to the driver: vulkan, metal, dx12 or gl.
    pub backend: String,
    /// Driver and its version.
    pub driver: String,
}

impl AdapterSummary {
    /// What is known of an adapter that somebody else has found, such as a window's.
    pub fn of(adapter: &Adapter) -> Self {
        summary(0, adapter)
    }
}

/// What an adapter lacks for a purpose, in words; none where it lacks nothing.
pub fn lack_of(adapter: &Adapter, purpose: Purpose) -> Option<String> {
    Capability::of(adapter).lack(purpose)
}

impl fmt::Display for AdapterSummary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {} ({}, {})", self.index, self.name, self.kind.word(), self.backend)
    }
}

/// The adapters of this machine, best first.
pub fn list_adapters() -> Vec<AdapterSummary> {
    find_adapters().into_iter().map(|(summary, _)| summary).collect()
}

/// The adapters of this machine, best first, each with what it lacks for a purpose in words, where it lacks something.
pub fn list_adapters_for(purpose: Purpose) -> Vec<(AdapterSummary, Option<String>)> {
    let adapters = find_adapters().into_iter();
    adapters.map(|(summary, adapter)| (summary, Capability::of(&adapter).lack(purpose))).collect()
}

/// Adapters with their handles, best first: cards before software. GL is tried where there is nothing better, since
/// asking for it is slow and some of its drivers print.
pub(crate) fn find_adapters() -> Vec<(AdapterSummary, Adapter)> {
    let find = |backends| {
        let descriptor = InstanceDescriptor {
            backends,
            flags: flags(),
            ..InstanceDescriptor::new_without_display_handle()
        };
        pollster::block_on(Instance::new(descriptor).enumerate_adapters(backends))
    };
    let mut adapters = find(Backends::PRIMARY);
    if adapters.is_empty() {
        adapters = find(Backends::SECONDARY);
    }
    adapters.sort_by_key(|adapter| AdapterKind::from(adapter.get_info().device_type));
    adapters.into_iter().enumerate().map(|(index, adapter)| (summary(index, &adapter), adapter)).collect()
}

fn summary(index: usize, adapter: &Adapter) -> AdapterSummary {
    let info = adapter.get_info();
    AdapterSummary {
        index,
        name: info.name,
        kind: info.device_type.into(),
        backend: info.backend.to_str().into(),
        driver: format!("{} {}", info.driver, info.driver_info).trim().into(),
    }
}

/// Checks of wgpu itself stay on; layers of drivers are asked for by the environment only.
fn flags() -> InstanceFlags {
    InstanceFlags::empty().with_env()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_adapters_lack_is_listed_beside_them() {
        let summaries: Vec<_> =
            list_adapters_for(Purpose::Draw).into_iter().map(|(summary, _)| summary).collect();
        assert_eq!(summaries, list_adapters());
    }

    #[test]
    fn adapters_are_numbered_and_cards_stand_before_software() {
        let adapters = list_adapters();
        assert!(adapters.iter().enumerate().all(|(index, adapter)| adapter.index == index));
        assert!(adapters.is_sorted_by_key(|adapter| adapter.kind), "{adapters:?}");
    }
}
