//! Solids of triangle meshes as scenes describe them.

use std::path::{Path, PathBuf};

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::geometry::{MeshFileError, MeshOptions, TriangleMesh, UpAxis, builtin_mesh, load_mesh, solid};

/// What the names of meshes that the program makes itself begin with.
const BUILTIN: &str = "builtin:";

/// A solid bounded by a closed triangle mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MeshShape {
    /// File (OBJ, STL, PLY, glTF or GLB), relative to the scene's file; or a mesh that the program makes itself:
    /// `builtin:box`, `builtin:sphere`, `builtin:cylinder`, `builtin:torus`, `builtin:bumpy`, `builtin:truck-bed`,
    /// `builtin:dump-bed`, `builtin:drum`, `builtin:castle`, `builtin:bucket` or `builtin:squirrel`, each one metre long.
    pub file: String,
    /// Metres per unit of the file.
    #[serde(default = "one")]
    pub scale: f32,
    /// Largest extent \[m\]: scales the mesh to it and moves the middle of its bounds to its origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<f32>,
    /// The axis that points up in the file.
    #[serde(default)]
    pub up: UpAxis,
    /// Axis of the rotation.
    #[serde(default = "up_axis")]
    pub axis: [f32; 3],
    /// Angle of the rotation \[degrees\].
    #[serde(default)]
    pub angle: f32,
    /// Where the mesh's origin is put after the rotation \[m\].
    #[serde(default)]
    pub position: [f32; 3],
    /// A container: the solid is everything outside the mesh.
    #[serde(default)]
    pub hollow: bool,
}

fn one() -> f32 {
    1.0
}

fn up_axis() -> [f32; 3] {
    [0.0, 1.0, 0.0]
}

impl MeshShape {
    /// A mesh as its file has it.
    pub fn of_file(file: String) -> Self {
        Self {
            file,
            scale: one(),
            size: None,
            up: UpAxis::Y,
            axis: up_axis(),
            angle: 0.0,
            position: [0.0; 3],
            hollow: false,
        }
    }

    /// Makes a relative path one from `folder`.
    pub fn locate(file: &str, folder: &Path) -> String {
        let path = Path::new(file);
        if file.starts_with(BUILTIN) || path.is_absolute() {
            return file.into();
        }
        folder.join(path).display().to_string()
    }

    /// Rotation of the mesh as it is placed.
    pub fn rotation(&self) -> Quat {
        Quat::from_axis_angle(Vec3::from(self.axis).normalize_or(Vec3::Y), self.angle.to_radians())
    }

    /// The mesh in its own frame: scaled and upright, not yet rotated and moved. A closed mesh is made sound; one that
    /// is not closed is refused.
    ///
    /// # Errors
    /// Names the file and what is wrong with it.
    pub fn load(&self) -> Result<TriangleMesh, MeshFileError> {
        solid(&self.load_raw()?).map_err(|error| MeshFileError { path: self.file.clone().into(), error })
    }

    /// The mesh as its file has it, with its colours, where it is placed.
    ///
    /// # Errors
    /// Names the file and what is wrong with it.
    pub fn load_as_drawn(&self) -> Result<TriangleMesh, MeshFileError> {
        let mut mesh = self.load_raw()?;
        mesh.place(self.rotation(), Vec3::from(self.position));
        Ok(mesh)
    }

    fn load_raw(&self) -> Result<TriangleMesh, MeshFileError> {
        let path = PathBuf::from(&self.file);
        let options = MeshOptions { scale: self.scale, up: self.up, ..MeshOptions::default() };
        let mut mesh = match self.file.strip_prefix(BUILTIN) {
            Some(name) => {
                let mut mesh =
                    builtin_mesh(name).map_err(|error| MeshFileError { path: path.clone(), error })?;
                mesh.transform(options.transform());
                mesh
            }
            None => load_mesh(&path, &options)?,
        };
        if let (Some(size), Some(bounds)) = (self.size, mesh.bounds()) {
            let scale = size / bounds.size().max_element();
            let middle = bounds.center();
            mesh.position.iter_mut().for_each(|corner| *corner = scale * (*corner - middle));
        }
        Ok(mesh)
    }

    /// The mesh where it is placed.
    ///
    /// # Errors
    /// Names the file and what is wrong with it.
    pub fn load_placed(&self) -> Result<TriangleMesh, MeshFileError> {
        let mut mesh = self.load()?;
        mesh.place(self.rotation(), Vec3::from(self.position));
        Ok(mesh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_files_are_looked_for_beside_the_scene() {
        let folder = Path::new("/scenes");
        assert_eq!(MeshShape::locate("rock.stl", folder), "/scenes/rock.stl");
        assert_eq!(MeshShape::locate("/meshes/rock.stl", folder), "/meshes/rock.stl");
        let built_in = format!("{BUILTIN}squirrel");
        assert_eq!(MeshShape::locate(&built_in, folder), built_in);
    }
}
