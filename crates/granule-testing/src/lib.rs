//! What tests of all crates share: the adapter that they need, and the record of those that were skipped.
//!
//! A test that cannot run where it is says so by [`skip`] and returns. Without an adapter a test fails where
//! [`REQUIRE_ADAPTER`] says so, as `cargo xtask test` does, and else is skipped: no other place decides about that.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::{env, thread};

use granule_device::{AdapterChoice, GpuDevice, Purpose};

/// The environment variable that decides what a missing adapter is: `0` skips tests that need one, anything else lets
/// them fail. Where it is not set, they fail if `CI` is.
pub const REQUIRE_ADAPTER: &str = "GRANULE_REQUIRE_ADAPTER";

/// The environment variable that names a file to which skipped tests are added, a line each: name, tab, reason.
pub const SKIPPED_TESTS: &str = "GRANULE_SKIPPED_TESTS";

/// The machine's best adapter that simulates and draws, opened; nothing where the test is to be skipped.
///
/// # Panics
/// Where there is none and [`REQUIRE_ADAPTER`] demands one.
pub fn device() -> Option<GpuDevice> {
    required_or_skipped(GpuDevice::open_for(&[Purpose::Compute, Purpose::Draw], &AdapterChoice::Auto))
}

/// What needs an adapter; nothing where the test is to be skipped for want of one.
///
/// # Panics
/// With the error, where [`REQUIRE_ADAPTER`] demands an adapter.
pub fn required_or_skipped<T, E: Display>(opened: Result<T, E>) -> Option<T> {
    match opened {
        Ok(opened) => Some(opened),
        Err(error) => {
            assert!(
                !is_required(env::var(REQUIRE_ADAPTER).ok().as_deref(), env::var_os("CI").is_some()),
                "{error}; {REQUIRE_ADAPTER}=0 skips the tests that need an adapter"
            );
            skip(&error.to_string());
            None
        }
    }
}

/// Whether a missing adapter is a failure.
fn is_required(variable: Option<&str>, ci: bool) -> bool {
    match variable.map(str::trim) {
        None | Some("") => ci,
        Some(word) => word != "0",
    }
}

/// Tells that the running test is skipped, by a line on stderr and one in the file of [`SKIPPED_TESTS`]; the test then
/// returns.
///
/// # Panics
/// Where the file cannot be written: a test that nobody hears of must not count as passed.
pub fn skip(reason: &str) {
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    let test = thread::current().name().unwrap_or("a test").to_string();
    eprintln!("skipped: {test}: {reason}");
    if let Some(path) = env::var_os(SKIPPED_TESTS) {
        let recorded = record(Path::new(&path), &test, &reason);
        recorded.unwrap_or_else(|error| panic!("{}: {error}", Path::new(&path).display()));
    }
}

/// Adds a line at once, so that tests of several programs may do so side by side.
fn record(path: &Path, test: &str, reason: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(format!("{test}\t{reason}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::is_required;

    #[test]
    fn the_variable_decides_and_ci_only_where_it_does_not() {
        assert!(is_required(Some("1"), false) && is_required(Some("yes"), false));
        assert!(!is_required(Some("0"), true) && !is_required(Some(" 0 "), true));
        for unset in [None, Some("")] {
            assert!(is_required(unset, true) && !is_required(unset, false));
        }
    }
}
