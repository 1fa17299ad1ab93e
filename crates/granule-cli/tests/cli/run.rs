//! Runs: what they leave, what they print, how they end.

use granule::io::{FramesIndex, read_ply};
use serde_json::Value;

use crate::place::{Outcome, Place, block, outcome};

const SUMMARY_FIELDS: [&str; 29] = [
    "scene",
    "solver",
    "device",
    "adapter",
    "threads",
    "seed",
    "particles",
    "high_resolution_particles",
    "steps",
    "simulated_seconds",
    "wall_seconds",
    "real_time_factor",
    "particle_steps_per_second",
    "stages",
    "iterations",
    "density_error",
    "kinetic_energy",
    "max_speed",
    "lost_particles",
    "converged",
    "complete",
    "interrupted",
    "resumed_from",
    "diverged",
    "failed",
    "state_hash",
    "expectations",
    "missing_tracks",
    "files",
];

fn read_json(place: &Place, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(place.path(name)).unwrap()).unwrap()
}

#[test]
fn a_built_in_scene_leaves_a_numbered_folder() {
    let place = Place::new();
    let args = ["run", "column", "--quick", "--seconds", "0.1"];
    let outcome = place.granule(&args).expect(0, &[]);
    assert!(
        outcome.stdout.contains("out/column-001") && outcome.stdout.contains("not due"),
        "{}",
        outcome.stdout
    );
    place.granule(&args).expect(0, &[]);
    assert_eq!(place.names("out"), ["column-001", "column-002"]);
    assert_eq!(
        place.names("out/column-001"),
        ["frames", "frames.json", "scene.toml", "series.csv", "summary.json"]
    );
    // 0.1 s at 25 frames per second: the first frame time at or after it is frame 3.
    assert_eq!(place.names("out/column-001/frames").len(), 4);
    let series = std::fs::read_to_string(place.path("out/column-001/series.csv")).unwrap();
    assert_eq!(series.lines().count(), 5);
}

#[test]
fn frames_are_readable_and_begin_with_the_initial_state() {
    let place = Place::new();
    let scene = place.scene(&block(""));
    place.granule(&["run", scene, "--out", "here"]).expect(0, &[]);
    let index: FramesIndex =
        serde_json::from_value(read_json(&place, "here/frames.json")).expect("an index of frames");
    assert!(index.complete);
    assert_eq!(index.frames.len(), 6);
    for frame in &index.frames {
        let ply = read_ply(place.path("here").join(frame.file.as_ref().unwrap())).unwrap();
        assert_eq!((ply.count, frame.particles), (216, 216));
        assert!((ply.time - frame.frame as f64 / 50.0).abs() < 1e-9);
        for name in ["velocity_x", "density", "pressure"] {
            assert!(ply.scalar(name).unwrap().iter().all(|value| value.is_finite()), "{name}");
        }
    }
    let first = read_ply(place.path("here/frames/frame_000000.ply")).unwrap();
    assert!(first.vec3("velocity").unwrap().iter().all(|v| *v == [0.0; 3]));
}

#[test]
fn the_resolved_scene_runs_to_the_same_state() {
    let place = Place::new();
    let scene = place.scene(&block("[quick]\n\"material.radius\" = 0.03"));
    let set = ["--quick", "--set", "material.friction_angle=20", "--seed", "7", "--fps", "40", "--json"];
    let first = place.granule(&[&["run", scene, "--out", "a"], &set[..]].concat()).expect(0, &[]).json();
    let second = place.granule(&["run", "a/scene.toml", "--out", "b", "--json"]).expect(0, &[]).json();
    assert_eq!(first["seed"], 7);
    assert_eq!(first["state_hash"], second["state_hash"]);
    assert_eq!(first["particles"], 64);
}

#[test]
fn json_is_one_object_with_all_fields_and_equals_the_summary() {
    let place = Place::new();
    let scene = place.scene(&block("[[expect]]\nquantity = \"height\"\nrange = [0, 1]"));
    let json = place.granule(&["run", scene, "--json", "--out", "here"]).expect(0, &[]).json();
    for field in SUMMARY_FIELDS {
        assert!(json.get(field).is_some(), "{field} is missing");
    }
    assert_eq!(json, read_json(&place, "here/summary.json"));
    assert_eq!(json["scene"], "block");
    assert_eq!(json["particles"], 216);
    assert_eq!((&json["complete"], &json["interrupted"]), (&true.into(), &false.into()));
    assert!(json["stages"]["neighbors"].as_f64().unwrap() > 0.0);
    assert!(json["iterations"]["max"].as_f64() >= json["iterations"]["mean"].as_f64());
    assert!((json["simulated_seconds"].as_f64().unwrap() - 0.1).abs() < 1e-9);
    assert_eq!(json["expectations"][0]["name"], "height");
    assert_eq!(json["expectations"][0]["pass"], true);
    for file in json["files"]["files"].as_array().unwrap() {
        assert!(place.path("here").join(file.as_str().unwrap()).exists(), "{file}");
    }
}

#[test]
fn a_failed_expectation_ends_with_exit_code_1_and_a_table() {
    let place = Place::new();
    let scene =
        place.scene(&block("[[expect]]\nquantity = \"height\"\nrange = [5, 6]\nsource = \"a guess\""));
    let outcome = place.granule(&["run", scene]).expect(1, &["1 of 1 expectations failed"]);
    for word in ["measured", "range", "source", "height", "5 .. 6", "FAIL", "a guess"] {
        assert!(outcome.stdout.contains(word), "`{word}` is not in: {}", outcome.stdout);
    }
    let json = place.granule(&["run", scene, "--json"]).expect(1, &[]).json();
    assert_eq!(json["expectations"][0]["pass"], false);
    let json = place.granule(&["run", scene, "--frames", "2", "--json"]).expect(0, &[]).json();
    assert_eq!(json["expectations"][0]["pass"], Value::Null);
}

#[test]
fn an_explosion_is_diagnosed_and_leaves_no_broken_numbers() {
    let place = Place::new();
    // A hundred times the default step.
    let scene = place.scene(&block("").replace("seconds = 0.1", "seconds = 0.1\nfps = 5\ntime_step = 0.2"));
    let words = ["diverged at t = ", "diameters in one step", "fixed time step", "remedy"];
    let outcome =
        place.granule(&["run", scene, "--seconds", "2", "--json", "--out", "here"]).expect(1, &words);
    assert!(outcome.json()["diverged"].as_str().unwrap().contains("likely cause"));
    assert_eq!(read_json(&place, "here/frames.json")["complete"], false);
    for name in ["summary.json", "series.csv", "frames.json"] {
        let text = std::fs::read_to_string(place.path("here").join(name)).unwrap().to_lowercase();
        assert!(!text.contains("nan") && !text.contains("inf,"), "{name}: {text}");
    }
}

#[test]
fn lost_particles_are_diagnosed() {
    let place = Place::new();
    let scene = place.scene(
        &block("")
            .replace("seconds = 0.1", "seconds = 0.1\ntime_step = 0.02")
            .replace("material = \"sand\"", "material = \"sand\"\nvelocity = [1e12, 0, 0]"),
    );
    let outcome =
        place.granule(&["run", scene, "--json"]).expect(1, &["216 of 216 particles were lost", "remedy"]);
    assert_eq!(outcome.json()["lost_particles"], 216);
}

#[test]
fn the_state_does_not_depend_on_the_number_of_threads() {
    let place = Place::new();
    let hash = |threads: &str| {
        let args = ["run", "column", "--quick", "--seconds", "0.2", "--json", "--threads", threads];
        let json = place.granule(&args).expect(0, &[]).json();
        assert_eq!(json["threads"].to_string(), threads);
        json["state_hash"].as_str().unwrap().to_string()
    };
    let one = hash("1");
    assert_eq!(one.len(), 16);
    assert_eq!((hash("2"), hash("4")), (one.clone(), one));
}

/// Starts the program, asks it to terminate once it has written three frames to `folder`, and waits for its end.
#[cfg(unix)]
fn terminate(place: &Place, args: &[&str], folder: &str) -> Outcome {
    use std::process::{Command, Stdio};
    let piped = || Stdio::piped();
    let mut child = place.command(args).stdout(piped()).stderr(piped()).spawn().unwrap();
    while place.names(&format!("{folder}/frames")).len() < 3 {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(Command::new("sh").args(["-c", &format!("kill {}", child.id())]).status().unwrap().success());
    outcome(child.wait_with_output().unwrap())
}

#[cfg(unix)]
#[test]
fn a_request_to_terminate_ends_cleanly() {
    let place = Place::new();
    let scene = place.scene(&block(""));
    let args = ["run", scene, "--seconds", "1000", "--json", "--out", "here"];
    let outcome = terminate(&place, &args, "here").expect(130, &["interrupted"]);
    assert_eq!(outcome.json()["interrupted"], true);
    assert_eq!(outcome.json(), read_json(&place, "here/summary.json"));
    let index = read_json(&place, "here/frames.json");
    assert_eq!(index["frames"].as_array().unwrap().len(), place.names("here/frames").len());
    assert_eq!(index["complete"], false);
}

#[cfg(unix)]
#[test]
fn the_bare_program_runs_the_default_scene() {
    let place = Place::new();
    let outcome = terminate(&place, &[], "out/column-001").expect(130, &["interrupted"]);
    assert!(outcome.stdout.contains("out/column-001"), "{}", outcome.stdout);
    let summary = read_json(&place, "out/column-001/summary.json");
    assert_eq!((&summary["scene"], &summary["quick"]), (&"column".into(), &false.into()));
    assert_eq!(summary["interrupted"], true);
}
