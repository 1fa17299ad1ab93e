//! The graphics driver that picture tests draw with where there is no card.

use std::path::Path;
use std::process::{Command, Stdio};

/// Set for tests where a driver is there: then a test without an adapter fails instead of being passed over.
pub const REQUIRED: &str = "GRANULE_REQUIRE_ADAPTER";

const PACKAGES: [&str; 2] = ["mesa-vulkan-drivers", "libvulkan1"];

/// Whether Vulkan has a driver; installs the one in software where that is possible, and else says how to.
pub fn ensure() -> bool {
    if has_driver() || !cfg!(target_os = "linux") {
        return has_driver();
    }
    eprintln!("xtask: no Vulkan driver; installing {}", PACKAGES.join(" "));
    if !(install() || (update() && install())) || !has_driver() {
        eprintln!(
            "xtask: tests of pictures on a graphics device are passed over; apt-get install {} brings them back",
            PACKAGES.join(" ")
        );
        return false;
    }
    true
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
