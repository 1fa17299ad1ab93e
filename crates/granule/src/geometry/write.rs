//! Meshes to files: OBJ, binary STL and binary PLY.

use std::fmt::Write;
use std::io;
use std::path::Path;

use super::error::MeshError;
use super::load::MeshFormat;
use super::mesh::{TriangleMesh, area_vector};
use crate::files::write_bytes_atomic;

/// Writes a mesh in the format that the file's name tells: .obj, .stl or .ply.
pub fn write_mesh(path: impl AsRef<Path>, mesh: &TriangleMesh) -> Result<(), MeshError> {
    let path = path.as_ref();
    let format = MeshFormat::of_name(path).ok_or(MeshError::UnknownFormat)?;
    let bytes = encode_mesh(mesh, format)?;
    Ok(write_bytes_atomic(path, &bytes)?)
}

/// A mesh as the bytes of a file; glTF is read only.
pub fn encode_mesh(mesh: &TriangleMesh, format: MeshFormat) -> Result<Vec<u8>, MeshError> {
    match format {
        MeshFormat::Obj => Ok(obj(mesh)),
        MeshFormat::Stl => Ok(stl(mesh)),
        MeshFormat::Ply => Ok(ply(mesh)),
        MeshFormat::Gltf => Err(MeshError::Io(io::Error::new(
            io::ErrorKind::Unsupported,
            "glTF is read only; write .obj, .stl or .ply",
        ))),
    }
}

fn obj(mesh: &TriangleMesh) -> Vec<u8> {
    let mut text = String::from("# granule\n");
    for p in &mesh.position {
        // Nothing can fail while writing to a string.
        let _ = writeln!(text, "v {} {} {}", p.x, p.y, p.z);
    }
    for [u, v] in &mesh.uv {
        let _ = writeln!(text, "vt {u} {}", 1.0 - v);
    }
    for triangle in &mesh.triangle {
        let [a, b, c] = triangle.map(|vertex| vertex + 1);
        let _ = match mesh.uv.is_empty() {
            true => writeln!(text, "f {a} {b} {c}"),
            false => writeln!(text, "f {a}/{a} {b}/{b} {c}/{c}"),
        };
    }
    text.into_bytes()
}

fn stl(mesh: &TriangleMesh) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes[..7].copy_from_slice(b"granule");
    bytes.extend_from_slice(&(mesh.triangle.len() as u32).to_le_bytes());
    for triangle in 0..mesh.triangle.len() {
        let corners = mesh.corners(triangle);
        let normal = area_vector(corners).normalize_or_zero().as_vec3();
        for vector in [normal].iter().chain(&corners) {
            bytes.extend(vector.to_array().into_iter().flat_map(f32::to_le_bytes));
        }
        bytes.extend_from_slice(&[0; 2]);
    }
    bytes
}

fn ply(mesh: &TriangleMesh) -> Vec<u8> {
    let uv = if mesh.uv.is_empty() { "" } else { "property float s\nproperty float t\n" };
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\ncomment generator granule {}\nelement vertex {}\n\
         property float x\nproperty float y\nproperty float z\n{uv}element face {}\n\
         property list uchar uint vertex_indices\nend_header\n",
        env!("CARGO_PKG_VERSION"),
        mesh.position.len(),
        mesh.triangle.len()
    )
    .into_bytes();
    for (k, position) in mesh.position.iter().enumerate() {
        bytes.extend(position.to_array().into_iter().flat_map(f32::to_le_bytes));
        if let Some([u, v]) = mesh.uv.get(k) {
            bytes.extend([*u, 1.0 - v].into_iter().flat_map(f32::to_le_bytes));
        }
    }
    for triangle in &mesh.triangle {
        bytes.push(3);
        bytes.extend(triangle.iter().flat_map(|vertex| vertex.to_le_bytes()));
    }
    bytes
}
