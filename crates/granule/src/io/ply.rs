//! Particle frames as binary little-endian PLY.
//!
//! One `vertex` element per particle: `id` (uint), `x y z` (float) and the chosen fields, vectors and tensors spread
//! over several properties (`velocity_x`, `stress_xy`). Comments carry what PLY has no place for: time, up axis, units.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use super::oriented::Oriented;
use crate::files::write_bytes_atomic;
use crate::formats::bytes::{Endian, Number};
use crate::formats::ply::{Encoding, Ply};
use crate::simulator::{FieldData, FieldInfo, Snapshot};

/// Bytes of a value; every property is a float or a uint.
const VALUE_BYTES: usize = 4;

const VEC3: [&str; 3] = ["_x", "_y", "_z"];
const QUATERNION: [&str; 4] = ["_x", "_y", "_z", "_w"];
const TENSOR: [&str; 6] = ["_xx", "_xy", "_xz", "_yy", "_yz", "_zz"];

/// Writes a snapshot; it must hold `position`.
pub fn write_ply(path: impl AsRef<Path>, view: &Oriented) -> io::Result<()> {
    write_bytes_atomic(path, &encode_ply(view)?)
}

/// A snapshot as the bytes of a PLY file.
pub fn encode_ply(view: &Oriented) -> io::Result<Vec<u8>> {
    let invalid = |message: String| io::Error::new(io::ErrorKind::InvalidInput, message);
    let snapshot = view.snapshot();
    let count = view.checked_count()?;
    let mut header = format!(
        "ply\nformat binary_little_endian 1.0\ncomment generator granule {}\ncomment time {}\ncomment up {}\n",
        env!("CARGO_PKG_VERSION"),
        snapshot.time,
        view.up().word()
    );
    let columns = in_file_order(snapshot);
    for (info, _) in &columns {
        header += &format!("comment unit {} {}\n", info.name, info.unit);
    }
    header += &format!("element vertex {count}\n");
    let mut seen = Vec::new();
    for (info, data) in &columns {
        let word = if matches!(data, FieldData::Integer(_)) { "uint" } else { "float" };
        for name in property_names(info.name, data) {
            if seen.contains(&name) {
                return Err(invalid(format!("property `{name}` stands twice")));
            }
            header += &format!("property {word} {name}\n");
            seen.push(name);
        }
    }
    header += "end_header\n";

    let mut bytes = Vec::with_capacity(header.len() + count * seen.len() * VALUE_BYTES);
    bytes.extend_from_slice(header.as_bytes());
    for row in 0..count {
        for (_, data) in &columns {
            match data {
                FieldData::Integer(values) => bytes.extend_from_slice(&values[row].to_le_bytes()),
                FieldData::Scalar(values) => bytes.extend_from_slice(&values[row].to_le_bytes()),
                FieldData::Vec3(values) => put(&mut bytes, &values[row]),
                FieldData::Quaternion(values) => put(&mut bytes, &values[row]),
                FieldData::Tensor(values) => put(&mut bytes, &values[row]),
            }
        }
    }
    Ok(bytes)
}

/// Id and position first, then the rest as it was asked for.
pub(super) fn in_file_order(snapshot: &Snapshot) -> Vec<&(FieldInfo, FieldData)> {
    let mut columns: Vec<_> = snapshot.columns.iter().collect();
    columns.sort_by_key(|(info, _)| match info.name {
        "id" => 0,
        "position" => 1,
        _ => 2,
    });
    columns
}

fn put(bytes: &mut Vec<u8>, values: &[f32]) {
    for value in values {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
}

/// The properties that a field is spread over; table columns have the same names.
pub(super) fn property_names(name: &str, data: &FieldData) -> Vec<String> {
    let suffixes: &[&str] = match data {
        FieldData::Integer(_) | FieldData::Scalar(_) => &[""],
        FieldData::Vec3(_) if name == "position" => return ["x", "y", "z"].map(String::from).to_vec(),
        FieldData::Vec3(_) => &VEC3,
        FieldData::Quaternion(_) => &QUATERNION,
        FieldData::Tensor(_) => &TENSOR,
    };
    suffixes.iter().map(|suffix| format!("{name}{suffix}")).collect()
}

/// Why a PLY file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PlyError {
    /// The file cannot be read.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// It is not a PLY file of the kind that granule writes.
    #[error("not a granule PLY file: {0}")]
    Format(String),
    /// The data are shorter or longer than the header says.
    #[error("damaged PLY file: the header promises {promised} bytes of data, the file has {found}")]
    Size {
        /// Bytes that the header promises.
        promised: u128,
        /// Bytes after the header.
        found: usize,
    },
}

/// The values of one property.
#[derive(Clone, Debug, PartialEq)]
pub enum PlyColumn {
    /// Unsigned integers.
    Integer(Vec<u32>),
    /// Numbers.
    Float(Vec<f32>),
}

/// What a PLY file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlyData {
    /// Simulated time \[s\].
    pub time: f64,
    /// Number of particles.
    pub count: usize,
    /// Properties by name, in the order of the file.
    pub columns: Vec<(String, PlyColumn)>,
    /// Units by field.
    pub units: BTreeMap<String, String>,
    /// The axis that points up.
    pub up: String,
}

impl PlyData {
    /// Names of the properties, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// The values of a number property.
    pub fn scalar(&self, name: &str) -> Option<&[f32]> {
        match self.columns.iter().find(|(known, _)| known == name) {
            Some((_, PlyColumn::Float(values))) => Some(values),
            _ => None,
        }
    }

    /// The values of an integer property.
    pub fn integer(&self, name: &str) -> Option<&[u32]> {
        match self.columns.iter().find(|(known, _)| known == name) {
            Some((_, PlyColumn::Integer(values))) => Some(values),
            _ => None,
        }
    }

    /// The values of a vector field, `position` included; orientations are no vectors.
    pub fn vec3(&self, name: &str) -> Option<Vec<[f32; 3]>> {
        let [x, y, z] = if name == "position" {
            ["x", "y", "z"].map(String::from)
        } else {
            VEC3.map(|s| format!("{name}{s}"))
        };
        if self.scalar(&format!("{name}_w")).is_some() {
            return None;
        }
        let (x, y, z) = (self.scalar(&x)?, self.scalar(&y)?, self.scalar(&z)?);
        Some(x.iter().zip(y).zip(z).map(|((x, y), z)| [*x, *y, *z]).collect())
    }
}

/// Reads a PLY file as [`write_ply`] writes it.
pub fn read_ply(path: impl AsRef<Path>) -> Result<PlyData, PlyError> {
    let path = path.as_ref();
    if !fs::metadata(path)?.is_file() {
        return Err(PlyError::Format("not a file".into()));
    }
    parse_ply(&fs::read(path)?)
}

/// Reads the bytes of a PLY file. Memory use is bounded by their number, whatever the header says.
pub fn parse_ply(bytes: &[u8]) -> Result<PlyData, PlyError> {
    let ply = Ply::parse(bytes).map_err(|error| PlyError::Format(error.0))?;
    let mut data = empty_columns(&ply)?;
    let stride = data.columns.len() * VALUE_BYTES;
    let promised = data.count as u128 * stride as u128;
    if promised != ply.body.len() as u128 || stride == 0 {
        return Err(PlyError::Size { promised, found: ply.body.len() });
    }
    for (index, (_, column)) in data.columns.iter_mut().enumerate() {
        let values = ply.body.chunks_exact(stride).map(|row| {
            let at = index * VALUE_BYTES;
            [row[at], row[at + 1], row[at + 2], row[at + 3]]
        });
        match column {
            PlyColumn::Integer(column) => *column = values.map(u32::from_le_bytes).collect(),
            PlyColumn::Float(column) => *column = values.map(f32::from_le_bytes).collect(),
        }
    }
    Ok(data)
}

/// What a header tells of particles; the columns are still empty.
fn empty_columns(ply: &Ply) -> Result<PlyData, PlyError> {
    let format = |what: &str| PlyError::Format(what.to_string());
    if ply.encoding != Encoding::Binary(Endian::Little) {
        return Err(format("only binary_little_endian 1.0 is known"));
    }
    let [element] = &ply.elements[..] else { return Err(format("it has not one element, `vertex`")) };
    if element.name != "vertex" || element.properties.is_empty() {
        return Err(format("it has no vertices"));
    }
    let count = usize::try_from(element.count).map_err(|_| format("its vertices are too many"))?;
    let mut data = PlyData { count, ..PlyData::default() };
    for property in &element.properties {
        let column = match (property.list, property.number) {
            (None, Number::F32) => PlyColumn::Float(Vec::new()),
            (None, Number::U32) => PlyColumn::Integer(Vec::new()),
            _ => return Err(PlyError::Format(format!("property `{}` is no float or uint", property.name))),
        };
        if data.names().any(|known| known == property.name) {
            return Err(PlyError::Format(format!("property `{}` stands twice", property.name)));
        }
        data.columns.push((property.name.clone(), column));
    }
    read_comments(&ply.comments, &mut data)?;
    Ok(data)
}

/// Time, up axis and units, as [`encode_ply`] writes them.
fn read_comments(comments: &[String], data: &mut PlyData) -> Result<(), PlyError> {
    for comment in comments {
        let words: Vec<&str> = comment.split_whitespace().collect();
        match words[..] {
            ["time", time] => {
                data.time = time.parse().map_err(|_| PlyError::Format("its time is not a number".into()))?;
            }
            ["up", up] => data.up = up.into(),
            ["unit", name, ref unit @ ..] => {
                data.units.insert(name.into(), unit.join(" "));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scene::UpAxis;
    use crate::simulator::FieldKind;

    fn encode(snapshot: &Snapshot) -> io::Result<Vec<u8>> {
        encode_ply(&Oriented::new(snapshot, UpAxis::Y))
    }

    fn snapshot() -> Snapshot {
        let info = |name, unit, kind| FieldInfo { name, unit, kind };
        Snapshot {
            time: 0.1,
            columns: vec![
                (
                    info("position", "m", FieldKind::Vec3),
                    FieldData::Vec3(vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
                ),
                (info("id", "1", FieldKind::Integer), FieldData::Integer(vec![3, 70_000])),
                (
                    info("velocity", "m/s", FieldKind::Vec3),
                    FieldData::Vec3(vec![[0.5; 3], [f32::MIN_POSITIVE; 3]]),
                ),
                (info("density", "kg/m3", FieldKind::Scalar), FieldData::Scalar(vec![1600.0, 1599.5])),
                (
                    info("orientation", "1", FieldKind::Quaternion),
                    FieldData::Quaternion(vec![[0.0, 0.0, 0.0, 1.0]; 2]),
                ),
                (
                    info("stress", "Pa", FieldKind::Tensor),
                    FieldData::Tensor(vec![[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.0; 6]]),
                ),
            ],
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frame.ply");
        write_ply(&path, &Oriented::new(&snapshot(), UpAxis::Y)).unwrap();
        let data = read_ply(&path).unwrap();
        assert_eq!((data.time, data.count, data.up.as_str()), (0.1, 2, "y"));
        assert_eq!(data.integer("id").unwrap(), [3, 70_000]);
        assert_eq!(data.vec3("position").unwrap(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        assert_eq!(data.vec3("velocity").unwrap()[1], [f32::MIN_POSITIVE; 3]);
        assert_eq!(data.scalar("density").unwrap(), [1600.0, 1599.5]);
        assert_eq!(data.scalar("stress_yz").unwrap(), [5.0, 0.0]);
        assert_eq!(data.units["velocity"], "m/s");
        let names: Vec<&str> = data.names().collect();
        assert_eq!(names[..8], ["id", "x", "y", "z", "velocity_x", "velocity_y", "velocity_z", "density"]);
        assert!(data.scalar("id").is_none() && data.vec3("nothing").is_none());
        assert!(data.vec3("orientation").is_none(), "an orientation is no vector");
    }

    #[test]
    fn an_empty_snapshot_is_a_valid_file() {
        let mut snapshot = snapshot();
        snapshot.columns.truncate(1);
        snapshot.columns[0].1 = FieldData::Vec3(Vec::new());
        assert_eq!(parse_ply(&encode(&snapshot).unwrap()).unwrap().count, 0);
    }

    #[test]
    fn snapshots_that_do_not_fit_are_refused() {
        assert!(encode(&Snapshot::default()).unwrap_err().to_string().contains("no positions"));
        let mut uneven = snapshot();
        uneven.columns[3].1 = FieldData::Scalar(vec![1.0]);
        assert!(encode(&uneven).unwrap_err().to_string().contains("`density` has 1 of 2"));
        let mut twice = snapshot();
        let again = twice.columns[3].clone();
        twice.columns.push(again);
        assert!(encode(&twice).unwrap_err().to_string().contains("stands twice"));
    }

    #[test]
    fn every_truncation_is_an_error() {
        let bytes = encode(&snapshot()).unwrap();
        for end in 0..bytes.len() {
            assert!(parse_ply(&bytes[..end]).is_err(), "{end} of {} bytes were accepted", bytes.len());
        }
        assert!(parse_ply(&[bytes.as_slice(), b"x"].concat()).is_err());
    }

    #[test]
    fn a_lying_header_allocates_nothing() {
        for count in ["18446744073709551615", "4000000000", "-1", "1e9", "99999999999999999999999"] {
            let text = format!(
                "ply\nformat binary_little_endian 1.0\nelement vertex {count}\nproperty float x\nend_header\nabcd"
            );
            assert!(parse_ply(text.as_bytes()).is_err(), "{count}");
        }
        let no_properties = "ply\nformat binary_little_endian 1.0\nelement vertex 1000000\nend_header\n";
        assert!(parse_ply(no_properties.as_bytes()).is_err());
        assert!(read_ply("/").is_err());
    }

    /// Whether names are there once and every column has a value per particle.
    fn is_whole(data: &PlyData) -> bool {
        let names: std::collections::BTreeSet<&str> = data.names().collect();
        let length = |column: &PlyColumn| match column {
            PlyColumn::Integer(values) => values.len(),
            PlyColumn::Float(values) => values.len(),
        };
        names.len() == data.columns.len()
            && data.columns.iter().all(|(_, column)| length(column) == data.count)
    }

    proptest! {
        /// What is no PLY file is refused, and what is accepted of a damaged one is whole.
        #[test]
        fn garbage_is_refused_or_read_as_whole_columns(garbage in proptest::collection::vec(any::<u8>(), 0..400)) {
            prop_assert!(parse_ply(&garbage).is_err());
            let between = [b"ply\n".as_slice(), garbage.as_slice(), b"\nend_header\n"].concat();
            prop_assert!(parse_ply(&between).is_err(), "without a format and an element");
        }

        /// A changed byte of the values changes one value; one of the header is refused or leaves whole columns.
        #[test]
        fn a_changed_byte_changes_one_value_or_is_refused(at in 0usize..600, byte in any::<u8>()) {
            let sound = encode(&snapshot()).unwrap();
            let header = sound.windows(11).position(|bytes| bytes == b"end_header\n").unwrap() + 11;
            let mut bytes = sound.clone();
            let index = at % bytes.len();
            bytes[index] = byte;
            let (sound, changed) = (parse_ply(&sound).unwrap(), parse_ply(&bytes));
            prop_assert!(index < header || changed.is_ok(), "values are whatever they are");
            if let Ok(changed) = changed {
                prop_assert!(is_whole(&changed));
                let differing = sound.columns.iter().zip(&changed.columns).filter(|(a, b)| a.1 != b.1).count();
                prop_assert!(index < header || differing <= 1, "{differing} columns");
            }
        }
    }
}
