// One round of colouring for all grains: from the states that the round before has left to others.

@group(0) @binding(5) var<storage, read> before: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> after: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> blocks: array<vec4<u32>>;

// Whether it is the last round that is recorded.
override LAST: bool = false;

var<workgroup> some_left: atomic<u32>;
var<workgroup> own_block: u32;

@compute @workgroup_size(256)
fn colour_round(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let block = 4u * workgroup_number(workgroup) + 1u;
    let i = thread_number(workgroup, thread);
    if thread == 0u {
        own_block = blocks[block].x;
        atomicStore(&some_left, 0u);
    }
    workgroupBarrier();
    let is_at = workgroupUniformLoad(&own_block);
    if is_at == DONE {
        return;
    }
    if i < step.count {
        let own = before[i];
        var now = own;
        if is_open(own) {
            let head = heads[i];
            now = after_round(i, own, head, before[list[params.list_base + head]]);
        }
        after[i] = now;
        if is_open(now) {
            atomicStore(&some_left, 1u);
        }
    }
    workgroupBarrier();
    if thread != 0u {
        return;
    }
    if atomicLoad(&some_left) == 1u {
        if LAST {
            atomicStore(&colours[OPEN], 1u);
        }
    } else {
        blocks[block].x = select(JUST_DONE, DONE, is_at == JUST_DONE);
    }
}
