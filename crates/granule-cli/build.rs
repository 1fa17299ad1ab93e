//! Tells the program which commit it is built from, where that is known.

use std::path::Path;
use std::process::Command;

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_string()).filter(|text| !text.is_empty())
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // A package that was unpacked inside of somebody else's repository has no commit of ours.
    if !Path::new("../../.git").exists() {
        return;
    }
    // Commits, checkouts and merges all add a line to this file.
    if let Some(path) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|path| Path::new(path).exists())
    {
        println!("cargo:rerun-if-changed={path}");
    }
    if let Some(hash) = git(&["rev-parse", "--short=12", "HEAD"]) {
        println!("cargo:rustc-env=GRANULE_GIT_HASH={hash}");
    }
}
