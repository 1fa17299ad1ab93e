//! Free bodies of solvers with thousands of steps per frame: they move under the forces of grains at every step, by
//! velocity Verlet in double precision, and rapier is asked at intervals only what contacts among bodies and joints do.
//!
//! ```text
//! every step:  P, L += dt/2;  x, q drift;  forces of grains;  P, L += dt/2
//! a visit:     rapier moves each body from where it was at the last visit, with the velocity that it has now and without
//!              forces; by how much that ends elsewhere than such a velocity leads to is what the other bodies did
//! ```
//! A body that touches no other is not changed by a visit, to the bit.

use glam::{DQuat, DVec3, Quat, Vec3};
use rapier3d::prelude::RigidBody;
use serde::{Deserialize, Serialize};

use super::motion::{BodyMotion, Wrench};
use super::world::{Bodies, motion_of, rapier_pose};
use crate::assemblies::{Assembly, Load, MassProperties};
use crate::boundary::{Boundaries, Pose};
use crate::position::ExactPosition;
use crate::scene::BodyKind;

/// A free body between visits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Flight {
    pub(super) body: Assembly,
    /// Force and torque of grains and gravity at the last step.
    force: DVec3,
    torque: DVec3,
}

impl Flight {
    /// A body as rapier has it; none where it has no inertia.
    pub(super) fn of(rapier: &RigidBody) -> Option<Self> {
        let known = &rapier.mass_properties().local_mprops;
        let inertia = known.principal_inertia().as_dvec3();
        let mut position = ExactPosition::default();
        position.advance_meters(rapier.center_of_mass().as_dvec3()).then_some(())?;
        let sound = known.inv_mass > 0.0 && inertia.cmpgt(DVec3::ZERO).all();
        let mut body = Assembly {
            id: 0,
            position,
            orientation: rapier.rotation().as_dquat().normalize(),
            momentum: DVec3::ZERO,
            angular_momentum: DVec3::ZERO,
            properties: MassProperties {
                mass: f64::from(known.mass()),
                center: known.local_com.as_dvec3(),
                inertia,
                shape_from_principal: known.principal_inertia_local_frame.as_dquat().normalize(),
            },
        };
        set_motion(&mut body, rapier.linvel().as_dvec3(), rapier.angvel().as_dvec3());
        sound.then_some(Self { body, force: DVec3::ZERO, torque: DVec3::ZERO })
    }

    fn kick(&mut self, dt: f64) {
        self.body.kick(&Load { force: self.force, torque: self.torque }, dt);
    }

    fn center(&self) -> DVec3 {
        self.body.position.to_meters()
    }

    fn translation(&self) -> DVec3 {
        self.center() - self.body.orientation * self.body.properties.center
    }

    pub(super) fn pose(&self) -> Pose {
        Pose { rotation: self.body.orientation.as_quat(), translation: self.translation().as_vec3() }
    }

    pub(super) fn motion(&self, rapier: &RigidBody) -> BodyMotion {
        BodyMotion {
            center: self.center().as_vec3(),
            linear: self.body.velocity().as_vec3(),
            angular: self.body.angular_velocity().as_vec3(),
            ..motion_of(rapier)
        }
    }

    /// Takes over a velocity [m/s] and an angular velocity [rad/s].
    pub(super) fn set_velocities(&mut self, linear: Vec3, angular: Vec3) {
        set_motion(&mut self.body, linear.as_dvec3(), angular.as_dvec3());
    }

    /// Puts the boundary of a body where it is; the angular velocity [rad/s] is that of the middle of a step, or of now.
    pub(super) fn place(&self, boundary: usize, angular: DVec3, boundaries: &mut Boundaries) {
        let exact = (self.body.orientation, self.translation());
        let (center, linear) = (self.center().as_vec3(), self.body.velocity().as_vec3());
        boundaries.place_exactly(boundary, exact, center, linear, angular.as_vec3());
    }

    pub(super) fn is_finite(&self) -> bool {
        self.body.is_finite() && self.force.is_finite() && self.torque.is_finite()
    }
}

fn set_motion(body: &mut Assembly, linear: DVec3, angular: DVec3) {
    body.momentum = body.properties.mass * linear;
    body.set_angular_velocity(angular);
}

impl Bodies {
    /// The first half kick of free bodies, and their drift.
    pub fn kick_and_drift(&mut self, dt: f64, boundaries: &mut Boundaries) {
        self.take_off();
        for body in &mut self.list {
            let Some(flight) = body.flight.as_mut() else { continue };
            flight.kick(0.5 * dt);
            // A body beyond the range of positions stays there; the grains that it carries are found by theirs.
            let (middle, _) = flight.body.drift(dt);
            flight.place(body.boundary, middle, boundaries);
        }
    }

    /// The second half kick: of the forces of grains that are found now, and of gravity [m/s2].
    pub fn kick(&mut self, dt: f64, gravity: Vec3, loads: &[Wrench], boundaries: &mut Boundaries) {
        self.take_off();
        for (body, load) in self.list.iter_mut().zip(loads) {
            body.load = *load;
            let Some(flight) = body.flight.as_mut() else { continue };
            flight.force = load.force + flight.body.properties.mass * gravity.as_dvec3();
            flight.torque = load.torque;
            flight.kick(0.5 * dt);
            flight.place(body.boundary, flight.body.angular_velocity(), boundaries);
        }
    }

    /// Lets rapier find what contacts among bodies and walls, and joints, do in `dt` [s]: the time since the last visit.
    pub fn visit(&mut self, dt: f64, boundaries: &mut Boundaries) {
        if !self.any_free() || dt <= 0.0 {
            return;
        }
        self.take_off();
        for body in &self.list {
            let Some(flight) = body.flight.as_ref() else { continue };
            if let Some(rapier) = self.world.bodies.get_mut(body.handle) {
                rapier.set_linvel(flight.body.velocity().as_vec3(), true);
                rapier.set_angvel(flight.body.angular_velocity().as_vec3(), true);
            }
        }
        let starts: Vec<Option<RigidBody>> =
            self.list.iter().map(|body| self.world.bodies.get(body.handle).cloned()).collect();
        self.lead(dt as f32, boundaries);
        self.world.gravity = Vec3::ZERO;
        self.world.integration_parameters.dt = dt as f32;
        self.world.step();
        for (body, start) in self.list.iter_mut().zip(starts) {
            let (Some(flight), Some(start)) = (body.flight.as_mut(), start) else { continue };
            let Some(rapier) = self.world.bodies.get_mut(body.handle) else { continue };
            if (rapier.linvel(), rapier.angvel()) != (start.linvel(), start.angvel()) {
                correct(flight, &start, rapier, dt);
                flight.place(body.boundary, flight.body.angular_velocity(), boundaries);
            }
            rapier.set_position(rapier_pose(&flight.pose()), true);
            rapier.set_linvel(flight.body.velocity().as_vec3(), true);
            rapier.set_angvel(flight.body.angular_velocity().as_vec3(), true);
        }
    }

    /// Free bodies between visits, for solvers that move them on a device; none for the others.
    pub fn assemblies(&mut self) -> Vec<Option<Assembly>> {
        self.take_off();
        self.list.iter().map(|body| body.flight.as_ref().map(|flight| flight.body)).collect()
    }

    /// Forces of grains at the last step.
    pub fn loads(&self) -> Vec<Wrench> {
        self.list.iter().map(|body| body.load).collect()
    }

    /// Takes over where a device has moved free bodies, and the forces of grains at its last step, under gravity [m/s2].
    pub fn take_back(
        &mut self,
        moved: &[Option<Assembly>],
        loads: &[Wrench],
        gravity: Vec3,
        boundaries: &mut Boundaries,
    ) {
        for ((body, moved), load) in self.list.iter_mut().zip(moved).zip(loads) {
            body.load = *load;
            let (Some(flight), Some(moved)) = (body.flight.as_mut(), moved) else { continue };
            flight.body = *moved;
            flight.force = load.force + flight.body.properties.mass * gravity.as_dvec3();
            flight.torque = load.torque;
            flight.place(body.boundary, flight.body.angular_velocity(), boundaries);
        }
    }

    /// Makes flights of free bodies that have none yet.
    fn take_off(&mut self) {
        for body in
            self.list.iter_mut().filter(|body| body.kind == BodyKind::Dynamic && body.flight.is_none())
        {
            let Some(rapier) = self.world.bodies.get_mut(body.handle) else { continue };
            // The flight turns by its angular momentum.
            rapier.enable_gyroscopic_forces(false);
            body.flight = Flight::of(rapier);
        }
    }
}

/// Adds to a flight what other bodies did: by how much rapier's step ended elsewhere than the velocity it began with leads to.
fn correct(flight: &mut Flight, start: &RigidBody, end: &RigidBody, dt: f64) {
    let wide = |v: Vec3| v.as_dvec3();
    let linear = flight.body.velocity() + wide(end.linvel() - start.linvel());
    let angular = flight.body.angular_velocity() + wide(end.angvel() - start.angvel());
    let way = wide(end.center_of_mass() - start.center_of_mass()) - dt * wide(start.linvel());
    // Rapier's positions are within the range of exact ones, as the body's was.
    let _ = flight.body.position.advance_meters(way);
    let wide = |q: &Quat| q.as_dquat().normalize();
    let turned = wide(end.rotation()) * wide(start.rotation()).conjugate();
    let free = DQuat::from_scaled_axis(dt * start.angvel().as_dvec3());
    flight.body.orientation = (turned * free.conjugate() * flight.body.orientation).normalize();
    set_motion(&mut flight.body, linear, angular);
}
