// Where the spheres of rigid grains are after a sort: twin of find_places in assemblies/mod.rs.

@group(0) @binding(0) var<storage, read> grains: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> members: array<Member>;

@compute @workgroup_size(256)
fn find_members(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i < step.count && grains[i].x != NOBODY {
        members[grains[i].y].row = i;
    }
}
