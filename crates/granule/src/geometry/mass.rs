//! Volume, centre and inertia of a closed mesh.

use glam::{DMat3, DVec3, Vec3};

use super::error::MeshError;
use super::mesh::TriangleMesh;

/// Mass properties of a homogeneous solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume \[m3\].
    pub volume: f64,
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\].
    pub center: DVec3,
    /// Inertia tensor about the centre of mass, along the mesh's axes [kg m2].
    pub inertia: DMat3,
}

impl MassProperties {
    /// Mass properties of a closed mesh of a `density` [kg/m3].
    ///
    /// Every triangle spans a tetrahedron with a point near the middle; volume, first and second moments of
    /// tetrahedra have closed forms, and signed sums over all of them give those of the solid:
    ///
    /// ```text
    /// V = sum det / 6,   int x dV = sum det (a + b + c) / 24,
    /// int x x^T dV = sum det (a a^T + b b^T + c c^T + (a + b + c)(a + b + c)^T) / 120
    /// ```
    ///
    /// with `det = a . (b x c)`. The inertia tensor is `tr(C) 1 - C` of the second moment `C` about the centre.
    pub fn new(mesh: &TriangleMesh, density: f64) -> Result<Self, MeshError> {
        let bounds = mesh.bounds().ok_or(MeshError::NoTriangles)?;
        let origin = bounds.center().as_dvec3();
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for triangle in 0..mesh.triangle.len() {
            let [a, b, c] = mesh.corners(triangle).map(|corner: Vec3| corner.as_dvec3() - origin);
            let det = a.dot(b.cross(c));
            let sum = a + b + c;
            volume += det / 6.0;
            first += det / 24.0 * sum;
            second += (outer(a) + outer(b) + outer(c) + outer(sum)) * (det / 120.0);
        }
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(MeshError::NoVolume);
        }
        let center = first / volume;
        let covariance = second - outer(center) * volume;
        let trace = covariance.x_axis.x + covariance.y_axis.y + covariance.z_axis.z;
        let inertia = (DMat3::from_diagonal(DVec3::splat(trace)) - covariance) * density;
        Ok(Self { volume, mass: density * volume, center: origin + center, inertia })
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::geometry::shapes;

    fn close(found: DMat3, expected: DMat3, tolerance: f64) {
        let scale = expected.to_cols_array().into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        for (a, b) in found.to_cols_array().into_iter().zip(expected.to_cols_array()) {
            assert!((a - b).abs() < tolerance * scale, "{found} {expected}");
        }
    }

    #[test]
    fn a_turned_and_moved_box_has_the_textbook_inertia() {
        let (size, density) = (Vec3::new(1.0, 2.0, 3.0), 1000.0);
        let rotation = Quat::from_rotation_z(0.7) * Quat::from_rotation_x(0.3);
        let mut mesh = shapes::cuboid(size);
        mesh.place(rotation, Vec3::new(5.0, -3.0, 1.0));
        let properties = MassProperties::new(&mesh, density).unwrap();
        assert!((properties.mass - 6000.0).abs() < 0.01);
        assert!((properties.center - DVec3::new(5.0, -3.0, 1.0)).length() < 1e-5);
        let diagonal = DVec3::new(13.0, 10.0, 5.0) * 6000.0 / 12.0;
        let r = DMat3::from_quat(rotation.as_dquat());
        close(properties.inertia, r * DMat3::from_diagonal(diagonal) * r.transpose(), 1e-5);
    }

    #[test]
    fn spheres_and_cylinders_approach_their_formulas() {
        let ball = MassProperties::new(&shapes::sphere(0.5, 100), 1.0).unwrap();
        close(ball.inertia, DMat3::from_diagonal(DVec3::splat(0.4 * ball.mass * 0.25)), 1e-3);
        let rod = MassProperties::new(&shapes::cylinder(0.1, 1.0, 400), 2.0).unwrap();
        let (along, across) = (0.5 * rod.mass * 0.01, rod.mass * (0.03 + 1.0) / 12.0);
        close(rod.inertia, DMat3::from_diagonal(DVec3::new(across, along, across)), 1e-3);
        assert!((rod.volume / (std::f64::consts::PI * 0.01) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn inside_out_has_no_mass() {
        let mut mesh = shapes::cuboid(Vec3::ONE);
        mesh.flip();
        assert!(matches!(MassProperties::new(&mesh, 1.0), Err(MeshError::NoVolume)));
    }
}
