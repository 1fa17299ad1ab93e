//! Runs that begin from what was saved: recordings, checkpoints, folders of runs that are over.

use std::fs;
use std::path::Path;

use crate::build::Options;
use crate::io::{Exporter, FramesIndex, RunFolder};
use crate::live::{Event, FileKind, Live, Recording, RecordingError, Source, Speed};
use crate::scene::ExportFormat;
use crate::simulation::Simulation;
use crate::simulator::{Command, FieldInfo};

use super::{PATIENCE, after, angle, event, options, scene, seek, start, tool};

/// A run that was given commands at frames 2 and 4 and has gone to frame 8, in a file.
fn recorded(path: &Path) -> (Recording, Option<u64>) {
    let live = start();
    seek(&live, 2);
    live.apply(angle(45.0));
    seek(&live, 4);
    live.apply(tool(-0.1));
    let last = seek(&live, 8);
    let mut recording = live.recording();
    recording.set_last_frame(8);
    recording.write(path).unwrap();
    (recording, last.state_hash)
}

#[test]
fn a_recording_is_replayed_as_the_run_goes_and_has_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("done.granule");
    let (recording, hash) = recorded(&path);
    let live = Live::start(path.as_path(), options()).unwrap();
    let begins = live.latest();
    assert_eq!((begins.frame, begins.history.end), (0, 8), "the whole time line is known");
    assert_eq!(seek(&live, 8).state_hash, hash);
    assert_eq!(live.recording().commands(), recording.commands());
    let simulation = recording.replay(8, &options().simulation).unwrap();
    assert_eq!(Some(simulation.simulator().state_hash()), hash);
    // Without its commands it comes out differently.
    let plain = start();
    assert_ne!(seek(&plain, 8).state_hash, hash);
    // Loaded into a run that is there, and changed: the rest of it is gone.
    after(&plain, plain.load_file(&path));
    assert_eq!(seek(&plain, 8).state_hash, hash);
    seek(&plain, 3);
    plain.apply(angle(20.0));
    let cut = plain.wait(PATIENCE, |frame| frame.history.end == 3).unwrap();
    assert_eq!((cut.frame, plain.recording().commands().len()), (3, 2));
}

#[test]
fn keys_of_a_recordings_scene_can_be_set_and_commands_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("done.granule");
    recorded(&path);
    let sets = vec![("simulation.fps".to_string(), "100".to_string())];
    let source = Source::File { path: path.display().to_string(), quick: false, sets };
    let live = Live::start(source, options()).unwrap();
    assert_eq!(live.latest().scene.simulation.fps, 100.0);
    assert_eq!(live.recording().commands().len(), 2);
    let again = Recording::from_toml(&live.recording().to_toml().unwrap()).unwrap();
    assert_eq!(again.scene(&Options::default()).unwrap().simulation.fps, 100.0, "and are saved");
}

#[test]
fn broken_recordings_are_told_and_the_old_scene_runs_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("done.granule");
    recorded(&path);
    let sound = fs::read_to_string(&path).unwrap();
    let live = start();
    for (text, told) in [
        (sound.replace("format = 1", "format = 9"), vec!["done.granule", "format 9", "format 1"]),
        (sound.replace("radius = 0.01", "radius = -1.0"), vec!["the scene in", "done.granule", "radius"]),
        ("nothing".into(), vec!["done.granule", "not a recording"]),
        (format!("extra = 1\n{sound}"), vec!["done.granule", "extra"]),
    ] {
        fs::write(&path, &text).unwrap();
        let id = live.load_file(&path);
        let refused = event(&live, |event| matches!(event, Event::LoadRefused { .. }));
        let Event::LoadRefused { id: of, reason } = refused else { unreachable!() };
        assert_eq!(of, Some(id));
        told.iter().for_each(|word| assert!(reason.contains(word), "{word} in {reason}"));
        assert!(Source::file(path.display().to_string()).open().is_err());
    }
    assert_eq!(after(&live, live.frame()).frame, 1);
}

#[test]
fn a_run_goes_on_from_a_checkpoint_and_never_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("six.ckpt");
    let live = start();
    seek(&live, 3);
    live.apply(angle(45.0));
    seek(&live, 6);
    let file = path.clone();
    let written = live.with_simulation(move |simulation| {
        fs::write(&file, simulation.checkpoint().unwrap()).unwrap();
    });
    after(&live, written);
    let wanted = seek(&live, 9).state_hash;

    let resumed = Live::start(path.as_path(), options()).unwrap();
    let begins = resumed.latest();
    assert_eq!((begins.frame, begins.history.first, begins.history.end), (6, 6, 6));
    assert_eq!(seek(&resumed, 9).state_hash, wanted);
    let back = after(&resumed, resumed.seek(0));
    assert_eq!((back.frame, back.state_hash), (6, begins.state_hash), "nothing is known before");
    assert_eq!(seek(&resumed, 9).state_hash, wanted);
    let again = after(&resumed, resumed.reset());
    assert_eq!((again.frame, again.state_hash), (6, begins.state_hash));
    let refused = resumed.recording().to_toml().unwrap_err();
    assert!(matches!(refused, RecordingError::BeginsLate { first_frame: 6 }), "{refused}");

    fs::write(&path, "not a checkpoint").unwrap();
    live.load_file(&path);
    let refused = event(&live, |event| matches!(event, Event::LoadRefused { .. }));
    assert!(matches!(refused, Event::LoadRefused { reason, .. } if reason.contains("six.ckpt")));
}

/// Runs a scene into a folder of frames 0 to 5, as `granule run` does it; gives positions of the last one.
fn run_into(folder: &Path) -> (RunFolder, Vec<[f32; 3]>) {
    let mut scene = scene();
    scene.output.formats = vec![ExportFormat::Ply];
    let run = RunFolder::create(folder, "tray", None, false).unwrap();
    run.write_scene(&scene.to_toml().unwrap()).unwrap();
    let mut simulation = Simulation::new(scene, &options().simulation).unwrap();
    let fields = ["id", "position", "velocity", "density"];
    let mut snapshot = simulation.read(&fields).unwrap();
    let infos: Vec<FieldInfo> = snapshot.columns.iter().map(|(info, _)| *info).collect();
    let mut index = FramesIndex::new(simulation.scene().simulation.fps, &infos, &simulation.scene().output);
    let mut exporter = Exporter::create(&run, simulation.scene(), &snapshot).unwrap();
    loop {
        exporter.frame(simulation.frame(), &snapshot).unwrap();
        index.push(simulation.frame(), simulation.time(), simulation.particle_count(), None);
        if simulation.frame() == 5 {
            break;
        }
        let next = simulation.frame() + 1;
        while simulation.frame() < next {
            simulation.step_ahead();
        }
        snapshot = simulation.read(&fields).unwrap();
    }
    run.write_frames_index(&index).unwrap();
    (run, snapshot.vec3("position").unwrap().to_vec())
}

#[test]
fn the_frames_of_a_run_are_played_and_nothing_simulates() {
    let folder = tempfile::tempdir().unwrap();
    let (run, last) = run_into(folder.path());
    let path = run.path().display().to_string();
    assert_eq!(FileKind::of(&path), FileKind::Run);
    let live = Live::start(run.path(), options()).unwrap();
    live.publish(&["position", "density"]);
    let begins = live.latest();
    assert_eq!((begins.frame, begins.history.end, begins.solver), (0, 5, "iisph"));
    assert!(begins.device.contains("tray-001"), "{}", begins.device);
    let names: Vec<&str> = begins.fields.iter().map(|field| field.name).collect();
    assert_eq!(names, ["id", "position", "velocity", "density"], "those of the files");
    let end = seek(&live, 5);
    assert_eq!(end.snapshot.vec3("position").unwrap(), last);
    assert!(end.snapshot.scalar("density").is_some_and(|values| values.len() == last.len()));
    assert_eq!((end.ledger.particles as usize, end.ledger.unaccounted()), (last.len(), 0));
    assert_eq!(after(&live, live.seek(99)).frame, 5, "no further than its end");
    assert_eq!(seek(&live, 2).time, 2.0 / 50.0);

    let refused = live.apply(Command::Gravity([0.0; 3].into()));
    let told = event(&live, |event| matches!(event, Event::Refused { .. }));
    assert!(matches!(told, Event::Refused { id, reason } if id == refused && reason.contains("over")));
    live.rebuild(Options::default());
    event(&live, |event| matches!(event, Event::Refused { .. }));
    assert!(live.latest().scene.name == "tray" && live.latest().history.end == 5);

    live.play();
    let stopped = live.wait(PATIENCE, |frame| frame.frame == 5 && !frame.playing);
    assert!(stopped.is_some(), "it stops at its end");
    // Slowly, so that it is not over before it is looked at.
    live.set_speed(Speed::RealTime(0.01));
    live.play();
    assert!(live.wait(PATIENCE, |frame| frame.frame < 5).is_some(), "and begins anew from there");
    live.pause();
    after(&live, live.reset());
    assert_eq!((live.latest().frame, live.latest().history.end), (0, 5));

    fs::remove_file(run.frame(3)).unwrap();
    live.seek(3);
    let told = event(&live, |event| matches!(event, Event::DeviceFailed { .. }));
    assert!(matches!(told, Event::DeviceFailed { reason, .. } if reason.contains("frame_000003.ply")));
    assert_eq!(seek(&live, 4).halted, None, "other frames are there");
    let frame = after(&live, live.load(scene()));
    assert_eq!((frame.frame, frame.history.end), (0, 0), "a scene simulates again");
    live.frame();
    assert!(live.wait(PATIENCE, |frame| frame.frame == 1).is_some());
}

#[test]
fn a_folder_that_is_no_run_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let error = Live::start(folder.path(), options()).err().unwrap().to_string();
    assert!(error.contains("frames.json"), "{error}");
}
