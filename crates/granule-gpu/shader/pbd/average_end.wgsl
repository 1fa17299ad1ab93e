// Ends a step of the averaged scheme: velocities by ways, pushes, and forces of contacts with walls. Twin of Columns::end.

@group(0) @binding(0) var<storage, read> metadata: array<Meta>;
@group(0) @binding(1) var<storage, read_write> touches: array<WallTouch>;
@group(0) @binding(2) var<storage, read> ways: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> motion: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> way: array<vec4<f32>>;

@compute @workgroup_size(256)
fn average_end(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count || !(motion[2u * i].w > 0.0) {
        return;
    }
    motion[2u * i] = vec4(ways[2u * i].xyz / step.dt, motion[2u * i].w);
    motion[2u * i + 1u] = vec4(vec3(0.0), motion[2u * i + 1u].w);
    way[3u * i] = vec4(ways[2u * i + 1u].xyz, 0.0);
    let own_meta = metadata[i];
    let first = first_touch(step.wall_half, own_meta);
    for (var k = 0u; k < (own_meta.w & ~NEAR_WALLS); k++) {
        touches[first + k].first *= step.inverse_dt;
    }
}
