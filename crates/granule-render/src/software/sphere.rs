//! A sphere on screen; twin of `shader/spheres.wgsl`.

use std::ops::Range;

use glam::{Vec2, Vec3};

use super::seen::{Seen, Surface};
use super::shadow::span;
use crate::frame::FrameParams;

/// A sphere in the camera's axes with the rows and columns of samples that it may cover.
pub struct SphereRaster {
    index: u32,
    center: Vec3,
    radius: f32,
    columns: Range<usize>,
    /// Rows of samples.
    pub rows: Range<usize>,
}

impl SphereRaster {
    /// `None` where the sphere is behind the eye, around it, or beside the picture.
    pub fn new(
        frame: &FrameParams,
        index: u32,
        [x, y, z, radius]: &[f32; 4],
        width: usize,
        height: usize,
    ) -> Option<Self> {
        let center = frame.view_from_world_point(Vec3::new(*x, *y, *z));
        if center.length() <= radius * 1.0001 || center.z - radius >= 0.0 {
            return None;
        }
        let columns = extent(center.x, center.z, *radius, frame.projection.x, frame.size.x, 1.0, width);
        let rows = extent(center.y, center.z, *radius, frame.projection.y, frame.size.y, -1.0, height);
        (!columns.is_empty() && !rows.is_empty()).then_some(Self {
            index,
            center,
            radius: *radius,
            columns,
            rows,
        })
    }

    /// Casts rays through the samples of a band that begins with the row `first`.
    pub fn draw(&self, frame: &FrameParams, samples: &mut [Seen], first: usize, width: usize) {
        let last = first + samples.len() / width;
        for y in self.rows.start.max(first)..self.rows.end.min(last) {
            for x in self.columns.clone() {
                let ray = frame.view_ray(Vec2::new(x as f32 + 0.5, y as f32 + 0.5));
                let unit = ray.normalize();
                let along = self.center.dot(unit);
                let h = self.radius * self.radius - (self.center - along * unit).length_squared();
                let distance = (along - h.max(0.0).sqrt()) * -unit.z;
                let sample = &mut samples[(y - first) * width + x];
                if h >= 0.0 && distance >= frame.projection.z && distance < sample.distance {
                    *sample = Seen { distance, surface: Surface::Sphere(self.index) };
                }
            }
        }
    }
}

/// Samples along one axis that a sphere may cover: between the two tangents from the eye.
///
/// In the plane of the axis and the view direction the tangents' slopes are (a c +- r sqrt(a^2 + c^2 - r^2)) / (c^2 - r^2),
/// where a is the centre's place along the axis and c its distance. Where a tangent leads behind the eye, everything is
/// taken.
fn extent(a: f32, z: f32, radius: f32, tangent: f32, size: f32, sign: f32, side: usize) -> Range<usize> {
    let c = -z;
    let (denominator, square) = (c * c - radius * radius, a * a + c * c - radius * radius);
    if c <= radius || square <= 0.0 {
        return 0..side;
    }
    let root = radius * square.sqrt();
    let slopes = [(a * c - root) / denominator, (a * c + root) / denominator];
    let [low, high] = slopes.map(|slope| (0.5 + 0.5 * sign * slope / tangent) * size);
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low).abs() + 0.01);
    span(middle, half, side)
}
