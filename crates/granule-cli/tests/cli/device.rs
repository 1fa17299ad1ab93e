//! Scenes on a graphics device, which software Vulkan is as well: meshes, bodies, and what is written of them.

use crate::place::{Place, block};

/// Whether there is an adapter: without one these tests are passed over with one line, but fail in CI.
fn there_is_a_device() -> bool {
    let adapters = Place::new().granule(&["devices", "--json"]).expect(0, &[]).json();
    let there = adapters.as_array().is_some_and(|list| !list.is_empty());
    assert!(there || std::env::var_os("CI").is_none(), "there is no graphics adapter");
    if !there {
        eprintln!("passed over: there is no graphics adapter");
    }
    there
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
