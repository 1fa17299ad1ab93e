//! Every scene of sand runs with distinct elements, and with position-based ones, by that word alone, and meets what it expects of
//! grains.

use crate::place::Place;

/// Runs a form of a scene with grains and demands that all its expectations were due and hold, that no grain is missing, and that
/// there are enough of them to be called sand. On one thread: tests run side by side, and the result is that of any number.
#[track_caller]
fn passes(scene: &str, solver: &str, form: &[&str]) {
    let place = Place::new();
    let args =
        [&["run", scene, "--solver", solver, "--device", "cpu", "--threads", "1", "--json"], form].concat();
    let json = place.granule(&args).expect(0, &[]).json();
    let expectations = json["expectations"].as_array().unwrap();
    assert!(!expectations.is_empty(), "{scene} expects nothing of grains");
    assert!(expectations.iter().all(|expectation| expectation["pass"] == true), "{expectations:?}");
    assert_eq!(json["unaccounted"], 0);
    assert_eq!(json["solver"], solver);
    let grains = json["initial_particles"].as_u64().unwrap() + json["emitted"].as_u64().unwrap();
    assert!(grains >= 2000, "{scene} has {grains} grains");
}

macro_rules! scenes {
    ($solver:ident, $form:expr; $($test:ident = $scene:literal;)+) => {
        mod $solver {
            $(#[test] fn $test() { super::passes($scene, stringify!($solver), &$form); })+
        }
    };
}

scenes! { dem, ["--quick"];
    column = "column";
    heap = "heap";
    hourglass = "hourglass";
    silo = "silo";
    dunes = "dunes";
    windy = "windy";
    castle = "castle";
    drum = "drum";
    bunker = "bunker";
    boxes = "boxes";
    dumptruck = "dumptruck";
    mesh_drop = "mesh-drop";
}

scenes! { pbd, ["--quick"];
    heap = "heap";
    hourglass = "hourglass";
    silo = "silo";
    dunes = "dunes";
    windy = "windy";
    drum = "drum";
    bunker = "bunker";
    boxes = "boxes";
    dumptruck = "dumptruck";
    mesh_drop = "mesh-drop";
}

/// Quick forms of these end before the last grains have stopped rolling.
mod pbd_in_full {
    #[test]
    fn column() {
        super::passes("column", "pbd", &[]);
    }

    #[test]
    fn castle() {
        super::passes("castle", "pbd", &[]);
    }
}

#[test]
fn fluids_are_refused_by_the_key_that_makes_them_fluids() {
    let place = Place::new();
    place.granule(&["run", "dam", "--solver", "dem"]).expect(2, &["viscosity", "fluids"]);
    place.granule(&["run", "droplet", "--solver", "dem"]).expect(2, &["surface_tension"]);
}
