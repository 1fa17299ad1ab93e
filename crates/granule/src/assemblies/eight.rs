//! Eight numbers in double precision side by side, and what they have in common with one.
//!
//! Arrays of eight, whose loops the compiler turns into the instructions that the caller is compiled for. All operations are
//! rounded in one way only, and lanes never mix: eight grains move to the same bits as one by one.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// Numbers side by side.
pub const EIGHT: usize = 8;

/// Up to here the first terms left out of the series, x^11/11! and x^10/10!, are below a tenth of the last bit.
const SMALL: f64 = 0.05;

/// A number in double precision, or eight.
pub(super) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The same number everywhere.
    fn splat(value: f64) -> Self;

    /// Square root.
    fn root(self) -> Self;

    /// Sine and cosine of half the angle; by their series where it is small, as it is in a step.
    fn half_sine_and_cosine(self) -> (Self, Self);
}

/// Sine and cosine of a small angle.
#[inline(always)]
fn series<N: Number>(x: N) -> (N, N) {
    const SINE: [f64; 4] = [-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0];
    const COSINE: [f64; 4] = [-1.0 / 2.0, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0];
    let y = x * x;
    (x * polynomial(y, SINE), polynomial(y, COSINE))
}

/// 1 + c0 y + c1 y^2 + ...
#[inline(always)]
fn polynomial<N: Number>(y: N, c: [f64; 4]) -> N {
    let of = N::splat;
    of(1.0) + y * (of(c[0]) + y * (of(c[1]) + y * (of(c[2]) + y * of(c[3]))))
}

impl Number for f64 {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn half_sine_and_cosine(self) -> (Self, Self) {
        let x = 0.5 * self;
        if x.abs() < SMALL { series(x) } else { x.sin_cos() }
    }
}

/// Eight numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Eight(pub [f64; EIGHT]);

impl Eight {
    /// What a function gives for every lane.
    #[inline(always)]
    pub fn of(value: impl Fn(usize) -> f64) -> Self {
        let mut lanes = [0.0; EIGHT];
        for (lane, place) in lanes.iter_mut().enumerate() {
            *place = value(lane);
        }
        Self(lanes)
    }

    /// The same number in every lane.
    #[inline(always)]
    pub fn all(value: f64) -> Self {
        Self([value; EIGHT])
    }

    #[inline(always)]
    fn with(self, other: Self, operation: impl Fn(f64, f64) -> f64) -> Self {
        Self::of(|lane| operation(self.0[lane], other.0[lane]))
    }
}

macro_rules! operators {
    ($($trait:ident $function:ident $operator:tt;)+) => {
        $(impl $trait for Eight {
            type Output = Self;

            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                self.with(other, |a, b| a $operator b)
            }
        })+
    };
}

operators! {
    Add add +;
    Sub sub -;
    Mul mul *;
    Div div /;
}

impl Neg for Eight {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self::of(|lane| -self.0[lane])
    }
}

impl Number for Eight {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self::all(value)
    }

    #[inline(always)]
    fn root(self) -> Self {
        Self::of(|lane| self.0[lane].sqrt())
    }

    #[inline(always)]
    fn half_sine_and_cosine(self) -> (Self, Self) {
        let x = Self::all(0.5) * self;
        let (mut sine, mut cosine) = series(x);
        let mut large = false;
        for lane in x.0 {
            large |= lane.abs() >= SMALL;
        }
        if large {
            for lane in (0..EIGHT).filter(|lane| x.0[*lane].abs() >= SMALL) {
                (sine.0[lane], cosine.0[lane]) = x.0[lane].sin_cos();
            }
        }
        (sine, cosine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Series, and what follows where they end, against the functions of the library: to the last bits.
    #[test]
    fn half_angles_have_their_sine_and_cosine() {
        for k in -300..=300 {
            let angle = 1e-3 * f64::from(k);
            let (sine, cosine) = angle.half_sine_and_cosine();
            let (s, c) = (0.5 * angle).sin_cos();
            assert!((sine - s).abs() < 3e-17 && (cosine - c).abs() < 3e-16, "{angle}: {sine} {cosine}");
        }
    }
}
