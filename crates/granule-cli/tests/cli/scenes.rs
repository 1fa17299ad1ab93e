//! Every built-in scene in its quick form meets its own expectations.

use crate::place::Place;

/// Runs a scene and demands that all its expectations were due and hold, and that the books are in order.
#[track_caller]
fn passes(scene: &str) {
    let place = Place::new();
    let json = place.granule(&["run", scene, "--quick", "--json"]).expect(0, &[]).json();
    let expectations = json["expectations"].as_array().unwrap();
    assert!(!expectations.is_empty(), "{scene} expects nothing");
    assert!(expectations.iter().all(|expectation| expectation["pass"] == true), "{expectations:?}");
    assert_eq!(json["unaccounted"], 0);
    assert!(json["wall_seconds"].as_f64().unwrap() > 0.0);
}

macro_rules! scenes {
    ($($test:ident = $scene:literal),+) => {
        $(#[test] fn $test() { passes($scene); })+

        #[test]
        fn none_is_missing_here() {
            let json = Place::new().granule(&["list", "--json"]).expect(0, &[]).json();
            let listed: Vec<&str> = json.as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
            assert_eq!(listed, [$($scene),+]);
        }
    };
}

scenes!(
    column = "column",
    dam = "dam",
    heap = "heap",
    hourglass = "hourglass",
    silo = "silo",
    dunes = "dunes",
    windy = "windy",
    castle = "castle",
    drum = "drum",
    bunker = "bunker",
    boxes = "boxes",
    dumptruck = "dumptruck",
    tank = "tank",
    pipe = "pipe",
    droplet = "droplet",
    mesh_drop = "mesh-drop"
);

#[test]
fn water_in_the_hourglass_runs_too_fast_for_sand() {
    let place = Place::new();
    let water = ["--set", "material.friction_angle=0", "--set", "boundary.friction=0"];
    let outcome = place.granule(&[&["run", "hourglass", "--quick", "--json"], &water[..]].concat());
    let json = outcome.expect(1, &["expectations failed"]).json();
    let failed = |name: &str| {
        let all = json["expectations"].as_array().unwrap();
        all.iter().any(|e| e["name"] == name && e["pass"] == false)
    };
    assert!(failed("flow_rate"), "{json}");
}

/// A layer of single particles runs into the far wall: once pressure there doubled with every step, and as fast particles
/// shorten steps, the removal of the density's excess sped up without bound.
#[test]
fn the_dam_in_full_does_not_burst_at_the_far_wall() {
    let json = Place::new().granule(&["run", "dam", "--json"]).expect(0, &[]).json();
    assert_eq!(json["complete"], true);
}

#[test]
fn still_air_leaves_the_heap_alone() {
    let place = Place::new();
    let still = ["--set", "air.wind.0.gust.velocity=[0, 0, 0]"];
    let outcome = place.granule(&[&["run", "windy", "--quick", "--json"], &still[..]].concat());
    assert_eq!(outcome.expect(1, &[]).json()["counted"]["lee"], 0);
}

#[test]
fn the_series_has_a_column_per_outlet_and_counter() {
    let place = Place::new();
    place.granule(&["run", "silo", "--quick", "--frames", "2", "--out", "silo"]).expect(0, &[]);
    let series = std::fs::read_to_string(place.path("silo/series.csv")).unwrap();
    assert!(series.lines().next().unwrap().ends_with(",emitted,blocked,drained,drained_slot"), "{series}");
}
