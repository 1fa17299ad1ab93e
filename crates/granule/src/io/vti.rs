//! Fields on grids for ParaView and other VTK readers: XML ImageData (.vti) with raw appended values.

use std::io;
use std::path::Path;

use super::vtk::{Appended, text_array};
use crate::files::write_bytes_atomic;
use crate::geometry::DistanceField;

/// Writes a distance field as `distance` \[m\] at points.
pub fn write_vti(path: impl AsRef<Path>, field: &DistanceField) -> io::Result<()> {
    write_bytes_atomic(path, &encode_vti(field))
}

/// A distance field as the bytes of a VTI file.
pub fn encode_vti(field: &DistanceField) -> Vec<u8> {
    let grid = field.grid();
    let mut appended = Appended::default();
    let values: Vec<u8> = field.values().iter().flat_map(|value| value.to_le_bytes()).collect();
    let array = appended.array("Float32", "distance", &[""], Some("m"), &values);
    let generator = text_array("generator", &[format!("granule {}", env!("CARGO_PKG_VERSION"))]);
    let last = grid.nodes - glam::UVec3::ONE;
    let extent = format!("0 {} 0 {} 0 {}", last.x, last.y, last.z);
    let (origin, cell) = (grid.origin, grid.cell);
    let head = format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <ImageData WholeExtent=\"{extent}\" Origin=\"{} {} {}\" Spacing=\"{cell} {cell} {cell}\">\n\
         <FieldData>\n{generator}</FieldData>\n\
         <Piece Extent=\"{extent}\">\n<PointData Scalars=\"distance\">\n{array}</PointData>\n</Piece>\n</ImageData>\n\
         <AppendedData encoding=\"raw\">\n_",
        origin.x, origin.y, origin.z
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
