//! `granule view`: the window.

use granule::live::Source;
use granule::scene::builtin_scenes;
use granule_app::{AppError, AppOptions, Place};

use crate::args::ViewArgs;
use crate::failure::Failure;

/// Opens the window on a scene and stays until it is closed.
pub fn view(args: &ViewArgs) -> Result<(), Failure> {
    let path = args.scene.clone().unwrap_or_else(|| builtin_scenes()[0].name.into());
    let source = Source::File { path, quick: args.quick, sets: args.set.clone() };
    // A scene that is wrong is told here, where it can be read, before a window opens.
    source.open()?;
    if !has_display() {
        let hint = "granule run SCENE simulates without one, granule render draws pictures";
        return Err(Failure::Input(format!("there is no display to open a window on; {hint}")));
    }
    let place = match args.device.as_str() {
        "cpu" => Place::Cpu,
        "gpu" => Place::Gpu,
        _ => Place::Auto,
    };
    let options = AppOptions {
        place,
        threads: args.threads.map(usize::from),
        fits_machine: args.scene.is_none(),
        playing: !args.paused,
        frames: args.frames,
        screenshot: args.screenshot.clone(),
        remember: args.frames.is_none(),
        history_bytes: (args.history as usize) << 20,
        ..AppOptions::new(source)
    };
    granule_app::run(options).map_err(|error| match error {
        AppError::Simulation(error) => error.into(),
        other => Failure::Run(other.to_string()),
    })
}

/// Whether a window could be opened.
pub fn has_display() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(all(unix, not(target_os = "macos"))) || set("DISPLAY") || set("WAYLAND_DISPLAY")
}
