//! From shapes to rapier's colliders and mass properties.

use glam::{Mat3, Quat, Vec3};
use rapier3d::math::Pose as RapierPose;
use rapier3d::parry::mass_properties::MassProperties;
use rapier3d::prelude::SharedShape;

use super::error::SolidError;
use crate::boundary::{MeshShape, Sdf, Shape, ShapeError};
use crate::geometry::TriangleMesh;

/// Cells along the longest side of a solid whose volume is summed up.
const MASS_CELLS: f32 = 64.0;

/// Cells along the longest side of a surface that becomes triangles.
const SURFACE_CELLS: f32 = 48.0;

/// Share of its convex hull that a mesh fills at least to collide as its hull.
const CONVEX: f64 = 0.97;

/// Points around the ends of a truncated cone's hull.
const RING: usize = 32;

/// What rapier needs to know of a solid.
pub struct Solid {
    /// Parts of the collision shape with their poses in the solid's frame.
    pub parts: Vec<(RapierPose, SharedShape)>,
}

impl Solid {
    /// Collision shapes of something that does not move freely: walls, containers, tools. `region` bounds those parts
    /// of unbounded shapes that have to become triangles.
    pub fn of_wall(shape: &Shape, region: (Vec3, Vec3)) -> Result<Self, SolidError> {
        let mut parts = Vec::new();
        wall_parts(shape, region, &mut parts)?;
        Ok(Self { parts })
    }

    /// Collision shapes of a body that moves freely: convex parts.
    pub fn of_body(shape: &Shape) -> Result<Self, SolidError> {
        let mut parts = Vec::new();
        body_parts(shape, &mut parts)?;
        Ok(Self { parts })
    }
}

fn body_parts(shape: &Shape, parts: &mut Vec<(RapierPose, SharedShape)>) -> Result<(), SolidError> {
    if let Some(part) = convex_primitive(shape) {
        parts.push(part);
    } else if let Shape::Mesh(mesh) = shape {
        if mesh.hollow {
            return Err(SolidError::Unbounded);
        }
        parts.push((RapierPose::IDENTITY, mesh_parts(&load(mesh)?)));
    } else if let Shape::Union(shapes) = shape {
        for shape in shapes {
            body_parts(shape, parts)?;
        }
    } else {
        let sdf = Sdf::new(shape)?;
        let bounds = sdf.bounds().ok_or(SolidError::Unbounded)?;
        let mesh = sdf.surface_mesh(bounds, SURFACE_CELLS);
        if mesh.triangle.is_empty() {
            return Err(SolidError::Empty);
        }
        parts.push((RapierPose::IDENTITY, SharedShape::convex_decomposition(&mesh.position, &mesh.triangle)));
    }
    Ok(())
}

/// The hull of a mesh that is nearly convex, and else convex parts that make it up.
fn mesh_parts(mesh: &TriangleMesh) -> SharedShape {
    let hull = SharedShape::convex_hull(&mesh.position);
    let full =
        |hull: &SharedShape| mesh.signed_volume() > CONVEX * f64::from(hull.mass_properties(1.0).mass());
    match hull.filter(full) {
        Some(hull) => hull,
        None => SharedShape::convex_decomposition(&mesh.position, &mesh.triangle),
    }
}

pub(super) fn load(mesh: &MeshShape) -> Result<TriangleMesh, SolidError> {
    mesh.load_placed().map_err(|error| {
        SolidError::Shape(ShapeError::Mesh { file: mesh.file.clone(), reason: error.error.to_string() })
    })
}

fn wall_parts(
    shape: &Shape,
    region: (Vec3, Vec3),
    parts: &mut Vec<(RapierPose, SharedShape)>,
) -> Result<(), SolidError> {
    if let Some(part) = convex_primitive(shape) {
        parts.push(part);
        return Ok(());
    }
    match shape {
        Shape::Plane { point, normal } => parts.push(half_space(Vec3::from(*point), Vec3::from(*normal))),
        Shape::Box { min, max, hollow: true } => {
            for (corner, sign) in [(*min, 1.0), (*max, -1.0)] {
                for axis in Vec3::AXES {
                    parts.push(half_space(Vec3::from(corner), sign * axis));
                }
            }
        }
        Shape::Union(shapes) => {
            for shape in shapes {
                wall_parts(shape, region, parts)?;
            }
        }
        Shape::Mesh(mesh) => {
            let mesh = load(mesh)?;
            let shape = SharedShape::trimesh(mesh.position, mesh.triangle)
                .map_err(|error| SolidError::Collider(error.to_string()))?;
            parts.push((RapierPose::IDENTITY, shape));
        }
        _ => {
            let sdf = Sdf::new(shape)?;
            let (min, max) = sdf.wall_bounds().unwrap_or(region);
            let room = 0.02 * (max - min).max_element();
            let mesh = sdf.surface_mesh((min - room, max + room), SURFACE_CELLS);
            if !mesh.triangle.is_empty() {
                let shape = SharedShape::trimesh(mesh.position, mesh.triangle)
                    .map_err(|error| SolidError::Collider(error.to_string()))?;
                parts.push((RapierPose::IDENTITY, shape));
            }
        }
    }
    Ok(())
}

fn half_space(point: Vec3, normal: Vec3) -> (RapierPose, SharedShape) {
    (RapierPose::from_translation(point), SharedShape::halfspace(normal.normalize_or(Vec3::Y)))
}

/// The collider of a solid that rapier knows.
fn convex_primitive(shape: &Shape) -> Option<(RapierPose, SharedShape)> {
    match *shape {
        Shape::Sphere { center, radius, hollow: false } => {
            Some((RapierPose::from_translation(Vec3::from(center)), SharedShape::ball(radius)))
        }
        Shape::Box { min, max, hollow: false } => {
            let (min, max) = (Vec3::from(min), Vec3::from(max));
            let half = 0.5 * (max - min);
            let pose = RapierPose::from_translation(0.5 * (min + max));
            Some((pose, SharedShape::cuboid(half.x, half.y, half.z)))
        }
        Shape::Capsule { from, to, radius, hollow: false } => {
            Some((RapierPose::IDENTITY, SharedShape::capsule(Vec3::from(from), Vec3::from(to), radius)))
        }
        Shape::Cylinder { from, to, radius, hollow: false } => {
            let (pose, half) = along_y(Vec3::from(from), Vec3::from(to));
            Some((pose, SharedShape::cylinder(half, radius)))
        }
        Shape::Cone { from, to, from_radius, to_radius, hollow: false } => {
            let (pose, half) = along_y(Vec3::from(from), Vec3::from(to));
            let ring = |y: f32, radius: f32| {
                (0..RING).map(move |k| {
                    let angle = std::f32::consts::TAU * k as f32 / RING as f32;
                    Vec3::new(radius * angle.cos(), y, radius * angle.sin())
                })
            };
            let points: Vec<Vec3> = ring(-half, from_radius).chain(ring(half, to_radius)).collect();
            Some((pose, SharedShape::convex_hull(&points)?))
        }
        _ => None,
    }
}

/// Pose that turns the y axis into that between two points, about their middle, and half their distance.
fn along_y(from: Vec3, to: Vec3) -> (RapierPose, f32) {
    let span = to - from;
    let rotation = Quat::from_rotation_arc(Vec3::Y, span.normalize_or(Vec3::Y));
    (RapierPose::from_parts(0.5 * (from + to), rotation), 0.5 * span.length())
}

/// Mass, centre and inertia of a solid of some density [kg/m3]: exact for simple shapes, and else summed up over a grid
/// whose cells count with the share that is inside.
pub fn mass_properties(shape: &Shape, density: f32) -> Result<MassProperties, SolidError> {
    let exact = !matches!(shape, Shape::Cone { .. });
    if let Some((pose, collider)) = convex_primitive(shape).filter(|_| exact) {
        return Ok(collider.mass_properties(density).transform_by(&pose));
    }
    if let Shape::Mesh(mesh) = shape {
        return mesh_mass(mesh, density);
    }
    let sdf = Sdf::new(shape)?;
    let (min, max) = sdf.bounds().ok_or(SolidError::Unbounded)?;
    let size = max - min;
    let cell = size.max_element() / MASS_CELLS;
    let count = (size / cell).ceil().max(Vec3::ONE);
    let (mut volume, mut first, mut second) = (0.0f64, glam::DVec3::ZERO, glam::DMat3::ZERO);
    for z in 0..count.z as u32 {
        for y in 0..count.y as u32 {
            for x in 0..count.x as u32 {
                let place = min + cell * (Vec3::new(x as f32, y as f32, z as f32) + 0.5);
                let share = f64::from((0.5 - sdf.distance(place) / cell).clamp(0.0, 1.0));
                let place = place.as_dvec3();
                volume += share;
                first += share * place;
                second += share * glam::DMat3::from_cols(place * place.x, place * place.y, place * place.z);
            }
        }
    }
    if volume <= 0.0 {
        return Err(SolidError::Empty);
    }
    let cell_mass = f64::from(density) * f64::from(cell).powi(3);
    let center = first / volume;
    // Second moments about the centre, with the extent of the cells themselves.
    let outer = glam::DMat3::from_cols(center * center.x, center * center.y, center * center.z);
    let own = volume * f64::from(cell).powi(2) / 12.0;
    let second = second - volume * outer + glam::DMat3::from_diagonal(glam::DVec3::splat(own));
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    let inertia = cell_mass * (glam::DMat3::from_diagonal(glam::DVec3::splat(trace)) - second);
    let inertia = Mat3::from_cols_array(&inertia.to_cols_array().map(|part| part as f32));
    Ok(MassProperties::with_inertia_matrix(center.as_vec3(), (volume * cell_mass) as f32, inertia))
}

fn mesh_mass(mesh: &MeshShape, density: f32) -> Result<MassProperties, SolidError> {
    if mesh.hollow {
        return Err(SolidError::Unbounded);
    }
    let exact = crate::geometry::MassProperties::new(&load(mesh)?, f64::from(density));
    let exact = exact.map_err(|_| SolidError::Empty)?;
    let inertia = Mat3::from_cols_array(&exact.inertia.to_cols_array().map(|part| part as f32));
    Ok(MassProperties::with_inertia_matrix(exact.center.as_vec3(), exact.mass as f32, inertia))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(shape: &Shape) -> (f32, Vec3, Mat3) {
        let properties = mass_properties(shape, 1000.0).unwrap();
        (properties.mass(), properties.local_com, properties.reconstruct_inertia_matrix())
    }

    /// A block as a union of two halves is summed up and as a box known exactly.
    #[test]
    fn summed_up_masses_agree_with_exact_ones() {
        let part =
            |from: f32, to: f32| Shape::Box { min: [from, 0.0, -0.1], max: [to, 0.3, 0.1], hollow: false };
        let (mass, center, inertia) = moments(&part(0.1, 0.5));
        let (summed_mass, summed_center, summed_inertia) =
            moments(&Shape::Union(vec![part(0.1, 0.3), part(0.3, 0.5)]));
        assert!((mass - 24.0).abs() < 1e-3);
        assert!((summed_mass / mass - 1.0).abs() < 0.02, "{summed_mass} instead of {mass}");
        assert!((summed_center - center).length() < 2e-3, "{summed_center} instead of {center}");
        for axis in 0..3 {
            let ratio = summed_inertia.col(axis)[axis] / inertia.col(axis)[axis];
            assert!((ratio - 1.0).abs() < 0.03, "{summed_inertia} instead of {inertia}");
        }
    }

    #[test]
    fn a_cone_has_a_third_of_its_cylinder_and_lies_low() {
        let cone = Shape::Cone {
            from: [0.0; 3],
            to: [0.0, 0.4, 0.0],
            from_radius: 0.2,
            to_radius: 0.0,
            hollow: false,
        };
        let (mass, center, _) = moments(&cone);
        let exact = 1000.0 * std::f32::consts::PI * 0.04 * 0.4 / 3.0;
        assert!((mass / exact - 1.0).abs() < 0.01, "{mass} instead of {exact}");
        assert!((center.y - 0.1).abs() < 2e-3, "{center}");
    }

    #[test]
    fn the_collider_of_a_cone_is_as_wide_as_the_cone_all_around() {
        let (from, to) = ([0.0, 0.1, 0.0], [0.0, 0.5, 0.0]);
        let cone = Shape::Cone { from, to, from_radius: 0.2, to_radius: 0.1, hollow: false };
        let (pose, collider) = convex_primitive(&cone).unwrap();
        let bounds = collider.compute_aabb(&pose);
        let (min, max) = (Vec3::new(-0.2, 0.1, -0.2), Vec3::new(0.2, 0.5, 0.2));
        assert!(bounds.mins.abs_diff_eq(min, 1e-3) && bounds.maxs.abs_diff_eq(max, 1e-3), "{bounds:?}");
        // A ring of so many corners lies a little within its circle.
        let exact = std::f32::consts::PI * 0.4 / 3.0 * (0.04 + 0.02 + 0.01);
        let volume = collider.mass_properties(1.0).mass();
        assert!((0.95..1.0).contains(&(volume / exact)), "{volume} m3 of {exact}");
    }

    #[test]
    fn unbounded_shapes_are_no_bodies() {
        let plane = Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] };
        assert_eq!(mass_properties(&plane, 1.0).unwrap_err(), SolidError::Unbounded);
        assert_eq!(Solid::of_body(&plane).err(), Some(SolidError::Unbounded));
    }
}
