//! What tests of elements of sand share: units of stress, inertial numbers, and means over windows of strain.

use super::sand::{D, DENSITY, GRAVITY, grain_mass};

/// Pressure of the tests [m g/d2]: with E = 1e5 grains overlap by 0.3 % of a diameter.
pub const PRESSURE: f64 = 20.0;

/// A stress \[Pa\] from one in m g/d2.
pub fn pascal(relative: f64) -> f64 {
    relative * grain_mass() * GRAVITY / (D * D)
}

/// The rate of strain [1/s] of an inertial number at the pressure of the tests.
///
/// ```text
/// I = e d sqrt(rho/P)        how far from equilibrium a flow is: quasi-static below about 1e-3 [dC05]
/// ```
pub fn rate_of(inertial_number: f64) -> f64 {
    inertial_number / (D * (DENSITY / pascal(PRESSURE)).sqrt())
}

/// The inertial number of a rate of strain [1/s] at the pressure of the tests.
pub fn inertial_number(rate: f64) -> f64 {
    rate / rate_of(1.0)
}

/// Means of a value over windows of another, from the first on: (middle of the window, mean). Windows without values are left
/// out.
pub fn windows(rows: &[[f64; 2]], width: f64) -> Vec<[f64; 2]> {
    let Some(first) = rows.first() else { return Vec::new() };
    let mut sums: Vec<[f64; 3]> = Vec::new();
    for [x, y] in rows {
        let k = ((x - first[0]) / width).max(0.0) as usize;
        sums.resize(sums.len().max(k + 1), [0.0; 3]);
        let sum = &mut sums[k];
        *sum = [sum[0] + x, sum[1] + y, sum[2] + 1.0];
    }
    sums.iter().filter(|sum| sum[2] > 0.0).map(|sum| [sum[0] / sum[2], sum[1] / sum[2]]).collect()
}

/// Mean of a value where the other lies in a range; not a number where it nowhere does.
pub fn mean_within(rows: &[[f64; 2]], [low, high]: [f64; 2]) -> f64 {
    let inside: Vec<f64> =
        rows.iter().filter(|row| row[0] >= low && row[0] <= high).map(|row| row[1]).collect();
    inside.iter().sum::<f64>() / inside.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::dem::sand::time_scale;

    #[test]
    fn means_are_those_of_their_windows() {
        let rows: Vec<[f64; 2]> = (0..40).map(|k| [0.1 * f64::from(k), f64::from(k)]).collect();
        let means = windows(&rows, 1.0);
        assert_eq!(means.len(), 4);
        assert!((means[1][0] - 1.45).abs() < 1e-9 && (means[1][1] - 14.5).abs() < 1e-9, "{means:?}");
        assert!((mean_within(&rows, [0.95, 1.25]) - 11.0).abs() < 1e-9);
        assert!(mean_within(&rows, [9.0, 10.0]).is_nan());
    }

    /// A pressure of one stress m g/d2 and a rate of 1 per sqrt(d/g): I = sqrt(6/pi).
    #[test]
    fn an_inertial_number_gives_its_rate() {
        let rate = rate_of(0.01) * time_scale();
        let own = rate * (6.0 / std::f64::consts::PI / PRESSURE).sqrt();
        assert!((own - 0.01).abs() < 1e-12, "{own}");
    }
}
