//! Fields on grids for ParaView and other VTK readers: XML ImageData (.vti) with raw appended values.

use std::io;
use std::path::Path;

use glam::{UVec3, Vec3};

use super::vtk::{Appended, text_array, values};
use crate::files::write_bytes_atomic;
use crate::geometry::DistanceField;
use crate::simulator::{FieldData, FieldInfo, FieldKind};

/// A field at the nodes of a grid, x fastest.
pub type GridField = (FieldInfo, FieldData);

/// Writes a distance field as `distance` \[m\] at points.
pub fn write_vti(path: impl AsRef<Path>, field: &DistanceField) -> io::Result<()> {
    write_bytes_atomic(path, &encode_vti(field))
}

/// A distance field as the bytes of a VTI file.
pub fn encode_vti(field: &DistanceField) -> Vec<u8> {
    let grid = field.grid();
    let info = FieldInfo { name: "distance", unit: "m", kind: FieldKind::Scalar };
    let distance = (info, FieldData::Scalar(field.values().to_vec()));
    encode_grid_vti(grid.origin, Vec3::splat(grid.cell), grid.nodes, &[distance])
}

/// Fields at the nodes of a grid as the bytes of a VTI file; the first one is the one shown.
pub fn encode_grid_vti(origin: Vec3, spacing: Vec3, nodes: UVec3, fields: &[GridField]) -> Vec<u8> {
    let mut appended = Appended::default();
    let mut arrays = String::new();
    for (info, data) in fields {
        let (kind, components, bytes) = values(data);
        arrays += &appended.array(kind, info.name, components, Some(info.unit), &bytes);
    }
    let generator = text_array("generator", &[format!("granule {}", env!("CARGO_PKG_VERSION"))]);
    let last = nodes - UVec3::ONE;
    let extent = format!("0 {} 0 {} 0 {}", last.x, last.y, last.z);
    let shown = fields.first().map_or("", |(info, _)| info.name);
    let numbers = |v: Vec3| format!("{} {} {}", v.x, v.y, v.z);
    let head = format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <ImageData WholeExtent=\"{extent}\" Origin=\"{}\" Spacing=\"{}\">\n\
         <FieldData>\n{generator}</FieldData>\n\
         <Piece Extent=\"{extent}\">\n<PointData Scalars=\"{shown}\">\n{arrays}</PointData>\n</Piece>\n</ImageData>\n\
         <AppendedData encoding=\"raw\">\n_",
        numbers(origin),
        numbers(spacing)
    );
    [head.as_bytes(), &appended.bytes, b"\n</AppendedData>\n</VTKFile>\n"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shapes;

    #[test]
    fn the_file_holds_every_node_and_says_where_they_are() {
        let field = DistanceField::new(&shapes::cuboid(glam::Vec3::ONE), 0.25, 0.0).unwrap();
        let file = encode_vti(&field);
        let text = String::from_utf8_lossy(&file);
        assert!(text.contains("WholeExtent=\"0 8 0 8 0 8\" Origin=\"-1 -1 -1\" Spacing=\"0.25 0.25 0.25\""));
        let mark = b"<AppendedData encoding=\"raw\">\n_";
        let start = file.windows(mark.len()).position(|window| window == mark).unwrap() + mark.len();
        let length = u64::from_le_bytes(file[start..start + 8].try_into().unwrap()) as usize;
        assert_eq!(length, 4 * 9 * 9 * 9);
        let middle = start + 8 + 4 * (9 * 9 * 9 / 2);
        assert_eq!(f32::from_le_bytes(file[middle..middle + 4].try_into().unwrap()), -0.5);
    }
}
