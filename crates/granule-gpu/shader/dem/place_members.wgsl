// Where rigid grains of several spheres have these in the middle of a step, with the rates of the half step: twin of put in
// solver/dem/assembled.rs. A thread has a sphere, so that what it writes lies beside what others write. Spheres of a grain that gets
// lost are nowhere.

@group(0) @binding(0) var<storage, read> clumps: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> members: array<Member>;
@group(0) @binding(2) var<storage, read> grains: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> places: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> position: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> spin: array<vec4<f32>>;

fn place_member(clump: Clump, member: Member) {
    let moved = place_of_member(clump, member.offset);
    var point = moved.point;
    if PERIODIC {
        point = wrap_position(exact_domain(), point);
    }
    var x = position_meters(point);
    if clump.sound == 0.0 || !moved.sound {
        x = vec3(2.0 * FARTHEST);
    }
    let i = member.row;
    places[2u * i] = vec4(point.x, point.y);
    places[2u * i + 1u] = vec4(point.z, bitcast<u32>(member.radius), member.id);
    position[i] = vec4(x, member.radius);
    velocity[i] = vec4(velocity_of(clump) + cross(clump.spin, arm_of(clump, member.offset)), member.mass);
    spin[i] = vec4(clump.spin, clump.inverse_mass);
}

@compute @workgroup_size(256)
fn place_members(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count || step.phase != PREPARED || step.progress != KICKS || grains[i].x == NOBODY {
        return;
    }
    let member = members[grains[i].y];
    let clump = read_clump(grains[i].x);
    // Others may have taken the place of a grain that is gone.
    if member.row == i && clump.count > 0u {
        place_member(clump, member);
    }
}
