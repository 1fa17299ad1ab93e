//! Exports: the files of every format, their axes, and the paths of particles.

use granule::io::read_ply;
use serde_json::Value;

use crate::place::{Place, block, refused};

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

#[test]
fn distinct_elements_leave_contacts_and_dumps() {
    let place = Place::new();
    // A scene made for grains, which stays as it is.
    let scene = place.scene(&block("").replacen("[simulation]", "[simulation]\nsolver = \"dem\"", 1));
    let args = ["run", scene, "--frames", "2", "--out", "here"];
    let more = ["--contacts", "--export", "ply,vtk,npy,lammps", "--json"];
    let json = place.granule(&[&args[..], &more].concat()).expect(0, &[]).json();
    let entry = &read_json(&place, "here/frames.json")["frames"][2];
    assert_eq!(entry["contacts_file"], "frames/contacts_000002.ply");
    let contacts = read_ply(place.path("here/frames/contacts_000002.ply")).unwrap();
    assert_eq!(entry["contacts"], contacts.count);
    let walls = contacts.integer("boundary").unwrap().iter().filter(|boundary| **boundary == 0).count();
    assert!(
        (1..=36).contains(&walls) && contacts.count > walls,
        "{walls} of {} at the floor",
        contacts.count
    );
    let told = place.granule(&["fields", "here", "-o", "fields.vti"]).expect(0, &[]);
    assert!(told.stdout.contains("frame 2"), "{}", told.stdout);
    let fields = String::from_utf8_lossy(&std::fs::read(place.path("fields.vti")).unwrap()).into_owned();
    for name in ["density", "velocity", "kinetic_stress", "contact_stress", "contact_density", "fabric"] {
        assert!(fields.contains(&format!("Name=\"{name}\"")), "{name}");
    }
    refused(&place, &["fields", "here", "-o", "fields.vti"], &["fields.vti", "there already"]);
    refused(&place, &["fields", "here", "-o", "fields.png"], &["fields.png", ".vti"]);
    refused(&place, &["fields", "there", "-o", "new.vti"], &["there", "not the folder of a run"]);
    let fine = ["fields", "here", "-o", "new.vti", "--spacing", "1e-5"];
    refused(&place, &fine, &["--spacing", "nodes", "or more"]);
    assert!(!place.path("new.vti").exists());
    let force = contacts.scalar("normal_force").unwrap();
    assert!(force.iter().all(|force| *force >= -1e-3) && force.iter().any(|force| *force > 0.0), "{force:?}");
    let vtk = place.names("here/vtk");
    let own = ["block-contacts.pvd", "block.pvd", "contacts_000000.vtp"];
    assert_eq!(vtk[..3], own);
    assert!(place.names("here/npy").contains(&"contacts_overlap_000001.npy".to_string()));
    assert!(json["files"]["files"].as_array().unwrap().contains(&"lammps".into()), "{json}");

    // The dump has what the frame has, to the last digit.
    let frame = read_ply(place.path("here/frames/frame_000002.ply")).unwrap();
    let dump = std::fs::read_to_string(place.path("here/lammps/frame_000002.dump")).unwrap();
    let lines: Vec<&str> = dump.lines().collect();
    assert_eq!(lines[4..8], ["ITEM: TIMESTEP", "2", "ITEM: NUMBER OF ATOMS", "216"]);
    let names = "id type radius x y z vx vy vz omegax omegay omegaz quati quatj quatk quatw";
    assert_eq!(lines[12], format!("ITEM: ATOMS {names}"));
    let rows: Vec<Vec<f32>> =
        lines[13..].iter().map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 216);
    for (k, row) in rows.iter().enumerate() {
        assert_eq!((row[0], row[1], row[2]), (k as f32, 1.0, 0.02));
        assert_eq!(row[3..6], frame.vec3("position").unwrap()[k]);
        assert_eq!(row[12], frame.scalar("orientation_x").unwrap()[k]);
    }

    // A later run without them leaves none of them.
    place.granule(&["run", scene, "--frames", "0", "--out", "here", "--force"]).expect(0, &[]);
    assert!(place.names("here/lammps").is_empty());
    assert_eq!(place.names("here/frames"), ["frame_000000.ply"]);
}
