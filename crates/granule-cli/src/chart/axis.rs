//! Axes: ranges, places of values, and values that get a label.

/// An axis of a chart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    /// An axis around values, with some room at both ends.
    pub fn around(values: impl Iterator<Item = f64>, logarithmic: bool) -> Self {
        let (low, high) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = match (low <= high, logarithmic) {
            (false, true) => (0.1, 10.0),
            (false, false) => (0.0, 1.0),
            (true, true) => (low / 1.25, high * 1.25),
            (true, false) if low == high => (low - 1.0, high + 1.0),
            (true, false) => (low - 0.05 * (high - low), high + 0.05 * (high - low)),
        };
        Self { low, high, logarithmic }
    }

    /// Where on the axis a value lies, from 0 to 1.
    pub fn share(&self, value: f64) -> f64 {
        match self.logarithmic {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        }
    }

    /// Values that get a label: round ones, about `count` of them.
    pub fn ticks(&self, count: usize) -> Vec<f64> {
        let decades = if self.logarithmic { (self.high / self.low).log10() } else { 0.0 };
        if decades < 0.8 {
            return self.linear_ticks(count);
        }
        let digits: &[f64] = if decades > 2.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let powers = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let all = powers.flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
        let inside: Vec<f64> = all.filter(|value| (self.low..=self.high).contains(value)).collect();
        let every = inside.len().div_ceil(2 * count.max(1)).max(1);
        inside.into_iter().step_by(every).collect()
    }

    fn linear_ticks(&self, count: usize) -> Vec<f64> {
        let rough = (self.high - self.low) / count.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        if !(step.is_finite() && step > 0.0) {
            return Vec::new();
        }
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        // Whole multiples, so that zero is zero.
        (first..=last).take(50).map(|k| k as f64 * step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = Axis::around([0.0, 7.3].into_iter(), false);
        assert_eq!(axis.ticks(5), [0.0, 2.0, 4.0, 6.0]);
        let axis = Axis::around([0.5, 8.0].into_iter(), true);
        assert_eq!(axis.ticks(6), [0.5, 1.0, 2.0, 5.0, 10.0]);
        let axis = Axis::around([1e-6, 1.0].into_iter(), true);
        assert_eq!(axis.ticks(6).len(), 7);
    }

    #[test]
    fn axes_without_values_or_with_one_have_a_length() {
        for logarithmic in [false, true] {
            for values in [vec![], vec![3.0]] {
                let axis = Axis::around(values.into_iter(), logarithmic);
                assert!(axis.high > axis.low && !axis.ticks(5).is_empty());
                assert!((axis.share(axis.high) - 1.0).abs() < 1e-12);
            }
        }
    }
}
