//! Meshes of PLY files: text, binary little-endian and big-endian; the elements `vertex` and `face`, others are passed over.

use super::MeshFormat;
use crate::formats::bytes::index;
use crate::formats::ply::{Element, Encoding, Ply, Property, Values};
use crate::geometry::error::MeshError;
use crate::geometry::mesh::{MOST_TRIANGLES, TriangleMesh};

/// Most corners of a face.
const MAX_CORNERS: usize = 1 << 16;

fn malformed(what: impl Into<String>) -> MeshError {
    MeshFormat::Ply.error(what)
}

pub(super) fn parse(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    let ply = Ply::parse(bytes).map_err(|error| malformed(error.0))?;
    let text;
    let mut values = match ply.encoding {
        Encoding::Text => {
            text = String::from_utf8_lossy(ply.body);
            Values::Text(text.split_ascii_whitespace())
        }
        Encoding::Binary(endian) => Values::Binary { bytes: ply.body, endian },
    };
    let mut mesh = TriangleMesh::default();
    for element in &ply.elements {
        // An element without properties takes no bytes, however many there are.
        if element.properties.is_empty() {
            continue;
        }
        match element.name.as_str() {
            "vertex" => read_vertices(element, &mut values, &mut mesh)?,
            "face" => read_faces(element, &mut values, &mut mesh)?,
            _ => skip(element, &mut values)?,
        }
    }
    Ok(mesh)
}

fn cut_off(element: &Element, row: u64) -> MeshError {
    malformed(format!(
        "element `{}` ends after {row} of {}: cut off, or not a number",
        element.name, element.count
    ))
}

fn skip(element: &Element, values: &mut Values) -> Result<(), MeshError> {
    for row in 0..element.count {
        values.read_row(element, |_, _| {}).ok_or_else(|| cut_off(element, row))?;
    }
    Ok(())
}

fn read_vertices(element: &Element, values: &mut Values, mesh: &mut TriangleMesh) -> Result<(), MeshError> {
    let place = |names: &[&str]| {
        let named = |p: &Property| p.list.is_none() && names.contains(&p.name.as_str());
        element.properties.iter().position(named)
    };
    let axes = [place(&["x"]), place(&["y"]), place(&["z"])];
    let [Some(x), Some(y), Some(z)] = axes else {
        return Err(malformed("element `vertex` needs the properties x, y and z"));
    };
    let uv = match (place(&["s", "u", "texture_u"]), place(&["t", "v", "texture_v"])) {
        (Some(s), Some(t)) => Some([s, t]),
        _ => None,
    };
    let mut row_values = vec![0.0_f32; element.properties.len()];
    for row in 0..element.count {
        let keep = |place: usize, value: f64| row_values[place] = value as f32;
        values.read_row(element, keep).ok_or_else(|| cut_off(element, row))?;
        if mesh.position.len() >= 3 * MOST_TRIANGLES {
            return Err(MeshError::TooManyTriangles { most: MOST_TRIANGLES });
        }
        mesh.position.push([x, y, z].map(|place| row_values[place]).into());
        if let Some([s, t]) = uv {
            // PLY counts from the lower edge of a picture.
            mesh.uv.push([row_values[s], 1.0 - row_values[t]]);
        }
    }
    Ok(())
}

fn read_faces(element: &Element, values: &mut Values, mesh: &mut TriangleMesh) -> Result<(), MeshError> {
    let named =
        |p: &Property| p.list.is_some() && matches!(p.name.as_str(), "vertex_indices" | "vertex_index");
    let corners_at = element.properties.iter().position(named);
    let corners_at = corners_at.ok_or_else(|| malformed("element `face` needs a list `vertex_indices`"))?;
    let mut corners = Vec::new();
    for row in 0..element.count {
        corners.clear();
        let mut sound = true;
        let keep = |place: usize, value: f64| {
            if place == corners_at {
                match index(value) {
                    Some(corner) if corners.len() < MAX_CORNERS => corners.push(corner),
                    _ => sound = false,
                }
            }
        };
        values.read_row(element, keep).ok_or_else(|| cut_off(element, row))?;
        if !sound || corners.len() < 3 {
            return Err(malformed(format!("face {row} needs 3 to {MAX_CORNERS} vertices, from 0 on")));
        }
        mesh.triangle.extend((2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]]));
        if mesh.triangle.len() > MOST_TRIANGLES {
            return Err(MeshError::TooManyTriangles { most: MOST_TRIANGLES });
        }
    }
    Ok(())
}
