// Puts together the pairs of every brick, with what colouring them takes.

// Where lists are made.
@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>;
// Velocity and inverse mass, angular velocity and radius.
@group(0) @binding(2) var<storage, read> motion: array<vec4<f32>>;
// Which entries have a pair that is to be placed.
@group(0) @binding(3) var<storage, read> pair_of: array<u32>;
@group(0) @binding(4) var<storage, read> brick_of: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> table: array<atomic<u32>>;
// Key, and its grains; the one that moves twice, where the other is held. Entry, colour and law, both words of the pair.
@group(0) @binding(6) var<storage, read_write> uncoloured: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read> metadata: array<Meta>;

// Share of the sum of radii.
const NEAR_SHARE: f32 = 0.02;

// Whether a pair touches, or nearly does: twin of `near` in solver/pbd/groups.rs.
fn is_near(i: u32, j: u32) -> bool {
    let d = nearest_image(position[i].xyz - position[j].xyz);
    let sum = motion[2u * i + 1u].w + motion[2u * j + 1u].w;
    let reach = sum + NEAR_SHARE * sum;
    return dot(d, d) < reach * reach;
}

fn place_in_brick(i: u32, j: u32, entry: u32) {
    let size = arrayLength(&table) / (2u * PARTITIONS);
    let own = brick_of[i];
    let p = partition_of(own, brick_of[j]);
    let at = atomicAdd(&table[(PARTITIONS + p) * size + (own[p] & ~BODY_MARK)], 1u);
    let ids = vec2(metadata[i].x, metadata[j].x);
    let key = pair_key(ids.x, ids.y) | vec2(select(0u, NEAR, is_near(i, j)), 0u);
    let law = law_of_pair(i, j);
    let words = words_of_pair(vec2(i, j), ids.x < ids.y, law);
    uncoloured[2u * at] = vec4(key, i, select(j, i, motion[2u * j].w == 0.0));
    uncoloured[2u * at + 1u] = vec4(entry, UNCOLOURED | (law << 8u), words);
}

@compute @workgroup_size(256)
fn place_bricks(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let first = list[2u * (i / LANES)] * LANES + i % LANES;
    let count = list[2u * (i / LANES) + 1u];
    for (var s = 0u; s < count; s++) {
        let entry = first + s * LANES;
        if pair_of[entry] == IN_BRICK {
            place_in_brick(i, list[params.list_base + entry], entry);
        }
    }
}
