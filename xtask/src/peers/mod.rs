//! `cargo xtask peers`: the speed of granule against SPlisHSPlasH on the same dam break; `cargo xtask peers dem`: against LAMMPS
//! and LIGGGHTS on settled beds of distinct elements; `cargo xtask peers pbd`: against rapier's balls on a pile of spheres.
//!
//! bench/peers/README.md says what is compared and how.

mod beds;
mod cases;
mod comparison;
mod pile;
mod python;

use std::path::Path;

use crate::flags::Flags;
use crate::output::{print, write_json};
use crate::program;

use cases::{CASES, Runs, SIZES, Setup};
use comparison::Comparison;

/// Iterations per step whose difference tells the cost of one.
const FEW: u32 = 5;
/// As [`FEW`].
const MANY: u32 = 25;

/// Runs both programs in turn and prints how they compare.
pub fn compare(args: &[&str]) -> Result<(), String> {
    if let ["dem", rest @ ..] = args {
        return beds::compare(rest);
    }
    if let ["pbd", rest @ ..] = args {
        return pile::compare(rest);
    }
    let flags = Flags::parse(args, &["--size", "--rounds", "--threads", "--json"])?;
    let name = flags.text("--size").unwrap_or("100k");
    let size = SIZES.into_iter().find(|size| size.name == name);
    let size = size.ok_or_else(|| format!("`--size {name}`: 30k, 100k and 250k are known"))?;
    let rounds: u32 = flags.count("--rounds", 3)?;
    let threads: u32 = flags.count("--threads", 2)?;
    let python = python::with_splishsplash()?;
    program::build()?;
    let runs = run_rounds(&Setup { size, threads, python }, rounds)?;
    let comparison = Comparison::new(size.name, threads, &runs)?;
    if let Some(path) = flags.text("--json") {
        write_json(Path::new(path), &comparison)?;
    }
    print(&comparison.in_words())
}

/// All cases one after the other, `rounds` times.
fn run_rounds(setup: &Setup, rounds: u32) -> Result<[Runs; CASES.len()], String> {
    let mut all = CASES.map(|_| Runs::default());
    for round in 1..=rounds {
        for (case, runs) in CASES.iter().zip(&mut all) {
            eprintln!("== round {round} of {rounds}: {}", case.name());
            runs.free.push(case.run(setup, None)?);
        }
        for (case, runs) in CASES.iter().zip(&mut all).filter(|(case, _)| case.iteration_is_timed) {
            eprintln!("== round {round} of {rounds}: {}, {FEW} and {MANY} iterations", case.name());
            runs.few.push(case.run(setup, Some(FEW))?);
            runs.many.push(case.run(setup, Some(MANY))?);
        }
    }
    Ok(all)
}
