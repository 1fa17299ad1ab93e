//! A private Python with SPlisHSPlasH.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::target;

/// The wheel and what it needs.
const PACKAGES: [&str; 2] = ["numpy", "pysplishsplash==2.19.0"];

const HAS_PACKAGES: &str = "\
import numpy
from importlib.metadata import version
assert version('pysplishsplash') == '2.19.0'";

/// The folder of everything that the comparison needs.
pub fn folder() -> PathBuf {
    target().join("peers")
}

/// The Python to run SPlisHSPlasH with; made and filled the first time.
pub fn ready() -> Result<PathBuf, String> {
    let system = Path::new("python3");
    if !succeeds(system, "import venv, ensurepip") {
        return Err("Python with venv is missing: apt-get install python3-venv".into());
    }
    if !succeeds(system, "import ctypes; ctypes.CDLL('libGL.so.1')") {
        return Err("libGL.so.1 is missing, which SPlisHSPlasH loads: apt-get install libgl1".into());
    }
    let venv = folder().join("venv");
    let python = venv.join("bin/python");
    if !succeeds(&python, HAS_PACKAGES) {
        eprintln!("== installing {} into {}", PACKAGES.join(" and "), venv.display());
        demand(Command::new(system).args(["-m", "venv"]).arg(&venv), "python3 -m venv")?;
        demand(
            Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES),
            "pip install",
        )?;
    }
    Ok(python)
}

/// Whether a piece of Python runs without an error.
fn succeeds(python: &Path, code: &str) -> bool {
    Command::new(python).args(["-c", code]).output().is_ok_and(|output| output.status.success())
}

/// Runs a command that must succeed.
fn demand(command: &mut Command, name: &str) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("`{name}` did not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{name}` failed: {status}")) }
}
