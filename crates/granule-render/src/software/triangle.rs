//! A triangle of a mesh on screen; twin of `shader/meshes.wgsl`.

use std::ops::Range;

use glam::{Vec2, Vec3};

use super::seen::{Seen, Surface};
use super::shadow::span;
use crate::frame::FrameParams;
use crate::mesh::MeshInstance;
use crate::primitives::{Vertex, unpack_color};

/// A triangle in the camera's axes before the near distance, with the rows and columns of samples that it may cover.
pub struct TriangleRaster {
    surface: Surface,
    places: [Vec2; 3],
    /// Normal of its plane, as long as twice its area.
    normal: Vec3,
    /// The plane's distance from the eye along that normal.
    offset: f32,
    columns: Range<usize>,
    /// Rows of samples.
    pub rows: Range<usize>,
}

impl TriangleRaster {
    /// `None` beside the picture.
    pub fn new(
        frame: &FrameParams,
        surface: Surface,
        points: [Vec3; 3],
        width: usize,
        height: usize,
    ) -> Option<Self> {
        let places = points.map(|point| frame.pixel_of(point));
        let (low, high) = (places[0].min(places[1]).min(places[2]), places[0].max(places[1]).max(places[2]));
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let (columns, rows) = (span(middle.x, half.x, width), span(middle.y, half.y, height));
        let normal = (points[1] - points[0]).cross(points[2] - points[0]);
        (!columns.is_empty() && !rows.is_empty()).then(|| Self {
            surface,
            places,
            normal,
            offset: points[0].dot(normal),
            columns,
            rows,
        })
    }

    /// The parts of a mesh's triangles that lie before the eye.
    pub fn of_mesh(
        frame: &FrameParams,
        body: u32,
        instance: &MeshInstance,
        width: usize,
        height: usize,
    ) -> Vec<Self> {
        let points: Vec<Vec3> =
            instance.mesh.vertices().iter().map(|v| view_point(frame, instance, v)).collect();
        let mut triangle_rasters = Vec::new();
        for (triangle, corners) in (0..).zip(instance.mesh.triangles()) {
            let surface = Surface::Triangle { body, triangle };
            clip_near(corners.map(|corner| points[corner as usize]), frame.projection.z, |part| {
                triangle_rasters.extend(Self::new(frame, surface, part, width, height));
            });
        }
        triangle_rasters
    }

    /// What it belongs to.
    pub fn surface(&self) -> Surface {
        self.surface
    }

    /// Calls `seen` with column, row and distance of every sample inside the rows that the triangle covers.
    pub fn cover(&self, frame: &FrameParams, rows: Range<usize>, mut seen: impl FnMut(usize, usize, f32)) {
        let cross = |a: Vec2, b: Vec2, p: Vec2| (b - a).perp_dot(p - a);
        let [a, b, c] = self.places;
        let area = cross(a, b, c);
        for y in self.rows.start.max(rows.start)..self.rows.end.min(rows.end) {
            for x in self.columns.clone() {
                let p = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let inside = [(a, b), (b, c), (c, a)].iter().all(|(a, b)| cross(*a, *b, p) * area >= 0.0);
                let distance = self.offset / frame.view_ray(p).dot(self.normal);
                if inside && distance.is_finite() {
                    seen(x, y, distance);
                }
            }
        }
    }

    /// Draws into the samples of a band that begins with the row `first`.
    pub fn draw(&self, frame: &FrameParams, samples: &mut [Seen], first: usize, width: usize) {
        let rows = first..first + samples.len() / width;
        self.cover(frame, rows, |x, y, distance| {
            let sample = &mut samples[(y - first) * width + x];
            if distance < sample.distance {
                *sample = Seen { distance, surface: self.surface };
            }
        });
    }
}

/// A corner of a body in the camera's axes. The eye is subtracted from the body's place first.
fn view_point(frame: &FrameParams, instance: &MeshInstance, vertex: &Vertex) -> Vec3 {
    let pose = &instance.world_from_body;
    let shift = Vec3::from(pose.translation) - frame.world_from_view.w_axis.truncate();
    frame.view_from_world.transform_vector3(pose.transform_vector3(vertex.position.into()) + shift)
}

/// What a triangle of a body shows at a point: linear colour, and the unit normal on the side that is seen.
pub fn triangle_at(frame: &FrameParams, instance: &MeshInstance, triangle: u32, point: Vec3) -> (Vec3, Vec3) {
    let corners = instance.mesh.triangles()[triangle as usize];
    let vertices = corners.map(|corner| &instance.mesh.vertices()[corner as usize]);
    let [a, b, c] = vertices.map(|vertex| view_point(frame, instance, vertex));
    let plane = (b - a).cross(c - a);
    let share = |from: Vec3, to: Vec3| {
        ((to - from).cross(point - from).dot(plane) / plane.length_squared().max(f32::MIN_POSITIVE))
            .clamp(0.0, 1.0)
    };
    let shares = [share(b, c), share(c, a), share(a, b)];
    let mean = |part: &dyn Fn(&Vertex) -> Vec3| {
        vertices.iter().zip(shares).map(|(vertex, share)| part(vertex) * share).sum::<Vec3>()
    };
    let color = mean(&|vertex| unpack_color(vertex.color).truncate()) * instance.color;
    let normal = instance.world_from_body.transform_vector3(mean(&|vertex| vertex.normal.into()));
    let side = if plane.dot(point) < 0.0 { 1.0 } else { -1.0 };
    (color, side * normal.normalize_or(Vec3::Y))
}

/// The parts of a triangle beyond the near distance: none, one or two triangles.
pub fn clip_near(points: [Vec3; 3], near: f32, mut part: impl FnMut([Vec3; 3])) {
    let mut kept = [Vec3::ZERO; 4];
    let mut count = 0;
    let mut keep = |point: Vec3| {
        kept[count] = point;
        count += 1;
    };
    for k in 0..3 {
        let (a, b) = (points[k], points[(k + 1) % 3]);
        let (before, after) = (-a.z - near, -b.z - near);
        if before >= 0.0 {
            keep(a);
        }
        if (before >= 0.0) != (after >= 0.0) {
            let cut = a.lerp(b, before / (before - after));
            keep(Vec3::new(cut.x, cut.y, -near));
        }
    }
    for k in 2..count {
        part([kept[0], kept[k - 1], kept[k]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(points: [Vec3; 3]) -> f32 {
        0.5 * (points[1] - points[0]).cross(points[2] - points[0]).length()
    }

    #[test]
    fn what_is_nearer_than_the_near_distance_is_cut_off() {
        let parts = |points| {
            let mut parts = Vec::new();
            clip_near(points, 1.0, |part| parts.push(part));
            parts
        };
        let [far, left, right] =
            [Vec3::new(0.0, 0.0, -3.0), Vec3::new(-1.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 1.0)];
        // Half of the height lies beyond: a quarter of the area of 4.
        let tip = parts([left, right, far]);
        assert_eq!(tip.len(), 1);
        assert!((area(tip[0]) - 1.0).abs() < 1e-5);
        let mirrored = [left, right, far].map(|point| Vec3::new(point.x, 0.0, -2.0 - point.z));
        let base: f32 = parts(mirrored).into_iter().map(area).sum();
        assert!((base - 3.0).abs() < 1e-5, "{base}");
        assert!(parts([left, right, Vec3::ZERO]).is_empty());
        assert_eq!(parts([far, far - Vec3::X, far + Vec3::Y]).len(), 1);
    }
}
