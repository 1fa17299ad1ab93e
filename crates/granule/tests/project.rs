//! The project itself: the architecture page names what exists, the engine stays free of GPU and window.

use std::path::{Path, PathBuf};
use std::process::Command;

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

#[test]
fn the_engine_depends_on_neither_gpu_nor_window() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let tree = Command::new(cargo)
        .args(["tree", "--locked", "--offline", "-p", "granule", "-e", "normal", "--prefix", "none"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8_lossy(&tree.stdout).into_owned();
    assert!(tree.contains("rayon"), "the list of dependencies was read: {tree}");
    for forbidden in ["wgpu", "egui", "winit", "eframe", "clap"] {
        let found = tree.lines().any(|line| line.starts_with(forbidden));
        assert!(!found, "the engine must not depend on {forbidden}");
    }
}
