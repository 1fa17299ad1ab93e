//! The shadow map on CPU cores; twin of `shader/shadow.wgsl` and of `sunlight` in `shader/light.wgsl`.

use glam::{Vec2, Vec3};

use crate::frame::FrameParams;
use crate::primitives::Vertex;
use crate::render_scene::RenderScene;
use crate::shading::dither;

const BLOCKER_TAPS: u32 = 12;
const FILTER_TAPS: u32 = 12;
const GOLDEN_ANGLE: f32 = 2.399_963_2;
/// Slope of the steepest surface that gets all the room it needs in the shadow map.
const STEEPEST: f32 = 2.5;

/// Depth of what the sun sees, 0 near and 1 far.
pub struct ShadowMap {
    side: usize,
    depth: Vec<f32>,
    /// Map coordinates (0 to 1) per metre.
    per_metre: Vec2,
}

impl ShadowMap {
    /// Draws spheres and solid meshes as the sun sees them.
    pub fn new(frame: &FrameParams, scene: &RenderScene) -> Self {
        let side = frame.shadow_side() as usize;
        let per_metre = 0.5
            * Vec2::new(
                frame.light_from_world.row(0).truncate().length(),
                frame.light_from_world.row(1).truncate().length(),
            );
        let mut map = Self { side, depth: vec![1.0; side * side], per_metre };
        for [x, y, z, radius] in scene.spheres.in_memory().0 {
            map.cast(frame, Vec3::new(*x, *y, *z), *radius);
        }
        for instance in scene.meshes.iter().filter(|instance| instance.is_opaque()) {
            let place = |vertex: &Vertex| {
                let point = instance.world_from_body.transform_point3(vertex.position.into());
                light_coordinates(frame, point) * Vec3::new(side as f32, side as f32, 1.0)
            };
            let places: Vec<Vec3> = instance.mesh.vertices().iter().map(place).collect();
            for triangle in instance.mesh.triangles() {
                map.cast_triangle(triangle.map(|corner| places[corner as usize]));
            }
        }
        map
    }

    /// Draws a triangle whose corners are given in texels and depth.
    fn cast_triangle(&mut self, corners: [Vec3; 3]) {
        let [a, b, c] = corners.map(Vec3::truncate);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let area = (b - a).perp_dot(c - a);
        for row in span(middle.y, half.y, self.side) {
            for column in span(middle.x, half.x, self.side) {
                let p = Vec2::new(column as f32, row as f32) + 0.5;
                let share = |from: Vec2, to: Vec2| (to - from).perp_dot(p - from) / area;
                let shares = Vec3::new(share(b, c), share(c, a), share(a, b));
                // Also false where the triangle is seen edge-on.
                if shares.min_element() >= 0.0 {
                    let depth = shares.dot(Vec3::new(corners[0].z, corners[1].z, corners[2].z));
                    let texel = &mut self.depth[row * self.side + column];
                    *texel = texel.min(depth.clamp(0.0, 1.0));
                }
            }
        }
    }

    fn cast(&mut self, frame: &FrameParams, center: Vec3, radius: f32) {
        let place = light_coordinates(frame, center);
        let texels = self.side as f32;
        let half = radius * self.per_metre * texels;
        let middle = Vec2::new(place.x, place.y) * texels;
        let depth_radius = radius / frame.projection.w;
        for row in span(middle.y, half.y, self.side) {
            for column in span(middle.x, half.x, self.side) {
                let offset = (Vec2::new(column as f32, row as f32) + 0.5 - middle) / half;
                let h = 1.0 - offset.length_squared();
                if h >= 0.0 {
                    let depth = (place.z - depth_radius * h.sqrt()).clamp(0.0, 1.0);
                    let texel = &mut self.depth[row * self.side + column];
                    *texel = texel.min(depth);
                }
            }
        }
    }

    /// Share of the sun that arrives at a point with a normal; `pixel` turns the filter.
    pub fn sunlight(&self, frame: &FrameParams, point: Vec3, normal: Vec3, pixel: Vec2) -> f32 {
        let turn = std::f32::consts::TAU * dither(pixel);
        let place = light_coordinates(frame, point + normal * frame.shadow.z);
        let margin = 0.5 * frame.shadow.x / frame.projection.w;
        let (mut blockers, mut depth_sum) = (0.0, 0.0);
        for k in 0..BLOCKER_TAPS {
            let reach = self.per_metre * 0.5 * frame.shadow.y;
            let uv = place.truncate() + disc(k, BLOCKER_TAPS, turn) * reach;
            let texel = uv.clamp(Vec2::ZERO, Vec2::splat(0.9999)) * self.side as f32;
            let depth = self.depth[texel.y as usize * self.side + texel.x as usize];
            if depth < place.z - margin {
                blockers += 1.0;
                depth_sum += depth;
            }
        }
        if blockers == 0.0 {
            return 1.0;
        }
        let height = (place.z - depth_sum / blockers) * frame.projection.w;
        let width = (height * frame.sun_direction.w).clamp(frame.shadow.x, frame.shadow.y);
        let cosine = normal.dot(frame.sun_direction.truncate()).max(1e-3);
        let slope = ((1.0 - cosine * cosine).max(0.0).sqrt() / cosine).min(STEEPEST);
        let depth = (place.z - width * slope / frame.projection.w).min(1.0);
        let taps = (0..FILTER_TAPS).map(|k| {
            self.compare(place.truncate() + disc(k, FILTER_TAPS, turn) * self.per_metre * width, depth)
        });
        taps.sum::<f32>() / FILTER_TAPS as f32
    }

    /// Share of the four texels around a place that are not nearer to the sun than a depth, weighted by their distance.
    fn compare(&self, uv: Vec2, depth: f32) -> f32 {
        if uv.min_element() < 0.0 || uv.max_element() > 1.0 {
            return 1.0;
        }
        let place = uv * self.side as f32 - 0.5;
        let corner = place.floor();
        let share = place - corner;
        let open = |dx: i32, dy: i32| {
            let at = |base: f32, d: i32| (base as i32 + d).clamp(0, self.side as i32 - 1) as usize;
            let texel = self.depth[at(corner.y, dy) * self.side + at(corner.x, dx)];
            f32::from(u8::from(depth <= texel))
        };
        let upper = open(0, 0) * (1.0 - share.x) + open(1, 0) * share.x;
        let lower = open(0, 1) * (1.0 - share.x) + open(1, 1) * share.x;
        upper * (1.0 - share.y) + lower * share.y
    }
}

/// Texels whose middles lie within a half width of a place.
pub fn span(middle: f32, half: f32, side: usize) -> std::ops::Range<usize> {
    let low = (middle - half - 0.5).ceil().max(0.0);
    let high = (middle + half - 0.5).floor() + 1.0;
    (low as usize).min(side)..(high.max(0.0) as usize).min(side)
}

fn light_coordinates(frame: &FrameParams, point: Vec3) -> Vec3 {
    let p = frame.light_from_world.transform_point3(point);
    Vec3::new(0.5 + 0.5 * p.x, 0.5 - 0.5 * p.y, p.z)
}

fn disc(k: u32, count: u32, turn: f32) -> Vec2 {
    let angle = k as f32 * GOLDEN_ANGLE + turn;
    ((k as f32 + 0.5) / count as f32).sqrt() * Vec2::from_angle(angle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_hold_the_middles_inside_and_no_others() {
        assert_eq!(span(5.0, 1.0, 10), 4..6);
        assert_eq!(span(5.5, 1.0, 10), 4..7);
        assert_eq!(span(0.0, 100.0, 10), 0..10);
        assert!(span(-50.0, 2.0, 10).is_empty() && span(50.0, 2.0, 10).is_empty());
    }
}
