//! Experiments that are killed midway end with the numbers of those that are not.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::*;
use crate::measure::Measurement;
use crate::measure::dem::sand::Spheres;
use crate::measure::dem::silo::{Outflow, Silo};
use crate::measure::scenes::{block, rough_floor, sand};
use crate::simulation::Options;

/// Keeps runs with a checkpoint at every frame.
fn keeper(folder: &Path, identity: &str) -> KeptRuns {
    KeptRuns::new(folder, identity.into(), Duration::ZERO, Arc::default())
}

fn options(kept: Option<&KeptRuns>) -> MeasureOptions {
    let simulation = Options { threads: Some(1), ..Options::default() };
    MeasureOptions { quick: true, simulation, kept: kept.cloned(), ..MeasureOptions::default() }
}

/// Two small silos, one after the other, as `orifice` has them; killed when so much of the whole is done.
fn discharges(kept: Option<&KeptRuns>, killed_at: f64) -> Option<[Outflow; 2]> {
    let discharge = |k: u64| {
        let spheres = Spheres { young: 1e4, ..Spheres::default() };
        let silo = Silo { spheres, hole: 4.0, width: 8.0, depth: 5.0, seed: k, ..Silo::default() };
        let mut progress = |part: f64| {
            if 0.5 * (k as f64 + part) >= killed_at {
                resume_unwind(Box::new("killed"));
            }
        };
        silo.discharge(&options(kept), &mut Measurement::default(), (0.3, 20.0), &mut progress).unwrap()
    };
    catch_unwind(AssertUnwindSafe(|| [discharge(0), discharge(1)])).ok()
}

fn numbers(outflows: &[Outflow; 2]) -> Vec<(Vec<[f64; 2]>, [f64; 2])> {
    outflows.iter().map(|flow| (flow.curve.clone(), [flow.bulk, flow.count])).collect()
}

/// Files of a folder with an ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|e| e == ending)).collect()
}

/// Changes a byte in the middle of a file.
fn damage(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_killed_experiment_goes_on_to_the_same_numbers() {
    let whole = numbers(&discharges(None, 2.0).unwrap());
    let folder = tempfile::tempdir().unwrap();
    // While the first settles, while it runs out, and while the second does; each time by a program of its own.
    for killed_at in [0.1, 0.3, 0.9] {
        let kept = keeper(folder.path(), "a");
        assert!(discharges(Some(&kept), killed_at).is_none());
        assert!(kept.take_remarks().is_empty());
        assert_eq!(files(folder.path(), "checkpoint").len(), 1, "of the run under way alone");
    }
    let kept = keeper(folder.path(), "a");
    let resumed = discharges(Some(&kept), 2.0).unwrap();
    assert!(numbers(&resumed) == whole, "other numbers than without any kill");
    assert!(kept.take_remarks().is_empty() && kept.take_seconds() > 0.0, "it was made again");
    // All of it has been heard by now, and needs no simulation.
    assert!(files(folder.path(), "checkpoint").is_empty() && files(folder.path(), "answers").len() == 2);
    assert!(numbers(&discharges(Some(&keeper(folder.path(), "a")), 2.0).unwrap()) == whole);
    kept.remove().unwrap();
    assert!(!folder.path().exists());
    // Removed twice is removed.
    kept.remove().unwrap();
}

#[test]
fn damaged_and_foreign_runs_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let kept = keeper(folder.path(), "a");
    let whole = numbers(&discharges(Some(&kept), 2.0).unwrap());
    let answers = files(folder.path(), "answers");
    damage(&answers[0]);
    let kept = keeper(folder.path(), "a");
    assert!(numbers(&discharges(Some(&kept), 2.0).unwrap()) == whole);
    let remarks = kept.take_remarks().join("\n");
    assert!(
        remarks.contains(&answers[0].display().to_string()) && remarks.contains("made again"),
        "{remarks}"
    );
    // Another program, or another device, does not use it, and says nothing.
    let other = keeper(folder.path(), "b");
    assert!(discharges(Some(&other), 0.3).is_none());
    assert!(other.take_seconds() == 0.0 && other.take_remarks().is_empty());
    damage(&files(folder.path(), "checkpoint")[0]);
    let other = keeper(folder.path(), "b");
    assert!(numbers(&discharges(Some(&other), 2.0).unwrap()) == whole);
    let remarks = other.take_remarks().join("\n");
    assert!(remarks.contains("checkpoint") && remarks.contains("made again"), "{remarks}");
}

/// Power of friction over the steps of a falling block, which is measured where diagnostics are on; half of them after a read.
fn power(kept: Option<&KeptRuns>, stop: &AtomicBool) -> Result<Vec<f64>, SimulationError> {
    let options = options(kept);
    let mut scene = sand("block", 30.0, &options);
    scene.boundary.push(rough_floor());
    scene.grains.push(block([3.0, 4.0, 3.0]));
    let mut run = Run::new(scene, &options)?;
    let mut watts = Vec::new();
    run.set_diagnostics(true);
    while run.time() < 0.3 {
        watts.push(run.step()?.friction_power.unwrap_or(f64::NAN));
        stop.store(run.time() > 0.15, std::sync::atomic::Ordering::Relaxed);
    }
    let heights =
        run.read(&["position"])?.vec3("position").unwrap_or_default().iter().map(|x| x[1]).sum::<f32>();
    watts.push(heights.into());
    Ok(watts)
}

#[test]
fn a_run_that_is_stopped_leaves_a_checkpoint_between_its_steps() {
    let folder = tempfile::tempdir().unwrap();
    let whole = power(None, &AtomicBool::default()).unwrap();
    assert!(whole.iter().all(|watt| watt.is_finite()) && whole.iter().any(|watt| *watt < 0.0));
    let stop = Arc::new(AtomicBool::default());
    let hours = Duration::from_secs(3600);
    let kept = KeptRuns::new(folder.path(), "a".into(), hours, stop.clone());
    let error = power(Some(&kept), &stop).unwrap_err().to_string();
    assert!(error.contains("stopped"), "{error}");
    assert_eq!(files(folder.path(), "checkpoint").len(), 1);
    let kept = KeptRuns::new(folder.path(), "a".into(), hours, Arc::default());
    assert!(power(Some(&kept), &AtomicBool::default()).unwrap() == whole);
    assert!(kept.take_seconds() > 0.0 && kept.take_remarks().is_empty());
}

/// Somebody changed an experiment, but not the program's name.
#[test]
fn another_question_than_the_one_that_was_answered_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let ask = |question: &str| {
        let kept = keeper(folder.path(), "a");
        let mut scene = sand("block", 30.0, &options(None));
        scene.grains.push(block([1.0, 1.0, 1.0]));
        Run::new(scene, &options(Some(&kept)))?
            .observe(question, |simulation| Ok(simulation.particle_count()))
    };
    assert_eq!(ask("count").unwrap(), 1);
    assert_eq!(ask("count").unwrap(), 1);
    let error = ask("number").unwrap_err().to_string();
    assert!(error.contains("no answer to `number`") && error.contains("removed"), "{error}");
    assert_eq!(ask("number").unwrap(), 1);
}
