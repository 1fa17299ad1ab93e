//! `granule mesh`: shapes made, looked at, made into fields and filled.

use std::fs::{self, File};

use crate::place::{Place, refused};

#[test]
fn every_shape_is_made_sound_and_looked_at() {
    let place = Place::new();
    for (shape, file) in [
        ("sphere", "a.obj"),
        ("box", "a.stl"),
        ("torus", "a.ply"),
        ("cylinder", "b.obj"),
        ("bumpy", "b.stl"),
        ("truck-bed", "b.ply"),
        ("drum", "c.obj"),
        ("castle", "c.stl"),
        ("bucket", "c.ply"),
        ("squirrel", "d.obj"),
    ] {
        place.granule(&["mesh", "make", shape, "--divisions", "12", "-o", file]).expect(0, &[]);
        let report = place.granule(&["mesh", "info", file, "--json"]).expect(0, &[]).json();
        assert_eq!(report["sound"], true, "{shape}: {report}");
        assert_eq!(report["usable"], true);
        assert_eq!(report["components"], if shape == "drum" { 2 } else { 1 });
        assert!(report["solid"]["volume"].as_f64().unwrap() > 0.0);
    }
    place.granule(&["mesh", "make", "box", "--size", "3,2,1", "-o", "mm.stl"]).expect(0, &[]);
    let report = place.granule(&["mesh", "info", "mm.stl", "--scale", "cm", "--up", "z", "--json"]).json();
    assert!((report["max"][1].as_f64().unwrap() - 0.005).abs() < 1e-6, "{report}");
    let text = place.granule(&["mesh", "info", "mm.stl"]).expect(0, &[]).stdout;
    assert!(text.contains("triangles") && text.contains("usable as a solid  yes"), "{text}");
}

#[test]
fn fields_are_written_and_found_in_the_cache() {
    let place = Place::new();
    place.granule(&["mesh", "make", "bumpy", "--divisions", "8", "-o", "a.ply"]).expect(0, &[]);
    let sdf = |output: &str| {
        let mut command = place.command(&["mesh", "sdf", "a.ply", "--resolution", "20", "-o", output]);
        crate::place::outcome(command.env("GRANULE_CACHE", place.path("cache")).output().unwrap())
            .expect(0, &[])
    };
    assert!(!sdf("a.vti").stdout.contains("cache"));
    assert!(sdf("b.vti").stdout.contains("from the cache"));
    assert_eq!(fs::read(place.path("a.vti")).unwrap(), fs::read(place.path("b.vti")).unwrap());
    assert_eq!(place.names("cache").len(), 1);
}

#[test]
fn solids_are_filled_and_surfaces_covered() {
    let place = Place::new();
    place.granule(&["mesh", "make", "box", "-o", "a.obj"]).expect(0, &[]);
    let sample = |more: &[&str]| {
        let args = [&["mesh", "sample", "a.obj", "--radius", "0.05", "-o", "p.ply", "--json"], more].concat();
        place.granule(&args).expect(0, &[]).json()
    };
    let fraction = |report: serde_json::Value| report["fraction"].as_f64().unwrap();
    assert!(fraction(sample(&[])) > 0.49);
    assert!(fraction(sample(&["--fill", "random"])) > 0.3);
    assert!((fraction(sample(&["--fill", "lattice"])) - std::f64::consts::FRAC_PI_6).abs() < 1e-3);
    assert!(fraction(sample(&["--fill", "random", "--spread", "uniform:0.03,0.06"])) > 0.25);
    assert!(fraction(sample(&["--fill", "random", "--spread", "lognormal:-3.2,0.2"])) > 0.25);
    assert!(sample(&["--mode", "surface"])["count"].as_u64().unwrap() > 700);
    let head = String::from_utf8_lossy(&fs::read(place.path("p.ply")).unwrap()[..400]).into_owned();
    assert!(
        head.starts_with("ply\nformat binary_little_endian 1.0\n") && head.contains("normal_x"),
        "{head}"
    );
}

#[test]
fn wrong_meshes_and_flags_are_refused() {
    let place = Place::new();
    place.granule(&["mesh", "make", "box", "-o", "a.obj"]).expect(0, &[]);
    fs::write(place.path("nan.obj"), "v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n").unwrap();
    fs::write(place.path("open.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    fs::write(place.path("empty.obj"), "v 0 0 0\n").unwrap();
    fs::write(place.path("cut.glb"), b"glTF\x02\0\0\0\xff\0\0\0").unwrap();
    fs::write(place.path("a.step"), "ISO-10303-21;").unwrap();
    fs::create_dir(place.path("folder.vti")).unwrap();
    for (file, words) in [
        ("nan.obj", "vertex 2"),
        ("empty.obj", "no triangles"),
        ("cut.glb", "cut off"),
        ("a.step", "unknown mesh format"),
        ("none.obj", "none.obj"),
        (".", "not a file"),
    ] {
        refused(&place, &["mesh", "info", file], &[words]);
        refused(&place, &["mesh", "sdf", file, "-o", "x.vti"], &[words]);
        refused(&place, &["mesh", "sample", file, "--radius", "0.1", "-o", "x.ply"], &[words]);
    }
    // Sparse, and gone before the folder's content is compared.
    let huge = place.path("huge.stl");
    File::create(&huge).unwrap().set_len((1 << 30) + 1).unwrap();
    place.granule(&["mesh", "info", "huge.stl"]).expect(2, &["more than the 1073741824 that are read"]);
    fs::remove_file(huge).unwrap();
    refused(
        &place,
        &["mesh", "sample", "open.obj", "--radius", "0.1", "-o", "x.ply"],
        &["not closed", "3 edges"],
    );
    for radius in ["0", "-1", "nan", "x"] {
        refused(&place, &["mesh", "sample", "a.obj", "--radius", radius, "-o", "x.ply"], &["--radius"]);
    }
    for fill in ["random", "relaxed", "lattice"] {
        let args = ["mesh", "sample", "a.obj", "--radius", "0.7", "--fill", fill, "-o", "x.ply"];
        refused(&place, &args, &["a.obj", "--radius 0.7", "no sphere"]);
    }
    let args = ["mesh", "sample", "a.obj", "--radius", "0.1", "-o", "x.ply", "--spread"];
    refused(&place, &[&args[..], &["uniform:0.2,0.1", "--fill", "random"]].concat(), &["--spread"]);
    refused(&place, &[&args[..], &["uniform:0.1,0.2"]].concat(), &["--spread", "--fill random"]);
    refused(&place, &["mesh", "sdf", "a.obj", "-o", "no/x.vti"], &["--output no/x.vti"]);
    refused(&place, &["mesh", "sdf", "a.obj", "-o", "folder.vti"], &["--output folder.vti", "folder"]);
    refused(&place, &["mesh", "sdf", "a.obj", "-o", "x.png"], &["--output x.png", ".vti"]);
    refused(
        &place,
        &["mesh", "sdf", "a.obj", "--cell", "1e-5", "-o", "x.vti"],
        &["a.obj", "cells of at least"],
    );
    refused(&place, &["mesh", "sdf", "a.obj", "--cell", "0", "-o", "x.vti"], &["--cell"]);
    refused(&place, &["mesh", "make", "drum", "--thickness", "0.6", "-o", "x.obj"], &["--thickness 0.6"]);
    refused(&place, &["mesh", "make", "box", "-o", "x.glb"], &["--output x.glb"]);
}
