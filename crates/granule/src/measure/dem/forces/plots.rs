//! Plots of forces with the published curves.

use crate::measure::{Plot, Series};

use super::super::distributions::histogram;
use super::Forces;

fn dots(name: &str, points: Vec<[f64; 2]>) -> Series {
    Series { name: name.into(), points, line: false }
}

fn line(name: &str, points: Vec<[f64; 2]>) -> Series {
    Series { name: name.into(), points, line: true }
}

fn logarithms(values: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    values.into_iter().map(|[f, p]| [f, p.log10()]).collect()
}

/// Distribution, correlation, network and angles of a rough bed of grains, the angles beside those of a smooth bed.
pub fn plots(rough: &Forces, smooth: &Forces, of: &str) -> Vec<Plot> {
    let file = of.replace(' ', "-");
    let plot = |name: &str, title: &str, x: &str, y: &str, series| Plot {
        name: format!("forces-{name}-{file}"),
        title: format!("{title}: {of}"),
        x_label: x.into(),
        y_label: y.into(),
        logarithmic: false,
        series,
    };
    // Silbert's constants, renormalised to an integral of 1.
    let silbert = |f: f64| 2.55 / 1.10 * (1.0 - 0.65 * (-f * f).exp()) * (-1.35 * f).exp();
    let published = (1..=60).map(|k| 0.1 * f64::from(k)).map(|f| [f, silbert(f)]).collect();
    let distribution = |forces: &[f64]| logarithms(histogram(forces, 0.25, 6.0));
    vec![
        plot(
            "normal",
            "Forces in a bed",
            "force / mean",
            "log10 of density",
            vec![
                line("Silbert 2002", logarithms(published)),
                dots("normal", distribution(&rough.normal)),
                dots("normal, no friction", distribution(&smooth.normal)),
                dots("tangential", distribution(&rough.tangential)),
            ],
        ),
        plot(
            "correlation",
            "Correlation of forces",
            "distance [d]",
            "F(r)",
            vec![dots("friction 0.5", rough.correlation()), dots("no friction", smooth.correlation())],
        ),
        plot("network", "Contacts and force by threshold", "threshold / mean force", "share", network(rough)),
        plot(
            "angles",
            "Angles of contacts to the vertical",
            "angle [degrees]",
            "density",
            vec![
                dots("friction 0.5", histogram(&rough.angle, 5.0, 90.0)),
                dots("no friction", histogram(&smooth.angle, 5.0, 90.0)),
                dots("above twice the mean force", histogram(&rough.strong_angles(), 5.0, 90.0)),
            ],
        ),
    ]
}

/// Shares of contacts, and of the force, above and below a threshold.
fn network(forces: &Forces) -> Vec<Series> {
    let mut sorted = forces.normal.clone();
    sorted.sort_by(f64::total_cmp);
    let (count, all) = (sorted.len() as f64, sorted.iter().sum::<f64>());
    let shares = |k: u32| {
        let threshold = 0.1 * f64::from(k);
        let below = sorted.partition_point(|force| *force < threshold);
        (threshold, below as f64 / count, sorted[..below].iter().sum::<f64>() / all)
    };
    let curve = |share: fn(f64, f64) -> f64| {
        let points =
            (0..=50).map(shares).map(|(threshold, contacts, force)| [threshold, share(contacts, force)]);
        points.collect::<Vec<_>>()
    };
    vec![
        line("force above", curve(|_, force| 1.0 - force)),
        line("contacts above", curve(|contacts, _| 1.0 - contacts)),
        line("force below", curve(|_, force| force)),
        line("contacts below", curve(|contacts, _| contacts)),
    ]
}
