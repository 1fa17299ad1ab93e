// Decides whether more sweeps follow every sweep, because two bodies touch each other: twin of `meeting` in solver/pbd/shaped.rs.

@group(0) @binding(0) var<storage, read> pairs: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> colours: array<u32>;
@group(0) @binding(2) var<storage, read> meeting: array<u32>;
@group(0) @binding(3) var<storage, read> bodies: array<ShapedBody>;
@group(0) @binding(4) var<storage, read_write> arguments: array<vec4<u32>>;

var<workgroup> found: atomic<u32>;

@compute @workgroup_size(256)
fn shaped_meet(@builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        atomicStore(&found, 0u);
    }
    workgroupBarrier();
    if step.phase == SOLVED {
        for (var k = thread; k < colours[MEETING_COUNT]; k += WORKGROUP) {
            if (pairs[meeting[k]].x & ACTIVE) != 0u {
                atomicStore(&found, 1u);
            }
        }
    }
    workgroupBarrier();
    if thread == 0u {
        let meet = atomicLoad(&found) == 1u;
        let none = vec4(0u, 1u, 1u, 0u);
        arguments[METHOD + MEETING_ONE] = select(none, vec4(1u, 1u, 1u, 0u), meet);
        arguments[METHOD + MEETING_BODIES] = select(none, vec4(arrayLength(&bodies), 1u, 1u, 0u), meet);
        arguments[METHOD + MEETING_NEAR] = select(none, groups_for(step.near_walls, WORKGROUP), meet);
    }
}
