//! bodies.csv: where every rigid body is and what grains do to it, one row per body and frame.

use std::io;
use std::path::Path;

use glam::{Quat, Vec3};

use super::appended::AppendedFile;
use super::oriented::{turned_quaternion, turned_vector};
use crate::bodies::BodyReport;
use crate::boundary::Pose;
use crate::geometry::UpAxis;

/// Names of the columns: frame, time \[s\], name; centre \[m\], origin of the body's own frame \[m\] and its orientation as a
/// quaternion; velocity [m/s] and angular velocity [rad/s]; mean force \[N\] and torque about the centre [N m] of the
/// grains since the frame before.
const HEADER: &str = "frame,time,body,x,y,z,ox,oy,oz,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz,fx,fy,fz,tx,ty,tz\n";

/// Appends the rows of every frame at once.
#[derive(Debug)]
pub struct BodyTableWriter {
    file: AppendedFile,
    up: UpAxis,
}

impl BodyTableWriter {
    /// Begins a new file in which the axis `up` points up.
    pub fn create(path: impl AsRef<Path>, up: UpAxis) -> io::Result<Self> {
        Ok(Self { file: AppendedFile::create(path, HEADER)?, up })
    }

    /// Appends a frame.
    pub fn append(&mut self, frame: u64, time: f64, bodies: &[BodyReport]) -> io::Result<()> {
        let mut rows = String::new();
        for body in bodies {
            rows += &format!("{frame},{time},{}", quoted(&body.name));
            let vector = |v: Vec3| turned_vector(v.to_array(), self.up);
            let turn = turned_quaternion(body.pose.rotation.to_array(), self.up);
            let numbers = [vector(body.center), vector(body.pose.translation)].into_iter().flatten();
            let motion = [body.velocity, body.angular_velocity, body.force, body.torque];
            let motion = motion.into_iter().flat_map(vector);
            numbers.chain(turn).chain(motion).for_each(|number| rows += &format!(",{number}"));
            rows.push('\n');
        }
        self.file.append(&rows)
    }
}

/// A body's place in a frame, y up.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyPlace {
    /// Number of the frame.
    pub frame: u64,
    /// Name of the body.
    pub name: String,
    /// Where the frame that its shape is described in lies.
    pub pose: Pose,
}

/// Why a bodies.csv cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyTableError {
    /// It has other columns.
    #[error("line 1: these are not the columns of a bodies.csv")]
    Columns,
    /// A line is not a row of them.
    #[error("line {line}: not a row")]
    Row {
        /// The line, from 1.
        line: usize,
    },
}

/// Reads the places out of the text of a bodies.csv in which the axis `up` points up.
///
/// # Errors
/// Names the line that cannot be understood.
pub fn parse_body_table(text: &str, up: UpAxis) -> Result<Vec<BodyPlace>, BodyTableError> {
    let mut lines = text.lines();
    if lines.next() != Some(HEADER.trim_end()) {
        return Err(BodyTableError::Columns);
    }
    lines.enumerate().map(|(k, line)| place(line, up).ok_or(BodyTableError::Row { line: k + 2 })).collect()
}

fn place(line: &str, up: UpAxis) -> Option<BodyPlace> {
    let (frame, rest) = line.split_once(',')?;
    let (_, rest) = rest.split_once(',')?;
    let (name, rest) = unquoted(rest)?;
    let numbers: Vec<f32> = rest.split(',').map(|n| n.parse().ok()).collect::<Option<_>>()?;
    if numbers.len() != 22 || numbers.iter().any(|n| !n.is_finite()) {
        return None;
    }
    let (origin, turn) = (Vec3::from_slice(&numbers[3..6]), Quat::from_slice(&numbers[6..10]));
    let back = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
    let pose = match up {
        UpAxis::Y => Pose { rotation: turn, translation: origin },
        UpAxis::Z => Pose { rotation: (back * turn).normalize(), translation: back * origin },
    };
    Some(BodyPlace { frame: frame.parse().ok()?, name, pose })
}

/// The first field of a row, which may be quoted, and what follows it.
fn unquoted(row: &str) -> Option<(String, &str)> {
    let Some(mut rest) = row.strip_prefix('"') else {
        return row.split_once(',').map(|(name, rest)| (name.to_string(), rest));
    };
    let mut name = String::new();
    loop {
        let (part, after) = rest.split_once('"')?;
        name += part;
        match after.strip_prefix('"') {
            Some(after) => {
                name.push('"');
                rest = after;
            }
            None => return Some((name, after.strip_prefix(',')?)),
        }
    }
}

/// A name as a field of a table.
fn quoted(name: &str) -> String {
    if name.contains([',', '"']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::BodyKind;

    #[test]
    fn places_survive_the_file_with_either_axis_up() {
        let folder = tempfile::tempdir().unwrap();
        let rotation = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 1.2);
        let pose = Pose { rotation, translation: Vec3::new(1.0, 2.0, 3.0) };
        let body = BodyReport {
            name: "a \"big\", round one".into(),
            kind: BodyKind::Dynamic,
            mass: 2.0,
            center: Vec3::new(1.5, 2.0, 3.0),
            pose,
            velocity: Vec3::X,
            angular_velocity: Vec3::Y,
            force: Vec3::Z,
            torque: Vec3::ONE,
        };
        for up in [UpAxis::Y, UpAxis::Z] {
            let path = folder.path().join("bodies.csv");
            let mut writer = BodyTableWriter::create(&path, up).unwrap();
            writer.append(7, 0.14, std::slice::from_ref(&body)).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            let places = parse_body_table(&text, up).unwrap();
            assert_eq!((places[0].frame, &places[0].name), (7, &body.name));
            assert!((places[0].pose.translation - pose.translation).length() < 1e-6);
            assert!(places[0].pose.rotation.dot(rotation).abs() > 1.0 - 1e-6);
            assert!(parse_body_table(&text.replace("0.14", "0.14,"), up).is_err());
        }
        assert!(parse_body_table("a,b\n", UpAxis::Y).is_err());
    }
}
