//! The scene's keys, to be changed while it runs.

use std::sync::Arc;

use granule::scene::Scene;
use serde_json::Value;

use super::look::choose;
use crate::parameters::{Group, Kind, Parameter, groups, read};
use crate::session::Session;

/// The scene's keys.
pub struct Parameters {
    schema: Value,
    of: Option<Arc<Scene>>,
    groups: Vec<Group>,
    filter: String,
}

impl Default for Parameters {
    fn default() -> Self {
        let schema = granule::reference::json_schema();
        Self { schema, of: None, groups: Vec::new(), filter: String::new() }
    }
}

impl Parameters {
    /// Shows all keys; what is changed goes to the run.
    pub fn show(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        self.follow(&session.frame().scene);
        ui.add(
            egui::TextEdit::singleline(&mut self.filter).hint_text("Find a key").desired_width(f32::INFINITY),
        );
        let filter = self.filter.to_lowercase();
        let mut edits: Vec<(String, Value)> = Vec::new();
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for group in &self.groups {
                let found = |p: &&Parameter| {
                    filter.is_empty() || p.path.contains(&filter) || p.name.contains(&filter)
                };
                let shown: Vec<&Parameter> = group.parameters.iter().filter(found).collect();
                if shown.is_empty() {
                    continue;
                }
                let open = group.title.starts_with("material") || !filter.is_empty();
                let header = egui::CollapsingHeader::new(&group.title).default_open(open);
                let header = header.show(ui, |ui| {
                    egui::Grid::new(&group.title).num_columns(3).show(ui, |ui| {
                        for parameter in shown {
                            let given = session.given(&parameter.path).map(read);
                            let now = given.as_ref().or(parameter.value.as_ref());
                            if let Some(value) = row(ui, parameter, now) {
                                edits.push((parameter.path.clone(), value));
                            }
                        }
                    });
                });
                header.header_response.on_hover_text(&group.about);
            }
        });
        for (path, value) in edits {
            match &value {
                Value::Number(_) | Value::String(_) => session.edit(&path, &value.to_string()),
                _ => _ = session.edit_anew(&path, &value.to_string()),
            }
        }
    }

    /// Reads the keys anew when another scene has begun.
    fn follow(&mut self, scene: &Arc<Scene>) {
        if self.of.as_ref().is_some_and(|known| Arc::ptr_eq(known, scene)) {
            return;
        }
        let value = serde_json::to_value(scene.as_ref()).unwrap_or_default();
        self.groups = groups(&self.schema, &value);
        self.of = Some(Arc::clone(scene));
    }
}

/// A key with its value, unit and way back to the default; gives the value that it was changed to.
fn row(ui: &mut egui::Ui, parameter: &Parameter, now: Option<&Value>) -> Option<Value> {
    let changed = !same(parameter.value.as_ref(), now);
    let name =
        if changed { egui::RichText::new(&parameter.name).strong() } else { parameter.name.clone().into() };
    ui.label(name).on_hover_text(format!("{}\n{}", parameter.path, parameter.about));
    let edited = ui.horizontal(|ui| value_of(ui, parameter, now)).inner;
    let reset = parameter.default.as_ref().filter(|default| !same(Some(default), now) && now.is_some());
    let reset = reset.and_then(|default| {
        let button = ui.small_button("reset").on_hover_text(format!("Back to {default}"));
        let name = format!("{} back to its default", parameter.path);
        button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
        button.clicked().then(|| default.clone())
    });
    ui.end_row();
    edited.or(reset)
}

/// Whether two values are the same; 30 is 30.0, to single precision.
fn same(a: Option<&Value>, b: Option<&Value>) -> bool {
    match (a.and_then(Value::as_f64), b.and_then(Value::as_f64)) {
        (Some(a), Some(b)) => a as f32 == b as f32,
        _ => a == b,
    }
}

fn value_of(ui: &mut egui::Ui, parameter: &Parameter, now: Option<&Value>) -> Option<Value> {
    let name = &parameter.path;
    let named = |response: &egui::Response, kind| {
        response.widget_info(|| egui::WidgetInfo::labeled(kind, true, name));
    };
    match (&parameter.kind, now) {
        (Kind::Number { whole, limits }, Some(Value::Number(number))) => {
            let mut value = number.as_f64().unwrap_or(0.0);
            let response = ui.add(drag(&mut value, *whole, *limits)).on_hover_text(&parameter.about);
            named(&response, egui::Role::SpinButton);
            ui.weak(&parameter.unit);
            let number =
                if *whole { Some((value as i64).into()) } else { serde_json::Number::from_f64(value) };
            number.filter(|_| response.changed()).map(Value::Number)
        }
        (Kind::Numbers(_), Some(Value::Array(numbers))) => {
            let mut values: Vec<f64> = numbers.iter().map(|n| n.as_f64().unwrap_or(0.0)).collect();
            let mut changed = false;
            for (k, value) in values.iter_mut().enumerate() {
                let response = ui.add(drag(value, false, [None; 2]));
                response.widget_info(|| {
                    egui::WidgetInfo::labeled(egui::Role::SpinButton, true, format!("{name} {k}"))
                });
                changed |= response.changed();
            }
            ui.weak(&parameter.unit);
            changed.then(|| Value::from(values))
        }
        (Kind::Flag, Some(Value::Bool(flag))) => {
            let mut flag = *flag;
            let response = ui.checkbox(&mut flag, "");
            named(&response, egui::Role::CheckBox);
            response.changed().then_some(Value::Bool(flag))
        }
        (Kind::Choice(words), now) => {
            let current = now.and_then(Value::as_str).unwrap_or_default();
            let mut chosen = None;
            choose(ui, name, current, words, |word| chosen = Some(Value::String(word.clone())));
            chosen
        }
        (_, Some(value)) => {
            ui.weak(value.as_str().map_or_else(|| value.to_string(), String::from));
            None
        }
        (Kind::Number { .. }, None) => {
            let button = ui.small_button("set").on_hover_text(&parameter.about);
            let set = format!("set {name}");
            button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &set));
            button
                .clicked()
                .then(|| parameter.default.clone().filter(|d| d.is_number()).unwrap_or_else(|| 0.0.into()))
        }
        (_, None) => {
            ui.weak("-");
            None
        }
    }
}

fn drag(value: &mut f64, whole: bool, limits: [Option<f64>; 2]) -> egui::DragValue<'_> {
    let speed = if whole { 1.0 } else { (0.01 * value.abs()).max(1e-3) };
    let range = limits[0].unwrap_or(f64::NEG_INFINITY)..=limits[1].unwrap_or(f64::INFINITY);
    let drag = egui::DragValue::new(value).speed(speed).range(range).update_while_editing(false);
    if whole { drag.max_decimals(0) } else { drag.max_decimals(6) }
}
