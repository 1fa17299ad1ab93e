//! Particle frames as text dumps of LAMMPS (`dump custom` with `units yes time yes`), which OVITO and others read.
//!
//! Columns are `id type radius x y z vx vy vz omegax omegay omegaz quati quatj quatk quatw` in SI units, those of them that the
//! snapshot has; `type` is the number of the material, from 1 on. `TIMESTEP` is the number of the frame, `TIME` simulated time
//! in seconds. The box is the periodic range of the scene (`pp`), else what holds all particles (`ss`).

use std::fmt::Write;
use std::io;
use std::path::Path;

use super::oriented::Oriented;
use crate::files::write_bytes_atomic;
use crate::geometry::UpAxis;
use crate::simulator::FieldData;

/// Fields that a dump shows, with the names of their columns.
const COLUMNS: [(&str, &[&str]); 7] = [
    ("id", &["id"]),
    ("material", &["type"]),
    ("radius", &["radius"]),
    ("position", &["x", "y", "z"]),
    ("velocity", &["vx", "vy", "vz"]),
    ("angular_velocity", &["omegax", "omegay", "omegaz"]),
    ("orientation", &["quati", "quatj", "quatk", "quatw"]),
];

/// The fields that a dump shows, where the solver has them.
pub fn dump_fields() -> impl Iterator<Item = &'static str> {
    COLUMNS.iter().map(|(field, _)| *field)
}

/// What a dump says beside the particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DumpHeader {
    /// Number of the frame.
    pub frame: u64,
    /// Ranges of the axes that are periodic, as the simulation has them (y up) \[m\].
    pub periodic: [Option<[f32; 2]>; 3],
}

/// Writes a snapshot.
pub fn write_dump(path: impl AsRef<Path>, view: &Oriented, header: &DumpHeader) -> io::Result<()> {
    write_bytes_atomic(path, encode_dump(view, header)?.as_bytes())
}

/// A snapshot as the text of a dump.
pub fn encode_dump(view: &Oriented, header: &DumpHeader) -> io::Result<String> {
    let (count, snapshot) = (view.checked_count()?, view.snapshot());
    let shown: Vec<(&FieldData, &[&str])> =
        COLUMNS.iter().filter_map(|(field, names)| Some((snapshot.column(field)?, *names))).collect();
    let names: Vec<&str> = shown.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let (axes, bounds) = bounds(view, header);
    let mut text = format!(
        "ITEM: UNITS\nsi\nITEM: TIME\n{}\nITEM: TIMESTEP\n{}\nITEM: NUMBER OF ATOMS\n{count}\n\
         ITEM: BOX BOUNDS {axes}\n{bounds}ITEM: ATOMS {}\n",
        snapshot.time,
        header.frame,
        names.join(" ")
    );
    for row in 0..count {
        for (k, (data, names)) in shown.iter().enumerate() {
            let gap = if k == 0 { "" } else { " " };
            // Writing to a text cannot fail.
            let _ = match data {
                FieldData::Integer(values) if names[0] == "type" => write!(text, "{gap}{}", values[row] + 1),
                FieldData::Integer(values) => write!(text, "{gap}{}", values[row]),
                FieldData::Scalar(values) => write!(text, "{gap}{}", values[row]),
                FieldData::Vec3(values) => write!(text, "{gap}{}", numbers(&values[row])),
                FieldData::Quaternion(values) => write!(text, "{gap}{}", numbers(&values[row])),
                FieldData::Tensor(values) => write!(text, "{gap}{}", numbers(&values[row])),
            };
        }
        text.push('\n');
    }
    Ok(text)
}

fn numbers(values: &[f32]) -> String {
    values.iter().map(f32::to_string).collect::<Vec<_>>().join(" ")
}

/// Kinds of the axes, and a line per axis with the ends of the box \[m\].
fn bounds(view: &Oriented, header: &DumpHeader) -> (String, String) {
    let positions = view.snapshot().vec3("position").unwrap_or_default();
    let radius = view.snapshot().scalar("radius");
    let most = radius.map_or(0.0, |radii| radii.iter().copied().fold(0.0, f32::max));
    let [x, y, z] = header.periodic;
    let opposite = |range: Option<[f32; 2]>| range.map(|[low, high]| [0.0 - high, 0.0 - low]);
    let periodic = match view.up() {
        UpAxis::Y => [x, y, z],
        UpAxis::Z => [x, opposite(z), y],
    };
    let (mut kinds, mut lines) = (Vec::new(), String::new());
    for (axis, range) in periodic.into_iter().enumerate() {
        let ends = |[low, high]: [f32; 2], x: &[f32; 3]| [low.min(x[axis] - most), high.max(x[axis] + most)];
        let held = || positions.iter().fold([f32::INFINITY, f32::NEG_INFINITY], ends);
        let [low, high] = range.unwrap_or_else(held);
        let [low, high] = if low < high { [low, high] } else { [-0.5, 0.5] };
        kinds.push(if range.is_some() { "pp" } else { "ss" });
        let _ = writeln!(lines, "{low} {high}");
    }
    (kinds.join(" "), lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::{FieldInfo, FieldKind, Snapshot};

    fn snapshot() -> Snapshot {
        let info = |name, kind| FieldInfo { name, unit: "1", kind };
        Snapshot {
            time: 0.25,
            columns: vec![
                (info("position", FieldKind::Vec3), FieldData::Vec3(vec![[1.0, 2.0, 3.0], [0.0, 0.5, -1.0]])),
                (info("id", FieldKind::Integer), FieldData::Integer(vec![4, 9])),
                (info("stress", FieldKind::Tensor), FieldData::Tensor(vec![[0.0; 6]; 2])),
                (info("material", FieldKind::Integer), FieldData::Integer(vec![0, 1])),
                (info("radius", FieldKind::Scalar), FieldData::Scalar(vec![0.5, 0.25])),
                (
                    info("orientation", FieldKind::Quaternion),
                    FieldData::Quaternion(vec![[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]]),
                ),
            ],
        }
    }

    #[test]
    fn a_dump_is_as_lammps_writes_it() {
        let header = DumpHeader { frame: 12, periodic: [Some([-2.0, 2.0]), None, None] };
        let text = encode_dump(&Oriented::new(&snapshot(), UpAxis::Y), &header).unwrap();
        let expected = "ITEM: UNITS\nsi\nITEM: TIME\n0.25\nITEM: TIMESTEP\n12\nITEM: NUMBER OF ATOMS\n2\n\
                        ITEM: BOX BOUNDS pp ss ss\n-2 2\n0 2.5\n-1.5 3.5\n\
                        ITEM: ATOMS id type radius x y z quati quatj quatk quatw\n\
                        4 1 0.5 1 2 3 0 0 0 1\n9 2 0.25 0 0.5 -1 1 0 0 0\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_box_turns_with_the_particles() {
        let header = DumpHeader { frame: 0, periodic: [None, None, Some([-1.0, 4.0])] };
        let text = encode_dump(&Oriented::new(&snapshot(), UpAxis::Z), &header).unwrap();
        assert!(text.contains("BOX BOUNDS ss pp ss\n-0.5 1.5\n-4 1\n0 2.5\n"), "{text}");
        assert!(text.contains("\n4 1 0.5 1 -3 2 "), "{text}");
    }

    #[test]
    fn a_dump_of_nothing_has_a_box() {
        let mut empty = snapshot();
        empty.columns.truncate(1);
        empty.columns[0].1 = FieldData::Vec3(Vec::new());
        let header = DumpHeader { frame: 0, periodic: [None; 3] };
        let text = encode_dump(&Oriented::new(&empty, UpAxis::Y), &header).unwrap();
        assert!(text.contains("ATOMS\n0\n") && text.contains("-0.5 0.5\n"), "{text}");
    }
}
