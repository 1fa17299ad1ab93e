//! Scenes on a graphics device, which software Vulkan is as well: meshes, bodies, and what is written of them.

use crate::place::{Place, block, outcome};

/// Whether the program finds an adapter; without one, tests are skipped or fail as all that need one.
fn there_is_a_device() -> bool {
    let adapters = Place::new().granule(&["devices", "--json"]).expect(0, &[]).json();
    let first = adapters.as_array().and_then(|list| list.first()).ok_or("the program lists no adapter");
    granule_testing::required_or_skipped(first).is_some()
}

/// Runs a scene in its quick form, or a coarser one, and demands that its expectations hold.
#[track_caller]
fn passes(place: &Place, scene: &str, sets: &[&str]) -> serde_json::Value {
    let mut args = vec!["run", scene, "--quick", "--device", "gpu", "--json", "--out", "out"];
    for set in sets {
        args.extend(["--set", set]);
    }
    let json = place.granule(&args).expect(0, &[]).json();
    assert_eq!(json["device"], "gpu");
    let expectations = json["expectations"].as_array().unwrap();
    assert!(expectations.len() > 1, "{scene} expects too little");
    assert!(expectations.iter().all(|expectation| expectation["pass"] == true), "{expectations:?}");
    json
}

/// The first run of the README where there is OpenGL, or nothing, instead of Vulkan: one plain sentence says what draws,
/// and nothing of shaders.
#[test]
fn without_vulkan_a_run_says_in_one_sentence_what_draws() {
    let place = Place::new();
    let args =
        ["run", "column", "--quick", "--seconds", "0.05", "--device", "auto", "--render", "--out", "out"];
    let mut command = place.command(&args);
    command.env_remove("GRANULE_ADAPTER");
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        command.env(variable, "/nonexistent");
    }
    let outcome = outcome(command.output().unwrap()).expect(0, &["drawn in software"]);
    let said: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("drawn in software")).collect();
    assert_eq!(said.len(), 1, "{}", outcome.stderr);
    assert!(["depth", "no graphics adapter"].iter().any(|word| said[0].contains(word)), "{}", said[0]);
    for word in ["Validation", "Caused by", "Shader", "pipeline"] {
        assert!(!outcome.stderr.contains(word), "{}", outcome.stderr);
    }
    assert!(place.path("out/picture.png").exists());
}

/// A drum that turns.
#[test]
fn sand_stands_inclined_in_the_drum() {
    if there_is_a_device() {
        passes(&Place::new(), "drum", &[]);
    }
}

/// A free body that sand stops.
#[test]
fn a_ball_falls_into_the_bunker() {
    if !there_is_a_device() {
        return;
    }
    let place = Place::new();
    let json = passes(&place, "bunker", &[]);
    let rows = std::fs::read_to_string(place.path("out/bodies.csv")).unwrap().lines().count() as u64;
    assert_eq!(rows, 1 + json["frames"].as_u64().unwrap(), "a header and a row per frame");
}

/// A mesh that moves smoothly, coarser than in the quick form.
#[test]
fn the_dump_truck_empties_its_bed() {
    let sets = ["material.radius=0.03", "simulation.max_time_step=0.006", "expect.1.range=[660, 672]"];
    if there_is_a_device() {
        passes(&Place::new(), "dumptruck", &sets);
    }
}

/// A resumed run with a body ends as an unbroken one, and the body is where it was.
#[test]
fn runs_with_bodies_go_on_after_a_checkpoint() {
    if !there_is_a_device() {
        return;
    }
    let place = Place::new();
    let body =
        "\n[[body]]\nname = \"brick\"\nshape.box = { min = [0.05, 0.25, 0.05], max = [0.2, 0.35, 0.2] }\n";
    let scene = place.scene(&block(body));
    let run =
        |more: &[&str]| place.granule(&[&["run", "--device", "gpu", "--json"], more].concat()).expect(0, &[]);
    let unbroken = run(&[scene, "--out", "whole", "--checkpoint-every", "0.04"]).json();
    let resumed = run(&["--resume", "whole/checkpoints/000002.ckpt", "--out", "rest"]).json();
    assert_eq!(resumed["state_hash"], unbroken["state_hash"]);
    assert_eq!(resumed["bodies"], unbroken["bodies"]);
    assert!(unbroken["bodies"][0]["force"][1].as_f64().unwrap() > 0.0, "{}", unbroken["bodies"]);
}

#[test]
fn bench_times_pictures_of_the_last_step() {
    if !there_is_a_device() {
        return;
    }
    let place = Place::new();
    let scene = place.scene(&block(""));
    let args = ["bench", scene, "--device", "gpu", "--steps", "2", "--warm", "0", "--draw", "320x240"];
    let json = place.granule(&[&args[..], &["--json"]].concat()).expect(0, &[]).json();
    let draw = &json["draw"];
    assert_eq!(draw["size"], serde_json::json!([320, 240]));
    let [plain, shadows, full] = ["plain", "shadows", "full"].map(|kind| draw[kind].as_f64().unwrap());
    assert!(plain > 0.0 && shadows > 0.0 && full > plain, "{draw}");
    let text = place.granule(&args).expect(0, &[]).stdout;
    assert!(text.contains("picture of 320x240"), "{text}");
}
