//! Plots of experiments as SVG.

use std::error::Error;
use std::fs;
use std::ops::Range;
use std::path::Path;

use granule::io::{check_writable, write_bytes_atomic};
use granule::measure::{Plot, Series};
use plotters::chart::SeriesLabelPosition;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;

use crate::failure::Failure;
use crate::output;

/// Size of a plot [pixels].
const SIZE: (u32, u32) = (800, 560);
const COLORS: [RGBColor; 6] = [
    RGBColor(31, 119, 180),
    RGBColor(214, 96, 20),
    RGBColor(44, 140, 60),
    RGBColor(190, 40, 50),
    RGBColor(120, 80, 170),
    RGBColor(110, 90, 70),
];

/// Makes the folder of plots, before time is spent on what cannot be written.
pub fn make_folder(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).and_then(|()| check_writable(folder)).map_err(|error| {
        let folder = folder.display();
        Failure::Input(format!("--plot {folder}: cannot write into the folder: {error}; choose another"))
    })
}

/// Writes every plot as `<name>.svg` into a folder.
pub fn write_all(folder: &Path, plots: &[Plot]) -> Result<(), Failure> {
    let failed = |path: &Path, error: &dyn Error| Failure::Run(format!("{}: {error}", path.display()));
    for plot in plots {
        let path = folder.join(format!("{}.svg", plot.name));
        let svg = svg(plot).map_err(|error| failed(&path, error.as_ref()))?;
        write_bytes_atomic(&path, svg.as_bytes()).map_err(|error| failed(&path, &error))?;
    }
    Ok(())
}

fn svg(plot: &Plot) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    let x = limits(plot, 0);
    let y = limits(plot, 1);
    match plot.logarithmic {
        true => draw(&mut text, plot, x.log_scale(), y.log_scale())?,
        false => draw(&mut text, plot, x, y)?,
    }
    Ok(text)
}

fn draw<X, Y>(text: &mut String, plot: &Plot, x: X, y: Y) -> Result<(), Box<dyn Error>>
where
    X: AsRangedCoord<Value = f64>,
    Y: AsRangedCoord<Value = f64>,
    X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let area = SVGBackend::with_string(text, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(&plot.title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(48)
        .y_label_area_size(64)
        .build_cartesian_2d(x, y)?;
    let format = |value: &f64| output::number(*value);
    chart
        .configure_mesh()
        .x_desc(&plot.x_label)
        .y_desc(&plot.y_label)
        .x_label_formatter(&format)
        .y_label_formatter(&format)
        .light_line_style(BLACK.mix(0.04))
        .draw()?;
    for (series, color) in plot.series.iter().zip(COLORS.iter().cycle()) {
        let points = visible(plot, series);
        if series.line {
            let stroke = color.stroke_width(2);
            let mark = move |(x, y)| PathElement::new([(x, y), (x + 20, y)], stroke);
            chart.draw_series(LineSeries::new(points, stroke))?.label(&series.name).legend(mark);
        } else {
            let fill = color.filled();
            let mark = move |(x, y)| Circle::new((x + 10, y), 4, fill);
            let circles = points.map(|point| Circle::new(point, 4, fill));
            chart.draw_series(circles)?.label(&series.name).legend(mark);
        }
    }
    chart
        .configure_series_labels()
        .position(legend_position(plot))
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.4))
        .draw()?;
    area.present()?;
    Ok(())
}

/// The upper corner with fewer points in it.
fn legend_position(plot: &Plot) -> SeriesLabelPosition {
    let (x, y) = (limits(plot, 0), limits(plot, 1));
    // Where on an axis a value lies, from 0 to 1.
    let share = |value: f64, axis: &Range<f64>| match plot.logarithmic {
        true => (value / axis.start).ln() / (axis.end / axis.start).ln(),
        false => (value - axis.start) / (axis.end - axis.start),
    };
    let points = || plot.series.iter().flat_map(|series| visible(plot, series));
    let high = || points().filter(|point| share(point.1, &y) > 0.6).map(|point| share(point.0, &x));
    match high().filter(|x| *x > 0.6).count() > high().filter(|x| *x < 0.4).count() {
        true => SeriesLabelPosition::UpperLeft,
        false => SeriesLabelPosition::UpperRight,
    }
}

/// The points that can be drawn: finite, and above zero on logarithmic axes.
fn visible<'a>(plot: &'a Plot, series: &'a Series) -> impl Iterator<Item = (f64, f64)> + 'a {
    let drawable = move |value: f64| value.is_finite() && (value > 0.0 || !plot.logarithmic);
    series
        .points
        .iter()
        .filter(move |point| point.iter().all(|v| drawable(*v)))
        .map(|point| (point[0], point[1]))
}

/// Range of an axis around all its points.
fn limits(plot: &Plot, axis: usize) -> Range<f64> {
    let values = || {
        let points = plot.series.iter().flat_map(|series| visible(plot, series));
        points.map(move |(x, y)| if axis == 0 { x } else { y })
    };
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    match (low <= high, plot.logarithmic) {
        (false, true) => 0.1..10.0,
        (false, false) => 0.0..1.0,
        (true, true) => low / 1.25..high * 1.25,
        (true, false) if low == high => low - 1.0..high + 1.0,
        (true, false) => low - 0.05 * (high - low)..high + 0.05 * (high - low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(logarithmic: bool, points: Vec<[f64; 2]>) -> Plot {
        let series = |name: &str, line| Series { name: name.into(), points: points.clone(), line };
        Plot {
            name: "runout".into(),
            title: "Runout of columns".into(),
            x_label: "aspect ratio [1]".into(),
            y_label: "runout [m]".into(),
            logarithmic,
            series: vec![series("measured", false), series("fit", true)],
        }
    }

    #[test]
    fn plots_carry_labels_and_legend_on_both_kinds_of_axes() {
        for logarithmic in [false, true] {
            let svg = svg(&plot(logarithmic, vec![[0.5, 0.6], [2.0, 2.5], [8.0, 6.0]])).unwrap();
            for text in ["Runout of columns", "aspect ratio [1]", "runout [m]", "measured", "fit"] {
                assert!(svg.contains(text), "{text} is missing");
            }
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        }
    }

    #[test]
    fn values_that_cannot_be_drawn_are_left_out() {
        for logarithmic in [false, true] {
            let odd = vec![[f64::NAN, 1.0], [-1.0, 0.0], [1.0, f64::INFINITY], [1.0, 1.0]];
            assert!(!svg(&plot(logarithmic, odd)).unwrap().contains("NaN"));
            svg(&plot(logarithmic, Vec::new())).unwrap();
        }
    }

    #[test]
    fn files_are_named_after_their_plots() {
        let folder = std::env::temp_dir().join(format!("granule-plot-{}", std::process::id()));
        make_folder(&folder).unwrap();
        write_all(&folder, &[plot(false, vec![[0.0, 1.0], [1.0, 2.0]])]).unwrap();
        assert!(folder.join("runout.svg").is_file());
        fs::remove_dir_all(&folder).unwrap();
    }
}
