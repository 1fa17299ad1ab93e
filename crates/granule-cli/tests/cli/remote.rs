//! A real window, driven from outside; run with the feature `inspection`.

use std::process::Child;
use std::time::{Duration, Instant};

use granule_app::Remote;

use crate::place::Place;
use crate::view::display;

/// Longest time until a window is there, or shows something.
const PATIENCE: Duration = Duration::from_secs(120);

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An address of this machine that nobody listens at.
fn free_address() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

/// Asks until there is an answer.
fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begin.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_window_is_paused_played_and_seen_from_outside() {
    let (Some(display), Some(_)) = (display(), granule_testing::device()) else { return };
    let (place, address) = (Place::new(), free_address());
    let mut command = place.command(&["view", "column", "--quick", "--device", "cpu"]);
    command.env("DISPLAY", &display.name).env_remove("WAYLAND_DISPLAY").env("EGUI_INSPECTION", &address);
    let mut running = Running(command.spawn().unwrap());
    let window = until("the window listens", || {
        assert!(running.0.try_wait().unwrap().is_none(), "it has ended");
        Remote::connect(&address).ok()
    });
    let shows = |label: &str| window.labels().unwrap().iter().any(|known| known == label);
    until("it plays", || shows("Pause").then_some(()));
    window.click("Pause").unwrap();
    until("it is paused", || shows("Play").then_some(()));
    window.click("Next frame").unwrap();
    window.click("Play").unwrap();
    until("it plays again", || shows("Pause").then_some(()));
    assert!(window.click("No such button").unwrap_err().to_string().contains("No such button"));
    let ([width, height], png) = window.screenshot().unwrap();
    assert!(
        width > 600 && height > 400 && png.starts_with(b"\x89PNG") && png.len() > 20_000,
        "{width} x {height}"
    );
}
