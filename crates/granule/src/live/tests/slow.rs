//! A simulation whose steps take long must not be felt.

use std::time::{Duration, Instant};

use crate::build::Options;
use crate::live::{Live, LiveOptions};

use super::slow_solver::{SLOW, STEP};
use super::{PATIENCE, angle, event, options, scene};

fn start() -> Live {
    let simulation = Options { solver: Some(&SLOW), threads: Some(1), ..Options::default() };
    Live::start(scene(), LiveOptions { simulation, playing: true, ..options() }).unwrap()
}

/// Every call that an interface makes, again and again during several steps.
#[test]
fn the_interface_never_waits_for_a_step() {
    let live = start();
    let begun = Instant::now();
    let mut late = Vec::new();
    let mut calls = 0;
    while begun.elapsed() < 4 * STEP {
        let start = Instant::now();
        live.latest();
        live.events();
        live.recording();
        live.apply(angle(30.0));
        live.play();
        live.publish(&["position"]);
        let waited = start.elapsed();
        // A tenth of a step: what the system may take away, while a wait for the step is longer than that nine times in ten.
        if waited > STEP / 10 {
            late.push(waited);
        }
        calls += 1;
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(calls > 20 && late.len() * 10 < calls, "{calls} calls, late: {late:?}");
    let end = live.wait(PATIENCE, |frame| frame.frame >= 1).unwrap();
    assert!(end.real_time_factor.is_none_or(|factor| factor < 0.5), "{:?}", end.real_time_factor);
    event(&live, |event| matches!(event, crate::live::Event::CommandDone { .. }));
}

/// The frame has several steps; only the one under way is waited for.
#[test]
fn the_end_waits_for_one_step_at_most() {
    let live = start();
    std::thread::sleep(STEP / 2);
    let start = Instant::now();
    drop(live);
    let waited = start.elapsed();
    assert!(waited < 2 * STEP, "{waited:?}");
}

#[test]
fn a_seek_leaves_the_frame_under_way() {
    let live = start();
    std::thread::sleep(STEP / 2);
    let start = Instant::now();
    live.pause();
    let id = live.seek(0);
    live.wait(PATIENCE, |frame| frame.answered >= id).unwrap();
    let waited = start.elapsed();
    // The step under way, and one more that the pause takes before it sees the seek.
    assert!(waited < 3 * STEP, "{waited:?}");
    assert_eq!(live.latest().frame, 0);
}
