//! The window of granule: a live run to look at, change, drag back in time and measure.
//!
//! [`run`] opens it; [`App`] is the window itself, which tests drive without one.

mod actions;
mod app;
mod camera_rig;
mod document;
mod files;
mod layout;
mod look;
mod options;
mod palette;
mod panels;
mod parameters;
mod picture;
mod publisher;
mod session;
mod tools;
mod transport;
mod video;
mod viewport;

pub use actions::{ACTIONS, Action, ActionInfo};
pub use app::{App, Pane};
pub use look::Look;
pub use options::{AppOptions, Place};
pub use session::{LogLine, Sample, Session, Severity};
pub use tools::Tool;

use std::sync::Arc;

use egui_wgpu::{WgpuConfiguration, WgpuSetup, WgpuSetupCreateNew};
use granule::SimulationError;
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
        ..WgpuSetupCreateNew::without_display_handle()
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
