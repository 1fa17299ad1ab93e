//! Vectors of three numbers, or of three times sixteen.

use super::scalar::Scalar;

/// The zero vector.
#[inline(always)]
pub fn zero<F: Scalar>() -> [F; 3] {
    [F::splat(0.0); 3]
}

/// `a + b`.
#[inline(always)]
pub fn add<F: Scalar>(a: [F; 3], b: [F; 3]) -> [F; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
#[inline(always)]
pub fn sub<F: Scalar>(a: [F; 3], b: [F; 3]) -> [F; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `k a`.
#[inline(always)]
pub fn scale<F: Scalar>(k: F, a: [F; 3]) -> [F; 3] {
    [k * a[0], k * a[1], k * a[2]]
}

/// Inner product.
#[inline(always)]
pub fn dot<F: Scalar>(a: [F; 3], b: [F; 3]) -> F {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Length.
#[inline(always)]
pub fn length<F: Scalar>(a: [F; 3]) -> F {
    dot(a, a).root()
}

/// Vector product `a x b`.
#[inline(always)]
pub fn cross<F: Scalar>(a: [F; 3], b: [F; 3]) -> [F; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `yes` where `a < b`, else `no`.
#[inline(always)]
pub fn if_below<F: Scalar>(a: F, b: F, yes: [F; 3], no: [F; 3]) -> [F; 3] {
    [a.if_below(b, yes[0], no[0]), a.if_below(b, yes[1], no[1]), a.if_below(b, yes[2], no[2])]
}

/// What of `a` lies in the plane with the unit normal `n`.
#[inline(always)]
pub fn in_plane<F: Scalar>(a: [F; 3], n: [F; 3]) -> [F; 3] {
    sub(a, scale(dot(a, n), n))
}
