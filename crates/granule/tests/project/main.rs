//! The project itself: the architecture page names what exists, packages and rooms depend one way.

mod rooms;

use std::path::{Path, PathBuf};
use std::process::Command;

use rooms::Package;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_path_in_the_architecture_page_exists() {
    let page = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let quoted = page.split('`').skip(1).step_by(2);
    let paths: Vec<&str> = quoted.filter(|word| word.contains('/') && !word.contains(' ')).collect();
    assert!(paths.len() > 20, "{paths:?}");
    for path in paths {
        assert!(root().join(path).exists(), "docs/architecture.md names `{path}`, which does not exist");
    }
}

/// The names of all packages that a package depends on, directly or not, tests and build scripts aside.
fn dependencies(package: &str) -> Vec<String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let tree = Command::new(cargo)
        .args(["tree", "--locked", "--offline", "-p", package, "-e", "normal", "--prefix", "none"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8_lossy(&tree.stdout).into_owned();
    tree.lines().filter_map(|line| line.split(' ').next()).map(String::from).collect()
}

#[test]
fn the_engine_depends_on_neither_gpu_nor_window() {
    let names = dependencies("granule");
    assert!(names.iter().any(|name| name == "rayon"), "the list of dependencies was read: {names:?}");
    for forbidden in ["wgpu", "egui", "winit", "eframe", "clap"] {
        assert!(!names.iter().any(|name| name.starts_with(forbidden)), "the engine depends on {forbidden}");
    }
}

#[test]
fn the_renderer_knows_devices_and_mathematics_only() {
    let names = dependencies("granule-render");
    assert!(names.iter().any(|name| name == "glam"), "the list of dependencies was read: {names:?}");
    let mut ours: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| name.starts_with("granule")).collect();
    ours.sort_unstable();
    ours.dedup();
    assert_eq!(ours, ["granule-device", "granule-render"]);
    for forbidden in ["rapier3d", "egui", "winit", "eframe", "clap"] {
        assert!(!names.iter().any(|name| name == forbidden), "the renderer depends on {forbidden}");
    }
}

/// A back edge is found: putting `use crate::io::write_atomic;` back into `geometry/cache.rs` fails here.
#[test]
fn rooms_of_the_engine_know_each_other_one_way() {
    let page = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let engine = Package::read(&root(), "crates/granule/src/", &page);
    assert!(engine.file_count() > 150 && engine.import_count() > 300, "the files were read");
    assert_eq!(engine.faults(), [""; 0]);
}

#[test]
fn rooms_of_the_program_know_each_other_one_way() {
    let page = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let program = Package::read(&root(), "crates/granule-cli/src/", &page);
    assert!(program.file_count() > 30 && program.import_count() > 60, "the files were read");
    assert_eq!(program.faults(), [""; 0]);
}
