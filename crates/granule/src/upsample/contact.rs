//! Continuous collision of grains with walls: a grain is swept along its displacement against the moving walls by sphere
//! tracing \[Har96\], and what would lead into one slides along it.
//!
//! A displacement is taken in the wall's frame, from where the grain is in the wall's pose at the frame's start to where it would be in
//! that at its end, so that a tool moving fast past a resting grain is met as surely as a wall that a grain flies at.

use glam::Vec3;

use crate::boundary::{Parts, Pose, Sdf};

/// Most steps of a sweep; what is left then is given up. A choice: 48 radii along a wall use them up; giving up
/// loses motion, but lets no grain through.
pub const STEPS: usize = 64;
/// Most contacts of a sweep; what is left then is given up. A choice: a corner of three walls has three, and one to spare.
pub const CONTACTS: usize = 4;
/// Gap below which a grain touches a wall, in its radii. A choice: far above the rounding of positions (1e-7 of a metre is
/// 1e-4 radii of a millimetre grain), far below what is seen.
pub const TOUCH: f32 = 0.02;
/// Step of a grain that touches a wall and slides along it, in radii. Below 1, so that no plate is thin enough to be stepped
/// through (test of the thinnest plate); longer steps were faster (walls in the advection of `hourglass` 25 to 18 ms,
/// docs/performance.md).
pub const ALONG: f32 = 0.75;
/// Shortest step of a grain that does not touch a wall yet, in radii: it may come so much too near before it does, and is
/// pushed out again. A choice between steps and depth.
pub const AHEAD: f32 = 0.25;
/// Part of a displacement that leads into a wall, above which it is a contact. Above rounding: without it sliding grains of
/// `dumptruck` were stopped by contacts that were none and crept by 0.68 r_LR in 10 s instead of 0.013 (docs/validation.md).
pub const INTO: f32 = 1e-4;
/// How deep a grain may be in a wall, in its radii: a hundredth of what counts as penetration (0.1 r_HR, docs/validation.md).
/// A choice; less would correct rounding errors.
pub const SUNK: f32 = 1e-3;
/// Most corrections after the last contact, in corners. A choice: one per wall of a corner and one to spare.
pub const CORRECTIONS: usize = 4;

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
    /// Position at the frame's start \[m\].
    pub from: Vec3,
    /// Position at its end \[m\].
    pub to: Vec3,
    /// Velocity at its end [m/s].
    pub velocity: Vec3,
    /// Share of the motion that is the grain's own flight; guides have felt friction already.
    pub flight_share: f32,
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

    /// Whether no displacement of at most `reach` [m] from within `radius` [m] of `center`, which has a `distance` [m] at the
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

    /// The parts that decide about paths that stay within `radius` [m] of `center`.
    pub fn parts_within(&self, center: Vec3, radius: f32) -> Parts {
        if self.start != self.end {
            return Parts::ALL;
        }
        self.sdf.parts_within(self.start.body_from_world(center), radius)
    }

    /// The motion of a grain that this wall, as far as the chosen parts of it go, allows; tells whether the wall changed
    /// it. Where it is known to block the path, the distance of the path's start is `blocked` [m].
    pub fn restrict(&self, motion: &mut Motion, grain: &Contact, parts: Parts, blocked: Option<f32>) -> bool {
        let from = self.start.body_from_world(motion.from);
        let to = self.end.body_from_world(motion.to);
        let friction = self.friction.unwrap_or(grain.friction) * motion.flight_share;
        let swept = SweptGrain { sdf: &self.sdf, parts, radius: grain.radius, friction };
        let distance = blocked.unwrap_or_else(|| self.sdf.distance_by(from, parts));
        if blocked.is_none() && swept.is_free(from, to, distance) {
            return false;
        }
        let Some((position, normal)) = swept.sweep(from, to, distance) else { return false };
        motion.to = self.end.world_from_body(position);
        let wall = (motion.to - self.start.world_from_body(position)) / grain.dt;
        motion.velocity = wall + after_contact(motion.velocity - wall, self.end.rotation * normal, friction);
        true
    }
}

/// What walls must know of a grain.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// Its radius \[m\].
    pub radius: f32,
    /// Its material's coefficient of friction.
    pub friction: f32,
    /// Length of the frame \[s\].
    pub dt: f32,
}

/// A grain swept past a wall, in the wall's frame.
struct SweptGrain<'a> {
    sdf: &'a Sdf,
    parts: Parts,
    radius: f32,
    friction: f32,
}

impl SweptGrain<'_> {
    /// Whether the wall leaves the path from a position at a distance [m] to another free: sphere tracing finds no position
    /// on it in the wall, in steps as long as the gap there, or as those along a wall.
    fn is_free(&self, from: Vec3, to: Vec3, distance: f32) -> bool {
        let displacement = to - from;
        let length = displacement.length();
        let (mut at, mut gap) = (0.0, distance - self.radius);
        for _ in 0..STEPS {
            if gap < -SUNK * self.radius {
                return false;
            }
            if length - at <= gap.max(0.0) {
                return true;
            }
            at = (at + gap.max(ALONG * self.radius)).min(length);
            gap = self.sdf.distance_by(from + displacement * (at / length), self.parts) - self.radius;
        }
        false
    }

    /// Sweeps from a position at a distance [m] towards another, and slides along the wall where it blocks the path. Gives
    /// where that leads and the normal of the last contact; nothing where the wall leaves the path free.
    fn sweep(&self, from: Vec3, to: Vec3, distance: f32) -> Option<(Vec3, Vec3)> {
        let (mut position, mut rest, mut contact) = (from, to - from, None);
        // Without friction all that a wall does to a short displacement is to keep its end outside.
        let near = self.friction == 0.0 && rest.length() <= ALONG * self.radius;
        if near && distance >= (1.0 - SUNK) * self.radius {
            position = to;
            self.push_out(&mut position, &mut contact);
            return contact.map(|normal| (position, normal));
        }
        let (mut gap, mut contacts) = (distance - self.radius, 0);
        for _ in 0..STEPS {
            let mut step = gap.max(AHEAD * self.radius);
            if gap < TOUCH * self.radius {
                let normal = self.sdf.nearest_by(position, self.parts).normal;
                if rest.dot(normal) < -INTO * rest.length() {
                    (contact, contacts) = (Some(normal), contacts + 1);
                    rest = after_contact(rest, normal, self.friction);
                    if contacts == CONTACTS {
                        break;
                    }
                }
                step = gap.abs().max(ALONG * self.radius);
            }
            let length = rest.length();
            if length <= step {
                position += rest;
                rest = Vec3::ZERO;
                break;
            }
            let part = rest * (step / length);
            (position, rest) = (position + part, rest - part);
            gap = self.sdf.distance_by(position, self.parts) - self.radius;
        }
        if contact.is_none() && rest != Vec3::ZERO {
            // So many steps that it is given up: as good as a contact.
            contact = Some(self.sdf.nearest_by(position, self.parts).normal);
        }
        self.push_out(&mut position, &mut contact);
        contact.map(|normal| (position, normal))
    }

    /// Projects a position out of the wall.
    fn push_out(&self, position: &mut Vec3, normal: &mut Option<Vec3>) {
        for _ in 0..CORRECTIONS {
            if self.sdf.distance_by(*position, self.parts) >= self.radius * (1.0 - SUNK) {
                return;
            }
            let surface = self.sdf.nearest_by(*position, self.parts);
            *position += surface.normal * (self.radius - surface.distance);
            *normal = Some(surface.normal);
        }
    }
}

/// A velocity, or a displacement, after a contact without restitution: what leads into the wall is gone, and friction takes
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
    const GRAIN: Contact = Contact { radius: RADIUS, friction: 0.5, dt: 0.02 };

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
        Motion { from, to, velocity: (to - from) / 0.02, flight_share: 1.0 }
    }

    #[test]
    fn a_grain_that_flies_at_a_thin_plate_stays_before_it() {
        let mut motion = flying(Vec3::new(-0.5, 0.0, 0.0), Vec3::new(0.5, 0.0, 0.0));
        plate().restrict(&mut motion, &GRAIN, Parts::ALL, None);
        assert!((motion.to.x + 0.02).abs() < 0.05 * RADIUS, "{}", motion.to);
        assert!(motion.velocity.x.abs() < 1e-4);
    }

    #[test]
    fn a_fast_tool_takes_a_resting_grain_along() {
        let mut tool = plate();
        tool.end.translation = Vec3::new(0.6, 0.0, 0.0);
        let position = Vec3::new(0.3, 0.2, 0.0);
        let mut motion = Motion { from: position, to: position, velocity: Vec3::ZERO, flight_share: 1.0 };
        tool.restrict(&mut motion, &GRAIN, Parts::ALL, None);
        assert!((motion.to.x - 0.62).abs() < 0.05 * RADIUS, "{}", motion.to);
        assert!((motion.velocity.x - 30.0).abs() < 0.1, "{}", motion.velocity);
        // Pulled back, it leaves the grain where it is: nothing sticks.
        let mut away = plate();
        away.end.translation = Vec3::new(-0.6, 0.0, 0.0);
        let position = Vec3::new(0.0201, 0.2, 0.0);
        let mut motion = Motion { from: position, to: position, velocity: Vec3::ZERO, flight_share: 1.0 };
        away.restrict(&mut motion, &GRAIN, Parts::ALL, None);
        assert_eq!((motion.to, motion.velocity), (position, Vec3::ZERO));
    }

    #[test]
    fn a_turning_blade_takes_a_grain_along() {
        let mut blade = wall(Shape::Box { min: [0.0, -0.1, -0.01], max: [1.0, 0.1, 0.01], hollow: false });
        blade.end.rotation = Quat::from_rotation_y(-0.5);
        let position = Vec3::new(0.6, 0.0, 0.1);
        let mut motion = Motion { from: position, to: position, velocity: Vec3::ZERO, flight_share: 1.0 };
        blade.restrict(&mut motion, &GRAIN, Parts::ALL, None);
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
        let mut motion =
            Motion { flight_share: 0.0, ..flying(Vec3::new(0.0, 0.01, 0.0), Vec3::new(0.1, -0.01, 0.0)) };
        floor().restrict(&mut motion, &GRAIN, Parts::ALL, None);
        assert!((motion.to.x - 0.1).abs() < 1e-4 && (motion.to.y - 0.01).abs() < 1e-4, "{}", motion.to);
        assert!((motion.velocity.x - 5.0).abs() < 1e-3);
    }

    #[test]
    fn a_path_that_ends_next_to_a_wall_is_left_as_it_is() {
        let along = flying(Vec3::new(0.0, RADIUS, 0.0), Vec3::new(0.3, RADIUS, 0.0));
        let towards = flying(Vec3::new(0.0, 5.0 * RADIUS, 0.0), Vec3::new(0.01, 1.0001 * RADIUS, 0.0));
        for before in [along, towards] {
            let mut motion = before;
            assert!(!floor().restrict(&mut motion, &GRAIN, Parts::ALL, None));
            assert_eq!(motion, before);
        }
        let mut into = flying(Vec3::new(0.0, RADIUS, 0.0), Vec3::new(0.3, 0.99 * RADIUS, 0.0));
        assert!(floor().restrict(&mut into, &GRAIN, Parts::ALL, None));
    }

    /// Steps along a wall are shorter than a radius, so that no plate is thin enough.
    #[test]
    fn no_path_leads_through_the_thinnest_plate() {
        let plate = wall(Shape::Box { min: [-1e-5, -0.05, -0.05], max: [1e-5, 0.05, 0.05], hollow: false });
        let mut random = crate::random::Random::new(4);
        let (mut touched, mut free) = (0, 0);
        for k in 0..20_000 {
            let mut vector = || Vec3::new(random.unit(), random.unit(), random.unit()) * 2.0 - 1.0;
            let from = 2.0 * RADIUS * vector();
            let to = from + 6.0 * RADIUS * vector();
            if plate.distance(from) < RADIUS {
                continue;
            }
            let mut motion = Motion { flight_share: (k % 2) as f32, ..flying(from, to) };
            let touches = plate.restrict(&mut motion, &GRAIN, Parts::ALL, None);
            assert!(plate.distance(motion.to) > 0.97 * RADIUS, "{from} {to} {}", motion.to);
            assert!(motion.to.x * from.x > 0.0 || motion.to.abs().max_element() > 0.05, "{from} {to}");
            (touched, free) = (touched + u32::from(touches), free + u32::from(!touches));
        }
        assert!(touched > 2000 && free > 2000, "{touched} {free}");
    }

    #[test]
    fn a_grain_in_a_corner_ends_outside_both_walls() {
        let hollow = wall(Shape::Box { min: [0.0; 3], max: [1.0; 3], hollow: true });
        let mut motion = flying(Vec3::splat(0.1), Vec3::splat(-0.5));
        hollow.restrict(&mut motion, &Contact { friction: 0.0, ..GRAIN }, Parts::ALL, None);
        assert!(hollow.distance(motion.to) > 0.97 * RADIUS, "{}", motion.to);
    }

    #[test]
    fn far_walls_are_skipped_and_near_ones_are_not() {
        let mut tool = plate();
        let position = Vec3::new(0.5, 0.0, 0.0);
        let is_far = |tool: &Wall| tool.is_far(tool.start_distance(position), position, 0.1, 0.1);
        assert!(is_far(&tool));
        tool.end.translation = Vec3::new(0.4, 0.0, 0.0);
        assert!(!is_far(&tool));
    }
}
