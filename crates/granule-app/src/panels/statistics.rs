//! Numbers of the newest frame.

use granule::stages::Stage;

use crate::session::Session;

/// Shows the numbers.
pub fn show(ui: &mut egui::Ui, session: &Session) {
    let frame = session.frame();
    let numbers = &frame.statistics;
    let steps = numbers.steps.max(1) as f64;
    let row = |ui: &mut egui::Ui, name: &str, value: String| {
        ui.label(name);
        ui.monospace(value);
        ui.end_row();
    };
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        egui::Grid::new("statistics").num_columns(2).striped(true).show(ui, |ui| {
            row(ui, "solver", frame.solver.into());
            row(ui, "device", frame.device.to_string());
            row(ui, "grains", numbers.particles.max(frame.ledger.particles as usize).to_string());
            row(ui, "step", format!("{:.3} ms", 1e3 * numbers.dt_mean()));
            row(ui, "time per step", format!("{:.2} ms", 1e3 * numbers.step_seconds / steps));
            row(ui, "steps per frame", numbers.steps.to_string());
            row(ui, "iterations", format!("{:.2}", numbers.iterations_mean()));
            row(ui, "not converged", numbers.unconverged.to_string());
            row(ui, "density error", format!("{:.2e}", numbers.density_error));
            row(ui, "friction error", format!("{:.2e}", numbers.friction_error));
            row(ui, "fastest grain", format!("{:.4} m/s", numbers.max_speed));
            row(ui, "kinetic energy", format!("{:.3e} J", numbers.kinetic_energy));
            row(ui, "neighbours", format!("{:.1}", numbers.neighbors_mean));
            row(ui, "history", format!("{:.0} MB", frame.history.bytes as f64 / 1e6));
            row(ui, "unaccounted", frame.ledger.unaccounted().to_string());
        });
        ui.separator();
        ui.label("Time per step and stage");
        egui::Grid::new("stages").num_columns(2).striped(true).show(ui, |ui| {
            for &stage in Stage::ALL {
                let seconds = numbers.stages.get(stage) / steps;
                if seconds > 0.0 {
                    row(ui, stage.name(), format!("{:.3} ms", 1e3 * seconds));
                }
            }
        });
    });
}
