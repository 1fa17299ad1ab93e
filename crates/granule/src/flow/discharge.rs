//! The steady part of a discharge.

use crate::statistics::linear_fit;

/// Share of the discharge at which the steady part begins and ends.
const STEADY: [f64; 2] = [0.2, 0.8];
/// Fewest frames that a line is fitted to.
const LEAST_POINTS: usize = 5;

/// A line through the steady part of a discharge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discharge {
    /// Rate [grains/s].
    pub rate: f64,
    /// R2 of the line: 1 for a rate that does not change.
    pub linearity: f64,
}

/// Fits a line to the middle 60 % of a discharge, given as time \[s\] and grains passed so far.
///
/// The discharge ends where the number first reaches its largest value, so that waiting afterwards does not matter.
/// Nothing if fewer than five frames fall into it.
pub fn discharge(curve: &[[f64; 2]]) -> Option<Discharge> {
    let first = curve.first()?[1];
    let most = curve.iter().map(|point| point[1]).fold(first, f64::max);
    let share = |point: &[f64; 2]| (point[1] - first) / (most - first);
    let steady: Vec<[f64; 2]> = curve
        .iter()
        .copied()
        .filter(|point| share(point) >= STEADY[0] && share(point) <= STEADY[1])
        .collect();
    if steady.len() < LEAST_POINTS {
        return None;
    }
    let (rate, _, linearity) = linear_fit(&steady);
    Some(Discharge { rate, linearity })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(count: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
        (0..=200).map(|k| 0.05 * k as f64).map(|t| [t, count(t)]).collect()
    }

    #[test]
    fn a_steady_rate_is_found_between_a_slow_start_and_a_long_end() {
        let steady = discharge(&curve(|t| (500.0 * (t - 1.0)).clamp(0.0, 2000.0))).unwrap();
        assert!((steady.rate - 500.0).abs() < 1e-9 && (steady.linearity - 1.0).abs() < 1e-12);
    }

    #[test]
    fn water_that_runs_slower_with_its_height_is_not_steady() {
        // Torricelli: the height falls as (1 - t/T)^2, so the rate falls to nothing.
        let water = discharge(&curve(|t| 1000.0 * (1.0 - (1.0 - t / 10.0).powi(2)))).unwrap();
        assert!(water.linearity < 0.995, "{}", water.linearity);
    }

    #[test]
    fn nothing_that_passes_has_no_rate() {
        assert_eq!(discharge(&curve(|_| 3.0)), None);
        assert_eq!(discharge(&[]), None);
        assert_eq!(discharge(&[[0.0, 0.0], [1.0, 5.0], [2.0, 9.0]]), None);
    }
}
