//! How numbers went, over time; a click goes there.

use egui_plot::{Line, Plot, PlotPoints, VLine};

use crate::session::{Sample, Session};

type Curve = (&'static str, fn(&Sample) -> f64);

const CURVES: [Curve; 5] = [
    ("Kinetic energy [J]", |sample| sample.kinetic_energy),
    ("Fastest grain [m/s]", |sample| sample.max_speed),
    ("Iterations per step", |sample| sample.iterations),
    ("Time per step [ms]", |sample| sample.step_ms),
    ("Grains", |sample| sample.particles),
];

/// Shows the plots.
pub fn show(ui: &mut egui::Ui, session: &Session) {
    let now = session.frame().time;
    let fps = session.frame().scene.simulation.fps;
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        for (name, value) in CURVES {
            ui.label(name);
            let points: Vec<[f64; 2]> =
                session.samples().iter().map(|sample| [sample.time, value(sample)]).collect();
            let plot = Plot::new(name).height(90.0).allow_drag(false).allow_zoom(false).allow_scroll(false);
            let shown = plot.show(ui, |plot| {
                plot.line(Line::new(name, PlotPoints::from(points)));
                plot.vline(VLine::new("now", now));
                plot.pointer_coordinate()
            });
            if shown.response.clicked()
                && let Some(at) = shown.inner
            {
                session.live().pause();
                session.live().seek((at.x * fps).round().max(0.0) as u64);
            }
        }
    });
}
