//! Tests of loading, overriding and checking scenes.

use super::*;

const GOOD: &str = r#"name = "test"

[simulation]
fps = 50

[[material]]
name = "sand"
radius = 0.01

[[material]]
name = "gravel"
radius = 0.01

[[grains]]
material = "sand"
[grains.shape.cylinder]
from = [0, 0, 0]
to = [0, 0.3, 0]
radius = 0.3

[[boundary]]
name = "floor"
shape.plane = { normal = [0, 1, 0] }

[quick]
"material.radius" = 0.02
"grains.0.shape.cylinder.radius" = 0.2
"#;

fn sets(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect()
}

fn with(key: &str, value: &str) -> Result<Scene, SceneError> {
    Scene::resolve(GOOD, "t.toml", false, &sets(&[(key, value)]))
}

/// Replaces text in the good scene and returns the message.
fn message_of(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    Scene::parse(&GOOD.replacen(from, to, 1), "t.toml").unwrap_err().to_string()
}

#[track_caller]
fn assert_has(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn unreadable_files_are_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        Scene::load(path).unwrap_err().to_string()
    };
    let missing = Scene::load(folder.path().join("no.toml")).unwrap_err().to_string();
    assert_has(&missing, &["no.toml", "there is no such file"]);
    assert_has(&Scene::load(folder.path()).unwrap_err().to_string(), &["cannot read", "this is a folder"]);
    assert_has(&at("latin.toml", b"name = \"\xe4\""), &["latin.toml", "not UTF-8 text", "byte 8"]);
    assert_has(&at("binary.toml", b"name\0"), &["not UTF-8 text", "byte 4"]);
    for text in ["", " \n\n", "# only a comment\n"] {
        assert_has(&at("empty.toml", text.as_bytes()), &["empty.toml", "is empty", "`name`"]);
    }
    std::fs::write(folder.path().join("good.toml"), format!("\u{feff}{GOOD}")).unwrap();
    assert_eq!(Scene::load(folder.path().join("good.toml")).unwrap().name, "test");
}

#[test]
fn broken_toml_names_line_and_column() {
    let message = message_of("fps = 50", "fps = = 50");
    assert_has(&message, &["t.toml:4:7: not valid TOML", "fps = = 50"]);
    assert_has(&message_of("radius = 0.01", "radius = 0.01\nradius = 0.02"), &["t.toml:9:", "duplicate key"]);
}

#[test]
fn unknown_keys_name_line_path_and_nearest() {
    let message = message_of("radius = 0.3", "radious = 0.3");
    assert_has(
        &message,
        &["t.toml:19: ", "unknown key `grains.0.shape.cylinder.radious`", "did you mean `radius`?"],
    );
    let message = message_of("fps = 50", "fsp = 50");
    assert_has(&message, &["t.toml:4: ", "`simulation.fsp`", "allowed: solver, ", "did you mean `fps`?"]);
    let message = message_of("[simulation]", "[simulaton]");
    assert_has(&message, &["t.toml:3: ", "unknown key `simulaton`", "did you mean `simulation`?"]);
}

#[test]
fn unknown_words_name_the_choices() {
    let message = message_of("fps = 50", "kernel = \"wendlant\"");
    assert_has(
        &message,
        &["t.toml:4: ", "`simulation.kernel`", "unknown word `wendlant`", "allowed: cubic, wendland"],
    );
    assert_has(&message, &["did you mean `wendland`?"]);
    let message = message_of("shape.cylinder", "shape.cylindre");
    assert_has(&message, &["`grains.0.shape`", "`cylindre`", "did you mean `cylinder`?"]);
}

#[test]
fn wrong_types_say_found_and_expected() {
    let message = message_of("fps = 50", "fps = \"fast\"");
    assert_has(&message, &["t.toml:4: ", "`simulation.fps`", "the text \"fast\"", "expected a number"]);
    assert_has(
        &message_of("fps = 50", "seed = -1"),
        &["`simulation.seed`", "found -1", "a whole number, 0 or more"],
    );
    let message = message_of("[0, 0.3, 0]", "[0, 0.3]");
    assert_has(&message, &["t.toml:18: ", "`grains.0.shape.cylinder.to", "length 3"]);
    assert_has(&message_of("fps = 50", "kernel = 3"), &["`simulation.kernel`", "expected a word in quotes"]);
    assert_has(&message_of("fps = 50", "gravity = { x = 1 }"), &["found a table", "a list of length 3"]);
    let message = message_of("normal = [0, 1, 0] }", "normal = [0, 1, 0] }\nshape.sphere = { radius = 1 }");
    assert_has(&message, &["`boundary.0.shape`", "several keys", "exactly one key"]);
}

#[test]
fn missing_keys_name_their_section() {
    assert_has(&message_of("name = \"test\"", ""), &["t.toml", "missing key `name`"]);
    let message = message_of("to = [0, 0.3, 0]\n", "");
    assert_has(&message, &["t.toml:16: ", "`grains.0.shape.cylinder`", "missing key `to`"]);
}

#[test]
fn ranges_are_checked_with_their_line() {
    let message = message_of("radius = 0.01", "radius = -0.01");
    assert_has(&message, &["t.toml:8: ", "`material.0.radius` = -0.01", "must be above 0"]);
    assert_has(
        &message_of("material = \"sand\"", "material = \"snad\""),
        &["t.toml:15: ", "no such material", "sand, gravel", "did you mean `sand`?"],
    );
    assert_has(&message_of("name = \"gravel\"", "name = \"sand\""), &["t.toml:11: ", "stands twice"]);
}

#[test]
fn every_range_refuses_what_is_outside() {
    let cases = [
        ("name", "''", "non-empty"),
        ("name", "'a/b'", "folder"),
        ("material.sand.name", "''", "empty"),
        ("material.sand.name", "'a.b'", "dot"),
        ("boundary.0.name", "'7'", "number"),
        ("material.radius", "0", "above 0"),
        ("material.radius", "nan", "above 0"),
        ("material.radius", "1e40", "finite"),
        ("material.1.radius", "0.02", "one radius per scene"),
        ("material.density", "0", "above 0"),
        ("material.friction_angle", "90", "below 90"),
        ("material.friction_angle", "-1", "below 90"),
        ("material.cohesion", "-1", "0 or more"),
        ("material.viscosity", "inf", "finite"),
        ("material.albedo", "[0, 0, 1.1]", "from 0 to 1"),
        ("simulation.support", "1", "1.2 to 4"),
        ("simulation.gravity", "[0, nan, 0]", "finite"),
        ("simulation.fps", "0", "10000"),
        ("simulation.fps", "10001", "10000"),
        ("simulation.seconds", "-1", "0 to 1000000"),
        ("simulation.seconds", "inf", "0 to 1000000"),
        ("simulation.cfl", "1.1", "at most 1"),
        ("simulation.time_step", "0", "above 0"),
        ("simulation.max_time_step", "-0.1", "above 0"),
        ("simulation.periodic.x", "[1, 0]", "from < to"),
        ("simulation.periodic.x", "[0, 0.05]", "two kernel supports"),
        ("iisph.min_iterations", "0", "at least 1"),
        ("iisph.min_iterations", "31", "at least 31 (min_iterations)"),
        ("iisph.max_iterations", "0", "at least 1"),
        ("iisph.density_error", "0", "above 0"),
        ("iisph.friction_error", "nan", "above 0"),
        ("grains.velocity", "[inf, 0, 0]", "finite"),
        ("grains.shape.cylinder.radius", "nan", "finite"),
        ("boundary.shape.plane.point", "[0, inf, 0]", "finite"),
        (
            "boundary.shape",
            "{ union = [{ sphere = { center = [0, 0, 0], radius = inf } }] }",
            "union.0.sphere.radius",
        ),
        ("boundary.friction", "-0.1", "0 or more"),
        ("boundary.motion", "{ keyframe = [] }", "at least one"),
        ("boundary.motion", "{ keyframe = [{ time = 1 }, { time = 1 }] }", "later than"),
        ("boundary.motion", "{ keyframe = [{ time = 1, axis = [0, 0, 0] }] }", "direction"),
        ("boundary.motion", "{ keyframe = [{ time = 1, translation = [nan, 0, 0] }] }", "finite"),
        ("camera", "{ position = [0, 0, inf], target = [0, 0, 0] }", "finite"),
        ("camera", "{ position = [0, 1, 0], target = [0, 1, 0] }", "another point"),
        ("camera", "{ position = [0, 1, 0], target = [0, 0, 0], fov = 180 }", "from 1 to 160"),
        ("camera", "{ position = [0, 1, 0] }", "`target`, or `keys`"),
        ("camera", "{ keys = [{ time = 0, eye = [0, 1, 0], target = [0, 0, 0] }] }", "at least two"),
        ("air.density", "-1", "0 or more"),
        ("air.viscosity", "0", "above 0"),
        ("air.drag", "{ constant = -1 }", "0 or more"),
        ("air.grain_diameter", "0", "above 0"),
        ("air.wind", "[{ uniform = { velocity = [0, 0, nan] } }]", "finite"),
        (
            "air.wind",
            "[{ gust = { center = [0,0,0], radius = 1, velocity = [1,0,0], time = [2, 1] } }]",
            "from < to",
        ),
        (
            "air.wind",
            "[{ vortex = { center = [0,0,0], axis = [0,0,0], core_radius = 1, speed = 1 } }]",
            "direction",
        ),
        (
            "air.wind",
            "[{ grid = { origin = [0,0,0], spacing = [1,1,1], size = [2,1,1], velocity = [[0,0,0]] } }]",
            "2 velocities",
        ),
        (
            "air.wind",
            "[{ grid = { origin = [0,0,0], spacing = [1,1,1], size = [4294967295,4294967295,4294967295], velocity = [] } }]",
            "velocities",
        ),
        ("output.fields", "['']", "a word"),
        ("output.fields", "['a b']", "a word"),
        ("output.fields", "['density', 'density']", "twice"),
        ("output.fields", "['position']", "always written"),
        ("expect", "[{ quantity = 'height', range = [2, 1] }]", "least <= most"),
        ("expect", "[{ quantity = 'height', range = [0, inf] }]", "finite"),
        ("material", "[]", "no material"),
    ];
    for (key, value, part) in cases {
        let message = with(key, value).expect_err(&format!("{key}={value}")).to_string();
        assert_has(&message, &[part]);
        let scene_error = message.starts_with("set ") || message.starts_with("t.toml");
        assert!(scene_error, "no location: {message}");
    }
}

#[test]
fn a_moving_camera_is_checked_key_by_key() {
    let keys = |time: &str, second: &str, beside: &str| {
        let first = "{ time = 1, eye = [0, 1, 0], target = [0, 0, 0] }";
        with(
            "camera",
            &format!("{{ {beside}keys = [{first}, {{ time = {time}, target = [0, 0, 0], {second} }}] }}"),
        )
    };
    for (time, second, beside, part) in [
        ("1", "eye = [0, 1, 0]", "", "later than 1"),
        ("2", "eye = [0, 1, 0], fov = 0", "", "from 1 to 160"),
        ("2", "eye = [0, 0, 0]", "", "another point than `eye`"),
        ("2", "eye = [0, inf, 0]", "", "finite"),
        ("nan", "eye = [0, 1, 0]", "", "finite"),
        ("2", "eye = [0, 1, 0]", "position = [0, 0, 0], ", "one or the other"),
    ] {
        assert_has(&keys(time, second, beside).unwrap_err().to_string(), &["camera", part]);
    }
    let scene = keys("2", "eye = [0, 1, 0], fov = 20", "").unwrap();
    let again = Scene::parse(&scene.to_toml().unwrap(), "again").unwrap();
    assert_eq!(again.camera.unwrap().keys[1].fov, Some(20.0));
}

#[test]
fn edges_of_ranges_are_allowed() {
    for (key, value) in [
        ("material.friction_angle", "0"),
        ("material.friction_angle", "89.9"),
        ("simulation.support", "4"),
        ("simulation.seconds", "0"),
        ("simulation.cfl", "1"),
        ("simulation.periodic.x", "[0, 0.081]"),
        ("iisph.min_iterations", "30"),
        ("expect", "[{ quantity = 'height', range = [1, 1] }]"),
        ("output.fields", "[]"),
        ("grains", "[]"),
    ] {
        with(key, value).unwrap_or_else(|error| panic!("{key}={value}: {error}"));
    }
    let empty = with("grains", "[]").unwrap();
    assert_has(&empty.require_grains().unwrap_err().to_string(), &["no grains", "[[grains]]"]);
    assert!(with("simulation.fps", "25").unwrap().require_grains().is_ok());
}

#[test]
fn sets_address_by_name_index_and_all() {
    let one = with("material.gravel.friction_angle", "35").unwrap();
    assert_eq!(one.material.iter().map(|m| m.friction_angle).collect::<Vec<_>>(), [30.0, 35.0]);
    let one = with("material.0.friction_angle", "35").unwrap();
    assert_eq!(one.material.iter().map(|m| m.friction_angle).collect::<Vec<_>>(), [35.0, 30.0]);
    let all = with("material.friction_angle", "35").unwrap();
    assert!(all.material.iter().all(|m| m.friction_angle == 35.0));
    assert_eq!(with("boundary.0.friction", "0.5").unwrap().boundary[0].friction, Some(0.5));
    assert_eq!(with("boundary.floor.friction", "0.5").unwrap().boundary[0].friction, Some(0.5));
    assert_eq!(with("air.density", "1.3").unwrap().air.unwrap().density, 1.3);
    assert!(with("boundary.0.shape.plane.normal.1", "2").is_ok());
    assert_eq!(
        with("simulation.kernel", "wendland").unwrap().simulation.kernel,
        crate::sph::KernelKind::Wendland
    );
    let later = sets(&[("simulation.fps", "10"), ("simulation.fps", "20")]);
    assert_eq!(Scene::resolve(GOOD, "t", false, &later).unwrap().simulation.fps, 20.0);
}

#[test]
fn wrong_sets_are_errors_that_name_the_set() {
    let message = |key: &str, value: &str| with(key, value).unwrap_err().to_string();
    assert_has(
        &message("material.frictionangle", "3"),
        &[
            "set material.frictionangle=3: ",
            "unknown key `material.0.frictionangle`",
            "did you mean `friction_angle`?",
        ],
    );
    assert_has(&message("material.snad.radius", "3"), &["set ", "`material.0.snad`", "did you mean `sand`?"]);
    assert_has(
        &message("materials.radius", "3"),
        &["set ", "unknown key `materials`", "did you mean `material`?"],
    );
    assert_has(&message("air.densty", "3"), &["set ", "`air.densty`", "did you mean `density`?"]);
    assert_has(&message("material.2.radius", "3"), &["set ", "no entry 2", "has 2"]);
    for list in ["body", "joint", "emitter", "outlet", "counter", "expect"] {
        assert_has(&message(&format!("{list}.name"), "x"), &["set ", &format!("no [[{list}]]")]);
    }
    assert_has(&message("material.radius.x", "3"), &["set ", "`material.0.radius` is the number 0.01"]);
    assert_has(&message("simulation.fps", "fast"), &["set ", "the text \"fast\"", "expected a number"]);
    assert_has(&message("boundary.shape.box.min", "[0, 0, 0]"), &["set ", "several keys"]);
    for path in ["", ".", "a..b", "material."] {
        assert_has(&message(path, "1"), &["set ", "not a path"]);
    }
    assert_has(&message(&"a.".repeat(5000), "1"), &["not a path"]);
    assert_has(&message(&vec!["a"; 5000].join("."), "1"), &["too many keys"]);
    assert_has(&message("simulation.fps", "1\nseconds = 3"), &["expected a number"]);
}

#[test]
fn quick_comes_before_sets() {
    let quick = Scene::resolve(GOOD, "t", true, &[]).unwrap();
    assert!(quick.material.iter().all(|m| m.radius == 0.02));
    let crate::boundary::Shape::Cylinder { radius, .. } = quick.grains[0].shape else { panic!() };
    assert_eq!(radius, 0.2);
    assert!(quick.quick.is_empty(), "applied, so gone");
    let both = Scene::resolve(GOOD, "t", true, &sets(&[("material.radius", "0.03")])).unwrap();
    assert_eq!(both.material[1].radius, 0.03);
    let full = Scene::parse(GOOD, "t").unwrap();
    assert_eq!((full.material[0].radius, full.quick.len()), (0.01, 2));
    let nested = GOOD.replace("\"material.radius\" = 0.02", "material.radius = 0.02");
    assert_eq!(Scene::resolve(&nested, "t", true, &[]).unwrap().material[0].radius, 0.02);
}

#[test]
fn a_wrong_quick_form_is_found_without_asking_for_it() {
    let message = message_of("\"material.radius\" = 0.02", "\"material.radios\" = 0.02");
    assert_has(
        &message,
        &["t.toml:26 ([quick]): ", "unknown key `material.0.radios`", "did you mean `radius`?"],
    );
    assert_has(&message_of("\" = 0.02", "\" = -1"), &["t.toml:26 ([quick]): ", "above 0"]);
    let mut scene = Scene::parse(GOOD, "t").unwrap();
    scene.validate().unwrap();
    scene.quick.insert("material.radius".into(), toml::Value::Integer(-1));
    assert_has(&scene.validate().unwrap_err().to_string(), &["quick.", "above 0"]);
}

#[test]
fn a_resolved_scene_loads_again_and_is_equal() {
    for (name, quick) in [("column", false), ("column", true), ("dam", false), ("dam", true)] {
        let scene =
            Scene::open(name, quick, &sets(&[("air.wind", "[{ uniform = { velocity = [1, 0, 0.1] } }]")]));
        let scene = scene.unwrap();
        let text = scene.to_toml().unwrap();
        assert_eq!(Scene::parse(&text, "again").unwrap(), scene, "{text}");
        assert!(!text.contains("0.0099999"), "numbers stay as written: {text}");
    }
    let stale = with("grains", "[]").unwrap();
    assert_eq!(Scene::parse(&stale.to_toml().unwrap(), "again").unwrap(), stale);
}

#[test]
fn built_in_scenes_are_whole_in_both_forms() {
    let names: Vec<&str> = builtin_scenes().iter().map(|scene| scene.name).collect();
    let sand = ["column", "dam", "heap", "hourglass", "silo", "dunes", "windy", "castle"];
    let bodies = ["drum", "bunker", "boxes", "dumptruck"];
    let water = ["tank", "pipe", "droplet"];
    let grains = ["funnel", "mesh-drop", "marbles", "angle", "avalanche", "bowling", "mixer", "packing"];
    let position_based = ["sandcastle", "excavator", "sandglass", "squirrel"];
    assert_eq!(names, [&sand[..], &bodies[..], &water[..], &grains[..], &position_based[..]].concat());
    for scene in builtin_scenes() {
        for quick in [false, true] {
            let resolved = Scene::open(scene.name, quick, &[]).unwrap();
            assert_eq!(resolved.name, scene.name);
            assert!(!resolved.description.is_empty() && !resolved.expect.is_empty());
            assert!(resolved.expect.iter().all(|expect| !expect.source.is_empty()));
            resolved.validate().unwrap();
            resolved.require_grains().unwrap();
        }
        let (full, quick) =
            (Scene::open(scene.name, false, &[]).unwrap(), Scene::open(scene.name, true, &[]).unwrap());
        // Coarser, or less of it.
        let coarser = quick.material[0].radius > full.material[0].radius;
        assert!(coarser || quick.grains != full.grains || quick.emitter != full.emitter);
        assert!(quick.simulation.seconds <= full.simulation.seconds);
    }
}

#[test]
fn scenes_open_by_name_or_path() {
    let message = Scene::open("colum", false, &[]).unwrap_err().to_string();
    assert_has(&message, &["no scene `colum`", "column, dam", "did you mean `column`?"]);
    assert_has(
        &Scene::open("no/such.toml", false, &[]).unwrap_err().to_string(),
        &["no/such.toml", "no such file"],
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, GOOD).unwrap();
    let scene = Scene::open(path.to_str().unwrap(), false, &sets(&[("name", "other")])).unwrap();
    assert_eq!(scene.name, "other");
    assert!(find("dam").is_some() && find("Dam").is_none());
}

#[test]
fn what_is_found_after_opening_is_placed_by_index_or_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.toml");
    std::fs::write(&path, GOOD).unwrap();
    let file = path.to_str().unwrap();
    let explained = |key: &str, quick: bool, pairs: &[(&str, &str)]| {
        let problem = Problem::new(ProblemKind::Geometry, key, "is impossible", "");
        Scene::explain(SceneError::from(Box::new(problem)), file, quick, &sets(pairs)).to_string()
    };
    assert_has(&explained("grains.0.shape", false, &[]), &["t.toml:16: ", "is impossible"]);
    assert_has(&explained("boundary.floor.shape", false, &[]), &["t.toml:23: `boundary.floor.shape`"]);
    assert_has(&explained("material.gravel.radius", false, &[]), &["t.toml:12: "]);
    assert_has(&explained("emitter.spout.shape", false, &[]), &["t.toml: `emitter.spout.shape`"]);
    assert_has(&explained("grains.0.shape", true, &[]), &["t.toml:27 ([quick]): "]);
    let radius = ("grains.0.shape.cylinder.radius", "0.1");
    assert_has(&explained("grains.0.shape", true, &[radius]), &["set grains.0.shape.cylinder.radius=0.1: "]);
    let normal = ("boundary.floor.shape.plane.normal", "[0, 2, 0]");
    assert_has(&explained("boundary.floor.shape", false, &[normal]), &["set boundary.floor.shape"]);
    let gone = SceneError::Empty { path: "other.toml".into() };
    assert_eq!(Scene::explain(gone, file, false, &[]).to_string().split(':').next(), Some("other.toml"));
}
