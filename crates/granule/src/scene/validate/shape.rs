//! Checks of shapes.

use super::{Check, bodies, finite, finite_all};
use crate::boundary::Shape;

/// Checks that a shape's numbers are finite; whether they describe a solid is for the boundary to say.
pub(super) fn check_shape(path: &str, shape: &Shape) -> Check {
    let vector =
        |variant: &str, key: &str, value: &[f32; 3]| finite_all(&format!("{path}.{variant}.{key}"), value);
    let number = |variant: &str, key: &str, value: f32| finite(&format!("{path}.{variant}.{key}"), value);
    let parts = |variant: &str, shapes: &[Shape]| {
        shapes
            .iter()
            .enumerate()
            .try_for_each(|(i, part)| check_shape(&format!("{path}.{variant}.{i}"), part))
    };
    match shape {
        Shape::Plane { point, normal } => {
            vector("plane", "point", point)?;
            vector("plane", "normal", normal)
        }
        Shape::Box { min, max, .. } => {
            vector("box", "min", min)?;
            vector("box", "max", max)
        }
        Shape::Sphere { center, radius, .. } => {
            vector("sphere", "center", center)?;
            number("sphere", "radius", *radius)
        }
        Shape::Cylinder { from, to, radius, .. } => {
            vector("cylinder", "from", from)?;
            vector("cylinder", "to", to)?;
            number("cylinder", "radius", *radius)
        }
        Shape::Capsule { from, to, radius, .. } => {
            vector("capsule", "from", from)?;
            vector("capsule", "to", to)?;
            number("capsule", "radius", *radius)
        }
        Shape::Cone { from, to, from_radius, to_radius, .. } => {
            vector("cone", "from", from)?;
            vector("cone", "to", to)?;
            number("cone", "from_radius", *from_radius)?;
            number("cone", "to_radius", *to_radius)
        }
        Shape::Funnel { from, to, from_radius, to_radius, thickness } => {
            vector("funnel", "from", from)?;
            vector("funnel", "to", to)?;
            number("funnel", "from_radius", *from_radius)?;
            number("funnel", "to_radius", *to_radius)?;
            number("funnel", "thickness", *thickness)
        }
        Shape::Mesh(mesh) => bodies::check_mesh(&format!("{path}.mesh"), mesh),
        Shape::Union(shapes) => parts("union", shapes),
        Shape::Intersection(shapes) => parts("intersection", shapes),
        Shape::Subtraction(shapes) => parts("subtraction", shapes),
    }
}
