// The way of grains that only guides lead: inside their mass, far from walls and regions, which are most of all grains.
// Nothing here knows a distance, so that the kernel needs few registers. Others go on the list.

var<workgroup> listed: atomic<u32>;
var<workgroup> list_place: u32;

// Moves a grain, or tells that this takes more.
fn is_left(i: u32) -> bool {
    let first = place_of[i];
    if bitcast<u32>(first.w) == NONE {
        return false;
    }
    let x = first.xyz;
    let said = said_at(x);
    if said.share != 1.0 || is_near_region(said.block) {
        return true;
    }
    let second = velocity_of[i];
    let goal = spread(x + said.way, x, said);
    let walls = walls_on_way(said.block, goal - x);
    let rests = stays(x, goal, said.velocity, walls);
    if (walls != 0u && !rests) || any(wrapped(goal) != goal) || !(finite(goal) && finite(said.velocity)) {
        return true;
    }
    if !rests || any(second.xyz != vec3(0.0)) {
        place_of[i] = vec4(goal, first.w);
        velocity_of[i] = vec4(said.velocity, second.w);
    }
    return false;
}

@compute @workgroup_size(256)
fn advance_inside(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        atomicStore(&listed, 0u);
    }
    workgroupBarrier();
    // No more than the list has room for: workgroups come in whole rows.
    let k = thread_number(workgroup, thread);
    let i = atomicLoad(&counters[frame.list + LIST_FIRST]) + k;
    let left = k < frame.list_length && i < frame.grains && is_left(i);
    var place = 0u;
    if left {
        place = atomicAdd(&listed, 1u);
    }
    workgroupBarrier();
    if thread == 0u {
        let count = atomicLoad(&listed);
        if count > 0u {
            list_place = atomicAdd(&counters[frame.list + LIST_ADDED], count);
        }
    }
    workgroupBarrier();
    if left {
        atomicStore(&counters[frame.list + LIST_ENTRIES + list_place + place], i);
    }
}
