//! Progress on stderr: a bar on a terminal, a few plain lines elsewhere.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Steps of the bar.
const BAR_STEPS: u64 = 1000;
/// Time between two updates of the bar.
const REFRESH: Duration = Duration::from_millis(100);
/// Least share of the work between two plain lines.
const LINE_SHARE: f64 = 0.1;
/// Least time between two plain lines.
const LINE_PERIOD: Duration = Duration::from_secs(1);

/// Tells how far something has come.
pub struct Progress {
    label: String,
    started: Instant,
    display: Display,
}

enum Display {
    Bar { bar: ProgressBar, drawn: Option<Instant> },
    Lines { next_share: f64, written: Instant },
}

impl Progress {
    /// Progress of the work called `label`.
    pub fn new(label: impl Into<String>) -> Self {
        let label = label.into();
        let display = match io::stderr().is_terminal() {
            true => Display::Bar { bar: bar(&label), drawn: None },
            false => Display::Lines { next_share: LINE_SHARE, written: Instant::now() },
        };
        Self { label, started: Instant::now(), display }
    }

    /// Says which share from 0 to 1 is done; the words are made only when they are shown.
    pub fn update(&mut self, share: f64, words: impl FnOnce() -> String) {
        let share = share.clamp(0.0, 1.0);
        match &mut self.display {
            Display::Bar { bar, drawn } => {
                if drawn.is_none_or(|last| last.elapsed() >= REFRESH) {
                    *drawn = Some(Instant::now());
                    bar.set_message(words());
                    bar.set_position((share * BAR_STEPS as f64) as u64);
                }
            }
            // A hair of tolerance, since shares are sums.
            Display::Lines { next_share, written }
                if share + 1e-9 >= *next_share && share < 1.0 && written.elapsed() >= LINE_PERIOD =>
            {
                *next_share = ((share + 1e-9) / LINE_SHARE).floor() * LINE_SHARE + LINE_SHARE;
                *written = Instant::now();
                let left = remaining(self.started.elapsed(), share);
                eprintln!("{}: {:.0} %, {}, about {left} left", self.label, 100.0 * share, words());
            }
            Display::Lines { .. } => {}
        }
    }

    /// Removes the bar.
    pub fn finish(self) {
        if let Display::Bar { bar, .. } = self.display {
            bar.finish_and_clear();
        }
    }
}

fn bar(label: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(BAR_STEPS), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{prefix} {bar:12} {percent:>3} %, {eta} left  {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_prefix(label.to_string());
    bar
}

/// Time left if the rest goes as fast, in words.
fn remaining(elapsed: Duration, share: f64) -> String {
    let seconds = (elapsed.as_secs_f64() * (1.0 - share) / share.max(1e-6)).min(1e9) as u64;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_time_is_said_in_the_unit_that_fits() {
        let after = |elapsed, share| remaining(Duration::from_secs(elapsed), share);
        assert_eq!(after(10, 0.5), "10 s");
        assert_eq!(after(60, 0.1), "9 min");
        assert_eq!(after(3600, 0.1), "9 h");
        assert_eq!(after(1, 0.0), "277 h");
    }
}
