//! Tangential force of a contact: friction with a memory, and Longmore's without.

use super::scalar::{Scalar, magnitude};
use super::vector::{add, dot, if_below, in_plane, length, scale, zero};

/// Which law of friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TangentialModel {
    /// A spring as stiff as the area of contact is wide, relaxed as that area shrinks: Mindlin 1949, Mindlin and
    /// Deresiewicz 1953. LAMMPS: `mindlin_rescale`.
    MindlinRescale,
    /// The same without relaxing, which makes unloading contacts slip late. LAMMPS: `mindlin`.
    Mindlin,
    /// A spring of one stiffness, Cundall and Strack 1979, for Hooke contacts. LAMMPS: `linear_history`.
    Linear,
    /// Viscous below Coulomb's limit, without memory: \[Lon09\] eq. 3.28. Heaps of spheres flow under it.
    Viscous,
}

/// Tangential law of a pair of materials.
#[derive(Clone, Copy, Debug)]
pub struct Tangential<F> {
    /// Which law.
    pub model: TangentialModel,
    /// 8 G* \[Pa\] of Mindlin's laws; stiffness [N/m] of a linear spring; gamma_s [N s/m] of viscous friction.
    pub stiffness: F,
    /// Tangential damping over normal damping x_t \[1\].
    pub damping_ratio: F,
    /// Coefficient of friction mu \[1\].
    pub friction: F,
}

impl Tangential<f64> {
    /// The same law in another precision.
    pub fn cast<F: Scalar>(&self) -> Tangential<F> {
        Tangential {
            model: self.model,
            stiffness: F::of(self.stiffness),
            damping_ratio: F::of(self.damping_ratio),
            friction: F::of(self.friction),
        }
    }
}

/// What the tangential law is told of a contact.
#[derive(Clone, Copy, Debug)]
pub struct Sliding<F> {
    /// Unit normal.
    pub normal: [F; 3],
    /// Velocity of the surface of i over that of j, in the plane of contact v_t [m/s].
    pub velocity: [F; 3],
    /// Radius of the area of contact a \[m\], and that of the step before.
    pub contact_radius: F,
    /// Radius of the area of contact of the step before \[m\].
    pub old_contact_radius: F,
    /// Normal damping eta [N s/m].
    pub damping: F,
    /// What friction is bounded by F_c \[N\].
    pub bound: F,
}

/// Share of the largest force below which a spring that has left the plane of contact is not turned.
const TURNED: f64 = 1e-10;

/// Tangential force on i \[N\] and the spring after the step \[m\].
///
/// ```text
/// k = 8 G* a,   eta_t = x_t eta,   F_s = mu F_c
/// 1.  xi <- xi a/a_old                 where a < a_old                 (mindlin_rescale)
/// 2.  xi <- turned into the plane      where |xi . n| k > 1e-10 F_s
/// 3.  xi <- xi + v_t dt
/// 4.  F_t = -k xi - eta_t v_t
/// 5.  where |F_t| > F_s:   F_t <- F_t F_s/|F_t|,   xi <- -(F_t + eta_t v_t)/k;   0 where xi = 0
///
/// viscous:   F_t = -min(mu F_c, gamma_s |v_t|) v_t/|v_t|
/// ```
/// The order is that of LAMMPS (`pair_style granular`): memory first, force after. \[Lon09\] eq. 3.28 prints F_n for the
/// bound, which is wrong where it is negative: its modulus is taken. With `dt` 0 nothing is added to the spring.
#[inline(always)]
pub fn tangential_force<F: Scalar>(
    law: &Tangential<F>,
    sliding: &Sliding<F>,
    spring: [F; 3],
    dt: F,
) -> ([F; 3], [F; 3]) {
    let Sliding { normal, velocity, contact_radius, old_contact_radius, damping, bound } = *sliding;
    let zero_vector = zero();
    let limit = law.friction * bound;
    let stiffness = match law.model {
        TangentialModel::MindlinRescale | TangentialModel::Mindlin => law.stiffness * contact_radius,
        TangentialModel::Linear => law.stiffness,
        TangentialModel::Viscous => {
            let speed = length(velocity);
            let share = limit.at_most(law.stiffness * speed) / speed;
            let force = scale(-share, velocity);
            return (if_below(F::splat(0.0), speed, force, zero_vector), zero_vector);
        }
    };
    let spring = match law.model {
        TangentialModel::MindlinRescale => {
            let relaxed = scale(contact_radius / old_contact_radius, spring);
            if_below(contact_radius, old_contact_radius, relaxed, spring)
        }
        _ => spring,
    };
    let spring = turn_into_plane(spring, normal, stiffness, limit);
    let spring = add(spring, scale(dt, velocity));
    let dashpot = scale(law.damping_ratio * damping, velocity);
    let trial = add(scale(stiffness, spring), dashpot);
    slide(trial, dashpot, spring, stiffness, limit)
}

/// Turns a spring into the plane of contact and keeps its length, where it stands out of it by more than rounding.
///
/// ```text
/// xi' = xi - (xi . n) n,   xi <- xi' |xi|/|xi'|          where |xi . n| k > 1e-10 F_max;   0 where xi' = 0
/// ```
/// A spring turns with the contact; projection alone would shorten it a little in every step.
#[inline(always)]
pub fn turn_into_plane<F: Scalar>(spring: [F; 3], normal: [F; 3], stiffness: F, limit: F) -> [F; 3] {
    let flat = in_plane(spring, normal);
    let remains = length(flat);
    let turned = scale(length(spring) / remains, flat);
    let turned = if_below(F::splat(0.0), remains, turned, zero());
    let out = magnitude(dot(spring, normal)) * stiffness;
    if_below(F::of(TURNED) * limit, out, turned, spring)
}

/// A spring and dashpot in series with a slider: the force that is left of a trial force, and the spring that belongs to
/// it. `trial` is k xi + eta v, `dashpot` eta v; the force is against both.
#[inline(always)]
pub fn slide<F: Scalar>(
    trial: [F; 3],
    dashpot: [F; 3],
    spring: [F; 3],
    stiffness: F,
    limit: F,
) -> ([F; 3], [F; 3]) {
    let size = length(trial);
    let bounded = scale(limit / size, trial);
    let slipped = scale(
        F::splat(1.0) / stiffness,
        [bounded[0] - dashpot[0], bounded[1] - dashpot[1], bounded[2] - dashpot[2]],
    );
    let stretched = dot(spring, spring);
    let none = F::splat(0.0);
    let bounded = if_below(none, stretched, bounded, zero());
    let slipped = if_below(none, stretched, slipped, spring);
    let force = if_below(limit, size, bounded, trial);
    let force = scale(F::splat(-1.0), force);
    (force, if_below(limit, size, slipped, spring))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(model: TangentialModel) -> Tangential<f64> {
        Tangential { model, stiffness: 1e7, damping_ratio: 0.0, friction: 0.5 }
    }

    fn pressed(velocity: [f64; 3]) -> Sliding<f64> {
        Sliding {
            normal: [0.0, 0.0, 1.0],
            velocity,
            contact_radius: 1e-4,
            old_contact_radius: 1e-4,
            damping: 0.01,
            bound: 1.0,
        }
    }

    /// A spring that leaves the plane keeps its length; projecting it would lose 1 - cos of the angle, which is too little
    /// to be seen in a trajectory of single precision.
    #[test]
    fn turning_keeps_the_length() {
        for angle in [1e-6, 1e-3, 0.1, 1.0f64] {
            let normal = [angle.sin(), 0.0, angle.cos()];
            let spring = [3e-6, 4e-6, 0.0];
            let turned = turn_into_plane(spring, normal, 1e3, 1.0);
            assert!((length(turned) / 5e-6 - 1.0).abs() < 1e-15);
            assert!(dot(turned, normal).abs() < 1e-21);
            let single = turn_into_plane(spring.map(|x| x as f32), normal.map(|x| x as f32), 1e3, 1.0);
            assert!((length(single) / 5e-6 - 1.0).abs() < 3e-7);
        }
        assert_eq!(turn_into_plane([0.0, 0.0, 1e-6], [0.0, 0.0, 1.0], 1e3, 1.0), [0.0; 3]);
    }

    #[test]
    fn springs_stick_below_the_limit_of_coulomb_and_slide_at_it() {
        let law = law(TangentialModel::MindlinRescale);
        let (stick, spring) = tangential_force(&law, &pressed([0.1, 0.0, 0.0]), [0.0; 3], 1e-3);
        assert!((stick[0] + 1e3 * 1e-4).abs() < 1e-15 && spring[0] == 1e-4);
        let (slip, spring) = tangential_force(&law, &pressed([0.3, 0.4, 0.0]), [0.0; 3], 1e-2);
        assert!((length(slip) - 0.5).abs() < 1e-15);
        assert!((slip[0] / slip[1] - 0.75).abs() < 1e-14);
        assert!((length(spring) - 0.5 / 1e3).abs() < 1e-15, "the spring holds what friction holds");
    }

    #[test]
    fn unloading_relaxes_the_spring_and_loading_does_not() {
        let relaxed = |model, old_contact_radius| {
            let sliding = Sliding { old_contact_radius, ..pressed([0.0; 3]) };
            tangential_force(&law(model), &sliding, [1e-5, 0.0, 0.0], 1e-6).1[0]
        };
        assert!((relaxed(TangentialModel::MindlinRescale, 2e-4) - 5e-6).abs() < 1e-20);
        assert_eq!(relaxed(TangentialModel::MindlinRescale, 0.5e-4), 1e-5);
        assert_eq!(relaxed(TangentialModel::Mindlin, 2e-4), 1e-5);
    }

    #[test]
    fn a_dashpot_alone_does_not_slide() {
        let law = Tangential { damping_ratio: 1.0, ..law(TangentialModel::Linear) };
        let (force, spring) = tangential_force(&law, &pressed([100.0, 0.0, 0.0]), [0.0; 3], 0.0);
        assert_eq!((force, spring), ([0.0; 3], [0.0; 3]));
    }

    #[test]
    fn viscous_friction_is_bounded_and_forgets() {
        let law = Tangential { stiffness: 2.0, ..law(TangentialModel::Viscous) };
        let force = |speed| tangential_force(&law, &pressed([speed, 0.0, 0.0]), [1.0, 0.0, 0.0], 1e-3);
        assert_eq!(force(0.1), ([-0.2, 0.0, 0.0], [0.0; 3]));
        assert_eq!(force(10.0).0[0], -0.5);
        assert_eq!(force(0.0).0, [0.0; 3]);
    }
}
