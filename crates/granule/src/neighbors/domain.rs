//! The space particles live in: unbounded, or repeating along some axes.

use glam::Vec3;

use crate::simd::Real;

/// Unbounded space with optional periodic axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Domain {
    /// Start of the period per axis [m].
    origin: Vec3,
    /// Length of the period per axis [m]; 0 where the axis is not periodic.
    length: Vec3,
    inverse_length: Vec3,
}

impl Domain {
    /// A domain with the given periodic ranges [m] per axis.
    pub fn new(ranges: [Option<[f32; 2]>; 3]) -> Self {
        let mut domain = Self::default();
        for (axis, range) in ranges.iter().enumerate() {
            if let Some([from, to]) = range {
                domain.origin[axis] = *from;
                domain.length[axis] = to - from;
                domain.inverse_length[axis] = 1.0 / (to - from);
            }
        }
        domain
    }

    /// Whether any axis is periodic.
    pub fn is_periodic(&self) -> bool {
        self.length != Vec3::ZERO
    }

    /// Start and length of an axis' period, if it is periodic.
    pub fn period(&self, axis: usize) -> Option<(f32, f32)> {
        (self.length[axis] > 0.0).then(|| (self.origin[axis], self.length[axis]))
    }

    /// The shortest vector from `b` to `a`, both inside the period.
    #[inline]
    pub fn displacement(&self, a: Vec3, b: Vec3) -> Vec3 {
        self.nearest_image((a - b).to_array()).into()
    }

    /// The shortest image of a difference of two points inside the period.
    #[inline(always)]
    pub fn nearest_image<F: Real>(&self, [x, y, z]: [F; 3]) -> [F; 3] {
        [nearest(x, self.length.x), nearest(y, self.length.y), nearest(z, self.length.z)]
    }

    /// Whether a point lies inside the period.
    pub fn holds(&self, x: Vec3) -> bool {
        let inside = |axis: usize| {
            let beyond = x[axis] - self.origin[axis];
            self.length[axis] == 0.0 || (0.0..self.length[axis]).contains(&beyond)
        };
        inside(0) && inside(1) && inside(2)
    }

    /// The point's image inside the period.
    pub fn wrap(&self, x: Vec3) -> Vec3 {
        let turns = ((x - self.origin) * self.inverse_length).floor();
        x - self.length * turns
    }
}

/// The nearest image of a difference of two coordinates inside the period.
#[inline(always)]
fn nearest<F: Real>(difference: F, length: f32) -> F {
    let zero = F::splat(0.0);
    let down = F::splat(0.5 * length).if_below(difference, F::splat(-length), zero);
    let up = difference.if_below(F::splat(-0.5 * length), F::splat(length), zero);
    difference + (down + up)
}
