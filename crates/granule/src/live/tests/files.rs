//! Scenes from files, loaded again when they change.

use std::fs;

use crate::live::{Event, Live, Source};

use super::{PATIENCE, SCENE, after, event, options, seek};

#[test]
fn a_changed_file_is_loaded_again_and_a_broken_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tray.toml");
    fs::write(&path, SCENE).unwrap();
    let live = Live::start(path.as_path(), options()).unwrap();
    let old = seek(&live, 4);

    fs::write(&path, SCENE.replace("radius = 0.01", "radius = -1")).unwrap();
    let refused = event(&live, |event| matches!(event, Event::LoadRefused { .. }));
    let Event::LoadRefused { id, reason } = refused else { unreachable!() };
    assert!(id.is_none() && reason.contains("tray.toml") && reason.contains("radius"), "{reason}");
    let frame = after(&live, live.frame());
    assert_eq!((frame.frame, &frame.scene), (5, &old.scene), "the old scene runs on");

    fs::write(&path, SCENE.replace("[0.1, 0.1, 0.1]", "[0.1, 0.06, 0.1]")).unwrap();
    let new = live.wait(PATIENCE, |frame| frame.scene != old.scene).unwrap();
    assert_eq!((new.frame, new.ledger.initial, new.history.end), (0, 75, 0));
    event(&live, |event| *event == Event::Loaded { id: None, scene: "tray".into() });
}

#[test]
fn a_scene_is_loaded_by_request_or_refused() {
    let live = Live::start(Source::file("column"), options()).unwrap();
    let missing = live.load_file("there/is/no/such.toml");
    let refused = event(&live, |event| matches!(event, Event::LoadRefused { .. }));
    assert!(matches!(refused, Event::LoadRefused { id, .. } if id == Some(missing)));
    assert_eq!(live.latest().scene.name, "column");
    let frame = after(&live, live.load(super::scene()));
    assert_eq!((frame.scene.name.as_str(), frame.frame), ("tray", 0));
    assert!(Live::start(Source::file("there/is/no/such.toml"), options()).is_err());
}
