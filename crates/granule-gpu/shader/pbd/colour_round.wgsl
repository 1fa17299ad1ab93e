// One round of colouring for all grains: from the states that the round before has left to others.

@group(0) @binding(5) var<storage, read> before: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> after: array<vec4<u32>>;

// Whether it is the last round that is recorded.
override LAST: bool = false;

var<workgroup> some_left: atomic<u32>;

@compute @workgroup_size(256)
fn colour_round(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if LAST {
        if thread == 0u {
            atomicStore(&some_left, 0u);
        }
        workgroupBarrier();
    }
    if i < step.count {
        let own = before[i];
        var now = own;
        if is_open(own) {
            let head = heads[i];
            now = after_round(i, own, head, before[list[params.list_base + head]]);
        }
        after[i] = now;
        if LAST && is_open(now) {
            atomicStore(&some_left, 1u);
        }
    }
    if LAST {
        workgroupBarrier();
        if thread == 0u && atomicLoad(&some_left) == 1u {
            atomicStore(&colours[OPEN], 1u);
        }
    }
}
