//! Triangle meshes as tables that shaders touch: twins of `granule::geometry::ContactMesh`; `shader/dem/facets.wgsl` reads them.

use glam::{DVec3, Quat, Vec3};
use granule::boundary::Pose;
use granule::geometry::{ContactData, ContactTriangle, Lists};

/// Units of a length's whole part in a metre, as in `shader/dem/fine.wgsl`.
const FINE_UNITS: f64 = 8_388_608.0;

/// No further branch.
const LAST: u32 = u32::MAX;

/// Records of a triangle.
const TRIANGLE_RECORDS: u32 = 9;

fn row(v: Vec3, w: u32) -> [u32; 4] {
    [v.x.to_bits(), v.y.to_bits(), v.z.to_bits(), w]
}

/// Appends a mesh to a table, vertices and normals where its pose has them in the shape's frame, and returns where what is: branches,
/// triangles, vertices, edges; then items of lists, whether pseudonormals tell inside from outside, and how many triangles and edges
/// there are. Branches stay in the frame of the map.
pub fn push(records: &mut Vec<[u32; 4]>, data: &ContactData, pose: &Pose) -> [[u32; 4]; 2] {
    let branches = records.len() as u32;
    for branch in &data.branches {
        records.push(row(branch.min, branch.next.unwrap_or(LAST)));
        records.push(row(branch.max, branch.first << 3 | branch.count));
    }
    let triangles = records.len() as u32;
    data.triangles.iter().for_each(|triangle| push_triangle(records, triangle, pose.rotation));
    let vertices = records.len() as u32;
    let rotation = pose.rotation.as_dquat().normalize();
    for (k, vertex) in data.vertices.iter().enumerate() {
        let first = data.joined.first[k];
        let count = data.joined.first[k + 1] - first;
        push_vertex(records, rotation * *vertex + pose.translation.as_dvec3(), first, count);
    }
    let edges = records.len() as u32;
    let edge_count = data.apexes.first.len() as u32 - 1;
    let joined = data.joined.item.len() as u32;
    records.extend(data.apexes.first.windows(2).map(|ends| [joined + ends[0], ends[1] - ends[0], 0, 0]));
    let items = records.len() as u32;
    push_items(records, &data.joined, &data.apexes);
    let watertight = u32::from(data.watertight);
    [
        [branches, triangles, vertices, edges],
        [items, watertight, (vertices - triangles) / TRIANGLE_RECORDS, edge_count],
    ]
}

fn push_triangle(records: &mut Vec<[u32; 4]>, triangle: &ContactTriangle, rotation: Quat) {
    let [[a, b, c], [e, f, g]] = [triangle.vertices, triangle.edges];
    records.extend([[a, b, c, triangle.number], [e, f, g, 0]]);
    let all = [triangle.normal].into_iter().chain(triangle.edge_normals).chain(triangle.corner_normals);
    records.extend(all.map(|normal| row(rotation * normal, 0)));
}

/// A vertex \[m\] as whole units and a rest, and the vertices that it is joined to.
fn push_vertex(records: &mut Vec<[u32; 4]>, x: DVec3, first: u32, count: u32) {
    let whole = (x * FINE_UNITS).floor();
    let rest = (x - whole / FINE_UNITS).as_vec3();
    let [a, b, c] = whole.to_array().map(|units| units as i32 as u32);
    records.extend([[a, b, c, first], row(rest, count)]);
}

/// The items of lists, four to a record.
fn push_items(records: &mut Vec<[u32; 4]>, joined: &Lists, apexes: &Lists) {
    let all: Vec<u32> = joined.item.iter().chain(&apexes.item).copied().collect();
    records.extend(all.chunks(4).map(|four| std::array::from_fn(|k| four.get(k).copied().unwrap_or(0))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_whole_units_and_a_rest() {
        let mut records = Vec::new();
        let x = DVec3::new(-1.234_567_891_234, 0.1, 7.0);
        push_vertex(&mut records, x, 3, 4);
        let value = |axis: usize| {
            f64::from(records[0][axis] as i32) / FINE_UNITS + f64::from(f32::from_bits(records[1][axis]))
        };
        let found = DVec3::new(value(0), value(1), value(2));
        assert!((found - x).length() < 1e-14, "{found}");
        assert_eq!((records[0][3], records[1][3]), (3, 4));
    }
}
