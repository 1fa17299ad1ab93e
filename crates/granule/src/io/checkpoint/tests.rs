use proptest::prelude::*;

use super::*;
use crate::{Options, Scene, Simulation};

const SCENE: &str = include_str!("../../../tests/scenes/checkpoint.toml");

fn options() -> Options {
    Options { threads: Some(1), ..Options::default() }
}

/// A checkpoint with wall contacts, of fewer grains than the scene has at first.
fn sample() -> Vec<u8> {
    static BYTES: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    let make = || {
        let small = [("grains.0.shape.box.max".into(), "[0.06, 0.07, 0.06]".into())];
        let mut simulation =
            Simulation::new(Scene::resolve(SCENE, "test", false, &small).unwrap(), &options()).unwrap();
        simulation.run_until(0.03);
        simulation.checkpoint().unwrap()
    };
    BYTES.get_or_init(make).clone()
}

fn refusal(bytes: &[u8]) -> String {
    match Simulation::resume(bytes, &options()) {
        Ok(_) => "accepted".into(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_is_not_a_whole_checkpoint_is_refused_with_the_reason() {
    let bytes = sample();
    assert_eq!(refusal(&bytes), "accepted");
    assert_eq!(refusal(b""), "not a granule checkpoint");
    assert_eq!(refusal(b"ply\nformat ascii 1.0\n"), "not a granule checkpoint");
    assert!(refusal(&bytes[..10]).contains("truncated"));
    assert!(refusal(&bytes[..18]).contains("truncated"));
    let words = format!("truncated: {} of {} bytes", bytes.len() - 1, bytes.len());
    assert!(refusal(&bytes[..bytes.len() - 1]).contains(&words));
    assert!(refusal(&[&bytes[..], b"x"].concat()).contains("longer than"));
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 4;
    assert!(refusal(&damaged).contains("checksum"));
    assert!(
        refusal(&seal(FORMAT + 1, "9.0.0", b""))
            .contains(&format!("format {}; this program reads format {FORMAT}", FORMAT + 1))
    );
    let mut short = bytes.clone();
    short[12..20].copy_from_slice(&3u64.to_le_bytes());
    assert!(refusal(&short).contains("length"));
    let mut huge = bytes.clone();
    huge[12..20].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(refusal(&huge).contains("truncated"));
}

#[test]
fn contradictions_inside_a_whole_checkpoint_are_refused() {
    let sound = Checkpoint::decode(&sample()).unwrap();
    assert_eq!(sound.engine_version, env!("CARGO_PKG_VERSION"));
    let refusal = |change: &dyn Fn(&mut Checkpoint)| {
        let mut checkpoint = sound.clone();
        change(&mut checkpoint);
        refusal(&checkpoint.encode().unwrap())
    };
    assert!(refusal(&|c| c.frame += 1).contains("not the time of frame 4"));
    assert!(refusal(&|c| c.frame = u64::MAX).contains("impossible number"));
    assert!(refusal(&|c| c.solver = "pbd".into()).contains("`pbd`"));
    assert!(refusal(&|c| c.extensions.push(("emitters".into(), vec![1]))).contains("`emitters`"));
    assert!(refusal(&|c| c.scene = "name = 3".into()).contains("the scene inside"));
    assert!(refusal(&|c| c.scene = c.scene.replace("radius = 0.01", "radius = 0.02")).contains("radius"));
    assert!(refusal(&|c| c.state.clear()).contains("cannot be read"));
    assert!(refusal(&|c| c.state.push(0)).contains("too many"));
    // A count that promises more particles than there are bytes.
    assert!(refusal(&|c| c.state = [&[0; 8][..], &[0xff; 64]].concat()).contains("cannot be read"));
}

#[test]
fn a_file_is_read_back_and_a_missing_one_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ckpt");
    write_checkpoint(&path, &sample()).unwrap();
    assert_eq!(Checkpoint::read(&path).unwrap(), Checkpoint::decode(&sample()).unwrap());
    std::fs::write(&path, [&sample()[..], b"more"].concat()).unwrap();
    assert!(matches!(Checkpoint::read(&path), Err(CheckpointError::TooLong { .. })));
    assert!(matches!(Checkpoint::read(folder.path().join("b.ckpt")), Err(CheckpointError::Io(_))));
    assert!(matches!(Checkpoint::read(folder.path()), Err(CheckpointError::Io(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn changed_bytes_are_always_refused(at in any::<prop::sample::Index>(), flip in 1u8..) {
        let mut bytes = sample();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        prop_assert!(Simulation::resume(&bytes, &options()).is_err());
    }

    #[test]
    fn cut_files_are_always_refused(at in any::<prop::sample::Index>()) {
        let bytes = sample();
        prop_assert!(Simulation::resume(&bytes[..at.index(bytes.len())], &options()).is_err());
    }

    /// Damage under a right checksum: refused or accepted, but never a panic, and what is accepted is finite.
    #[test]
    fn sealed_garbage_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
        in_state in any::<bool>(),
    ) {
        let mut checkpoint = Checkpoint::decode(&sample()).unwrap();
        let mut content = if in_state { checkpoint.state.clone() } else { postcard::to_stdvec(&checkpoint).unwrap() };
        for (at, value) in changes {
            let at = at.index(content.len());
            content[at] = value;
        }
        if let Some(cut) = cut {
            content.truncate(cut.index(content.len()));
        }
        let bytes = if in_state {
            checkpoint.state = content;
            checkpoint.encode().unwrap()
        } else {
            seal(FORMAT, "0.1.0", &content)
        };
        if let Ok(simulation) = Simulation::resume(&bytes, &options()) {
            prop_assert!(simulation.checkpoint().is_ok());
        }
    }
}
