// Rounds of colouring that were not recorded, by one workgroup until no pair is left: a chain of pairs that wait for each other can be
// as long as all of them, but never is; after many rounds what is left goes to the rest, so that no device waits for ever.

@group(0) @binding(5) var<storage, read_write> before: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> after: array<vec4<u32>>;

const MOST_ROUNDS: u32 = 1024u;

var<workgroup> some_left: atomic<u32>;
var<workgroup> goes_on: u32;

@compute @workgroup_size(256)
fn colour_last(@builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        goes_on = atomicLoad(&colours[OPEN]);
    }
    workgroupBarrier();
    var rounds = 0u;
    while workgroupUniformLoad(&goes_on) == 1u {
        if thread == 0u {
            atomicStore(&some_left, 0u);
        }
        storageBarrier();
        workgroupBarrier();
        for (var i = thread; i < step.count; i += WORKGROUP) {
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
        storageBarrier();
        workgroupBarrier();
        for (var i = thread; i < step.count; i += WORKGROUP) {
            before[i] = after[i];
        }
        rounds++;
        if thread == 0u {
            goes_on = select(0u, atomicLoad(&some_left), rounds < MOST_ROUNDS);
        }
        workgroupBarrier();
    }
}
