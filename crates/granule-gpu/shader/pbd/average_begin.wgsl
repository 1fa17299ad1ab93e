// Begins a step of the averaged scheme: ways by velocities, and inverse masses scaled by height. Twin of Columns::begin.

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> motion: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> lowest: array<f32>;
// Way since the beginning of the step and scaled inverse mass; by how much the beginning itself is moved.
@group(0) @binding(3) var<storage, read_write> ways: array<vec4<f32>>;

@compute @workgroup_size(256)
fn average_begin(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let x = position[i];
    let own = motion[2u * i];
    let scale = min(exp(MASS_SCALING * (height_of(x.xyz) - lowest[0]) / (2.0 * x.w)), MOST_SCALE);
    ways[2u * i] = vec4(step.dt * own.xyz, scale * own.w);
    ways[2u * i + 1u] = vec4(0.0);
}
