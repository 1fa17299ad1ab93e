//! How many pictures a second the window shows of a large scene while it is simulated on the same device; run by hand.
//!
//! `cargo test --release -p granule-app --test rate -- --ignored --nocapture`
//!
//! The camera turns, so that every picture is drawn anew. Three lines are printed for every scene: with the simulation
//! paused, which is what drawing alone allows; as on a screen of 60 Hz; and with pictures as fast as they go, which leave the
//! simulation what is left. Pictures and simulated frames are two numbers: a picture shows the newest frame there is.

mod screen;

use std::sync::mpsc;
use std::time::{Duration, Instant};

use egui_kittest::Harness;
use granule::live::Source;
use granule_app::{Action, App, AppOptions, Place};
use granule_gpu::{GpuSimulation, PacingReport};

/// How long each of the three is watched.
const SECONDS: f64 = 5.0;
/// Time from one picture to the next on a screen.
const TICK: Duration = Duration::from_nanos(16_666_667);

fn set(key: &str, value: &str) -> (String, String) {
    (key.into(), value.into())
}

/// The window with a scene on its own device, the view as large as the window.
fn window(sets: Vec<(String, String)>, size: [f32; 2]) -> Harness<'static, App> {
    let source = Source::File { path: "column".into(), quick: false, sets };
    let options = AppOptions { place: Place::Gpu, ..AppOptions::new(source) };
    let builder = Harness::builder().with_size(size).with_step_dt(1.0 / 60.0).renderer(screen::Screen::new());
    let mut window = builder.build_eframe(move |creation| App::new(creation, options).unwrap());
    window.run_steps(2);
    let ctx = window.ctx.clone();
    for action in [Action::Panels, Action::FullSpeed] {
        window.state_mut().act(action, &ctx);
    }
    window.run_steps(2);
    // From here on the pointer drags the view.
    window.drag_at(egui::pos2(0.5 * size[0], 0.5 * size[1]));
    window.run_steps(2);
    window
}

/// What the simulation says of its submissions.
fn pacing(window: &Harness<App>) -> Option<PacingReport> {
    let (sender, receiver) = mpsc::channel();
    window.state().session().live().with_simulation(move |simulation| {
        let _ = sender.send(simulation.solver_as::<GpuSimulation>().map(|solver| solver.pacing()));
    });
    receiver.recv_timeout(Duration::from_secs(10)).ok().flatten()
}

/// Shows the window for a while, a picture per tick where there is one; gives the time of every picture \[s\].
fn watch(window: &mut Harness<App>, seconds: f64, tick: Option<Duration>) -> Vec<f64> {
    let (begin, mut next, mut times) = (Instant::now(), Instant::now(), Vec::new());
    while begin.elapsed().as_secs_f64() < seconds {
        let start = Instant::now();
        let swing = (2.0 * begin.elapsed().as_secs_f32()).sin();
        window.hover_at(egui::pos2(640.0 + 200.0 * swing, 381.0));
        window.step();
        window.render().unwrap();
        times.push(start.elapsed().as_secs_f64());
        if let Some(tick) = tick {
            next = (next + tick).max(start);
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
        }
    }
    times
}

/// Watches and says what was seen.
fn report(window: &mut Harness<App>, what: &str, tick: Option<Duration>) {
    let (first, begin) = (window.state().session().frame().clone(), Instant::now());
    let mut times = watch(window, SECONDS, tick);
    let (last, seconds) = (window.state().session().frame().clone(), begin.elapsed().as_secs_f64());
    times.sort_unstable_by(f64::total_cmp);
    let share = |share: usize| 1e3 * times[(times.len() - 1) * share / 100];
    let sample = window.state().session().samples().back().map_or(0.0, |sample| sample.step_ms);
    let pacing = pacing(window);
    eprintln!(
        "  {what}: {:.1} pictures/s (median {:.1} ms, 99th percentile {:.1} ms); {:.1} of {} frames/s simulated, \
         {:.2} x real time; a step {:.2} ms by the device's clock, {sample:.2} ms on the wall; {} submissions in flight at most",
        times.len() as f64 / seconds,
        share(50),
        share(99),
        (last.frame - first.frame) as f64 / seconds,
        last.scene.simulation.fps,
        (last.time - first.time) / seconds,
        1e3 * pacing.and_then(|report| report.step_seconds).unwrap_or_default(),
        pacing.map_or(0, |report| report.most_in_flight),
    );
}

/// The column with 100 thousand particles and two million fine grains; simulated and drawn as fast as both go, the view 1280 x 720.
#[test]
#[ignore = "for graphics cards: a measurement, not a claim"]
fn pictures_per_second_of_two_million_grains() {
    let Some(gpu) = granule_testing::device() else { return };
    // A smaller scene where none but a driver in software is at hand.
    let radius = std::env::var("GRANULE_RATE_RADIUS").unwrap_or_else(|_| "0.0046".into());
    for fine in [false, true] {
        let mut sets = vec![set("material.radius", &radius)];
        if fine {
            let ratio = 0.00174 / 0.0046;
            sets.push(set("upsample.radius", &(ratio * radius.parse::<f64>().unwrap()).to_string()));
        }
        let mut window = window(sets, [1280.0, 762.0]);
        let ctx = window.ctx.clone();
        let frame = window.state().session().frame().clone();
        eprintln!("{} particles, fine grains {fine}, on {}", frame.ledger.particles, gpu.adapter.name);
        window.state_mut().act(Action::PlayOrPause, &ctx);
        watch(&mut window, 0.5, None);
        report(&mut window, "paused", None);
        window.state_mut().act(Action::PlayOrPause, &ctx);
        watch(&mut window, 0.5, Some(TICK));
        report(&mut window, "a picture every 16.7 ms", Some(TICK));
        report(&mut window, "pictures as fast as they go", None);
        let log: Vec<_> = window.state().session().log_lines().map(|line| line.text.clone()).collect();
        eprintln!("  log {log:?}");
    }
}
