//! Playing, pausing, steps, speed, commands, fields.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use glam::Vec3;

use crate::live::{Event, Frame, Live, LiveOptions, Publish, Speed};
use crate::simulation::Simulation;
use crate::simulator::Command;

use super::{PATIENCE, after, angle, event, options, scene, start};

#[test]
fn it_plays_pauses_and_does_nothing_while_paused() {
    let live = start();
    assert_eq!((live.latest().frame, live.latest().playing), (0, false));
    live.play();
    live.wait(PATIENCE, |frame| frame.frame >= 3 && frame.playing).unwrap();
    let paused = after(&live, live.pause());
    assert!(!paused.playing && !paused.mid_frame);
    std::thread::sleep(Duration::from_millis(50));
    let later = live.latest();
    assert_eq!((later.sequence, later.frame), (paused.sequence, paused.frame));
}

#[test]
fn a_step_is_less_than_a_frame_and_a_frame_ends_it() {
    let live = start();
    let step = after(&live, live.step());
    assert!(step.frame == 0 && step.mid_frame && step.time > 0.0, "{step:?}");
    assert_eq!(step.statistics.steps, 1);
    let frame = after(&live, live.frame());
    assert!(frame.frame == 1 && !frame.mid_frame);
    assert!((frame.time - 0.02).abs() < 1e-9, "{}", frame.time);
    assert_eq!(frame.ledger.unaccounted(), 0);
    assert!(frame.statistics.steps > 0 && frame.statistics.stages.total() > 0.0);
    assert_eq!(frame.snapshot.vec3("position").unwrap().len(), frame.ledger.particles as usize);
}

#[test]
fn a_command_while_paused_acts_at_once_and_is_shown() {
    let live = start();
    let positions = vec![Vec3::new(0.5, 0.5, 0.5), Vec3::new(0.05, 0.05, 0.05)];
    let id = live.apply(Command::Emit { material: "sand".into(), positions, velocity: Vec3::ZERO });
    let frame = after(&live, id);
    assert_eq!((frame.frame, frame.ledger.particles, frame.ledger.emitted), (0, 126, 1));
    let Event::CommandDone { report, frame, .. } =
        event(&live, |event| matches!(event, Event::CommandDone { .. }))
    else {
        unreachable!()
    };
    assert_eq!((report.emitted, report.blocked, frame), (1, 1, 0));
    let wrong = live.apply(Command::Set { path: "material.sand.colour".into(), value: 1.0 });
    let refused = event(&live, |event| matches!(event, Event::Refused { .. }));
    assert!(matches!(refused, Event::Refused { id, reason } if id == wrong && reason.contains("colour")));
    assert_eq!(live.recording().commands().len(), 1, "what is refused is not recorded");
}

#[test]
fn a_command_between_two_frames_waits_for_the_next() {
    let live = start();
    live.step();
    let held = after(&live, live.apply(angle(40.0)));
    assert!(held.mid_frame && held.waiting == 1);
    let done = after(&live, live.frame());
    assert_eq!((done.frame, done.waiting), (1, 0));
    assert_eq!(live.recording().commands()[0].frame, 1);
}

/// The effect of a change is in the next frame that is completed.
#[test]
fn a_parameter_takes_effect_within_one_frame() {
    let live = Live::start(scene(), LiveOptions { speed: Speed::RealTime(0.5), ..options() }).unwrap();
    live.play();
    live.wait(PATIENCE, |frame| frame.frame >= 2).unwrap();
    let given_at = live.latest().frame;
    let id = live.apply(Command::Gravity(Vec3::ZERO));
    let done = event(&live, |event| matches!(event, Event::CommandDone { id: done, .. } if *done == id));
    let Event::CommandDone { frame, .. } = done else { unreachable!() };
    // The frame that may have been under way when it was given.
    assert!(frame <= given_at + 1, "given at {given_at}, done at {frame}");
}

#[test]
fn slow_motion_and_full_speed_keep_their_promise() {
    let live = Live::start(scene(), LiveOptions { speed: Speed::RealTime(0.5), ..options() }).unwrap();
    let start = Instant::now();
    live.play();
    let frame = live.wait(PATIENCE, |frame| frame.frame >= 10).unwrap();
    // Frames of 20 ms at half speed: the tenth begins 9 x 40 ms after the first.
    let slow = start.elapsed().as_secs_f64();
    assert!(slow > 0.3, "{slow} s");
    let factor = frame.real_time_factor.unwrap();
    assert!(factor < 0.65, "{factor}");
    live.set_speed(Speed::Unlimited);
    let frame = live.wait(PATIENCE, |frame| frame.frame >= 40 && frame.real_time_factor.is_some()).unwrap();
    let fast = frame.real_time_factor.unwrap();
    assert!(fast > 1.5 * factor, "{fast} against {factor}");
    let wrong = live.set_speed(Speed::RealTime(-1.0));
    event(&live, |event| matches!(event, Event::Refused { id, .. } if *id == wrong));
}

#[test]
fn a_request_wakes_a_run_that_waits_for_its_time() {
    let live = Live::start(scene(), LiveOptions { speed: Speed::RealTime(1e-4), ..options() }).unwrap();
    live.play();
    live.wait(PATIENCE, |frame| frame.frame == 1).unwrap();
    // The next frame is due in 200 s.
    let start = Instant::now();
    after(&live, live.pause());
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn fields_are_chosen_while_it_runs() {
    let live = start();
    let frame = after(&live, live.publish(&["speed", "colour", "pressure"]));
    let names: Vec<&str> = frame.snapshot.columns.iter().map(|(info, _)| info.name).collect();
    assert_eq!(names, ["speed", "pressure"]);
    let refused = event(&live, |event| matches!(event, Event::FieldRefused { .. }));
    assert!(matches!(refused, Event::FieldRefused { reason } if reason.contains("`colour`")));
    assert!(frame.fields.iter().any(|field| field.name == "density"));
}

#[test]
fn reset_begins_anew_and_forgets_commands() {
    let live = start();
    let first = live.latest();
    live.apply(angle(10.0));
    let unlike = super::seek(&live, 5);
    let reset = after(&live, live.reset());
    assert_eq!((reset.frame, reset.state_hash, reset.history.end), (0, first.state_hash, 0));
    assert!(live.recording().commands().is_empty());
    let again = super::seek(&live, 5);
    assert_ne!(again.state_hash, unlike.state_hash, "without the command");
    assert_eq!(again.ledger.unaccounted(), 0);
}

#[test]
fn boundaries_are_where_commands_put_them() {
    let live = start();
    let frame = after(&live, live.apply(super::tool(-0.1)));
    assert_eq!(frame.boundaries.len(), 2);
    assert_eq!(frame.boundaries[1].translation, Vec3::new(-0.1, 0.0, 0.0));
}

/// Tells the frames that it was called for.
struct Telling(mpsc::Sender<(u64, usize)>);

impl Publish for Telling {
    fn publish(&mut self, simulation: &mut Simulation, frame: &Frame) {
        self.0.send((frame.frame, simulation.particle_count())).unwrap();
    }
}

#[test]
fn a_publisher_sees_every_frame_first() {
    let (sender, receiver) = mpsc::channel();
    let live =
        Live::start(scene(), LiveOptions { publish: Some(Box::new(Telling(sender))), ..options() }).unwrap();
    for frame in 1..4 {
        let published = after(&live, live.frame());
        let told: Vec<(u64, usize)> = receiver.try_iter().collect();
        assert_eq!(told.last(), Some(&(frame, published.ledger.particles as usize)), "{told:?}");
    }
    super::seek(&live, 1);
    assert_eq!(receiver.try_iter().last().unwrap().0, 1);
}
