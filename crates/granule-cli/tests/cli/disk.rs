//! Disks that cannot be written to: one that runs full while a run writes to it, and one that is read-only.

use std::fs;
use std::process::{Command, Output};

use granule::io::read_ply;
use serde_json::Value;

use crate::place::{Place, block, outcome};

/// Size of the small disk [bytes].
const SIZE: u64 = 1 << 20;

/// Runs the program with a disk at `disk/`, which is then copied to `copy/`; `left/` is what could not be removed.
///
/// The disk is a memory file system in a mount namespace of its own, so that nothing of it outlives the test.
fn on_a_disk(place: &Place, options: &str, args: &str) -> Option<Output> {
    for folder in ["disk", "copy", "left"] {
        fs::create_dir(place.path(folder)).unwrap();
    }
    let script = format!(
        "mount -t tmpfs -o {options} tmpfs disk 2>/dev/null || exit 99\n\
         \"$GRANULE\" {args}; code=$?\n\
         cp -R disk/. copy/ && rm -rf disk/* ; ls -A disk > left/names ; umount disk\n\
         exit $code"
    );
    let namespaces: [&[&str]; 2] = [&["--mount"], &["--user", "--map-root-user", "--mount"]];
    namespaces.iter().find_map(|namespace| {
        let mut command = Command::new("unshare");
        command.args(*namespace).args(["sh", "-c", &script]).current_dir(place.path("."));
        let output = command.env("GRANULE", env!("CARGO_BIN_EXE_granule")).output().ok()?;
        let refused = output.status.code() == Some(99) || output.stderr.starts_with(b"unshare:");
        (!refused).then_some(output)
    })
}

/// All files below a folder.
fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn a_full_disk_ends_the_run_with_what_was_written_so_far() {
    let place = Place::new();
    let scene = place.scene(&block(""));
    let formats = "--export ply,vtk,npy,csv --track 0,1";
    let args = format!("run {scene} --seconds 1000 --out disk/run {formats}");
    let Some(output) = on_a_disk(&place, &format!("size={SIZE}"), &args) else {
        granule_testing::skip("mounting a small disk is not permitted here");
        return;
    };
    let outcome = outcome(output).expect(1, &["disk/run/", "cannot write", "the disk is full", "incomplete"]);
    assert_eq!(outcome.stdout, "");

    let summary: Value =
        serde_json::from_slice(&fs::read(place.path("copy/run/summary.json")).unwrap()).unwrap();
    assert_eq!(summary["complete"], false);
    let index: Value =
        serde_json::from_slice(&fs::read(place.path("copy/run/frames.json")).unwrap()).unwrap();
    assert_eq!(index["complete"], false);

    let frames = place.names("copy/run/frames");
    assert!(frames.len() > 5, "{frames:?}");
    for (number, name) in frames.iter().enumerate() {
        assert_eq!(*name, format!("frame_{number:06}.ply"));
        assert_eq!(read_ply(place.path("copy/run/frames").join(name)).unwrap().count, 216);
    }
    // A frame is there in every format or in none.
    assert_eq!(place.names("copy/run/vtk").len(), frames.len() + 1);
    assert_eq!(place.names("copy/run/npy").len(), 5 * frames.len());
    for table in ["series.csv", "tracks.csv"] {
        let text = fs::read_to_string(place.path("copy/run").join(table)).unwrap();
        let columns = |line: &str| line.split(',').count();
        let header = columns(text.lines().next().unwrap());
        assert!(text.ends_with('\n') && text.lines().all(|line| columns(line) == header), "{table}");
    }
    let files = files_below(&place.path("copy"));
    let temporary: Vec<_> =
        files.iter().filter(|path| path.extension().is_some_and(|e| e == "tmp")).collect();
    assert!(temporary.is_empty(), "{temporary:?}");
    assert_eq!(fs::read_to_string(place.path("left/names")).unwrap(), "", "everything can be removed");
    assert!(files.iter().map(|path| path.metadata().unwrap().len()).sum::<u64>() > SIZE / 2);
}

#[test]
fn a_read_only_disk_is_refused_before_the_run() {
    for folder in ["disk", "disk/run"] {
        let place = Place::new();
        let scene = place.scene(&block(""));
        let Some(output) = on_a_disk(&place, "ro", &format!("run {scene} --out {folder}")) else {
            granule_testing::skip("mounting a disk is not permitted here");
            return;
        };
        let words = [&format!("{folder}: cannot "), "Read-only file system", "choose another with --out"];
        assert_eq!(outcome(output).expect(2, &words).stdout, "");
        assert_eq!(place.names("copy"), [""; 0]);
    }
}
