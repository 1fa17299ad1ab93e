//! How numbers went, over time; a click goes there.

use egui_plot::{HLine, Line, Plot, PlotPoints, VLine};
use granule::scene::ExpectSettings;

use crate::session::{Sample, Session};

type Curve = (&'static str, fn(&Sample) -> f64);

const CURVES: [Curve; 5] = [
    ("Kinetic energy [J]", |sample| sample.kinetic_energy),
    ("Fastest grain [m/s]", |sample| sample.max_speed),
    ("Iterations per step", |sample| sample.iterations),
    ("Time per step [ms]", |sample| sample.step_ms),
    ("Grains", |sample| sample.particles),
];

/// Shows the plots; what the scene expects comes first, with its range.
pub fn show(ui: &mut egui::Ui, session: &Session) {
    let scene = session.frame().scene.clone();
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        for (k, expect) in scene.expect.iter().enumerate() {
            let value = |sample: &Sample| Some([sample.time, (*sample.expected.get(k)?)?]);
            let points: Vec<[f64; 2]> = session.samples().iter().filter_map(value).collect();
            if !points.is_empty() {
                plot(ui, session, &title(expect), points, Some(expect));
            }
        }
        for (name, value) in CURVES {
            let points = session.samples().iter().map(|sample| [sample.time, value(sample)]).collect();
            plot(ui, session, name, points, None);
        }
    });
}

fn title(expect: &ExpectSettings) -> String {
    let word = format!("{:?}", expect.quantity);
    let mut name = String::new();
    for letter in word.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push(' ');
        }
        name.extend(letter.to_lowercase());
    }
    let of = expect.of.as_ref().map_or(String::new(), |of| format!(" of {of}"));
    format!("{name}{of}, expected at the end: {} to {}", expect.range[0], expect.range[1])
}

fn plot(
    ui: &mut egui::Ui,
    session: &Session,
    name: &str,
    points: Vec<[f64; 2]>,
    expect: Option<&ExpectSettings>,
) {
    let (now, fps) = (session.frame().time, session.frame().scene.simulation.fps);
    ui.label(name);
    let plot = Plot::new(name).height(90.0).allow_drag(false).allow_zoom(false).allow_scroll(false);
    let shown = plot.show(ui, |plot| {
        if let Some(expect) = expect {
            let color = egui::Color32::from_rgb(90, 160, 90);
            for edge in expect.range {
                plot.hline(HLine::new("expected", edge).color(color));
            }
        }
        plot.line(Line::new(name, PlotPoints::from(points)));
        plot.vline(VLine::new("now", now));
        plot.pointer_coordinate()
    });
    let dragged = shown.response.clicked() || shown.response.dragged();
    if dragged && let Some(at) = shown.inner {
        session.live().pause();
        session.live().seek((at.x * fps).round().max(0.0) as u64);
    }
}
