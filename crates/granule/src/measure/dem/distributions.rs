//! Statistics of forces: tails, shapes, distances between distributions, correlations.
//!
//! Forces are given over their mean, so that every distribution has the mean 1.

use crate::random::Random;
use crate::statistics::linear_fit;

/// Values over their mean; not a number where there are none.
pub fn normalized(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| value / mean).collect()
}

/// Density of values in bins of a width from 0 on: middle of the bin and density, up to `most`.
pub fn histogram(values: &[f64], width: f64, most: f64) -> Vec<[f64; 2]> {
    let mut counts = vec![0.0; (most / width).round() as usize];
    for value in values {
        if let Some(count) = counts.get_mut((value / width) as usize) {
            *count += 1.0;
        }
    }
    let scale = 1.0 / (values.len() as f64 * width);
    counts.iter().enumerate().map(|(k, count)| [(k as f64 + 0.5) * width, count * scale]).collect()
}

/// Rate beta of an exponential tail exp(-beta f) between two values, as the likeliest one.
///
/// ```text
/// <f - a> = 1/beta - L/(exp(beta L) - 1),   L = b - a      of values between a and b
/// ```
pub fn tail_rate(values: &[f64], [from, to]: [f64; 2]) -> f64 {
    let length = to - from;
    let inside: Vec<f64> = values.iter().filter(|f| **f > from && **f < to).map(|f| f - from).collect();
    let mean = inside.iter().sum::<f64>() / inside.len() as f64;
    if !(mean > 0.0 && mean < 0.5 * length) {
        return f64::NAN;
    }
    // The mean falls with beta.
    let (mut low, mut high) = (1e-6, 1e3);
    for _ in 0..200 {
        let beta = 0.5 * (low + high);
        let expected = 1.0 / beta - length / (beta * length).exp_m1();
        if expected > mean { low = beta } else { high = beta }
    }
    0.5 * (low + high)
}

/// R2 of the line through the logarithm of a histogram between two values.
pub fn tail_straightness(values: &[f64], [from, to]: [f64; 2], width: f64) -> f64 {
    let bins = histogram(values, width, to);
    let tail = bins.into_iter().filter(|[f, density]| *f > from && *density > 0.0);
    linear_fit(&tail.map(|[f, density]| [f, density.ln()]).collect::<Vec<_>>()).2
}

/// Exponent a of a tail ~ exp(-c f^a) of values above the mean: the one that a line through the logarithm of the histogram over
/// f^a fits best, bins weighted by their counts.
pub fn stretched_exponent(values: &[f64]) -> f64 {
    const WIDTH: f64 = 0.25;
    const LEAST: f64 = 5.0;
    let each = 1.0 / (values.len() as f64 * WIDTH);
    let bins = histogram(values, WIDTH, 8.0).into_iter().filter(|[f, p]| *f > 1.0 && *p >= LEAST * each);
    let bins: Vec<[f64; 3]> = bins.map(|[f, p]| [f, p.ln(), p / each]).collect();
    if bins.len() < 5 {
        return f64::NAN;
    }
    let error = |exponent: f64| {
        let weight: f64 = bins.iter().map(|bin| bin[2]).sum();
        let mean =
            |value: &dyn Fn(&[f64; 3]) -> f64| bins.iter().map(|b| b[2] * value(b)).sum::<f64>() / weight;
        let x = |bin: &[f64; 3]| bin[0].powf(exponent);
        let (mx, my) = (mean(&x), mean(&|bin| bin[1]));
        let slope = mean(&|bin| (x(bin) - mx) * (bin[1] - my)) / mean(&|bin| (x(bin) - mx).powi(2));
        mean(&|bin| (bin[1] - my - slope * (x(bin) - mx)).powi(2))
    };
    let exponents = (30..=400).map(|k| 0.01 * f64::from(k));
    exponents.min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(f64::NAN)
}

/// The likeliest shape k of a gamma distribution of mean 1 for values over their mean, and by how much it is the better
/// description than an exponential (difference of Akaike's criteria; above 0 where it is).
///
/// ```text
/// P(f) = k^k f^(k-1) exp(-k f) / Gamma(k),     ln k - psi(k) = -<ln f>
/// ```
pub fn gamma_shape(values: &[f64]) -> [f64; 2] {
    let values: Vec<f64> = normalized(values).into_iter().filter(|value| *value > 0.0).collect();
    let n = values.len() as f64;
    let mean_ln = values.iter().map(|value| value.ln()).sum::<f64>() / n;
    if mean_ln.is_nan() || mean_ln >= 0.0 {
        return [f64::NAN; 2];
    }
    // ln k - psi(k) falls with k.
    let (mut low, mut high) = (1e-3_f64, 1e4_f64);
    for _ in 0..200 {
        let k = (low * high).sqrt();
        if k.ln() - digamma(k) > -mean_ln { low = k } else { high = k }
    }
    let k = (low * high).sqrt();
    let likelihood = n * (k * k.ln() - ln_gamma(k) + (k - 1.0) * mean_ln - k);
    // The exponential of mean 1 has no parameter and the likelihood exp(-n).
    [k, 2.0 * (likelihood + n) - 2.0]
}

/// Where values over their mean are densest: the middle of the fullest of windows of a width of 0.5.
pub fn peak(values: &[f64]) -> f64 {
    const HALF: f64 = 0.25;
    let mut sorted = normalized(values);
    sorted.sort_by(f64::total_cmp);
    let within = |x: f64| {
        sorted.partition_point(|value| *value < x + HALF) - sorted.partition_point(|value| *value < x - HALF)
    };
    // The first of equally full windows.
    (25..=300).map(|k| 0.01 * f64::from(k)).rev().max_by_key(|x| within(*x)).unwrap_or(f64::NAN)
}

/// psi(x), the derivative of ln Gamma(x), for x > 0, by its asymptotic series beyond 10.
fn digamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 10.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    sum + x.ln() - 0.5 / x - y * (1.0 / 12.0 - y * (1.0 / 120.0 - y / 252.0))
}

/// ln Gamma(x) for x > 0, by Stirling's series beyond 10.
fn ln_gamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 10.0 {
        sum -= x.ln();
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = (1.0 / 12.0 - y * (1.0 / 360.0 - y / 1260.0)) / x;
    sum + (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series
}

/// Largest distance between the cumulative distributions of two samples (Kolmogorov, Smirnov).
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    let sorted = |values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted
    };
    let (a, b) = (sorted(a), sorted(b));
    let below =
        |values: &[f64], x: f64| values.partition_point(|value| *value <= x) as f64 / values.len() as f64;
    a.iter().chain(&b).map(|&x| (below(&a, x) - below(&b, x)).abs()).fold(0.0, f64::max)
}

/// Share of the sum that the larger half of the values has.
pub fn share_of_larger_half(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let larger: f64 = sorted[half..].iter().sum();
    // The middle one of an odd number counts by half.
    let middle = if sorted.len() % 2 == 1 { 0.5 * sorted[half] } else { 0.0 };
    (larger - middle) / sorted.iter().sum::<f64>()
}

/// Values below which `share` and above which `share` of what `statistic` gives for samples drawn again lie (bootstrap).
pub fn bootstrap(values: &[f64], share: f64, seed: u64, statistic: impl Fn(&[f64]) -> f64) -> [f64; 2] {
    const DRAWS: usize = 400;
    let mut random = Random::new(seed);
    let mut found: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let place = |unit: f32| ((f64::from(unit) * values.len() as f64) as usize).min(values.len() - 1);
            let again: Vec<f64> =
                (0..values.len()).map(|_| values[place(0.5 * (1.0 + random.signed()))]).collect();
            statistic(&again)
        })
        .collect();
    found.sort_by(f64::total_cmp);
    let at = |part: f64| found[((part * DRAWS as f64) as usize).min(DRAWS - 1)];
    [at(share), at(1.0 - share)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values at even shares of a cumulative distribution, by its inverse.
    fn even(count: usize, inverse: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..count).map(|k| inverse((k as f64 + 0.5) / count as f64)).collect()
    }

    #[test]
    fn an_exponential_has_its_own_tail() {
        for beta in [0.8, 1.35, 2.0] {
            let values = even(200_000, |u| -(1.0 - u).ln() / beta);
            let found = tail_rate(&values, [2.0, 5.0]);
            assert!((found / beta - 1.0).abs() < 0.02, "{found} for {beta}");
            assert!(tail_straightness(&values, [2.0, 5.0], 0.5) > 0.999);
        }
        assert!(tail_rate(&[0.5, 0.7], [2.0, 5.0]).is_nan());
    }

    #[test]
    fn tails_have_their_own_exponents() {
        for exponent in [1.0, 1.5, 2.0] {
            // exp(-f^a) itself, by the sum of its density.
            let steps = 4000;
            let density = |k: usize| (-(0.003 * k as f64).powf(exponent)).exp();
            let all: f64 = (0..steps).map(density).sum();
            let mut values = Vec::new();
            for k in 0..steps {
                values.extend(std::iter::repeat_n(
                    0.003 * k as f64,
                    (density(k) / all * 400_000.0).round() as usize,
                ));
            }
            let found = stretched_exponent(&values);
            assert!((found - exponent).abs() < 0.1, "{found} for {exponent}");
        }
    }

    #[test]
    fn gamma_distributions_are_found() {
        // Sums of k exponential values have the shape k.
        let mut random = Random::new(5);
        for k in [1u32, 4, 9] {
            let sum =
                |random: &mut Random| (0..k).map(|_| -f64::from(1.0 - random.unit()).max(1e-9).ln()).sum();
            let values: Vec<f64> = (0..20_000).map(|_| sum(&mut random)).collect();
            let [shape, better] = gamma_shape(&values);
            assert!((shape / f64::from(k) - 1.0).abs() < 0.05, "{shape} for {k}");
            assert!(if k == 1 { better < 10.0 } else { better > 1000.0 }, "{better} for {k}");
            if k > 1 {
                let most = peak(&values);
                assert!((most - (1.0 - 1.0 / f64::from(k))).abs() < 0.12, "{most} for {k}");
            }
        }
        assert!(
            (ln_gamma(5.0) - 24f64.ln()).abs() < 1e-9
                && (ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-8
        );
        assert!((digamma(1.0) + 0.577_215_664_9).abs() < 1e-8);
    }

    #[test]
    fn a_gaussian_tail_is_not_straight() {
        let values = even(20_000, |u| 5.0 * u);
        assert!(tail_rate(&values, [2.0, 5.0]).is_nan() || tail_rate(&values, [2.0, 5.0]) < 0.05);
        let gaussian = even(20_000, |u| 2.0 * (-(1.0 - u).ln()).sqrt());
        let straight = tail_straightness(&gaussian, [2.0, 5.0], 0.5);
        assert!(straight < 0.98, "{straight}");
    }

    #[test]
    fn distances_of_distributions() {
        let a = even(1000, |u| u);
        assert_eq!(distance(&a, &a), 0.0);
        let moved: Vec<f64> = a.iter().map(|x| x + 0.1).collect();
        assert!((distance(&a, &moved) - 0.1).abs() < 2e-3);
    }

    #[test]
    fn the_larger_half_of_exponential_forces_carries_its_share() {
        // (1 + ln 2)/2 of the sum for an exponential distribution; a half for equal forces.
        let share = share_of_larger_half(&even(100_000, |u| -(1.0 - u).ln()));
        assert!((share - 0.5 * (1.0 + 2f64.ln())).abs() < 1e-3, "{share}");
        assert!((share_of_larger_half(&[1.0; 7]) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn bootstraps_hold_the_mean() {
        let values = even(400, |u| u);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let [low, high] = bootstrap(&values, 0.025, 3, mean);
        // Standard error 1/sqrt(12 400) = 0.0144.
        assert!(low > 0.46 && low < 0.485 && high > 0.515 && high < 0.54, "{low} {high}");
    }

    #[test]
    fn histograms_are_densities() {
        let bins = histogram(&even(1000, |u| 2.0 * u), 0.5, 3.0);
        assert_eq!(bins.len(), 6);
        assert!(bins[..4].iter().all(|bin| (bin[1] - 0.5).abs() < 1e-9) && bins[4][1] == 0.0);
        assert_eq!(normalized(&[1.0, 3.0]), [0.5, 1.5]);
    }
}
