//! Chores of the workspace: `cargo xtask test`, `scenes`, `docs`, `fuzz`, `peers`, `limits`, `soak`, `validation`.

mod dependencies;
mod drivers;
mod flags;
mod limits;
mod output;
mod peers;
mod program;
mod scenes;
mod skipped;
mod soak;
mod test;
mod validation;

use std::process::{Command, ExitCode, Stdio};

use flags::Flags;

const HELP: &str = "\
Chores of the granule workspace.

  cargo xtask test    everything a change must pass: format, dependencies, lints, documentation, tests
  cargo xtask scenes  runs every built-in scene in full and shows what took how long and what passed
                      [--solver NAME], those that this solver takes
  cargo xtask docs    make docs/scenes.md, the scene reference, from the types of a scene
  cargo xtask fuzz    mutates scenes, checkpoints and meshes [--minutes N] [--only scenes|checkpoints|meshes]
                      and runs random valid scenes [--scenes N] [--seed N]
  cargo xtask peers   the speed of granule against SPlisHSPlasH on the same dam break
                      [--size 30k|100k|250k] [--rounds N] [--threads N] [--json FILE]
  cargo xtask peers dem   against LAMMPS and LIGGGHTS on settled beds of spheres and of grains of four spheres
                      [--rounds N] [--threads N] [--json FILE]
  cargo xtask peers pbd   a pile of spheres, position-based and with rapier's balls [--spheres N] [--rounds N] [--steps N]
  cargo xtask limits  what this machine can do: bandwidths, arithmetic, gathers [--json FILE]
  cargo xtask soak    what takes hours: the full matrix of experiments and solvers with seeds and deliberate faults, kept in
                      target/soak and gone on with, long tests, fuzzing [--seeds N] [--minutes N]
  cargo xtask validation [DIR...]   adds the reports in these folders (of granule measure --report, of any machine) to
                      docs/validation/report.json and makes docs/validation.md from it and docs/validation/remarks.md
  cargo xtask help    this text";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => test::run(),
        ["docs"] => docs(),
        ["scenes", rest @ ..] => scenes::run_all(rest),
        ["fuzz", rest @ ..] => fuzz(rest),
        ["peers", rest @ ..] => ended(peers::compare(rest)),
        ["soak", rest @ ..] => ended(soak::run(rest)),
        ["validation", rest @ ..] => ended(validation::run(rest)),
        ["limits", rest @ ..] => ended(limits::measure(rest)),
        ["help" | "--help" | "-h"] => {
            eprintln!("{HELP}");
            ExitCode::SUCCESS
        }
        other => {
            eprintln!("xtask: unknown chore `{}`\n\n{HELP}", other.join(" "));
            ExitCode::from(2)
        }
    }
}

/// The exit code of a chore; a failure is told in words.
fn ended(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the scene reference; a test of the engine compares the page with the types.
fn docs() -> ExitCode {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/scenes.md");
    let args = ["run", "--locked", "--quiet", "--package", "granule-cli", "--", "schema", "--markdown"];
    let written = match cargo().args(args).stderr(Stdio::inherit()).output() {
        Ok(output) if output.status.success() => {
            std::fs::write(page, output.stdout).map_err(|e| e.to_string())
        }
        Ok(output) => Err(format!("`granule schema --markdown` failed: {}", output.status)),
        Err(error) => Err(format!("cargo could not start: {error}")),
    };
    match written {
        Ok(()) => {
            eprintln!("xtask: wrote docs/scenes.md");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("xtask: docs/scenes.md: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Mutates scenes, checkpoints and meshes; the arguments go to the fuzzing program once they are known to be right.
fn fuzz(args: &[&str]) -> ExitCode {
    if let Err(message) = check_fuzz_flags(args) {
        eprintln!("xtask: {message}");
        return ExitCode::from(2);
    }
    let program = ["run", "--locked", "--release", "--package", "granule", "--example", "fuzz", "--"];
    match cargo().args(program).args(args).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(error) => {
            eprintln!("xtask: fuzzing could not start: {error}");
            ExitCode::from(1)
        }
    }
}

fn check_fuzz_flags(args: &[&str]) -> Result<(), String> {
    let flags = Flags::parse(args, &["--minutes", "--scenes", "--seed", "--only"])?;
    for name in ["--minutes", "--scenes", "--seed"] {
        let text = flags.text(name).unwrap_or("0");
        if !text.parse::<f64>().is_ok_and(|number| number.is_finite() && number >= 0.0) {
            return Err(format!("`{name} {text}`: a number of at least 0 is needed"));
        }
    }
    match flags.text("--only") {
        None | Some("scenes" | "checkpoints" | "meshes") => Ok(()),
        Some(word) => Err(format!("`--only {word}`: scenes, checkpoints or meshes are known")),
    }
}

/// The cargo that started this program.
fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_flags_of_fuzzing_are_named_before_it_starts() {
        let wrong = |args: &[&str]| check_fuzz_flags(args).unwrap_err();
        assert!(wrong(&["--minute", "2"]).contains("`--minute`"));
        assert!(wrong(&["--minutes", "-1"]).contains("--minutes -1"));
        assert!(wrong(&["--seed", "many"]).contains("--seed many"));
        assert!(wrong(&["--only", "water"]).contains("scenes, checkpoints or meshes"));
        assert_eq!(check_fuzz_flags(&["--only", "meshes", "--minutes", "0.5"]), Ok(()));
    }
}
