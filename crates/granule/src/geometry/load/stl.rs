//! STL, text and binary. Normals in the file are ignored: the order of corners says the same, and more reliably.

use glam::Vec3;

use super::MeshFormat;
use crate::formats::bytes::{Endian, Number};
use crate::geometry::error::MeshError;
use crate::geometry::mesh::TriangleMesh;

/// Bytes before the triangles: a comment and the count.
const HEADER: usize = 84;
/// Bytes of a triangle: normal, corners, attribute.
const RECORD: usize = 50;

pub(super) fn parse(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    // Binary files may begin with "solid", too; their length tells them.
    let count = bytes.get(80..HEADER).and_then(|four| Number::U32.read(four, Endian::Little));
    let expected = count.map(|count| HEADER as u64 + RECORD as u64 * count as u64);
    if expected == Some(bytes.len() as u64) {
        return Ok(binary(&bytes[HEADER..]));
    }
    if bytes.trim_ascii_start().starts_with(b"solid") {
        return text(bytes);
    }
    match (count, expected) {
        // Some programs append to a sound file.
        (Some(_), Some(expected)) if expected < bytes.len() as u64 => {
            Ok(binary(&bytes[HEADER..expected as usize]))
        }
        (Some(count), Some(expected)) => Err(MeshFormat::Stl.error(format!(
            "{count} triangles need {expected} bytes, the file has {}: it is cut off or not STL",
            bytes.len()
        ))),
        _ => Err(MeshFormat::Stl.error(format!("{} bytes are too few for a header", bytes.len()))),
    }
}

fn binary(records: &[u8]) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    mesh.position.reserve_exact(records.len() / RECORD * 3);
    for record in records.chunks_exact(RECORD) {
        for corner in record[12..48].chunks_exact(12) {
            let axis =
                |k: usize| Number::F32.read(&corner[4 * k..], Endian::Little).unwrap_or(f64::NAN) as f32;
            mesh.position.push(Vec3::new(axis(0), axis(1), axis(2)));
        }
    }
    finish(mesh)
}

/// Only the lines with corners matter; three of them are a triangle.
fn text(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    let text = String::from_utf8_lossy(bytes);
    let mut mesh = TriangleMesh::default();
    let mut ended = false;
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("vertex") => {
                let mut axis = || words.next().and_then(|word| word.parse::<f32>().ok());
                let (Some(x), Some(y), Some(z)) = (axis(), axis(), axis()) else {
                    let what = format!("line {}: `vertex` needs three numbers", number + 1);
                    return Err(MeshFormat::Stl.error(what));
                };
                mesh.position.push(Vec3::new(x, y, z));
            }
            Some("endloop") if !mesh.position.len().is_multiple_of(3) => {
                let what = format!("line {}: a facet without three corners", number + 1);
                return Err(MeshFormat::Stl.error(what));
            }
            Some("endsolid") => ended = true,
            _ => {}
        }
    }
    if !ended {
        return Err(MeshFormat::Stl.error("no `endsolid`: the file is cut off"));
    }
    if !mesh.position.len().is_multiple_of(3) {
        return Err(MeshFormat::Stl.error("a facet without three corners"));
    }
    Ok(finish(mesh))
}

fn finish(mut mesh: TriangleMesh) -> TriangleMesh {
    mesh.triangle = (0..mesh.position.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    mesh
}
