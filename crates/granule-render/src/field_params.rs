//! The numbers of a view of a field that shaders and software share.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3, Vec4};

use crate::field::FieldView;
use crate::frame::FrameParams;

/// Mirror of `Field` in `shader/field.wgsl`; a test compares the layouts.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct FieldParams {
    /// From the camera's axes to nodes of the grid, counted from the first one.
    pub grid_from_view: Mat4,
    /// From directions of the grid to those of the world.
    pub world_from_grid: Mat4,
    /// Nodes along the axes, and the most that a value changes over the length of a cell.
    pub nodes: Vec4,
    /// Unit normal of the slice in the camera's axes, and its distance from the eye along it \[m\].
    pub plane: Vec4,
    /// The slice's lowest value, inverse width of its range, step between lines; whether there is a slice.
    pub slice: Vec4,
    /// Colour and value of the iso-surface.
    pub iso: Vec4,
    /// Whether there is an iso-surface, whether it is seen from both sides, cells per metre, whether it is cut.
    pub options: Vec4,
    /// Unit normal of the cut in the camera's axes, and its distance from the eye along it \[m\].
    pub cut: Vec4,
}

impl FieldParams {
    /// The numbers of a view for a picture.
    pub fn new(view: &FieldView, frame: &FrameParams) -> Self {
        let grid = &view.grid;
        let world_from_view = frame.world_from_view.as_dmat4();
        let scale = 1.0 / f64::from(grid.spacing);
        let grid_from_field = glam::DMat4::from_scale(glam::DVec3::splat(scale))
            * glam::DMat4::from_translation(-grid.origin.as_dvec3());
        let field_from_world = Mat4::from(view.world_from_field).as_dmat4().inverse();
        let on = |condition: bool| f32::from(u8::from(condition));
        let plane_in_view = |point: Vec3, normal: Vec3| {
            let normal = frame.view_from_world.transform_vector3(normal.normalize());
            normal.extend(normal.dot(frame.view_from_world_point(point)))
        };
        let (plane, slice) = view.slice.map_or((Vec4::Z, Vec4::ZERO), |slice| {
            let [low, high] = slice.range;
            let numbers = Vec4::new(low, 1.0 / (high - low), slice.step, 1.0);
            (plane_in_view(slice.point, slice.normal), numbers)
        });
        let iso = view.iso.map_or(Vec4::ZERO, |iso| iso.color.extend(iso.value));
        Self {
            grid_from_view: (grid_from_field * field_from_world * world_from_view).as_mat4(),
            world_from_grid: Mat4::from(view.world_from_field),
            nodes: grid.nodes.as_vec3().extend(grid.slope),
            plane,
            slice,
            iso,
            options: Vec4::new(
                on(view.iso.is_some()),
                on(view.iso.is_some_and(|iso| iso.both_sides)),
                scale as f32,
                on(view.cut.is_some()),
            ),
            cut: view.cut.map_or(Vec4::Z, |cut| plane_in_view(cut.point, cut.normal)),
        }
    }
}
