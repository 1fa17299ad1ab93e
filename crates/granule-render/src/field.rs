//! Views of a scalar field on a grid: a slice with lines of equal value, and an iso-surface.

use std::sync::Arc;

use glam::{Affine3A, UVec3, Vec3};

use crate::RenderError;
use crate::camera::Bounds;
use crate::colormap::ColorMap;

/// Numbers on the nodes of a grid of cubes, linear in between along every axis.
#[derive(Debug)]
pub struct ScalarGrid {
    pub(crate) origin: Vec3,
    pub(crate) spacing: f32,
    pub(crate) nodes: UVec3,
    values: Vec<f32>,
    /// The most that a value changes over the length of a cell, in any direction.
    pub(crate) slope: f32,
}

impl ScalarGrid {
    /// A grid with its first node at `origin` \[m\], a distance between nodes \[m\], and values with x running fastest.
    ///
    /// # Errors
    /// A grid needs two nodes along every axis, a positive spacing, one value per node and finite values.
    pub fn new(
        origin: Vec3,
        spacing: f32,
        nodes: [u32; 3],
        values: Vec<f32>,
    ) -> Result<Arc<Self>, RenderError> {
        let count = nodes.iter().map(|count| *count as usize).product::<usize>();
        let sound = origin.is_finite() && spacing.is_finite() && spacing > 0.0;
        if !sound || nodes.iter().any(|count| *count < 2) || values.len() != count {
            return Err(RenderError::Grid { nodes, values: values.len() });
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(RenderError::GridValue { index });
        }
        let nodes = UVec3::from_array(nodes);
        let slope = steepest(nodes, &values);
        Ok(Arc::new(Self { origin, spacing, nodes, values, slope }))
    }

    /// A grid over a box with about the given number of cells along its longest side, filled by a function of places.
    ///
    /// # Errors
    /// As [`ScalarGrid::new`].
    pub fn sampled(
        bounds: &Bounds,
        cells: u32,
        value: impl Fn(Vec3) -> f32 + Sync,
    ) -> Result<Arc<Self>, RenderError> {
        use rayon::prelude::*;
        let size = bounds.max - bounds.min;
        let spacing = size.max_element() / cells.max(1) as f32;
        let nodes = (size / spacing - 1e-3).ceil().as_uvec3().max(UVec3::ONE) + 1;
        let at = |k: usize| {
            let (k, row) = (k as u32, nodes.x * nodes.y);
            UVec3::new(k % nodes.x, k % row / nodes.x, k / row)
        };
        let count = nodes.x as usize * nodes.y as usize * nodes.z as usize;
        let place = |k: usize| bounds.min + at(k).as_vec3() * spacing;
        let values = (0..count).into_par_iter().map(|k| value(place(k))).collect();
        Self::new(bounds.min, spacing, nodes.to_array(), values)
    }

    /// The values, x running fastest.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Nodes along the axes.
    pub fn nodes(&self) -> [u32; 3] {
        self.nodes.to_array()
    }

    /// The box that the grid covers \[m\].
    pub fn bounds(&self) -> Bounds {
        Bounds { min: self.origin, max: self.origin + (self.nodes - 1).as_vec3() * self.spacing }
    }

    /// The value at a place in nodes from the first one; twin of `field_value` in `shader/field.wgsl`.
    pub(crate) fn value(&self, place: Vec3) -> f32 {
        let last = (self.nodes - 1).as_vec3();
        let inside = place.clamp(Vec3::ZERO, last);
        let cell = inside.floor().min(last - 1.0);
        let [x, y, z] = (inside - cell).to_array();
        let cell = cell.as_uvec3();
        let node = |dx: u32, dy: u32, dz: u32| {
            self.values[(((cell.z + dz) * self.nodes.y + cell.y + dy) * self.nodes.x + cell.x + dx) as usize]
        };
        let mix = |a: f32, b: f32, t: f32| a * (1.0 - t) + b * t;
        let plane = |dz: u32| {
            let front = mix(node(0, 0, dz), node(1, 0, dz), x);
            mix(front, mix(node(0, 1, dz), node(1, 1, dz), x), y)
        };
        mix(plane(0), plane(1), z)
    }

    /// Change of the value per cell along the axes, over a cell to both sides; twin of `field_gradient`.
    pub(crate) fn gradient(&self, place: Vec3) -> Vec3 {
        let last = (self.nodes - 1).as_vec3();
        let along = |axis: Vec3| {
            let (high, low) = ((place + axis).min(last), (place - axis).max(Vec3::ZERO));
            (self.value(high) - self.value(low)) / (high - low).dot(axis)
        };
        Vec3::new(along(Vec3::X), along(Vec3::Y), along(Vec3::Z))
    }
}

/// A bound on the change of an interpolated field over the length of a cell: the largest differences between neighbours
/// along each axis, put together as a vector.
fn steepest(nodes: UVec3, values: &[f32]) -> f32 {
    let strides = [1, nodes.x as usize, nodes.x as usize * nodes.y as usize];
    let mut most = Vec3::ZERO;
    for (axis, stride) in strides.into_iter().enumerate() {
        let is_last = |k: usize| k / stride % nodes[axis] as usize == nodes[axis] as usize - 1;
        let steps = (0..values.len()).filter(|k| !is_last(*k));
        most[axis] = steps.map(|k| (values[k + stride] - values[k]).abs()).fold(0.0, f32::max);
    }
    most.length().max(f32::MIN_POSITIVE)
}

/// A plane through a field, coloured by it. It shows its colours as they are, without light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// A point of the plane \[m\].
    pub point: Vec3,
    /// Its normal; need not be a unit vector.
    pub normal: Vec3,
    /// The colours.
    pub map: ColorMap,
    /// The values at both ends of the map.
    pub range: [f32; 2],
    /// Lines of equal value are drawn at multiples of this; none where it is 0. The line of zero is wide and black.
    pub step: f32,
}

/// The surface where a field has a value; lit, but without a shadow of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IsoSurface {
    /// The value.
    pub value: f32,
    /// Linear colour.
    pub color: Vec3,
    /// Whether it is also seen from the side of lower values. Otherwise one looks through the wall of a container that
    /// is nearer than its content, since distances are negative inside walls.
    pub both_sides: bool,
}

/// A plane that cuts a view open: what lies on the side of its normal is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// A point of the plane \[m\].
    pub point: Vec3,
    /// Its normal; need not be a unit vector.
    pub normal: Vec3,
}

impl Cut {
    /// Whether a point is left out.
    pub fn removes(&self, point: Vec3) -> bool {
        (point - self.point).dot(self.normal) > 0.0
    }
}

/// What is shown of a field.
#[derive(Clone, Debug)]
pub struct FieldView {
    /// The field.
    pub grid: Arc<ScalarGrid>,
    /// From the grid's axes to the world: a rotation and a shift.
    pub world_from_field: Affine3A,
    /// A plane through it.
    pub slice: Option<Slice>,
    /// A surface of equal value.
    pub iso: Option<IsoSurface>,
    /// Cuts the surface open; where its inside (lower values) is cut, the cut is closed by a flat face.
    pub cut: Option<Cut>,
}

impl FieldView {
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        let plane = self.slice.is_none_or(|slice| {
            let [low, high] = slice.range;
            let numbers = [slice.point.dot(slice.normal), low, high, slice.step];
            let finite = numbers.iter().all(|number| number.is_finite());
            finite && slice.normal.length_squared() > 0.0 && low < high && slice.step >= 0.0
        });
        let surface = self.iso.is_none_or(|iso| iso.value.is_finite() && iso.color.is_finite());
        let cut = self
            .cut
            .is_none_or(|cut| cut.point.dot(cut.normal).is_finite() && cut.normal.length_squared() > 0.0);
        match plane && surface && cut && self.world_from_field.is_finite() {
            true => Ok(()),
            false => Err(RenderError::FieldView),
        }
    }

    /// The box around the field in the world \[m\].
    pub fn bounds(&self) -> Bounds {
        let corners = self.grid.bounds().corners();
        let placed = corners.map(|corner| self.world_from_field.transform_point3(corner));
        Bounds::of_points(placed.into_iter()).unwrap_or_else(|| self.grid.bounds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Bounds = Bounds { min: Vec3::new(-1.0, 0.0, 2.0), max: Vec3::new(1.0, 1.0, 3.0) };

    #[test]
    fn linear_fields_are_exact_everywhere_with_their_gradients() {
        let linear = |x: Vec3| 3.0 * x.x - 2.0 * x.y + 0.5 * x.z + 1.0;
        let grid = ScalarGrid::sampled(&BOX, 20, linear).unwrap();
        assert_eq!(grid.nodes(), [21, 11, 11]);
        for place in [Vec3::new(0.0, 0.3, 7.9), Vec3::new(20.0, 10.0, 10.0), Vec3::new(3.7, 0.0, 5.2)] {
            let exact = linear(BOX.min + 0.1 * place);
            assert!((grid.value(place) - exact).abs() < 1e-5, "{place}");
            assert!((grid.gradient(place) - Vec3::new(0.3, -0.2, 0.05)).length() < 1e-4, "{place}");
        }
        assert!((grid.slope - Vec3::new(0.3, 0.2, 0.05).length()).abs() < 1e-5);
    }

    #[test]
    fn no_two_places_differ_by_more_than_the_slope_says() {
        let grid = ScalarGrid::sampled(&BOX, 8, |x| (7.0 * x.x).sin() * (5.0 * x.y + x.z).cos()).unwrap();
        for k in 0..2000u32 {
            let random = |channel| crate::shading::grain_random(k, channel);
            let a = Vec3::new(8.0 * random(0), 4.0 * random(1), 4.0 * random(2));
            let b = Vec3::new(8.0 * random(3), 4.0 * random(4), 4.0 * random(5));
            let change = (grid.value(a) - grid.value(b)).abs();
            assert!(change <= grid.slope * a.distance(b) + 1e-4, "{a} {b}");
        }
    }

    #[test]
    fn wrong_grids_are_refused() {
        let grid = |spacing, nodes, count| ScalarGrid::new(Vec3::ZERO, spacing, nodes, vec![0.0; count]);
        assert!(grid(0.1, [2, 2, 2], 8).is_ok());
        for (spacing, nodes, count) in
            [(0.0, [2, 2, 2], 8), (0.1, [1, 2, 2], 4), (0.1, [2, 2, 2], 7), (f32::NAN, [2, 2, 2], 8)]
        {
            assert!(matches!(grid(spacing, nodes, count), Err(RenderError::Grid { .. })));
        }
        let nan = ScalarGrid::new(Vec3::ZERO, 0.1, [2, 2, 2], vec![f32::NAN; 8]);
        assert!(matches!(nan, Err(RenderError::GridValue { index: 0 })));
    }
}
