//! Rigid grains of the reference: as LAMMPS moves them, and as the engine's assemblies do.

use glam::{DMat3, DQuat, DVec3};

use super::file::OracleClump;
use crate::assemblies::{Assembly, Load, MassError, MassProperties};
use crate::position::ExactPosition;

/// How a rigid grain moves.
pub trait RigidMotion {
    /// At the start of an oracle, with the axes of space.
    fn new(clump: &OracleClump) -> Self;

    /// Lets a force \[N\] and its torque about the centre [N m] act for `dt` \[s\].
    fn kick(&mut self, force: DVec3, torque: DVec3, dt: f64);

    /// Moves freely for `dt` \[s\], and gives the angular velocity in the middle of that time [rad/s].
    fn drift(&mut self, dt: f64) -> DVec3;

    /// Centre of mass \[m\].
    fn center(&self) -> DVec3;

    /// Turns the axes of the start into those of now.
    fn orientation(&self) -> DQuat;

    /// Velocity of the centre [m/s].
    fn velocity(&self) -> DVec3;

    /// Angular velocity now [rad/s].
    fn angular_velocity(&self) -> DVec3;
}

impl OracleClump {
    /// Its inertia as a matrix [kg m2].
    fn tensor(&self) -> DMat3 {
        let [xx, yy, zz, xy, xz, yz] = self.inertia;
        DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz])
    }

    /// Its mass properties; none that a body could have are refused.
    pub fn properties(&self) -> Result<MassProperties, MassError> {
        MassProperties::new(self.mass, DVec3::ZERO, self.tensor())
    }
}

/// A rigid grain as LAMMPS moves it (`fix rigid/small`), in double precision.
#[derive(Clone, Copy, Debug)]
pub struct Richardson {
    center: DVec3,
    orientation: DQuat,
    velocity: DVec3,
    angular_momentum: DVec3,
    mass: f64,
    /// Inverse inertia in the axes of the grain, which at the start are those of space.
    inverse_inertia: DMat3,
}

impl Richardson {
    fn angular_velocity_at(&self, orientation: DQuat) -> DVec3 {
        orientation * (self.inverse_inertia * (orientation.conjugate() * self.angular_momentum))
    }
}

impl RigidMotion for Richardson {
    fn new(clump: &OracleClump) -> Self {
        Self {
            center: clump.com.into(),
            orientation: DQuat::IDENTITY,
            velocity: clump.vcm.into(),
            angular_momentum: clump.angmom.into(),
            mass: clump.mass,
            inverse_inertia: clump.tensor().inverse(),
        }
    }

    fn kick(&mut self, force: DVec3, torque: DVec3, dt: f64) {
        self.velocity += dt / self.mass * force;
        self.angular_momentum += dt * torque;
    }

    /// Richardson's extrapolation of one step and of two halves.
    ///
    /// ```text
    /// q_f = norm(q + dt/2 w q),  q_h = norm(q + dt/4 w q),  w' = w(L, q_h),  q_h <- norm(q_h + dt/4 w' q_h)
    /// q <- norm(2 q_h - q_f)
    /// ```
    fn drift(&mut self, dt: f64) -> DVec3 {
        self.center += dt * self.velocity;
        let turned = |q: DQuat, omega: DVec3, time: f64| {
            let rate = DQuat::from_xyzw(omega.x, omega.y, omega.z, 0.0) * q;
            (q + rate * (0.5 * time)).normalize()
        };
        let omega = self.angular_velocity_at(self.orientation);
        let whole = turned(self.orientation, omega, dt);
        let half = turned(self.orientation, omega, 0.5 * dt);
        let middle = self.angular_velocity_at(half);
        let half = turned(half, middle, 0.5 * dt);
        self.orientation = (half * 2.0 - whole).normalize();
        middle
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn orientation(&self) -> DQuat {
        self.orientation
    }

    fn velocity(&self) -> DVec3 {
        self.velocity
    }

    fn angular_velocity(&self) -> DVec3 {
        self.angular_velocity_at(self.orientation)
    }
}

/// The engine's rigid assemblies: another scheme of second order.
impl RigidMotion for Assembly {
    fn new(clump: &OracleClump) -> Self {
        let properties = clump.properties().expect("a file with an impossible inertia is not read");
        Self {
            id: 0,
            position: ExactPosition::from_meters(clump.com.into()).unwrap_or_default(),
            orientation: DQuat::IDENTITY,
            momentum: clump.mass * DVec3::from(clump.vcm),
            angular_momentum: clump.angmom.into(),
            properties,
        }
    }

    fn kick(&mut self, force: DVec3, torque: DVec3, dt: f64) {
        Assembly::kick(self, &Load { force, torque }, dt);
    }

    fn drift(&mut self, dt: f64) -> DVec3 {
        Assembly::drift(self, dt).0
    }

    fn center(&self) -> DVec3 {
        self.position.to_meters()
    }

    fn orientation(&self) -> DQuat {
        self.orientation
    }

    fn velocity(&self) -> DVec3 {
        Assembly::velocity(self)
    }

    fn angular_velocity(&self) -> DVec3 {
        Assembly::angular_velocity(self)
    }
}
