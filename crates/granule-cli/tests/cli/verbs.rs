//! The verbs that do not run a scene to its end, and help.

use crate::place::{Place, block};

#[test]
fn help_of_every_verb_shows_an_example() {
    let place = Place::new();
    let main = place.granule(&["--help"]).expect(0, &[]).stdout;
    assert!(main.contains("Exit codes") && main.contains("130"), "{main}");
    for verb in ["list", "check", "run", "schema", "bench", "measure"] {
        assert!(main.contains(verb));
        let help = place.granule(&[verb, "--help"]).expect(0, &[]).stdout;
        assert!(help.contains("Example") && help.contains(&format!("  granule {verb}")), "{help}");
    }
    assert!(place.granule(&["--version"]).expect(0, &[]).stdout.starts_with("granule "));
}

#[test]
fn list_names_every_built_in_scene() {
    let place = Place::new();
    let text = place.granule(&["list"]).expect(0, &[]).stdout;
    assert!(text.contains("column") && text.contains("dam") && text.contains("iisph"), "{text}");
    let json = place.granule(&["list", "--json"]).expect(0, &[]).json();
    assert_eq!((&json[0]["name"], &json[0]["solver"]), (&"column".into(), &"iisph".into()));
    assert!(json[0]["particles"].is_null() && json[0]["seconds"].as_f64().unwrap() > 0.0, "{json}");
    let lines = |text: &str| text.lines().count();
    let counted = place.granule(&["list", "--particles"]).expect(0, &[]).stdout;
    let header = |text: &str| text.lines().next().unwrap().contains("particles");
    assert!(lines(&counted) == lines(&text) && header(&counted) && !header(&text), "{counted}");
    let column = counted.lines().find(|line| line.starts_with("column ")).unwrap();
    assert!(column.split_whitespace().any(|word| word.parse::<u32>().is_ok_and(|n| n > 1000)), "{column}");
}

#[test]
fn check_accepts_sound_scenes_and_writes_nothing() {
    let place = Place::new();
    assert!(place.granule(&["check", "dam"]).expect(0, &[]).stdout.contains("dam: ok"));
    let scene = place.scene(&block(""));
    let json = place.granule(&["check", scene, "--json"]).expect(0, &[]).json();
    assert_eq!(json["particles"], 216);
    assert_eq!(place.names("."), ["scene.toml"]);
}

/// As `cargo xtask scenes --solver` asks it.
#[test]
fn check_says_whether_another_solver_takes_a_scene() {
    let place = Place::new();
    let json = place.granule(&["check", "castle", "--solver", "dem", "--json"]).expect(0, &[]).json();
    assert_eq!(json["solver"], "dem");
    place.granule(&["check", "dam", "--solver", "dem"]).expect(2, &["dam"]);
    let set = ["check", "castle", "--set", "material.friction_angle=80", "--solver", "dem"];
    place.granule(&set).expect(2, &["friction_angle"]);
}

#[test]
fn bench_times_the_steps_of_scenes() {
    let place = Place::new();
    let scene = place.scene(&block(""));
    let args = ["bench", scene, "--steps", "5", "--warm", "1", "--threads", "1"];
    let text = place.granule(&args).expect(0, &[]).stdout;
    assert!(text.contains("ms/step") && text.contains("neighbors"), "{text}");
    let json = place.granule(&[&args[..], &["--json"]].concat()).expect(0, &[]).json();
    assert_eq!((&json["steps"], &json["particles"]), (&5.into(), &216.into()));
    for field in ["scene", "solver", "device", "adapter", "threads", "iterations", "stages"] {
        assert!(json.get(field).is_some(), "{field} is missing");
    }
    for field in [
        "ms_per_step",
        "particle_steps_per_second",
        "real_time_factor",
        "neighbors_per_particle",
        "bytes_per_particle",
    ] {
        assert!(json[field].as_f64().unwrap() > 0.0, "{field}");
    }
    let several = place.granule(&["bench", scene, scene, "--steps", "1", "--warm", "0", "--json"]);
    assert_eq!(several.expect(0, &[]).json().as_array().unwrap().len(), 2);
}

#[test]
fn bench_takes_other_values_of_the_scene() {
    let place = Place::new();
    let scene = place.scene(&block(""));
    let sweeps = ["--set", "iisph.min_iterations=7", "--set", "iisph.max_iterations=7"];
    let args = ["bench", scene, "--steps", "2", "--warm", "0", "--json"];
    let json = place.granule(&[&args[..], &sweeps].concat()).expect(0, &[]).json();
    assert_eq!(json["iterations"], 7.0);
}

#[test]
fn schema_is_a_json_schema_of_scenes() {
    let place = Place::new();
    let json = place.granule(&["schema"]).expect(0, &[]).json();
    assert!(json["$schema"].as_str().unwrap().contains("json-schema.org"));
    assert_eq!(json["$defs"]["OutputSettings"]["properties"]["formats"]["default"][0], "ply");
    let text = place.granule(&["schema", "--markdown"]).expect(0, &[]).stdout;
    assert!(text.starts_with("# Scene reference\n") && text.contains("`friction_angle`"), "{text}");
}
