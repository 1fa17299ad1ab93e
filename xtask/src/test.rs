//! `cargo xtask test`: everything that a change must pass.

use std::io::{BufRead, BufReader, Write};
use std::process::{ExitCode, ExitStatus, Stdio};
use std::time::Instant;

use crate::skipped::{self, Skipped};
use crate::{cargo, dependencies, drivers};

/// What must succeed.
struct Step {
    name: &'static str,
    work: Work,
}

enum Work {
    /// A command of cargo.
    Cargo {
        args: &'static [&'static str],
        /// The toolchain component that the step needs, beyond cargo itself.
        component: Option<&'static str>,
    },
    /// A check of our own, and what it is in words.
    Check(fn() -> Result<(), String>, &'static str),
}

const STEPS: &[Step] = &[
    Step {
        name: "format",
        work: Work::Cargo { args: &["fmt", "--all", "--check"], component: Some("rustfmt") },
    },
    Step {
        name: "dependencies",
        work: Work::Check(dependencies::check, "licences, versions and sources of deny.toml"),
    },
    Step {
        name: "lints",
        work: Work::Cargo {
            args: &["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"],
            component: Some("clippy"),
        },
    },
    Step {
        name: "the engine without features",
        work: Work::Cargo {
            args: &["check", "--locked", "--package", "granule", "--no-default-features"],
            component: None,
        },
    },
    Step {
        name: "documentation",
        work: Work::Cargo { args: &["doc", "--locked", "--workspace", "--no-deps"], component: None },
    },
    Step {
        name: "tests",
        work: Work::Cargo { args: &["test", "--locked", "--workspace", "--no-fail-fast"], component: None },
    },
];

impl Work {
    fn words(&self) -> String {
        match self {
            Self::Cargo { args, .. } => format!("cargo {}", args.join(" ")),
            Self::Check(_, words) => (*words).into(),
        }
    }
}

/// Runs all steps and says at the end what the tests left out. A missing adapter is a failure unless the environment
/// says otherwise.
pub fn run() -> ExitCode {
    drivers::ensure();
    let record = match skipped::new_record() {
        Ok(record) => record,
        Err(message) => {
            eprintln!("xtask: {message}");
            return ExitCode::FAILURE;
        }
    };
    // SAFETY: no other thread runs yet.
    unsafe {
        if std::env::var_os(drivers::REQUIRED).is_none() {
            std::env::set_var(drivers::REQUIRED, "1");
        }
        std::env::set_var(skipped::RECORD, &record);
    }
    let mut skipped = Skipped::default();
    let code = run_all(STEPS, &mut skipped);
    match skipped.read(&record) {
        Ok(()) => {
            eprintln!("{}", skipped.words());
            code
        }
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs steps in order and stops at the first that fails, with its exit code.
fn run_all(steps: &[Step], skipped: &mut Skipped) -> ExitCode {
    let start = Instant::now();
    for (number, step) in steps.iter().enumerate() {
        eprintln!("\n== {} of {}: {}: {}", number + 1, steps.len(), step.name, step.work.words());
        let step_start = Instant::now();
        if let Err((message, code)) = run_step(step, skipped) {
            eprintln!("\nxtask: {message} (after {:.1} s)", start.elapsed().as_secs_f64());
            return ExitCode::from(code);
        }
        eprintln!("== {}: passed in {:.1} s", step.name, step_start.elapsed().as_secs_f64());
    }
    eprintln!("\nxtask: all {} steps passed in {:.1} s", steps.len(), start.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

/// Runs a step; a failure is told in words with the exit code to end with.
fn run_step(step: &Step, skipped: &mut Skipped) -> Result<(), (String, u8)> {
    let name = step.name;
    let (args, component) = match step.work {
        Work::Check(check, _) => return check().map_err(|message| (format!("step `{name}`: {message}"), 1)),
        Work::Cargo { args, component } => (args, component),
    };
    if let Some(component) = component.filter(|_| !is_installed(args[0])) {
        let message = format!(
            "step `{name}` needs {component}, which is not installed: rustup component add {component}"
        );
        return Err((message, 1));
    }
    let status = run_cargo(args, skipped);
    let status = status.map_err(|error| (format!("step `{name}` could not start: {error}"), 1))?;
    if status.success() {
        return Ok(());
    }
    let code = status.code();
    let words = code.map_or("was killed by a signal".into(), |code| format!("failed with exit code {code}"));
    Err((format!("step `{name}` {words}"), code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

/// Runs cargo and hands its output on while it reads which tests are ignored.
fn run_cargo(args: &[&str], skipped: &mut Skipped) -> std::io::Result<ExitStatus> {
    let mut child = cargo().args(args).stdout(Stdio::piped()).spawn()?;
    if let Some(output) = child.stdout.take() {
        let mut stdout = std::io::stdout().lock();
        for line in BufReader::new(output).split(b'\n') {
            let line = line?;
            stdout.write_all(&line)?;
            stdout.write_all(b"\n")?;
            skipped.note(&String::from_utf8_lossy(&line));
        }
    }
    child.wait()
}

/// Whether cargo knows a subcommand.
fn is_installed(subcommand: &str) -> bool {
    cargo().args([subcommand, "--version"]).output().is_ok_and(|output| output.status.success())
}
