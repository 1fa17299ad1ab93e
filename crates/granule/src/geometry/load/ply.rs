//! PLY: text, binary little-endian and big-endian; the elements `vertex` and `face`, others are passed over.

use super::MeshFormat;
use super::bytes::{Endian, Number, index};
use crate::geometry::error::MeshError;
use crate::geometry::mesh::{MOST_TRIANGLES, TriangleMesh};

/// Longest header that is accepted [bytes].
const MAX_HEADER: usize = 64 << 10;
/// Most corners of a face.
const MAX_CORNERS: usize = 1 << 16;

struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

struct Property {
    name: String,
    /// Type of the count, for lists.
    list: Option<Number>,
    number: Number,
}

/// Numbers, one after the other, text or binary.
enum Source<'a> {
    Text(std::str::SplitAsciiWhitespace<'a>),
    Binary { bytes: &'a [u8], endian: Endian },
}

impl Source<'_> {
    fn next(&mut self, number: Number) -> Option<f64> {
        match self {
            Self::Text(words) => words.next()?.parse().ok(),
            Self::Binary { bytes, endian } => {
                let value = number.read(bytes, *endian)?;
                *bytes = &bytes[number.size()..];
                Some(value)
            }
        }
    }
}

fn malformed(what: impl Into<String>) -> MeshError {
    MeshFormat::Ply.error(what)
}

pub(super) fn parse(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    let (header, body) = split_header(bytes)?;
    let (form, elements) = parse_header(header)?;
    let text;
    let mut source = match form.as_str() {
        "ascii" => {
            text = String::from_utf8_lossy(body);
            Source::Text(text.split_ascii_whitespace())
        }
        "binary_little_endian" => Source::Binary { bytes: body, endian: Endian::Little },
        "binary_big_endian" => Source::Binary { bytes: body, endian: Endian::Big },
        other => return Err(malformed(format!("unknown form `{other}`"))),
    };
    let mut mesh = TriangleMesh::default();
    for element in &elements {
        // An element without properties takes no bytes, however many there are.
        if element.properties.is_empty() {
            continue;
        }
        match element.name.as_str() {
            "vertex" => read_vertices(element, &mut source, &mut mesh)?,
            "face" => read_faces(element, &mut source, &mut mesh)?,
            _ => skip(element, &mut source)?,
        }
    }
    Ok(mesh)
}

/// The header's text and the bytes after it.
fn split_header(bytes: &[u8]) -> Result<(String, &[u8]), MeshError> {
    let head = &bytes[..bytes.len().min(MAX_HEADER)];
    let mark = b"end_header";
    let end = head.windows(mark.len()).position(|window| window == mark);
    let end = end.ok_or_else(|| malformed("no `end_header`"))? + mark.len();
    let rest = &bytes[end..];
    let body = rest.strip_prefix(b"\r\n").or(rest.strip_prefix(b"\n")).or(rest.strip_prefix(b"\r"));
    let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
    Ok((text, body.ok_or_else(|| malformed("no line break after `end_header`"))?))
}

fn parse_header(header: String) -> Result<(String, Vec<Element>), MeshError> {
    let mut lines = header.split(['\n', '\r']).filter(|line| !line.is_empty());
    if lines.next().map(str::trim) != Some("ply") {
        return Err(malformed("it does not begin with `ply`"));
    }
    let mut form = String::new();
    let mut elements: Vec<Element> = Vec::new();
    for line in lines {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words[..] {
            ["format", name, _] => form = name.into(),
            ["element", name, count] => {
                let count = count.parse().map_err(|_| malformed(format!("`{line}` has no count")))?;
                elements.push(Element { name: name.into(), count, properties: Vec::new() });
            }
            ["property", "list", count, number, name] => {
                let list = Some(kind(count, line)?);
                add(&mut elements, Property { name: name.into(), list, number: kind(number, line)? })?;
            }
            ["property", number, name] => {
                add(&mut elements, Property { name: name.into(), list: None, number: kind(number, line)? })?;
            }
            ["comment" | "obj_info" | "end_header", ..] | [] => {}
            _ => return Err(malformed(format!("`{line}` is not understood"))),
        }
    }
    Ok((form, elements))
}

fn add(elements: &mut [Element], property: Property) -> Result<(), MeshError> {
    let element = elements.last_mut().ok_or_else(|| malformed("a property before any element"))?;
    element.properties.push(property);
    Ok(())
}

fn kind(word: &str, line: &str) -> Result<Number, MeshError> {
    Ok(match word {
        "char" | "int8" => Number::I8,
        "uchar" | "uint8" => Number::U8,
        "short" | "int16" => Number::I16,
        "ushort" | "uint16" => Number::U16,
        "int" | "int32" => Number::I32,
        "uint" | "uint32" => Number::U32,
        "float" | "float32" => Number::F32,
        "double" | "float64" => Number::F64,
        _ => return Err(malformed(format!("`{line}`: unknown type `{word}`"))),
    })
}

fn cut_off(element: &Element, row: u64) -> MeshError {
    malformed(format!(
        "element `{}` ends after {row} of {}: cut off, or not a number",
        element.name, element.count
    ))
}

/// Reads a row; `keep` is called with the property's place and every number of it.
fn read_row(element: &Element, source: &mut Source, mut keep: impl FnMut(usize, f64)) -> Option<()> {
    for (place, property) in element.properties.iter().enumerate() {
        let count = match property.list {
            Some(number) => index(source.next(number)?)? as usize,
            None => 1,
        };
        for _ in 0..count {
            keep(place, source.next(property.number)?);
        }
    }
    Some(())
}

fn skip(element: &Element, source: &mut Source) -> Result<(), MeshError> {
    for row in 0..element.count {
        read_row(element, source, |_, _| {}).ok_or_else(|| cut_off(element, row))?;
    }
    Ok(())
}

fn read_vertices(element: &Element, source: &mut Source, mesh: &mut TriangleMesh) -> Result<(), MeshError> {
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
        read_row(element, source, keep).ok_or_else(|| cut_off(element, row))?;
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

fn read_faces(element: &Element, source: &mut Source, mesh: &mut TriangleMesh) -> Result<(), MeshError> {
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
        read_row(element, source, keep).ok_or_else(|| cut_off(element, row))?;
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
