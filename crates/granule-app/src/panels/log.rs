//! What has happened.

use crate::session::{Session, Severity};

/// Shows the log, newest first.
pub fn show(ui: &mut egui::Ui, session: &Session) {
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        for line in session.log_lines().rev() {
            let color = match line.severity {
                Severity::Info => ui.visuals().text_color(),
                Severity::Warning => ui.visuals().warn_fg_color,
                Severity::Error => ui.visuals().error_fg_color,
            };
            ui.colored_label(color, &line.text);
        }
    });
}
