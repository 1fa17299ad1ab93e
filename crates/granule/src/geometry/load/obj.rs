//! Wavefront OBJ: vertices, texture coordinates and faces of any number of corners; lines, curves, groups and
//! materials are passed over.

use std::collections::HashMap;

use glam::Vec3;

use super::MeshFormat;
use crate::geometry::error::MeshError;
use crate::geometry::mesh::{MOST_TRIANGLES, TriangleMesh};

/// A file while it is read.
#[derive(Default)]
struct Reader {
    position: Vec<Vec3>,
    uv: Vec<[f32; 2]>,
    /// Vertex of every used pair of place and texture coordinates.
    vertex: HashMap<(u32, Option<u32>), u32>,
    mesh: TriangleMesh,
    mesh_uv: Vec<[f32; 2]>,
    any_uv: bool,
}

pub(super) fn parse(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::default();
    let mut joined = String::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        if let Some(part) = line.strip_suffix('\\') {
            joined.push_str(part);
            joined.push(' ');
            continue;
        }
        let result = if joined.is_empty() {
            reader.line(line)
        } else {
            joined.push_str(line);
            let whole = std::mem::take(&mut joined);
            reader.line(&whole)
        };
        result.map_err(|what| MeshFormat::Obj.error(format!("line {}: {what}", number + 1)))?;
        if reader.mesh.triangle.len() > MOST_TRIANGLES {
            return Err(MeshError::TooManyTriangles { most: MOST_TRIANGLES });
        }
    }
    if reader.any_uv {
        reader.mesh.uv = reader.mesh_uv;
    }
    Ok(reader.mesh)
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let [x, y, z] = numbers(&mut words).ok_or("`v` needs three numbers")?;
                self.position.push(Vec3::new(x, y, z));
            }
            Some("vt") => {
                let [u] = numbers(&mut words).ok_or("`vt` needs a number")?;
                let v = words.next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
                // OBJ counts from the lower edge of a picture.
                self.uv.push([u, 1.0 - v]);
            }
            Some("f") => self.face(words)?,
            _ => {}
        }
        Ok(())
    }

    /// A face, divided into a fan of triangles.
    fn face<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), String> {
        let mut corners = [0; 2];
        let mut count = 0;
        for word in words {
            let vertex = self.corner(word)?;
            if count >= 2 {
                self.mesh.triangle.push([corners[0], corners[1], vertex]);
                corners[1] = vertex;
            } else {
                corners[count] = vertex;
            }
            count += 1;
        }
        if count < 3 { Err(format!("a face of {count} corners; at least 3 are needed")) } else { Ok(()) }
    }

    /// The vertex of a corner `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn corner(&mut self, word: &str) -> Result<u32, String> {
        let mut parts = word.split('/');
        let place = index(parts.next().unwrap_or_default(), self.position.len(), "v", word)?;
        let uv = match parts.next() {
            None | Some("") => None,
            Some(part) => Some(index(part, self.uv.len(), "vt", word)?),
        };
        self.any_uv |= uv.is_some();
        Ok(*self.vertex.entry((place, uv)).or_insert_with(|| {
            self.mesh.position.push(self.position[place as usize]);
            self.mesh_uv.push(uv.map_or([0.0; 2], |uv| self.uv[uv as usize]));
            self.mesh.position.len() as u32 - 1
        }))
    }
}

/// An index that counts from 1, or from the end where it is negative.
fn index(part: &str, count: usize, what: &str, word: &str) -> Result<u32, String> {
    let number: i64 = part.parse().map_err(|_| format!("`{word}` is no corner of a face"))?;
    let from_zero = if number < 0 { count as i64 + number } else { number - 1 };
    if (0..count as i64).contains(&from_zero) {
        Ok(from_zero as u32)
    } else {
        Err(format!("a face names `{what}` {number}, but {count} stand before it"))
    }
}

fn numbers<'a, const N: usize>(words: &mut impl Iterator<Item = &'a str>) -> Option<[f32; N]> {
    let mut result = [0.0; N];
    for number in &mut result {
        *number = words.next()?.parse().ok()?;
    }
    Some(result)
}
