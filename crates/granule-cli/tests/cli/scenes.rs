//! Every built-in scene in its quick form meets its own expectations and ends in the state that is known of it.

use crate::place::Place;

/// Whether the bits of this platform are those of the table: libraries of mathematics elsewhere may round differently.
const TABLE_HOLDS: bool = cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"));

/// Runs a scene on the CPU and demands that all its expectations were due and hold, that the books are in order, and
/// that it ends in the very state of the table.
#[track_caller]
fn passes(scene: &str, known_hash: &str) {
    let place = Place::new();
    let json = place.granule(&["run", scene, "--quick", "--device", "cpu", "--json"]).expect(0, &[]).json();
    let expectations = json["expectations"].as_array().unwrap();
    assert!(!expectations.is_empty(), "{scene} expects nothing");
    assert!(expectations.iter().all(|expectation| expectation["pass"] == true), "{expectations:?}");
    assert_eq!(json["unaccounted"], 0);
    assert!(json["wall_seconds"].as_f64().unwrap() > 0.0);
    if !TABLE_HOLDS {
        granule_testing::skip("the table of state hashes holds for x86_64 Linux with glibc");
        return;
    }
    let hash = json["state_hash"].as_str().unwrap();
    assert!(
        hash == known_hash,
        "the result of `{scene}` has changed: its state hash is {hash} and was {known_hash}. Changes of results are \
         made on purpose or not at all: find out why, and where it is meant, write the new hash into the table of {} \
         and the reason into the commit.",
        file!()
    );
}

macro_rules! scenes {
    ($($test:ident = $scene:literal, $hash:literal;)+) => {
        $(#[test] fn $test() { passes($scene, $hash); })+

        #[test]
        fn none_is_missing_here() {
            let json = Place::new().granule(&["list", "--json"]).expect(0, &[]).json();
            let listed: Vec<&str> = json.as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
            assert_eq!(listed, [$($scene),+]);
        }
    };
}

// Test, scene, and hash of the state in which the quick form ends on the CPU, for any number of threads and for all
// instructions. Whoever changes a result on purpose changes the table in the same commit, which says why. It holds for
// x86_64 Linux with glibc.
scenes! {
    column = "column", "97cc50d4072e7a87";
    dam = "dam", "fcd561cbbbb6d4ae";
    heap = "heap", "dec7bfb045f166cb";
    hourglass = "hourglass", "33f3fa2c10deb20f";
    silo = "silo", "a66a10088ef7e46a";
    dunes = "dunes", "c406b347ea0bbfd7";
    windy = "windy", "83e2f767e73dfa40";
    castle = "castle", "4cc13d55a94150eb";
    drum = "drum", "3dc62cb91089e56f";
    bunker = "bunker", "b26166d771763e99";
    boxes = "boxes", "922d042a573fa71a";
    dumptruck = "dumptruck", "3dc5f10fd683dbc9";
    tank = "tank", "70e0f14e3241e434";
    pipe = "pipe", "5720b16d4e373415";
    droplet = "droplet", "1c201a52ce653a82";
    funnel = "funnel", "5ed81b650d809604";
    mesh_drop = "mesh-drop", "6f0e130ad89597c6";
    marbles = "marbles", "7222204016b332c9";
    angle = "angle", "216f52d07ccd23d5";
    avalanche = "avalanche", "a9f58d2ff939933d";
    bowling = "bowling", "c7115eb3f2cd6784";
    mixer = "mixer", "1478016e3d3e917e";
    packing = "packing", "b4c9b3147d070752";
    sandcastle = "sandcastle", "00ef781797a45ef0";
    excavator = "excavator", "0b4249ae2004bcaf";
    sandglass = "sandglass", "2ae0a4e6a04a279a";
    squirrel = "squirrel", "ab11a607733b32e6";
}

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
    assert!(
        series.lines().next().unwrap().ends_with(",emitted,blocked,drained,removed,drained_slot"),
        "{series}"
    );
}
