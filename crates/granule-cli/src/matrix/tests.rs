//! What reports say, and that no broken solver comes through.

use granule::solver::Defect;

use super::*;

/// A report about experiments of a solver in a new folder.
fn made(
    folder: &Path,
    experiments: &[&str],
    solver: SolverKind,
    defect: Option<Defect>,
) -> (Result<(), Failure>, Report, String) {
    let options = MeasureOptions {
        quick: true,
        simulation: Options { defect, ..Options::default() },
        ..MeasureOptions::default()
    };
    let request = Request {
        folder,
        experiments: experiments.iter().filter_map(|name| Experiment::find(name)).collect(),
        solvers: vec![solver],
        options,
        device: "cpu",
        adapter: "",
        threads: 2,
        seeds: 1,
        controls: false,
        json: false,
        announce: &|| (),
        words: ["coupled".into(), "tan".into()],
    };
    let verdict = report(&request, &Interrupt::default());
    let text = std::fs::read_to_string(folder.join("report.json")).unwrap();
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    (verdict, serde_json::from_str(&text).unwrap(), page)
}

#[test]
fn a_sound_solver_passes_and_is_not_measured_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (verdict, first, page) = made(folder.path(), &["impact", "hold"], SolverKind::Dem, None);
    assert!(
        verdict.is_ok() && first.pass && first.complete && page.contains("every claim holds"),
        "{verdict:?}"
    );
    assert_eq!(first.experiments.len(), 2);
    let (_, again, _) = made(folder.path(), &["impact", "hold"], SolverKind::Dem, None);
    let seconds = |report: &Report| report.experiments.iter().map(|cell| cell.seconds).collect::<Vec<_>>();
    assert_eq!(seconds(&first), seconds(&again), "a finished experiment was run again");
}

/// The gate of each fault that is quick enough for every run of the tests; `--controls` runs them all.
#[test]
fn a_broken_solver_fails_at_its_gate() {
    for control in CONTROLS {
        let granule::measure::Fault::Defect(defect) = control.fault else { continue };
        if !["impact", "oblique", "liquid"].contains(&control.experiment) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let (verdict, report, page) =
            made(folder.path(), &[control.experiment], control.solver, Some(defect));
        assert!(verdict.is_err() && !report.pass && !page.contains("every claim holds"), "{defect:?}");
        let gate = |cell: &Cell| {
            cell.points.iter().any(|point| !point.pass && point.quantity.contains(control.gate))
        };
        assert!(report.experiments.iter().any(|cell| cell.is_failure() && gate(cell)), "{defect:?}");
    }
}

/// Also where the experiments asked for do not notice the fault.
#[test]
fn no_deliberate_fault_gives_a_page_that_says_pass() {
    for defect in Defect::ALL {
        let folder = tempfile::tempdir().unwrap();
        let (verdict, report, page) = made(folder.path(), &["hold"], SolverKind::Dem, Some(defect));
        assert!(verdict.is_err() && !report.pass, "{defect:?}");
        assert!(page.contains(&format!("broken on purpose by {defect:?}")), "{defect:?}");
    }
}

#[test]
fn a_cell_of_a_broken_solver_is_not_used_for_a_sound_one() {
    let folder = tempfile::tempdir().unwrap();
    let _ = made(folder.path(), &["impact"], SolverKind::Dem, Some(Defect::DampingSign));
    let options = Parameters {
        quick: true,
        large: false,
        seeds: 1,
        device: "cpu".into(),
        friction: "coupled".into(),
        yield_law: "tan".into(),
        fault: None,
    };
    let refused = ReportFolder::open(folder.path(), &options);
    assert!(matches!(refused.err(), Some(Failure::Input(reason)) if reason.contains("other parameters")));
}
