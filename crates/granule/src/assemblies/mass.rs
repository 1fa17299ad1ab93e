//! Mass, centre and principal inertia of rigid assemblies.
//!
//! Where spheres of an assembly overlap, volume, centre and inertia are those of their union, which is found elsewhere
//! and handed in through [`MassProperties::new`]; [`MassProperties::of_separate_spheres`] is for spheres that do not.

use std::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3, Vec3};
use serde::{Deserialize, Serialize};

/// Two spheres may overlap by this part of the smaller radius and still count as touching.
const TOUCHING: f64 = 1e-5;
/// Sweeps over all pairs of axes; convergence is quadratic, and three suffice.
const SWEEPS: usize = 12;
/// A principal moment may be larger than the sum of the others by this part: rounding of flat bodies.
const FLAT: f64 = 1e-6;

/// A sphere of an assembly, in the frame in which its shape is given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sphere {
    /// Centre \[m\].
    pub center: Vec3,
    /// Radius \[m\].
    pub radius: f32,
}

/// Mass, centre of mass and inertia of a rigid shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MassProperties {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass in the frame of the shape \[m\].
    pub center: DVec3,
    /// Principal moments of inertia about the centre [kg m2].
    pub inertia: DVec3,
    /// Turns the principal axes into those of the shape.
    pub shape_from_principal: DQuat,
}

/// Why a shape has no mass properties.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq)]
pub enum MassError {
    /// No mass.
    #[error("mass and moments of inertia must be positive numbers; found {mass} kg and {inertia} kg m2")]
    NotPositive {
        /// Mass \[kg\].
        mass: f64,
        /// Principal moments [kg m2].
        inertia: DVec3,
    },
    /// No body has such moments.
    #[error("no rigid body has the principal moments {0} kg m2: none can exceed the sum of the other two")]
    Impossible(DVec3),
    /// Overlaps that would count twice.
    #[error(
        "spheres {0} and {1} overlap: their common volume would count twice; give the mass properties of their union"
    )]
    Overlap(usize, usize),
}

impl MassProperties {
    /// A mass [kg] with its centre [m] and inertia tensor about the centre [kg m2], all in the frame of the shape.
    ///
    /// # Errors
    /// Refuses what no rigid body has.
    pub fn new(mass: f64, center: DVec3, tensor: DMat3) -> Result<Self, MassError> {
        let (inertia, axes) = principal_axes(tensor);
        let sound = mass > 0.0 && mass.is_finite() && inertia.is_finite() && inertia.cmpgt(DVec3::ZERO).all();
        if !sound || !center.is_finite() {
            return Err(MassError::NotPositive { mass, inertia });
        }
        let sum = inertia.element_sum();
        if 2.0 * inertia.max_element() > sum * (1.0 + FLAT) {
            return Err(MassError::Impossible(inertia));
        }
        Ok(Self { mass, center, inertia, shape_from_principal: DQuat::from_mat3(&axes).normalize() })
    }

    /// The mass properties of spheres of one density [kg/m3] that do not overlap.
    ///
    /// ```text
    /// m_k = rho 4/3 pi r_k^3,   c = sum m_k x_k / m
    /// I   = sum m_k (2/5 r_k^2 1 + |d_k|^2 1 - d_k d_k^T),   d_k = x_k - c        parallel axes (Steiner)
    /// ```
    ///
    /// # Errors
    /// Names two spheres that overlap.
    pub fn of_separate_spheres(density: f64, spheres: &[Sphere]) -> Result<Self, MassError> {
        for (i, a) in spheres.iter().enumerate() {
            for (j, b) in spheres.iter().enumerate().skip(i + 1) {
                let apart = (a.center.as_dvec3() - b.center.as_dvec3()).length();
                let least = f64::from(a.radius) + f64::from(b.radius);
                if apart < least - TOUCHING * f64::from(a.radius.min(b.radius)) {
                    return Err(MassError::Overlap(i, j));
                }
            }
        }
        let mass_of = |sphere: &Sphere| density * 4.0 / 3.0 * PI * f64::from(sphere.radius).powi(3);
        let mass: f64 = spheres.iter().map(mass_of).sum();
        let moment: DVec3 = spheres.iter().map(|sphere| mass_of(sphere) * sphere.center.as_dvec3()).sum();
        let center = moment / mass;
        let mut tensor = DMat3::ZERO;
        for sphere in spheres {
            let arm = sphere.center.as_dvec3() - center;
            let own = 0.4 * f64::from(sphere.radius).powi(2) + arm.length_squared();
            let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
            tensor += mass_of(sphere) * (DMat3::from_diagonal(DVec3::splat(own)) - outer);
        }
        Self::new(mass, center, tensor)
    }
}

/// Eigenvalues of a symmetric matrix and its eigenvectors as the columns of a rotation, by Jacobi's method: plane
/// rotations that each make one element off the diagonal vanish.
fn principal_axes(tensor: DMat3) -> (DVec3, DMat3) {
    let (mut matrix, mut axes) = (tensor, DMat3::IDENTITY);
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = matrix.col(q)[p];
            let size = matrix.col(p)[p].abs() + matrix.col(q)[q].abs();
            if off.abs() <= f64::EPSILON * f64::EPSILON * size {
                continue;
            }
            let ratio = (matrix.col(q)[q] - matrix.col(p)[p]) / (2.0 * off);
            let tangent = 1.0_f64.copysign(ratio) / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
            let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
            let sine = tangent * cosine;
            let mut rotation = DMat3::IDENTITY;
            rotation.col_mut(p)[p] = cosine;
            rotation.col_mut(p)[q] = -sine;
            rotation.col_mut(q)[p] = sine;
            rotation.col_mut(q)[q] = cosine;
            matrix = rotation.transpose() * matrix * rotation;
            axes *= rotation;
        }
    }
    (DVec3::new(matrix.x_axis.x, matrix.y_axis.y, matrix.z_axis.z), axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sphere(x: f32, y: f32, z: f32, radius: f32) -> Sphere {
        Sphere { center: Vec3::new(x, y, z), radius }
    }

    fn tensor(properties: &MassProperties) -> DMat3 {
        let axes = DMat3::from_quat(properties.shape_from_principal);
        axes * DMat3::from_diagonal(properties.inertia) * axes.transpose()
    }

    /// I = m (2/5 r^2 + e^2/4) with edge e = 2 r: 1.4 m r^2 about every axis (physics A49).
    #[test]
    fn four_touching_spheres_have_the_inertia_of_the_errata() {
        let (r, e) = (0.01_f32, 0.02 / 8f32.sqrt());
        let corners = [sphere(e, e, e, r), sphere(e, -e, -e, r), sphere(-e, e, -e, r), sphere(-e, -e, e, r)];
        let found = MassProperties::of_separate_spheres(2600.0, &corners).unwrap();
        let mass = 4.0 * 2600.0 * 4.0 / 3.0 * PI * 1e-6;
        assert!((found.mass / mass - 1.0).abs() < 1e-6, "{}", found.mass);
        assert!((found.inertia / (1.4 * mass * 1e-4) - 1.0).abs().max_element() < 1e-5, "{}", found.inertia);
        assert!(found.center.length() < 1e-9);
    }

    /// Two touching spheres: 4/5 of a sphere's m r^2 along the axis (2 m_s 2/5 r^2), 2.8 across (plus 2 m_s r^2), wherever
    /// they lie and however they are turned.
    #[test]
    fn a_turned_and_displaced_pair_keeps_its_principal_moments() {
        let axis = DVec3::new(1.0, -2.0, 0.5).normalize();
        let (r, at) = (0.3, DVec3::new(5.0, 1.0, -2.0));
        let ends = [at + r * axis, at - r * axis].map(|x| Sphere { center: x.as_vec3(), radius: r as f32 });
        let found = MassProperties::of_separate_spheres(1000.0, &ends).unwrap();
        let unit = 0.5 * found.mass * r * r;
        let mut moments = found.inertia.to_array();
        moments.sort_by(f64::total_cmp);
        for (moment, wanted) in moments.iter().zip([0.8, 2.8, 2.8]) {
            assert!((moment / unit - wanted).abs() < 1e-5, "{moments:?} / {unit}");
        }
        assert!((found.center - at).length() < 1e-6);
        // The axis of the smallest moment is that of the pair.
        let along = tensor(&found) * axis;
        assert!((along - 0.8 * unit * axis).length() < 1e-5 * unit, "{along}");
        assert!((found.shape_from_principal.length() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn principal_axes_give_the_tensor_back() {
        let axes = DMat3::from_quat(DQuat::from_xyzw(0.1, -0.7, 0.3, 0.4).normalize());
        let wanted = axes * DMat3::from_diagonal(DVec3::new(3.0, 2.5, 1.0)) * axes.transpose();
        let found = MassProperties::new(1.0, DVec3::ZERO, wanted).unwrap();
        let back = tensor(&found);
        assert!(back.abs_diff_eq(wanted, 1e-14), "{back} {wanted}");
    }

    #[test]
    fn what_no_body_has_is_refused() {
        let inertia =
            |x, y, z| MassProperties::new(1.0, DVec3::ZERO, DMat3::from_diagonal(DVec3::new(x, y, z)));
        assert_eq!(inertia(1.0, 1.0, 2.1), Err(MassError::Impossible(DVec3::new(1.0, 1.0, 2.1))));
        assert!(inertia(1.0, 1.0, 2.0).is_ok(), "a flat plate");
        assert!(matches!(inertia(1.0, 0.0, 1.0), Err(MassError::NotPositive { .. })));
        assert!(matches!(inertia(f64::NAN, 1.0, 1.0), Err(MassError::NotPositive { .. })));
        assert!(matches!(MassProperties::of_separate_spheres(1.0, &[]), Err(MassError::NotPositive { .. })));
        let close = [sphere(0.0, 0.0, 0.0, 1.0), sphere(5.0, 0.0, 0.0, 1.0), sphere(0.0, 1.9, 0.0, 1.0)];
        assert_eq!(MassProperties::of_separate_spheres(1.0, &close), Err(MassError::Overlap(0, 2)));
    }
}
