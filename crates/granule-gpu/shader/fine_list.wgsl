// Between advance_inside and advance: how many grains are on the list, and where the next round begins.

@group(0) @binding(0) var<storage, read_write> counters: array<u32>;
@group(0) @binding(1) var<storage, read_write> arguments: array<u32>;

@compute @workgroup_size(1)
fn close_list() {
    let count = counters[frame.list + LIST_ADDED];
    let workgroups = (count + WORKGROUP - 1u) / WORKGROUP;
    arguments[0] = min(workgroups, ROW);
    arguments[1] = (workgroups + ROW - 1u) / ROW;
    arguments[2] = 1u;
    counters[frame.list + LIST_COUNT] = count;
    counters[frame.list + LIST_ADDED] = 0u;
    counters[frame.list + LIST_FIRST] += frame.list_length;
}
