// Writes fine grains as a renderer takes them: centre and radius, then a value and the id. Those that have been removed get no
// size. The value is the material, or the speed where FIELD says so.

struct Row {
    at: vec3<f32>,
    // Id of a position, material of a velocity.
    number: u32,
}

@group(0) @binding(0) var<storage, read> positions: array<Row>;
@group(0) @binding(1) var<storage, read> velocities: array<Row>;
// Arguments of the draw; the second is the number of grains.
@group(0) @binding(2) var<storage, read> draw: vec4<u32>;
@group(0) @binding(3) var<storage, read_write> spheres: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> marks: array<vec2<u32>>;
// Radii of classes of grains.
@group(0) @binding(5) var<storage, read> radii: array<f32, CLASSES>;

override FIELD: u32 = 0u;

const SPEED: u32 = 1u;
// The id of removed grains; NONE of src/grains/mod.rs.
const REMOVED_ID: u32 = 0xffffffffu;

@compute @workgroup_size(256)
fn publish(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= draw.y {
        return;
    }
    let position = positions[i];
    let velocity = velocities[i];
    spheres[i] = vec4(position.at, select(radii[class_of(position.number)], 0.0, position.number == REMOVED_ID));
    var value = f32(velocity.number);
    if FIELD == SPEED {
        value = length(velocity.at);
    }
    marks[i] = vec2(bitcast<u32>(value), position.number);
}
