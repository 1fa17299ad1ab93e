//! Threads that do the same work at the same time.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time after which no further round begins.
const ENOUGH: Duration = Duration::from_millis(400);

/// Units per second of all threads together, in the best round. Every thread makes its own `state`, which is not timed,
/// and does `units` of work on it per round.
pub fn best_rate<S>(
    threads: usize,
    units: f64,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S) + Sync,
) -> f64 {
    let (barrier, enough) = (Barrier::new(threads), AtomicBool::new(false));
    let best_round = || {
        let mut state = state();
        let (begin, mut best) = (Instant::now(), Duration::MAX);
        // Nobody changes `enough` between the end of a round and the begin of the next, so all threads end together.
        while !enough.load(Ordering::Relaxed) {
            barrier.wait();
            let start = Instant::now();
            work(&mut state);
            enough.fetch_or(begin.elapsed() > ENOUGH, Ordering::Relaxed);
            barrier.wait();
            best = best.min(start.elapsed());
        }
        best
    };
    let slowest = std::thread::scope(|scope| {
        let team: Vec<_> = (0..threads).map(|_| scope.spawn(best_round)).collect();
        team.into_iter().map(|member| member.join().expect("kernels do not panic")).max()
    });
    threads as f64 * units / slowest.unwrap_or(Duration::MAX).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_threads_work_at_the_same_time() {
        let rate = best_rate(3, 1.0, || (), |()| std::thread::sleep(Duration::from_millis(20)));
        assert!((75.0..150.0).contains(&rate), "3 units in 20 ms are 150 per second: {rate}");
    }
}
