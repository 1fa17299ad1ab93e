//! `cargo xtask soak`: what takes hours and no change has to wait for.

use std::time::Instant;

use crate::cargo;
use crate::flags::Flags;
use crate::program::target;

/// A long piece of work.
struct Step {
    name: &'static str,
    args: Vec<String>,
}

/// Runs every step, also after one that failed, and names those at the end.
///
/// # Errors
/// Names the wrong flag, or the steps that failed.
pub fn run(args: &[&str]) -> Result<(), String> {
    let mut failed = Vec::new();
    for step in steps(args)? {
        eprintln!("\n== {}: cargo {}", step.name, step.args.join(" "));
        let start = Instant::now();
        let passed = cargo().args(&step.args).status().is_ok_and(|status| status.success());
        let words = if passed { "passed" } else { "FAILED" };
        eprintln!("== {}: {words} in {:.0} s", step.name, start.elapsed().as_secs_f64());
        if !passed {
            failed.push(step.name);
        }
    }
    match failed.as_slice() {
        [] => Ok(()),
        names => Err(format!("these failed: {}", names.join(", "))),
    }
}

/// The steps, with the arguments of their commands.
fn steps(args: &[&str]) -> Result<Vec<Step>, String> {
    let flags = Flags::parse(args, &["--seeds", "--minutes"])?;
    let seeds = flags.count("--seeds", 3u32)?.to_string();
    let minutes = flags.count("--minutes", 30u32)?.to_string();
    let folder = target().join("soak").display().to_string();
    let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
    let mut matrix =
        words("run --locked --release --package granule-cli -- measure --all --controls --report");
    matrix.extend([folder, "--seeds".into(), seeds]);
    let mut fuzz = words("run --locked --release --package granule --example fuzz -- --minutes");
    fuzz.push(minutes);
    Ok(vec![
        Step { name: "the full matrix of experiments and solvers", args: matrix },
        Step {
            name: "long tests",
            args: words("test --locked --release --workspace --no-fail-fast -- --ignored"),
        },
        Step { name: "fuzzing", args: fuzz },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_flags_are_named_before_anything_runs() {
        assert!(steps(&["--seed", "2"]).is_err_and(|reason| reason.contains("--seed")));
        assert!(steps(&["--seeds", "0"]).is_err_and(|reason| reason.contains("--seeds 0")));
        let all = steps(&["--seeds", "5", "--minutes", "2"]).unwrap_or_default();
        assert_eq!(all.len(), 3);
        assert!(all[0].args.ends_with(&["--seeds".into(), "5".into()]));
        assert_eq!(all[2].args.last().map(String::as_str), Some("2"));
    }
}
