//! Meshes from files: OBJ, STL, PLY and glTF.
//!
//! Files are not trusted: nothing is allocated because a file says so before the bytes for it are there, and no input
//! makes a reader panic. The readers are our own because those on the registry index buffers unchecked or reserve what
//! a header promises.

#[cfg(feature = "meshes")]
mod gltf;
#[cfg(feature = "meshes")]
mod obj;
#[cfg(feature = "meshes")]
mod ply;
#[cfg(feature = "meshes")]
mod stl;
#[cfg(all(test, feature = "meshes"))]
mod tests;

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use glam::{Mat4, Quat, Vec3};

use super::error::{MeshError, MeshFileError};
use super::mesh::TriangleMesh;
use crate::geometry::up_axis::UpAxis;

/// Largest file that is read, in bytes.
pub const MOST_BYTES: u64 = 1 << 30;

/// The formats of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Wavefront OBJ, the text form.
    Obj,
    /// STL, text or binary.
    Stl,
    /// PLY: text, binary little-endian or big-endian.
    Ply,
    /// glTF 2.0, as text (.gltf) or as one file (.glb).
    Gltf,
}

impl MeshFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Obj, Self::Stl, Self::Ply, Self::Gltf];

    /// The format that a file's name tells.
    pub fn of_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "obj" => Some(Self::Obj),
            "stl" => Some(Self::Stl),
            "ply" => Some(Self::Ply),
            "gltf" | "glb" => Some(Self::Gltf),
            _ => None,
        }
    }

    /// The format that a file's first bytes tell.
    fn of_contents(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"glTF") {
            Some(Self::Gltf)
        } else if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
            Some(Self::Ply)
        } else {
            None
        }
    }

    #[cfg(feature = "meshes")]
    fn error(self, what: impl Into<String>) -> MeshError {
        MeshError::Malformed { format: self, what: what.into() }
    }
}

impl fmt::Display for MeshFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Obj => "OBJ",
            Self::Stl => "STL",
            Self::Ply => "PLY",
            Self::Gltf => "glTF",
        })
    }
}

/// How a mesh is placed when it is read: scaled, then turned so that y is up, then rotated, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshOptions {
    /// Metres per unit of the file.
    pub scale: f32,
    /// The axis that points up in the file.
    pub up: UpAxis,
    /// Rotation.
    pub rotation: Quat,
    /// Translation \[m\].
    pub translation: Vec3,
}

impl Default for MeshOptions {
    fn default() -> Self {
        Self { scale: 1.0, up: UpAxis::Y, rotation: Quat::IDENTITY, translation: Vec3::ZERO }
    }
}

impl MeshOptions {
    /// The whole placement.
    pub fn transform(&self) -> Mat4 {
        let upright = match self.up {
            UpAxis::Y => Mat4::IDENTITY,
            // The inverse of what exporters do: (x, y, z) becomes (x, z, -y).
            UpAxis::Z => Mat4::from_cols_array_2d(&[
                [1.0, 0.0, 0.0, 0.0],
                [0.0, 0.0, -1.0, 0.0],
                [0.0, 1.0, 0.0, 0.0],
                [0.0, 0.0, 0.0, 1.0],
            ]),
        };
        Mat4::from_rotation_translation(self.rotation, self.translation)
            * upright
            * Mat4::from_scale(Vec3::splat(self.scale))
    }
}

/// Reads a mesh; its triangles are as the file has them, see [`repair`](super::repair::repair).
pub fn load_mesh(path: impl AsRef<Path>, options: &MeshOptions) -> Result<TriangleMesh, MeshFileError> {
    let path = path.as_ref();
    let load = || {
        let bytes = read_limited(path)?;
        let format = MeshFormat::of_name(path).or_else(|| MeshFormat::of_contents(&bytes));
        parse_mesh(&bytes, format.ok_or(MeshError::UnknownFormat)?, path.parent(), options)
    };
    load().map_err(|error| MeshFileError { path: path.into(), error })
}

/// A mesh from the bytes of a file. `folder` is where a glTF file finds its buffers and pictures; without one, those
/// that stand in other files are refused.
pub fn parse_mesh(
    bytes: &[u8],
    format: MeshFormat,
    folder: Option<&Path>,
    options: &MeshOptions,
) -> Result<TriangleMesh, MeshError> {
    if !(options.scale > 0.0 && options.scale.is_finite()) {
        return Err(MeshError::Scale(options.scale));
    }
    let mut mesh = read(bytes, format, folder)?;
    mesh.check()?;
    if *options != MeshOptions::default() {
        mesh.transform(options.transform());
        mesh.check()?;
    }
    Ok(mesh)
}

#[cfg(feature = "meshes")]
fn read(bytes: &[u8], format: MeshFormat, folder: Option<&Path>) -> Result<TriangleMesh, MeshError> {
    match format {
        MeshFormat::Obj => obj::parse(bytes),
        MeshFormat::Stl => stl::parse(bytes),
        MeshFormat::Ply => ply::parse(bytes),
        MeshFormat::Gltf => gltf::parse(bytes, folder),
    }
}

/// Refuses all files of a crate that was compiled without readers.
#[cfg(not(feature = "meshes"))]
fn read(_bytes: &[u8], _format: MeshFormat, _folder: Option<&Path>) -> Result<TriangleMesh, MeshError> {
    Err(MeshError::NotCompiled)
}

/// The bytes of a plain file that is not too large.
fn read_limited(path: &Path) -> Result<Vec<u8>, MeshError> {
    // Asked before opening: opening a pipe would wait for somebody to write.
    if !std::fs::metadata(path)?.is_file() {
        return Err(MeshError::NotAFile);
    }
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    if length > MOST_BYTES {
        return Err(MeshError::TooLarge { found: length, most: MOST_BYTES });
    }
    let mut bytes = Vec::with_capacity(length as usize);
    // A file that grows while it is read is cut off.
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
