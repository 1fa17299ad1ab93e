//! What every sample of a picture shows: the nearest sphere or the ground, and see-through layers before it.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3, Vec4};
use rayon::prelude::*;

use super::shadow::span;
use crate::frame::FrameParams;
use crate::subject::{Line, Subject, Vertex, unpack_color};

/// Rows of samples that are drawn together.
const BAND: usize = 32;

/// The nearest solid thing that a sample shows.
#[derive(Clone, Copy)]
pub struct Seen {
    /// Distance along the view direction [m]; infinite where there is nothing.
    pub distance: f32,
    /// The sphere; the ground where absent.
    pub sphere: Option<u32>,
}

/// Something see-through in front of a sample.
#[derive(Clone, Copy)]
pub struct Layer {
    /// Linear colour and opacity.
    pub color: Vec4,
    /// Normal, where light falls on it.
    pub normal: Option<Vec3>,
}

/// The samples of a picture.
pub struct Raster {
    width: usize,
    seen: Vec<Seen>,
    layers: BTreeMap<usize, Vec<Layer>>,
}

/// A sphere in the camera's axes with the rows and columns of samples that it may cover.
struct Ball {
    index: u32,
    center: Vec3,
    radius: f32,
    columns: std::ops::Range<usize>,
    rows: std::ops::Range<usize>,
}

impl Raster {
    /// Finds what every sample shows.
    pub fn new(frame: &FrameParams, subject: &Subject) -> Self {
        let (width, height) = (frame.size.x as usize, frame.size.y as usize);
        let balls: Vec<Ball> = subject
            .spheres
            .par_iter()
            .enumerate()
            .filter_map(|(index, sphere)| Ball::new(frame, index as u32, sphere, width, height))
            .collect();
        let mut bands: Vec<Vec<u32>> = vec![Vec::new(); height.div_ceil(BAND)];
        for (index, ball) in balls.iter().enumerate() {
            for band in &mut bands[ball.rows.start / BAND..ball.rows.end.div_ceil(BAND)] {
                band.push(index as u32);
            }
        }
        let mut seen = vec![Seen { distance: f32::INFINITY, sphere: None }; width * height];
        seen.par_chunks_mut(width * BAND).zip(&bands).enumerate().for_each(|(band, (samples, members))| {
            let first = band * BAND;
            for (k, sample) in samples.iter_mut().enumerate() {
                sample.distance = ground_distance(frame, k % width, first + k / width);
            }
            for ball in members.iter().map(|index| &balls[*index as usize]) {
                ball.draw(frame, samples, first, width);
            }
        });
        let mut raster = Self { width, seen, layers: BTreeMap::new() };
        raster.draw_triangles(frame, subject.triangles);
        raster.draw_lines(frame, subject.lines);
        raster
    }

    /// The nearest solid thing at a sample.
    pub fn at(&self, x: u32, y: u32) -> Seen {
        self.seen[y as usize * self.width + x as usize]
    }

    /// What lies over a sample, in the order of drawing.
    pub fn layers(&self, x: u32, y: u32) -> &[Layer] {
        self.layers.get(&(y as usize * self.width + x as usize)).map_or(&[], Vec::as_slice)
    }

    fn lay_over(&mut self, x: usize, y: usize, distance: f32, layer: Layer) {
        let sample = y * self.width + x;
        if distance < self.seen[sample].distance {
            self.layers.entry(sample).or_default().push(layer);
        }
    }

    fn height(&self) -> usize {
        self.seen.len() / self.width
    }

    fn draw_triangles(&mut self, frame: &FrameParams, corners: &[Vertex]) {
        for triangle in corners.as_chunks::<3>().0 {
            let points = triangle.map(|corner| frame.view_from_world_point(corner.position.into()));
            // A triangle that reaches behind the eye is left out: the software renderer does not clip.
            if points.iter().any(|point| -point.z <= frame.projection.z) {
                continue;
            }
            self.draw_triangle(frame, points, &triangle[0]);
        }
    }

    fn draw_triangle(&mut self, frame: &FrameParams, points: [Vec3; 3], look: &Vertex) {
        let normal = (points[1] - points[0]).cross(points[2] - points[0]);
        let places = points.map(|point| frame.pixel_of(point));
        let (low, high) = (places[0].min(places[1]).min(places[2]), places[0].max(places[1]).max(places[2]));
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let (columns, rows) = (span(middle.x, half.x, self.width), span(middle.y, half.y, self.height()));
        let cross = |a: Vec2, b: Vec2, p: Vec2| (b - a).perp_dot(p - a);
        let area = cross(places[0], places[1], places[2]);
        for (y, x) in rows.flat_map(|y| columns.clone().map(move |x| (y, x))) {
            let p = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
            let inside = (0..3).all(|k| cross(places[k], places[(k + 1) % 3], p) * area > 0.0);
            let ray = frame.view_ray(p);
            let distance = points[0].dot(normal) / ray.dot(normal);
            if inside && distance.is_finite() {
                let world_normal = Vec3::from(look.normal);
                let flatness =
                    1.0 - frame.world_from_view.transform_vector3(ray).normalize().dot(world_normal).abs();
                let mut color = unpack_color(look.color);
                color.w += (1.0 - color.w) * 0.35 * flatness.powi(3);
                self.lay_over(x, y, distance, Layer { color, normal: Some(world_normal) });
            }
        }
    }

    fn draw_lines(&mut self, frame: &FrameParams, lines: &[Line]) {
        let near = 1.01 * frame.projection.z;
        for line in lines {
            let mut ends = [line.from, line.to].map(|end| frame.view_from_world_point(end.into()));
            if ends.iter().all(|end| -end.z < near) {
                continue;
            }
            for (k, other) in [(0, 1), (1, 0)] {
                if -ends[k].z < near {
                    let share = (ends[k].z + near) / (ends[k].z - ends[other].z);
                    ends[k] = ends[k].lerp(ends[other], share);
                }
            }
            self.draw_line(frame, ends, line);
        }
    }

    fn draw_line(&mut self, frame: &FrameParams, ends: [Vec3; 2], line: &Line) {
        let [a, b] = ends.map(|end| frame.pixel_of(end));
        let half = 0.5 * line.width * frame.size.z;
        let way = b - a;
        let (middle, reach) = (0.5 * (a + b), 0.5 * way.abs() + half);
        let (columns, rows) = (span(middle.x, reach.x, self.width), span(middle.y, reach.y, self.height()));
        let layer = Layer { color: unpack_color(line.color), normal: None };
        for (y, x) in rows.flat_map(|y| columns.clone().map(move |x| (y, x))) {
            let p = Vec2::new(x as f32 + 0.5, y as f32 + 0.5) - a;
            let t = p.dot(way) / way.length_squared().max(1e-12);
            if (0.0..=1.0).contains(&t) && (p - t * way).length() <= half {
                // The inverse of the distance is linear on screen.
                let inverse = (1.0 - t) / -ends[0].z + t / -ends[1].z;
                self.lay_over(x, y, 1.0 / inverse, layer);
            }
        }
    }
}

impl Ball {
    /// `None` where the sphere is behind the eye, around it, or beside the picture.
    fn new(
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
    fn draw(&self, frame: &FrameParams, samples: &mut [Seen], first: usize, width: usize) {
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
                    *sample = Seen { distance, sphere: Some(self.index) };
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
fn extent(
    a: f32,
    z: f32,
    radius: f32,
    tangent: f32,
    size: f32,
    sign: f32,
    side: usize,
) -> std::ops::Range<usize> {
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

fn ground_distance(frame: &FrameParams, x: usize, y: usize) -> f32 {
    let ray = frame.view_ray(Vec2::new(x as f32 + 0.5, y as f32 + 0.5));
    let fall = frame.world_from_view.transform_vector3(ray).y;
    let distance = (frame.ground.w - frame.world_from_view.w_axis.y) / fall;
    if fall < 0.0 && frame.ground_fade.w > 0.0 && distance >= frame.projection.z {
        distance
    } else {
        f32::INFINITY
    }
}
