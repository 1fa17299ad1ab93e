//! Sand cut open: grains on one side of a plane are left out, and the plane can show a field inside.

use glam::{Affine3A, Vec3};
use granule_render::{Bounds, ColorMap, FieldView, ScalarGrid, Slice};

/// Nodes of the plane's grid along its longer side, at most.
const MOST_NODES: f32 = 160.0;
/// Reach of a grain's value in radii.
const REACH: f32 = 3.0;
/// Empty space has this value.
const NOTHING: f32 = 0.0;

/// A plane across an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutOpen {
    /// The axis: 0, 1, 2 for x, y, z.
    pub axis: usize,
    /// Where it is along the axis \[m\].
    pub position: f32,
    /// Whether the plane shows the field that colours grains.
    pub field: bool,
}

impl CutOpen {
    /// Whether a place is left out.
    pub fn removes(&self, place: &[f32; 3]) -> bool {
        place[self.axis] > self.position
    }

    /// The field of values at places on the plane: means over the grains near by.
    pub fn field(
        &self,
        positions: &[[f32; 3]],
        values: &[f32],
        radius: f32,
        map: ColorMap,
        range: [f32; 2],
    ) -> Option<FieldView> {
        let bounds = Bounds::of_points(positions.iter().map(|x| Vec3::from(*x)))?;
        let (reach, mut min, mut max) = (REACH * radius, bounds.min - radius, bounds.max + radius);
        let longest = (max - min).max_element();
        let spacing = radius.max(longest / MOST_NODES);
        min[self.axis] = self.position - 0.5 * spacing;
        max[self.axis] = self.position + 0.5 * spacing;
        let mut nodes = ((max - min) / spacing).ceil().as_uvec3().max(glam::UVec3::ONE) + 1;
        nodes[self.axis] = 2;
        let mut sums = vec![[0.0_f32; 2]; (nodes.x * nodes.y * nodes.z) as usize];
        for (position, value) in positions.iter().zip(values) {
            if (position[self.axis] - self.position).abs() < reach + spacing {
                spread(&mut sums, nodes, min, spacing, Vec3::from(*position), *value, reach);
            }
        }
        let mean = |[weight, sum]: &[f32; 2]| if *weight > 0.0 { sum / weight } else { NOTHING };
        let values: Vec<f32> = sums.iter().map(mean).collect();
        let grid = ScalarGrid::new(min, spacing, nodes.to_array(), values).ok()?;
        let mut point = 0.5 * (min + max);
        point[self.axis] = self.position;
        let normal = Vec3::AXES[self.axis];
        Some(FieldView {
            grid,
            world_from_field: Affine3A::IDENTITY,
            slice: Some(Slice { point, normal, map, range, step: 0.0 }),
            iso: None,
            cut: None,
        })
    }
}

/// Adds a grain's value to the nodes near by, with weights that fall to 0 at the reach.
fn spread(
    sums: &mut [[f32; 2]],
    nodes: glam::UVec3,
    origin: Vec3,
    spacing: f32,
    place: Vec3,
    value: f32,
    reach: f32,
) {
    let at = |corner: Vec3| ((corner - origin) / spacing).max(Vec3::ZERO).as_uvec3().min(nodes - 1);
    let (from, to) = (at(place - reach), at(place + reach));
    for z in from.z..=to.z {
        for y in from.y..=to.y {
            for x in from.x..=to.x {
                let node = origin + spacing * Vec3::new(x as f32, y as f32, z as f32);
                let weight = (1.0 - node.distance_squared(place) / (reach * reach)).max(0.0);
                let sum = &mut sums[((z * nodes.y + y) * nodes.x + x) as usize];
                *sum = [sum[0] + weight, sum[1] + weight * value];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube of grains whose value is their x: the plane shows x where there are grains, and nothing else elsewhere.
    #[test]
    fn a_plane_shows_the_mean_of_the_grains_near_it() {
        let place = |k: i32| [k % 10, k / 10 % 10, k / 100].map(|n| 0.1 * n as f32);
        let positions: Vec<[f32; 3]> = (0..1000).map(place).collect();
        let values: Vec<f32> = positions.iter().map(|x| x[0]).collect();
        let cut = CutOpen { axis: 2, position: 0.43, field: true };
        let view = cut.field(&positions, &values, 0.05, ColorMap::default(), [0.0, 1.0]).unwrap();
        let (nodes, bounds) = (view.grid.nodes(), view.grid.bounds());
        assert!(nodes[2] == 2 && nodes[0] > 15, "{nodes:?}");
        let spacing = (bounds.max.x - bounds.min.x) / (nodes[0] - 1) as f32;
        let middle = (nodes[1] / 2) * nodes[0];
        for x in 4..nodes[0] - 4 {
            let (value, wanted) =
                (view.grid.values()[(middle + x) as usize], bounds.min.x + spacing * x as f32);
            assert!((value - wanted).abs() < 0.03, "{value} at x = {wanted}");
        }
        assert!(cut.removes(&[0.0, 0.0, 0.5]) && !cut.removes(&[0.0, 0.0, 0.4]));
    }
}
