//! Recordings: what hands did in the window, replayed without one.

use std::time::Duration;

use granule::live::{Live, LiveOptions, Recording, Speed};
use granule::{Command, Options, Scene};

use crate::place::{Place, block, refused};

const PATIENCE: Duration = Duration::from_secs(60);

/// A live run as the window has it, with commands at frames 0, 2 and 5, saved at frame 8; gives its last state's hash.
fn record(place: &Place) -> u64 {
    let scene = Scene::parse(&block(""), "block").unwrap();
    let simulation = Options { threads: Some(1), ..Options::default() };
    let options =
        LiveOptions { simulation, state_hash: true, speed: Speed::Unlimited, ..LiveOptions::default() };
    let live = Live::start(scene, options).unwrap();
    let at = |frame| {
        live.seek(frame);
        live.wait(PATIENCE, |now| now.frame == frame && now.seeking.is_none()).unwrap()
    };
    live.apply(Command::Gravity([1.0, -9.81, 0.0].into()));
    at(2);
    let positions = vec![[0.1, 0.6, 0.1].into(), [0.15, 0.6, 0.1].into()];
    live.apply(Command::Emit { material: "sand".into(), positions, velocity: [0.0, -1.0, 0.0].into() });
    at(5);
    live.apply(Command::Set { path: "material.sand.friction_angle".into(), value: 45.0 });
    let last = at(8);
    assert_eq!(live.recording().commands().len(), 3);
    let mut recording = live.recording();
    recording.set_last_frame(8);
    recording.write(place.path("mine.granule")).unwrap();
    last.state_hash.unwrap()
}

#[test]
fn a_recording_runs_to_its_last_frame_with_the_bits_of_the_window() {
    let place = Place::new();
    let hash = record(&place);
    let run = |more: &[&str]| {
        let args = ["run", "mine.granule", "--device", "cpu", "--json"];
        place.granule(&[&args[..], more].concat()).expect(0, &[]).json()
    };
    let whole = run(&["--out", "whole", "--checkpoint-every", "0.06"]);
    assert_eq!(whole["state_hash"], format!("{hash:016x}"));
    assert_eq!(place.names("whole/frames").len(), 9, "frames 0 to 8, beyond the scene's own end");
    assert_eq!(whole["particles"], 218);
    let resumed = run(&["--resume", "whole/checkpoints/000003.ckpt"]);
    assert_eq!(resumed["state_hash"], whole["state_hash"], "the commands after a checkpoint are given, too");
    let short = run(&["--frames", "4"]);
    assert_ne!(short["state_hash"], whole["state_hash"]);
    place.granule(&["check", "mine.granule"]).expect(0, &[]);
}

#[test]
fn broken_recordings_are_refused_before_anything_is_written() {
    let place = Place::new();
    record(&place);
    let sound = std::fs::read_to_string(place.path("mine.granule")).unwrap();
    let write = |text: &str| std::fs::write(place.path("broken.granule"), text).unwrap();
    for (text, words) in [
        (sound.replace("format = 1", "format = 7"), ["broken.granule", "format 7"]),
        (sound.replace("radius = 0.02", "radius = -1.0"), ["the scene in broken.granule", "radius"]),
        ("x = 1".into(), ["broken.granule", "not a recording"]),
    ] {
        write(&text);
        refused(&place, &["run", "broken.granule"], &words);
    }
    refused(&place, &["run", "none.granule"], &["none.granule"]);
    // A command that nothing can carry out is found when its frame comes.
    let mut recording = Recording::read(place.path("mine.granule")).unwrap();
    recording.push(3, Command::Set { path: "material.gold.friction_angle".into(), value: 1.0 });
    recording.write(place.path("broken.granule")).unwrap();
    place.granule(&["run", "broken.granule", "--device", "cpu"]).expect(1, &["frame 3", "gold"]);
}
