//! Where two surfaces touch: normal, overlap, and the radii that the law asks for.

use super::scalar::Scalar;
use super::vector::{length, scale};

/// A contact of sphere i with sphere j or with a wall.
#[derive(Clone, Copy, Debug)]
pub struct Geometry<F> {
    /// Unit vector from j to i; out of the wall.
    pub normal: [F; 3],
    /// Overlap delta \[m\]; negative where there is a gap.
    pub overlap: F,
    /// Effective radius R_eff \[m\].
    pub effective_radius: F,
    /// Radii of i and j \[m\]; a wall's is 0. Surfaces move by these times the angular velocities.
    pub radius: [F; 2],
    /// Arms of the tangential force about the centres of i and j \[m\].
    pub arm: [F; 2],
}

/// Two spheres, from the vector x_i - x_j between their centres \[m\].
///
/// ```text
/// n = d/|d|,   delta = R_i + R_j - |d|,   R_eff = R_i R_j/(R_i + R_j),   arms R - delta/2
/// ```
/// Spheres with one centre have no normal, and with it no force.
#[inline(always)]
pub fn contact_sphere_sphere<F: Scalar>(difference: [F; 3], radius_i: F, radius_j: F) -> Geometry<F> {
    let distance = length(difference);
    let zero = F::splat(0.0);
    let inverse = zero.if_below(distance, F::splat(1.0) / distance, zero);
    let overlap = radius_i + radius_j - distance;
    let half = F::splat(0.5) * overlap;
    Geometry {
        normal: scale(inverse, difference),
        overlap,
        effective_radius: radius_i * radius_j / (radius_i + radius_j),
        radius: [radius_i, radius_j],
        arm: [radius_i - half, radius_j - half],
    }
}

/// A sphere and a wall, from the wall's normal at its nearest point and the distance of the centre from there \[m\].
///
/// ```text
/// delta = R_i - distance,   R_eff = R_i/(1 + R_i kappa),   arm R_i
/// ```
/// `curvature` is kappa [1/m], the mean of the two principal curvatures of the wall, positive where it bulges towards the
/// grain: 0 for planes, -1/(2 R_c) inside a cylinder, +1/(2 R_c) outside, -1/(2 R(z)) inside a cone, -1/R_s and +1/R_s
/// inside and outside a sphere. The arm is not shortened by the overlap, as in LAMMPS.
#[inline(always)]
pub fn contact_sphere_wall<F: Scalar>(normal: [F; 3], distance: F, radius: F, curvature: F) -> Geometry<F> {
    let zero = F::splat(0.0);
    Geometry {
        normal,
        overlap: radius - distance,
        effective_radius: radius / (F::splat(1.0) + radius * curvature),
        radius: [radius, zero],
        arm: [radius, zero],
    }
}

/// Radius of the area of contact by Hertz \[m\]; 0 where there is a gap.
///
/// ```text
/// a = sqrt(R_eff delta)
/// ```
#[inline(always)]
pub fn hertz_radius<F: Scalar>(effective_radius: F, overlap: F) -> F {
    (effective_radius * overlap.at_least(F::splat(0.0))).root()
}

/// Effective mass m_i m_j/(m_i + m_j) \[kg\]. With a wall, or a partner that is held, it is the mass of the other.
#[inline(always)]
pub fn effective_mass<F: Scalar>(mass_i: F, mass_j: F) -> F {
    mass_i * mass_j / (mass_i + mass_j)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spheres_of_different_sizes_touch_where_they_should() {
        let g = contact_sphere_sphere([0.0, 3.0, -4.0f64], 3.0, 2.5);
        assert!((g.normal[1] - 0.6).abs() + (g.normal[2] + 0.8).abs() + g.normal[0].abs() < 1e-15);
        assert_eq!((g.overlap, g.arm), (0.5, [2.75, 2.25]));
        assert!((g.effective_radius - 7.5 / 5.5f64).abs() < 1e-15);
    }

    /// A sphere in a cylinder of twice its radius touches as one of 4/3 of its size touches a plane.
    #[test]
    fn curved_walls_change_the_effective_radius() {
        let inside =
            |curvature| contact_sphere_wall([0.0, 0.0, 1.0], 0.9, 1.0f64, curvature).effective_radius;
        assert_eq!(inside(0.0), 1.0);
        assert!((inside(-1.0 / (2.0 * 2.0)) - 4.0 / 3.0).abs() < 1e-15);
        // Outside a sphere of the same radius: as two equal spheres.
        assert_eq!(inside(1.0), 0.5);
    }

    #[test]
    fn spheres_with_one_centre_have_no_normal() {
        assert_eq!(contact_sphere_sphere([0.0f32; 3], 1.0, 1.0).normal, [0.0; 3]);
    }
}
