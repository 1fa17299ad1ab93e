// Advects grains that only guides move: inside their mass, far from walls and regions, which are most of all grains.
// Nothing here knows a distance, so that the kernel needs few registers. Others go on the list.

var<workgroup> listed: atomic<u32>;
var<workgroup> list_start: u32;

// Moves a grain, or tells that this takes more.
fn is_left(i: u32) -> bool {
    let first = grain_position[i];
    if bitcast<u32>(first.w) == NONE {
        return false;
    }
    let x = first.xyz;
    let guided = guide_motion_at(x);
    if guided.share != 1.0 || is_near_region(guided.block) {
        return true;
    }
    let second = grain_velocity[i];
    let goal = shift(x + guided.displacement, x, guided);
    let walls = walls_on_path(guided.block, goal - x);
    let rests = stays(x, goal, guided.velocity, walls);
    if (walls != 0u && !rests) || any(wrapped(goal) != goal) || !(finite(goal) && finite(guided.velocity)) {
        return true;
    }
    if !rests || any(second.xyz != vec3(0.0)) {
        grain_position[i] = vec4(goal, first.w);
        grain_velocity[i] = vec4(guided.velocity, second.w);
    }
    return false;
}

@compute @workgroup_size(256)
fn advance_inside(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        atomicStore(&listed, 0u);
    }
    workgroupBarrier();
    // No more than fit on the list: workgroups come in whole rows.
    let k = thread_number(workgroup, thread);
    let i = atomicLoad(&counters[frame.list + LIST_FIRST]) + k;
    let left = k < frame.list_length && i < frame.grains && is_left(i);
    var entry = 0u;
    if left {
        entry = atomicAdd(&listed, 1u);
    }
    workgroupBarrier();
    if thread == 0u {
        let count = atomicLoad(&listed);
        if count > 0u {
            list_start = atomicAdd(&counters[frame.list + LIST_ADDED], count);
        }
    }
    workgroupBarrier();
    if left {
        atomicStore(&counters[frame.list + LIST_ENTRIES + list_start + entry], i);
    }
}
