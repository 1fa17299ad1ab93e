//! What reports have measured: those of `granule measure --report`, and the catalogue that keeps them.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// Marks of a report and of the catalogue.
const REPORT: &str = "granule report 1";
const CATALOGUE: &str = "granule validation 1";
/// Solvers in the order of the page.
pub const SOLVERS: [&str; 4] = ["iisph", "wcsph", "dem", "pbd"];

/// A report, as far as the catalogue is interested.
#[derive(Deserialize)]
pub struct Report {
    format: String,
    version: String,
    git: Option<String>,
    machine: Machine,
    written: String,
    parameters: Parameters,
    #[serde(default)]
    about: Vec<About>,
    experiments: Vec<Measured>,
    not_claimed: Vec<NotClaimed>,
    controls: Vec<Fault>,
}

#[derive(Deserialize)]
struct Machine {
    processor: String,
    threads: usize,
}

#[derive(Deserialize)]
struct Parameters {
    quick: bool,
    #[serde(default)]
    large: bool,
    friction: String,
    #[serde(rename = "yield")]
    yield_law: String,
    fault: Option<String>,
}

/// An experiment in words.
#[derive(Clone, Serialize, Deserialize)]
pub struct About {
    pub experiment: String,
    pub set_up: String,
    pub source: String,
}

/// An experiment that a solver does not claim.
#[derive(Clone, Serialize, Deserialize)]
pub struct NotClaimed {
    pub experiment: String,
    pub solver: String,
    pub reason: String,
}

/// An experiment with a solver, as a report has it.
#[derive(Clone, Serialize, Deserialize)]
pub struct Measured {
    pub experiment: String,
    pub solver: String,
    pub device: String,
    pub seconds: f64,
    pub seeds: Vec<u64>,
    pub claimed: bool,
    pub open: Option<String>,
    pub pass: bool,
    pub error: Option<String>,
    pub points: Vec<Point>,
}

/// A measured number; not finite ones are absent.
#[derive(Clone, Serialize, Deserialize)]
pub struct Point {
    pub quantity: String,
    pub inputs: Vec<(String, Option<f64>)>,
    pub measured: Option<f64>,
    pub interval: Option<f64>,
    pub reference: Option<f64>,
    pub range: [Option<f64>; 2],
    pub source: String,
    pub pass: bool,
    #[serde(default)]
    pub as_peer: bool,
    pub close: bool,
}

/// A deliberate fault and what became of it.
#[derive(Clone, Serialize, Deserialize)]
pub struct Fault {
    pub experiment: String,
    pub solver: String,
    pub fault: String,
    pub gate: String,
    pub caught: bool,
    pub failed: Vec<String>,
    pub error: Option<String>,
}

/// Where something comes from.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    pub version: String,
    pub git: Option<String>,
    pub processor: String,
    pub threads: usize,
    pub written: String,
    pub quick: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub large: bool,
}

impl Origin {
    /// The form of its experiments.
    pub fn form(&self) -> &'static str {
        match (self.quick, self.large) {
            (true, _) => "quick",
            (false, true) => "large",
            (false, false) => "full",
        }
    }
}

/// A cell of the catalogue: what was measured, and where it comes from.
#[derive(Clone, Serialize, Deserialize)]
pub struct Kept<T> {
    #[serde(flatten)]
    pub what: T,
    pub origin: Origin,
}

/// The newest run of every experiment with every solver, form and device.
#[derive(Serialize, Deserialize)]
pub struct Catalogue {
    format: String,
    pub about: Vec<About>,
    pub cells: Vec<Kept<Measured>>,
    pub controls: Vec<Kept<Fault>>,
    pub not_claimed: Vec<NotClaimed>,
}

impl Measured {
    /// Kind of the device, without its threads.
    pub fn device(&self) -> &str {
        self.device.split([',', '(']).next().unwrap_or(&self.device).trim_end()
    }
}

impl Catalogue {
    /// Reads the catalogue; an empty one where there is none.
    ///
    /// # Errors
    /// Says what is wrong with the file.
    pub fn read(path: &Path) -> Result<Self, String> {
        if !path.exists() {
            return Ok(Self::new());
        }
        let wrong = |reason: String| format!("{}: {reason}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let catalogue: Self = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        match catalogue.format == CATALOGUE {
            true => Ok(catalogue),
            false => Err(wrong(format!("is of the format `{}`, not `{CATALOGUE}`", catalogue.format))),
        }
    }

    pub fn new() -> Self {
        Self {
            format: CATALOGUE.into(),
            about: Vec::new(),
            cells: Vec::new(),
            controls: Vec::new(),
            not_claimed: Vec::new(),
        }
    }

    /// Adds what a report has; runs of the same experiment, solver, form and device that are not newer go.
    ///
    /// # Errors
    /// Refuses reports of broken solvers and with other friction than experiments ask for.
    pub fn add(&mut self, report: Report) -> Result<(), String> {
        if report.format != REPORT {
            return Err(format!("is of the format `{}`, not `{REPORT}`", report.format));
        }
        let Parameters { quick, large, friction, yield_law, fault } = report.parameters;
        if let Some(fault) = fault {
            return Err(format!("was made with the deliberate fault {fault}"));
        }
        if (friction.as_str(), yield_law.as_str()) != ("coupled", "tan") {
            return Err(format!(
                "was made with friction `{friction}` and yield `{yield_law}`, not the defaults"
            ));
        }
        let Machine { processor, threads } = report.machine;
        let (version, git, written) = (report.version, report.git, report.written);
        let origin = Origin { version, git, processor, threads, written, quick, large };
        if !report.about.is_empty() {
            self.about = report.about;
        }
        for cell in report.experiments {
            let key = |cell: &Measured, origin: &Origin| {
                let [experiment, solver, device] = [&cell.experiment, &cell.solver, cell.device()];
                [experiment, solver, device, origin.form()].map(String::from)
            };
            keep(&mut self.cells, cell, &origin, key);
        }
        for control in report.controls {
            let key = |control: &Fault, origin: &Origin| {
                let [experiment, solver, fault] = [&control.experiment, &control.solver, &control.fault];
                [experiment, solver, fault, origin.form()].map(String::from)
            };
            keep(&mut self.controls, control, &origin, key);
        }
        for new in report.not_claimed {
            self.not_claimed.retain(|old| (&old.experiment, &old.solver) != (&new.experiment, &new.solver));
            self.not_claimed.push(new);
        }
        self.sort();
        Ok(())
    }

    /// Names of the experiments, in the order of the program.
    pub fn names(&self) -> Vec<&str> {
        self.about.iter().map(|about| about.experiment.as_str()).collect()
    }

    /// Claims that do not hold, and faults that nobody noticed.
    pub fn failures(&self) -> Vec<String> {
        let cells = self.cells.iter().filter(|cell| cell.what.claimed && !cell.what.pass);
        let cells = cells.map(|cell| format!("{} with {}", cell.what.experiment, cell.what.solver));
        let missed = self.controls.iter().filter(|control| !control.what.caught);
        let missed = missed.map(|control| format!("{}: {}", control.what.experiment, control.what.fault));
        cells.chain(missed).collect()
    }

    pub fn to_json(&self) -> Result<String, String> {
        let json = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        Ok(json + "\n")
    }

    fn sort(&mut self) {
        let names: Vec<String> = self.names().into_iter().map(String::from).collect();
        let place = |experiment: &str, solver: &str| {
            let experiment = names.iter().position(|name| name == experiment).unwrap_or(usize::MAX);
            (experiment, SOLVERS.iter().position(|name| *name == solver).unwrap_or(usize::MAX))
        };
        self.cells.sort_by_key(|Kept { what, origin }| {
            (place(&what.experiment, &what.solver), what.device().to_string(), origin.quick, !origin.large)
        });
        self.controls.sort_by_key(|Kept { what, origin }| {
            (place(&what.experiment, &what.solver), what.fault.clone(), origin.quick)
        });
        self.not_claimed.sort_by_key(|row| place(&row.experiment, &row.solver));
    }
}

/// Puts something among others, unless a newer one with the same key is there.
fn keep<T>(all: &mut Vec<Kept<T>>, what: T, origin: &Origin, key: impl Fn(&T, &Origin) -> [String; 4]) {
    let own = key(&what, origin);
    let same = |kept: &Kept<T>| key(&kept.what, &kept.origin) == own;
    if all.iter().any(|kept| same(kept) && kept.origin.written > origin.written) {
        return;
    }
    all.retain(|kept| !same(kept));
    all.push(Kept { what, origin: origin.clone() });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(written: &str, measured: f64, quick: bool, device: &str, fault: Option<&str>) -> Report {
        let fault = fault.map_or("null".into(), |fault| format!("\"{fault}\""));
        let text = format!(
            r#"{{"format": "granule report 1", "version": "0.1.0", "git": null, "written": "{written}",
                "machine": {{"processor": "some", "threads": 2, "memory_gib": 4, "system": "linux"}},
                "parameters": {{"quick": {quick}, "seeds": 1, "device": "cpu", "friction": "coupled", "yield": "tan",
                "fault": {fault}}}, "complete": true, "pass": true,
                "about": [{{"experiment": "hold", "set_up": "A sphere.", "source": "Newton."}}],
                "experiments": [{{"experiment": "hold", "solver": "dem", "device": "{device}", "seconds": 1.0, "seeds": [0],
                "claimed": true, "open": null, "pass": true, "error": null, "points": [{{"quantity": "drift", "inputs": [],
                "measured": {measured}, "interval": null, "values": [], "reference": null, "range": [0.0, null],
                "source": "rest", "pass": true, "close": false}}]}}], "not_claimed": [], "controls": []}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn the_newest_run_of_a_form_and_a_device_is_kept() {
        let mut catalogue = Catalogue::new();
        catalogue.add(report("2026-01-02 00:00", 1.0, true, "cpu, 2 threads", None)).unwrap();
        catalogue.add(report("2026-01-03 00:00", 2.0, true, "cpu, 5 threads", None)).unwrap();
        catalogue.add(report("2026-01-01 00:00", 3.0, true, "cpu, 2 threads", None)).unwrap();
        catalogue.add(report("2026-01-01 00:00", 4.0, false, "cpu, 2 threads", None)).unwrap();
        catalogue.add(report("2026-01-01 00:00", 5.0, true, "gpu: some card", None)).unwrap();
        let numbers: Vec<_> = catalogue.cells.iter().map(|cell| cell.what.points[0].measured).collect();
        assert_eq!(numbers, [Some(4.0), Some(2.0), Some(5.0)]);
        let again: Catalogue = serde_json::from_str(&catalogue.to_json().unwrap()).unwrap();
        assert_eq!(again.to_json(), catalogue.to_json());
    }

    #[test]
    fn large_forms_are_kept_beside_full_ones() {
        let mut catalogue = Catalogue::new();
        catalogue.add(report("2026-01-02 00:00", 1.0, false, "gpu: some card", None)).unwrap();
        let mut large = report("2026-01-03 00:00", 2.0, false, "gpu: some card", None);
        large.parameters.large = true;
        catalogue.add(large).unwrap();
        let forms: Vec<_> = catalogue.cells.iter().map(|cell| cell.origin.form()).collect();
        assert_eq!(forms, ["large", "full"]);
    }

    #[test]
    fn reports_of_broken_solvers_are_refused() {
        let broken = report("2026-01-02 00:00", 1.0, true, "cpu", Some("DampingSign"));
        assert!(Catalogue::new().add(broken).unwrap_err().contains("DampingSign"));
    }

    #[test]
    fn claims_that_do_not_hold_are_named() {
        let mut failing = report("2026-01-02 00:00", 1.0, true, "cpu", None);
        failing.experiments[0].pass = false;
        let mut catalogue = Catalogue::new();
        catalogue.add(failing).unwrap();
        assert_eq!(catalogue.failures(), ["hold with dem"]);
    }
}
