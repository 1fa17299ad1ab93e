//! Views of a field on CPU cores; twin of `shader/iso.wgsl` and `shader/slice.wgsl`.

use glam::{Vec2, Vec3};

use super::seen::{Seen, Surface};
use crate::colormap::linear_from_srgb;
use crate::field::{FieldView, ScalarGrid, Slice};
use crate::field_params::FieldParams;
use crate::frame::FrameParams;

/// Halvings of the step in which the surface lies.
const HALVINGS: u32 = 12;
/// Widths of lines \[pixels\].
const LINE: f32 = 1.2;
const ZERO_LINE: f32 = 3.0;

/// Where a ray meets an iso-surface.
struct IsoHit {
    /// Distance along the view direction \[m\].
    distance: f32,
    /// Whether it is the face that closes a cut.
    is_cut: bool,
}

/// Finds the view of a field along rays.
pub struct FieldTracer<'a> {
    grid: &'a ScalarGrid,
    params: FieldParams,
    slice: Option<Slice>,
}

impl<'a> FieldTracer<'a> {
    /// For a picture.
    pub fn new(view: &'a FieldView, frame: &FrameParams) -> Self {
        Self { grid: &view.grid, params: FieldParams::new(view, frame), slice: view.slice }
    }

    /// Where the ray through a sample meets iso-surface and slice.
    pub fn trace(&self, frame: &FrameParams, place: Vec2) -> impl Iterator<Item = Seen> {
        let ray = frame.view_ray(place);
        let near = frame.projection.z;
        let iso = if self.params.options.x > 0.0 { self.iso_hit(ray, near) } else { None };
        let iso = iso.map(|hit| Seen {
            distance: hit.distance,
            surface: if hit.is_cut { Surface::Cut } else { Surface::Iso },
        });
        let slice = self.slice.and_then(|_| self.slice_distance(ray, near));
        let slice = slice.map(|distance| Seen { distance, surface: Surface::Slice });
        iso.into_iter().chain(slice)
    }

    /// A point in the camera's axes in nodes of the grid.
    fn grid_coordinates(&self, point: Vec3) -> Vec3 {
        self.params.grid_from_view.transform_point3(point)
    }

    /// Where a ray meets the surface.
    fn iso_hit(&self, ray: Vec3, near: f32) -> Option<IsoHit> {
        let start = self.grid_coordinates(Vec3::ZERO);
        let way = self.params.grid_from_view.transform_vector3(ray);
        let last = self.params.nodes.truncate() - 1.0;
        let (to_first, to_last) = (-start / way, (last - start) / way);
        let mut t = to_first.min(to_last).max_element().max(near);
        let mut end = to_first.max(to_last).min_element();
        let mut is_cut = false;
        if self.params.options.w > 0.0 {
            let (cut, rise) = (self.params.cut.w, self.params.cut.truncate().dot(ray));
            if cut < 0.0 {
                if rise >= 0.0 {
                    return None;
                }
                is_cut = cut / rise > t;
                t = t.max(cut / rise);
            } else if rise > 0.0 {
                end = end.min(cut / rise);
            }
        }
        let value_at = |t: f32| self.grid.value(start + way * t) - self.params.iso.w;
        let mut value = if t < end { value_at(t) } else { return None };
        if is_cut && value <= 0.0 {
            return Some(IsoHit { distance: t, is_cut });
        }
        while t < end {
            let next = (t + (value.abs() / self.params.nodes.w).max(0.5) / way.length()).min(end);
            let next_value = value_at(next);
            let (enters, leaves) = (value > 0.0 && next_value <= 0.0, value <= 0.0 && next_value > 0.0);
            if enters || (leaves && self.params.options.y > 0.0) {
                let (mut low, mut high) = (t, next);
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (low + high);
                    *(if (value_at(middle) > 0.0) == enters { &mut low } else { &mut high }) = middle;
                }
                return Some(IsoHit { distance: 0.5 * (low + high), is_cut: false });
            }
            if next <= t {
                return None;
            }
            (t, value) = (next, next_value);
        }
        None
    }

    fn slice_distance(&self, ray: Vec3, near: f32) -> Option<f32> {
        let distance = self.params.plane.w / self.params.plane.truncate().dot(ray);
        let place = self.grid_coordinates(ray * distance);
        let room = Vec3::splat(1e-3);
        let last = self.params.nodes.truncate() - 1.0;
        let inside = place.cmpge(-room).all() && place.cmple(last + room).all();
        (inside && distance >= near && distance < 1e30).then_some(distance)
    }

    /// Normal of the surface at a point in the camera's axes, on the side that is seen.
    pub fn iso_normal(&self, point: Vec3, world_ray: Vec3) -> Vec3 {
        let gradient = self.grid.gradient(self.grid_coordinates(point));
        let normal = self.params.world_from_grid.transform_vector3(gradient).normalize_or(-world_ray);
        if normal.dot(world_ray) < 0.0 { normal } else { -normal }
    }

    /// Normal of the face that closes a cut, on the side that is seen.
    pub fn cut_normal(&self, frame: &FrameParams, world_ray: Vec3) -> Vec3 {
        let normal = frame.world_from_view.transform_vector3(self.params.cut.truncate());
        if normal.dot(world_ray) < 0.0 { normal } else { -normal }
    }

    /// Linear colour of the surface.
    pub fn iso_color(&self) -> Vec3 {
        self.params.iso.truncate()
    }

    /// Linear colour of the slice at a point in the camera's axes.
    pub fn slice_color(&self, frame: &FrameParams, point: Vec3) -> Vec3 {
        let Some(slice) = self.slice else { return Vec3::ZERO };
        let place = self.grid_coordinates(point);
        let value = self.grid.value(place);
        let color = linear_from_srgb(slice.map.srgb((value - slice.range[0]) * self.params.slice.y));
        if slice.step <= 0.0 {
            return color;
        }
        let gradient = self.params.world_from_grid.transform_vector3(self.grid.gradient(place));
        let gradient = gradient * self.params.options.z;
        let along = gradient.reject_from_normalized(slice.normal.normalize()).length();
        let pixel = 2.0 * frame.projection.y * -point.z / frame.size.y * frame.size.z;
        let number = (value / slice.step).round_ties_even();
        let away = (value - number * slice.step).abs() / along.max(1e-20);
        let width = if number == 0.0 { ZERO_LINE } else { LINE };
        let is_steep = along > 0.02 * self.params.nodes.w * self.params.options.z;
        match is_steep && away < 0.5 * pixel * width {
            true if number == 0.0 => Vec3::ZERO,
            true => 0.3 * color,
            false => color,
        }
    }
}
