// Puts the spheres of rigid grains where these have them after the drift, with the rates of the half step: twin of put in
// solver/dem/assembled.rs. Those of a lost grain are nowhere.

@group(0) @binding(0) var<storage, read_write> places: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> spin: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> metadata: array<Meta>;
// Rigid grain and number among all members, or NOBODY.
@group(0) @binding(5) var<storage, read> grains: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read> clumps: array<Clump>;
@group(0) @binding(7) var<storage, read> members: array<vec4<f32>>;

@compute @workgroup_size(256)
fn place_members(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count || step.progress != KICKS {
        return;
    }
    let own = grains[i];
    if own.x == NOBODY || (metadata[i].y & REMOVED) != 0u {
        return;
    }
    let clump = clumps[own.x];
    let moved = place_of_member(clump, members[own.y].xyz);
    var point = moved.point;
    if PERIODIC {
        point = wrap_position(exact_domain(), point);
    }
    var x = position_meters(point);
    if clump.sound == 0.0 || !moved.sound {
        x = vec3(2.0 * FARTHEST);
    }
    let before = places[2u * i + 1u];
    places[2u * i] = vec4(point.x, point.y);
    places[2u * i + 1u] = vec4(point.z, before.zw);
    position[i] = vec4(x, bitcast<f32>(before.z));
    let arm = arm_of(clump, members[own.y].xyz);
    velocity[i] = vec4(velocity_of(clump) + cross(clump.spin, arm), velocity[i].w);
    spin[i] = vec4(clump.spin, spin[i].w);
}
