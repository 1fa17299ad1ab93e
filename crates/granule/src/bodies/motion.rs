//! How a body moves while a solver finds the forces on it.

use std::ops::AddAssign;

use glam::{DVec3, Mat3, Vec3};

use super::report::BodyReport;
use crate::boundary::Boundary;

/// A force and its torque about the centre of mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force \[N\].
    pub force: DVec3,
    /// Torque [N m].
    pub torque: DVec3,
}

impl AddAssign for Wrench {
    fn add_assign(&mut self, other: Self) {
        self.force += other.force;
        self.torque += other.torque;
    }
}

/// A body as contacts see it: where it turns about, how fast it is, how easily it gives way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMotion {
    /// Centre of mass \[m\]; the pivot for bodies that do not move freely.
    pub center: Vec3,
    /// Velocity of the centre [m/s].
    pub linear: Vec3,
    /// Angular velocity [rad/s].
    pub angular: Vec3,
    /// 1 / mass [1/kg]; 0 for bodies that do not move freely.
    pub inverse_mass: f32,
    /// Inverse of the inertia tensor in the world's axes [1/(kg m2)].
    pub inverse_inertia: Mat3,
}

impl Default for BodyMotion {
    /// At rest, giving way to nothing.
    fn default() -> Self {
        Self {
            center: Vec3::ZERO,
            linear: Vec3::ZERO,
            angular: Vec3::ZERO,
            inverse_mass: 0.0,
            inverse_inertia: Mat3::ZERO,
        }
    }
}

impl BodyMotion {
    /// How a boundary moves, as a body that does not give way.
    pub fn of_boundary(boundary: &Boundary) -> Self {
        Self {
            center: boundary.pivot(),
            linear: boundary.linear_velocity(),
            angular: boundary.angular_velocity(),
            ..Self::default()
        }
    }

    /// Velocity of the point `x` [m] as part of the body [m/s].
    #[inline]
    pub fn velocity_at(&self, x: Vec3) -> Vec3 {
        self.linear + self.angular.cross(x - self.center)
    }

    /// The motion after forces have acted for `dt` [s].
    pub fn pushed(&self, wrench: &Wrench, dt: f32) -> Self {
        Self {
            linear: self.linear + dt * self.inverse_mass * wrench.force.as_vec3(),
            angular: self.angular + dt * (self.inverse_inertia * wrench.torque.as_vec3()),
            ..*self
        }
    }

    /// Acceleration of the point `x` along `direction` (a unit vector) per force along it there [1/kg].
    ///
    /// ```text
    /// 1/M + (r x n) . I^-1 (r x n),   r = x - center
    /// ```
    pub fn response_along(&self, x: Vec3, direction: Vec3) -> f32 {
        let arm = (x - self.center).cross(direction);
        self.inverse_mass + arm.dot(self.inverse_inertia * arm)
    }

    /// An upper bound of [`response_along`](Self::response_along) over all directions [1/kg]: the trace of its matrix
    /// takes the place of the largest eigenvalue.
    pub fn largest_response(&self, x: Vec3) -> f32 {
        let turning: f32 = Vec3::AXES.into_iter().map(|axis| self.response_along(x, axis)).sum();
        turning - 2.0 * self.inverse_mass
    }
}

/// Forces on bodies, averaged over the steps between two frames.
#[derive(Clone, Debug, Default)]
pub struct MeanLoads {
    impulse: Vec<Wrench>,
    seconds: f64,
    mean: Vec<Wrench>,
}

impl MeanLoads {
    /// Counts the forces of a step of `dt` [s].
    pub fn add(&mut self, bodies: &[BodyReport], dt: f64) {
        self.impulse.resize(bodies.len(), Wrench::default());
        for (sum, body) in self.impulse.iter_mut().zip(bodies) {
            *sum += Wrench { force: dt * body.force.as_dvec3(), torque: dt * body.torque.as_dvec3() };
        }
        self.seconds += dt;
    }

    /// Ends a frame: its mean is what [`write_into`](Self::write_into) gives until the next one ends.
    pub fn end_frame(&mut self) {
        let mean =
            |sum: &Wrench| Wrench { force: sum.force / self.seconds, torque: sum.torque / self.seconds };
        self.mean = if self.seconds > 0.0 { self.impulse.iter().map(mean).collect() } else { Vec::new() };
        self.impulse.clear();
        self.seconds = 0.0;
    }

    /// Puts the last frame's mean forces into reports.
    pub fn write_into(&self, bodies: &mut [BodyReport]) {
        for (body, mean) in bodies.iter_mut().zip(&self.mean) {
            body.force = mean.force.as_vec3();
            body.torque = mean.torque.as_vec3();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball() -> BodyMotion {
        BodyMotion {
            center: Vec3::new(1.0, 0.0, 0.0),
            linear: Vec3::ZERO,
            angular: Vec3::ZERO,
            inverse_mass: 0.5,
            inverse_inertia: Mat3::from_diagonal(Vec3::splat(2.0)),
        }
    }

    #[test]
    fn a_push_moves_the_pushed_point_as_its_response_says() {
        let (x, n) = (Vec3::new(1.0, 0.3, -0.2), Vec3::new(0.6, 0.0, 0.8));
        let force = 3.0 * n;
        let wrench = Wrench { force: force.as_dvec3(), torque: (x - ball().center).cross(force).as_dvec3() };
        let pushed = ball().pushed(&wrench, 0.01);
        let along = pushed.velocity_at(x).dot(n);
        assert!((along - 0.01 * 3.0 * ball().response_along(x, n)).abs() < 1e-7);
        assert!(ball().response_along(x, n) <= ball().largest_response(x));
    }

    #[test]
    fn a_kinematic_body_gives_way_to_nothing() {
        let wrench = Wrench { force: DVec3::ONE, torque: DVec3::ONE };
        assert_eq!(BodyMotion::default().pushed(&wrench, 1.0), BodyMotion::default());
        assert_eq!(BodyMotion::default().response_along(Vec3::ONE, Vec3::X), 0.0);
    }
}
