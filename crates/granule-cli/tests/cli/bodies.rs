//! Scenes with rigid bodies and meshes: what they write, and what is refused.

use crate::place::{Place, block, refused};

/// The block with a body beside it.
fn with_body(body: &str) -> String {
    block("") + "\n[[body]]\nname = \"thing\"\n" + body
}

/// A mesh of one triangle, or of a closed tetrahedron.
fn obj(closed: bool) -> &'static str {
    if closed {
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    } else {
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    }
}

#[test]
fn a_run_with_bodies_tells_where_they_are_and_what_pushes_them() {
    let place = Place::new();
    std::fs::write(place.path("tetra.obj"), obj(true)).unwrap();
    let scene = place.scene(&with_body(
        "mesh = \"tetra.obj\"\nshape.mesh = { file = \"builtin:box\", size = 0.1, position = [0.5, 0.5, 0.5] }\n",
    ));
    let args = ["run", scene, "--frames", "2", "--out", "out", "--json"];
    let summary = place.granule(&args).expect(0, &[]).json();
    let body = &summary["bodies"][0];
    assert_eq!(body["name"], "thing");
    // A tetrahedron of 0.1 m: a sixth of 1e-3 m3.
    assert!((body["mass"].as_f64().unwrap() - 1000.0 * 1e-3 / 6.0).abs() < 1e-3, "{body}");
    assert!(body["center"][1].as_f64().unwrap() < 0.5, "it falls: {body}");
    assert!(summary["files"]["files"].as_array().unwrap().iter().any(|file| file == "bodies.csv"));
    let table = std::fs::read_to_string(place.path("out/bodies.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + 3, "a row per frame: {table}");
    // The mesh is found again from anywhere: its path is absolute in the folder's scene.
    place.granule(&["check", "out/scene.toml"]).expect(0, &[]);
}

#[test]
fn a_mesh_on_the_command_line_takes_the_place_of_the_scenes() {
    let place = Place::new();
    std::fs::write(place.path("tetra.obj"), obj(true)).unwrap();
    let args =
        ["run", "mesh-drop", "--quick", "--frames", "1", "--out", "out", "--set", "body.mesh=tetra.obj"];
    place.granule(&args).expect(0, &[]);
    let scene = std::fs::read_to_string(place.path("out/scene.toml")).unwrap();
    assert!(scene.contains("tetra.obj") && !scene.contains("torus"), "{scene}");
}

#[test]
fn wrong_meshes_are_refused_with_the_file_and_the_reason() {
    let nan = obj(true).replacen("v 0 0 0", "v 0 nan 0", 1);
    let cases: &[(&str, &[u8], &[&str])] = &[
        ("open.obj", obj(false).as_bytes(), &["open.obj", "not closed"]),
        ("empty.obj", b"v 0 0 0\n", &["empty.obj", "no triangles"]),
        ("nan.obj", nan.as_bytes(), &["nan.obj"]),
        ("model.fbx", b"Kaydara", &["model.fbx", ".obj, .stl, .ply"]),
        ("cut.glb", b"glTF\x02\0\0\0\xff\0\0\0", &["cut.glb", "glTF"]),
    ];
    for (file, bytes, words) in cases {
        let place = Place::new();
        std::fs::write(place.path(file), bytes).unwrap();
        let scene = place.scene(&with_body(&format!("mesh = \"{file}\"\n")));
        refused(&place, &["run", scene], words);
        let wall = format!(
            "\n[[boundary]]\nname = \"vessel\"\nshape.mesh = {{ file = \"{file}\", hollow = true }}\n"
        );
        let scene = place.scene(&(block("") + &wall));
        refused(&place, &["run", scene], words);
    }
    refused(&Place::new(), &["run", "mesh-drop", "--set", "body.mesh=nowhere.stl"], &["nowhere.stl"]);
    refused(&Place::new(), &["run", "mesh-drop", "--set", "body.mesh=builtin:cow"], &["cow", "torus"]);
}

#[test]
fn wrong_bodies_are_refused_with_their_names() {
    let ball = |y: f32| format!("shape.sphere = {{ center = [0, {y}, 0], radius = 0.04 }}\n");
    let cases: &[(String, &[&str])] = &[
        (ball(1.0) + "density = 0\n", &["body.0.density", "above 0"]),
        (ball(1.0) + "density = -5\n", &["body.0.density"]),
        (ball(1.0) + "restitution = 2\n", &["body.0.restitution", "from 0 to 1"]),
        (ball(1.0) + "kind = \"keyframed\"\n", &["motion"]),
        ("density = 5\n".into(), &["without a shape"]),
        ("shape.plane = { normal = [0, 1, 0] }\n".into(), &["thing", "no bounds"]),
        (
            ball(1.0)
                + "[[body]]\nname = \"other\"\nshape.sphere = { center = [0.05, 1, 0], radius = 0.04 }\n",
            &["`thing`", "`other`", "overlap by 0.0"],
        ),
        (
            ball(1.0)
                + "[[joint]]\nname = \"j\"\nkind = \"hinge\"\nbodies = [\"thing\", \"thong\"]\nanchor = [0, 1, 0]\n",
            &["joint.0.bodies", "did you mean `thing`?"],
        ),
    ];
    for (body, words) in cases {
        let place = Place::new();
        let scene = place.scene(&with_body(body));
        refused(&place, &["run", scene], words);
    }
    // In the block of grains.
    let place = Place::new();
    let scene = place.scene(&with_body(&ball(0.1)));
    refused(&place, &["run", scene], &["grains", "`thing`", "radii"]);
}
