//! The graphics driver that tests use where there is no card.

use std::path::Path;
use std::process::{Command, Stdio};

/// Set for tests: one without an adapter then fails instead of being skipped; 0 skips it. `crates/granule-testing` reads it.
pub const REQUIRED: &str = "GRANULE_REQUIRE_ADAPTER";

/// Software Vulkan, and OpenGL for the test of what happens where there is nothing but that.
const PACKAGES: [&str; 4] = ["mesa-vulkan-drivers", "libvulkan1", "libegl1", "libgl1-mesa-dri"];

/// Installs the Vulkan driver in software where there is none and that is possible, and else says how to.
pub fn ensure() {
    if has_driver() || !cfg!(target_os = "linux") {
        return;
    }
    eprintln!("xtask: no Vulkan driver; installing {}", PACKAGES.join(" "));
    if !(install() || (update() && install())) || !has_driver() {
        eprintln!(
            "xtask: tests on a graphics device will fail; apt-get install {} brings a driver, {REQUIRED}=0 skips them",
            PACKAGES.join(" ")
        );
    }
}

fn has_driver() -> bool {
    let folders = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"];
    let files = |folder: &str| Path::new(folder).read_dir().is_ok_and(|mut files| files.next().is_some());
    std::env::var_os("VK_ICD_FILENAMES").is_some() || folders.iter().any(|folder| files(folder))
}

fn install() -> bool {
    apt(&[&["install", "-y", "-qq", "--no-install-recommends"], &PACKAGES[..]].concat())
}

fn update() -> bool {
    apt(&["update", "-qq"])
}

fn apt(args: &[&str]) -> bool {
    let mut command = Command::new("apt-get");
    command.args(args).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
