//! The law of one contact: what two spheres, or a sphere and a wall, do to each other and keep of it.
//!
//! Pure functions of one contact, generic over [`Scalar`]: the same code in single precision, for sixteen contacts side by
//! side, and in double precision for tests. The law is that of LAMMPS, `pair_style granular` (stable version of July 2025):
//!
//! ```text
//! F_i = F_n n + F_t,                 F_j = -F_i
//! T_i = -arm_i n x F_t + R_eff n x f + M n
//! T_j = -arm_j n x F_t - R_eff n x f - M n
//! ```
//! with the normal force F_n ([`normal`]), the tangential force F_t ([`tangential`]), the pseudo-force f against rolling
//! ([`rolling`]) and the torque M against twisting ([`twisting`]); a liquid bridge ([`capillary`]), which LAMMPS does not
//! have, pulls along the normal. [`material`] gives the constants of a pair of materials, [`duration`] how short steps must
//! be.
//!
//! **References.** Hertz 1882; Mindlin 1949; Mindlin, Deresiewicz 1953; Cundall, Strack 1979; Tsuji, Tanaka, Ishida 1992;
//! Antypov, Elliott 2011; Luding 2008; Derjaguin, Muller, Toporov 1975; Johnson, Kendall, Roberts 1971; Willett, Adams,
//! Johnson, Seville 2000; Lian, Thornton, Adams 1993; \[Lon09\].

pub mod capillary;
pub mod duration;
pub mod geometry;
pub mod material;
pub mod normal;
pub mod rolling;
pub mod scalar;
pub mod tangential;
pub mod twisting;
pub mod vector;

pub use capillary::Capillary;
pub use geometry::{Geometry, contact_sphere_sphere, contact_sphere_wall, effective_mass};
pub use normal::{Damping, Normal, NormalModel};
pub use rolling::Rolling;
pub use scalar::Scalar;
pub use tangential::{Tangential, TangentialModel};
pub use twisting::Twisting;

use capillary::bridge_force;
use normal::{normal_force, pull_off_distance};
use rolling::rolling_force;
use tangential::{Sliding, tangential_force};
use twisting::twisting_torque;
use vector::{add, cross, dot, if_below, in_plane, scale, sub, zero};

/// The law of a pair of materials. The models are those of a scene; numbers may differ from lane to lane.
#[derive(Clone, Copy, Debug)]
pub struct PairLaw<F> {
    /// Along the normal.
    pub normal: Normal<F>,
    /// In the plane of contact.
    pub tangential: Tangential<F>,
    /// Against rolling.
    pub rolling: Option<Rolling<F>>,
    /// Against twisting.
    pub twisting: Option<Twisting<F>>,
    /// A liquid bridge.
    pub capillary: Option<Capillary<F>>,
}

impl PairLaw<f64> {
    /// The same law in another precision.
    pub fn cast<F: Scalar>(&self) -> PairLaw<F> {
        PairLaw {
            normal: self.normal.cast(),
            tangential: self.tangential.cast(),
            rolling: self.rolling.map(|law| law.cast()),
            twisting: self.twisting.map(|law| law.cast()),
            capillary: self.capillary.map(|law| law.cast()),
        }
    }
}

/// Velocities of both partners; a wall has the velocity of its point of contact and does not turn.
#[derive(Clone, Copy, Debug)]
pub struct Motion<F> {
    /// Velocities of the centres of i and j [m/s].
    pub velocity: [[F; 3]; 2],
    /// Angular velocities of i and j [rad/s].
    pub angular_velocity: [[F; 3]; 2],
}

/// How two surfaces move over each other.
#[derive(Clone, Copy, Debug)]
pub struct RelativeMotion<F> {
    /// Along the normal v_n [m/s]: negative while they approach.
    pub normal: F,
    /// In the plane of contact v_t [m/s].
    pub tangential: [F; 3],
    /// Of rolling v_l [m/s].
    pub rolling: [F; 3],
    /// Of twisting w [rad/s].
    pub twisting: F,
}

/// How the surfaces of a contact move over each other.
///
/// ```text
/// v_r = v_i - v_j,   v_n = v_r . n,   v_t = v_r - v_n n - (R_i omega_i + R_j omega_j) x n
/// v_l = R_eff (omega_i - omega_j) x n,   w = (omega_i - omega_j) . n
/// ```
/// Radii are those of the spheres, not shortened by the overlap.
#[inline(always)]
pub fn relative_motion<F: Scalar>(geometry: &Geometry<F>, motion: &Motion<F>) -> RelativeMotion<F> {
    let [velocity_i, velocity_j] = motion.velocity;
    let [spin_i, spin_j] = motion.angular_velocity;
    let normal = geometry.normal;
    let velocity = sub(velocity_i, velocity_j);
    let surface = add(scale(geometry.radius[0], spin_i), scale(geometry.radius[1], spin_j));
    let spin = sub(spin_i, spin_j);
    RelativeMotion {
        normal: dot(velocity, normal),
        tangential: sub(in_plane(velocity, normal), cross(surface, normal)),
        rolling: scale(geometry.effective_radius, cross(spin, normal)),
        twisting: dot(spin, normal),
    }
}

/// What a contact remembers from step to step: eight numbers, all 0 where there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct History<F> {
    /// Tangential spring xi \[m\], of the ordered pair (i, j).
    pub tangential: [F; 3],
    /// Radius of the area of contact of the last step \[m\]; [`BRIDGE`] where only liquid connects the two.
    pub contact_radius: F,
    /// Rolling spring rho \[m\].
    pub rolling: [F; 3],
    /// Angle of the twisting spring phi \[rad\].
    pub twisting: F,
}

/// Stands for the radius of contact where two grains do not touch but a liquid bridge still holds them.
pub const BRIDGE: f32 = -1.0;

impl<F: Scalar> History<F> {
    /// Of a contact that is new.
    #[inline(always)]
    pub fn none() -> Self {
        let zero = F::splat(0.0);
        Self { tangential: [zero; 3], contact_radius: zero, rolling: [zero; 3], twisting: zero }
    }

    /// What it is where i and j exchange their roles: only the tangential spring has a direction from one to the other.
    #[inline(always)]
    pub fn exchanged(self) -> Self {
        Self { tangential: scale(F::splat(-1.0), self.tangential), ..self }
    }

    /// As a record of eight numbers.
    #[inline(always)]
    pub fn to_array(self) -> [F; 8] {
        let ([a, b, c], [d, e, f]) = (self.tangential, self.rolling);
        [a, b, c, self.contact_radius, d, e, f, self.twisting]
    }

    /// From a record of eight numbers.
    #[inline(always)]
    pub fn from_array([a, b, c, contact_radius, d, e, f, twisting]: [F; 8]) -> Self {
        Self { tangential: [a, b, c], contact_radius, rolling: [d, e, f], twisting }
    }

    /// This one where `a < b`, else `other`.
    #[inline(always)]
    fn if_below(self, a: F, b: F, other: Self) -> Self {
        Self {
            tangential: if_below(a, b, self.tangential, other.tangential),
            contact_radius: a.if_below(b, self.contact_radius, other.contact_radius),
            rolling: if_below(a, b, self.rolling, other.rolling),
            twisting: a.if_below(b, self.twisting, other.twisting),
        }
    }
}

/// What a contact does to its partners.
#[derive(Clone, Copy, Debug)]
pub struct Loads<F> {
    /// Force on i \[N\]; j gets the opposite.
    pub force: [F; 3],
    /// Torque on i about its centre [N m].
    pub torque_i: [F; 3],
    /// Torque on j about its centre [N m].
    pub torque_j: [F; 3],
}

/// Force and torques of a contact, and what it remembers after the step.
///
/// `effective_mass` is that of the two \[kg\], of members of rigid grains from the masses of the whole grains. Velocities
/// are those in the middle of the step that has led here. `dt` is the step's length \[s\]; 0 before the first step of a
/// run, where springs do not grow. Where the two do not touch all is 0, and the memory is that of no contact.
#[inline(always)]
pub fn contact_loads<F: Scalar>(
    law: &PairLaw<F>,
    geometry: &Geometry<F>,
    effective_mass: F,
    motion: &Motion<F>,
    dt: F,
    history: &History<F>,
) -> (Loads<F>, History<F>) {
    let Geometry { normal, overlap, effective_radius, arm, .. } = *geometry;
    let none = F::splat(0.0);
    let relative = relative_motion(geometry, motion);
    let bearing = normal_force(&law.normal, overlap, effective_radius, effective_mass, relative.normal);
    let sliding = Sliding {
        normal,
        velocity: relative.tangential,
        contact_radius: bearing.contact_radius,
        old_contact_radius: history.contact_radius,
        damping: bearing.damping,
        bound: bearing.bound,
    };
    let (friction, spring) = tangential_force(&law.tangential, &sliding, history.tangential, dt);

    let mut now = History { tangential: spring, contact_radius: bearing.contact_radius, ..History::none() };
    let turning = cross(friction, normal);
    let mut loads = Loads {
        force: add(scale(bearing.force, normal), friction),
        torque_i: scale(arm[0], turning),
        torque_j: scale(arm[1], turning),
    };
    if let Some(law) = &law.rolling {
        let (force, spring) =
            rolling_force(law, normal, relative.rolling, bearing.bound, history.rolling, dt);
        let torque = scale(effective_radius, cross(normal, force));
        loads.torque_i = add(loads.torque_i, torque);
        loads.torque_j = sub(loads.torque_j, torque);
        now.rolling = spring;
    }
    if let Some(law) = &law.twisting {
        let (torque, angle) = twisting_torque(law, relative.twisting, bearing.bound, history.twisting, dt);
        let torque = scale(torque, normal);
        loads.torque_i = add(loads.torque_i, torque);
        loads.torque_j = sub(loads.torque_j, torque);
        now.twisting = angle;
    }

    // Those that touched may part a little before the contact ends, where there is cohesion.
    let neck = none.if_below(history.contact_radius, -pull_off_distance(&law.normal, effective_radius), none);
    let loads = Loads {
        force: if_below(neck, overlap, loads.force, zero()),
        torque_i: if_below(neck, overlap, loads.torque_i, zero()),
        torque_j: if_below(neck, overlap, loads.torque_j, zero()),
    };
    let now = now.if_below(neck, overlap, History::none());
    match &law.capillary {
        Some(bridge) => with_bridge(bridge, geometry, history, loads, now),
        None => (loads, now),
    }
}

/// Adds the pull of a liquid bridge, which forms where two touch and lasts until they are farther apart than it reaches.
/// Friction stays bounded by what the surfaces bear, which the bridge adds to by pressing them together.
#[inline(always)]
fn with_bridge<F: Scalar>(
    law: &Capillary<F>,
    geometry: &Geometry<F>,
    before: &History<F>,
    loads: Loads<F>,
    now: History<F>,
) -> (Loads<F>, History<F>) {
    let none = F::splat(0.0);
    let gap = -geometry.overlap;
    let pull = bridge_force(law, geometry.effective_radius, gap);
    let known = before.contact_radius * before.contact_radius + now.contact_radius * now.contact_radius;
    let holds = none.if_below(known, gap.if_below(law.rupture_distance, F::splat(1.0), none), none);
    let pull = none.if_below(holds, pull, none);
    let apart = none.if_below(holds, F::splat(BRIDGE), none);
    let contact_radius = none.if_below(now.contact_radius, now.contact_radius, apart);
    let force = sub(loads.force, scale(pull, geometry.normal));
    (Loads { force, ..loads }, History { contact_radius, ..now })
}

#[cfg(test)]
mod tests;
