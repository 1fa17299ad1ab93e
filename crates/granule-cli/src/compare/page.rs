//! The page of a comparison.

use std::fmt::Write;

use crate::chart::{Chart, Curve};
use crate::markup::{base64, escape};
use crate::page::{self, number, number_or_dash};
use crate::track::Track;

/// A run with its pictures.
pub struct Shown {
    /// What it did.
    pub track: Track,
    /// PNG files by time \[s\].
    pub pictures: Vec<(f64, Vec<u8>)>,
}

/// The page.
pub fn page(scene: &str, quick: bool, shown: &[Shown]) -> String {
    let mut body = String::new();
    let scene = escape(scene);
    let solvers: Vec<String> =
        shown.iter().map(|shown| format!("<code>{}</code>", escape(&shown.track.solver))).collect();
    let _ = writeln!(
        body,
        "<header>\n<p class=\"kicker\">granule {}</p>\n<h1>{scene} with {} solvers</h1>\n<p class=\"lead\">One scene{}, run with {}: \
         pictures, the deposit, and what it took.</p>\n</header>",
        env!("CARGO_PKG_VERSION"),
        shown.len(),
        if quick { " in its quick form" } else { "" },
        solvers.join(", ")
    );
    table(&mut body, shown);
    strips(&mut body, shown);
    charts(&mut body, shown);
    page::document(&format!("granule: {scene} with several solvers"), &body)
}

fn table(body: &mut String, shown: &[Shown]) {
    body.push_str(
        "<section>\n<h2>Numbers</h2>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">solver</th><th scope=\"col\">particles\
         </th><th scope=\"col\">steps</th><th scope=\"col\">simulated</th><th scope=\"col\">time per simulated second</th><th \
         scope=\"col\">runout</th><th scope=\"col\">crest</th><th scope=\"col\">largest kinetic energy</th><th \
         scope=\"col\">device</th></tr></thead>\n<tbody>\n",
    );
    let last = |points: &[[f64; 2]]| number_or_dash(points.last().map(|point| point[1]));
    for Shown { track, .. } in shown {
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\"><code>{}</code></th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{} s</td><td \
             class=\"n\">{}</td><td class=\"n\">{} m</td><td class=\"n\">{} m</td><td class=\"n\">{} J</td><td>{}</td></tr>",
            escape(&track.solver),
            track.particles,
            track.steps,
            number(track.simulated_seconds),
            page::duration(track.seconds_per_second),
            last(&track.runout),
            last(&track.crest),
            number(track.largest_kinetic_energy),
            escape(&track.device)
        );
    }
    body.push_str("</tbody></table></div>\n");
    for Shown { track, .. } in shown.iter().filter(|shown| shown.track.verdict != "as its scene expects") {
        let _ = writeln!(
            body,
            "<p class=\"note\"><code>{}</code>: {}</p>",
            escape(&track.solver),
            escape(&track.verdict)
        );
    }
    body.push_str(
        "<p class=\"note\">Runout is the mean radius of the connected deposit around the first centre; grains that lie alone do not count. Crest is \
         the height below which 99 % of the particles lie.</p>\n</section>\n",
    );
}

fn strips(body: &mut String, shown: &[Shown]) {
    body.push_str("<section>\n<h2>Pictures</h2>\n");
    for Shown { track, pictures } in shown {
        let _ = writeln!(
            body,
            "<h3><code>{}</code></h3>\n<div class=\"strip\" style=\"grid-template-columns: repeat({}, 1fr)\">",
            escape(&track.solver),
            pictures.len().max(1)
        );
        for (time, png) in pictures {
            let _ = writeln!(
                body,
                "<figure><img alt=\"{} after {} s\" src=\"data:image/png;base64,{}\"><figcaption>{} s</figcaption></figure>",
                escape(&track.solver),
                number(*time),
                base64(png),
                number(*time)
            );
        }
        body.push_str("</div>\n");
    }
    body.push_str("</section>\n");
}

/// A quantity of a run.
type Quantity = fn(&Track) -> &Vec<[f64; 2]>;

fn charts(body: &mut String, shown: &[Shown]) {
    let charts: [(&str, &str, &str, Quantity); 5] = [
        ("The surface at the end", "x [m]", "height [m]", |track| &track.profile),
        ("Runout", "time [s]", "radius of the deposit [m]", |track| &track.runout),
        ("Crest", "time [s]", "height [m]", |track| &track.crest),
        ("Kinetic energy", "time [s]", "energy [J]", |track| &track.kinetic_energy),
        ("Potential energy over weight", "time [s]", "height of the centre [m]", |track| &track.center),
    ];
    body.push_str("<section>\n<h2>Deposit and energy</h2>\n<div class=\"plots\">\n");
    for (title, x_label, y_label, quantity) in charts {
        let curves = shown.iter().enumerate().map(|(color, shown)| Curve {
            name: shown.track.solver.clone(),
            points: quantity(&shown.track).clone(),
            spread: Vec::new(),
            line: true,
            color,
        });
        let chart = Chart {
            title: title.into(),
            x_label: x_label.into(),
            y_label: y_label.into(),
            logarithmic: false,
            curves: curves.collect(),
        };
        let _ = writeln!(body, "<figure>{}</figure>", chart.svg(None));
    }
    body.push_str("</div>\n</section>\n");
}
