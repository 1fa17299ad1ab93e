//! How a rigid assembly moves: momentum and angular momentum change by forces, the pose follows from them.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::mass::MassProperties;
use crate::position::ExactPosition;

/// A force and its torque about the centre of mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Force \[N\].
    pub force: DVec3,
    /// Torque about the centre of mass [N m].
    pub torque: DVec3,
}

/// A rigid assembly: where it is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assembly {
    /// Identity, never reused within a simulation.
    pub id: u32,
    /// Centre of mass.
    pub position: ExactPosition,
    /// Turns the frame of the shape into the world's.
    pub orientation: DQuat,
    /// Momentum [kg m/s].
    pub momentum: DVec3,
    /// Angular momentum about the centre of mass, in the world's axes [kg m2/s].
    pub angular_momentum: DVec3,
    /// Mass and inertia. Offsets of members are relative to its centre.
    pub properties: MassProperties,
}

impl Assembly {
    /// Velocity of the centre of mass [m/s].
    pub fn velocity(&self) -> DVec3 {
        self.momentum / self.properties.mass
    }

    /// Angular velocity, in the world's axes [rad/s].
    pub fn angular_velocity(&self) -> DVec3 {
        angular_velocity(self.world_from_principal(), self.angular_momentum, self.properties.inertia)
    }

    /// Sets the angular velocity in the world's axes [rad/s].
    pub fn set_angular_velocity(&mut self, angular_velocity: DVec3) {
        let axes = self.world_from_principal();
        self.angular_momentum = axes * (self.properties.inertia * (axes.conjugate() * angular_velocity));
    }

    /// Kinetic energy of motion and rotation [J].
    pub fn kinetic_energy(&self) -> f64 {
        self.kinetic_energy_of(self.angular_velocity())
    }

    /// Kinetic energy of motion and rotation [J], where the angular velocity [rad/s] is known.
    pub fn kinetic_energy_of(&self, angular_velocity: DVec3) -> f64 {
        let linear = self.momentum.length_squared() / self.properties.mass;
        0.5 * (linear + self.angular_momentum.dot(angular_velocity))
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.orientation.is_finite() && self.momentum.is_finite() && self.angular_momentum.is_finite()
    }

    fn world_from_principal(&self) -> DQuat {
        self.orientation * self.properties.shape_from_principal
    }

    /// Lets a load act for `dt` [s].
    ///
    /// ```text
    /// P += dt F,   L += dt T
    /// ```
    pub fn kick(&mut self, load: &Load, dt: f64) {
        self.momentum += dt * load.force;
        self.angular_momentum += dt * load.torque;
    }

    /// Moves freely for `dt` [s]: both momenta stay what they are, to the bit. Returns the angular velocity in the middle
    /// of that time [rad/s], and whether the centre is still in the range of positions.
    pub fn drift(&mut self, dt: f64) -> (DVec3, bool) {
        let inside = self.position.advance_meters(dt * self.velocity());
        let (axes, middle) =
            rotate_freely(self.world_from_principal(), self.angular_momentum, self.properties.inertia, dt);
        self.orientation = axes * self.properties.shape_from_principal.conjugate();
        (middle, inside)
    }
}

/// Angular velocity [rad/s] of an angular momentum in the world's axes.
fn angular_velocity(world_from_principal: DQuat, angular_momentum: DVec3, inertia: DVec3) -> DVec3 {
    world_from_principal * (world_from_principal.conjugate() * angular_momentum / inertia)
}

/// Turns principal axes freely for `dt` \[s\]; also gives the angular velocity in the middle of that time [rad/s].
///
/// ```text
/// H = L_1^2/(2 I_1) + L_2^2/(2 I_2) + L_3^2/(2 I_3)      L_k along the principal axis k
/// R_1(dt/2) R_2(dt/2) R_3(dt) R_2(dt/2) R_1(dt/2)        R_k(t): turn about the axis k by t L_k/I_k
/// ```
/// Each part of the energy alone turns the body about one of its axes, which is solved exactly; their symmetric sequence
/// is symplectic, reversible and of second order \[DLM97\]. The angular momentum in the world's axes does not change in
/// any of them, so it is kept there, and nothing is lost; the energy swings about its value without drift.
pub(super) fn rotate_freely(axes: DQuat, angular_momentum: DVec3, inertia: DVec3, dt: f64) -> (DQuat, DVec3) {
    let half = 0.5 * dt;
    let mut frame = Turning { axes, momentum: axes.conjugate() * angular_momentum };
    frame.turn::<0>(half / inertia.x);
    frame.turn::<1>(half / inertia.y);
    frame.turn::<2>(half / inertia.z);
    let middle = frame;
    frame.turn::<2>(half / inertia.z);
    frame.turn::<1>(half / inertia.y);
    frame.turn::<0>(half / inertia.x);
    (frame.axes.normalize(), middle.axes * (middle.momentum / inertia))
}

/// Principal axes that turn about each other, and an angular momentum that does not, seen from them.
#[derive(Clone, Copy)]
struct Turning {
    axes: DQuat,
    momentum: DVec3,
}

impl Turning {
    /// Turns the axes about one of them, by the momentum along it times `rate`.
    #[inline(always)]
    fn turn<const AXIS: usize>(&mut self, rate: f64) {
        let (a, b, c) = (AXIS, (AXIS + 1) % 3, (AXIS + 2) % 3);
        let (s, w) = half_sine_and_cosine(rate * self.momentum[a]);
        let q = self.axes.to_array();
        let mut turned = q;
        turned[3] = q[3] * w - q[a] * s;
        turned[a] = q[a] * w + q[3] * s;
        turned[b] = q[b] * w + q[c] * s;
        turned[c] = q[c] * w - q[b] * s;
        self.axes = DQuat::from_array(turned);
        let (sine, cosine) = (2.0 * s * w, w * w - s * s);
        let [lb, lc] = [self.momentum[b], self.momentum[c]];
        self.momentum[b] = lb * cosine + lc * sine;
        self.momentum[c] = lc * cosine - lb * sine;
    }
}

/// Sine and cosine of half an angle; by their series where it is small, as it is in a step.
#[inline]
fn half_sine_and_cosine(angle: f64) -> (f64, f64) {
    /// Up to here the first terms left out, x^11/11! and x^10/10!, are below a tenth of the last bit.
    const SMALL: f64 = 0.05;
    const SINE: [f64; 4] = [-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0];
    const COSINE: [f64; 4] = [-1.0 / 2.0, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0];
    let x = 0.5 * angle;
    if x.abs() < SMALL {
        let y = x * x;
        let sine = x * (1.0 + y * (SINE[0] + y * (SINE[1] + y * (SINE[2] + y * SINE[3]))));
        let cosine = 1.0 + y * (COSINE[0] + y * (COSINE[1] + y * (COSINE[2] + y * COSINE[3])));
        return (sine, cosine);
    }
    let turn = DQuat::from_rotation_x(angle);
    (turn.x, turn.w)
}
