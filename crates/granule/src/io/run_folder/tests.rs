//! Tests of run folders.

use super::*;
use crate::io::VtkSeries;
use crate::scene::OutputSettings;
use crate::simulator::{FieldInfo, FieldKind};

#[test]
fn numbers_go_up_and_are_never_shared() {
    let base = tempfile::tempdir().unwrap();
    let out = base.path().join("out");
    let first = RunFolder::create(&out, "column", None, false).unwrap();
    assert!(first.path().ends_with("column-001") && first.path().is_dir());
    fs::create_dir(out.join("column-007")).unwrap();
    fs::create_dir(out.join("columns-050")).unwrap();
    assert!(RunFolder::create(&out, "column", None, false).unwrap().path().ends_with("column-008"));
    let mut paths: Vec<PathBuf> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| RunFolder::create(&out, "race", None, false).unwrap().path().to_path_buf())
            })
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), 8);
}

#[test]
fn odd_scene_names_stay_inside_the_base() {
    let base = tempfile::tempdir().unwrap();
    for name in ["../up", "a/b", "", "sand pile", "...", "ü"] {
        let folder = RunFolder::create(base.path(), name, None, false).unwrap();
        assert_eq!(folder.path().parent().unwrap(), base.path(), "{name}");
    }
}

#[test]
fn an_explicit_folder_with_content_needs_force() {
    let base = tempfile::tempdir().unwrap();
    let path = base.path().join("deep/run");
    let create = |force| RunFolder::create(base.path(), "column", Some(&path), force);
    let folder = create(false).unwrap();
    for inner in [folder.frames(), folder.vtk(), folder.npy()] {
        fs::create_dir(inner).unwrap();
    }
    let message = create(false).unwrap_err().to_string();
    assert!(message.ends_with("run: the folder is not empty"), "{message}");

    folder.write_summary(&1).unwrap();
    folder.write_scene("old").unwrap();
    fs::write(folder.frame(3), "old").unwrap();
    folder.write_checkpoint(3, b"old").unwrap();
    let exports = [
        folder.vtk_frame(3),
        folder.fine_frame(3),
        folder.fine_vtk_frame(3),
        folder.npy_field("density_error", 3),
        folder.tracks(),
        folder.bodies(),
    ];
    for file in &exports {
        fs::write(file, "old").unwrap();
    }
    fs::write(folder.vtk_series("earlier"), VtkSeries::default().encode()).unwrap();
    let foreign = [
        folder.path().join("notes.txt"),
        folder.frames().join("frame_best.ply"),
        folder.vtk().join("mine.pvd"),
        folder.npy().join("mask.npy"),
    ];
    for file in &foreign {
        fs::write(file, "mine").unwrap();
    }
    create(true).unwrap();
    assert!(!folder.checkpoints().exists() && folder.frames().is_dir());
    assert!(!folder.frame(3).exists() && !folder.summary().exists());
    assert!(exports.iter().all(|file| !file.exists()) && !folder.vtk_series("earlier").exists());
    assert!(folder.scene().exists(), "replaced when the new one is written");
    assert!(foreign.iter().all(|file| fs::read(file).unwrap() == b"mine"));
}

#[test]
fn a_file_in_the_way_is_said_so() {
    let base = tempfile::tempdir().unwrap();
    let file = base.path().join("file");
    fs::write(&file, "x").unwrap();
    let error = RunFolder::create(base.path(), "a", Some(&file), true).unwrap_err().to_string();
    assert!(error.contains("not a folder"), "{error}");
    let error = RunFolder::create(&file, "a", None, false).unwrap_err().to_string();
    assert!(error.contains("not a folder"), "{error}");
    let error = RunFolder::create(base.path(), "a", Some(&file.join("in")), false).unwrap_err().to_string();
    assert!(error.contains("cannot create the folder"), "{error}");
    assert_eq!(fs::read(&file).unwrap(), b"x");
}

#[test]
fn the_index_is_read_back() {
    let base = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(base.path(), "a", None, false).unwrap();
    assert!(folder.read_frames_index().unwrap_err().to_string().contains("cannot read the index"));
    let velocity = FieldInfo { name: "velocity", unit: "m/s", kind: FieldKind::Vec3 };
    let mut index = FramesIndex::new(50.0, &[velocity], &OutputSettings::default());
    index.push(0, 0.0, 10, None);
    index.push(1, 0.02, 9, Some(200));
    index.complete = true;
    folder.write_frames_index(&index).unwrap();
    assert_eq!(folder.read_frames_index().unwrap(), index);
    assert_eq!(index.frames[1].file.as_ref().map(|file| folder.path().join(file)), Some(folder.frame(1)));
    let fine = index.frames[1].fine_file.as_ref().map(|file| folder.path().join(file));
    assert_eq!((fine, &index.frames[0].fine_file), (Some(folder.fine_frame(1)), &None));
    assert_eq!(index.fields[0].kind, serde_json::to_value(FieldKind::Vec3).unwrap());
    fs::write(folder.index(), "{").unwrap();
    assert!(folder.read_frames_index().unwrap_err().to_string().contains("not an index"));
}

#[test]
fn checkpoints_lie_in_their_folder_under_names_of_six_digits_and_more() {
    let base = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(base.path(), "column", None, false).unwrap();
    assert_eq!(folder.checkpoints(), folder.path().join("checkpoints"));
    assert_eq!(folder.checkpoint(12), folder.checkpoints().join("000012.ckpt"));
    let own = ["000012.ckpt", "1234567.ckpt"];
    let foreign = ["12.ckpt", "00001x.ckpt", "abcdefgh.ckpt", "000012.txt", "000012", ".ckpt"];
    assert!(own.iter().all(|name| create::is_checkpoint_name(name)));
    assert!(!foreign.iter().any(|name| create::is_checkpoint_name(name)));
}
