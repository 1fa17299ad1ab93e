//! What tests use of the system: a graphics driver where there is no card, a display in memory, a browser.

use std::path::Path;
use std::process::{Command, Stdio};

/// Set for tests: one without an adapter then fails instead of being skipped; 0 skips it. `crates/granule-testing` reads it.
pub const REQUIRED: &str = "GRANULE_REQUIRE_ADAPTER";

/// Software Vulkan, OpenGL for the test of what happens where there is nothing but that, a display in memory with what windows
/// load there, and a browser for pages.
const PACKAGES: [&str; 11] = [
    "chromium",
    "mesa-vulkan-drivers",
    "libvulkan1",
    "libegl1",
    "libgl1-mesa-dri",
    "xvfb",
    "libx11-xcb1",
    "libxcursor1",
    "libxi6",
    "libxkbcommon0",
    "libxkbcommon-x11-0",
];

/// Installs the Vulkan driver in software, a display in memory and a browser where they are missing and that is possible, and else
/// says how to.
pub fn ensure() {
    // Without a display or a browser the tests that need one are skipped.
    if (has_driver() && has_program("Xvfb") && has_program("chromium")) || !cfg!(target_os = "linux") {
        return;
    }
    eprintln!("xtask: no Vulkan driver, Xvfb or Chromium; installing {}", PACKAGES.join(" "));
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

fn has_program(name: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(name).is_file())
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
