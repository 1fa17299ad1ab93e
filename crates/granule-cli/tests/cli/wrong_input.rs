//! Wrong input: exit code 2, a message that helps, nothing written.

use crate::place::{Place, block, refused};

/// Runs and checks a scene that is wrong, and demands its file and the line of `at` in the message.
#[track_caller]
fn refused_at(text: &str, at: &str, words: &[&str]) {
    let place = Place::new();
    let before = text.split_once(at).unwrap_or_else(|| panic!("`{at}` is not in: {text}")).0;
    let location = format!("scene.toml:{}: ", 1 + before.matches('\n').count());
    let words = [&[location.as_str()], words].concat();
    let scene = place.scene(text);
    refused(&place, &["run", scene], &words);
    refused(&place, &["check", scene], &words);
}

/// The block with some text in the place of other.
fn block_with(from: &str, to: &str) -> String {
    let block = block("");
    assert!(block.contains(from), "{from}");
    block.replacen(from, to, 1)
}

#[test]
fn an_unknown_scene_offers_the_nearest() {
    refused(&Place::new(), &["run", "colum"], &["no scene `colum`", "column, dam", "did you mean `column`?"]);
    refused(&Place::new(), &["check", "xyzzy"], &["no scene `xyzzy`", "column, dam"]);
    refused(&Place::new(), &["bench", "damm"], &["did you mean `dam`?"]);
}

#[test]
fn kernels_of_cpu_cores_are_not_timed() {
    let args = ["bench", "heap", "--device", "cpu", "--kernels", "--steps", "1", "--warm", "0"];
    refused(&Place::new(), &args, &["--kernels", "no kernels to time", "--device gpu"]);
}

#[test]
fn pictures_of_cpu_cores_are_not_timed() {
    let args = ["bench", "heap", "--device", "cpu", "--draw", "64x48", "--steps", "1", "--warm", "0"];
    refused(&Place::new(), &args, &["--draw", "graphics device", "--device gpu"]);
    let args = ["bench", "heap", "--device", "cpu", "--draw", "64x0", "--steps", "1", "--warm", "0"];
    refused(&Place::new(), &args, &["--draw", "64x0"]);
}

#[test]
fn a_missing_file_is_named() {
    let place = Place::new();
    let words = ["no/such.toml: ", "there is no such file", "built-in scene: column, dam"];
    refused(&place, &["run", "no/such.toml"], &words);
    place.scene(&block(""));
    refused(&place, &["run", "scenes.toml"], &["scenes.toml: ", "did you mean `scene.toml`?"]);
    refused(&place, &["check", "./scne.toml"], &["did you mean `./scene.toml`?"]);
}

#[test]
fn a_file_that_is_no_scene_is_named_with_the_reason() {
    let place = Place::new();
    let cases: &[(&str, &[u8], &[&str])] = &[
        (
            "open.toml",
            b"name = \"a\"\n[simulation\nfps = 3\n",
            &["open.toml:2:12: ", "not valid TOML", "expected `]`"],
        ),
        ("twice.toml", b"name = \"a\"\nname = \"b\"\n", &["twice.toml:2:1: ", "duplicate key"]),
        ("bare.toml", b"name = sand\n", &["bare.toml:1:8: ", "must be quoted", "name = sand"]),
        ("binary.toml", b"\x7fELF\x02\x01\x01\0\0", &["binary.toml: ", "not UTF-8 text", "name a TOML file"]),
        ("latin.toml", b"name = \"\xe4\"\n", &["latin.toml: ", "not UTF-8 text (byte 8)"]),
        ("empty.toml", b"", &["empty.toml: ", "is empty", "needs at least `name` and one `[[material]]`"]),
        ("comment.toml", b"# later\n", &["comment.toml: ", "is empty"]),
        ("nameless.toml", b"[[material]]\n", &["nameless.toml: ", "missing key `name`"]),
    ];
    for (file, bytes, words) in cases {
        std::fs::write(place.path(file), bytes).unwrap();
        for verb in ["run", "check", "bench"] {
            refused(&place, &[verb, file], words);
        }
    }
}

#[test]
fn a_folder_is_no_scene_but_may_hold_one() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    refused(&place, &["run", "folder"], &["folder: ", "this is a folder", "name a scene file"]);
    std::fs::write(place.path("folder/scene.toml"), block("")).unwrap();
    refused(&place, &["run", "folder"], &["this is a folder", "did you mean `folder/scene.toml`?"]);
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
fn unknown_words_in_a_file_are_found_at_their_line() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("[simulation]", "solver = \"iispj\"", &["`simulation.solver`", "did you mean `iisph`?"]),
        ("[simulation]", "kernel = \"wendlant\"", &["allowed: cubic, wendland", "did you mean `wendland`?"]),
        ("[[grains]]", "fill = \"jitered\"", &["`grains.0.fill`", "did you mean `jittered`?"]),
        ("[[boundary]]", "shape.pane.normal = [0, 1, 0]", &["`boundary.0.shape`", "did you mean `plane`?"]),
        ("[[material]]", "mass = 1", &["unknown key `material.0.mass`", "allowed: name, radius, density"]),
    ];
    for (section, line, words) in cases {
        let mut text = block_with(section, &format!("{section}\n{line}"));
        if *section == "[[boundary]]" {
            text = text.replace("shape.plane", "# shape.plane");
        }
        refused_at(&text, line, words);
    }
}

#[test]
fn numbers_out_of_range_are_found_at_their_line() {
    for key in ["radius", "density"] {
        for value in ["-0.02", "0", "nan", "inf", "-inf"] {
            let line = format!("{key} = {value}");
            let words = [&format!("`material.0.{key}` = "), "must be above 0 and finite"];
            match key {
                "radius" => refused_at(&block_with("radius = 0.02", &line), &line, &words),
                _ => refused_at(&block_with("radius", &format!("{line}\nradius")), &line, &words),
            }
        }
    }
    let cases: &[(&str, &str, &str)] = &[
        ("radius", "friction_angle = 90", "from 0 to below 90 degrees"),
        ("radius", "friction_angle = -1", "from 0 to below 90 degrees"),
        ("radius", "friction_angle = nan", "from 0 to below 90 degrees"),
        ("radius", "cohesion = -1", "0 or more and finite"),
        ("shape.plane", "friction = -0.1", "0 or more and finite"),
        ("shape.plane", "friction = nan", "0 or more and finite"),
        ("shape.box", "velocity = [0, inf, 0]", "finite numbers"),
        ("seconds = 0.1", "cfl = 0", "above 0, at most 1"),
    ];
    for (before, line, word) in cases {
        refused_at(&block_with(before, &format!("{line}\n{before}")), line, &[word]);
    }
    let long = block_with("seconds = 0.1", "seconds = -1");
    refused_at(&long, "seconds = -1", &["`simulation.seconds` = -1", "from 0 to 1000000"]);
}

#[test]
fn grains_that_cannot_be_are_found_at_their_shape() {
    let shape = "shape.box = { min = [0, 0, 0], max = [0.24, 0.24, 0.24] }";
    let cases: &[(&str, &[&str])] = &[
        (
            "shape.box = { min = [0, -0.02, 0], max = [0.24, 0.24, 0.24] }",
            &["`grains.0.shape`", "36 grains lie in the wall `floor`", "Move the shape away"],
        ),
        (
            "shape.box = { min = [0, 0, 0], max = [0.03, 0.24, 0.24] }",
            &["no grain of radius 0.02 m fits", "at least 0.04 m wide"],
        ),
        (
            "shape.box = { min = [0, 0, 0], max = [0, 0.24, 0.24] }",
            &["`min` must be smaller than `max` in every axis"],
        ),
        ("shape.sphere = { center = [0, 1, 0], radius = -0.1 }", &["`radius` must be greater than 0"]),
        (
            "shape.box = { min = [0, 0, 0], max = [1, 1, 1], hollow = true }",
            &["no bounds", "use a box, sphere, cylinder or cone"],
        ),
    ];
    for (other, words) in cases {
        refused_at(&block_with(shape, other), other, words);
    }
    let again = "shape.box = { min = [0.015, 0, 0], max = [0.255, 0.24, 0.24] }";
    let twice = block(&format!("[[grains]]\nmaterial = \"sand\"\n{again}"));
    let words = ["`grains.1.shape`", "432 grains overlap", "grains.0 and grains.1", "Move the shapes apart"];
    refused_at(&twice, again, &words);
}

/// Over a million million grains: a program that began to allocate them would not live to refuse them.
#[cfg(target_os = "linux")]
#[test]
fn more_grains_than_memory_holds_are_refused_with_the_number_that_fits() {
    let many = block_with("radius = 0.02", "radius = 0.00001");
    refused_at(
        &many,
        "shape.box",
        &["about 1.728e12 grains need", "GB are free here", "Take a larger radius"],
    );
    let place = Place::new();
    let message = place.granule(&["run", place.scene(&many)]).stderr;
    let fits = message.split_once("room for about ").unwrap().1.split_once(" grains").unwrap().0;
    let fits: f64 = fits.parse().unwrap();
    assert!((1e4..1e11).contains(&fits), "{message}");
}

#[test]
fn two_radii_are_refused_at_the_second() {
    let gravel = "[[material]]\nname = \"gravel\"\nradius = 0.03";
    refused_at(
        &block(gravel),
        "radius = 0.03",
        &["`material.1.radius`", "0.02 as in material.0", "one radius"],
    );
}

#[test]
fn what_an_override_makes_impossible_is_found_at_the_override() {
    let place = Place::new();
    let set = "grains.0.shape.cylinder.radius=0.001";
    refused(&place, &["run", "column", "--set", set], &[&format!("--set {set}: "), "no grain of radius"]);
    let quick = "\"grains.0.shape.box.max\" = [0.01, 0.24, 0.24]";
    let scene = place.scene(&block(&format!("[quick]\n{quick}")));
    let words = ["scene.toml:19 ([quick]): ", "`grains.0.shape`", "no grain of radius"];
    refused(&place, &["run", scene, "--quick"], &words);
    refused(&place, &["check", scene], &words);
    place.granule(&["run", scene, "--frames", "1"]).expect(0, &[]);
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
    let line = "fields = [\"velocity\", \"densty\"]";
    let words = ["`output.fields.1`", "`densty`", "did you mean `density`?"];
    refused_at(&block(&format!("[output]\n{line}")), line, &words);
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
    for text in ["name = \"a\"\n[[material]]\n", "name = \"a\"\ngrains = []\nemitter = []\n[[material]]\n"] {
        let scene = place.scene(text);
        for verb in ["run", "check", "bench"] {
            refused(&place, &[verb, scene], &["scene.toml", "no grains", "add at least one [[grains]]"]);
        }
    }
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
        ("radius = 0.1 }", "radius = 1e9 }", &["emitter.spout.shape", "from the origin", "make it smaller"]),
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
        let words = [&["scene.toml:"], *words].concat();
        refused(&place, &["run", scene], &words);
        refused(&place, &["check", scene], &words);
    }
    let empty = "shape.intersection = [{ sphere = { center = [0, 1, 0], radius = 0.1 } }, \
                 { sphere = { center = [5, 1, 0], radius = 0.1 } }]";
    let disc = "shape.cylinder = { from = [0.1, 0.5, 0.1], to = [0.1, 0.51, 0.1], radius = 0.1 }";
    let words = ["`emitter.spout.shape`", "the shape is empty", "give a shape with volume"];
    refused_at(&block(&good.replacen(disc, empty, 1)), empty, &words);
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
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_run() {
    let place = Place::new();
    let scene = place.scene(&block(""));
    std::fs::write(place.path("out"), "a file where the folder should be").unwrap();
    let remedy = "choose another with --out";
    refused(&place, &["run", scene], &["out: this is a file, not a folder", remedy]);
    refused(&place, &["run", scene, "--out", "out"], &["out: this is a file, not a folder", remedy]);
    let below = ["run", scene, "--out", "out/below/deep"];
    refused(&place, &below, &["out/below/deep: cannot create the folder", remedy]);
    refused(&place, &[&below[..], &["--force"]].concat(), &["out/below/deep: cannot create the folder"]);
    // Not even the superuser makes folders there.
    if cfg!(target_os = "linux") {
        refused(&place, &["run", scene, "--out", "/proc/granule"], &["/proc/granule: cannot create", remedy]);
    }
    let plot = ["measure", "rest", "--plot", "out/plots"];
    refused(&place, &plot, &["--plot out/plots", "cannot write into the folder", "choose another"]);
}

#[test]
fn usage_errors_are_wrong_input() {
    let place = Place::new();
    refused(&place, &["fly"], &["unrecognized subcommand", "fly"]);
    refused(&place, &["run"], &["SCENE|FILE"]);
    refused(&place, &["run", "column", "--device", "no such card"], &["--device", "no such card"]);
    refused(&place, &["run", "column", "--threads", "0"], &["--threads"]);
    refused(&place, &["run", "column", "--seconds", "1", "--frames", "3"], &["cannot be used with"]);
    refused(&place, &["measure"], &["EXPERIMENT"]);
    refused(&place, &["measure", "slop"], &["slop", "slope"]);
    refused(&place, &["measure", "slope", "--large"], &["--large", "slope", "orifice"]);
}

#[test]
fn fine_grains_that_cannot_be_are_refused() {
    let place = Place::new();
    let words = ["upsample.radius", "0.05 to 1 of material.0.radius"];
    refused(&place, &["run", "column", "--set", "upsample.radius=0.0001"], &words);
    refused(&place, &["run", "column", "--set", "upsample.radius=0.02"], &words);
    refused(&place, &["run", "column", "--set", "upsample.radius=-1"], &["upsample.radius", "above 0"]);
    let dense = ["run", "column", "--set", "upsample.radius=0.003", "--set", "upsample.fraction=0.9"];
    refused(&place, &dense, &["upsample.fraction", "0.1 to 0.74", "densest packing"]);
    let many = ["run", "column", "--set", "material.radius=0.002", "--set", "upsample.radius=0.0001"];
    refused(&place, &many, &["upsample.radius", "fine grains need", "there is room for about"]);
    let bare = "name = \"bare\"\n[[material]]\n[upsample]\nradius = 0.003\n";
    refused(&place, &["check", place.scene(bare)], &["upsample", "no grains to refine", "[[emitter]]"]);
}
