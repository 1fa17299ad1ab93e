//! glTF 2.0, text with buffers beside or inside it, or one binary file.
//!
//! Read are the triangles of all nodes of the scene in place, their first texture coordinates, and base colours with
//! their textures. Skins, morph targets, animations and compressed geometry are not; a file that demands an extension
//! which is not understood is refused.

mod accessor;
mod document;

use std::path::Path;

use glam::{Mat4, Quat, Vec3};

use self::accessor::Buffers;
use self::document::{Document, Node, Primitive};
use super::MeshFormat;
use crate::geometry::error::MeshError;
use crate::geometry::mesh::{MOST_TRIANGLES, MeshMaterial, MeshTexture, TriangleMesh};

const MAGIC: &[u8] = b"glTF";
const CHUNK_JSON: u32 = 0x4e4f_534a;
const CHUNK_BINARY: u32 = 0x004e_4942;
/// Deepest nesting of nodes; also ends cycles.
const MOST_LEVELS: usize = 64;
/// Most visits of nodes; nodes that several parents share are visited once each.
const MOST_VISITS: usize = 100_000;
/// Extensions that change nothing about what is read here.
const UNDERSTOOD: [&str; 3] = ["KHR_materials_unlit", "KHR_texture_transform", "KHR_mesh_quantization"];

fn malformed(what: impl Into<String>) -> MeshError {
    MeshFormat::Gltf.error(what)
}

pub(super) fn parse(bytes: &[u8], folder: Option<&Path>) -> Result<TriangleMesh, MeshError> {
    let (json, binary) = if bytes.starts_with(MAGIC) { split_binary(bytes)? } else { (bytes, None) };
    let document: Document = serde_json::from_slice(json).map_err(|error| malformed(error.to_string()))?;
    if !document.asset.version.starts_with("2.") {
        return Err(malformed(format!("version {} is not read, only 2.x", document.asset.version)));
    }
    if let Some(name) = document.extensions_required.iter().find(|name| !UNDERSTOOD.contains(&name.as_str()))
    {
        return Err(malformed(format!("it needs the extension {name}; export it without")));
    }
    let buffers = Buffers::load(&document, binary, folder)?;
    let mut reader = Reader { document: &document, buffers, mesh: TriangleMesh::default(), visits: 0 };
    reader.materials()?;
    for root in reader.roots()? {
        reader.node(root, Mat4::IDENTITY, 0)?;
    }
    let mut mesh = reader.mesh;
    if mesh.uv.iter().all(|uv| *uv == [0.0; 2]) {
        mesh.uv.clear();
    }
    Ok(mesh)
}

/// The JSON and binary chunks of a GLB file.
fn split_binary(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), MeshError> {
    let word = |at: usize| {
        let four = bytes.get(at..at + 4).ok_or_else(|| malformed("the file is cut off"))?;
        Ok::<u32, MeshError>(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
    };
    let (version, length) = (word(4)?, word(8)? as usize);
    if version != 2 {
        return Err(malformed(format!("GLB version {version} is not read, only 2")));
    }
    if length > bytes.len() {
        return Err(malformed(format!("the file is cut off: {} of {length} bytes", bytes.len())));
    }
    let (mut json, mut binary) = (None, None);
    let mut at = 12;
    while at + 8 <= length {
        let (size, kind) = (word(at)? as usize, word(at + 4)?);
        let chunk = bytes.get(at + 8..(at + 8).saturating_add(size));
        let chunk = chunk.ok_or_else(|| malformed("a chunk is longer than the file"))?;
        match kind {
            CHUNK_JSON if json.is_none() => json = Some(chunk),
            CHUNK_BINARY if binary.is_none() => binary = Some(chunk),
            _ => {}
        }
        at = (at + 8).saturating_add(size);
    }
    Ok((json.ok_or_else(|| malformed("no JSON chunk"))?, binary))
}

/// A document while its nodes are walked.
struct Reader<'a> {
    document: &'a Document,
    buffers: Buffers<'a>,
    mesh: TriangleMesh,
    visits: usize,
}

impl Reader<'_> {
    /// The roots of the default scene, or of the first, or all nodes that are nobody's children.
    fn roots(&self) -> Result<Vec<usize>, MeshError> {
        if let Some(scene) = self.document.scenes.get(self.document.scene.unwrap_or(0)) {
            return Ok(scene.nodes.clone());
        }
        if self.document.scene.is_some() {
            return Err(malformed("`scene` names a scene that is not there"));
        }
        let mut is_child = vec![false; self.document.nodes.len()];
        for child in self.document.nodes.iter().flat_map(|node| &node.children) {
            if let Some(flag) = is_child.get_mut(*child) {
                *flag = true;
            }
        }
        Ok((0..is_child.len()).filter(|node| !is_child[*node]).collect())
    }

    fn node(&mut self, index: usize, parent: Mat4, level: usize) -> Result<(), MeshError> {
        let document = self.document;
        self.visits += 1;
        if level > MOST_LEVELS || self.visits > MOST_VISITS {
            return Err(malformed("nodes are nested too deeply or in a circle"));
        }
        let node = document.nodes.get(index).ok_or_else(|| malformed(format!("no node {index}")))?;
        let world = parent * local(node);
        if let Some(mesh) = node.mesh {
            let found = document.meshes.get(mesh).ok_or_else(|| malformed(format!("no mesh {mesh}")))?;
            for (k, primitive) in found.primitives.iter().enumerate() {
                self.primitive(primitive, world).map_err(|error| match error {
                    MeshError::Malformed { format, what } => {
                        MeshError::Malformed { format, what: format!("mesh {mesh}, primitive {k}: {what}") }
                    }
                    other => other,
                })?;
            }
        }
        node.children.iter().try_for_each(|child| self.node(*child, world, level + 1))
    }

    /// Adds the triangles of a primitive in place.
    fn primitive(&mut self, primitive: &Primitive, world: Mat4) -> Result<(), MeshError> {
        let mode = primitive.mode.unwrap_or(4);
        if !(4..=6).contains(&mode) {
            return Ok(());
        }
        let Some(positions) = primitive.attributes.position else { return Ok(()) };
        let position = self.buffers.read::<3>(self.document, positions)?;
        let index = match primitive.indices {
            Some(indices) => self.buffers.read_indices(self.document, indices)?,
            None => (0..position.len() as u32).collect(),
        };
        let count = position.len() as u32;
        if let Some(wrong) = index.iter().find(|index| **index >= count) {
            return Err(malformed(format!("index {wrong}, but there are {count} vertices")));
        }
        if self.mesh.triangle.len() + index.len() > MOST_TRIANGLES
            || self.mesh.position.len() + position.len() > 3 * MOST_TRIANGLES
        {
            return Err(MeshError::TooManyTriangles { most: MOST_TRIANGLES });
        }
        let first = self.mesh.position.len() as u32;
        let mirrored = world.determinant() < 0.0;
        self.mesh.position.extend(position.iter().map(|p| world.transform_point3(Vec3::from(*p))));
        let before = self.mesh.triangle.len();
        self.mesh.triangle.extend(triangles(mode, &index).map(|[a, b, c]| {
            let [a, b, c] = [a + first, b + first, c + first];
            if mirrored { [a, c, b] } else { [a, b, c] }
        }));
        if let Some(uv) = primitive.attributes.texcoord {
            self.mesh.uv.extend(self.buffers.read::<2>(self.document, uv)?);
        }
        self.mesh.uv.resize(self.mesh.position.len(), [0.0; 2]);
        let material = self.material_of(primitive.material)?;
        let added = self.mesh.triangle.len() - before;
        self.mesh.triangle_material.extend(std::iter::repeat_n(material, added));
        Ok(())
    }

    /// The document's materials, and one more for primitives without.
    fn materials(&mut self) -> Result<(), MeshError> {
        for material in &self.document.materials {
            let surface = &material.pbr;
            let texture = match &surface.base_color_texture {
                Some(texture) => self.texture(texture.index)?,
                None => None,
            };
            let (name, base_color) = (material.name.clone(), surface.base_color_factor.unwrap_or([1.0; 4]));
            self.mesh.material.push(MeshMaterial { name, base_color, texture });
        }
        let plain = MeshMaterial { name: String::new(), base_color: [1.0; 4], texture: None };
        self.mesh.material.push(plain);
        Ok(())
    }

    fn material_of(&self, index: Option<usize>) -> Result<u32, MeshError> {
        let count = self.document.materials.len();
        match index {
            Some(index) if index >= count => Err(malformed(format!("no material {index}"))),
            other => Ok(other.unwrap_or(count) as u32),
        }
    }

    /// The picture of a texture, encoded; `None` if its file is not there, which harms looks only.
    fn texture(&self, index: usize) -> Result<Option<MeshTexture>, MeshError> {
        let texture = self.document.textures.get(index);
        let texture = texture.ok_or_else(|| malformed(format!("no texture {index}")))?;
        let Some(source) = texture.source else { return Ok(None) };
        let image =
            self.document.images.get(source).ok_or_else(|| malformed(format!("no image {source}")))?;
        self.buffers.image(self.document, image)
    }
}

/// The transform of a node relative to its parent.
fn local(node: &Node) -> Mat4 {
    if let Some(columns) = node.matrix {
        return Mat4::from_cols_array(&columns);
    }
    Mat4::from_scale_rotation_translation(
        node.scale.map_or(Vec3::ONE, Vec3::from),
        node.rotation.map_or(Quat::IDENTITY, |q| {
            let rotation = Quat::from_array(q);
            // Quantised files have quaternions that are a little too long.
            if rotation.length_squared() > 0.0 { rotation.normalize() } else { Quat::IDENTITY }
        }),
        node.translation.map_or(Vec3::ZERO, Vec3::from),
    )
}

/// Triangles of a list (4), a strip (5) or a fan (6).
fn triangles(mode: u32, index: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    let count = if mode == 4 { index.len() / 3 } else { index.len().saturating_sub(2) };
    (0..count).map(move |k| match mode {
        4 => [index[3 * k], index[3 * k + 1], index[3 * k + 2]],
        5 if k % 2 == 0 => [index[k], index[k + 1], index[k + 2]],
        5 => [index[k + 1], index[k], index[k + 2]],
        _ => [index[0], index[k + 1], index[k + 2]],
    })
}
