//! Graphics adapters and devices for granule: found without a display, chosen by number, name or environment variable.
//!
//! Simulation and pictures share what is opened here. What an adapter can do is known before a shader is compiled
//! ([`Purpose`]), so that a driver without what is needed is not tried first. Nothing panics on a driver's error: the first
//! one is kept and handed out by [`GpuDevice::take_error`].

mod adapter;
mod capability;
mod choice;
mod device;
mod pipelines;
mod read_back;
mod wait;

pub use adapter::{AdapterKind, AdapterSummary, lack_of, list_adapters, list_adapters_for};
pub use capability::Purpose;
pub use choice::{ADAPTER_VARIABLE, AdapterChoice};
pub use device::{GpuDevice, descriptor_of};
pub use read_back::PendingRead;
pub use wait::Submission;
pub use wgpu;

/// Why there is no device.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The machine has no adapter.
    #[error(
        "no graphics adapter was found; on Linux a driver in software is in the package mesa-vulkan-drivers"
    )]
    NoAdapter,
    /// No adapter fits what was asked for.
    #[error("no adapter {wanted}; there are: {known}")]
    Unknown {
        /// What was asked for.
        wanted: String,
        /// The adapters, with their numbers.
        known: String,
    },
    /// The adapter cannot do what the device is wanted for.
    #[error("adapter {adapter} is not enough: {lack}")]
    Incapable {
        /// Name of the adapter.
        adapter: String,
        /// What it lacks.
        lack: String,
    },
    /// The adapter gives no device.
    #[error("adapter {adapter} refuses to open: {reason}")]
    Refused {
        /// Name of the adapter.
        adapter: String,
        /// What the driver says.
        reason: String,
    },
    /// The device failed while it worked.
    #[error("the graphics device failed: {0}")]
    Failed(String),
}
