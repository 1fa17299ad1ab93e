//! Plots of experiments as SVG files.

use std::fs;
use std::path::Path;

use granule::io::{check_writable, write_bytes_atomic};
use granule::measure::Plot;

use crate::chart::{Chart, Curve, STYLE};
use crate::failure::Failure;

/// Makes the folder of plots, before time is spent on what cannot be written.
pub fn make_folder(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).and_then(|()| check_writable(folder)).map_err(|error| {
        let folder = folder.display();
        Failure::Input(format!("--plot {folder}: cannot write into the folder: {error}; choose another"))
    })
}

/// Writes every plot as `<name>.svg` into a folder.
pub fn write_all(folder: &Path, plots: &[Plot]) -> Result<(), Failure> {
    for plot in plots {
        let path = folder.join(format!("{}.svg", plot.name));
        write_bytes_atomic(&path, chart(plot).svg(Some(STYLE)).as_bytes())
            .map_err(|error| Failure::Run(format!("{}: {error}", path.display())))?;
    }
    Ok(())
}

/// A plot as a chart, a colour per series.
fn chart(plot: &Plot) -> Chart {
    let curves = plot.series.iter().enumerate().map(|(color, series)| Curve {
        name: series.name.clone(),
        points: series.points.clone(),
        spread: Vec::new(),
        line: series.line,
        color,
    });
    Chart {
        title: plot.title.clone(),
        x_label: plot.x_label.clone(),
        y_label: plot.y_label.clone(),
        logarithmic: plot.logarithmic,
        curves: curves.collect(),
    }
}

#[cfg(test)]
mod tests {
    use granule::measure::Series;

    use super::*;

    #[test]
    fn files_are_named_after_their_plots() {
        let series = Series { name: "measured".into(), points: vec![[0.0, 1.0], [1.0, 2.0]], line: true };
        let plot = Plot {
            name: "runout".into(),
            title: "Runout of columns".into(),
            x_label: "aspect ratio [1]".into(),
            y_label: "runout [m]".into(),
            logarithmic: false,
            series: vec![series],
        };
        let folder = std::env::temp_dir().join(format!("granule-plot-{}", std::process::id()));
        make_folder(&folder).unwrap();
        write_all(&folder, &[plot]).unwrap();
        let text = fs::read_to_string(folder.join("runout.svg")).unwrap();
        assert!(text.contains("<style>") && text.contains("Runout of columns"), "{text}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
