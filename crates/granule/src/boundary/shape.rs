//! Solid shapes as scenes describe them.

use serde::{Deserialize, Serialize};

use super::mesh_shape::MeshShape;

/// A solid. Lengths in metres. `hollow` turns it inside out: the solid is then everything outside the shape,
/// so that grains live inside it (a container).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// A half-space: solid on the side that the normal points away from.
    Plane {
        /// A point on the plane \[m\].
        #[serde(default)]
        point: [f32; 3],
        /// Direction out of the solid; need not be a unit vector.
        normal: [f32; 3],
    },
    /// An axis-aligned box.
    Box {
        /// Smallest corner \[m\].
        min: [f32; 3],
        /// Largest corner \[m\].
        max: [f32; 3],
        /// A container rather than a block.
        #[serde(default)]
        hollow: bool,
    },
    /// A ball.
    Sphere {
        /// Centre \[m\].
        center: [f32; 3],
        /// Radius \[m\].
        radius: f32,
        /// A container rather than a ball.
        #[serde(default)]
        hollow: bool,
    },
    /// A cylinder with flat ends.
    Cylinder {
        /// Centre of one end \[m\].
        from: [f32; 3],
        /// Centre of the other end \[m\].
        to: [f32; 3],
        /// Radius \[m\].
        radius: f32,
        /// A container rather than a solid.
        #[serde(default)]
        hollow: bool,
    },
    /// A cylinder with round ends.
    Capsule {
        /// Centre of one end's ball \[m\].
        from: [f32; 3],
        /// Centre of the other end's ball \[m\].
        to: [f32; 3],
        /// Radius \[m\].
        radius: f32,
        /// A container rather than a solid.
        #[serde(default)]
        hollow: bool,
    },
    /// A cone or truncated cone.
    Cone {
        /// Centre of one end \[m\].
        from: [f32; 3],
        /// Centre of the other end \[m\].
        to: [f32; 3],
        /// Radius at `from` \[m\].
        from_radius: f32,
        /// Radius at `to` \[m\]; 0 is a tip.
        to_radius: f32,
        /// A container rather than a solid.
        #[serde(default)]
        hollow: bool,
    },
    /// The wall of a truncated cone, open at both ends.
    Funnel {
        /// Centre of one opening \[m\].
        from: [f32; 3],
        /// Centre of the other opening \[m\].
        to: [f32; 3],
        /// Inner radius at `from` \[m\].
        from_radius: f32,
        /// Inner radius at `to` \[m\].
        to_radius: f32,
        /// Thickness of the wall \[m\].
        thickness: f32,
    },
    /// A closed triangle mesh.
    Mesh(MeshShape),
    /// Everything that is in any part.
    Union(Vec<Shape>),
    /// Everything that is in all parts.
    Intersection(Vec<Shape>),
    /// The first part without all others.
    Subtraction(Vec<Shape>),
}

impl Shape {
    /// A level floor: solid below the height `y` \[m\].
    ///
    /// ```
    /// use granule::Shape;
    ///
    /// assert_eq!(Shape::floor(0.5), Shape::Plane { point: [0.0, 0.5, 0.0], normal: [0.0, 1.0, 0.0] });
    /// ```
    pub fn floor(y: f32) -> Self {
        Self::Plane { point: [0.0, y, 0.0], normal: [0.0, 1.0, 0.0] }
    }

    /// A block between two corners \[m\].
    pub fn cuboid(min: [f32; 3], max: [f32; 3]) -> Self {
        Self::Box { min, max, hollow: false }
    }

    /// A closed room between two corners \[m\], in which grains live.
    pub fn container(min: [f32; 3], max: [f32; 3]) -> Self {
        Self::Box { min, max, hollow: true }
    }

    /// A ball; lengths in metres.
    pub fn ball(center: [f32; 3], radius: f32) -> Self {
        Self::Sphere { center, radius, hollow: false }
    }

    /// An upright cylinder on the point `foot`; lengths in metres.
    pub fn pillar(foot: [f32; 3], height: f32, radius: f32) -> Self {
        let [x, y, z] = foot;
        Self::Cylinder { from: foot, to: [x, y + height, z], radius, hollow: false }
    }

    /// Whether the shape or a part of it is a mesh.
    pub fn has_mesh(&self) -> bool {
        match self {
            Self::Mesh(_) => true,
            Self::Union(parts) | Self::Intersection(parts) | Self::Subtraction(parts) => {
                parts.iter().any(Self::has_mesh)
            }
            _ => false,
        }
    }
}
