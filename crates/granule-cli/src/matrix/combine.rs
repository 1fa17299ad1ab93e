//! From the measurements of several seeds to means with intervals.

use granule::measure::{Measurement, Plot, Point, Series};

use super::record::{PlotRecord, PointRecord, SeriesRecord, finite};

/// Points of several seeds as one; says what is wrong where seeds did not measure the same.
pub fn points(runs: &[Measurement]) -> Result<Vec<PointRecord>, String> {
    let Some(first) = runs.first() else { return Ok(Vec::new()) };
    if let Some(other) = runs.iter().find(|run| run.points.len() != first.points.len()) {
        return Err(format!(
            "seeds measured different quantities: {} and {} of them",
            first.points.len(),
            other.points.len()
        ));
    }
    let column = |k: usize| runs.iter().map(|run| &run.points[k]).collect::<Vec<_>>();
    (0..first.points.len()).map(|k| point(&column(k))).collect()
}

fn point(seeds: &[&Point]) -> Result<PointRecord, String> {
    let first = seeds[0];
    if let Some(other) = seeds.iter().find(|point| point.quantity != first.quantity) {
        return Err(format!(
            "seeds measured different quantities: {} and {}",
            first.quantity, other.quantity
        ));
    }
    let values: Vec<f64> = seeds.iter().map(|point| point.measured).collect();
    let mean = mean(&values);
    // References and ranges may follow from what a seed measured.
    let over =
        |of: &dyn Fn(&Point) -> f64| self::mean(&seeds.iter().map(|point| of(point)).collect::<Vec<_>>());
    let range = [over(&|point| point.range[0]), over(&|point| point.range[1])];
    let interval = interval(&values);
    let inside = |[low, high]: [f64; 2]| mean >= low && mean <= high;
    let as_peer = !inside(range) && first.peer.is_some_and(|peer| inside(peer.range));
    let close = interval.is_some_and(|half| range.iter().any(|end| (mean - end).abs() < half));
    let input = |k: usize| over(&|point: &Point| point.inputs.get(k).map_or(f64::NAN, |(_, value)| *value));
    let names = first.inputs.iter().enumerate();
    Ok(PointRecord {
        quantity: first.quantity.clone(),
        inputs: names.map(|(k, (name, _))| (name.clone(), finite(input(k)))).collect(),
        measured: finite(mean),
        interval,
        values: values.into_iter().map(finite).collect(),
        reference: first.reference.and_then(|_| finite(over(&|point| point.reference.unwrap_or(f64::NAN)))),
        range: range.map(finite),
        source: first.source.clone(),
        pass: inside(range) || as_peer,
        peer: first.peer.map(|peer| [peer.measured, peer.range[0], peer.range[1]]),
        as_peer,
        close,
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Half of the interval in which the mean lies with 95 %, by Student's t; nothing for a single value.
pub fn interval(values: &[f64]) -> Option<f64> {
    const STUDENT: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    let count = values.len();
    if count < 2 {
        return None;
    }
    let mean = mean(values);
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1) as f64;
    // Beyond the table within 1 %.
    let t = STUDENT.get(count - 2).copied().unwrap_or(1.96 + 2.6 / (count - 1) as f64);
    finite(t * (variance / count as f64).sqrt())
}

/// Plots of several seeds as one each.
pub fn plots(runs: &[Measurement]) -> Vec<PlotRecord> {
    let Some(first) = runs.first() else { return Vec::new() };
    let of = |k: usize| runs.iter().filter_map(|run| run.plots.get(k)).collect::<Vec<_>>();
    (0..first.plots.len()).map(|k| plot(&of(k))).collect()
}

fn plot(seeds: &[&Plot]) -> PlotRecord {
    let first = seeds[0];
    let of = |k: usize| seeds.iter().filter_map(|plot| plot.series.get(k)).collect::<Vec<_>>();
    PlotRecord {
        title: first.title.clone(),
        x_label: first.x_label.clone(),
        y_label: first.y_label.clone(),
        logarithmic: first.logarithmic,
        series: (0..first.series.len()).flat_map(|k| series(k, &of(k))).collect(),
    }
}

/// Points that a line of a plot is drawn with at most.
const POINTS: usize = 400;

/// A line with so many points that they cannot be told apart, with fewer of them; its ends stay.
fn thinned<T: Clone>(points: &[T], line: bool) -> Vec<T> {
    let count = points.len();
    if !line || count <= POINTS {
        return points.to_vec();
    }
    (0..POINTS).map(|k| points[k * (count - 1) / (POINTS - 1)].clone()).collect()
}

/// A series of several seeds: means with intervals where all have the same x, else all of them.
fn series(number: usize, seeds: &[&Series]) -> Vec<SeriesRecord> {
    let first = seeds[0];
    let same_x = seeds.iter().all(|series| {
        let pairs = series.points.iter().zip(&first.points);
        series.points.len() == first.points.len() && { pairs }
            .all(|(a, b)| (a[0] - b[0]).abs() <= 1e-9 * b[0].abs())
    });
    let record = |name: &str, points: Vec<[Option<f64>; 2]>, interval: Vec<Option<f64>>| SeriesRecord {
        name: name.into(),
        points: thinned(&points, first.line),
        interval: thinned(&interval, first.line),
        line: first.line,
        number,
    };
    if same_x {
        let y = |k: usize| seeds.iter().map(|series| series.points[k][1]).collect::<Vec<_>>();
        let count = first.points.len();
        let points = (0..count).map(|k| [finite(first.points[k][0]), finite(mean(&y(k)))]).collect();
        let intervals =
            if seeds.len() > 1 { (0..count).map(|k| interval(&y(k))).collect() } else { Vec::new() };
        return vec![record(&first.name, points, intervals)];
    }
    let all = seeds.iter().enumerate().map(|(k, series)| {
        let points = series.points.iter().map(|point| point.map(finite)).collect();
        record(if k == 0 { &first.name } else { "" }, points, Vec::new())
    });
    all.collect()
}

/// Hash over the bits of all numbers (FNV-1a of 64 bits).
pub fn hash(points: &[PointRecord]) -> String {
    let values = points.iter().flat_map(|point| &point.values);
    let bytes = values.flat_map(|value| value.unwrap_or(f64::NAN).to_bits().to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(measured: f64) -> Measurement {
        let point = Point::new("angle [degrees]", measured, [25.0, 35.0], "a source").with("theta", 30.0);
        let series = Series {
            name: "granule".into(),
            points: vec![[1.0, measured], [2.0, 2.0 * measured]],
            line: false,
        };
        let plot = Plot {
            name: "angle".into(),
            title: "Angle".into(),
            x_label: "x".into(),
            y_label: "y".into(),
            logarithmic: false,
            series: vec![series],
        };
        Measurement { points: vec![point], plots: vec![plot], ..Measurement::default() }
    }

    #[test]
    fn several_seeds_give_means_with_intervals() {
        let runs = [run(29.0), run(30.0), run(31.0)];
        let point = &points(&runs).unwrap()[0];
        // t(95 %, 2) s/sqrt(3) with s = 1.
        assert!((point.interval.unwrap() - 4.303 / 3f64.sqrt()).abs() < 1e-9);
        assert_eq!((point.measured, point.pass, point.close), (Some(30.0), true, false));
        assert_eq!(point.inputs, [("theta".to_string(), Some(30.0))]);
        let series = &plots(&runs)[0].series;
        assert_eq!((series.len(), series[0].points[1]), (1, [Some(2.0), Some(60.0)]));
        assert!(series[0].interval[1].unwrap() > series[0].interval[0].unwrap());
    }

    #[test]
    fn what_lies_within_an_interval_of_its_limit_is_close() {
        let close = &points(&[run(33.0), run(34.0), run(35.0)]).unwrap()[0];
        assert!(close.pass && close.close);
        let failed = &points(&[run(35.5), run(36.5), run(36.0)]).unwrap()[0];
        assert!(!failed.pass && failed.close);
        let alone = &points(&[run(34.999)]).unwrap()[0];
        assert!(alone.pass && !alone.close && alone.interval.is_none());
    }

    #[test]
    fn seeds_that_measure_something_else_are_not_mixed() {
        let mut other = run(30.0);
        other.points[0].quantity = "height".into();
        assert!(points(&[run(30.0), other.clone()]).unwrap_err().contains("height"));
        other.points.clear();
        assert!(points(&[run(30.0), other]).is_err());
    }

    #[test]
    fn numbers_that_are_not_finite_fail_and_can_be_written() {
        let point = &points(&[run(f64::NAN)]).unwrap()[0];
        assert!(!point.pass && point.measured.is_none());
        assert_eq!(serde_json::to_value(point).unwrap()["measured"], serde_json::Value::Null);
    }

    #[test]
    fn long_lines_keep_their_ends() {
        let points: Vec<usize> = (0..10_000).collect();
        let thin = thinned(&points, true);
        assert_eq!((thin.len(), thin[0], thin[POINTS - 1]), (POINTS, 0, 9999));
        assert_eq!(thinned(&points, false).len(), points.len());
    }

    #[test]
    fn the_hash_knows_every_bit() {
        let hash_of = |value: f64| hash(&points(&[run(value)]).unwrap());
        assert_eq!(hash_of(30.0), hash_of(30.0));
        assert_ne!(hash_of(30.0), hash_of(f64::from_bits(30f64.to_bits() + 1)));
    }
}
