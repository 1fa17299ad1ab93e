//! A picked grain: its row of numbers, its neighbours, and the equation that moves it.

use glam::Vec3;
use granule::contacts::{Contact, Partner};
use granule::scene::Scene;
use granule::simulator::{FieldData, Snapshot};

use crate::session::Session;

/// Grains nearer than this are neighbours, in radii: the support of the kernels.
const SUPPORT: f32 = 4.0;
/// Neighbours that are listed, at most.
const LISTED: usize = 12;

/// Shows the grain that was picked, or how to pick one.
pub fn show(ui: &mut egui::Ui, session: &mut Session) {
    let Some(id) = session.picked() else {
        ui.weak("Choose the tool Pick and click on a grain.");
        return;
    };
    let frame = session.frame().clone();
    let Some(row) = row_of(&frame.snapshot, id) else {
        ui.label(format!("Grain {id} is not there any more."));
        if ui.button("Let it go").clicked() {
            session.pick(None);
        }
        return;
    };
    ui.horizontal(|ui| {
        ui.strong(format!("Grain {id}"));
        if ui.button("Let it go").clicked() {
            session.pick(None);
        }
    });
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        egui::Grid::new("grain").num_columns(2).striped(true).show(ui, |ui| {
            for (info, values) in &frame.snapshot.columns {
                ui.label(info.name);
                let unit = if info.unit == "1" { "" } else { info.unit };
                ui.monospace(format!("{} {unit}", value(values, row)));
                ui.end_row();
            }
        });
        contacts(ui, &frame.contacts, id, &frame.scene);
        neighbors(ui, &frame.snapshot, row, frame.scene.reference_radius());
        ui.separator();
        ui.label("What moves it");
        ui.monospace(equation(frame.solver));
    });
}

/// The row of a grain.
pub fn row_of(snapshot: &Snapshot, id: u32) -> Option<usize> {
    snapshot.integer("id")?.binary_search(&id).ok()
}

fn value(values: &FieldData, row: usize) -> String {
    let list = |numbers: &[f32]| numbers.iter().map(|x| format!("{x:.5}")).collect::<Vec<_>>().join("  ");
    match values {
        FieldData::Scalar(values) => format!("{:.6}", values[row]),
        FieldData::Integer(values) => values[row].to_string(),
        FieldData::Vec3(values) => list(&values[row]),
        FieldData::Quaternion(values) => list(&values[row]),
        FieldData::Tensor(values) => list(&values[row]),
    }
}

/// What a grain touches, with the force on it \[N\], the strongest first.
fn touched(contacts: &[Contact], id: u32) -> Vec<(Partner, Vec3)> {
    let own = contacts.iter().filter_map(|contact| match contact.partner.as_particle() {
        _ if contact.particle == id => Some((contact.partner, contact.force())),
        Some(other) if other == id => Some((Partner::particle(contact.particle), -contact.force())),
        _ => None,
    });
    let mut found: Vec<(Partner, Vec3)> = own.collect();
    found.sort_by(|a, b| b.1.length().total_cmp(&a.1.length()));
    found
}

/// Contacts of a solver that has some, with their forces.
fn contacts(ui: &mut egui::Ui, contacts: &[Contact], id: u32, scene: &Scene) {
    if contacts.is_empty() {
        return;
    }
    let found = touched(contacts, id);
    let sum: Vec3 = found.iter().map(|(_, force)| *force).sum();
    ui.separator();
    ui.label(format!("{} contacts, {:.4} N in sum", found.len(), sum.length()));
    egui::Grid::new("contacts").num_columns(2).striped(true).show(ui, |ui| {
        for (partner, force) in found {
            ui.monospace(name(partner, scene));
            ui.monospace(format!(
                "{:.4} N  ({:.4}  {:.4}  {:.4})",
                force.length(),
                force.x,
                force.y,
                force.z
            ));
            ui.end_row();
        }
    });
}

/// What is touched, in words: bodies come after the walls of a scene.
fn name(partner: Partner, scene: &Scene) -> String {
    if let Some(id) = partner.as_particle() {
        return format!("grain {id}");
    }
    let names = scene.boundary.iter().map(|wall| &wall.name).chain(scene.body.iter().map(|body| &body.name));
    let wall = partner.as_wall().and_then(|(boundary, _)| names.into_iter().nth(usize::from(boundary)));
    wall.cloned().unwrap_or_else(|| "wall".into())
}

/// Grains within a distance of one, nearest first: their ids and how far they are \[m\].
fn near(snapshot: &Snapshot, row: usize, reach: f32) -> Vec<(u32, f32)> {
    let (Some(position), Some(id)) = (snapshot.vec3("position"), snapshot.integer("id")) else {
        return Vec::new();
    };
    let center = Vec3::from(position[row]);
    let far = |x: &[f32; 3]| center.distance(Vec3::from(*x));
    let mut found: Vec<(u32, f32)> = position.iter().zip(id).map(|(x, id)| (*id, far(x))).collect();
    found.swap_remove(row);
    found.retain(|(_, distance)| *distance < reach);
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    found
}

fn neighbors(ui: &mut egui::Ui, snapshot: &Snapshot, row: usize, radius: f32) {
    let found = near(snapshot, row, SUPPORT * radius);
    ui.separator();
    let touching = found.iter().filter(|(_, distance)| *distance <= 2.0 * radius).count();
    ui.label(format!("{} neighbours within {SUPPORT} radii, {touching} nearer than a diameter", found.len()));
    egui::Grid::new("neighbours").num_columns(2).striped(true).show(ui, |ui| {
        for (id, distance) in found.iter().take(LISTED) {
            ui.monospace(format!("grain {id}"));
            ui.monospace(format!("{:.3} diameters", distance / (2.0 * radius)));
            ui.end_row();
        }
    });
}

/// The equation of motion of a solver in a line or two; docs/equations.md has all of them.
fn equation(solver: &str) -> &'static str {
    match solver {
        "iisph" => {
            "dv/dt = g - grad(p) / rho + div(s) / rho + drag\np >= 0 holds the density, |s| <= tan(angle) p"
        }
        "wcsph" => {
            "dv/dt = g - grad(p) / rho + viscosity + surface tension\np from the density: Tait or ideal gas"
        }
        "dem" => "m dv/dt = m g + sum of contact forces\nd(I w)/dt = sum of contact torques",
        _ => "see docs/equations.md",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule::simulator::{FieldInfo, FieldKind};

    #[test]
    fn a_grain_is_found_by_its_id_and_its_neighbours_by_distance() {
        let field = |name, kind| FieldInfo { name, unit: "1", kind };
        let positions = vec![[0.0; 3], [0.5, 0.0, 0.0], [0.0, 0.2, 0.0], [5.0, 0.0, 0.0]];
        let columns = vec![
            (field("id", FieldKind::Integer), FieldData::Integer(vec![3, 5, 8, 9])),
            (field("position", FieldKind::Vec3), FieldData::Vec3(positions)),
        ];
        let snapshot = Snapshot { time: 0.0, columns };
        assert_eq!((row_of(&snapshot, 8), row_of(&snapshot, 4)), (Some(2), None));
        assert_eq!(near(&snapshot, 0, 1.0), [(8, 0.2), (5, 0.5)]);
    }

    #[test]
    fn contacts_of_a_grain_are_those_it_keeps_and_those_its_partners_keep() {
        let contact = |particle, partner, force| Contact {
            particle,
            partner,
            center: Vec3::ZERO,
            branch: Vec3::X,
            point: Vec3::ZERO,
            normal: Vec3::Y,
            normal_force: force,
            tangential_force: Vec3::ZERO,
            overlap: 0.0,
        };
        let all = [
            contact(3, Partner::particle(5), 1.0),
            contact(5, Partner::wall(1, 0), 2.0),
            contact(3, Partner::particle(8), 4.0),
        ];
        assert_eq!(
            touched(&all, 5),
            [(Partner::wall(1, 0), 2.0 * Vec3::Y), (Partner::particle(3), -Vec3::Y)]
        );
        let scene = Scene::new("walls").with_wall("floor", granule::Shape::floor(0.0));
        let scene = scene.with_wall("lid", granule::Shape::floor(1.0));
        assert_eq!(
            (name(Partner::wall(1, 0), &scene), name(Partner::particle(3), &scene)),
            ("lid".into(), "grain 3".into())
        );
    }
}
