//! The scenes to choose from.

use granule::live::Source;
use granule::scene::builtin_scenes;

use crate::gallery::{Gallery, SIZE};

/// Shows the built-in scenes with their pictures; gives the one that was chosen.
pub fn show(ui: &mut egui::Ui, now: &Source, gallery: &Gallery) -> Option<Source> {
    let mut chosen = None;
    let current = match now {
        Source::File { path, .. } => path.as_str(),
        Source::Scene(_) => "",
    };
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.weak("Drop a scene file here to open it. It is loaded again whenever it changes on disk.");
        ui.horizontal_wrapped(|ui| {
            for scene in builtin_scenes() {
                if entry(ui, scene.name, scene.name == current, gallery)
                    .on_hover_text(about(scene.text))
                    .clicked()
                {
                    chosen = Some(Source::file(scene.name));
                }
            }
        });
    });
    chosen
}

/// A scene's picture above its name.
fn entry(ui: &mut egui::Ui, name: &str, current: bool, gallery: &Gallery) -> egui::Response {
    let size = egui::vec2(0.6 * SIZE[0] as f32, 0.6 * SIZE[1] as f32);
    let room = size + egui::vec2(8.0, 24.0);
    let (rect, response) = ui.allocate_exact_size(room, egui::Sense::click());
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, current, name));
    let visuals = ui.style().interact_selectable(&response, current);
    let painter = ui.painter();
    painter.rect(rect, 4.0, visuals.bg_fill, visuals.bg_stroke, egui::StrokeKind::Inside);
    let place = egui::Rect::from_min_size(rect.min + egui::vec2(4.0, 4.0), size);
    match gallery.picture(name) {
        Some(texture) => {
            let uv = egui::Rect::from_min_max(egui::Pos2::ZERO, egui::pos2(1.0, 1.0));
            painter.image(texture.id(), place, uv, egui::Color32::WHITE);
        }
        None => _ = painter.rect_filled(place, 2.0, ui.visuals().extreme_bg_color),
    }
    let font = egui::TextStyle::Button.resolve(ui.style());
    let below = egui::pos2(rect.center().x, rect.bottom() - 2.0);
    painter.text(below, egui::Align2::CENTER_BOTTOM, name, font, visuals.text_color());
    response
}

/// The line that says what a scene shows.
fn about(text: &str) -> &str {
    let line = text.lines().find(|line| line.starts_with("description"));
    line.and_then(|line| line.split('"').nth(1)).unwrap_or_default()
}
