//! Fits and means.

/// Slope, intercept and R2 of the least-squares line through the points.
pub fn linear_fit(points: &[[f64; 2]]) -> (f64, f64, f64) {
    let n = points.len() as f64;
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / n;
    let (mx, my) = (mean(0), mean(1));
    let sxx: f64 = points.iter().map(|p| (p[0] - mx).powi(2)).sum();
    let syy: f64 = points.iter().map(|p| (p[1] - my).powi(2)).sum();
    let sxy: f64 = points.iter().map(|p| (p[0] - mx) * (p[1] - my)).sum();
    let slope = sxy / sxx;
    let r_squared = if syy > 0.0 { sxy * sxy / (sxx * syy) } else { 1.0 };
    (slope, my - slope * mx, r_squared)
}

/// Exponent and factor of the power law y = factor x^exponent through the points.
pub fn power_fit(points: &[[f64; 2]]) -> (f64, f64) {
    let logarithms: Vec<[f64; 2]> = points.iter().map(|p| [p[0].ln(), p[1].ln()]).collect();
    let (slope, intercept, _) = linear_fit(&logarithms);
    (slope, intercept.exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_exactly() {
        let points: Vec<[f64; 2]> = (0..10).map(|k| [k as f64, 3.0 - 0.5 * k as f64]).collect();
        let (slope, intercept, r_squared) = linear_fit(&points);
        assert!(
            (slope + 0.5).abs() < 1e-12 && (intercept - 3.0).abs() < 1e-12 && (r_squared - 1.0).abs() < 1e-12
        );
    }

    #[test]
    fn a_power_law_is_found_exactly() {
        let points: Vec<[f64; 2]> =
            [1.0, 2.0, 5.0, 9.0].iter().map(|&x: &f64| [x, 1.6 * x.powf(0.5)]).collect();
        let (exponent, factor) = power_fit(&points);
        assert!((exponent - 0.5).abs() < 1e-12 && (factor - 1.6).abs() < 1e-12);
    }
}
