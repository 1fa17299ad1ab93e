//! Pictures and videos of runs.

use std::fs;
use std::path::Path;

use crate::place::{Place, block};

const SIZE: [&str; 2] = ["--size", "96x64"];

/// A place with a finished run in `run`.
fn with_run() -> Place {
    let place = Place::new();
    let scene = place.scene(&block(""));
    place.granule(&["run", scene, "--out", "run"]).expect(0, &[]);
    place
}

/// Draws a run without any driver, so that the tests hold on every machine.
fn render(place: &Place, args: &[&str]) -> crate::place::Outcome {
    let all: Vec<&str> =
        ["render", "run", "--device", "cpu"].into_iter().chain(SIZE).chain(args.iter().copied()).collect();
    place.granule(&all)
}

/// Width and height in the header of a PNG file.
fn png_size(path: &Path) -> [u32; 2] {
    let bytes = fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    [16, 20].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
}

#[test]
fn a_run_is_drawn_at_any_time_and_by_any_field_it_has() {
    let place = with_run();
    let outcome = render(&place, &["-o", "a.png"]).expect(0, &[]);
    assert_eq!(outcome.stdout, "a.png\n");
    assert_eq!(png_size(&place.path("a.png")), [96, 64]);
    for (name, field) in
        [("b.png", "speed"), ("c.png", "density"), ("d.png", "velocity"), ("e.png", "height")]
    {
        render(&place, &["-o", name, "--color-by", field, "--time", "0.04"]).expect(0, &[]);
        assert_ne!(fs::read(place.path("a.png")).unwrap(), fs::read(place.path(name)).unwrap(), "{field}");
    }
    render(&place, &["-o", "f.png", "--camera", "1,1,1:0,0,0", "--color-by", "pressure", "--range=-1,5"])
        .expect(0, &[]);
    render(&place, &["-o", "a.png", "--camera", "top"]).expect(0, &[]);
}

#[test]
fn a_field_that_the_frames_lack_is_refused_with_those_they_have() {
    let place = with_run();
    render(&place, &["-o", "a.png", "--color-by", "temperature"])
        .expect(2, &["temperature", "material, speed, height, velocity, velocity.magnitude, id", "pressure"]);
    assert!(!place.path("a.png").exists());
}

#[test]
fn wrong_outputs_sizes_times_and_ranges_are_refused() {
    let place = with_run();
    fs::create_dir(place.path("folder")).unwrap();
    render(&place, &["-o", "folder"]).expect(2, &["this is a folder"]);
    render(&place, &["-o", "no/such/a.png"]).expect(2, &["no such folder"]);
    render(&place, &["-o", "a.jpg"]).expect(2, &[".png", ".mp4"]);
    render(&place, &["-o", "a.png", "--time", "7"]).expect(2, &["from 0 to 0.1 s"]);
    render(&place, &["-o", "a.png", "--color-by", "speed", "--range", "2,1"]).expect(2, &["below the upper"]);
    render(&place, &["-o", "a.png", "--range", "1,2"]).expect(2, &["--color-by"]);
    render(&place, &["-o", "a.png", "--colormap", "jet"]).expect(2, &["viridis"]);
    render(&place, &["-o", "a.png", "--camera", "side"]).expect(2, &["front, top, iso"]);
    for size in ["0x0", "100000x100000", "12"] {
        place.granule(&["render", "run", "-o", "a.png", "--size", size]).expect(2, &["--size"]);
    }
    place
        .granule(&["render", "run", "-o", "a.png", "--device", "no such card"])
        .expect(2, &["--device no such card"]);
    assert!(!place.path("a.png").exists());
}

#[test]
fn the_distances_from_walls_are_shown_as_slice_and_surface() {
    let place = with_run();
    render(&place, &["-o", "plain.png"]).expect(0, &[]);
    let views: [(&str, &[&str]); 5] = [
        ("slice.png", &["--slice", "z=0"]),
        ("cut.png", &["--slice", "z=0", "--cut", "z=0"]),
        ("lines.png", &["--slice", "z=0", "--field-step", "0.003"]),
        ("iso.png", &["--iso", "0.001"]),
        ("open.png", &["--iso", "0.001", "--cut", "x=0.01"]),
    ];
    let mut seen = vec![fs::read(place.path("plain.png")).unwrap()];
    for (name, args) in views {
        render(&place, &[&["-o", name, "--field", "boundary"], args].concat()).expect(0, &[]);
        let bytes = fs::read(place.path(name)).unwrap();
        assert!(!seen.contains(&bytes), "{name} differs from all before");
        seen.push(bytes);
    }
}

#[test]
fn wrong_views_of_fields_are_refused() {
    let place = with_run();
    let refused = |args: &[&str], parts: &[&str]| {
        render(&place, &[&["-o", "a.png"], args].concat()).expect(2, parts);
    };
    refused(&["--field", "boundary"], &["--slice", "--iso"]);
    refused(&["--field", "density", "--iso", "0"], &["boundary:NAME"]);
    refused(&["--field", "boundary:moon", "--iso", "0"], &["boundary:moon", "it has floor"]);
    refused(&["--slice", "z=0"], &["--field"]);
    refused(&["--field", "boundary", "--slice", "w=0"], &["z=0"]);
    refused(&["--field", "boundary", "--slice", "z=0", "--field-step", "0"], &["above 0"]);
    refused(&["--field", "boundary", "--iso", "inf"], &["finite"]);
    refused(&["--cut", "z"], &["z=0"]);
    assert!(!place.path("a.png").exists());
}

#[test]
fn a_moving_camera_is_where_its_keys_say_at_a_frames_time() {
    let place = Place::new();
    let camera = |words: &str| block(&format!("[camera]\n{words}"));
    let at = |x: f32| format!("[{x}, 0.3, 0.5]");
    let key = |time: f64, x: f32| format!("{{ time = {time}, eye = {}, target = [0, 0, 0] }}", at(x));
    let keys = format!("keys = [{}, {}, {}]", key(0.0, 0.0), key(0.04, 0.4), key(0.1, 0.4));
    let draw = |words: &str, out: &str, time: &str| {
        let scene = place.scene(&camera(words)).to_string();
        place.granule(&["run", &scene, "--out", out]).expect(0, &[]);
        let picture = format!("{out}.png");
        let args = ["render", out, "--device", "cpu", "-o", &picture, "--time", time];
        place.granule(&[&args[..], &SIZE[..]].concat()).expect(0, &[]);
        fs::read(place.path(&picture)).unwrap()
    };
    let still = |x: f32| format!("position = {}\ntarget = [0, 0, 0]", at(x));
    assert_eq!(draw(&keys, "first", "0"), draw(&still(0.0), "still-first", "0"));
    // It rests between the last two keys.
    assert_eq!(draw(&keys, "rest", "0.08"), draw(&still(0.4), "still-rest", "0.08"));
    assert_ne!(draw(&keys, "between", "0.02"), draw(&still(0.4), "still-between", "0.02"));
}

#[test]
fn folders_that_are_no_runs_are_refused() {
    let place = with_run();
    fs::create_dir(place.path("empty")).unwrap();
    let draw = |source: &str| place.granule(&["render", source, "-o", "a.png", "--device", "cpu"]);
    draw("empty").expect(2, &["not the folder of a run", "frames.json"]);
    fs::write(place.path("empty/frames.json"), "[1, 2]").unwrap();
    draw("empty").expect(2, &["not the folder of a run"]);
    fs::write(place.path("run/frames/frame_000005.ply"), "ply\nnonsense").unwrap();
    draw("run").expect(2, &["frame_000005.ply", "not a granule PLY file"]);
    draw("no-such-run").expect(2, &["no scene `no-such-run`"]);
    assert!(!place.path("a.png").exists());
}

#[test]
fn positions_that_are_not_finite_are_refused() {
    let place = with_run();
    let path = place.path("run/frames/frame_000005.ply");
    let mut bytes = fs::read(&path).unwrap();
    let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    // After the first particle's id comes its x.
    bytes[end + 4..end + 8].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(&path, bytes).unwrap();
    render(&place, &["-o", "a.png"]).expect(2, &["frame_000005.ply", "particle 0", "finite"]);
    assert!(!place.path("a.png").exists());
}

#[test]
fn a_frame_without_particles_is_refused_and_a_run_without_any_too() {
    let place = Place::new();
    // The outlet takes all grains in the first step.
    let scene = place
        .scene(&block("[[outlet]]\nname = \"all\"\nshape.box = { min = [-1, -1, -1], max = [1, 1, 1] }"));
    place.granule(&["run", scene, "--out", "run"]).expect(0, &[]);
    render(&place, &["-o", "a.png", "--time", "0.1"]).expect(2, &["no particles", "--time"]);
    // Without a time, the last frame that has some is drawn.
    render(&place, &["-o", "a.png"]).expect(0, &[]);
}

#[test]
fn without_ffmpeg_a_video_becomes_pictures_and_an_animation() {
    let place = with_run();
    let args = ["render", "run", "--device", "cpu", "-o", "movie.mp4"];
    let output = place.command(&args).args(SIZE).env("PATH", "").output().unwrap();
    let outcome = crate::place::outcome(output).expect(0, &["ffmpeg is not installed"]);
    assert_eq!(outcome.stdout, "movie.png\n");
    assert_eq!(place.names("movie.frames").len(), 6);
    let animation = fs::read(place.path("movie.png")).unwrap();
    assert!(animation.windows(4).any(|chunk| chunk == b"acTL"), "it is animated");
    assert!(!place.path("movie.mp4").exists());
}

#[test]
fn with_ffmpeg_there_is_a_video_and_nothing_else() {
    let place = with_run();
    if std::process::Command::new("ffmpeg").arg("-version").output().is_err() {
        granule_testing::skip("ffmpeg is not installed");
        return;
    }
    let before = place.names(".");
    render(&place, &["-o", "movie.mp4"]).expect(0, &[]);
    let bytes = fs::read(place.path("movie.mp4")).unwrap();
    assert_eq!(&bytes[4..8], b"ftyp");
    let new: Vec<String> = place.names(".").into_iter().filter(|name| !before.contains(name)).collect();
    assert_eq!(new, ["movie.mp4"]);
}

#[test]
fn a_run_leaves_a_picture_where_it_is_asked_to() {
    let place = Place::new();
    let scene = place.scene(&block(""));
    place.granule(&["run", scene, "--out", "run", "--render"]).expect(0, &["picture.png"]);
    assert_eq!(png_size(&place.path("run/picture.png")), [1280, 720]);
    place
        .granule(&["run", scene, "--out", "other", "--render", "--export", "vtk"])
        .expect(2, &["--render", "PLY"]);
    place.granule(&["run", scene, "--out", "run", "--force"]).expect(0, &[]);
    assert!(!place.path("run/picture.png").exists(), "the picture of the earlier run is gone");
}

#[test]
fn a_scene_is_run_first_with_the_field_that_is_asked_for() {
    let place = Place::new();
    let scene = place.scene(&block(""));
    let mut seen = Vec::new();
    for field in ["strain_rate", "age", "force", "force.magnitude", "normal", "cell"] {
        let args = ["render", scene, "-o", "a.png", "--device", "cpu", "--color-by", field];
        place.granule(&[&args[..], &SIZE[..]].concat()).expect(0, &[]);
        assert_eq!(png_size(&place.path("a.png")), [96, 64]);
        let bytes = fs::read(place.path("a.png")).unwrap();
        assert!(!seen.contains(&bytes), "{field} differs from all before");
        seen.push(bytes);
    }
    assert_eq!(place.names("out").len(), 6);
}

#[test]
fn z_up_files_give_the_same_picture() {
    let place = with_run();
    place.granule(&["run", "scene.toml", "--out", "turned", "--up", "z"]).expect(0, &[]);
    render(&place, &["-o", "a.png", "--color-by", "velocity"]).expect(0, &[]);
    let args = ["render", "turned", "--device", "cpu", "-o", "b.png", "--color-by", "velocity"];
    place.granule(&[&args[..], &SIZE[..]].concat()).expect(0, &[]);
    assert_eq!(fs::read(place.path("a.png")).unwrap(), fs::read(place.path("b.png")).unwrap());
}

#[test]
fn devices_are_listed() {
    let place = Place::new();
    let outcome = place.granule(&["devices", "--json"]).expect(0, &[]);
    let listed = outcome.json();
    for (index, adapter) in listed.as_array().unwrap().iter().enumerate() {
        assert_eq!(adapter["index"], index);
    }
    place.granule(&["devices"]).expect(0, &[]);
}

/// Marks show how grains turn, bars what they do to each other; a run without contacts is refused with the remedy.
#[test]
fn grains_that_touch_are_drawn_with_marks_and_bars() {
    let place = Place::new();
    let scene = place.scene(&block(""));
    let run = ["run", scene, "--solver", "dem", "--frames", "3", "--device", "cpu"];
    place.granule(&[&run[..], &["--out", "run", "--contacts"]].concat()).expect(0, &[]);
    render(&place, &["-o", "marks.png"]).expect(0, &[]);
    render(&place, &["-o", "plain.png", "--plain"]).expect(0, &[]);
    render(&place, &["-o", "bars.png", "--contacts"]).expect(0, &[]);
    render(&place, &["-o", "cut.png", "--contacts", "--cut", "z=0.1"]).expect(0, &[]);
    let pictures =
        ["marks.png", "plain.png", "bars.png", "cut.png"].map(|name| fs::read(place.path(name)).unwrap());
    for (k, picture) in pictures.iter().enumerate() {
        assert!(pictures[..k].iter().all(|other| other != picture), "picture {k} is like one before");
    }
    place.granule(&[&run[..], &["--out", "run", "--force"]].concat()).expect(0, &[]);
    render(&place, &["-o", "none.png", "--contacts"]).expect(2, &["has no contacts", "--contacts"]);
    assert!(!place.path("none.png").exists());
}
