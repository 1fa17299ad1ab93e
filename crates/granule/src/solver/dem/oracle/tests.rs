//! Every oracle in double and in single precision, and faults in the law that oracles must find.

use std::path::{Path, PathBuf};

use super::*;
use crate::solver::Defect;
use crate::solver::dem::contact::TangentialModel;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles")
}

fn oracle(name: &str) -> Oracle {
    let path = folder().join(format!("{name}.json"));
    Oracle::from_json(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn all() -> Vec<Oracle> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names.iter().map(|name| oracle(name)).collect()
}

#[test]
fn every_oracle_is_met_in_double_precision() {
    let oracles = all();
    assert_eq!(oracles.len(), 15);
    for oracle in &oracles {
        let found = compare_reference::<f64>(oracle, &oracle.law.pair_law());
        eprintln!("{:14} f64 {found:?}", oracle.name);
        assert!(found.largest_of_states() <= oracle.tolerance.f64, "{} {found:?}", oracle.name);
        // Beyond the last state of `settle30` round-off has grown a thousandfold every 500 steps.
        assert!(found.energy <= 1e-5, "{} {found:?}", oracle.name);
    }
}

/// Positions and rigid grains are the engine's, contacts are computed in single precision.
#[test]
fn every_oracle_is_met_in_single_precision() {
    for oracle in &all() {
        let found = compare_reference::<f32>(oracle, &oracle.law.pair_law());
        eprintln!("{:14} f32 {found:?}", oracle.name);
        assert!(found.largest_of_states() <= oracle.tolerance.f32, "{} {found:?}", oracle.name);
        assert!(found.energy <= oracle.tolerance.f32_energy.unwrap_or(0.0), "{} {found:?}", oracle.name);
    }
}

/// The solver itself: lists, sorting, exact positions, walls in double precision, sixteen contacts at a time.
#[test]
fn every_oracle_is_met_by_the_solver() {
    for oracle in &all() {
        let found = compare_engine(oracle, EngineOptions { threads: 2, ..EngineOptions::default() }).unwrap();
        eprintln!("{:14} dem {found:?}", oracle.name);
        assert!(found.largest_of_states() <= oracle.tolerance.f32, "{} {found:?}", oracle.name);
        assert!(found.energy <= oracle.tolerance.f32_energy.unwrap_or(0.0), "{} {found:?}", oracle.name);
    }
}

/// The first 500 steps of `settle30`, with every point and vector changed by `map`.
fn settle30_elsewhere(
    map: impl Fn([f64; 3], bool) -> [f64; 3],
    walls: &[(usize, f64, Option<f64>)],
) -> Oracle {
    let mut oracle = oracle("settle30");
    let rows = oracle.samples.iter_mut().flat_map(|sample| sample.state.iter_mut().map(Vec::as_mut_slice));
    for row in rows.chain(oracle.spheres.iter_mut().map(|sphere| sphere.as_mut_slice())) {
        for (k, part) in row[..9].chunks_exact_mut(3).enumerate() {
            part.copy_from_slice(&map([part[0], part[1], part[2]], k == 0));
        }
    }
    oracle.gravity = map(oracle.gravity, false);
    for (wall, &(axis, lo, hi)) in oracle.walls.iter_mut().zip(walls) {
        (wall.axis, wall.lo, wall.hi) = (axis, Some(lo), hi);
    }
    oracle.steps = 500;
    oracle.energies.clear();
    oracle
}

/// Ten metres away, and turned by 90 degrees about the vertical.
#[test]
fn places_and_directions_do_not_matter_in_single_precision() {
    let far = settle30_elsewhere(
        |x, is_point| if is_point { x.map(|x| x + 10.0) } else { x },
        &[(2, 10.0, None), (0, 10.0, Some(10.012)), (1, 10.0, Some(10.012))],
    );
    let turned = settle30_elsewhere(
        |[x, y, z], _| [-y, x, z],
        &[(2, 0.0, None), (1, 0.0, Some(0.012)), (0, -0.012, Some(0.0))],
    );
    for oracle in [far, turned] {
        let own = compare_engine(&oracle, EngineOptions::default()).unwrap();
        eprintln!("settle30 elsewhere dem {own:?}");
        assert!(own.largest_of_states() <= oracle.tolerance.f32, "{own:?}");
        let found = compare_reference::<f32>(&oracle, &oracle.law.pair_law());
        eprintln!("settle30 elsewhere f32 {found:?}");
        assert!(found.largest_of_states() <= oracle.tolerance.f32, "{found:?}");
    }
}

/// Deliberate faults in the law.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// Tangential springs are not relaxed at unloading.
    UnscaledHistory,
    /// Dashpots along the normal push where they should brake.
    DampingSign,
}

impl Fault {
    fn law(self, oracle: &Oracle) -> PairLaw<f64> {
        let mut law = oracle.law.pair_law();
        match self {
            Self::UnscaledHistory => law.tangential.model = TangentialModel::Mindlin,
            Self::DampingSign => law.normal.damping_factor = -law.normal.damping_factor,
        }
        law
    }
}

#[test]
fn faults_in_the_law_are_found_in_both_precisions() {
    for (fault, name) in [(Fault::UnscaledHistory, "press_shear"), (Fault::DampingSign, "head_on_0.1")] {
        let oracle = oracle(name);
        let law = fault.law(&oracle);
        let (double, single) =
            (compare_reference::<f64>(&oracle, &law), compare_reference::<f32>(&oracle, &law));
        eprintln!("{fault:?} {name} {double:?}");
        let least = 10.0 * oracle.tolerance.f32;
        assert!(double.largest_of_states() > least && single.largest_of_states() > least, "{fault:?}");
    }
}

/// The same faults in the solver.
#[test]
fn faults_in_the_law_of_the_solver_are_found() {
    for (defect, name) in [(Defect::UnscaledHistory, "press_shear"), (Defect::DampingSign, "head_on_0.1")] {
        let oracle = oracle(name);
        let options = EngineOptions { defect: Some(defect), ..EngineOptions::default() };
        let found = compare_engine(&oracle, options).unwrap();
        eprintln!("{defect:?} {name} {found:?}");
        assert!(found.largest_of_states() > 10.0 * oracle.tolerance.f32, "{defect:?}");
    }
}

/// A sphere that rolls on a plane slows down by (5/7) mu_r g.
#[test]
fn rolling_spheres_slow_down_by_their_friction() {
    let mut oracle = oracle("roll_slide");
    let (g, mu) = (9.81, oracle.law.rolling.unwrap().mu);
    oracle.gravity = [0.0, 0.0, -g];
    // The one that rolls, at the depth that bears its weight.
    let mut sphere = oracle.spheres[1];
    let mass = 4.0 / 3.0 * std::f64::consts::PI * sphere[9].powi(3) * sphere[10];
    let stiffness = 4.0 / 3.0 * oracle.law.pair_law().normal.stiffness * sphere[9].sqrt();
    sphere[2] = sphere[9] - (mass * g / stiffness).powf(2.0 / 3.0);
    oracle.spheres = vec![sphere];
    let mut grains = Reference::<f64>::new(&oracle);
    let mut speed_after = |steps: u32| {
        (0..steps).for_each(|_| grains.step());
        grains.state()[0][3]
    };
    let (early, late) = (speed_after(4000), speed_after(8000));
    let deceleration = (early - late) / (8000.0 * oracle.dt);
    assert!(late > 0.02, "it still rolls: {late}");
    assert!((deceleration / (5.0 / 7.0 * mu * g) - 1.0).abs() < 2e-3, "{deceleration}");
}

#[test]
fn files_that_do_not_fit_are_refused() {
    let text = std::fs::read_to_string(folder().join("head_on_0.1.json")).unwrap();
    let refusal = |from: &str, to: &str| {
        assert!(text.contains(from));
        Oracle::from_json(&text.replacen(from, to, 1)).unwrap_err().to_string()
    };
    assert!(refusal("\"dt\": 1.08e-05", "\"dt\": 0").contains("dt is 0"));
    assert!(
        refusal("\"steps\": 140", "\"prescribed\": {\"2\": {\"kind\": \"fixed\"}}, \"steps\": 140")
            .contains("no sphere 2")
    );
    assert!(refusal("\"hertz\"", "\"herz\"").contains("herz"));
    assert!(refusal("0.0025, 2500.0]", "0.0, 2500.0]").contains("no volume"));
    assert!(Oracle::from_json("{").is_err());
}
