//! Going back in time: history, replay, recordings, divergence.

use std::time::Instant;

use glam::{Quat, Vec3};

use crate::boundary::Shape;
use crate::build::Options;
use crate::live::{Event, Live, LiveOptions, Recording};
use crate::scene::{BodySettings, Scene};
use crate::simulation::Simulation;
use crate::simulator::Command;

use super::{PATIENCE, after, angle, event, options, scene, seek, start, tool};

/// Every frame of a run with commands, as hashes.
fn first_pass(live: &Live, frames: u64) -> Vec<Option<u64>> {
    let mut hashes = vec![live.latest().state_hash];
    for frame in 1..=frames {
        after(live, live.frame());
        let command = match frame {
            2 => Some(angle(12.0)),
            3 => Some(Command::Wind(Vec3::new(3.0, 0.0, 0.0))),
            4 => Some(tool(-0.15)),
            5 => Some(Command::Emitter { name: "hose".into(), open: false }),
            6 => Some(Command::Gravity(Vec3::new(1.0, -9.0, 0.0))),
            _ => None,
        };
        if let Some(command) = command {
            after(live, live.apply(command));
        }
        hashes.push(live.latest().state_hash);
    }
    hashes
}

#[test]
fn any_frame_of_the_past_has_the_bits_of_the_first_pass() {
    let live = start();
    let hashes = first_pass(&live, 10);
    for frame in [7, 0, 10, 3, 1, 9, 2] {
        assert_eq!(seek(&live, frame).state_hash, hashes[frame as usize], "frame {frame}");
    }
    // Played on, commands are replayed.
    seek(&live, 1);
    live.play();
    live.wait(PATIENCE, |frame| frame.frame >= 10).unwrap();
    let paused = after(&live, live.pause());
    assert_eq!(seek(&live, 10).state_hash, hashes[10], "{}", paused.frame);
    assert_eq!(live.recording().commands().len(), 5);
}

#[test]
fn without_any_checkpoint_the_past_is_simulated_from_the_beginning() {
    let live = Live::start(scene(), LiveOptions { history_bytes: 0, ..options() }).unwrap();
    let hashes = first_pass(&live, 7);
    assert_eq!(live.latest().history.count, 0);
    assert_eq!(seek(&live, 5).state_hash, hashes[5]);
}

#[test]
fn memory_stays_within_its_budget_and_the_past_within_reach() {
    let probe = seek(&start(), 1);
    let budget = 4 * probe.history.bytes;
    let live = Live::start(scene(), LiveOptions { history_bytes: budget, ..options() }).unwrap();
    let mut hashes = vec![live.latest().state_hash];
    for _ in 0..40 {
        let frame = after(&live, live.frame());
        let history = frame.history;
        assert!(history.bytes <= budget && history.bytes > 0, "{history:?}");
        hashes.push(frame.state_hash);
    }
    let history = live.latest().history;
    assert!(history.count < 12, "{history:?}");
    assert_eq!(history.checkpoints, Some((0, 40)));
    for frame in [39, 3, 17] {
        assert_eq!(seek(&live, frame).state_hash, hashes[frame as usize]);
        assert!(live.latest().history.bytes <= budget);
    }
}

#[test]
fn a_command_in_the_past_cuts_what_came_after() {
    let live = start();
    let hashes = first_pass(&live, 8);
    seek(&live, 4);
    live.events();
    let cut = after(&live, live.apply(angle(45.0)));
    assert_eq!((cut.frame, cut.history.end, cut.history.checkpoints), (4, 4, Some((0, 4))));
    event(&live, |event| *event == Event::HistoryTruncated { after: 4 });
    let frames: Vec<u64> = live.recording().commands().iter().map(|logged| logged.frame).collect();
    assert_eq!(frames, [2, 3, 4, 4]);
    assert_ne!(seek(&live, 8).state_hash, hashes[8]);
    assert_eq!(seek(&live, 3).state_hash, hashes[3], "what was before is as it was");
}

#[test]
fn a_recording_replays_to_the_same_bits() {
    let live = start();
    let hashes = first_pass(&live, 8);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tray.granule");
    live.recording().write(&path).unwrap();
    let recording = Recording::read(&path).unwrap();
    assert_eq!(recording, live.recording());
    for frame in [0, 4, 8] {
        let simulation = recording.replay(frame, &Options::default()).unwrap();
        assert_eq!(Some(simulation.simulator().state_hash()), hashes[frame as usize], "frame {frame}");
    }
    assert!(Recording::from_toml("format = 1").is_err());
    let newer = recording.to_toml().unwrap().replacen("format = 1", "format = 2", 1);
    assert!(Recording::from_toml(&newer).unwrap_err().to_string().contains("format 2"));
    assert!(Recording::read(folder.path().join("none")).unwrap_err().to_string().contains("none"));
}

/// The tray with a box, a heap and a plate as a tool.
const WORKSHOP: &str = r#"
name = "workshop"
[simulation]
fps = 50
[[material]]
name = "sand"
radius = 0.01
[[grains]]
material = "sand"
shape.box = { min = [0, 0, 0.02], max = [0.16, 0.08, 0.1] }
[[emitter]]
name = "hose"
material = "sand"
shape.box = { min = [0, 0.3, 0], max = [0.1, 0.32, 0.1] }
rate = 200
[[outlet]]
name = "edge"
shape.box = { min = [-2, -2, -2], max = [2, 2, -0.06] }
[[boundary]]
name = "floor"
shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
[[boundary]]
name = "plate"
shape.box = { min = [-0.06, -0.04, -0.005], max = [0.06, 0.04, 0.005] }
[[body]]
name = "box"
shape.box = { min = [0.03, 0.1, 0.03], max = [0.07, 0.13, 0.07] }
density = 900
"#;

/// A tool that is not in the scene.
fn scoop() -> BodySettings {
    let toml = r#"name = "scoop"
kind = "static"
shape.box = { min = [-0.02, -0.02, -0.02], max = [0.02, 0.02, 0.02] }"#;
    toml::from_str(toml).unwrap()
}

fn lead_scoop(x: f32) -> Command {
    Command::ToolPose {
        boundary: "scoop".into(),
        position: Vec3::new(x, 0.3, 0.4),
        rotation: Quat::from_rotation_x(x),
        velocity: Vec3::X * 0.5,
        angular_velocity: Vec3::X,
    }
}

/// Hands at work: frames whose commands take, push, turn and pour.
fn hand(frame: u64) -> Vec<Command> {
    let plate = |angle: f32| Command::ToolPose {
        boundary: "plate".into(),
        position: Vec3::new(0.08, 0.06, 0.13 - 0.1 * angle),
        rotation: Quat::from_rotation_y(angle),
        velocity: Vec3::new(0.0, 0.0, -0.5),
        angular_velocity: Vec3::new(0.0, 5.0, 0.0),
    };
    let push = |impulse: Vec3, point| Command::PushBody { body: "box".into(), impulse, point };
    let bite = Shape::Subtraction(vec![
        Shape::ball([0.12, 0.05, 0.05], 0.04),
        Shape::cuboid([0.0, -1.0, -1.0], [0.11, 1.0, 1.0]),
    ]);
    match frame {
        1 => vec![push(Vec3::new(0.0, 0.05, 0.02), None)],
        2..=4 => vec![plate(0.1 * frame as f32)],
        5 => vec![Command::Remove { region: bite }, push(Vec3::Y * 0.03, Some(Vec3::new(0.03, 0.12, 0.05)))],
        7 => vec![Command::AddBody { body: Box::new(scoop()) }, lead_scoop(0.0)],
        8 => vec![lead_scoop(0.01)],
        6 => vec![Command::Emit {
            material: "sand".into(),
            positions: vec![Vec3::new(0.13, 0.25, 0.05)],
            velocity: -Vec3::Y,
        }],
        _ => Vec::new(),
    }
}

/// A body comes on the way and goes when time is turned back; the others and the grains do not notice.
#[test]
fn a_body_is_added_on_the_way_and_the_rest_moves_on_as_it_did() {
    let start = || Live::start(Scene::parse(WORKSHOP, "workshop").unwrap(), options()).unwrap();
    let (plain, with_tool) = (start(), start());
    seek(&plain, 3);
    seek(&with_tool, 3);
    let added = after(&with_tool, with_tool.apply(Command::AddBody { body: Box::new(scoop()) }));
    assert_eq!((added.scene.body.len(), added.bodies.len()), (2, 2));
    after(&with_tool, with_tool.apply(lead_scoop(0.0)));
    let (before, after_it) = (seek(&plain, 4), seek(&with_tool, 4));
    let centers = [&before, &after_it].map(|frame| frame.bodies[0].center);
    assert!(centers[0].distance(centers[1]) < 1e-6, "{centers:?}");
    let positions = [&before, &after_it].map(|frame| frame.snapshot.vec3("position").unwrap().to_vec());
    assert_eq!(positions[0], positions[1], "the tool is far away");
    let refused = with_tool.apply(Command::AddBody { body: Box::new(scoop()) });
    let Event::Refused { reason, .. } =
        event(&with_tool, |event| matches!(event, Event::Refused { id, .. } if *id == refused))
    else {
        unreachable!()
    };
    assert!(reason.contains("scoop"), "{reason}");
    let back = seek(&with_tool, 2);
    assert_eq!((back.scene.body.len(), back.bodies.len()), (1, 1));
}

#[test]
fn undo_takes_back_what_a_hand_did_in_one_go() {
    let live = start();
    let before = seek(&live, 2);
    for frame in 2..5 {
        seek(&live, frame);
        after(&live, live.apply(tool(-0.05 * frame as f32)));
    }
    seek(&live, 20);
    after(&live, live.apply(angle(20.0)));
    seek(&live, 21);
    let undone = after(&live, live.undo());
    assert_eq!((undone.frame, live.recording().commands().len()), (20, 3));
    seek(&live, 21);
    let undone = after(&live, live.undo());
    assert_eq!((undone.frame, undone.state_hash), (2, before.state_hash));
    assert!(live.recording().commands().is_empty());
    let id = live.undo();
    event(&live, |event| matches!(event, Event::Refused { id: refused, .. } if *refused == id));
}

/// Recorded to a file, replayed from it and sought in the past: the same bits and the same books.
#[test]
fn the_work_of_hands_is_recorded_and_replayed_to_the_same_bits() {
    let workshop = Scene::parse(WORKSHOP, "workshop").unwrap();
    let live = Live::start(workshop, options()).unwrap();
    let mut seen = Vec::new();
    for frame in 0..=9 {
        let mut latest = if frame == 0 { live.latest() } else { after(&live, live.frame()) };
        for command in hand(frame) {
            latest = after(&live, live.apply(command));
        }
        assert_eq!(latest.ledger.unaccounted(), 0);
        seen.push((latest.state_hash, latest.ledger));
    }
    let ledger = seen[9].1;
    assert!(ledger.removed > 5 && ledger.emitted > 20, "{ledger:?}");
    for frame in [6, 2, 9, 4, 5, 1] {
        let found = seek(&live, frame);
        assert_eq!((found.state_hash, found.ledger), seen[frame as usize], "frame {frame}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("workshop.granule");
    live.recording().write(&path).unwrap();
    let recording = Recording::read(&path).unwrap();
    assert_eq!((recording.commands().len(), &recording), (10, &live.recording()));
    for frame in [1, 3, 5, 9] {
        let simulation = recording.replay(frame, &Options::default()).unwrap();
        let found = (Some(simulation.simulator().state_hash()), simulation.ledger());
        assert_eq!(found, seen[frame as usize], "frame {frame}");
    }
}

/// Recordings of poses that say nothing of rotations are read: such tools do not turn.
#[test]
fn a_recorded_pose_without_a_rotation_is_one_that_does_not_turn() {
    let mut recording = Recording::new(&scene()).unwrap();
    recording.push(1, tool(-0.1));
    let text = recording.to_toml().unwrap();
    let bare = without_key(&without_key(&text, "rotation"), "angular_velocity");
    assert!(text.contains("\nrotation = [") && !bare.contains("\nrotation = ["), "{bare}");
    assert!(text.contains("angular") && !bare.contains("angular"), "{bare}");
    assert_eq!(Recording::from_toml(&bare).unwrap(), recording);
}

/// TOML without the arrays of a key.
fn without_key(text: &str, key: &str) -> String {
    let Some(start) = text.find(&format!("\n{key} = [")) else { return text.into() };
    let end = start + text[start..].find(']').expect("its end") + 1;
    without_key(&(text[..start].to_string() + &text[end..]), key)
}

/// Free fall under ten times gravity in steps of 10 ms: at last a grain moves five diameters in a step.
#[test]
fn a_run_that_diverges_stops_with_a_diagnosis_and_its_last_good_frame_is_there() {
    let text = SCENE_THAT_DIVERGES;
    let live = Live::start(Scene::parse(text, "falling").unwrap(), options()).unwrap();
    live.play();
    let halted = live.wait(PATIENCE, |frame| frame.halted.is_some()).unwrap();
    assert!(!halted.playing);
    let diverged = event(&live, |event| matches!(event, Event::Diverged { .. }));
    let Event::Diverged { frame, diagnosis } = diverged else { unreachable!() };
    assert!(diagnosis.contains("likely cause") && diagnosis.contains("diameters"), "{diagnosis}");
    assert!(frame > 2 && halted.frame == frame && halted.history.end == frame, "{frame} {}", halted.frame);
    let refused = live.play();
    event(&live, |event| matches!(event, Event::Refused { id, .. } if *id == refused));
    let good = seek(&live, frame);
    assert_eq!((good.halted.clone(), good.state_hash), (None, halted.state_hash));
    // From there it can be saved: without gravity it goes on.
    live.apply(Command::Gravity(Vec3::ZERO));
    assert_eq!(seek(&live, frame + 3).frame, frame + 3);
}

const SCENE_THAT_DIVERGES: &str = r#"
name = "falling"
[simulation]
fps = 50
time_step = 0.01
gravity = [0, -100, 0]
[[material]]
name = "sand"
radius = 0.01
[[grains]]
material = "sand"
shape.box = { min = [0, 0, 0], max = [0.06, 0.06, 0.06] }
"#;

#[test]
fn other_threads_go_on_from_where_it_is_and_another_solver_begins_anew() {
    let live = start();
    let hashes = first_pass(&live, 6);
    seek(&live, 3);
    let id = live.rebuild(Options { threads: Some(2), ..Options::default() });
    let frame = after(&live, id);
    assert_eq!((frame.frame, frame.state_hash), (3, hashes[3]));
    assert!(frame.device.contains("2 threads"), "{}", frame.device);
    event(&live, |event| *event == Event::Rebuilt { id, frame: 3 });
    assert_eq!(seek(&live, 6).state_hash, hashes[6], "commands are replayed");
    let solver = Some(&super::slow_solver::SLOW);
    let id = live.rebuild(Options { threads: Some(1), solver, ..Options::default() });
    let frame = after(&live, id);
    assert_eq!((frame.frame, frame.solver), (0, "slow"));
    let restarted = event(&live, |event| matches!(event, Event::Restarted { .. }));
    assert!(matches!(restarted, Event::Restarted { reason, .. } if reason.contains("iisph")));
}

/// Ten seconds of a small scene, with checkpoints as they are by default.
#[test]
fn any_frame_of_ten_seconds_is_there_in_a_fifth_of_a_second() {
    let options = LiveOptions { checkpoint_after: LiveOptions::default().checkpoint_after, ..options() };
    let mut scene = scene();
    scene.emitter.clear();
    let live = Live::start(scene, options).unwrap();
    seek(&live, 500);
    let mut times: Vec<f64> = [0, 499, 250, 1, 377, 128, 45, 466]
        .into_iter()
        .map(|frame| {
            let start = Instant::now();
            seek(&live, frame);
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    // Other tests share the machine: one in eight may be late.
    assert!(times[6] < 0.2, "{times:?}");
}

/// Ten seconds of ten thousand grains; takes minutes, and prints what it measures.
#[test]
#[ignore = "takes minutes"]
fn ten_seconds_of_the_column_are_within_reach() {
    let options = LiveOptions { simulation: Options::default(), state_hash: false, ..LiveOptions::default() };
    let live = Live::start(Scene::open("column", false, &[]).unwrap(), options).unwrap();
    let begun = Instant::now();
    let id = live.seek(500);
    let end = live.wait(15 * PATIENCE, |frame| frame.answered >= id && frame.frame == 500).unwrap();
    let wall = begun.elapsed().as_secs_f64();
    let history = end.history;
    let each = history.bytes / history.count;
    eprintln!("500 frames in {wall:.1} s; {} checkpoints of {each} bytes", history.count);
    let times = [0, 499, 250, 1, 377, 128, 45, 466, 333, 20].map(|frame| {
        let start = Instant::now();
        seek(&live, frame);
        start.elapsed().as_secs_f64()
    });
    eprintln!("seeking [s]: {times:.3?}");
    assert!(times.iter().all(|time| *time < 0.2), "{times:?}");
}

/// Saving and restoring in place, of ten thousand grains.
#[test]
#[ignore = "measures, and prints what it measures"]
fn a_checkpoint_of_the_column_is_restored_in_a_twentieth_of_a_second() {
    let options = Options::default();
    let mut simulation = Simulation::new(Scene::open("column", false, &[]).unwrap(), &options).unwrap();
    simulation.run_until(0.1);
    let seconds = |work: &mut dyn FnMut()| {
        let mut times: Vec<f64> = (0..9)
            .map(|_| {
                let start = Instant::now();
                work();
                start.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[4]
    };
    let checkpoint = simulation.save().unwrap();
    let bytes = checkpoint.encode().unwrap();
    let save = seconds(&mut || drop(simulation.save().unwrap()));
    let rewind = seconds(&mut || simulation.rewind(&checkpoint, &options).unwrap());
    let resume = seconds(&mut || drop(Simulation::resume(&bytes, &options).unwrap()));
    let count = simulation.particle_count();
    eprintln!(
        "{count} particles, {} bytes; save {save:.4} s, rewind {rewind:.4} s, resume {resume:.4} s",
        bytes.len()
    );
    assert!(rewind < 0.05, "{rewind} s");
}
