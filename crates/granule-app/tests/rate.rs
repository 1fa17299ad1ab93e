//! How many pictures a second the window makes of a large scene while it is simulated on the same device; run by hand.
//!
//! `cargo test --release -p granule-app --test rate -- --ignored --nocapture`

use std::time::{Duration, Instant};

use egui_kittest::Harness;
use granule::live::Source;
use granule_app::{Action, App, AppOptions, Place};

/// How long it is watched.
const SECONDS: u64 = 10;

fn set(key: &str, value: &str) -> (String, String) {
    (key.into(), value.into())
}

/// The column with 100 thousand particles and two million fine grains; simulated and drawn as fast as both go, the view 1280 x 720.
#[test]
#[ignore = "for graphics cards: a measurement, not a claim"]
fn pictures_per_second_of_two_million_grains() {
    let Some(gpu) = granule_testing::device() else { return };
    for fine in [false, true] {
        let mut sets = vec![set("material.radius", "0.0046")];
        if fine {
            sets.push(set("upsample.radius", "0.00174"));
        }
        let source = Source::File { path: "column".into(), quick: false, sets };
        let options = AppOptions { place: Place::Gpu, ..AppOptions::new(source) };
        let builder = Harness::builder().with_size([1280.0, 762.0]).with_step_dt(1.0 / 60.0);
        let mut window = builder
            .wgpu_setup(granule_app::wgpu_setup())
            .build_eframe(move |creation| App::new(creation, options).unwrap());
        window.run_steps(2);
        let ctx = window.ctx.clone();
        // The view takes the whole window, and the simulation goes as fast as it goes.
        for action in [Action::Panels, Action::FullSpeed] {
            window.state_mut().act(action, &ctx);
        }
        window.run_steps(20);
        let first = window.state().session().frame().clone();
        let (begin, mut shown, mut times) = (Instant::now(), 0_u32, Vec::new());
        while begin.elapsed() < Duration::from_secs(SECONDS) {
            let start = Instant::now();
            window.step();
            window.render().unwrap();
            times.push(start.elapsed().as_secs_f64());
            shown += 1;
        }
        let last = window.state().session().frame().clone();
        let seconds = begin.elapsed().as_secs_f64();
        times.sort_unstable_by(f64::total_cmp);
        eprintln!(
            "{} particles, fine grains {fine}, on {}: {:.1} pictures/s (median {:.1} ms, 99th percentile {:.1} ms, each read back), \
             {:.1} frames of {} per s simulated, {:.2} x real time; log {:?}",
            last.ledger.particles,
            gpu.adapter.name,
            f64::from(shown) / seconds,
            1e3 * times[times.len() / 2],
            1e3 * times[times.len() * 99 / 100],
            (last.frame - first.frame) as f64 / seconds,
            last.scene.simulation.fps,
            (last.time - first.time) / seconds,
            window.state().session().log_lines().map(|line| line.text.clone()).collect::<Vec<_>>(),
        );
    }
}
