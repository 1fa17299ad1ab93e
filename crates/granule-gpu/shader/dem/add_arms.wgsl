// Stresses of the contacts of spheres that belong to grains of several: branches go from centre of mass to centre of mass. Twin of
// arms_for_stress in solver/dem/compress.rs, of one side: what the partner's arm adds is the partner's.

@group(0) @binding(0) var<storage, read> clumps: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> members: array<Member>;
@group(0) @binding(2) var<storage, read> grains: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> loads: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> stresses: array<vec4<f32>>;

@compute @workgroup_size(256)
fn add_arms(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count || dem.motion.steers == 0u || grains[i].x == NOBODY {
        return;
    }
    let arm = arm_of(read_clump(grains[i].x), members[grains[i].y].offset);
    stresses[i] -= vec4(arm * loads[2u * i].xyz, 0.0);
}
