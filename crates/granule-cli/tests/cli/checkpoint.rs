//! Checkpoints: runs that go on in the same bits, also after they were killed.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use granule::io::{Checkpoint, FramesIndex, read_ply};
use serde_json::Value;

use crate::place::{Place, block, refused};

/// Frames of a whole run.
const FRAMES: u32 = 40;

/// A block that falls on a floor beside a wall that moves, for 0.4 s at 100 frames per second.
fn moving() -> String {
    let wall = "[[boundary]]\nname = \"piston\"\nshape.box = { min = [-0.1, 0, -0.1], max = [-0.02, 0.3, 0.3] }\n\
                motion.keyframe = [{ time = 0 }, { time = 0.4, translation = [0.1, 0, 0] }]";
    block(wall)
        .replace("seconds = 0.1", "seconds = 0.4\nfps = 100")
        .replace("min = [0, 0,", "min = [0, 0.02,")
}

fn read_json(place: &Place, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(place.path(name)).unwrap()).unwrap()
}

#[test]
fn a_resumed_run_ends_in_the_same_state_and_says_where_it_began() {
    let place = Place::new();
    let scene = place.scene(&moving());
    let args = ["run", scene, "--json", "--threads", "1", "--seconds", "0.2", "--out", "whole"];
    let whole = place.granule(&[&args[..], &["--checkpoint-every", "0.06"]].concat()).expect(0, &[]).json();
    assert_eq!(
        place.names("whole/checkpoints"),
        ["000006.ckpt", "000012.ckpt", "000018.ckpt", "000020.ckpt"],
        "every 0.06 s and at the end"
    );
    assert_eq!((&whole["complete"], &whole["resumed_from"]), (&true.into(), &Value::Null));
    assert!(whole["files"]["files"].as_array().unwrap().contains(&"checkpoints".into()));

    let file = "whole/checkpoints/000012.ckpt";
    let rest = ["--resume", file, "--seconds", "0.2", "--json", "--threads", "2"];
    let resumed = place.granule(&[&["run"], &rest[..]].concat()).expect(0, &[]).json();
    assert_eq!(resumed["state_hash"], whole["state_hash"]);
    assert_eq!(resumed["simulated_seconds"], whole["simulated_seconds"]);
    assert_eq!(
        (&resumed["resumed_from"]["file"], &resumed["resumed_from"]["frame"]),
        (&file.into(), &12.into())
    );
    let steps = |json: &Value| json["steps"].as_u64().unwrap();
    assert_eq!(resumed["resumed_from"]["steps"].as_u64().unwrap() + steps(&resumed), steps(&whole));
    let frames = place.names("out/block-001/frames");
    assert_eq!((frames.len(), frames[0].as_str()), (9, "frame_000012.ply"));
    for frame in &frames {
        let read = |folder: &str| std::fs::read(place.path(folder).join(frame)).unwrap();
        assert!(read("out/block-001/frames") == read("whole/frames"), "{frame}");
    }
    assert_eq!(read_json(&place, "out/block-001/frames.json")["complete"], true);
    assert_eq!(place.names("out/block-001/checkpoints"), [""; 0]);

    // The same scene may be named; a run that is already at its end only says so.
    let again = place.granule(&[&["run", scene], &rest[..]].concat()).expect(0, &[]).json();
    assert_eq!(again["state_hash"], whole["state_hash"]);
    let text = place.granule(&["run", "--resume", file, "--frames", "12"]).expect(0, &[]).stdout;
    assert!(text.contains("resumed from") && text.contains("frame 12"), "{text}");
}

#[test]
fn what_cannot_be_resumed_is_refused_before_anything_is_written() {
    let place = Place::new();
    let scene = place.scene(&moving());
    let args = ["run", scene, "--frames", "2", "--checkpoint-every", "0", "--out", "a"];
    place.granule(&args).expect(0, &[]);
    let file = "a/checkpoints/000001.ckpt";
    let refused = |args: &[&str], words: &[&str]| refused(&place, &[&["run"], args].concat(), words);
    refused(
        &["column", "--resume", file],
        &["another scene", "\"block\"", "\"column\"", "leave out the scene"],
    );
    let other = ["scene.toml", "--set", "material.friction_angle=20", "--resume", file];
    refused(&other, &["another scene", "first difference", "friction_angle = 20"]);
    refused(&["--resume", file, "--fps", "3"], &["SCENE|FILE"]);
    refused(&["--resume", file, "--out", "a", "--force"], &["--force would replace"]);
    refused(
        &["--resume", file, "--out", "scene.toml/below"],
        &["cannot create", "choose another with --out"],
    );
    refused(&["--resume", "nothing.ckpt"], &["nothing.ckpt: cannot read", "remedy: name a file"]);
    refused(&["--resume", "a"], &["a: cannot read", "remedy: name a file"]);
    refused(&["--resume", "scene.toml"], &["scene.toml: not a granule checkpoint", "remedy: name a file"]);
    refused(&[file], &["000001.ckpt: not a scene", "give a checkpoint with --resume"]);
}

#[test]
fn damaged_checkpoints_are_refused_with_a_remedy() {
    let place = Place::new();
    let args = ["run", place.scene(&moving()), "--frames", "1", "--checkpoint-every", "0", "--out", "a"];
    place.granule(&args).expect(0, &[]);
    let whole = std::fs::read(place.path("a/checkpoints/000001.ckpt")).unwrap();
    let refuse = |bytes: &[u8], words: &[&str]| {
        std::fs::write(place.path("b.ckpt"), bytes).unwrap();
        refused(&place, &["run", "--resume", "b.ckpt"], &[&["b.ckpt: ", "remedy: "], words].concat());
    };
    let length = whole.len();
    for cut in [10, 20, 29, length / 2, length - 1] {
        refuse(&whole[..cut], &[&format!("truncated: {cut} of "), "take the checkpoint before it"]);
    }
    refuse(&[&whole[..], b"x"].concat(), &["longer than", "copy the file again"]);
    // Magic, format, length, engine version, content and checksum.
    let words = ["not a granule", "a checkpoint of format", "bytes", "damaged", "damaged", "damaged"];
    for (place, word) in [0, 8, 14, 21, length / 2, length - 1].into_iter().zip(words) {
        let mut flipped = whole.clone();
        flipped[place] ^= 1;
        refuse(&flipped, &[word]);
    }
    let mut newer = whole.clone();
    newer[8..12].copy_from_slice(&99u32.to_le_bytes());
    refuse(&newer, &["of format 99; this program reads format", "with the version of granule that wrote it"]);
}

#[test]
fn a_checkpoint_of_another_version_with_the_same_format_goes_on_with_a_note() {
    let place = Place::new();
    let args = ["run", place.scene(&moving()), "--frames", "1", "--checkpoint-every", "0", "--out", "a"];
    place.granule(&args).expect(0, &[]);
    let mut checkpoint = Checkpoint::read(place.path("a/checkpoints/000001.ckpt")).unwrap();
    checkpoint.engine_version = "0.0.7".into();
    std::fs::write(place.path("old.ckpt"), checkpoint.encode().unwrap()).unwrap();
    let words = ["old.ckpt was written by version 0.0.7", "other bits"];
    place.granule(&["run", "--resume", "old.ckpt", "--frames", "2"]).expect(0, &words);
}

#[cfg(unix)]
#[test]
fn a_request_to_terminate_leaves_the_last_complete_state() {
    let place = Place::new();
    let scene = place.scene(&moving());
    let args = ["run", scene, "--seconds", "1000", "--out", "a", "--checkpoint-every", "900"];
    let mut child = place.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while place.names("a/frames").len() < 3 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let kill = format!("kill {}", child.id());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let index: FramesIndex = serde_json::from_value(read_json(&place, "a/frames.json")).unwrap();
    let last = index.frames.last().unwrap().frame;
    assert_eq!(place.names("a/checkpoints"), [format!("{last:06}.ckpt")]);
    assert_eq!(read_json(&place, "a/summary.json")["complete"], false);
}

/// Every frame that is listed or there is readable; returns the newest checkpoint, which must be whole.
fn inspect(place: &Place, folder: &str) -> Option<PathBuf> {
    let path = place.path(folder);
    let whole = |name: &String| !name.starts_with('.');
    for name in place.names(&format!("{folder}/frames")).iter().filter(|name| whole(name)) {
        let ply = read_ply(path.join("frames").join(name)).unwrap_or_else(|e| panic!("{folder}/{name}: {e}"));
        assert!(ply.count > 0);
    }
    if path.join("frames.json").exists() {
        let index: FramesIndex =
            serde_json::from_value(read_json(place, &format!("{folder}/frames.json"))).unwrap();
        let exists = |file: &Option<String>| file.as_ref().is_some_and(|file| path.join(file).exists());
        assert!(index.frames.iter().all(|frame| exists(&frame.file)));
        if path.join("summary.json").exists() {
            let complete = read_json(place, &format!("{folder}/summary.json"))["complete"] == true;
            assert!(!complete || index.complete, "a complete summary means that the run has ended");
        }
    }
    let series = std::fs::read_to_string(path.join("series.csv")).unwrap_or_default();
    let columns = |line: &str| line.split(',').count();
    assert!(series.lines().all(|line| columns(line) == columns(series.lines().next().unwrap())), "{series}");
    let last = place.names(&format!("{folder}/checkpoints")).into_iter().rfind(whole)?;
    let last = path.join("checkpoints").join(last);
    Checkpoint::read(&last).unwrap_or_else(|e| panic!("{}: {e}", last.display()));
    Some(last)
}

/// Kills the program at random moments; `GRANULE_KILLS` says how often (20).
#[test]
fn a_killed_run_leaves_what_it_had_and_can_be_resumed() {
    let kills: u32 = std::env::var("GRANULE_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let place = Place::new();
    let scene = place.scene(&moving());
    let run = |more: &[&str]| {
        let common = ["--json", "--threads", "1", "--checkpoint-every", "0.03"];
        place.command(&[&["run"], more, &common[..]].concat())
    };
    let start = Instant::now();
    let whole: Value =
        serde_json::from_slice(&run(&[scene, "--out", "whole"]).output().unwrap().stdout).unwrap();
    let longest = start.elapsed();
    let mut random = granule::random::Random::new(u64::from(std::process::id()));
    let (mut killed, mut resumed) = (0, 0);
    for k in 0..kills {
        let folder = format!("killed-{k}");
        let mut command = run(&[scene, "--out", &folder]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // A random frame rather than a random time: the machine may be faster or slower now.
        let frame = (random.unit() * FRAMES as f32) as u32;
        let reached = place.path(&folder).join(format!("frames/frame_{frame:06}.ply"));
        while frame > 0 && !reached.exists() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(100));
        }
        std::thread::sleep(longest.mul_f32(2.0 * random.unit() / FRAMES as f32));
        child.kill().unwrap();
        let finished = child.wait().unwrap().success();
        killed += u32::from(!finished);
        if finished {
            assert_eq!(read_json(&place, &format!("{folder}/summary.json"))["complete"], true);
        }
        let Some(last) = inspect(&place, &folder) else { continue };
        resumed += 1;
        let again = format!("resumed-{k}");
        let output = run(&["--resume", last.to_str().unwrap(), "--out", &again]).output().unwrap();
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["state_hash"], whole["state_hash"], "resumed from {}", last.display());
        for folder in [&folder, &again] {
            std::fs::remove_dir_all(place.path(folder)).unwrap();
        }
    }
    eprintln!("{killed} of {kills} runs killed, {resumed} resumed, whole run {longest:.2?}");
    assert!(killed > kills / 2, "{killed} of {kills} runs were killed before their end");
    assert!(resumed > kills / 4, "{resumed} of {kills} runs left a checkpoint");
}
