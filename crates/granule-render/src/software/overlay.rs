//! What is transparent or thin: layers over the samples; twin of `shader/overlay.wgsl`.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3, Vec4};

use super::raster::Raster;
use super::seen::Surface;
use super::shadow::span;
use super::triangle::{TriangleRaster, clip_near, triangle_at};
use crate::frame::FrameParams;
use crate::mesh::MeshInstance;
use crate::primitives::{Line, Vertex, unpack_color};
use crate::render_scene::RenderScene;
use crate::shading::{SET_BACK, glass};

/// Layers over samples, each with its light and opacity, in the order of drawing.
pub struct Overlay<'a> {
    frame: &'a FrameParams,
    raster: &'a Raster,
    layers: BTreeMap<usize, Vec<Vec4>>,
}

impl<'a> Overlay<'a> {
    /// Lays transparent meshes, triangles and lines over the samples.
    pub fn new(frame: &'a FrameParams, scene: &RenderScene, raster: &'a Raster) -> Self {
        let mut overlay = Self { frame, raster, layers: BTreeMap::new() };
        for instance in scene.meshes.iter().filter(|instance| !instance.is_opaque()) {
            overlay.draw_mesh(instance);
        }
        overlay.draw_triangles(scene.triangles);
        overlay.draw_lines(scene.lines);
        overlay
    }

    /// What lies over a sample.
    pub fn at(&self, x: u32, y: u32) -> &[Vec4] {
        self.layers.get(&self.raster.index(x as usize, y as usize)).map_or(&[], Vec::as_slice)
    }

    fn lay_over(&mut self, x: usize, y: usize, distance: f32, light: Vec4) {
        let sample = self.raster.index(x, y);
        if distance < self.raster.at(x as u32, y as u32).distance {
            self.layers.entry(sample).or_default().push(light);
        }
    }

    /// Lays a transparent surface over a sample, behind a solid that it lies on.
    fn lay_glass_over(&mut self, x: usize, y: usize, distance: f32, light: Vec4) {
        self.lay_over(x, y, distance * (1.0 + SET_BACK), light);
    }

    /// Direction through a sample in the camera's axes.
    fn view_ray(&self, x: usize, y: usize) -> Vec3 {
        self.frame.view_ray(Vec2::new(x as f32 + 0.5, y as f32 + 0.5))
    }

    fn draw_mesh(&mut self, instance: &MeshInstance) {
        let (frame, [width, height]) = (self.frame, self.raster.size());
        for raster in TriangleRaster::of_mesh(frame, 0, instance, width, height) {
            let Surface::Triangle { triangle, .. } = raster.surface() else { continue };
            raster.cover(frame, 0..height, |x, y, distance| {
                let ray = self.view_ray(x, y);
                let (color, normal) = triangle_at(frame, instance, triangle, ray * distance);
                let ray = frame.world_from_view.transform_vector3(ray).normalize();
                self.lay_glass_over(
                    x,
                    y,
                    distance,
                    glass(frame, color.extend(instance.opacity), normal, ray),
                );
            });
        }
    }

    fn draw_triangles(&mut self, corners: &[Vertex]) {
        let (frame, [width, height]) = (self.frame, self.raster.size());
        for triangle in corners.as_chunks::<3>().0 {
            let (color, normal) = (unpack_color(triangle[0].color), Vec3::from(triangle[0].normal));
            let points = triangle.map(|corner| frame.view_from_world_point(corner.position.into()));
            clip_near(points, frame.projection.z, |part| {
                let Some(raster) = TriangleRaster::new(frame, Surface::Ground, part, width, height) else {
                    return;
                };
                raster.cover(frame, 0..height, |x, y, distance| {
                    let ray = frame.world_from_view.transform_vector3(self.view_ray(x, y)).normalize();
                    self.lay_glass_over(x, y, distance, glass(frame, color, normal, ray));
                });
            });
        }
    }

    fn draw_lines(&mut self, lines: &[Line]) {
        let near = 1.01 * self.frame.projection.z;
        for line in lines {
            let mut ends = [line.from, line.to].map(|end| self.frame.view_from_world_point(end.into()));
            if ends.iter().all(|end| -end.z < near) {
                continue;
            }
            for (k, other) in [(0, 1), (1, 0)] {
                if -ends[k].z < near {
                    let share = (ends[k].z + near) / (ends[k].z - ends[other].z);
                    ends[k] = ends[k].lerp(ends[other], share);
                }
            }
            self.draw_line(ends, line);
        }
    }

    fn draw_line(&mut self, ends: [Vec3; 2], line: &Line) {
        let [a, b] = ends.map(|end| self.frame.pixel_of(end));
        let half = 0.5 * line.width * self.frame.size.z;
        let way = b - a;
        let (middle, reach) = (0.5 * (a + b), 0.5 * way.abs() + half);
        let [width, height] = self.raster.size();
        let (columns, rows) = (span(middle.x, reach.x, width), span(middle.y, reach.y, height));
        let color = unpack_color(line.color);
        for (y, x) in rows.flat_map(|y| columns.clone().map(move |x| (y, x))) {
            let p = Vec2::new(x as f32 + 0.5, y as f32 + 0.5) - a;
            let t = p.dot(way) / way.length_squared().max(1e-12);
            if (0.0..=1.0).contains(&t) && (p - t * way).length() <= half {
                // The inverse of the distance is linear on screen.
                let inverse = (1.0 - t) / -ends[0].z + t / -ends[1].z;
                self.lay_over(x, y, 1.0 / inverse, color);
            }
        }
    }
}
