//! Snapshots turned so that the axis that a file asks for points up.

use std::borrow::Cow;
use std::f32::consts::FRAC_1_SQRT_2;
use std::io;

use glam::{Quat, Vec3};

use crate::geometry::UpAxis;
use crate::simulator::{FieldData, Snapshot};

impl UpAxis {
    /// The word in scenes and files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Y => "y",
            Self::Z => "z",
        }
    }
}

/// A snapshot in the axes of its files. Exporters take nothing else, so a file cannot claim the wrong axis.
pub struct Oriented<'a> {
    snapshot: Cow<'a, Snapshot>,
    up: UpAxis,
}

impl<'a> Oriented<'a> {
    /// Turns a snapshot from the simulation (y up).
    ///
    /// ```text
    /// x' = R x    v' = R v    S' = R S R^T    q' = r q
    /// ```
    /// R is a quarter turn about x, (x, y, z) -> (x, -z, y), and r its quaternion. An orientation q takes a body's own
    /// coordinates, which stay as they are, to the world.
    pub fn new(snapshot: &'a Snapshot, up: UpAxis) -> Self {
        let snapshot = match up {
            UpAxis::Y => Cow::Borrowed(snapshot),
            UpAxis::Z => Cow::Owned(Snapshot {
                columns: snapshot.columns.iter().map(|(info, data)| (*info, turned(data))).collect(),
                ..*snapshot
            }),
        };
        Self { snapshot, up }
    }

    /// The turned snapshot.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The axis that points up.
    pub fn up(&self) -> UpAxis {
        self.up
    }

    /// Number of particles; an error where positions are missing or a field has another length.
    pub(super) fn checked_count(&self) -> io::Result<usize> {
        let invalid = |message: String| io::Error::new(io::ErrorKind::InvalidInput, message);
        let positions = self.snapshot.vec3("position");
        let count = positions.ok_or_else(|| invalid("the snapshot has no positions".into()))?.len();
        match self.snapshot.columns.iter().find(|(_, data)| data.len() != count) {
            Some((info, data)) => {
                Err(invalid(format!("field `{}` has {} of {count} values", info.name, data.len())))
            }
            None => Ok(count),
        }
    }
}

/// Differences from 0 rather than signs: there is no -0 in the files.
fn turned(data: &FieldData) -> FieldData {
    match data {
        FieldData::Integer(_) | FieldData::Scalar(_) => data.clone(),
        FieldData::Vec3(values) => {
            FieldData::Vec3(values.iter().map(|v| turned_vector(*v, UpAxis::Z)).collect())
        }
        FieldData::Quaternion(values) => {
            FieldData::Quaternion(values.iter().map(|q| turned_quaternion(*q, UpAxis::Z)).collect())
        }
        FieldData::Tensor(values) => FieldData::Tensor(
            values.iter().map(|[xx, xy, xz, yy, yz, zz]| [*xx, 0.0 - xz, *xy, *zz, 0.0 - yz, *yy]).collect(),
        ),
    }
}

/// A vector of the simulation (y up) in a file's axes.
pub(super) fn turned_vector([x, y, z]: [f32; 3], up: UpAxis) -> [f32; 3] {
    match up {
        UpAxis::Y => [x, y, z],
        UpAxis::Z => [x, 0.0 - z, y],
    }
}

/// An orientation of the simulation (y up) in a file's axes, as (x, y, z, w): r q with r = (sin 45, 0, 0, cos 45) where
/// z points up.
pub(super) fn turned_quaternion([x, y, z, w]: [f32; 4], up: UpAxis) -> [f32; 4] {
    match up {
        UpAxis::Y => [x, y, z, w],
        UpAxis::Z => [w + x, y - z, z + y, w - x].map(|part| part * FRAC_1_SQRT_2),
    }
}

/// A vector of a file in the simulation's axes: the opposite of (x, y, z) -> (x, -z, y) where z points up.
pub(super) fn y_up([x, y, z]: [f32; 3], z_up: bool) -> Vec3 {
    if z_up { Vec3::new(x, z, 0.0 - y) } else { Vec3::new(x, y, z) }
}

/// An orientation of a file (x, y, z, w) in the simulation's axes: r^-1 q with r = (sin 45, 0, 0, cos 45) where z points up.
pub(super) fn y_up_orientation(q: [f32; 4], z_up: bool) -> Quat {
    let back = Quat::from_xyzw(-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2);
    if z_up { back * Quat::from_array(q) } else { Quat::from_array(q) }
}

#[cfg(test)]
mod tests {
    use glam::Mat3;

    use super::*;
    use crate::simulator::{FieldInfo, FieldKind};

    fn turn(data: FieldData) -> FieldData {
        let info = FieldInfo { name: "a", unit: "1", kind: FieldKind::Scalar };
        let snapshot = Snapshot { time: 1.0, columns: vec![(info, data)] };
        let oriented = Oriented::new(&snapshot, UpAxis::Z);
        assert_eq!((oriented.up().word(), oriented.snapshot().time), ("z", 1.0));
        oriented.snapshot().columns[0].1.clone()
    }

    /// The same turn, by another library.
    fn rotation() -> Mat3 {
        Mat3::from_rotation_x(std::f32::consts::FRAC_PI_2)
    }

    #[test]
    fn vectors_turn_and_up_becomes_z() {
        assert_eq!(turn(FieldData::Vec3(vec![[0.0, 1.0, 0.0]])), FieldData::Vec3(vec![[0.0, 0.0, 1.0]]));
        let FieldData::Vec3(values) = turn(FieldData::Vec3(vec![[1.0, 2.0, 3.0]])) else { panic!() };
        assert!((rotation() * Vec3::new(1.0, 2.0, 3.0) - Vec3::from(values[0])).length() < 1e-6);
        assert_eq!(values[0], [1.0, -3.0, 2.0]);
    }

    #[test]
    fn tensors_turn_as_products_with_vectors_do() {
        let [xx, xy, xz, yy, yz, zz] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let FieldData::Tensor(values) = turn(FieldData::Tensor(vec![[xx, xy, xz, yy, yz, zz]])) else {
            panic!()
        };
        let s = Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
        let t = rotation() * s * rotation().transpose();
        let expected = [t.x_axis.x, t.x_axis.y, t.x_axis.z, t.y_axis.y, t.y_axis.z, t.z_axis.z];
        for (found, expected) in values[0].iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5, "{:?} {expected:?}", values[0]);
        }
    }

    #[test]
    fn orientations_take_bodies_to_the_turned_world() {
        let q = Quat::from_xyzw(0.1, 0.7, -0.2, 0.4).normalize();
        let FieldData::Quaternion(values) = turn(FieldData::Quaternion(vec![q.to_array()])) else { panic!() };
        let body = Vec3::new(0.3, -1.0, 2.0);
        let expected = rotation() * (q * body);
        assert!((Quat::from_array(values[0]) * body - expected).length() < 1e-5);
    }

    #[test]
    fn what_a_file_has_turned_is_turned_back() {
        let q = Quat::from_xyzw(0.1, 0.7, -0.2, 0.4).normalize();
        for up in [UpAxis::Y, UpAxis::Z] {
            let z_up = up == UpAxis::Z;
            let found = y_up_orientation(turned_quaternion(q.to_array(), up), z_up);
            assert!(found.angle_between(q) < 1e-3 && found.dot(q) > 0.999_999, "{found}");
            let v = [1.0, 2.0, 3.0];
            assert_eq!(y_up(turned_vector(v, up), z_up), Vec3::from(v));
        }
    }

    #[test]
    fn with_y_up_nothing_is_copied() {
        let snapshot = Snapshot::default();
        assert!(matches!(Oriented::new(&snapshot, UpAxis::Y).snapshot, Cow::Borrowed(_)));
    }
}
