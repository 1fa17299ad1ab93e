// Meshes: distances and wall integrals on a grid; twin of boundary/grid_solid.rs.
//
// A map's numbers are origin and cell; nodes along each axis and the record of the first node; rotation; translation and
// the record of the first wall. A node is two records: direction and certainty; distance, excess and the walls that meet
// near the cell above it. A wall is two records: its foot and its normal.

const SAME_WALL: f32 = 0.9;
const RELIABLE_SLOPE: f32 = 0.95;
const PROBE_STEP: f32 = 0.55;
const MEETING_REACH: f32 = 0.6;
const IN_FRONT: f32 = 0.03;
const MOST_MAP_WALLS: u32 = 4u;
const COUNT_BITS: u32 = 3u;

struct MapField {
    distance: f32,
    direction: vec3<f32>,
    certainty: f32,
    excess: f32,
}

struct MapWall {
    foot: vec3<f32>,
    normal: vec3<f32>,
}

struct MapGrid {
    origin: vec3<f32>,
    cell: f32,
    nodes: vec3<u32>,
    first_node: u32,
}

fn map_grid(record: vec4<u32>) -> MapGrid {
    let place = numbers(record, 0u);
    let size = solid_table[record.z + 1u];
    return MapGrid(place.xyz, place.w, size.xyz, size.w);
}

fn map_highest(grid: MapGrid) -> vec3<f32> {
    return grid.origin + grid.cell * vec3<f32>(grid.nodes - vec3(1u));
}

fn in_map(grid: MapGrid, point: vec3<f32>) -> bool {
    return all(point >= grid.origin) && all(point <= map_highest(grid));
}

fn map_corner(grid: MapGrid, point: vec3<f32>) -> vec3<u32> {
    return min(vec3<u32>(max((point - grid.origin) / grid.cell, vec3(0.0))), grid.nodes - vec3(2u));
}

fn map_node(grid: MapGrid, node: vec3<u32>) -> u32 {
    return grid.first_node + 2u * ((node.z * grid.nodes.y + node.y) * grid.nodes.x + node.x);
}

fn in_map_frame(record: vec4<u32>, x: vec3<f32>) -> vec3<f32> {
    return rotate(conjugate(numbers(record, 2u)), x - numbers(record, 3u).xyz);
}

fn out_of_map_frame(record: vec4<u32>, direction: vec3<f32>) -> vec3<f32> {
    return rotate(numbers(record, 2u), direction);
}

fn direction_or_up(v: vec3<f32>) -> vec3<f32> {
    let size = length(v);
    return select(vec3(0.0, 1.0, 0.0), v / size, size > 1e-30);
}

// Twin of SampledMap::field.
fn map_field_inside(grid: MapGrid, point: vec3<f32>) -> MapField {
    let corner = map_corner(grid, point);
    let t = (point - grid.origin) / grid.cell - vec3<f32>(corner);
    var field = MapField(0.0, vec3(0.0), 0.0, 0.0);
    for (var k = 0u; k < 8u; k++) {
        let side = vec3(k & 1u, (k >> 1u) & 1u, k >> 2u);
        let at = map_node(grid, corner + side);
        let slope = bitcast<vec4<f32>>(solid_table[at]);
        let value = bitcast<vec4<f32>>(solid_table[at + 1u]);
        let offset = t - vec3<f32>(side);
        let weights = vec3(1.0) - abs(offset);
        let weight = weights.x * weights.y * weights.z;
        field.distance += weight * (value.x + 0.5 * dot(slope.xyz, grid.cell * offset));
        field.direction += weight * slope.xyz;
        field.certainty += weight * slope.w;
        field.excess += weight * value.y;
    }
    return field;
}

// The field wherever the point is; twin of GridSolid::field and geometry/distance.rs.
fn map_field(record: vec4<u32>, point: vec3<f32>) -> MapField {
    let grid = map_grid(record);
    let inside = clamp(point, grid.origin, map_highest(grid));
    var field = map_field_inside(grid, inside);
    let outwards = point - inside;
    if all(outwards == vec3(0.0)) {
        return field;
    }
    let away = length(outwards);
    if (record.x & CONTAINER) != 0u {
        field.distance -= away;
        field.direction = -direction_or_up(outwards);
    } else {
        let whole = sqrt(field.distance * field.distance + away * away);
        let out = outwards + field.distance * field.direction;
        field.distance = whole;
        field.direction = out / max(whole, length(out));
    }
    field.certainty = 1.0;
    field.excess = 0.0;
    return field;
}

fn map_distance(record: vec4<u32>, x: vec3<f32>) -> f32 {
    return map_field(record, in_map_frame(record, x)).distance;
}

fn map_nearest(record: vec4<u32>, x: vec3<f32>) -> Surface {
    let field = map_field(record, in_map_frame(record, x));
    let normal = out_of_map_frame(record, direction_or_up(field.direction));
    return plain(field.distance, normal, x - field.distance * normal, 0u);
}

fn map_wall_distance(wall: MapWall, point: vec3<f32>) -> f32 {
    return dot(point - wall.foot, wall.normal);
}

fn map_walls_meet(a: MapWall, b: MapWall, least: f32) -> bool {
    return dot(a.normal, b.normal) < SAME_WALL && dot(a.foot - b.foot, b.normal) > least
        && dot(b.foot - a.foot, a.normal) > least;
}

// First and number of the walls that meet near a point; none where it sees one only.
fn walls_of_cell(grid: MapGrid, point: vec3<f32>) -> vec2<u32> {
    if !in_map(grid, point) {
        return vec2(0u);
    }
    let packed = solid_table[map_node(grid, map_corner(grid, point)) + 1u].z;
    return vec2(packed >> COUNT_BITS, packed & ((1u << COUNT_BITS) - 1u));
}
