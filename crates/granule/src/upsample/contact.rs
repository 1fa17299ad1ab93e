//! Grains and walls: a grain's way is swept against the moving walls, and what would lead into one slides along it.
//!
//! A way is seen from the wall, from where the grain is in the wall's pose at the frame's start to where it would be in
//! that at its end, so that a tool moving fast past a resting grain is met as surely as a wall that a grain flies at.

use glam::Vec3;

use crate::boundary::{Pose, Sdf};

/// Slides along walls within one way; what is left then is given up.
const SLIDES: usize = 4;
/// Steps of a march along a way.
const MARCHES: usize = 48;
/// A grain touches a wall when it is nearer than this many radii more than its own.
const TOUCH: f32 = 0.02;
/// Corrections after the last slide, in corners.
const CORRECTIONS: usize = 4;

/// A wall during a frame.
#[derive(Clone, Debug)]
pub struct Wall {
    /// The solid in its own frame.
    pub sdf: Sdf,
    /// Coefficient of friction; `None` is that of the grain's material.
    pub friction: Option<f32>,
    /// Where it is at the frame's start.
    pub start: Pose,
    /// Where it is at the frame's end.
    pub end: Pose,
}

/// What a grain does in a frame, as far as walls matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Place at the frame's start [m].
    pub from: Vec3,
    /// Place at its end [m].
    pub to: Vec3,
    /// Velocity at its end [m/s].
    pub velocity: Vec3,
    /// Share of the motion that is the grain's own; guides have felt friction already.
    pub own: f32,
}

impl Wall {
    /// Signed distance of a point [m] from where the wall is at the frame's end.
    pub fn distance(&self, x: Vec3) -> f32 {
        self.sdf.distance(self.end.body_from_world(x))
    }

    /// Signed distance of a point [m] from where the wall is at the frame's start.
    pub fn start_distance(&self, x: Vec3) -> f32 {
        self.sdf.distance(self.start.body_from_world(x))
    }

    /// Whether no way of at most `reach` [m] from within `radius` [m] of `center`, which has a `distance` [m] at the
    /// start, can meet the wall.
    pub fn is_far(&self, distance: f32, center: Vec3, radius: f32, reach: f32) -> bool {
        if self.start == self.end {
            return distance > radius + reach;
        }
        let (start, end) = (self.start.body_from_world(center), self.end.body_from_world(center));
        let turned = self.start.rotation.angle_between(self.end.rotation);
        let moved = start.distance(end) + turned * radius;
        distance > radius + reach + moved
    }

    /// The motion of a grain of a radius [m] that this wall allows; tells whether the grain touches it. `dt` [s] is the
    /// frame's length, `friction` the material's own coefficient.
    pub fn restrict(&self, motion: &mut Motion, radius: f32, dt: f32, friction: f32) -> bool {
        let from = self.start.body_from_world(motion.from);
        let to = self.end.body_from_world(motion.to);
        if self.sdf.distance(from) > from.distance(to) + radius * (1.0 + TOUCH) {
            return false;
        }
        let friction = self.friction.unwrap_or(friction) * motion.own;
        let (mut place, mut normal) = self.slide(from, to, radius, friction);
        self.push_out(&mut place, &mut normal, radius);
        let Some(normal) = normal else { return false };
        motion.to = self.end.world_from_body(place);
        let wall = (motion.to - self.start.world_from_body(place)) / dt;
        motion.velocity = wall + after_contact(motion.velocity - wall, self.end.rotation * normal, friction);
        true
    }

    /// Goes from a place towards another in the wall's frame; along the wall where it is in the way. Gives where that
    /// leads, and the normal of the last contact.
    fn slide(&self, from: Vec3, to: Vec3, radius: f32, friction: f32) -> (Vec3, Option<Vec3>) {
        let (mut place, mut rest, mut contact) = (from, to - from, None);
        for _ in 0..SLIDES {
            let length = rest.length();
            if length <= 1e-4 * radius {
                return (place + rest, contact);
            }
            let direction = rest / length;
            let (at, normal) = self.march(place, direction, length, radius);
            place += direction * at;
            let Some(normal) = normal else { return (place, contact) };
            contact = Some(normal);
            let left = direction * (length - at);
            rest = after_contact(left, normal, friction);
        }
        (place, contact)
    }

    /// How far a grain gets along a direction, at most `length` [m], and the normal of the wall that ends its way.
    fn march(&self, place: Vec3, direction: Vec3, length: f32, radius: f32) -> (f32, Option<Vec3>) {
        let mut at = 0.0;
        for _ in 0..MARCHES {
            let x = place + direction * at;
            let gap = self.sdf.distance(x) - radius;
            let step = if gap < TOUCH * radius {
                let normal = self.sdf.nearest(x).normal;
                if direction.dot(normal) < 0.0 {
                    return (at, Some(normal));
                }
                gap.abs().max(0.25 * radius)
            } else {
                gap
            };
            at += step;
            if at >= length {
                return (length, None);
            }
        }
        (at, None)
    }

    /// Moves a place out of the wall.
    fn push_out(&self, place: &mut Vec3, normal: &mut Option<Vec3>, radius: f32) {
        for _ in 0..CORRECTIONS {
            let surface = self.sdf.nearest(*place);
            if surface.distance >= radius * (1.0 - 1e-3) {
                return;
            }
            *place += surface.normal * (radius - surface.distance);
            *normal = Some(surface.normal);
        }
    }
}

/// A velocity, or a way, after a contact that does not give back: what leads into the wall is gone, and friction takes
/// as much from the rest as Coulomb allows.
pub fn after_contact(velocity: Vec3, normal: Vec3, friction: f32) -> Vec3 {
    let into = velocity.dot(normal);
    if into >= 0.0 {
        return velocity;
    }
    let along = velocity - normal * into;
    let speed = along.length();
    let lost = friction * -into;
    if speed <= lost { Vec3::ZERO } else { along * (1.0 - lost / speed) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Shape;
    use glam::Quat;

    const RADIUS: f32 = 0.01;

    fn wall(shape: Shape) -> Wall {
        let sdf = Sdf::new(&shape).unwrap();
        Wall { sdf, friction: Some(0.5), start: Pose::IDENTITY, end: Pose::IDENTITY }
    }

    fn floor() -> Wall {
        wall(Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] })
    }

    fn plate() -> Wall {
        wall(Shape::Box { min: [-0.01, -1.0, -1.0], max: [0.01, 1.0, 1.0], hollow: false })
    }

    fn flying(from: Vec3, to: Vec3) -> Motion {
        Motion { from, to, velocity: (to - from) / 0.02, own: 1.0 }
    }

    #[test]
    fn a_grain_that_flies_at_a_thin_plate_stays_before_it() {
        let mut motion = flying(Vec3::new(-0.5, 0.0, 0.0), Vec3::new(0.5, 0.0, 0.0));
        plate().restrict(&mut motion, RADIUS, 0.02, 0.5);
        assert!((motion.to.x + 0.02).abs() < 0.05 * RADIUS, "{}", motion.to);
        assert!(motion.velocity.x.abs() < 1e-4);
    }

    #[test]
    fn a_fast_tool_takes_a_resting_grain_along() {
        let mut tool = plate();
        tool.end.translation = Vec3::new(0.6, 0.0, 0.0);
        let place = Vec3::new(0.3, 0.2, 0.0);
        let mut motion = Motion { from: place, to: place, velocity: Vec3::ZERO, own: 1.0 };
        tool.restrict(&mut motion, RADIUS, 0.02, 0.5);
        assert!((motion.to.x - 0.62).abs() < 0.05 * RADIUS, "{}", motion.to);
        assert!((motion.velocity.x - 30.0).abs() < 0.1, "{}", motion.velocity);
        // Pulled back, it leaves the grain where it is: nothing sticks.
        let mut away = plate();
        away.end.translation = Vec3::new(-0.6, 0.0, 0.0);
        let place = Vec3::new(0.0201, 0.2, 0.0);
        let mut motion = Motion { from: place, to: place, velocity: Vec3::ZERO, own: 1.0 };
        away.restrict(&mut motion, RADIUS, 0.02, 0.5);
        assert_eq!((motion.to, motion.velocity), (place, Vec3::ZERO));
    }

    #[test]
    fn a_turning_blade_takes_a_grain_along() {
        let mut blade = wall(Shape::Box { min: [0.0, -0.1, -0.01], max: [1.0, 0.1, 0.01], hollow: false });
        blade.end.rotation = Quat::from_rotation_y(-0.5);
        let place = Vec3::new(0.6, 0.0, 0.1);
        let mut motion = Motion { from: place, to: place, velocity: Vec3::ZERO, own: 1.0 };
        blade.restrict(&mut motion, RADIUS, 0.02, 0.5);
        assert!(blade.distance(motion.to) > 0.99 * RADIUS && motion.to.z > 0.2, "{}", motion.to);
    }

    #[test]
    fn friction_stops_a_slow_grain_and_slows_a_fast_one() {
        let slow = after_contact(Vec3::new(0.1, -1.0, 0.0), Vec3::Y, 0.5);
        let fast = after_contact(Vec3::new(3.0, -1.0, 0.0), Vec3::Y, 0.5);
        assert_eq!(slow, Vec3::ZERO);
        assert!((fast - Vec3::new(2.5, 0.0, 0.0)).length() < 1e-6);
        assert_eq!(after_contact(Vec3::Y, Vec3::Y, 0.5), Vec3::Y);
    }

    #[test]
    fn a_guided_grain_slides_without_friction_of_its_own() {
        let mut motion = Motion { own: 0.0, ..flying(Vec3::new(0.0, 0.01, 0.0), Vec3::new(0.1, -0.01, 0.0)) };
        floor().restrict(&mut motion, RADIUS, 0.02, 0.5);
        assert!((motion.to.x - 0.1).abs() < 1e-4 && (motion.to.y - 0.01).abs() < 1e-4, "{}", motion.to);
        assert!((motion.velocity.x - 5.0).abs() < 1e-3);
    }

    #[test]
    fn a_grain_in_a_corner_ends_outside_both_walls() {
        let hollow = wall(Shape::Box { min: [0.0; 3], max: [1.0; 3], hollow: true });
        let mut motion = flying(Vec3::splat(0.1), Vec3::splat(-0.5));
        hollow.restrict(&mut motion, RADIUS, 0.02, 0.0);
        assert!(hollow.distance(motion.to) > 0.97 * RADIUS, "{}", motion.to);
    }

    #[test]
    fn far_walls_are_skipped_and_near_ones_are_not() {
        let mut tool = plate();
        let place = Vec3::new(0.5, 0.0, 0.0);
        let is_far = |tool: &Wall| tool.is_far(tool.start_distance(place), place, 0.1, 0.1);
        assert!(is_far(&tool));
        tool.end.translation = Vec3::new(0.4, 0.0, 0.0);
        assert!(!is_far(&tool));
    }
}
