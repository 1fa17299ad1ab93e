//! The folder of a report: finished cells are kept in it, so that a run can be ended and begun again.

use std::fs;
use std::path::{Path, PathBuf};

use granule::io::{check_writable, write_bytes_atomic};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::failure::Failure;

use super::record::{Cell, ControlCell, FORMAT, Parameters, Report};

/// A folder with a report, or an empty one.
pub struct ReportFolder {
    path: PathBuf,
}

/// What of a file tells whose it is.
#[derive(serde::Deserialize)]
struct Mark {
    format: String,
    parameters: Parameters,
}

impl ReportFolder {
    /// Opens a folder that is new, empty, or has a report with the same parameters; touches nothing else.
    pub fn open(path: &Path, parameters: &Parameters) -> Result<Self, Failure> {
        let shown = path.display();
        let wrong =
            |reason: &str| Failure::Input(format!("--report {shown}: {reason}; choose another folder"));
        if path.exists() && !path.is_dir() {
            return Err(wrong("is not a folder"));
        }
        let is_empty = fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
        if !is_empty {
            let text = fs::read_to_string(path.join("report.json"))
                .map_err(|_| wrong("holds something else than a report"))?;
            let mark: Mark =
                serde_json::from_str(&text).map_err(|_| wrong("report.json in it is not one of a report"))?;
            if mark.format != FORMAT {
                return Err(wrong(&format!("holds a report of another format, `{}`", mark.format)));
            }
            if mark.parameters != *parameters {
                let differences = differences(&mark.parameters, parameters);
                return Err(wrong(&format!("holds a report with other parameters ({differences})")));
            }
        }
        fs::create_dir_all(path.join("cells"))
            .and_then(|()| check_writable(path))
            .map_err(|error| wrong(&format!("cannot write into the folder: {error}")))?;
        Ok(Self { path: path.into() })
    }

    /// A finished cell, where it is there and was made by the same version with the same parameters.
    pub fn cell(&self, name: &str, version: &str, parameters: &Parameters) -> Option<Cell> {
        let cell: Cell = self.read(name)?;
        (cell.program.version == version && cell.parameters == *parameters).then_some(cell)
    }

    /// A finished control, likewise.
    pub fn control(&self, name: &str, version: &str, parameters: &Parameters) -> Option<ControlCell> {
        let cell: ControlCell = self.read(name)?;
        (cell.program.version == version && cell.parameters == *parameters).then_some(cell)
    }

    /// Keeps a finished cell.
    pub fn keep(&self, name: &str, cell: &impl Serialize) -> Result<(), Failure> {
        self.write(&self.cell_path(name), &json(cell)?)
    }

    /// Where the runs of a cell are kept while it is measured.
    pub fn runs(&self, name: &str) -> PathBuf {
        self.path.join("runs").join(name)
    }

    /// Removes the folder of all runs where there are none left.
    pub fn tidy(&self) {
        // One that holds something stays.
        let _ = fs::remove_dir(self.path.join("runs"));
    }

    /// Writes report and page.
    pub fn write_report(&self, report: &Report, page: &str) -> Result<(), Failure> {
        self.write(&self.path.join("report.html"), page)?;
        self.write(&self.path.join("report.json"), &json(report)?)
    }

    /// The page.
    pub fn page(&self) -> PathBuf {
        self.path.join("report.html")
    }

    fn cell_path(&self, name: &str) -> PathBuf {
        self.path.join("cells").join(format!("{name}.json"))
    }

    fn read<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(&fs::read_to_string(self.cell_path(name)).ok()?).ok()
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), Failure> {
        write_bytes_atomic(path, text.as_bytes())
            .map_err(|error| Failure::Run(format!("{}: {error}", path.display())))
    }
}

/// What differs between parameters, in words.
fn differences(there: &Parameters, asked: &Parameters) -> String {
    let rows = [
        ("quick", there.quick.to_string(), asked.quick.to_string()),
        ("large", there.large.to_string(), asked.large.to_string()),
        ("seeds", there.seeds.to_string(), asked.seeds.to_string()),
        ("device", there.device.clone(), asked.device.clone()),
        ("friction", there.friction.clone(), asked.friction.clone()),
        ("yield", there.yield_law.clone(), asked.yield_law.clone()),
        ("fault", format!("{:?}", there.fault), format!("{:?}", asked.fault)),
    ];
    let different = rows.into_iter().filter(|(_, there, asked)| there != asked);
    let words = different.map(|(name, there, asked)| format!("{name} is {there} there, {asked} here"));
    words.collect::<Vec<_>>().join("; ")
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map_err(|error| Failure::Run(format!("cannot write JSON: {error}")))
}
