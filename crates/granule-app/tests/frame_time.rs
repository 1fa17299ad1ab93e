//! The window does not wait for its simulation: interface frames are short while steps are long.

mod slow;

use std::time::{Duration, Instant};

use egui_kittest::Harness;
use granule::live::Source;
use granule_app::{App, AppOptions, Place};

/// Interface frames that are timed.
const FRAMES: usize = 150;

/// Time of an interface frame without the drawing, which a driver in software does on the same cores: layout, panels,
/// everything that could wait for the simulation.
#[test]
fn interface_frames_are_short_while_a_step_takes_long() {
    if granule_testing::device().is_none() {
        return;
    }
    let source = Source::File { path: "column".into(), quick: true, sets: Vec::new() };
    let options = AppOptions { place: Place::Cpu, solver: Some(&slow::SLOW), ..AppOptions::new(source) };
    let builder = Harness::builder().with_size([960.0, 640.0]).with_step_dt(1.0 / 60.0);
    let mut window = builder
        .wgpu_setup(granule_app::wgpu_setup())
        .build_eframe(move |creation| App::new(creation, options).unwrap());
    // The first frames lay text out and draw the first picture.
    window.run_steps(10);
    let first = window.state().session().frame().sequence;
    let mut times = Vec::new();
    let begin = Instant::now();
    for _ in 0..FRAMES {
        let start = Instant::now();
        window.step();
        times.push(start.elapsed());
        std::thread::sleep(Duration::from_millis(2));
    }
    times.sort_unstable();
    let (median, late) = (times[FRAMES / 2], times[FRAMES * 99 / 100]);
    eprintln!("interface frames: median {median:?}, 99th percentile {late:?}, in {:?}", begin.elapsed());
    assert!(median <= Duration::from_micros(16_700), "median {median:?}");
    assert!(late <= Duration::from_millis(33), "99th percentile {late:?}");
    assert!(late < slow::STEP / 2, "no frame waits for a step");
    let _ = first;
}
