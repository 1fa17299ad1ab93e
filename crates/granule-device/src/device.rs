//! An open device with its queue.

use std::env;
use std::sync::{Arc, Mutex, PoisonError};

use wgpu::{DeviceDescriptor, Features};

use crate::DeviceError;
use crate::adapter::{AdapterSummary, find_adapters};
use crate::capability::{Capability, Purpose};
use crate::choice::{ADAPTER_VARIABLE, AdapterChoice};
use crate::pipelines::Pipelines;

/// Features that are used where an adapter has them; nothing depends on them.
const OPTIONAL_FEATURES: Features = Features::TIMESTAMP_QUERY.union(Features::TIMESTAMP_QUERY_INSIDE_PASSES);

/// What a device is opened with: all that its adapter can do.
pub fn descriptor_of(adapter: &wgpu::Adapter) -> DeviceDescriptor<'static> {
    DeviceDescriptor {
        label: Some("granule"),
        required_features: adapter.features() & OPTIONAL_FEATURES,
        required_limits: adapter.limits(),
        ..Default::default()
    }
}

/// An open device.
#[derive(Clone, Debug)]
pub struct GpuDevice {
    /// The adapter behind it.
    pub adapter: AdapterSummary,
    /// The device.
    pub device: wgpu::Device,
    /// Its queue of commands.
    pub queue: wgpu::Queue,
    /// Whether somebody else draws with it, so that nobody may keep it for long.
    shared: bool,
    /// The first error that no one was waiting for.
    error: Arc<Mutex<Option<String>>>,
    pub(crate) pipelines: Pipelines,
}

impl GpuDevice {
    /// Opens an adapter with all that it can do.
    ///
    /// # Errors
    /// Says that there is no adapter, that none fits the choice, or why the chosen one does not open.
    pub fn open(choice: &AdapterChoice) -> Result<Self, DeviceError> {
        Self::open_for(&[], choice)
    }

    /// Opens an adapter that can do what it is wanted for, with all that it can do; where nothing says which one, the best
    /// of those that can.
    ///
    /// # Errors
    /// As [`GpuDevice::open`], and where the chosen adapter, or every adapter, lacks something.
    pub fn open_for(purposes: &[Purpose], choice: &AdapterChoice) -> Result<Self, DeviceError> {
        let mut adapters = find_adapters();
        let summaries: Vec<_> = adapters.iter().map(|(summary, _)| summary.clone()).collect();
        let lack = |(_, adapter): &(AdapterSummary, wgpu::Adapter)| {
            let capability = Capability::of(adapter);
            purposes.iter().find_map(|purpose| capability.lack(*purpose))
        };
        let lacks: Vec<_> = adapters.iter().map(lack).collect();
        let choice = choice.resolved(env::var(ADAPTER_VARIABLE).ok().as_deref());
        let (summary, adapter) = adapters.swap_remove(choice.pick_capable(&summaries, &lacks)?);
        let opened = pollster::block_on(adapter.request_device(&descriptor_of(&adapter)));
        let (device, queue) = opened.map_err(|error| DeviceError::Refused {
            adapter: summary.name.clone(),
            reason: error.to_string(),
        })?;
        Ok(Self { shared: false, ..Self::adopt(summary, device, queue) })
    }

    /// Takes over a device that somebody else has opened and goes on to use, such as a window: it is shared.
    pub fn adopt(adapter: AdapterSummary, device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let error = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&error);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let mut first = kept.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert_with(|| error.to_string());
        }));
        Self { adapter, device, queue, shared: true, error, pipelines: Pipelines::default() }
    }

    /// Whether somebody else draws with it: work is then submitted in small parts, few of them at a time, so that a picture
    /// need not wait for all of it.
    pub fn is_shared(&self) -> bool {
        self.shared
    }

    /// The first error since the last call.
    pub fn take_error(&self) -> Option<DeviceError> {
        let mut error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.take().map(DeviceError::Failed)
    }
}
