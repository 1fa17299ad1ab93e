//! Contacts for ParaView and other VTK readers: XML PolyData with a line per contact, from centre to centre or to the wall.
//! What a contact is and does are cell data.

use std::io;
use std::path::Path;

use super::contact_table::line_ends;
use super::oriented::Oriented;
use super::vtk::{Appended, VEC3, notes, values};
use crate::files::write_bytes_atomic;

/// Writes a table of contacts.
pub fn write_contact_vtp(path: impl AsRef<Path>, table: &Oriented) -> io::Result<()> {
    write_bytes_atomic(path, &encode_contact_vtp(table)?)
}

/// A table of contacts ([`contact_table`](super::contact_table)) as the bytes of a VTP file.
pub fn encode_contact_vtp(table: &Oriented) -> io::Result<Vec<u8>> {
    let invalid = || io::Error::new(io::ErrorKind::InvalidInput, "this is not a table of contacts");
    let count = table.checked_count()?;
    let ends = line_ends(table).ok_or_else(invalid)?;
    let mut appended = Appended::default();
    let floats: Vec<u8> = ends.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
    let points = appended.array("Float32", "Points", VEC3, Some("m"), &floats);
    let mut cell_data = String::new();
    for (info, data) in &table.snapshot().columns {
        let (kind, components, bytes) = values(data);
        let name = if info.name == "position" { "point" } else { info.name };
        cell_data += &appended.array(kind, name, components, Some(info.unit), &bytes);
    }
    let connectivity: Vec<u8> = (0..2 * count as u32).flat_map(u32::to_le_bytes).collect();
    let offsets: Vec<u8> = (1..=count as u32).flat_map(|k| (2 * k).to_le_bytes()).collect();
    let connectivity = appended.array("UInt32", "connectivity", &[""], None, &connectivity);
    let offsets = appended.array("UInt32", "offsets", &[""], None, &offsets);
    let head = format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <PolyData>\n<FieldData>\n{}</FieldData>\n\
         <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"{count}\" NumberOfStrips=\"0\" \
         NumberOfPolys=\"0\">\n\
         <CellData Scalars=\"normal_force\">\n{cell_data}</CellData>\n<Points>\n{points}</Points>\n\
         <Lines>\n{connectivity}{offsets}</Lines>\n</Piece>\n</PolyData>\n\
         <AppendedData encoding=\"raw\">\n_",
        notes(table),
        2 * count
    );
    Ok([head.as_bytes(), &appended.bytes, b"\n</AppendedData>\n</VTKFile>\n"].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::contact_table::{contact_table, tests::contacts};
    use crate::io::vtk::tests::block;
    use crate::scene::UpAxis;

    #[test]
    fn lines_have_two_points_each_and_forces_are_cell_data() {
        let table = contact_table(&contacts(), 0.5);
        let file = encode_contact_vtp(&Oriented::new(&table, UpAxis::Y)).unwrap();
        let text = String::from_utf8_lossy(&file);
        assert!(text.contains("NumberOfPoints=\"4\" NumberOfVerts=\"0\" NumberOfLines=\"2\""), "{text}");
        let numbers = |name: &str| -> Vec<f32> {
            block(&file, name)
                .chunks_exact(4)
                .map(|four| f32::from_le_bytes(four.try_into().unwrap()))
                .collect()
        };
        assert_eq!(numbers("Points")[..6], [0.5, 1.5, -2.0, 0.5, 1.25, -1.5]);
        assert_eq!(numbers("normal_force"), [2.5, -1.0]);
        assert_eq!(numbers("force")[..3], [1.0, 1.5, -2.0]);
        assert_eq!(block(&file, "offsets"), [2u32.to_le_bytes(), 4u32.to_le_bytes()].concat());
        assert_eq!(block(&file, "connectivity").len(), 16);
        let (cells, points) = (text.find("<CellData").unwrap(), text.find("<Points>").unwrap());
        assert!((cells..points).contains(&text.find("Name=\"force\"").unwrap()));
    }
}
