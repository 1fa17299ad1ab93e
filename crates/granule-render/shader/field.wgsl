// A slice through a field on a grid, and a surface of equal value found by marching along rays. Twins of the functions
// in src/field.rs and src/software/field.rs.

struct Field {
    grid_from_view: mat4x4<f32>,
    world_from_grid: mat4x4<f32>,
    nodes: vec4<f32>,
    plane: vec4<f32>,
    slice: vec4<f32>,
    iso: vec4<f32>,
    options: vec4<f32>,
    cut: vec4<f32>,
}

// As `frame`, not a uniform.
@group(0) @binding(1) var<storage, read> field: Field;
@group(0) @binding(2) var<storage, read> field_values: array<f32>;

struct Surface {
    @location(0) albedo: vec4<f32>,
    @location(1) normal: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

fn node_value(node: vec3<u32>) -> f32 {
    let nodes = vec3<u32>(field.nodes.xyz);
    return field_values[(node.z * nodes.y + node.y) * nodes.x + node.x];
}

fn plane_value(cell: vec3<u32>, share: vec2<f32>) -> f32 {
    let front = mix(node_value(cell), node_value(cell + vec3<u32>(1u, 0u, 0u)), share.x);
    let back = mix(node_value(cell + vec3<u32>(0u, 1u, 0u)), node_value(cell + vec3<u32>(1u, 1u, 0u)), share.x);
    return mix(front, back, share.y);
}

// The value at a place in nodes from the first one.
fn field_value(place: vec3<f32>) -> f32 {
    let last = field.nodes.xyz - 1.0;
    let inside = clamp(place, vec3<f32>(0.0), last);
    let cell = min(floor(inside), last - 1.0);
    let share = inside - cell;
    let low = plane_value(vec3<u32>(cell), share.xy);
    let high = plane_value(vec3<u32>(cell) + vec3<u32>(0u, 0u, 1u), share.xy);
    return mix(low, high, share.z);
}

fn change_along(place: vec3<f32>, axis: vec3<f32>) -> f32 {
    let high = min(place + axis, field.nodes.xyz - 1.0);
    let low = max(place - axis, vec3<f32>(0.0));
    return (field_value(high) - field_value(low)) / dot(high - low, axis);
}

// Change of the value per cell along the axes of the grid.
fn field_gradient(place: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(
        change_along(place, vec3<f32>(1.0, 0.0, 0.0)),
        change_along(place, vec3<f32>(0.0, 1.0, 0.0)),
        change_along(place, vec3<f32>(0.0, 0.0, 1.0)),
    );
}

fn world_from_grid_direction(direction: vec3<f32>) -> vec3<f32> {
    return (field.world_from_grid * vec4<f32>(direction, 0.0)).xyz;
}
