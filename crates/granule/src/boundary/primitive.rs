//! Half-space, block, ball and pill: exact distances and nearest points, seen as solids.

use glam::Vec3;

use super::sdf::Surface;

/// Lengths below this \[m\] have no direction.
pub(super) const TINY: f32 = 1e-12;

/// `offset` as a direction and a length; `fallback` (a unit vector) where it has none.
pub(super) fn direction(offset: Vec3, fallback: Vec3) -> (Vec3, f32) {
    let length = offset.length();
    // Written so that a length that is not a number stays one.
    if length <= TINY { (fallback, 0.0) } else { (offset / length, length) }
}

/// Everything behind a plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfSpace {
    pub(super) point: Vec3,
    /// Unit normal out of the solid.
    pub(super) normal: Vec3,
}

impl HalfSpace {
    pub(super) fn distance(&self, x: Vec3) -> f32 {
        self.normal.dot(x - self.point)
    }

    pub(super) fn nearest(&self, x: Vec3) -> Surface {
        let distance = self.distance(x);
        Surface { distance, normal: self.normal, closest: x - distance * self.normal, face: 0, lambda: None }
    }
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) min: Vec3,
    pub(super) max: Vec3,
}

impl Block {
    /// Faces of a container: one per side of each axis.
    pub(super) const FACE_COUNT: u16 = 6;

    pub(super) fn distance(&self, x: Vec3) -> f32 {
        let beyond = (self.min - x).max(x - self.max);
        beyond.max(Vec3::ZERO).length() + beyond.max_element().min(0.0)
    }

    pub(super) fn nearest(&self, x: Vec3) -> Surface {
        let beyond = (self.min - x).max(x - self.max);
        let axis = if beyond.x >= beyond.y && beyond.x >= beyond.z {
            0
        } else if beyond.y >= beyond.z {
            1
        } else {
            2
        };
        let sign = if self.min[axis] - x[axis] > x[axis] - self.max[axis] { -1.0 } else { 1.0 };
        let face_normal = sign * Vec3::AXES[axis];
        if beyond[axis] <= 0.0 {
            let mut closest = x;
            closest[axis] = if sign < 0.0 { self.min[axis] } else { self.max[axis] };
            return Surface { distance: beyond[axis], normal: face_normal, closest, face: 0, lambda: None };
        }
        let closest = x.clamp(self.min, self.max);
        let (normal, distance) = direction(x - closest, face_normal);
        Surface::plain(distance, normal, closest)
    }

    /// The six walls of the box as a container, each a plane.
    ///
    /// A wall counts where `x` lies over it, or beside it by no more than `x` has sunk into another wall: so a corner
    /// keeps all its walls when a particle has penetrated one of them.
    pub(super) fn walls(&self, x: Vec3, reach: f32, emit: &mut impl FnMut(Surface)) {
        let beyond = (self.min - x).max(x - self.max);
        let near = beyond.max_element() < reach;
        for axis in 0..3 {
            for (side, wall, sign) in [(0, self.min[axis], 1.0), (1, self.max[axis], -1.0)] {
                let distance = sign * (x[axis] - wall);
                if distance < reach && (near || distance < 0.0) {
                    let mut closest = x;
                    closest[axis] = wall;
                    let face = 2 * axis as u16 + side;
                    emit(Surface { distance, normal: sign * Vec3::AXES[axis], closest, face, lambda: None });
                }
            }
        }
    }

    pub(super) fn bounds(&self) -> (Vec3, Vec3) {
        (self.min, self.max)
    }
}

/// A ball.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    pub(super) center: Vec3,
    pub(super) radius: f32,
}

impl Ball {
    pub(super) fn distance(&self, x: Vec3) -> f32 {
        (x - self.center).length() - self.radius
    }

    pub(super) fn nearest(&self, x: Vec3) -> Surface {
        let (normal, length) = direction(x - self.center, Vec3::Y);
        let closest = self.center + self.radius * normal;
        Surface { distance: length - self.radius, normal, closest, face: 0, lambda: None }
    }

    pub(super) fn bounds(&self) -> (Vec3, Vec3) {
        (self.center - self.radius, self.center + self.radius)
    }
}

/// A cylinder with round ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pill {
    pub(super) from: Vec3,
    /// Unit vector along the pill.
    pub(super) axis: Vec3,
    /// Distance between the centres of the ends.
    pub(super) length: f32,
    pub(super) radius: f32,
}

impl Pill {
    fn spine(&self, x: Vec3) -> Vec3 {
        self.from + (x - self.from).dot(self.axis).clamp(0.0, self.length) * self.axis
    }

    pub(super) fn distance(&self, x: Vec3) -> f32 {
        (x - self.spine(x)).length() - self.radius
    }

    pub(super) fn nearest(&self, x: Vec3) -> Surface {
        let spine = self.spine(x);
        let (normal, length) = direction(x - spine, self.axis.any_orthonormal_vector());
        Surface {
            distance: length - self.radius,
            normal,
            closest: spine + self.radius * normal,
            face: 0,
            lambda: None,
        }
    }

    pub(super) fn bounds(&self) -> (Vec3, Vec3) {
        let to = self.from + self.length * self.axis;
        (self.from.min(to) - self.radius, self.from.max(to) + self.radius)
    }
}
