//! `granule measure oracle`: trajectories in files.

use std::fs;

use crate::place::Place;

/// Two spheres that collide head-on, computed by LAMMPS.
fn good() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../granule/tests/oracles/head_on_1.json");
    fs::read_to_string(path).unwrap()
}

fn place_with(name: &str, text: &str) -> Place {
    let place = Place::new();
    fs::write(place.path(name), text).unwrap();
    place
}

#[test]
fn a_file_of_lammps_passes() {
    let place = place_with("good.json", &good());
    let text = place.granule(&["measure", "oracle", "good.json"]).expect(0, &[]).stdout;
    assert!(text.contains("head_on_1: pass"), "{text}");
    let json = place.granule(&["measure", "oracle", "good.json", "--json"]).expect(0, &[]).json();
    assert_eq!(json["pass"], true);
    for kind in ["length", "speed", "force"] {
        assert!(json.to_string().contains(kind), "{kind} is not in {json}");
    }
}

/// Half a percent more restitution than the trajectory was computed with, and one position of a sample changed by a
/// hundredth of the radius: each is above the file's tolerance of 2e-4.
#[test]
fn files_with_other_numbers_do_not_pass() {
    let mut law: serde_json::Value = serde_json::from_str(&good()).unwrap();
    law["law"]["e"] = 0.7035.into();
    let mut sample: serde_json::Value = serde_json::from_str(&good()).unwrap();
    let last = sample["samples"].as_array().unwrap().len() - 1;
    let x = &mut sample["samples"][last]["state"][0][0];
    *x = (x.as_f64().unwrap() + 2.5e-5).into();
    for changed in [law, sample] {
        let place = place_with("changed.json", &changed.to_string());
        let outcome = place.granule(&["measure", "oracle", "changed.json"]).expect(1, &["head_on_1"]);
        assert!(outcome.stdout.contains("FAIL"), "{}", outcome.stdout);
    }
}

#[test]
fn broken_files_are_refused_by_name_before_anything_runs() {
    let text = good();
    let lacking = text.replacen("\"spheres\"", "\"balls\"", 1);
    let backwards = text.replacen("\"dt\":", "\"dt\": -1, \"was\":", 1);
    let cases = [
        ("cut.json", &text[..text.len() / 2], ""),
        ("words.json", "not an oracle", ""),
        ("lacking.json", lacking.as_str(), "spheres"),
        ("backwards.json", backwards.as_str(), "dt"),
    ];
    for (name, text, word) in cases {
        let place = place_with(name, text);
        let outcome = place.granule(&["measure", "oracle", name]).expect(2, &[name, word]);
        assert!(outcome.stdout.is_empty(), "{}", outcome.stdout);
    }
    let place = Place::new();
    place.granule(&["measure", "oracle", "absent.json"]).expect(2, &["absent.json"]);
    place.granule(&["measure", "oracle"]).expect(2, &["FILE"]);
}
