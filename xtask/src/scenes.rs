//! `cargo xtask scenes`: every scene of `granule list` in its full form, with its own solver or another one.

use std::process::{ExitCode, Stdio};
use std::time::Instant;

use crate::flags::Flags;
use crate::program::{build, granule};

/// How the run of a scene went.
struct Outcome {
    scene: String,
    seconds: f64,
    /// Exit code; nothing if it was killed.
    code: Option<i32>,
}

impl Outcome {
    fn words(&self) -> String {
        match self.code {
            Some(0) => "pass".into(),
            Some(code) => format!("FAIL (exit code {code})"),
            None => "FAIL (killed)".into(),
        }
    }
}

/// Builds the program, runs all scenes, or those that the solver of `--solver` takes, and prints a table.
pub fn run_all(args: &[&str]) -> ExitCode {
    let solver = match Flags::parse(args, &["--solver"]) {
        Ok(flags) => flags.text("--solver").map(String::from),
        Err(reason) => {
            eprintln!("xtask: {reason}");
            return ExitCode::from(2);
        }
    };
    let scenes = match build().and_then(|()| names()) {
        Ok(scenes) => scenes,
        Err(reason) => {
            eprintln!("xtask: {reason}");
            return ExitCode::FAILURE;
        }
    };
    let taken = scenes.into_iter().filter(|scene| takes(scene, solver.as_deref()));
    let outcomes: Vec<Outcome> = taken.map(|scene| run(scene, solver.as_deref())).collect();
    eprintln!("\n{:<16}{:>10}  result", "scene", "seconds");
    for outcome in &outcomes {
        eprintln!("{:<16}{:>10.1}  {}", outcome.scene, outcome.seconds, outcome.words());
    }
    let failed = outcomes.iter().filter(|outcome| outcome.code != Some(0)).count();
    eprintln!("\nxtask: {} of {} scenes passed", outcomes.len() - failed, outcomes.len());
    if failed == 0 && !outcomes.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether a solver takes a scene; it says why it does not.
fn takes(scene: &str, solver: Option<&str>) -> bool {
    let Some(solver) = solver else { return true };
    let checked = granule(&["check", scene, "--solver", solver]).stdout(Stdio::null()).status();
    let takes = checked.is_ok_and(|status| status.success());
    if !takes {
        eprintln!("xtask: {scene} is left out, as solver {solver} refuses it");
    }
    takes
}

fn run(scene: String, solver: Option<&str>) -> Outcome {
    eprintln!("\n== {scene}");
    let start = Instant::now();
    let mut args = vec!["run", scene.as_str()];
    args.extend(solver.into_iter().flat_map(|solver| ["--solver", solver]));
    let status = granule(&args).status();
    let code = status.ok().and_then(|status| status.code());
    Outcome { scene, seconds: start.elapsed().as_secs_f64(), code }
}

/// Names of the built-in scenes: the first word of every line of `granule list` below its header.
fn names() -> Result<Vec<String>, String> {
    let output = granule(&["list"]).stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let names: Vec<String> =
        text.lines().skip(1).filter_map(|line| line.split_whitespace().next().map(String::from)).collect();
    if output.status.success() && !names.is_empty() {
        Ok(names)
    } else {
        Err(format!("cannot list the scenes: {}", output.status))
    }
}
