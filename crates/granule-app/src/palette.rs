//! The command palette: every action by its name.

use egui::{Align2, Key, Window};

use crate::actions::{ACTIONS, Action, ActionInfo};

/// The command palette.
#[derive(Default)]
pub struct Palette {
    open: bool,
    text: String,
    chosen: usize,
}

impl Palette {
    /// Opens or closes it.
    pub fn toggle(&mut self) {
        *self = Self { open: !self.open, ..Self::default() };
    }

    /// Shows it and gives the action that was chosen.
    pub fn show(&mut self, ctx: &egui::Context) -> Option<Action> {
        if !self.open {
            return None;
        }
        let (up, down, enter, escape) = ctx.input_mut(|input| {
            let mut pressed = |key| input.consume_key(egui::Modifiers::NONE, key);
            (pressed(Key::ArrowUp), pressed(Key::ArrowDown), pressed(Key::Enter), pressed(Key::Escape))
        });
        let found = matches(&self.text);
        let last = found.len().saturating_sub(1);
        self.chosen = match (up, down) {
            (true, false) => self.chosen.saturating_sub(1),
            (false, true) => self.chosen + 1,
            _ => self.chosen,
        }
        .min(last);
        let mut action = enter.then(|| found.get(self.chosen).map(|info| info.action)).flatten();
        let window = Window::new("All actions").collapsible(false).resizable(false).title_bar(false);
        window.anchor(Align2::CENTER_TOP, [0.0, 60.0]).show(ctx, |ui| {
            ui.set_min_width(320.0);
            let edit = egui::TextEdit::singleline(&mut self.text).hint_text("Type what you want to do");
            let written = ui.add(edit.desired_width(f32::INFINITY));
            written.request_focus();
            if written.changed() {
                self.chosen = 0;
            }
            for (k, info) in found.iter().enumerate() {
                let keys = info.key.map_or(String::new(), |key| ui.ctx().format_shortcut(&key));
                let button = egui::Button::selectable(k == self.chosen, info.name).shortcut_text(keys);
                if ui.add_sized([ui.available_width(), 20.0], button).clicked() {
                    action = Some(info.action);
                }
            }
        });
        if action.is_some() || escape {
            self.open = false;
        }
        action
    }
}

/// Actions whose names have all letters of a text in their order.
fn matches(text: &str) -> Vec<&'static ActionInfo> {
    let fits = |info: &&ActionInfo| {
        let name = info.name.to_lowercase();
        let mut rest = name.chars();
        text.to_lowercase().chars().filter(|c| !c.is_whitespace()).all(|wanted| rest.any(|c| c == wanted))
    };
    ACTIONS.iter().filter(fits).filter(|info| info.action != Action::Palette).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_their_order_find_an_action() {
        let names = |text: &str| matches(text).iter().map(|info| info.name).collect::<Vec<_>>();
        assert!(names("").len() > 10);
        assert_eq!(names("begin"), ["Begin anew"]);
        assert!(names("zebra").is_empty() && names("pict").contains(&"Save picture"));
    }
}
