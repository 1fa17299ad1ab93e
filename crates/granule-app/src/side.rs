//! A run with its view; two of them stand side by side when solvers or values are compared.

use granule::live::{LiveOptions, Speed};

use crate::hands::{Drive, Hands, Pointing, Tool};
use crate::look::Look;
use crate::session::Session;
use crate::viewport::Viewport;

/// Points of the wheel per notch.
const NOTCH: f32 = 50.0;

/// A run with its view.
pub struct Side {
    /// The run.
    pub session: Session,
    /// Its view.
    pub viewport: Viewport,
}

/// What a live run of the window is started with.
pub fn live_options(simulation: granule::Options, playing: bool, history_bytes: usize) -> LiveOptions {
    LiveOptions {
        simulation,
        fields: ["position", "id", "material"].map(String::from).to_vec(),
        playing,
        history_bytes,
        speed: Speed::RealTime(1.0),
        ..LiveOptions::default()
    }
}

impl Side {
    /// Shows the view and lets hands work in it; says whether it was touched.
    pub fn show(&mut self, ui: &mut egui::Ui, look: &Look, hands: &mut Hands, drive: Drive) -> bool {
        let Self { session, viewport } = self;
        let leads = matches!(hands.tool, Tool::Body(_)) && ui.input(|input| input.pointer.primary_down());
        viewport.looks = hands.tool == Tool::Look;
        viewport.dollies = !leads;
        session.need_in_memory(hands.tool != Tool::Look);
        let response = viewport.show(ui, session, look);
        let mut commands = Vec::new();
        let pressed = response.is_pointer_button_down_on() && ui.input(|input| input.pointer.primary_down());
        match response.interact_pointer_pos().filter(|_| pressed) {
            Some(pointer) if hands.tool == Tool::Pick => {
                let grain = viewport.grain_at(session, pointer, response.rect);
                session.pick(grain.or(session.picked()));
                session.choose_fields(look);
            }
            Some(pointer) => {
                let pointing = point(ui, viewport, session, pointer, response.rect);
                commands = hands.press(session.frame(), &pointing);
            }
            // The hand may be at work in the other view.
            None if !ui.input(|input| input.pointer.primary_down()) => commands = hands.release(),
            None => {}
        }
        commands.extend(hands.drive(session.frame(), drive));
        if !commands.is_empty() {
            ui.ctx().request_repaint();
        }
        for command in commands {
            session.live().apply(command);
        }
        self.mark(ui, hands, response.rect);
        response.contains_pointer() && ui.input(|input| input.pointer.any_pressed())
    }

    /// Marks the picked grain, and the load on the tool in the hand.
    fn mark(&self, ui: &egui::Ui, hands: &Hands, rect: egui::Rect) {
        let frame = self.session.frame();
        let painter = ui.painter_at(rect);
        let color = egui::Color32::from_rgb(255, 210, 60);
        let picked = self.session.picked().and_then(|id| crate::panels::grain::row_of(&frame.snapshot, id));
        if let Some((row, positions)) = picked.zip(frame.snapshot.vec3("position"))
            && let Some(place) = self.viewport.project(positions[row].into(), rect)
        {
            painter.circle_stroke(place, 9.0, egui::Stroke::new(2.0, color));
        }
        if let Some(body) = hands.led_body(frame)
            && let Some(place) = self.viewport.project(body.center, rect)
        {
            let text = format!("{:.2} N", body.force.length());
            let font = egui::FontId::proportional(14.0);
            painter.text(place + egui::vec2(12.0, -12.0), egui::Align2::LEFT_BOTTOM, text, font, color);
        }
    }
}

/// What a hand at a point of the view points at.
fn point(
    ui: &egui::Ui,
    viewport: &Viewport,
    session: &Session,
    pointer: egui::Pos2,
    rect: egui::Rect,
) -> Pointing {
    let (eye, ray) = viewport.ray(pointer, rect);
    let (scroll, shift) = ui.input(|input| (input.smooth_scroll_delta, input.modifiers.shift));
    let notches = (scroll.x + scroll.y) / NOTCH;
    Pointing {
        at: viewport.pointed_at(session, pointer, rect),
        eye,
        ray,
        forward: -viewport.rig.camera().view(1.0).world_from_view.z_axis,
        wheel: if shift { [0.0, notches] } else { [notches, 0.0] },
    }
}
