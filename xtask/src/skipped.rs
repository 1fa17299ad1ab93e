//! What a run of the tests left out: tests that skipped themselves, and those that are run by hand only.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::program::target;

/// The environment variable that names the record, as `crates/granule-testing` reads it.
pub const RECORD: &str = "GRANULE_SKIPPED_TESTS";

/// Tests that were left out.
#[derive(Debug, Default)]
pub struct Skipped {
    /// Tests that could not run here, by reason.
    unable: BTreeMap<String, Vec<String>>,
    /// Tests that are ignored unless they are asked for, by reason.
    ignored: BTreeMap<String, Vec<String>>,
}

/// An empty record for the tests to come.
///
/// # Errors
/// Says why the file cannot be made.
pub fn new_record() -> Result<PathBuf, String> {
    let path = target().join("skipped-tests.txt");
    let made = std::fs::create_dir_all(target()).and_then(|()| std::fs::write(&path, ""));
    made.map(|()| path.clone()).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

impl Skipped {
    /// Takes note of a line that the test harness prints: `test NAME ... ignored, REASON`.
    pub fn note(&mut self, line: &str) {
        let Some((test, end)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ignored"))
        else {
            return;
        };
        let reason = end.strip_prefix(", ").unwrap_or("no reason is given");
        self.ignored.entry(reason.trim().into()).or_default().push(test.into());
    }

    /// Takes over the record.
    ///
    /// # Errors
    /// Says why it cannot be read.
    pub fn read(&mut self, record: &Path) -> Result<(), String> {
        let text = std::fs::read_to_string(record)
            .map_err(|error| format!("cannot read {}: {error}", record.display()))?;
        for (test, reason) in text.lines().filter_map(|line| line.split_once('\t')) {
            self.unable.entry(reason.into()).or_default().push(test.into());
        }
        Ok(())
    }

    /// How many tests were left out and why.
    pub fn words(&self) -> String {
        let part = |tests: &BTreeMap<String, Vec<String>>, what: &str| {
            let count: usize = tests.values().map(Vec::len).sum();
            let lines = tests.iter().map(|(reason, names)| {
                format!("\n  {} because: {reason}: {}", names.len(), names.join(", "))
            });
            format!("{count} tests {what}{}", lines.collect::<String>())
        };
        format!("{}\n{}", part(&self.unable, "skipped"), part(&self.ignored, "ignored unless asked for"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_and_ignored_tests_are_counted_with_their_reasons() {
        let record = std::env::temp_dir().join(format!("granule-xtask-skipped-{}", std::process::id()));
        std::fs::write(&record, "a::b\tno adapter\nc\tno adapter\nd\tno disk\n").unwrap();
        let mut skipped = Skipped::default();
        skipped.read(&record).unwrap();
        std::fs::remove_file(record).unwrap();
        skipped.note("test walls::long ... ignored, takes minutes");
        skipped.note("test walls::short ... ok");
        skipped.note("test plain ... ignored");
        let words = skipped.words();
        for part in [
            "3 tests skipped",
            "2 because: no adapter: a::b, c",
            "1 because: no disk: d",
            "2 tests ignored",
            "1 because: takes minutes: walls::long",
            "1 because: no reason is given: plain",
        ] {
            assert!(words.contains(part), "`{part}` is not in: {words}");
        }
    }

    #[test]
    fn a_record_that_is_gone_is_not_taken_for_an_empty_one() {
        assert!(Skipped::default().read(Path::new("/no/such/record")).is_err());
        assert!(Skipped::default().words().starts_with("0 tests skipped\n0 tests ignored"));
    }
}
