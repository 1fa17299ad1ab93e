//! Wrong input: exit code 2, a message that helps, nothing written.

use crate::place::{Place, block};

/// Runs with wrong input and demands that nothing was left behind.
#[track_caller]
fn refused(place: &Place, args: &[&str], words: &[&str]) {
    let outcome = place.granule(args).expect(2, words);
    assert_eq!(outcome.stdout, "");
    assert_eq!(place.names("out"), [""; 0]);
}

#[test]
fn an_unknown_scene_offers_the_nearest() {
    refused(&Place::new(), &["run", "colum"], &["no scene `colum`", "column, dam", "did you mean `column`?"]);
    refused(&Place::new(), &["check", "xyzzy"], &["no scene `xyzzy`", "column, dam"]);
    refused(&Place::new(), &["bench", "damm"], &["did you mean `dam`?"]);
}

#[test]
fn a_missing_file_is_named() {
    refused(&Place::new(), &["run", "no/such.toml"], &["no/such.toml", "there is no such file"]);
}

#[test]
fn a_bad_override_is_explained() {
    let place = Place::new();
    refused(&place, &["run", "column", "--set", "radius"], &["--set", "write key=value"]);
    refused(
        &place,
        &["run", "column", "--set", "material.sand.radus=1"],
        &["--set material.sand.radus=1", "did you mean `radius`?"],
    );
    refused(&place, &["run", "column", "--set", "simulation.fps=often"], &["--set", "often", "a number"]);
    refused(&place, &["bench", "column", "--set", "iisph.sweeps=5"], &["--set iisph.sweeps=5"]);
}

#[test]
fn a_flag_that_stands_for_a_key_is_named_itself() {
    refused(&Place::new(), &["run", "column", "--fps=-5"], &["--fps -5", "above 0"]);
    refused(&Place::new(), &["run", "column", "--seconds", "nan"], &["--seconds", "from 0 to 1000000"]);
}

#[test]
fn an_unknown_key_in_a_file_is_found_at_its_line() {
    let place = Place::new();
    let scene = place.scene("name = \"a\"\n[[material]]\nfriction_angel = 3\n");
    let words = ["scene.toml:3", "friction_angel", "did you mean `friction_angle`?"];
    refused(&place, &["run", scene], &words);
    refused(&place, &["check", scene], &words);
}

#[test]
fn a_wrong_type_says_what_is_expected() {
    let place = Place::new();
    let scene = place.scene("name = \"a\"\n[[material]]\nradius = \"small\"\n");
    refused(
        &place,
        &["run", scene],
        &["scene.toml:3", "material.0.radius", "\"small\"", "expected a number"],
    );
}

#[test]
fn a_friction_angle_of_90_degrees_is_out_of_range() {
    let set = "material.sand.friction_angle=90";
    refused(&Place::new(), &["run", "column", "--set", set], &["friction_angle", "90", "below 90 degrees"]);
}

#[test]
fn a_field_that_the_solver_lacks_is_found_before_the_run() {
    let place = Place::new();
    let scene = place.scene(&block("[output]\nfields = [\"temperature\"]"));
    refused(&place, &["run", scene], &["output.fields", "temperature", "velocity"]);
    refused(&place, &["check", scene], &["temperature"]);
}

#[test]
fn unknown_formats_offer_the_nearest() {
    let place = Place::new();
    refused(
        &place,
        &["run", "column", "--export", "ply,vtkk"],
        &["--export ply,vtkk", "did you mean `vtk`?"],
    );
    refused(&place, &["run", "column", "--export", "png"], &["`png`", "ply, vtk, npy, csv"]);
    refused(&place, &["run", "column", "--export", "ply,ply"], &["stands twice"]);
    refused(&place, &["run", "column", "--export", "csv"], &["csv needs the ids", "--track"]);
    refused(&place, &["run", "column", "--track", "1,1"], &["--track 1,1", "does not stand before"]);
    refused(&place, &["run", "column", "--track=-1"], &["--track"]);
    refused(&place, &["run", "column", "--up", "x"], &["--up", "y, z"]);
    let scene = place.scene(&block("[output]\nformats = [\"vtu\"]"));
    refused(&place, &["run", scene], &["scene.toml:", "`output.formats.0`", "did you mean `vtk`?"]);
}

#[test]
fn a_scene_without_grains_cannot_run() {
    let place = Place::new();
    let scene = place.scene("name = \"a\"\n[[material]]\n");
    refused(&place, &["run", scene], &["no grains", "[[grains]]"]);
}

#[test]
fn a_wrong_emitter_outlet_or_counter_is_explained() {
    let good = "[[emitter]]\nname = \"spout\"\nmaterial = \"sand\"\nrate = 100\nvelocity = [0, -1, 0]\n\
                shape.cylinder = { from = [0.1, 0.5, 0.1], to = [0.1, 0.51, 0.1], radius = 0.1 }\n\
                [[outlet]]\nname = \"hole\"\nshape.plane = { point = [0, -1, 0], normal = [0, 1, 0] }\ntime = [0, 1]\n\
                [[counter]]\nname = \"low\"\nshape.plane = { point = [0, 0.1, 0], normal = [0, 1, 0] }\n\
                [[expect]]\nquantity = \"counted\"\nof = \"low\"\nrange = [0, 9999]\n";
    let place = Place::new();
    let scene = place.scene(&block(good));
    place.granule(&["check", scene]).expect(0, &[]);
    let cases: &[(&str, &str, &[&str])] = &[
        ("rate = 100", "rate = 0", &["scene.toml:", "emitter.0.rate", "above 0"]),
        ("rate = 100", "rate = -3.5", &["emitter.0.rate", "-3.5", "above 0"]),
        ("rate = 100", "rate = nan", &["emitter.0.rate", "above 0 and finite"]),
        ("rate = 100", "rate = inf", &["emitter.0.rate", "above 0 and finite"]),
        ("rate = 100", "rate = 100\nlimit = 0", &["emitter.0.limit", "at least 1"]),
        ("rate = 100", "rate = 100\ntime = [2, 1]", &["emitter.0.time", "[2, 1]", "from < to"]),
        ("rate = 100", "rat = 100", &["emitter.0.rat", "did you mean `rate`?"]),
        (
            "material = \"sand\"\nrate",
            "material = \"snad\"\nrate",
            &["emitter.0.material", "did you mean `sand`?"],
        ),
        ("radius = 0.1 }", "radius = 0 }", &["emitter.spout.shape", "radius", "greater than 0"]),
        ("to = [0.1, 0.51, 0.1]", "to = [0.1, 0.5, 0.1]", &["emitter.spout.shape", "must differ"]),
        (
            "from = [0.1, 0.5, 0.1], to = [0.1, 0.51",
            "from = [0.1, -0.5, 0.1], to = [0.1, -0.4",
            &["emitter.spout.shape", "lies in boundary `floor`", "move the emitter"],
        ),
        (
            "radius = 0.1 }",
            "radius = 0.1, hollow = true }",
            &["emitter.spout.shape", "no bounds", "use a box"],
        ),
        ("time = [0, 1]", "time = [1, 1]", &["outlet.0.time", "from < to"]),
        ("name = \"low\"", "name = \"hole\"", &["counter.0.name", "must differ"]),
        ("of = \"low\"", "of = \"lou\"", &["expect.0.of", "no such counter", "did you mean `low`?"]),
        ("of = \"low\"\n", "", &["expect.0.of", "name the counter", "low"]),
        ("\"counted\"", "\"height\"", &["expect.0.of", "leave `of` out"]),
        ("\"counted\"", "\"conted\"", &["expect.0.quantity", "did you mean `counted`?"]),
    ];
    for (from, to, words) in cases {
        assert!(good.contains(from), "{from}");
        let scene = place.scene(&block(&good.replacen(from, to, 1)));
        refused(&place, &["run", scene], words);
        place.granule(&["check", scene]).expect(2, words);
    }
    let empty = "shape.intersection = [{ sphere = { center = [0, 1, 0], radius = 0.1 } }, \
                 { sphere = { center = [5, 1, 0], radius = 0.1 } }]";
    let disc = "shape.cylinder = { from = [0.1, 0.5, 0.1], to = [0.1, 0.51, 0.1], radius = 0.1 }";
    let scene = place.scene(&block(&good.replacen(disc, empty, 1)));
    refused(&place, &["run", scene], &["emitter.spout.shape", "empty", "give a shape with volume"]);
}

#[test]
fn a_used_folder_needs_force_and_is_left_alone() {
    let place = Place::new();
    let scene = place.scene(&block(""));
    std::fs::create_dir(place.path("mine")).unwrap();
    std::fs::write(place.path("mine/notes.txt"), "keep").unwrap();
    let args = ["run", scene, "--frames", "1", "--out", "mine"];
    refused(&place, &args, &["mine", "not empty", "--force"]);
    assert_eq!(place.names("mine"), ["notes.txt"]);

    place.granule(&[&args[..], &["--force"]].concat()).expect(0, &[]);
    assert_eq!(std::fs::read_to_string(place.path("mine/notes.txt")).unwrap(), "keep");
    assert_eq!(place.names("mine/frames").len(), 2);

    std::fs::write(place.path("file"), "").unwrap();
    refused(&place, &["run", scene, "--out", "file"], &["file", "not a folder"]);
}

#[test]
fn usage_errors_are_wrong_input() {
    let place = Place::new();
    refused(&place, &["fly"], &["unrecognized subcommand", "fly"]);
    refused(&place, &["run"], &["SCENE|FILE"]);
    refused(&place, &["run", "column", "--device", "gpu"], &["auto", "cpu"]);
    refused(&place, &["run", "column", "--threads", "0"], &["--threads"]);
    refused(&place, &["run", "column", "--seconds", "1", "--frames", "3"], &["cannot be used with"]);
    refused(&place, &["measure"], &["EXPERIMENT"]);
    refused(&place, &["measure", "slop"], &["slop", "slope"]);
}
