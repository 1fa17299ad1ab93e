//! The window on a real display, which Xvfb plays here.

use std::io::Read;
use std::process::{Child, Command, Stdio};

use crate::place::Place;

/// A display of its own, until it is dropped.
pub struct Display {
    server: Child,
    /// As programs name it.
    pub name: String,
}

impl Display {
    /// A display that is free; none where Xvfb is not installed.
    fn open() -> Option<Self> {
        let mut command = Command::new("Xvfb");
        command.args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"]);
        let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let mut number = String::new();
        let mut byte = [0];
        let output = server.stdout.as_mut()?;
        // It writes its number and a line's end once it listens.
        while output.read(&mut byte).ok()? == 1 && byte[0] != b'\n' {
            number.push(char::from(byte[0]));
        }
        Some(Self { name: format!(":{}", number.trim()), server })
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A display, or the note that the test is skipped.
pub fn display() -> Option<Display> {
    let display = Display::open();
    if display.is_none() {
        granule_testing::skip("Xvfb is not installed");
    }
    display
}

#[test]
fn a_window_opens_shows_sand_leaves_a_picture_and_closes() {
    let (Some(display), Some(_)) = (display(), granule_testing::device()) else { return };
    let place = Place::new();
    let args =
        ["view", "column", "--quick", "--device", "cpu", "--frames", "10", "--screenshot", "window.png"];
    let output =
        place.command(&args).env("DISPLAY", &display.name).env_remove("WAYLAND_DISPLAY").output().unwrap();
    crate::place::outcome(output).expect(0, &[]);
    let picture = std::fs::read(place.path("window.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 20_000, "{} bytes", picture.len());
}

#[test]
fn without_a_display_there_is_a_sentence_and_no_crash() {
    let place = Place::new();
    let mut command = place.command(&["view", "column"]);
    let output = command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap();
    crate::place::outcome(output).expect(2, &["there is no display", "granule run"]);
}

/// A driver that cannot draw sand is told before anything is made of it.
#[test]
fn without_vulkan_there_is_a_sentence_and_no_crash() {
    let Some(display) = display() else { return };
    let place = Place::new();
    let mut command = place.command(&["view", "column", "--quick", "--frames", "1"]);
    let output = command
        .env("DISPLAY", &display.name)
        .env_remove("WAYLAND_DISPLAY")
        .env("VK_ICD_FILENAMES", "/nowhere.json")
        .env("VK_DRIVER_FILES", "/nowhere.json")
        .output()
        .unwrap();
    let outcome = crate::place::outcome(output).expect(1, &["adapter"]);
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
}

#[test]
fn a_scene_that_is_wrong_is_told_before_a_window_opens() {
    let place = Place::new();
    std::fs::write(place.path("wrong.toml"), "name = \"wrong\"\n[[material]]\nradius = -1\n").unwrap();
    let output = place.command(&["view", "wrong.toml"]).env("DISPLAY", ":99999").output().unwrap();
    crate::place::outcome(output).expect(2, &["wrong.toml", "radius"]);
}
