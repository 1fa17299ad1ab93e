//! Contacts as a table: a row each, with columns that encoders take as they take those of particles.

use glam::Vec3;

use super::oriented::{Oriented, y_up};
use super::ply::PlyData;
use crate::contacts::{Contact, Partner};
use crate::simulator::{FieldData, FieldInfo, FieldKind, Snapshot};

/// What stands for no particle and no boundary.
pub const NONE: u32 = u32::MAX;

const fn column(name: &'static str, unit: &'static str, kind: FieldKind) -> FieldInfo {
    FieldInfo { name, unit, kind }
}

/// The contacts of a simulation at a time \[s\] as columns:
///
/// | column | is |
/// | --- | --- |
/// | `position` | point of contact |
/// | `particle`, `partner` | ids of the two; a `partner` of 4294967295 is a wall |
/// | `boundary`, `face` | number of the boundary (those of bodies follow the scene's) and of its face; 4294967295 between grains |
/// | `center`, `branch` | centre of the particle, and from there to that of its partner, or to the wall |
/// | `normal` | from the partner to the particle |
/// | `force` | the whole force on the particle |
/// | `normal_force` | its part along the normal, positive where the two are pressed together |
/// | `tangential_force` | its part in the plane of contact |
/// | `overlap` | how deep the two overlap |
pub fn contact_table(contacts: &[Contact], time: f64) -> Snapshot {
    let vectors = |name, unit, value: &dyn Fn(&Contact) -> Vec3| {
        let values = contacts.iter().map(|contact| value(contact).to_array()).collect();
        (column(name, unit, FieldKind::Vec3), FieldData::Vec3(values))
    };
    let numbers = |name, unit, value: &dyn Fn(&Contact) -> f32| {
        let values = contacts.iter().map(value).collect();
        (column(name, unit, FieldKind::Scalar), FieldData::Scalar(values))
    };
    let integers = |name, value: &dyn Fn(&Contact) -> u32| {
        let values = contacts.iter().map(value).collect();
        (column(name, "1", FieldKind::Integer), FieldData::Integer(values))
    };
    let wall = |contact: &Contact| contact.partner.as_wall();
    let columns = vec![
        integers("particle", &|contact| contact.particle),
        integers("partner", &|contact| contact.partner.as_particle().unwrap_or(NONE)),
        integers("boundary", &|contact| wall(contact).map_or(NONE, |(boundary, _)| boundary.into())),
        integers("face", &|contact| wall(contact).map_or(NONE, |(_, face)| face.into())),
        vectors("position", "m", &|contact| contact.point),
        vectors("center", "m", &|contact| contact.center),
        vectors("branch", "m", &|contact| contact.branch),
        vectors("normal", "1", &|contact| contact.normal),
        vectors("force", "N", &Contact::force),
        numbers("normal_force", "N", &|contact| contact.normal_force),
        vectors("tangential_force", "N", &|contact| contact.tangential_force),
        numbers("overlap", "m", &|contact| contact.overlap),
    ];
    Snapshot { time, columns }
}

/// The contacts of a file that [`contact_table`] gave the columns of, y up. None where a column is missing or not finite.
pub(super) fn read_contacts(data: &PlyData) -> Option<Vec<Contact>> {
    let z_up = data.up == "z";
    let vectors = |name: &str| {
        let rows: Vec<Vec3> = data.vec3(name)?.into_iter().map(|vector| y_up(vector, z_up)).collect();
        rows.iter().all(|vector| vector.is_finite()).then_some(rows)
    };
    let numbers = |name: &str| data.scalar(name).filter(|rows| rows.iter().all(|value| value.is_finite()));
    let (particle, partner) = (data.integer("particle")?, data.integer("partner")?);
    let (boundary, face) = (data.integer("boundary")?, data.integer("face")?);
    let (point, center, branch) = (vectors("position")?, vectors("center")?, vectors("branch")?);
    let (normal, tangential_force) = (vectors("normal")?, vectors("tangential_force")?);
    let (normal_force, overlap) = (numbers("normal_force")?, numbers("overlap")?);
    let contact = |k: usize| Contact {
        particle: particle[k],
        partner: match partner[k] {
            NONE => Partner::wall(boundary[k] as u16, face[k] as u16),
            id => Partner::particle(id),
        },
        center: center[k],
        branch: branch[k],
        point: point[k],
        normal: normal[k],
        normal_force: normal_force[k],
        tangential_force: tangential_force[k],
        overlap: overlap[k],
    };
    Some((0..data.count).map(contact).collect())
}

/// Both ends of the contacts of a table, one line after the other.
pub(super) fn line_ends(table: &Oriented) -> Option<Vec<[f32; 3]>> {
    let (center, branch) = (table.snapshot().vec3("center")?, table.snapshot().vec3("branch")?);
    let ends = center.iter().zip(branch);
    Some(ends.flat_map(|(center, branch)| [*center, [0, 1, 2].map(|k| center[k] + branch[k])]).collect())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::io::ply::{encode_ply, parse_ply};
    use crate::scene::UpAxis;

    pub(in crate::io) fn contacts() -> Vec<Contact> {
        let one = Contact {
            particle: 3,
            partner: Partner::particle(8),
            center: Vec3::new(0.5, 1.5, -2.0),
            branch: Vec3::new(0.0, -0.25, 0.5),
            point: Vec3::new(0.5, 1.375, -1.75),
            normal: Vec3::new(0.0, 0.6, -0.8),
            normal_force: 2.5,
            tangential_force: Vec3::new(1.0, 0.0, 0.0),
            overlap: 0.125,
        };
        vec![one, Contact { particle: 4, partner: Partner::wall(2, 5), normal_force: -1.0, ..one }]
    }

    #[test]
    fn contacts_survive_their_file_with_any_axis_up() {
        let table = contact_table(&contacts(), 0.5);
        for up in [UpAxis::Y, UpAxis::Z] {
            let bytes = encode_ply(&Oriented::new(&table, up)).unwrap();
            assert_eq!(read_contacts(&parse_ply(&bytes).unwrap()).unwrap(), contacts(), "{}", up.word());
        }
        let mut lacking = table;
        lacking.columns.pop();
        let bytes = encode_ply(&Oriented::new(&lacking, UpAxis::Y)).unwrap();
        assert!(read_contacts(&parse_ply(&bytes).unwrap()).is_none());
    }

    #[test]
    fn lines_go_from_centre_to_centre() {
        let table = contact_table(&contacts()[..1], 0.5);
        let ends = line_ends(&Oriented::new(&table, UpAxis::Z)).unwrap();
        assert_eq!(ends, [[0.5, 2.0, 1.5], [0.5, 1.5, 1.25]]);
        let (_, FieldData::Vec3(force)) = &table.columns[8] else { panic!() };
        assert_eq!(force[0], [1.0, 1.5, -2.0]);
    }
}
