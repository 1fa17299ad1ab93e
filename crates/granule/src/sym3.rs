//! Symmetric 3x3 tensors, of one particle or of many side by side.

use crate::simd::Real;

/// A symmetric tensor.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sym3<F = f32> {
    /// Component xx.
    pub xx: F,
    /// Component xy.
    pub xy: F,
    /// Component xz.
    pub xz: F,
    /// Component yy.
    pub yy: F,
    /// Component yz.
    pub yz: F,
    /// Component zz.
    pub zz: F,
}

impl<F: Real> Sym3<F> {
    /// The symmetric part without trace of the matrix with the given columns.
    #[inline(always)]
    pub fn deviatoric([a, b, c]: [[F; 3]; 3]) -> Self {
        let third = (a[0] + b[1] + c[2]) / F::splat(3.0);
        let half = F::splat(0.5);
        Self {
            xx: a[0] - third,
            xy: half * (a[1] + b[0]),
            xz: half * (a[2] + c[0]),
            yy: b[1] - third,
            yz: half * (b[2] + c[1]),
            zz: c[2] - third,
        }
    }

    /// Squared Frobenius norm.
    #[inline(always)]
    pub fn norm_squared(&self) -> F {
        self.dot(self)
    }

    /// Frobenius norm.
    #[inline(always)]
    pub fn norm(&self) -> F {
        self.norm_squared().root()
    }

    /// Double contraction.
    #[inline(always)]
    pub fn dot(&self, o: &Self) -> F {
        self.xx * o.xx
            + self.yy * o.yy
            + self.zz * o.zz
            + F::splat(2.0) * (self.xy * o.xy + self.xz * o.xz + self.yz * o.yz)
    }

    /// The tensor times a vector.
    #[inline(always)]
    pub fn times(&self, [x, y, z]: [F; 3]) -> [F; 3] {
        [
            self.xx * x + self.xy * y + self.xz * z,
            self.xy * x + self.yy * y + self.yz * z,
            self.xz * x + self.yz * y + self.zz * z,
        ]
    }

    /// `self + k o`.
    #[inline(always)]
    pub fn add_scaled(&self, o: &Self, k: F) -> Self {
        self.zip(o, |a, b| a + k * b)
    }

    /// The tensor times a number.
    #[inline(always)]
    pub fn scaled(&self, k: F) -> Self {
        self.zip(self, |a, _| k * a)
    }

    /// A function of the components of two tensors, one by one.
    #[inline(always)]
    pub fn zip(&self, o: &Self, f: impl Fn(F, F) -> F) -> Self {
        Self {
            xx: f(self.xx, o.xx),
            xy: f(self.xy, o.xy),
            xz: f(self.xz, o.xz),
            yy: f(self.yy, o.yy),
            yz: f(self.yz, o.yz),
            zz: f(self.zz, o.zz),
        }
    }

    /// From components xx, xy, xz, yy, yz, zz.
    #[inline(always)]
    pub fn from_array([xx, xy, xz, yy, yz, zz]: [F; 6]) -> Self {
        Self { xx, xy, xz, yy, yz, zz }
    }

    /// Components xx, xy, xz, yy, yz, zz.
    #[inline(always)]
    pub fn to_array(&self) -> [F; 6] {
        [self.xx, self.xy, self.xz, self.yy, self.yz, self.zz]
    }
}

impl Sym3 {
    /// The zero tensor.
    pub const ZERO: Self = Self { xx: 0.0, xy: 0.0, xz: 0.0, yy: 0.0, yz: 0.0, zz: 0.0 };
}
