//! Symmetric 3x3 tensors.

use bytemuck::{Pod, Zeroable};
use glam::{Vec3, Vec4};

/// A symmetric tensor.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Sym3 {
    /// Component xx.
    pub xx: f32,
    /// Component xy.
    pub xy: f32,
    /// Component xz.
    pub xz: f32,
    /// Component yy.
    pub yy: f32,
    /// Component yz.
    pub yz: f32,
    /// Component zz.
    pub zz: f32,
}

impl Sym3 {
    /// The zero tensor.
    pub const ZERO: Self = Self { xx: 0.0, xy: 0.0, xz: 0.0, yy: 0.0, yz: 0.0, zz: 0.0 };

    /// The symmetric part without trace of the matrix with the given columns.
    pub fn deviatoric(columns: [Vec4; 3]) -> Self {
        let [a, b, c] = columns;
        let third = (a.x + b.y + c.z) / 3.0;
        Self {
            xx: a.x - third,
            xy: 0.5 * (a.y + b.x),
            xz: 0.5 * (a.z + c.x),
            yy: b.y - third,
            yz: 0.5 * (b.z + c.y),
            zz: c.z - third,
        }
    }

    /// Squared Frobenius norm.
    pub fn norm_squared(&self) -> f32 {
        self.dot(self)
    }

    /// Frobenius norm.
    pub fn norm(&self) -> f32 {
        self.norm_squared().sqrt()
    }

    /// Double contraction.
    pub fn dot(&self, o: &Self) -> f32 {
        self.xx * o.xx
            + self.yy * o.yy
            + self.zz * o.zz
            + 2.0 * (self.xy * o.xy + self.xz * o.xz + self.yz * o.yz)
    }

    /// `self + k o`.
    pub fn add_scaled(&self, o: &Self, k: f32) -> Self {
        Self {
            xx: self.xx + k * o.xx,
            xy: self.xy + k * o.xy,
            xz: self.xz + k * o.xz,
            yy: self.yy + k * o.yy,
            yz: self.yz + k * o.yz,
            zz: self.zz + k * o.zz,
        }
    }

    /// The tensor times a number.
    pub fn scaled(&self, k: f32) -> Self {
        Self::ZERO.add_scaled(self, k)
    }

    /// The columns of `self + p I`, padded to 16 bytes.
    pub fn columns_plus_identity(&self, p: f32) -> [Vec4; 3] {
        [
            Vec4::new(self.xx + p, self.xy, self.xz, 0.0),
            Vec4::new(self.xy, self.yy + p, self.yz, 0.0),
            Vec4::new(self.xz, self.yz, self.zz + p, 0.0),
        ]
    }

    /// The component along a direction: n . (self n).
    pub fn along(&self, n: Vec3) -> f32 {
        n.x * n.x * self.xx
            + n.y * n.y * self.yy
            + n.z * n.z * self.zz
            + 2.0 * (n.x * n.y * self.xy + n.x * n.z * self.xz + n.y * n.z * self.yz)
    }

    /// Whether all components are finite.
    pub fn is_finite(&self) -> bool {
        self.to_array().iter().all(|c| c.is_finite())
    }

    /// From components xx, xy, xz, yy, yz, zz.
    pub fn from_array([xx, xy, xz, yy, yz, zz]: [f32; 6]) -> Self {
        Self { xx, xy, xz, yy, yz, zz }
    }

    /// Components xx, xy, xz, yy, yz, zz.
    pub fn to_array(&self) -> [f32; 6] {
        [self.xx, self.xy, self.xz, self.yy, self.yz, self.zz]
    }
}
