// What all kernels of fine grains share; the struct mirrors FrameRecord of src/grains/layout.rs.

struct FineFrame {
    // Lowest corner of the guides' cells; w: their side.
    origin: vec4<f32>,
    // w: length of the frame.
    gravity: vec4<f32>,
    // Where the fine grid lies, in its cells; w: their side.
    offset: vec4<f32>,
    period_origin: vec4<f32>,
    // 0 along axes that do not repeat.
    period_length: vec4<f32>,
    // Cells of the guides at the frame's end.
    after_origin: vec4<f32>,
    // w: number of guides.
    cells: vec4<u32>,
    // w: first of the guides at the frame's end.
    after_cells: vec4<u32>,
    // Bounds of shares and of the surface.
    coverage_ramp: vec2<f32>,
    neighbor_ramp: vec2<f32>,
    isolation_ramp: vec2<f32>,
    carried_ramp: vec2<f32>,
    surface_ramp: vec2<f32>,
    radius: f32,
    guide_radius: f32,
    support: f32,
    reach: f32,
    full_sum: f32,
    most_deformation: f32,
    least_volume: f32,
    regularisation: f32,
    in_motion: f32,
    node_shift: f32,
    most_node_shift: f32,
    fine_shift: f32,
    most_fine_shift: f32,
    full_share: f32,
    landed: f32,
    landing_step: f32,
    landing_steps: f32,
    // Grains of a full mass per node, and a whole grain's share of a full fine cell.
    full: f32,
    unit: f32,
    fixed_point_one: f32,
    grains: u32,
    blocks: u32,
    parts: u32,
    // Fine cells along a cell of the guides.
    along: u32,
    // Places in the tables: first guides of cells, the same at the frame's end, parts of cells, blocks, blocks of parts.
    starts: u32,
    after_starts: u32,
    cell_parts: u32,
    block_table: u32,
    part_table: u32,
    wall_count: u32,
    region_count: u32,
    moving_walls: u32,
    shifts: u32,
    // Grains of a chunk.
    chunk: u32,
    // Place of the list among the counters, and how many grains fit.
    list: u32,
    list_length: u32,
    // Distance of a region from the middle of a block from which on it takes no grain from there [m].
    region_reach: f32,
    // Radius of the largest grains, and of all classes of grains, four to a row [m]; `radius` is their mean by volume.
    largest: f32,
    // Whether guides have radii of their own.
    sized: u32,
    radii: array<vec4<f32>, 64>,
}

struct FineWall {
    start_rotation: vec4<f32>,
    // w: friction, below 0 for the grain's own.
    start_translation: vec4<f32>,
    end_rotation: vec4<f32>,
    end_translation: vec4<f32>,
    // First solid, number of solids.
    solids: vec4<u32>,
}

struct FineScene {
    // Walls, then regions that take grains.
    walls: array<FineWall, 128>,
    // Friction coefficients of materials, four to a record.
    friction: array<vec4<f32>, 64>,
}

@group(1) @binding(0) var<uniform> frame: FineFrame;
@group(1) @binding(1) var<uniform> fine_scene: FineScene;

const NONE: u32 = 0xffffffffu;
// Nodes of a cell, of a block, and along both.
const ALONG: u32 = 3u;
const OWN: u32 = 27u;
const ALONG_BLOCK: u32 = 4u;
const NODES: u32 = 64u;
// Words of the list: first grain of a round, grains added so far, grains to take from it, then these.
const LIST_FIRST: u32 = 0u;
const LIST_ADDED: u32 = 1u;
const LIST_COUNT: u32 = 2u;
const LIST_ENTRIES: u32 = 3u;

fn ramp(value: f32, between: vec2<f32>) -> f32 {
    return clamp((value - between.x) / (between.y - between.x), 0.0, 1.0);
}

// Twin of weights.rs: weight.
fn guide_weight(squared: f32) -> f32 {
    let t = max(1.0 - squared, 0.0);
    return t * t * t;
}

fn coverage(sum: f32, wall: f32) -> f32 {
    return sum / (frame.full_sum * max(1.0 - wall, 0.25));
}

// Twin of weights.rs: guided_share.
fn guided_share(sum: f32, largest: f32, carrying: f32, wall: f32) -> f32 {
    if largest <= 0.0 {
        return 0.0;
    }
    let held = ramp(coverage(sum, wall), frame.coverage_ramp) * ramp(sum / largest, frame.neighbor_ramp);
    return max(held, ramp(carrying, frame.carried_ramp));
}

// A cell among so many; those of the rim belong to the cells inside.
fn inner_cell(x: vec3<f32>, origin: vec3<f32>, count: vec3<u32>) -> vec3<u32> {
    let cell = floor((x - origin) / frame.origin.w);
    return min(vec3<u32>(max(cell, vec3(1.0))), count - vec3(2u));
}

fn cell_index(cell: vec3<u32>, count: vec3<u32>) -> u32 {
    return (cell.z * count.y + cell.y) * count.x + cell.x;
}

fn cell_of_index(index: u32) -> vec3<u32> {
    let n = frame.cells;
    return vec3(index % n.x, index / n.x % n.y, index / n.x / n.y);
}

fn trilinear_weights(t: vec3<f32>) -> array<f32, 8> {
    let s = vec3(1.0) - t;
    let a = s.y * s.z;
    let b = t.y * s.z;
    let c = s.y * t.z;
    let d = t.y * t.z;
    return array<f32, 8>(s.x * a, t.x * a, s.x * b, t.x * b, s.x * c, t.x * c, s.x * d, t.x * d);
}

// How much of a full motion a displacement is.
fn activity(displacement: vec3<f32>) -> f32 {
    return min(length(displacement) / (frame.in_motion * frame.radius), 1.0);
}

fn clamped(v: vec3<f32>, most: f32) -> vec3<f32> {
    let size = length(v);
    return select(v, v * (most / size), size > most);
}

// Image k of a point near the ends of periods; w is 0 where there is none. Image 0 is the point itself.
fn image(x: vec3<f32>, k: u32, reach: f32) -> vec4<f32> {
    var position = vec4(x, 1.0);
    for (var axis = 0u; axis < 3u; axis++) {
        if ((k >> axis) & 1u) == 0u {
            continue;
        }
        let length = frame.period_length[axis];
        let at = x[axis] - frame.period_origin[axis];
        if length > 0.0 && at < reach {
            position[axis] += length;
        } else if length > 0.0 && at > length - reach {
            position[axis] -= length;
        } else {
            position.w = 0.0;
        }
    }
    return position;
}

fn image_count() -> u32 {
    return select(1u, 8u, any(frame.period_length.xyz > vec3(0.0)));
}
