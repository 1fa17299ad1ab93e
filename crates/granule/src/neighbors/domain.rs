//! The space particles live in: unbounded, or repeating along some axes.

use glam::Vec3;

use crate::simd::Real;

/// Unbounded space with optional periodic axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Domain {
    /// Start of the period per axis \[m\].
    origin: Vec3,
    /// Length of the period per axis \[m\]; 0 where the axis is not periodic.
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

    /// Lengths of the periods [m]; 0 along axes that are not periodic.
    #[inline]
    pub fn lengths(&self) -> Vec3 {
        self.length
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_below_the_origin_and_beyond_the_end_are_wrapped_into_the_period() {
        let domain = Domain::new([Some([0.0, 2.0]), None, Some([-1.0, 3.0])]);
        let wrapped = |x: f32, y: f32, z: f32| domain.wrap(Vec3::new(x, y, z)).to_array();
        assert_eq!(wrapped(-0.5, -0.5, -1.5), [1.5, -0.5, 2.5]);
        assert_eq!(wrapped(-4.5, 70.0, -9.5), [1.5, 70.0, 2.5]);
        assert_eq!(wrapped(2.0, 0.0, 3.0), [0.0, 0.0, -1.0]);
        assert_eq!(wrapped(6.25, 0.0, 11.25), [0.25, 0.0, -0.75]);
        assert_eq!(wrapped(0.75, -3.0, -0.25), [0.75, -3.0, -0.25], "what is inside stays");
    }

    #[test]
    fn the_nearest_image_is_at_most_half_a_period_away() {
        let domain = Domain::new([Some([-1.0, 1.0]), None, None]);
        let between = |a: f32, b: f32| domain.displacement(Vec3::new(a, a, 0.0), Vec3::new(b, b, 0.0));
        assert_eq!(between(0.75, -0.75), Vec3::new(-0.5, 1.5, 0.0));
        assert_eq!(between(-0.75, 0.75), Vec3::new(0.5, -1.5, 0.0));
        assert_eq!(between(0.25, -0.25), Vec3::new(0.5, 0.5, 0.0));
    }

    #[test]
    fn a_point_is_held_from_the_start_of_the_period_to_before_its_end() {
        let domain = Domain::new([Some([-1.0, 1.0]), None, None]);
        let holds = |x: f32| domain.holds(Vec3::new(x, 50.0, -50.0));
        assert!(holds(-1.0) && holds(0.999));
        assert!(!holds(1.0) && !holds(-1.001));
    }
}
