//! The mathematics of one contact, or of sixteen side by side.
//!
//! A contact has a unit normal n from the partner to the grain, a gap along it, and three impulses that it keeps: ln along
//! the normal, lt across it, lr against rolling (a torque times a time). One correction is
//!
//! ```text
//! u   = vi - vj - (ai wi + aj wj) x n           velocity of the surfaces, a: from centres to the point of contact
//! ln' = max(-c, ln - me (u.n - vmin))           vmin = -gap/h where there is a gap, else 0;  c = h F where F pulls
//! lt' = lt - mt (u - n (n.u)),   |lt'| <= mu (ln' + c)
//! lr' = lr - mr (wi - wj),       |lr'| <= mu_r r* (ln' + c)
//! me  = 1/(1/mi + 1/mj),   mt = me/6, or me/3.5 without rolling friction, or me without rotation
//! mr  = 1/(2/Ii + 2/Ij),   I = 0.4 m r^2,   r* = 2 ri rj/(ri + rj)
//! ```
//! Friction and rolling share the angular freedom of a grain, hence 1 + 2.5 x 2 = 6.

use crate::solver::dem::contact::scalar::Scalar;
use crate::solver::dem::contact::vector::{cross, dot, scale, sub};

/// The impulses of a contact.
#[derive(Clone, Copy, Debug)]
pub struct Impulse<F> {
    /// Along the normal [N s].
    pub normal: F,
    /// Across it [N s].
    pub tangent: [F; 3],
    /// Against rolling [N m s].
    pub rolling: [F; 3],
}

/// What does not change while a contact is solved.
#[derive(Clone, Copy, Debug)]
pub struct Contact<F> {
    /// From the partner to the grain.
    pub normal: [F; 3],
    /// Least velocity along the normal [m/s]: the gap is closed at most.
    pub least: F,
    /// Mass along the normal \[kg\]; 0 where nothing touches.
    pub mass: F,
    /// Mass across it \[kg\].
    pub tangential_mass: F,
    /// Inertia against rolling [kg m2].
    pub rolling_mass: F,
    /// Coefficient of friction.
    pub friction: F,
    /// Coefficient of rolling friction times the radius that it is for \[m\].
    pub rolling: F,
    /// Impulse of the pull that connects the two [N s].
    pub hold: F,
}

/// Shares of the mass along the normal that friction feels: with rolling friction, with rotation, with neither.
pub const ROLLING_SHARE: f32 = 1.0 / 6.0;
/// See [`ROLLING_SHARE`].
pub const TURNING_SHARE: f32 = 1.0 / 3.5;

/// `a`, not longer than `most`.
#[inline(always)]
pub fn no_longer<F: Scalar>(a: [F; 3], most: F) -> [F; 3] {
    let square = dot(a, a);
    let shrink = (most * most).if_below(square, most / square.root(), F::splat(1.0));
    scale(shrink, a)
}

/// One correction of a contact whose surfaces move by `u` against each other [m/s] and whose grains turn by `turning` against each
/// other [rad/s].
#[inline(always)]
pub fn correct<F: Scalar>(contact: &Contact<F>, u: [F; 3], turning: [F; 3], old: &Impulse<F>) -> Impulse<F> {
    let along = dot(u, contact.normal);
    let normal = (old.normal - contact.mass * (along - contact.least)).at_least(-contact.hold);
    let pressed = normal + contact.hold;
    let across = sub(u, scale(along, contact.normal));
    let tangent = sub(old.tangent, scale(contact.tangential_mass, across));
    let rolling = sub(old.rolling, scale(contact.rolling_mass, turning));
    Impulse {
        normal,
        tangent: no_longer(tangent, contact.friction * pressed),
        rolling: no_longer(rolling, contact.rolling * pressed),
    }
}

/// Velocity of the surfaces of two grains against each other [m/s].
#[inline(always)]
pub fn sliding<F: Scalar>(
    normal: [F; 3],
    velocity: [[F; 3]; 2],
    arm: [F; 2],
    turning: [[F; 3]; 2],
) -> [F; 3] {
    let both: [F; 3] = [
        arm[0] * turning[0][0] + arm[1] * turning[1][0],
        arm[0] * turning[0][1] + arm[1] * turning[1][1],
        arm[0] * turning[0][2] + arm[1] * turning[1][2],
    ];
    sub(sub(velocity[0], velocity[1]), cross(both, normal))
}

/// How far a grain and its partner are pushed apart \[m\] where they overlap, together.
///
/// ```text
/// min(beta (-gap - slop), s h),   beta = 0.2, slop = 0.003 d
/// ```
/// `most` is s h \[m\]: the push never becomes velocity, but it is not faster than one that grains have anyway.
#[inline(always)]
pub fn push<F: Scalar>(gap: F, diameter: F, most: F) -> F {
    let deep = -gap - F::splat(SLOP) * diameter;
    (F::splat(PUSH) * deep).at_most(most).at_least(F::splat(0.0))
}

/// Share of an overlap that is removed in a step.
pub const PUSH: f32 = 0.2;

/// Overlap that stays, in diameters.
const SLOP: f32 = 0.003;

/// Gap up to which grains touch, in diameters.
pub const TOUCH: f32 = 0.01;

/// Gap up to which a pull connects grains that have touched, in diameters.
pub const REACH: f32 = 0.05;
