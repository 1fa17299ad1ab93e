//! `cargo xtask scenes`: every scene of `granule list` in its full form.

use std::process::{ExitCode, Stdio};
use std::time::Instant;

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

/// Builds the program, runs all scenes and prints a table.
pub fn run_all() -> ExitCode {
    let scenes = match build().and_then(|()| names()) {
        Ok(scenes) => scenes,
        Err(reason) => {
            eprintln!("xtask: {reason}");
            return ExitCode::FAILURE;
        }
    };
    let outcomes: Vec<Outcome> = scenes.into_iter().map(run).collect();
    eprintln!("\n{:<16}{:>10}  result", "scene", "seconds");
    for outcome in &outcomes {
        eprintln!("{:<16}{:>10.1}  {}", outcome.scene, outcome.seconds, outcome.words());
    }
    let failed = outcomes.iter().filter(|outcome| outcome.code != Some(0)).count();
    eprintln!("\nxtask: {} of {} scenes passed", outcomes.len() - failed, outcomes.len());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(scene: String) -> Outcome {
    eprintln!("\n== {scene}");
    let start = Instant::now();
    let status = granule(&["run", &scene]).status();
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
