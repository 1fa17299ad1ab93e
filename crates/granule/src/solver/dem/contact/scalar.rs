//! The numbers that the contact law is written in: single precision, sixteen of them side by side, and double precision,
//! in which tests hold the same functions against the program whose law it is.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::simd::{Lanes, Real};

/// A number, or many side by side, that the contact law can be computed with: what [`Real`] has, and a little more.
///
/// Not a kind of [`Real`], so that double precision is none: functions of `Real` take single precision only, and a number
/// without a type is an `f32` to them.
pub trait Scalar:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// A constant, rounded to the precision at hand.
    fn of(value: f64) -> Self;

    /// The same number everywhere.
    fn splat(value: f32) -> Self;

    /// Square root.
    fn root(self) -> Self;

    /// Cube root of a number that is not negative.
    fn cube_root(self) -> Self;

    /// The number itself where it is above `other`, else `other`, also in place of NaN.
    fn at_least(self, other: Self) -> Self;

    /// The number itself where it is below `other`, else `other`, also in place of NaN.
    fn at_most(self, other: Self) -> Self;

    /// `yes` where `self < other`, else `no`, also where one of them is NaN.
    fn if_below(self, other: Self, yes: Self, no: Self) -> Self;
}

/// What a [`Scalar`] has of [`Real`].
macro_rules! as_real {
    () => {
        #[inline(always)]
        fn of(value: f64) -> Self {
            <Self as Real>::splat(value as f32)
        }

        #[inline(always)]
        fn splat(value: f32) -> Self {
            <Self as Real>::splat(value)
        }

        #[inline(always)]
        fn root(self) -> Self {
            Real::root(self)
        }

        #[inline(always)]
        fn at_least(self, other: Self) -> Self {
            Real::at_least(self, other)
        }

        #[inline(always)]
        fn at_most(self, other: Self) -> Self {
            Real::at_most(self, other)
        }

        #[inline(always)]
        fn if_below(self, other: Self, yes: Self, no: Self) -> Self {
            Real::if_below(self, other, yes, no)
        }
    };
}

impl Scalar for f32 {
    as_real!();

    #[inline(always)]
    fn cube_root(self) -> Self {
        cube_root(f64::from(self)) as f32
    }
}

impl<L: Lanes> Scalar for L {
    as_real!();

    #[inline(always)]
    fn cube_root(self) -> Self {
        L::from_array(&self.to_array().map(f32::cube_root))
    }
}

impl Scalar for f64 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn splat(value: f32) -> Self {
        f64::from(value)
    }

    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn cube_root(self) -> Self {
        cube_root(self)
    }

    #[inline(always)]
    fn at_least(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn if_below(self, other: Self, yes: Self, no: Self) -> Self {
        if self < other { yes } else { no }
    }
}

/// Cube root by Newton's method from a third of the exponent, with operations that round alike everywhere: the one of the
/// standard library is the platform's. 0 for what is not a positive normal number.
fn cube_root(x: f64) -> f64 {
    const BIAS: u64 = 1023 << 52;
    if x < f64::MIN_POSITIVE || !x.is_finite() {
        return 0.0;
    }
    // Within 6 % of the root; each step squares the error.
    let mut root = f64::from_bits(x.to_bits() / 3 + BIAS / 3 * 2);
    for _ in 0..5 {
        root -= (root - x / (root * root)) / 3.0;
    }
    root
}

/// Magnitude.
#[inline(always)]
pub fn magnitude<F: Scalar>(x: F) -> F {
    x.at_least(-x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cube_roots_are_those_of_the_standard_library() {
        let mut x = 1e-30;
        while x < 1e30 {
            assert!((cube_root(x) / x.cbrt() - 1.0).abs() < 4e-16, "{x}");
            assert_eq!((x as f32).cube_root(), f64::from(x as f32).cbrt() as f32);
            x *= 1.37;
        }
        assert_eq!(cube_root(0.0), 0.0);
    }
}
