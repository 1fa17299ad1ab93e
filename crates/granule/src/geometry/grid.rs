//! A regular grid of nodes and smooth interpolation on it.

use glam::{DVec3, UVec3, Vec3};

use super::error::FieldError;
use super::mesh::Bounds;

/// Most nodes of a grid: 1 GiB of distances and wall integrals.
pub const MOST_NODES: f64 = (1u64 << 27) as f64;
/// Fewest cells between the mesh and the edge of a grid.
const LEAST_PADDING: f32 = 2.0;

/// Nodes at `origin + cell (i, j, k)`, x fastest in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// First node \[m\].
    pub origin: Vec3,
    /// Distance of neighbouring nodes \[m\].
    pub cell: f32,
    /// Nodes along each axis, at least 2.
    pub nodes: UVec3,
}

/// A cell and the place in it.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Lowest corner.
    corner: UVec3,
    /// Place in the cell, 0 to 1 along each axis.
    t: Vec3,
}

impl Grid {
    /// The grid around a box with margins of at least `padding` [m] and two cells.
    pub fn around(bounds: Bounds, cell: f32, padding: f32) -> Result<Self, FieldError> {
        if !(cell > 0.0 && cell.is_finite()) {
            return Err(FieldError::Cell(cell));
        }
        if !(padding >= 0.0 && padding.is_finite()) {
            return Err(FieldError::Padding(padding));
        }
        let margin = padding.max(LEAST_PADDING * cell);
        let size = bounds.size().as_dvec3() + 2.0 * f64::from(margin);
        let count = (size / f64::from(cell)).ceil() + 1.0;
        check_count(count, cell)?;
        // What rounding up adds is shared by both sides.
        let spare = ((count - 1.0) * f64::from(cell) - size).as_vec3();
        Ok(Self { origin: bounds.min - margin - 0.5 * spare, cell, nodes: count.as_uvec3() })
    }

    /// The grid with `step` nodes for every one along each axis.
    pub(super) fn refined(&self, step: u32) -> Self {
        let nodes = (self.nodes - UVec3::ONE).saturating_mul(UVec3::splat(step)).saturating_add(UVec3::ONE);
        Self { origin: self.origin, cell: self.cell / step as f32, nodes }
    }

    /// Refuses grids with too many nodes.
    pub(super) fn check(&self) -> Result<(), FieldError> {
        check_count(self.nodes.as_dvec3(), self.cell)
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.x as usize * self.nodes.y as usize * self.nodes.z as usize
    }

    /// The box that the nodes span.
    pub fn bounds(&self) -> Bounds {
        Bounds { min: self.origin, max: self.origin + self.cell * (self.nodes - UVec3::ONE).as_vec3() }
    }

    /// Place of a node in memory.
    #[inline]
    pub fn index(&self, node: UVec3) -> usize {
        (node.z as usize * self.nodes.y as usize + node.y as usize) * self.nodes.x as usize + node.x as usize
    }

    /// The node at a place in memory.
    #[inline]
    pub fn node(&self, index: usize) -> UVec3 {
        let (x, y) = (self.nodes.x as usize, self.nodes.y as usize);
        UVec3::new((index % x) as u32, (index / x % y) as u32, (index / x / y) as u32)
    }

    /// Position of a node [m].
    #[inline]
    pub fn position(&self, node: UVec3) -> Vec3 {
        self.origin + self.cell * node.as_vec3()
    }

    /// The cell that contains a point of the grid.
    #[inline]
    pub fn cell_of(&self, point: Vec3) -> UVec3 {
        self.place(point).corner
    }

    /// The cell that contains a point of the grid, and the point's place in it, 0 to 1 along each axis.
    #[inline]
    pub fn place_of(&self, point: Vec3) -> (UVec3, Vec3) {
        let Place { corner, t } = self.place(point);
        (corner, t)
    }

    #[inline]
    fn place(&self, point: Vec3) -> Place {
        let place = (point - self.origin) / self.cell;
        // Casts round down and saturate, so that points outside land in the outermost cells.
        let corner = place.as_uvec3().min(self.nodes - UVec3::splat(2));
        Place { corner, t: place - corner.as_vec3() }
    }

    /// Central difference at a node, one-sided on the edge of the grid.
    #[inline]
    pub fn difference(&self, value: &impl Fn(usize) -> f32, node: UVec3) -> Vec3 {
        let at = self.index(node);
        let strides = [1, self.nodes.x as usize, self.nodes.x as usize * self.nodes.y as usize];
        let mut result = Vec3::ZERO;
        for axis in 0..3 {
            let below = usize::from(node[axis] > 0);
            let above = usize::from(node[axis] + 1 < self.nodes[axis]);
            let rise = value(at + above * strides[axis]) - value(at - below * strides[axis]);
            result[axis] = rise / ((above + below) as f32 * self.cell);
        }
        result
    }

    /// Central difference of fourth order at a node, of second order next to the edge of the grid.
    #[inline]
    pub fn fine_difference(&self, value: &impl Fn(usize) -> f32, node: UVec3) -> Vec3 {
        let near_edge = node.cmplt(UVec3::splat(2)) | (node + UVec3::splat(2)).cmpge(self.nodes);
        if near_edge.any() {
            return self.difference(value, node);
        }
        let at = self.index(node);
        let strides = [1, self.nodes.x as usize, self.nodes.x as usize * self.nodes.y as usize];
        let rise = |step: usize| value(at + step) - value(at - step);
        Vec3::from(strides.map(|step| 8.0 * rise(step) - rise(2 * step))) / (12.0 * self.cell)
    }

    /// Second differences at a node: along the axes, and mixed as (yz, zx, xy); 0 on the edge of the grid.
    #[inline]
    fn second_differences(&self, value: &impl Fn(usize) -> f32, node: UVec3) -> [Vec3; 2] {
        if (node.cmplt(UVec3::ONE) | (node + UVec3::ONE).cmpge(self.nodes)).any() {
            return [Vec3::ZERO; 2];
        }
        let at = self.index(node);
        let strides = [1, self.nodes.x as usize, self.nodes.x as usize * self.nodes.y as usize];
        let own = value(at);
        let along = strides.map(|step| value(at + step) - 2.0 * own + value(at - step));
        let mixed = [0, 1, 2].map(|axis| {
            let (a, b) = (strides[(axis + 1) % 3], strides[(axis + 2) % 3]);
            0.25 * (value(at + b + a) - value(at + b - a) - value(at + a - b) + value(at - b - a))
        });
        [along, mixed].map(|three| Vec3::from(three) / (self.cell * self.cell))
    }

    /// [`smooth`](Self::smooth) with a gradient that is exact for cubic fields: for smooth fields whose gradient
    /// matters as much as their value.
    #[inline]
    pub fn smoothest(&self, value: impl Fn(usize) -> f32, point: Vec3) -> (f32, Vec3) {
        let (mut sum, mut gradient) = (0.0, Vec3::ZERO);
        self.each_corner(point, |node, weight, offset| {
            let slope = self.fine_difference(&value, node);
            let [along, mixed] = self.second_differences(&value, node);
            let turned = along * offset
                + Vec3::new(
                    mixed.z * offset.y + mixed.y * offset.z,
                    mixed.z * offset.x + mixed.x * offset.z,
                    mixed.y * offset.x + mixed.x * offset.y,
                );
            sum += weight * (value(self.index(node)) + 0.5 * slope.dot(offset));
            gradient += weight * (slope + 0.5 * turned);
        });
        (sum, gradient)
    }

    /// Calls `visit` with the nodes of a point's cell, their linear weights, and the offset of the point from them [m].
    #[inline]
    fn each_corner(&self, point: Vec3, mut visit: impl FnMut(UVec3, f32, Vec3)) {
        let Place { corner, t } = self.place(point);
        for k in 0..8 {
            let side = UVec3::new(k & 1, k >> 1 & 1, k >> 2);
            let offset = t - side.as_vec3();
            let weights = Vec3::ONE - offset.abs();
            visit(corner + side, weights.x * weights.y * weights.z, self.cell * offset);
        }
    }

    /// Value and gradient at a point of the grid, both continuous.
    ///
    /// ```text
    /// f(x) = sum_i w_i(x) (f_i + g_i . (x - x_i) / 2),    g(x) = sum_i w_i(x) g_i
    /// ```
    ///
    /// with the linear weights `w_i` of the cell's eight nodes; `g_i` is what `slope` gives for a node. Linear
    /// interpolation alone overestimates where the field is curved, expansion about the nodes underestimates as much:
    /// their mean is exact for quadratic fields.
    #[inline]
    pub fn smooth(
        &self,
        value: impl Fn(usize) -> f32,
        slope: impl Fn(UVec3) -> Vec3,
        point: Vec3,
    ) -> (f32, Vec3) {
        let (mut sum, mut gradient) = (0.0, Vec3::ZERO);
        self.each_corner(point, |node, weight, offset| {
            let slope = slope(node);
            sum += weight * (value(self.index(node)) + 0.5 * slope.dot(offset));
            gradient += weight * slope;
        });
        (sum, gradient)
    }
}

fn check_count(count: DVec3, cell: f32) -> Result<(), FieldError> {
    let nodes = count.x * count.y * count.z;
    if nodes <= MOST_NODES {
        return Ok(());
    }
    let least = f64::from(cell) * (nodes / MOST_NODES).cbrt();
    let gigabytes = MOST_NODES * 8.0 / 1e9;
    Err(FieldError::TooManyNodes { nodes, cell, most: MOST_NODES, gigabytes, least })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadratic_fields_are_interpolated_exactly() {
        let bounds = Bounds { min: Vec3::splat(-1.0), max: Vec3::new(1.0, 0.5, 0.7) };
        let grid = Grid::around(bounds, 0.1, 0.0).unwrap();
        let f = |p: Vec3| 1.0 + p.x - 2.0 * p.y * p.y + 3.0 * p.x * p.z + p.z * p.z;
        let slope = |p: Vec3| Vec3::new(1.0 + 3.0 * p.z, -4.0 * p.y, 3.0 * p.x + 2.0 * p.z);
        let values: Vec<f32> = (0..grid.node_count()).map(|k| f(grid.position(grid.node(k)))).collect();
        for k in 0..100 {
            let s = k as f32 / 100.0;
            let point = Vec3::new(2.0 * s - 1.0, 0.5 - 1.5 * s * s, 1.7 * s - 1.0);
            let (value, gradient) =
                grid.smooth(|k| values[k], |node| grid.difference(&|k| values[k], node), point);
            assert!((value - f(point)).abs() < 1e-4, "{value} {}", f(point));
            assert!((gradient - slope(point)).length() < 1e-3, "{gradient} {}", slope(point));
        }
    }

    #[test]
    fn grids_cover_the_padded_box_and_refuse_to_be_too_large() {
        let bounds = Bounds { min: Vec3::new(0.3, -1.0, 2.0), max: Vec3::new(1.0, 0.0, 2.5) };
        let grid = Grid::around(bounds, 0.07, 0.5).unwrap();
        let covered = grid.bounds();
        for axis in 0..3 {
            assert!(
                covered.min[axis] <= bounds.min[axis] - 0.499
                    && covered.max[axis] >= bounds.max[axis] + 0.499
            );
        }
        for k in [0, 17, 400] {
            assert_eq!(grid.index(grid.node(k)), k);
        }
        assert_eq!(Grid::around(bounds, 0.0, 0.0), Err(FieldError::Cell(0.0)));
        assert!(matches!(Grid::around(bounds, f32::NAN, 0.0), Err(FieldError::Cell(_))));
        assert_eq!(Grid::around(bounds, 0.1, -1.0), Err(FieldError::Padding(-1.0)));
        assert!(matches!(Grid::around(bounds, 1e-4, 0.0), Err(FieldError::TooManyNodes { .. })));
    }
}
