//! Particle frames for ParaView and other VTK readers: XML PolyData (.vtp) and a time series of them (.pvd).
//!
//! Every particle is a point with a vertex cell; fields are point data with raw appended binary values. Symmetric
//! tensors have VTK's order of components (XX, YY, ZZ, XY, YZ, XZ). An array carries its unit as VTK's `UNITS_LABEL`;
//! field data repeat the units as text (`units`) and hold the time (`TimeValue`), the axis that points up (`up`) and
//! the program (`generator`).

use std::fmt::Write;
use std::io;
use std::path::Path;

use super::oriented::Oriented;
use super::ply::in_file_order;
use crate::files::write_bytes_atomic;
use crate::simulator::FieldData;

/// What the time series of granule contain, so that a later run may replace them.
pub(super) const PVD_MARK: &str = "<!-- granule ";

pub(super) const VEC3: &[&str] = &["X", "Y", "Z"];
const QUATERNION: &[&str] = &["X", "Y", "Z", "W"];
const TENSOR: &[&str] = &["XX", "YY", "ZZ", "XY", "YZ", "XZ"];

/// Writes a snapshot; it must hold `position`.
pub fn write_vtp(path: impl AsRef<Path>, view: &Oriented) -> io::Result<()> {
    write_bytes_atomic(path, &encode_vtp(view)?)
}

/// A snapshot as the bytes of a VTP file.
pub fn encode_vtp(view: &Oriented) -> io::Result<Vec<u8>> {
    let count = view.checked_count()?;
    let columns = in_file_order(view.snapshot());
    let mut appended = Appended::default();
    let mut point_data = String::new();
    let mut points = String::new();
    for (info, data) in &columns {
        let (kind, components, bytes) = values(data);
        let (name, target) = match info.name {
            "position" => ("Points", &mut points),
            name => (name, &mut point_data),
        };
        *target += &appended.array(kind, name, components, Some(info.unit), &bytes);
    }
    let connectivity: Vec<u8> = (0..count as u32).flat_map(u32::to_le_bytes).collect();
    let offsets: Vec<u8> = (1..=count as u32).flat_map(u32::to_le_bytes).collect();
    let connectivity = appended.array("UInt32", "connectivity", &[""], None, &connectivity);
    let offsets = appended.array("UInt32", "offsets", &[""], None, &offsets);

    let field_data = notes(view);
    let head = format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <PolyData>\n<FieldData>\n{field_data}</FieldData>\n\
         <Piece NumberOfPoints=\"{count}\" NumberOfVerts=\"{count}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" \
         NumberOfPolys=\"0\">\n\
         <PointData>\n{point_data}</PointData>\n<Points>\n{points}</Points>\n\
         <Verts>\n{connectivity}{offsets}</Verts>\n</Piece>\n</PolyData>\n\
         <AppendedData encoding=\"raw\">\n_"
    );
    Ok([head.as_bytes(), &appended.bytes, b"\n</AppendedData>\n</VTKFile>\n"].concat())
}

/// Time, units, the axis that points up and the program, as field data.
pub(super) fn notes(view: &Oriented) -> String {
    let columns = in_file_order(view.snapshot());
    let units: Vec<String> =
        columns.iter().map(|(info, _)| format!("{} [{}]", info.name, info.unit)).collect();
    [
        format!(
            "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n",
            view.snapshot().time
        ),
        text_array("units", &units),
        text_array("up", &[view.up().word().into()]),
        text_array("generator", &[format!("granule {}", env!("CARGO_PKG_VERSION"))]),
    ]
    .concat()
}

/// The appended binary blocks, each with its length before it.
#[derive(Default)]
pub(super) struct Appended {
    pub(super) bytes: Vec<u8>,
}

impl Appended {
    /// Adds a block and returns the element that describes it.
    pub(super) fn array(
        &mut self,
        kind: &str,
        name: &str,
        components: &[&str],
        unit: Option<&str>,
        bytes: &[u8],
    ) -> String {
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(bytes);
        let mut element = format!("<DataArray type=\"{kind}\" Name=\"{}\"", escaped(name));
        if components.len() > 1 {
            let _ = write!(element, " NumberOfComponents=\"{}\"", components.len());
            for (k, component) in components.iter().enumerate() {
                let _ = write!(element, " ComponentName{k}=\"{component}\"");
            }
        }
        let _ = write!(element, " format=\"appended\" offset=\"{offset}\"");
        element += &match unit {
            Some(unit) => format!(
                ">\n<InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">{}</InformationKey>\n</DataArray>\n",
                escaped(unit)
            ),
            None => "/>\n".into(),
        };
        element
    }
}

/// VTK's type, names of the components and bytes of a field.
pub(super) fn values(data: &FieldData) -> (&'static str, &'static [&'static str], Vec<u8>) {
    let floats = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect();
    match data {
        FieldData::Integer(values) => {
            ("UInt32", &[""], values.iter().flat_map(|value| value.to_le_bytes()).collect())
        }
        FieldData::Scalar(values) => ("Float32", &[""], floats(values)),
        FieldData::Vec3(values) => ("Float32", VEC3, floats(values.as_flattened())),
        FieldData::Quaternion(values) => ("Float32", QUATERNION, floats(values.as_flattened())),
        FieldData::Tensor(values) => {
            let reordered = values.iter().flat_map(|[xx, xy, xz, yy, yz, zz]| [*xx, *yy, *zz, *xy, *yz, *xz]);
            ("Float32", TENSOR, floats(&reordered.collect::<Vec<f32>>()))
        }
    }
}

/// Texts as field data: the codes of their bytes, each text ended by 0.
pub(super) fn text_array(name: &str, texts: &[String]) -> String {
    let codes: Vec<String> =
        texts.iter().flat_map(|text| text.bytes().chain([0])).map(|byte| byte.to_string()).collect();
    format!(
        "<DataArray type=\"String\" Name=\"{name}\" NumberOfTuples=\"{}\" format=\"ascii\">{}</DataArray>\n",
        texts.len(),
        codes.join(" ")
    )
}

/// A time series: the time \[s\] and the file of every frame, relative to the series itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VtkSeries {
    frames: Vec<(f64, String)>,
}

impl VtkSeries {
    /// Adds a frame.
    pub fn push(&mut self, time: f64, file: impl Into<String>) {
        self.frames.push((time, file.into()));
    }

    /// Takes back the last frame.
    pub fn pop(&mut self) {
        self.frames.pop();
    }

    /// Writes the PVD file.
    pub fn write(&self, path: impl AsRef<Path>) -> io::Result<()> {
        write_bytes_atomic(path, self.encode().as_bytes())
    }

    /// The text of the PVD file.
    pub fn encode(&self) -> String {
        let mut text = format!(
            "<?xml version=\"1.0\"?>\n{PVD_MARK}{} -->\n\
             <VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
             <Collection>\n",
            env!("CARGO_PKG_VERSION")
        );
        for (time, file) in &self.frames {
            let file = escaped(file);
            let _ = writeln!(text, "<DataSet timestep=\"{time}\" group=\"\" part=\"0\" file=\"{file}\"/>");
        }
        text + "</Collection>\n</VTKFile>\n"
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::scene::UpAxis;
    use crate::simulator::{FieldInfo, FieldKind, Snapshot};

    fn snapshot() -> Snapshot {
        let info = |name, unit, kind| FieldInfo { name, unit, kind };
        Snapshot {
            time: 0.25,
            columns: vec![
                (info("id", "1", FieldKind::Integer), FieldData::Integer(vec![4, 9])),
                (info("position", "m", FieldKind::Vec3), FieldData::Vec3(vec![[1.0; 3], [2.0; 3]])),
                (
                    info("stress", "Pa", FieldKind::Tensor),
                    FieldData::Tensor(vec![[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]; 2]),
                ),
            ],
        }
    }

    /// The appended block of an array.
    pub(in crate::io) fn block<'a>(file: &'a [u8], name: &str) -> &'a [u8] {
        let text = String::from_utf8_lossy(file);
        let element = &text[text.find(&format!("Name=\"{name}\"")).unwrap()..];
        let offset = &element[element.find("offset=\"").unwrap() + 8..];
        let offset: usize = offset[..offset.find('"').unwrap()].parse().unwrap();
        let mark = b"<AppendedData encoding=\"raw\">\n_";
        let start = file.windows(mark.len()).position(|window| window == mark).unwrap() + mark.len() + offset;
        let length = u64::from_le_bytes(file[start..start + 8].try_into().unwrap()) as usize;
        &file[start + 8..start + 8 + length]
    }

    #[test]
    fn blocks_hold_the_values_where_the_offsets_say() {
        let file = encode_vtp(&Oriented::new(&snapshot(), UpAxis::Y)).unwrap();
        let floats = |bytes: &[u8]| -> Vec<f32> {
            bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
        };
        assert_eq!(block(&file, "id"), [4u32.to_le_bytes(), 9u32.to_le_bytes()].concat());
        assert_eq!(floats(block(&file, "Points")), [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
        assert_eq!(floats(block(&file, "stress"))[..6], [1.0, 4.0, 6.0, 2.0, 5.0, 3.0]);
        assert_eq!(block(&file, "offsets"), [1u32.to_le_bytes(), 2u32.to_le_bytes()].concat());
        let text = String::from_utf8_lossy(&file);
        assert!(text.contains("NumberOfPoints=\"2\" NumberOfVerts=\"2\"") && text.contains(">Pa<"));
        assert!(text.ends_with("</AppendedData>\n</VTKFile>\n"));
    }

    #[test]
    fn a_snapshot_without_positions_is_refused() {
        assert!(encode_vtp(&Oriented::new(&Snapshot::default(), UpAxis::Y)).is_err());
    }

    #[test]
    fn a_series_lists_times_and_files() {
        let mut series = VtkSeries::default();
        series.push(0.0, "frame_000000.vtp");
        series.push(0.02, "a\"&b.vtp");
        let text = series.encode();
        assert!(text.contains("timestep=\"0\" group=\"\" part=\"0\" file=\"frame_000000.vtp\""));
        assert!(text.contains("timestep=\"0.02\"") && text.contains("a&quot;&amp;b.vtp"));
        assert!(text.contains(PVD_MARK));
    }
}
