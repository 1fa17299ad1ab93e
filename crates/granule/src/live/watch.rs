//! Whether a scene's file has changed on disk.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

/// How often a file is looked at.
const INTERVAL: Duration = Duration::from_millis(250);

/// When a file was written and how long it is; none where there is none.
type Stamp = Option<(SystemTime, u64)>;

/// A file that is looked at from time to time.
pub(super) struct Watch {
    path: PathBuf,
    loaded: Stamp,
    seen: Stamp,
    next: Instant,
}

impl Watch {
    /// Watches a file as it is now.
    pub(super) fn new(path: PathBuf) -> Self {
        let loaded = stamp(&path);
        Self { path, loaded, seen: loaded, next: Instant::now() + INTERVAL }
    }

    /// How long until it is looked at again.
    pub(super) fn wait(&self, now: Instant) -> Duration {
        self.next.saturating_duration_since(now)
    }

    /// Looks at the file if it is time: whether it is another one than before. Says so only once two looks agree, since
    /// programs write files in parts, and only once per change.
    pub(super) fn has_changed(&mut self, now: Instant) -> bool {
        if now < self.next {
            return false;
        }
        self.next = now + INTERVAL;
        let found = stamp(&self.path);
        let settled = found == self.seen;
        self.seen = found;
        let changed = settled && found != self.loaded;
        if changed {
            self.loaded = found;
        }
        changed
    }
}

fn stamp(path: &PathBuf) -> Stamp {
    let data = fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}
