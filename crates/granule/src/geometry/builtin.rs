//! Meshes that scenes name without a file.

use std::sync::OnceLock;

use glam::Vec3;

use super::blocks::dump_bed;
use super::error::MeshError;
use super::make;
use super::mesh::TriangleMesh;
use super::shapes;

/// The names of the meshes.
pub const BUILTIN_MESHES: &[&str] = &[
    "box",
    "sphere",
    "cylinder",
    "torus",
    "bumpy",
    "truck-bed",
    "dump-bed",
    "drum",
    "castle",
    "bucket",
    "squirrel",
];

/// Cells along a metre of things made in code: their smallest parts are three cells wide.
const CASTLE_DIVISIONS: u32 = 80;
const BUCKET_DIVISIONS: u32 = 72;
const SQUIRREL_DIVISIONS: u32 = 96;

/// A mesh that takes long to make, and is asked for many times by a scene: made once. Whoever comes while it is being made makes it as
/// well instead of waiting, since threads that wait for each other's work might wait for their own.
struct Made(OnceLock<TriangleMesh>);

static CASTLE: Made = Made(OnceLock::new());
static BUCKET: Made = Made(OnceLock::new());
static SQUIRREL: Made = Made(OnceLock::new());

impl Made {
    fn or(&self, make: impl Fn() -> TriangleMesh) -> TriangleMesh {
        if let Some(mesh) = self.0.get() {
            return mesh.clone();
        }
        let mesh = make();
        // Somebody else may have been faster, with the same mesh.
        let _ = self.0.set(mesh.clone());
        mesh
    }
}

/// A mesh by its name; its largest extent is about one metre.
///
/// # Errors
/// Lists the names where there is no such mesh.
pub fn builtin_mesh(name: &str) -> Result<TriangleMesh, MeshError> {
    Ok(match name {
        "box" => shapes::cuboid(Vec3::ONE),
        "sphere" => shapes::sphere(0.5, 48),
        "cylinder" => shapes::cylinder(0.5, 1.0, 96),
        "torus" => shapes::torus(0.36, 0.14, 128, 48),
        "bumpy" => shapes::bumpy(0.45, 48),
        "truck-bed" => shapes::truck_bed(Vec3::new(1.0, 0.4, 0.55), 0.05),
        "dump-bed" => dump_bed(Vec3::new(1.0, 0.4, 0.55), 0.05),
        "drum" => shapes::drum(0.5, 0.6, 0.05, 128),
        "castle" => CASTLE.or(|| make::castle(CASTLE_DIVISIONS)),
        "bucket" => BUCKET.or(|| make::bucket(BUCKET_DIVISIONS)),
        "squirrel" => SQUIRREL.or(|| make::squirrel(SQUIRREL_DIVISIONS)),
        _ => return Err(MeshError::UnknownBuiltin { name: name.into(), known: BUILTIN_MESHES.join(", ") }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::solid;

    #[test]
    fn all_meshes_are_closed_and_about_a_metre_large() {
        for name in BUILTIN_MESHES {
            let mesh = solid(&builtin_mesh(name).unwrap()).unwrap();
            let size = mesh.bounds().unwrap().size().max_element();
            assert!((0.9..=1.2).contains(&size), "{name}: {size}");
            assert!(mesh.signed_volume() > 0.0, "{name}");
        }
        assert!(builtin_mesh("cow").unwrap_err().to_string().contains("torus"));
    }
}
