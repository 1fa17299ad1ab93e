//! Exports: the files of every format, their axes, and the paths of particles.

use granule::io::read_ply;
use serde_json::Value;

use crate::place::{Place, block};

fn read_json(place: &Place, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(place.path(name)).unwrap()).unwrap()
}

#[test]
fn every_format_leaves_its_files() {
    let place = Place::new();
    let scene = place.scene(&block("[output]\nfields = [\"stress\"]"));
    let args = ["run", scene, "--frames", "2", "--out", "here", "--json"];
    let more = ["--export", "ply,vtk,npy,csv", "--track", "3,5"];
    let json = place.granule(&[&args[..], &more].concat()).expect(0, &[]).json();
    assert_eq!(place.names("here/frames").len(), 3);
    let vtk = ["block.pvd", "frame_000000.vtp", "frame_000001.vtp", "frame_000002.vtp"];
    assert_eq!(place.names("here/vtk"), vtk);
    let npy = place.names("here/npy");
    assert_eq!((npy.len(), npy[0].as_str(), npy[8].as_str()), (9, "id_000000.npy", "stress_000002.npy"));
    let pvd = std::fs::read_to_string(place.path("here/vtk/block.pvd")).unwrap();
    assert_eq!(pvd.matches("<DataSet ").count(), 3);
    let tracks = std::fs::read_to_string(place.path("here/tracks.csv")).unwrap();
    assert!(tracks.starts_with("time,id,x,y,z,stress_xx,"), "{tracks}");
    assert_eq!(tracks.lines().count(), 1 + 2 * 3);
    for file in json["files"]["files"].as_array().unwrap() {
        assert!(place.path("here").join(file.as_str().unwrap()).exists(), "{file}");
    }
    assert_eq!(read_json(&place, "here/frames.json")["formats"]["npy"], "npy/FIELD_NNNNNN.npy");
}

#[test]
fn a_scene_may_name_its_formats_and_the_command_line_replaces_them() {
    let place = Place::new();
    let scene = place.scene(&block("[output]\nformats = [\"npy\"]"));
    place.granule(&["run", scene, "--frames", "1", "--out", "a"]).expect(0, &[]);
    assert_eq!(place.names("a"), ["frames.json", "npy", "scene.toml", "series.csv", "summary.json"]);
    assert_eq!(read_json(&place, "a/frames.json")["frames"][0].get("file"), None);
    place.granule(&["run", scene, "--frames", "1", "--out", "b", "--export", "vtk"]).expect(0, &[]);
    assert_eq!(place.names("b"), ["frames.json", "scene.toml", "series.csv", "summary.json", "vtk"]);
}

#[test]
fn z_up_turns_the_files_and_not_the_simulation() {
    let place = Place::new();
    let scene = place.scene(&block(""));
    let run = |up: &str| {
        place
            .granule(&["run", scene, "--frames", "2", "--json", "--up", up, "--out", up])
            .expect(0, &[])
            .json()
    };
    assert_eq!(run("y")["state_hash"], run("z")["state_hash"]);
    let frame = |up: &str| read_ply(place.path(up).join("frames/frame_000002.ply")).unwrap();
    let (y_up, z_up) = (frame("y"), frame("z"));
    assert_eq!((y_up.up.as_str(), z_up.up.as_str()), ("y", "z"));
    assert_eq!(read_json(&place, "z/frames.json")["up"], "z");
    for field in ["position", "velocity"] {
        let turned: Vec<[f32; 3]> = y_up.vec3(field).unwrap().iter().map(|[x, y, z]| [*x, -z, *y]).collect();
        assert_eq!(turned, z_up.vec3(field).unwrap());
    }
    // The resolved scene says so too, and gives the same files again.
    place.granule(&["run", "z/scene.toml", "--frames", "2", "--out", "again"]).expect(0, &[]);
    assert_eq!(read_ply(place.path("again/frames/frame_000002.ply")).unwrap(), z_up);
}

#[test]
fn a_particle_that_is_not_there_is_reported_and_not_fatal() {
    let place = Place::new();
    let scene = place.scene(&block(""));
    let args = ["run", scene, "--frames", "1", "--track", "5,4000000000", "--out", "here", "--force"];
    let outcome = place.granule(&args).expect(0, &[]);
    assert!(outcome.stdout.contains("followed particles 4000000000"), "{}", outcome.stdout);
    assert_eq!(read_json(&place, "here/summary.json")["missing_tracks"], serde_json::json!([4000000000u32]));
    let tracks = std::fs::read_to_string(place.path("here/tracks.csv")).unwrap();
    assert_eq!(tracks.lines().count(), 3);
    // A later run without exports leaves none of the earlier ones.
    place.granule(&["run", scene, "--frames", "0", "--out", "here", "--force"]).expect(0, &[]);
    assert!(!place.path("here/tracks.csv").exists());
}
