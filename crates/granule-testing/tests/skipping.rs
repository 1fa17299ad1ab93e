//! A test that needs an adapter, run again where there is none.

use std::process::{Command, Output};

use granule_testing::{REQUIRE_ADAPTER, SKIPPED_TESTS, device};

/// The test that the others run.
#[test]
fn needs_an_adapter() {
    let Some(gpu) = device() else { return };
    assert!(!gpu.adapter.name.is_empty());
}

/// Runs [`needs_an_adapter`] where no adapter fits, and reads what it recorded.
fn without_an_adapter(case: &str, variables: &[(&str, &str)]) -> (Output, String) {
    let record = std::env::temp_dir().join(format!("granule-skipped-{}-{case}", std::process::id()));
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "needs_an_adapter", "--nocapture", "--test-threads=2"]);
    command.env_remove("CI").env_remove(REQUIRE_ADAPTER);
    command.env("GRANULE_ADAPTER", "no such card").env(SKIPPED_TESTS, &record);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let lines = std::fs::read_to_string(&record).unwrap_or_default();
    // The record may not be there.
    let _ = std::fs::remove_file(record);
    (output, lines)
}

#[test]
fn a_missing_adapter_fails_where_one_is_required() {
    for (case, variable) in [("required", (REQUIRE_ADAPTER, "1")), ("ci", ("CI", "true"))] {
        let (output, lines) = without_an_adapter(case, &[variable]);
        assert!(!output.status.success(), "{case} let it pass");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("adapter") && text.contains(REQUIRE_ADAPTER), "{text}");
        assert_eq!(lines, "");
    }
}

#[test]
fn a_missing_adapter_skips_with_one_line_and_a_record() {
    for (case, variables) in [("unset", &[][..]), ("zero", &[(REQUIRE_ADAPTER, "0"), ("CI", "true")])] {
        let (output, lines) = without_an_adapter(case, variables);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{case}: {text}");
        let said: Vec<&str> = text.lines().filter(|line| line.starts_with("skipped: ")).collect();
        assert_eq!(said.len(), 1, "{text}");
        assert!(said[0].contains("needs_an_adapter") && said[0].contains("adapter"), "{text}");
        let line = lines.strip_suffix('\n').unwrap();
        let (test, reason) = line.split_once('\t').unwrap();
        assert_eq!(test, "needs_an_adapter");
        assert!(reason.contains("adapter") && !line.contains('\n'), "{lines}");
    }
}

#[test]
fn a_record_that_cannot_be_written_fails_the_test() {
    let (output, _) = without_an_adapter("folder", &[(SKIPPED_TESTS, "/no/such/folder/record")]);
    assert!(!output.status.success());
}
