//! Lines, corners of triangles, and packed colours: the layouts that buffers have.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use crate::camera::Bounds;

/// A straight line.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Line {
    /// One end \[m\].
    pub from: [f32; 3],
    /// Width \[pixels\].
    pub width: f32,
    /// The other end \[m\].
    pub to: [f32; 3],
    /// Linear colour and opacity in bytes, red lowest.
    pub color: u32,
}

/// A corner of a transparent triangle.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Vertex {
    /// Place \[m\].
    pub position: [f32; 3],
    /// Linear colour and opacity in bytes, red lowest.
    pub color: u32,
    /// Unit normal; both sides are lit.
    pub normal: [f32; 3],
    /// Fills the record to 32 bytes.
    pub unused: u32,
}

/// Packs a linear colour with an opacity, each from 0 to 1.
pub fn pack_color(linear: Vec3, opacity: f32) -> u32 {
    u32::from_le_bytes(
        linear.extend(opacity).to_array().map(|part| (part.clamp(0.0, 1.0) * 255.0).round() as u8),
    )
}

/// The opposite of [`pack_color`].
pub(crate) fn unpack_color(packed: u32) -> glam::Vec4 {
    glam::Vec4::from_array(packed.to_le_bytes().map(|part| f32::from(part) / 255.0))
}

/// The twelve edges of a box.
pub fn wire_box(bounds: &Bounds, width: f32, color: u32) -> Vec<Line> {
    let corners = bounds.corners();
    let edges = (0..8usize).flat_map(|from| (0..3).map(move |axis| (from, from | 1 << axis)));
    edges
        .filter(|(from, to)| from != to)
        .map(|(from, to)| Line { from: corners[from].into(), width, to: corners[to].into(), color })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wire_box_has_twelve_edges_along_the_axes() {
        let bounds = Bounds { min: Vec3::ZERO, max: Vec3::new(1.0, 2.0, 3.0) };
        let lines = wire_box(&bounds, 1.0, 0);
        assert_eq!(lines.len(), 12);
        let total: f32 = lines.iter().map(|line| Vec3::from(line.from).distance(Vec3::from(line.to))).sum();
        assert_eq!(total, 24.0);
    }

    #[test]
    fn colours_survive_packing() {
        let packed = pack_color(Vec3::new(1.0, 0.0, 0.2), 0.4);
        assert_eq!(packed.to_le_bytes(), [255, 0, 51, 102]);
        assert!((unpack_color(packed) - glam::Vec4::new(1.0, 0.0, 0.2, 0.4)).length() < 1e-6);
    }
}
