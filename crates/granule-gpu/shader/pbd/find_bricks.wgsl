// Finds the bricks that grains are in, as slots of a table of all that have some: twin of `bricks_of` in solver/pbd/bricks.rs.

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> metadata: array<Meta>;
// Slots of the bricks of each grain, one of every partition.
@group(0) @binding(2) var<storage, read_write> brick_of: array<vec4<u32>>;
// Keys of bricks of each partition: whole powers of two of slots, as many as there are grains at least. 0 is no brick.
@group(0) @binding(3) var<storage, read_write> table: array<atomic<u32>>;

// Bricks along an axis that are told apart.
const ALONG: i32 = 1024;

fn brick_key(x: vec3<f32>, p: u32) -> u32 {
    // By quarters of a side: a product is rounded alike everywhere, with a sum in it it may not be.
    let quarters = vec3<i32>(floor(x * (f32(PARTITIONS) * pbd.inverse_brick)));
    let along = (quarters + vec3(i32(p))) >> vec3(2u);
    let low = vec3<u32>(along & vec3(ALONG - 1));
    return (1u << 30u) | (low.z << 20u) | (low.y << 10u) | low.x;
}

// The slot of a brick, taken if it is new. Who comes first decides where it is, and nothing else.
fn slot_of(p: u32, key: u32) -> u32 {
    let size = arrayLength(&table) / (2u * PARTITIONS);
    var slot = (key ^ (key >> 15u)) * 0x2c1b3c6du;
    slot = (slot ^ (slot >> 12u)) & (size - 1u);
    for (var tried = 0u; tried < size;) {
        let at = p * size + slot;
        let known = atomicLoad(&table[at]);
        if known == key {
            return slot;
        }
        if known == 0u {
            let taken = atomicCompareExchangeWeak(&table[at], 0u, key);
            if taken.exchanged || taken.old_value == key {
                return slot;
            }
            if taken.old_value == 0u {
                continue;
            }
        }
        slot = (slot + 1u) & (size - 1u);
        tried++;
    }
    return 0u;
}

@compute @workgroup_size(256)
fn find_bricks(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let x = position[i].xyz;
    var slots = vec4(0u);
    for (var p = 0u; p < PARTITIONS; p++) {
        slots[p] = slot_of(p, brick_key(x, p));
    }
    if SHAPED && (metadata[i].y & OF_BODY) != 0u {
        slots |= vec4(BODY_MARK);
    }
    brick_of[i] = slots;
}
