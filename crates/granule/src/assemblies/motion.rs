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
        let linear = self.momentum.length_squared() / self.properties.mass;
        0.5 * (linear + self.angular_momentum.dot(self.angular_velocity()))
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
        self.orientation = (axes * self.properties.shape_from_principal.conjugate()).normalize();
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
    let turn = |axes: DQuat, axis: usize, time: f64| {
        let along = (axes.conjugate() * angular_momentum)[axis];
        axes * DQuat::from_axis_angle(DVec3::AXES[axis], time * along / inertia[axis])
    };
    let half = 0.5 * dt;
    let middle = turn(turn(turn(axes, 0, half), 1, half), 2, half);
    let end = turn(turn(turn(middle, 2, half), 1, half), 0, half);
    (end.normalize(), angular_velocity(middle, angular_momentum, inertia))
}
