//! `cargo xtask peers pbd`: a pile of spheres, position-based and with rapier's balls, in one program.

use crate::cargo;
use crate::flags::Flags;

/// Runs the pile; the last line is how many times faster granule is.
pub fn compare(args: &[&str]) -> Result<(), String> {
    let flags = Flags::parse(args, &["--spheres", "--rounds", "--steps"])?;
    let spheres: u32 = flags.count("--spheres", 20_000)?;
    let rounds: u32 = flags.count("--rounds", 3)?;
    let steps: u32 = flags.count("--steps", 4)?;
    let numbers = [spheres, rounds, steps].map(|number| number.to_string());
    let status = cargo()
        .args(["bench", "--quiet", "--locked", "--workspace", "--bench", "pile", "--"])
        .args(numbers)
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        _ => Err("the pile could not be timed".into()),
    }
}
