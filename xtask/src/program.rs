//! The program `granule` in its release form, and where things are.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo;

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folder of build results.
pub fn target() -> PathBuf {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    std::path::absolute(&folder).unwrap_or(folder)
}

/// Builds the program.
pub fn build() -> Result<(), String> {
    let build = cargo().args(["build", "--locked", "--release", "--package", "granule-cli"]).status();
    let built = build.is_ok_and(|status| status.success());
    if built { Ok(()) } else { Err("the program could not be built".into()) }
}

/// The built program with arguments, to be started in the repository.
pub fn granule(args: &[&str]) -> Command {
    let program = format!("granule{}", std::env::consts::EXE_SUFFIX);
    let mut command = Command::new(target().join("release").join(program));
    command.current_dir(root()).args(args);
    command
}
