//! Colours and light.

use granule_render::ColorMap;

use crate::camera_rig::Habit;
use crate::look::Look;
use crate::picture::{color_choices, is_number};
use crate::session::Session;
use crate::slice::CutOpen;

/// Shows the choices; says whether something was changed.
pub fn show(ui: &mut egui::Ui, session: &Session, look: &mut Look, habit: &mut Habit) -> bool {
    let before = look.clone();
    let fields = session.frame().fields;
    egui::Grid::new("look").num_columns(2).show(ui, |ui| {
        ui.label("Colour by");
        choose(ui, "Colour by", &look.color_by.clone(), &color_choices(fields), |name| {
            look.color_by = (*name).into()
        });
        ui.end_row();
        if is_number(fields, &look.color_by) {
            ui.label("Colour map");
            let names = ColorMap::ALL.map(|(name, _)| name);
            let now = ColorMap::ALL.iter().find(|(_, map)| *map == look.map).map_or("", |(name, _)| name);
            choose(ui, "Colour map", now, &names, |name| {
                look.map =
                    ColorMap::ALL.iter().find(|(known, _)| known == name).map_or(look.map, |(_, map)| *map);
            });
            ui.end_row();
            range(ui, look);
        }
        ui.label("Mouse as in");
        let names = Habit::ALL.map(|(_, name)| name);
        let now = Habit::ALL.iter().find(|(known, _)| known == habit).map_or("granule", |(_, name)| name);
        choose(ui, "Mouse as in", now, &names, |name| {
            *habit = Habit::ALL
                .iter()
                .find(|(_, known)| known == name)
                .map_or(Habit::Granule, |(habit, _)| *habit);
        });
        ui.end_row();
    });
    cut(ui, session, look);
    if session.frame().scene.upsample.is_some() {
        ui.checkbox(&mut look.guides, "Guides instead of fine grains");
    }
    if fields.iter().any(|field| field.name == "orientation") {
        ui.checkbox(&mut look.marks, "Marks that turn with grains");
        ui.checkbox(&mut look.contacts, "Contacts")
            .on_hover_text("Bars between grains that touch, as thick and bright as the force is large");
    }
    ui.checkbox(&mut look.walls, "Walls");
    ui.checkbox(&mut look.shadows, "Shadows");
    ui.checkbox(&mut look.occlusion, "Dark crevices");
    ui.add(egui::Slider::new(&mut look.supersampling, 1..=4).text("samples per pixel and axis"));
    ui.add(egui::Slider::new(&mut look.sun[0], 5.0..=89.0).text("height of the sun").suffix("\u{b0}"));
    ui.add(egui::Slider::new(&mut look.sun[1], -180.0..=180.0).text("turn of the sun").suffix("\u{b0}"));
    *look != before
}

/// The plane that cuts sand open.
fn cut(ui: &mut egui::Ui, session: &Session, look: &mut Look) {
    let mut open = look.cut.is_some();
    if ui.checkbox(&mut open, "Cut open").changed() {
        look.cut = open.then_some(CutOpen { axis: 2, position: 0.0, field: true });
    }
    let Some(cut) = &mut look.cut else { return };
    ui.horizontal(|ui| {
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            ui.selectable_value(&mut cut.axis, axis, format!("across {name}"));
        }
    });
    let places = session.frame().snapshot.vec3("position").unwrap_or_default();
    let along = places.iter().map(|place| place[cut.axis]);
    let range = along.fold([0.0_f32, 0.0], |[least, most], x| [least.min(x), most.max(x)]);
    ui.add(egui::Slider::new(&mut cut.position, range[0]..=range[1]).text("place of the cut").suffix(" m"));
    ui.checkbox(&mut cut.field, "Field on the cut")
        .on_hover_text("The mean of the grains near it, in their colours");
}

fn range(ui: &mut egui::Ui, look: &mut Look) {
    ui.label("Range");
    ui.horizontal(|ui| {
        let mut own = look.range.is_some();
        if ui.checkbox(&mut own, "fixed").changed() {
            look.range = own.then_some([0.0, 1.0]);
        }
        if let Some(range) = &mut look.range {
            ui.add(egui::DragValue::new(&mut range[0]).speed(0.01)).on_hover_text("Lowest value");
            ui.add(egui::DragValue::new(&mut range[1]).speed(0.01)).on_hover_text("Highest value");
            if range[1] <= range[0] {
                range[1] = range[0] + 1e-3;
            }
        }
    });
    ui.end_row();
}

/// A list to choose from, with a name for screen readers.
pub fn choose<T: AsRef<str>>(
    ui: &mut egui::Ui,
    name: &str,
    now: &str,
    choices: &[T],
    mut chosen: impl FnMut(&T),
) {
    let list = egui::ComboBox::from_id_salt(name).selected_text(now).show_ui(ui, |ui| {
        for choice in choices {
            if ui.selectable_label(choice.as_ref() == now, choice.as_ref()).clicked() {
                chosen(choice);
            }
        }
    });
    list.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, name));
}
