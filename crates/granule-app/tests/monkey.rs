//! A monkey at the window: random clicks, drags, keys, dropped files and window sizes. Nothing may panic, hang or grow.
//!
//! `GRANULE_MONKEY_SECONDS` makes it stay longer than the few seconds that it has in every test run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::{Key, Modifiers, PointerButton, Pos2, pos2, vec2};
use egui_kittest::Harness;
use granule::live::Source;
use granule::random::Random;
use granule_app::{App, AppOptions, Place};

/// Seconds unless said otherwise.
const SECONDS: u64 = 15;
/// Things that it does at least, however slow the machine is.
const LEAST: u64 = 60;
/// How often its memory is looked at.
const TIMES: u32 = 12;
/// Bytes of the past of a run.
const HISTORY: usize = 32 << 20;
/// Bytes that sand, letters and pictures may take beside it.
const MORE: u64 = 64 << 20;
/// A frame of the interface that takes longer hangs.
const HANG: Duration = Duration::from_secs(20);
/// Keys that a monkey hits; none of them leaves the window.
const KEYS: [Key; 24] = [
    Key::Space,
    Key::ArrowLeft,
    Key::ArrowRight,
    Key::ArrowUp,
    Key::ArrowDown,
    Key::Home,
    Key::Period,
    Key::F,
    Key::C,
    Key::Tab,
    Key::Questionmark,
    Key::Escape,
    Key::Enter,
    Key::Backspace,
    Key::Num1,
    Key::Num2,
    Key::Num5,
    Key::Num9,
    Key::W,
    Key::E,
    Key::PageUp,
    Key::K,
    Key::Z,
    Key::R,
];

#[derive(Debug)]
struct Dropped(std::path::PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &std::path::Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

struct Monkey {
    random: Random,
    files: Vec<std::path::PathBuf>,
    size: egui::Vec2,
}

impl Monkey {
    fn below(&mut self, count: usize) -> usize {
        ((0.5 + 0.5 * self.random.signed()) * count as f32) as usize % count
    }

    fn place(&mut self) -> Pos2 {
        let mut side = |length: f32| (0.5 + 0.5 * self.random.signed()) * length;
        let (x, y) = (side(self.size.x), side(self.size.y));
        pos2(x, y)
    }

    /// Does one thing.
    fn act(&mut self, window: &mut Harness<App>) {
        match self.below(100) {
            0..40 => {
                let place = self.place();
                self.press(window, place, true);
                self.press(window, place, false);
            }
            40..60 => self.drag(window),
            60..85 => {
                let key = KEYS[self.below(KEYS.len())];
                let with = if self.below(6) == 0 { Modifiers::COMMAND } else { Modifiers::NONE };
                window.key_press_modifiers(with, key);
            }
            85..92 => {
                let letters = ["7", "sand", "-1", "x", "0.5", "1e9"];
                let text = letters[self.below(letters.len())].to_string();
                window.event(egui::Event::Text(text));
            }
            92..95 => {
                let number = self.below(self.files.len());
                let file = self.files[number].clone();
                window.input_mut().dropped_files.push(Arc::new(Dropped(file)));
            }
            95..97 => {
                self.size = vec2(200.0 + self.place().x, 150.0 + self.place().y).min(vec2(1400.0, 900.0));
                window.set_size(self.size);
            }
            _ => {
                let delta = vec2(0.0, 60.0 * self.random.signed());
                let phase = egui::TouchPhase::Move;
                let unit = egui::MouseWheelUnit::Point;
                let (source, modifiers) = (egui::MouseWheelSource::Unknown, Modifiers::NONE);
                window.event(egui::Event::MouseWheel { unit, delta, phase, source, modifiers });
            }
        }
    }

    fn press(&mut self, window: &mut Harness<App>, pos: Pos2, pressed: bool) {
        let button = match self.below(5) {
            0 => PointerButton::Secondary,
            _ => PointerButton::Primary,
        };
        window.event(egui::Event::PointerMoved(pos));
        window.event(egui::Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE });
    }

    fn drag(&mut self, window: &mut Harness<App>) {
        let (from, to) = (self.place(), self.place());
        self.press(window, from, true);
        for step in 1..=4 {
            window.event(egui::Event::PointerMoved(from + (to - from) * (step as f32 / 4.0)));
            window.step();
        }
        for button in [PointerButton::Primary, PointerButton::Secondary] {
            let modifiers = Modifiers::NONE;
            window.event(egui::Event::PointerButton { pos: to, button, pressed: false, modifiers });
        }
    }
}

/// Memory of this process [bytes]; 0 where the system does not tell.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = status.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * 4096
}

#[test]
fn a_monkey_breaks_nothing() {
    if granule_testing::device().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let files = vec![
        file("broken.toml", "name = \"broken\"\n[[material]]\nradius = -1\n"),
        file("empty.toml", ""),
        file("noise.bin", "\u{1}\u{2}\u{3}"),
        file("small.toml", SMALL),
        folder.path().join("missing.toml"),
    ];
    // Whatever is saved lands beside these files.
    std::env::set_current_dir(folder.path()).unwrap();
    let source = Source::file(files[3].display().to_string());
    let options = AppOptions { place: Place::Cpu, history_bytes: HISTORY, ..AppOptions::new(source) };
    let size = vec2(960.0, 640.0);
    let builder = Harness::builder().with_size(size).with_step_dt(1.0 / 60.0);
    let mut window = builder
        .wgpu_setup(granule_app::wgpu_setup())
        .build_eframe(move |creation| App::new(creation, options).unwrap());
    let seconds = std::env::var("GRANULE_MONKEY_SECONDS").ok().and_then(|text| text.parse().ok());
    let seconds = Duration::from_secs(seconds.unwrap_or(SECONDS));
    let mut monkey = Monkey { random: Random::new(7), files, size };
    let (begin, mut done, mut course) = (Instant::now(), 0_u64, Vec::new());
    while begin.elapsed() < seconds || done < LEAST {
        monkey.act(&mut window);
        let start = Instant::now();
        window.step();
        assert!(start.elapsed() < HANG, "action {done} hangs");
        done += 1;
        if begin.elapsed() > seconds / TIMES * (course.len() as u32 + 1) {
            course.push(memory());
        }
    }
    let (early, late) = (course[TIMES as usize / 3], memory());
    let course: Vec<u64> = course.iter().map(|bytes| bytes / 1_000_000).collect();
    eprintln!("{done} actions; memory {course:?} MB");
    // There are two runs at most, each with its past; the sand of the hose comes on top, 100 grains per second.
    let most = early + 2 * HISTORY as u64 + MORE;
    assert!(late < most, "memory grows: {early} to {late}");
}

const SMALL: &str = r#"
name = "small"
[simulation]
fps = 50
[[material]]
name = "sand"
radius = 0.012
[[grains]]
material = "sand"
shape.box = { min = [0, 0, 0], max = [0.2, 0.2, 0.2] }
[[emitter]]
name = "hose"
material = "sand"
shape.box = { min = [0, 0.5, 0], max = [0.1, 0.53, 0.1] }
rate = 100
[[boundary]]
name = "floor"
shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
[[body]]
name = "box"
shape.box = { min = [0.05, 0.25, 0.05], max = [0.12, 0.32, 0.12] }
density = 700
"#;
