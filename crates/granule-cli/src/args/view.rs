//! Arguments of the window.

use std::path::PathBuf;

use clap::Args;

use super::assignment;

/// Arguments of `view`.
#[derive(Debug, Default, Args)]
pub struct ViewArgs {
    /// A built-in scene, a scene file, a recording (.granule), a checkpoint (.ckpt) or the folder of a run; the default
    /// scene when absent.
    #[arg(value_name = "SCENE|FILE|RUN")]
    pub scene: Option<String>,
    /// The scene's coarser, shorter form.
    #[arg(long, requires = "scene")]
    pub quick: bool,
    /// Change a value of the scene; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", requires = "scene", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Where to simulate: auto (the window's graphics card, else the CPU), cpu or gpu.
    #[arg(long, default_value = "auto", value_parser = ["auto", "cpu", "gpu"])]
    pub device: String,
    /// Number of CPU threads; all cores when absent.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Begin paused.
    #[arg(long)]
    pub paused: bool,
    /// Memory for the past that the time line goes back to [MiB].
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u32).range(16..=1_048_576))]
    pub history: u32,
    /// Close the window after so many frames.
    #[arg(long, value_name = "N")]
    pub frames: Option<u64>,
    /// Save a picture before the window closes.
    #[arg(long, value_name = "FILE", requires = "frames")]
    pub screenshot: Option<PathBuf>,
}
