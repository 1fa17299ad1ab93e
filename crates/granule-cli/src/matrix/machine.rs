//! What a report was made by, where and when.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use granule::hash::Fnv;

use super::record::{Machine, Program};

/// This program.
pub fn program() -> Program {
    Program {
        version: env!("CARGO_PKG_VERSION").into(),
        git: option_env!("GRANULE_GIT_HASH").map(String::from),
    }
}

/// This very program, for what only the same one may go on with: version, commit, and a hash of its file.
pub fn identity() -> String {
    let Program { version, git } = program();
    let file = std::env::current_exe().and_then(fs::read).unwrap_or_default();
    let mut hash = Fnv::default();
    hash.bytes(&file);
    format!("granule {version}, {}, {:016x}", git.unwrap_or_default(), hash.finish())
}

/// This machine.
pub fn machine(threads: usize) -> Machine {
    let value_of = |file: &str, key: &str| {
        let text = fs::read_to_string(file).ok()?;
        let line = text.lines().find(|line| line.starts_with(key))?;
        line.split_once(':').map(|(_, value)| value.trim().to_string())
    };
    let memory = value_of("/proc/meminfo", "MemTotal");
    let kibibytes = memory.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    Machine {
        processor: value_of("/proc/cpuinfo", "model name").unwrap_or_else(|| "not known".into()),
        threads,
        memory_gib: kibibytes.map(|kibibytes| (kibibytes + (1 << 19)) >> 20),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    }
}

/// The time now, UTC, as 2026-01-31 13:05.
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
    in_words(seconds)
}

/// A date of the Gregorian calendar from seconds since 1970.
fn in_words(seconds: u64) -> String {
    let (mut days, minutes) = (seconds / 86400, seconds % 86400 / 60);
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02} {:02}:{:02}", days + 1, minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(in_words(0), "1970-01-01 00:00");
        assert_eq!(in_words(951_782_400), "2000-02-29 00:00");
        assert_eq!(in_words(1_798_761_599), "2026-12-31 23:59");
    }
}
