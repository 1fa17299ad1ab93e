//! Bodies with the loads of grains on them, emitters to open and close, gravity and wind, the size of tools.

use glam::Vec3;
use granule::simulator::Command;

use crate::hands::{Hands, TOOL_SIZES};
use crate::session::Session;

/// Gravity that can be chosen by name [m/s2].
const GRAVITIES: [(&str, f32); 5] =
    [("Earth", 9.81), ("Moon", 1.62), ("Mars", 3.72), ("none", 0.0), ("upwards", -9.81)];

/// Shows them.
pub fn show(ui: &mut egui::Ui, session: &Session, hands: &mut Hands) {
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.strong("Tools");
        ui.add(egui::Slider::new(&mut hands.size, TOOL_SIZES[0]..=TOOL_SIZES[1]).text("size in grain radii"));
        ui.weak(hands.tool.hint());
        ui.separator();
        bodies(ui, session);
        emitters(ui, session);
        ui.strong("Gravity");
        ui.horizontal_wrapped(|ui| {
            for (name, gravity) in GRAVITIES {
                if ui.button(name).on_hover_text(format!("{gravity} m/s2 downwards")).clicked() {
                    session.live().apply(Command::Gravity(Vec3::NEG_Y * gravity));
                }
            }
        });
    });
}

fn bodies(ui: &mut egui::Ui, session: &Session) {
    let frame = session.frame();
    ui.strong("Bodies");
    if frame.bodies.is_empty() {
        ui.weak("The scene has none. A plate, scoop, ball or blade in the hand becomes one.");
    }
    for body in frame.bodies.iter() {
        ui.label(&body.name);
        egui::Grid::new(("body", &body.name)).num_columns(2).show(ui, |ui| {
            let mut row = |name: &str, value: String| {
                ui.weak(name);
                ui.monospace(value);
                ui.end_row();
            };
            if body.mass > 0.0 {
                row("mass", format!("{:.4} kg", body.mass));
            }
            row("centre", vector(body.center, "m"));
            row("velocity", vector(body.velocity, "m/s"));
            row("force of grains", vector(body.force, "N"));
            row("torque of grains", vector(body.torque, "N m"));
        });
    }
    ui.separator();
}

fn emitters(ui: &mut egui::Ui, session: &Session) {
    let frame = session.frame();
    if frame.scene.emitter.is_empty() {
        return;
    }
    ui.strong("Emitters");
    for emitter in &frame.scene.emitter {
        ui.horizontal(|ui| {
            ui.label(&emitter.name);
            for (word, open) in [("Open", true), ("Close", false)] {
                let button = ui.button(word);
                let name = format!("{word} {}", emitter.name);
                button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
                if button.clicked() {
                    session.live().apply(Command::Emitter { name: emitter.name.clone(), open });
                }
            }
        });
    }
    ui.separator();
}

fn vector(v: Vec3, unit: &str) -> String {
    format!("{:9.4} {:9.4} {:9.4} {unit}", v.x, v.y, v.z)
}
