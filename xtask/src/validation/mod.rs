//! `cargo xtask validation`: docs/validation.md from what reports have measured and from remarks of people.
//!
//! docs/validation/report.json has every experiment once for every solver, form and device: its newest run. Reports of
//! `granule measure --report` are added to it, whatever machine they come from.

mod page;
mod record;
mod remarks;

use std::fs;
use std::path::{Path, PathBuf};

use record::{Catalogue, Report};
use remarks::Remarks;

/// Adds the reports of folders or files to the catalogue, and makes the page anew.
///
/// # Errors
/// Names the file that cannot be read, or the report that does not belong in the catalogue; nothing is written then.
pub fn run(args: &[&str]) -> Result<(), String> {
    if let Some(flag) = args.iter().find(|arg| arg.starts_with('-')) {
        return Err(format!("unknown argument `{flag}`; folders or files of reports are taken, or nothing"));
    }
    let folder = docs();
    let mut catalogue = Catalogue::read(&folder.join("validation/report.json"))?;
    for path in args.iter().map(Path::new) {
        let file = if path.is_dir() { path.join("report.json") } else { path.into() };
        let wrong = |reason: String| format!("{}: {reason}", file.display());
        let text = fs::read_to_string(&file).map_err(|error| wrong(error.to_string()))?;
        let report: Report = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        catalogue.add(report).map_err(wrong)?;
    }
    let page = page_of(&folder, &catalogue)?;
    if !args.is_empty() {
        write(&folder.join("validation/report.json"), &catalogue.to_json()?)?;
    }
    write(&folder.join("validation.md"), &page)?;
    eprintln!("xtask: wrote docs/validation.md");
    for failure in catalogue.failures() {
        eprintln!("xtask: does not hold: {failure}");
    }
    Ok(())
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

fn page_of(docs: &Path, catalogue: &Catalogue) -> Result<String, String> {
    let file = docs.join("validation/remarks.md");
    let wrong = |reason: String| format!("{}: {reason}", file.display());
    let text = fs::read_to_string(&file).map_err(|error| wrong(error.to_string()))?;
    let remarks = Remarks::parse(&text, &catalogue.names()).map_err(wrong)?;
    Ok(page::page(catalogue, &remarks))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docs_validation_is_current() {
        let folder = docs();
        let catalogue = Catalogue::read(&folder.join("validation/report.json")).unwrap();
        let page = page_of(&folder, &catalogue).unwrap();
        let same = fs::read_to_string(folder.join("validation.md")).unwrap() == page;
        assert!(same, "docs/validation.md is not that of docs/validation/; run `cargo xtask validation`");
    }

    #[test]
    fn every_claim_of_the_catalogue_holds() {
        let catalogue = Catalogue::read(&docs().join("validation/report.json")).unwrap();
        assert_eq!(catalogue.failures(), Vec::<String>::new());
    }

    #[test]
    fn wrong_arguments_are_named() {
        assert!(run(&["--all"]).unwrap_err().contains("`--all`"));
        assert!(run(&["no such folder"]).unwrap_err().contains("no such folder"));
    }
}
