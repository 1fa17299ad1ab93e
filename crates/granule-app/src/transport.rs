//! The bar at the bottom: play, pause, single frames, speed, the time line.

use granule::live::Speed;

use crate::actions::Action;
use crate::session::Session;

/// Speeds to choose from.
const SPEEDS: [(&str, Speed); 6] = [
    ("1/100", Speed::RealTime(0.01)),
    ("1/10", Speed::RealTime(0.1)),
    ("1/4", Speed::RealTime(0.25)),
    ("real time", Speed::RealTime(1.0)),
    ("x 2", Speed::RealTime(2.0)),
    ("full speed", Speed::Unlimited),
];

/// Shows the bar; gives the action of a button that was pressed.
pub fn show(ui: &mut egui::Ui, session: &Session) -> Option<Action> {
    let frame = session.frame();
    let mut action = None;
    ui.horizontal(|ui| {
        let mut button = |ui: &mut egui::Ui, face: &str, name: &str, does: Action| {
            let response = ui.add(egui::Button::new(face).min_size([30.0, 24.0].into())).on_hover_text(name);
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name));
            if response.clicked() {
                action = Some(does);
            }
        };
        button(ui, "|<", "First frame", Action::FirstFrame);
        button(ui, "<", "Previous frame", Action::PreviousFrame);
        let (face, name) = if frame.playing { ("Pause", "Pause") } else { ("Play", "Play") };
        button(ui, face, name, Action::PlayOrPause);
        button(ui, ">", "Next frame", Action::NextFrame);
        button(ui, ".", "Single step", Action::Step);
        button(ui, "Reset", "Begin anew", Action::Reset);
        speed(ui, session);
        ui.separator();
        let factor = frame.real_time_factor.map_or("-".into(), |factor| format!("{factor:.2} x real time"));
        ui.label(factor).on_hover_text("Simulated seconds per second over the last second of play");
        ui.separator();
        ui.label(format!("{:.3} s", frame.time));
        time_line(ui, session);
    });
    action
}

fn speed(ui: &mut egui::Ui, session: &Session) {
    let now = session.frame().speed;
    let name = SPEEDS.iter().find(|(_, speed)| *speed == now).map_or("other", |(name, _)| name);
    let chosen = egui::ComboBox::from_id_salt("speed").width(86.0).selected_text(name).show_ui(ui, |ui| {
        for (name, speed) in SPEEDS {
            if ui.selectable_label(speed == now, name).clicked() {
                session.live().set_speed(speed);
            }
        }
    });
    chosen.response.on_hover_text("How fast simulated time passes");
}

/// The frames that are known; dragging goes back and forth among them.
fn time_line(ui: &mut egui::Ui, session: &Session) {
    let frame = session.frame();
    let now = frame.seeking.unwrap_or(frame.frame);
    let first = frame.history.first;
    let last = frame.history.end.max(frame.frame).max(first + 1);
    let mut wanted = now.clamp(first, last);
    ui.spacing_mut().slider_width = (ui.available_width() - 90.0).max(60.0);
    let slider = egui::Slider::new(&mut wanted, first..=last).text("frame");
    let response = ui
        .add(slider)
        .on_hover_text("Drag to go back in time; a command given there cuts off what came after");
    if response.changed() && wanted != now {
        if frame.playing {
            session.live().pause();
        }
        session.live().seek(wanted);
    }
}
