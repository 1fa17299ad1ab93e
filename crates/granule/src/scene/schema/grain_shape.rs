//! What single grains look like.

use serde::{Deserialize, Serialize};

/// The shape of grains: a sphere, or several spheres that move as one rigid grain (solvers with grains). `radius` is that of
/// the sphere of the same volume, so grains of all shapes with one radius weigh the same; lengths given here only say how
/// spheres lie to each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum GrainShape {
    /// One sphere.
    #[default]
    Sphere,
    /// Two spheres a radius apart.
    Dumbbell,
    /// Three spheres in line, a radius apart: twice as long as wide.
    Rod,
    /// Four spheres at the corners of a tetrahedron, 1.5 radii apart: Longmore's grain.
    Tetrahedron,
    /// Eight spheres at the corners of a cube, 1.15 radii apart.
    Cube,
    /// Seven spheres in a plane, a hexagon and its middle, a radius apart.
    Plate,
    /// Five spheres in line that fill an ellipsoid twice as long as wide.
    Ellipsoid,
    /// Spheres, each as [x, y, z, radius] in any unit of length. They must hang together; overlaps count once.
    Spheres(Vec<[f32; 4]>),
    /// A text file with a sphere per line: x, y, z and radius, with spaces or commas between them, in any unit of length;
    /// `#` begins a comment.
    File(String),
    /// Spheres that fill a closed mesh.
    Mesh(GrainMesh),
}

/// A mesh that is filled with spheres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GrainMesh {
    /// File of the closed mesh (OBJ, STL, PLY, glTF), or a built-in one such as `builtin:box`.
    pub file: String,
    /// Most spheres; their union has the mesh's volume. 50 keep its surface within a tenth of its size.
    #[serde(default = "fifty")]
    pub spheres: u32,
}

fn fifty() -> u32 {
    50
}

impl GrainShape {
    /// Whether it is a single sphere.
    pub fn is_sphere(&self) -> bool {
        *self == Self::Sphere
    }

    /// The path of the file that it comes from, if it does.
    pub fn file_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::File(file) => Some(file),
            Self::Mesh(mesh) => Some(&mut mesh.file),
            _ => None,
        }
    }
}
