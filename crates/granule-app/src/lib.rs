//! The window of granule: a live run to look at, change, drag back in time and measure.
//!
//! [`run`] opens it; [`App`] is the window itself, which tests drive without one.

mod actions;
mod app;
mod camera_rig;
mod contents;
mod document;
mod edits;
mod files;
mod fit;
mod gallery;
mod gamepad;
mod hands;
mod layout;
mod look;
mod options;
mod palette;
mod panels;
mod parameters;
mod picture;
mod places;
mod publisher;
#[cfg(feature = "inspection")]
mod remote;
mod session;
mod side;
mod slice;
mod torn;
mod transport;
mod video;
mod viewport;

pub use actions::{ACTIONS, Action, ActionInfo};
pub use app::{App, Pane};
pub use hands::{Tool, ToolKind};
pub use look::Look;
pub use options::{AppOptions, Place};
#[cfg(feature = "inspection")]
pub use remote::Remote;
pub use session::{LogLine, Sample, Session, Severity};

use std::sync::Arc;

use egui_wgpu::wgpu::{Adapter, Surface};
use egui_wgpu::{WgpuConfiguration, WgpuSetup, WgpuSetupCreateNew};
use granule::SimulationError;
use granule_device::{AdapterKind, AdapterSummary, Purpose, lack_of};
use granule_render::RenderError;

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// There is no display, or it refuses.
    #[error("no window can be opened: {0}")]
    Display(String),
    /// The window has no graphics device.
    #[error("the window has no graphics device that can draw")]
    NoDevice,
    /// The window's adapter cannot draw.
    #[error("adapter {adapter} cannot draw sand: {lack}")]
    Adapter {
        /// Name of the adapter.
        adapter: String,
        /// What it lacks.
        lack: String,
    },
    /// The scene cannot be simulated.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// The device cannot draw.
    #[error(transparent)]
    Render(#[from] RenderError),
}

/// How a window's device is opened: with all that its adapter can do, as the simulation needs it.
pub fn wgpu_setup() -> WgpuSetup {
    WgpuSetup::CreateNew(WgpuSetupCreateNew {
        device_descriptor: Arc::new(granule_device::descriptor_of),
        native_adapter_selector: Some(Arc::new(choose_adapter)),
        ..WgpuSetupCreateNew::without_display_handle()
    })
}

/// The best adapter that can draw sand in the window; in words why there is none.
fn choose_adapter(adapters: &[Adapter], surface: Option<&Surface>) -> Result<Adapter, String> {
    let shows = |adapter: &&Adapter| surface.is_none_or(|surface| adapter.is_surface_supported(surface));
    let lacks: Vec<(&Adapter, Option<String>)> =
        adapters.iter().filter(shows).map(|adapter| (adapter, lack_of(adapter, Purpose::Draw))).collect();
    let rank = |adapter: &Adapter| u8::from(AdapterSummary::of(adapter).kind == AdapterKind::Software);
    let fit = lacks.iter().filter(|(_, lack)| lack.is_none()).min_by_key(|(adapter, _)| rank(adapter));
    fit.map(|(adapter, _)| (*adapter).clone()).ok_or_else(|| {
        let lack = |(adapter, lack): &(&Adapter, Option<String>)| {
            format!("{} {}", AdapterSummary::of(adapter).name, lack.as_deref().unwrap_or_default())
        };
        let found: Vec<String> = lacks.iter().map(lack).collect();
        let found = if found.is_empty() { "there is none".into() } else { found.join("; ") };
        format!(
            "no graphics adapter can draw sand: {found}. A Vulkan driver helps (Debian: mesa-vulkan-drivers)"
        )
    })
}

/// Opens the window and stays until it is closed.
///
/// # Errors
/// Says why there is no window, or what is wrong with the scene.
pub fn run(options: AppOptions) -> Result<(), AppError> {
    let native = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default().with_inner_size([1280.0, 760.0]).with_title("granule"),
        renderer: eframe::Renderer::Wgpu,
        wgpu_options: WgpuConfiguration { wgpu_setup: wgpu_setup(), ..WgpuConfiguration::default() },
        ..eframe::NativeOptions::default()
    };
    let create: eframe::AppCreator = Box::new(move |creation| {
        let app = App::new(creation, options).map_err(Box::new)?;
        Ok(Box::new(app) as Box<dyn eframe::App>)
    });
    eframe::run_native("granule", native, create).map_err(|error| AppError::Display(error.to_string()))
}
