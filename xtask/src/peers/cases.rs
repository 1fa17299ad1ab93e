//! What is run: programs, solvers and walls, and the times that they print.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde::Deserialize;
use serde_json::Value;

use crate::program::{granule, root};

use super::python;

/// A size of the dam break, with its steps before and during the timing.
#[derive(Clone, Copy)]
pub struct Size {
    pub name: &'static str,
    warm: u32,
    steps: u32,
}

/// The sizes.
pub const SIZES: [Size; 3] = [
    Size { name: "30k", warm: 50, steps: 100 },
    Size { name: "100k", warm: 50, steps: 50 },
    Size { name: "250k", warm: 20, steps: 30 },
];

/// Steps before and during the timing where the number of iterations is fixed.
const FIXED_STEPS: (u32, u32) = (10, 20);

/// Time step of the weakly compressible solvers \[s\], as in splishsplash.py; their speed of sound stands in the scenes.
const WEAK_TIME_STEP: f64 = 0.0005;

/// What all cases have in common.
pub struct Setup {
    pub size: Size,
    pub threads: u32,
    pub python: PathBuf,
}

/// A program.
#[derive(Clone, Copy, PartialEq)]
pub enum Program {
    Granule,
    SplishSplash,
}

/// A program with its solver and its kind of walls.
pub struct Case {
    pub program: Program,
    pub solver: &'static str,
    pub boundary: &'static str,
    /// Whether it also runs with fixed numbers of iterations.
    pub iteration_is_timed: bool,
}

/// The cases; all but the fourth are what the ratios compare.
pub const CASES: [Case; 6] = [
    Case { program: Program::Granule, solver: "IISPH", boundary: "exact", iteration_is_timed: true },
    Case {
        program: Program::SplishSplash,
        solver: "IISPH",
        boundary: "particles",
        iteration_is_timed: false,
    },
    Case { program: Program::SplishSplash, solver: "DFSPH", boundary: "particles", iteration_is_timed: true },
    Case {
        program: Program::SplishSplash,
        solver: "DFSPH",
        boundary: "volume-maps",
        iteration_is_timed: false,
    },
    Case { program: Program::Granule, solver: "WCSPH", boundary: "exact", iteration_is_timed: false },
    Case {
        program: Program::SplishSplash,
        solver: "WCSPH",
        boundary: "volume-maps",
        iteration_is_timed: false,
    },
];

/// Means over the timed steps of a run.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Sample {
    pub particles: u32,
    pub ms_per_step: f64,
    pub iterations: f64,
    /// Iterations of the second loop, where the solver has one.
    pub divergence_iterations: f64,
}

/// The runs of a case, one of each kind per round.
#[derive(Default)]
pub struct Runs {
    /// Until the density error is small enough.
    pub free: Vec<Sample>,
    /// With few iterations.
    pub few: Vec<Sample>,
    /// With many iterations.
    pub many: Vec<Sample>,
}

impl Case {
    /// Program, solver and kind of walls.
    pub fn name(&self) -> String {
        format!("{} {} ({})", self.program.name(), self.solver, self.boundary)
    }

    /// Runs it once, with a fixed number of iterations where one is given.
    pub fn run(&self, setup: &Setup, iterations: Option<u32>) -> Result<Sample, String> {
        let (warm, steps) = iterations.map_or((setup.size.warm, setup.size.steps), |_| FIXED_STEPS);
        let mut command = match self.program {
            Program::Granule => self.granule_bench(setup, iterations),
            Program::SplishSplash => self.splishsplash(setup, iterations),
        };
        command.args(["--threads", &setup.threads.to_string()]);
        command.args(["--warm", &warm.to_string(), "--steps", &steps.to_string()]);
        let output = command.output().map_err(|error| format!("{} did not start: {error}", self.name()))?;
        let sample = match self.program {
            Program::Granule => granule_sample(&output),
            Program::SplishSplash => splishsplash_sample(&output),
        };
        sample.ok_or_else(|| format!("{} failed, {}:\n{}", self.name(), output.status, last_lines(&output)))
    }

    fn granule_bench(&self, setup: &Setup, iterations: Option<u32>) -> Command {
        let scene = format!("bench/peers/dam_{}.toml", setup.size.name);
        let mut command = granule(&["bench", &scene, "--json", "--solver", &self.solver.to_lowercase()]);
        if self.solver == "WCSPH" {
            command.args(["--set", &format!("simulation.time_step={WEAK_TIME_STEP}")]);
        }
        if let Some(iterations) = iterations {
            for bound in ["min", "max"] {
                command.args(["--set", &format!("iisph.{bound}_iterations={iterations}")]);
            }
        }
        command
    }

    fn splishsplash(&self, setup: &Setup, iterations: Option<u32>) -> Command {
        let mut command = Command::new(&setup.python);
        command.arg(root().join("bench/peers/splishsplash.py")).current_dir(python::folder());
        command.args(["--size", setup.size.name, "--solver", self.solver, "--boundary", self.boundary]);
        if let Some(iterations) = iterations {
            command.args(["--iterations", &iterations.to_string()]);
        }
        command
    }
}

impl Program {
    /// The program's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Granule => "granule",
            Self::SplishSplash => "SPlisHSPlasH",
        }
    }
}

/// From `granule bench --json`, whose `ms_per_step` is a median: the mean follows from particles over all time.
fn granule_sample(output: &Output) -> Option<Sample> {
    let result: Value = serde_json::from_slice(&output.stdout).ok()?;
    let particles = result["particles"].as_u64()?.try_into().ok()?;
    let ms_per_step = 1e3 * f64::from(particles) / result["particle_steps_per_second"].as_f64()?;
    let iterations = result["iterations"].as_f64()?;
    Some(Sample { particles, ms_per_step, iterations, divergence_iterations: 0.0 })
}

/// From the line that splishsplash.py prints among the words of the library.
fn splishsplash_sample(output: &Output) -> Option<Sample> {
    let text = String::from_utf8_lossy(&output.stdout);
    let result = text.lines().find_map(|line| line.strip_prefix("RESULT "))?;
    serde_json::from_str(result).ok()
}

/// The end of what a program said.
pub fn last_lines(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(8)..].join("\n")
}
