//! The scenes to choose from.

use granule::live::Source;
use granule::scene::builtin_scenes;

/// Shows the built-in scenes; gives the one that was chosen.
pub fn show(ui: &mut egui::Ui, now: &Source) -> Option<Source> {
    let mut chosen = None;
    let current = match now {
        Source::File { path, .. } => path.as_str(),
        Source::Scene(_) => "",
    };
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        for scene in builtin_scenes() {
            let about = about(scene.text);
            let button = egui::Button::selectable(scene.name == current, scene.name);
            if ui.add_sized([ui.available_width(), 22.0], button).on_hover_text(about).clicked() {
                chosen = Some(Source::file(scene.name));
            }
        }
        ui.separator();
        ui.label("Drop a scene file here to open it. It is loaded again whenever it changes on disk.");
    });
    chosen
}

/// The line that says what a scene shows.
fn about(text: &str) -> &str {
    let line = text.lines().find(|line| line.starts_with("description"));
    line.and_then(|line| line.split('"').nth(1)).unwrap_or_default()
}
