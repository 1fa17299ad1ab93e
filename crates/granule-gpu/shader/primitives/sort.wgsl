// One pass of a stable radix sort of keys with 32-bit values, by a digit of 8 bits. Key and word_of come with the length of
// keys from sort.rs.
// Every tile counts its digits; a scan per digit tells where each tile's equal digits go; inside a tile, threads of
// equal digits find their order from bits that they set in shared words. No step depends on scheduling.

const DIGITS: u32 = 256u;
const TILE: u32 = 2048u;
const ROUNDS: u32 = 8u;
const WORDS: u32 = 8u;

struct Extent {
    count: u32,
}

struct Digit {
    // Word of the key and position of the digit in it.
    word: u32,
    shift: u32,
}

@group(0) @binding(0) var<uniform> extent: Extent;
@group(0) @binding(1) var<uniform> digit: Digit;
// Where the entries of every digit and tile go, digits first; then the number of entries per digit.
@group(0) @binding(2) var<storage, read_write> starts: array<u32>;
@group(0) @binding(3) var<storage, read> keys: array<Key>;
@group(0) @binding(4) var<storage, read> values: array<u32>;
@group(0) @binding(5) var<storage, read_write> sorted_keys: array<Key>;
@group(0) @binding(6) var<storage, read_write> sorted_values: array<u32>;

var<workgroup> counts: array<atomic<u32>, 256>;
var<workgroup> places: array<u32, 256>;
var<workgroup> marks: array<atomic<u32>, 2048>;

fn tile_count() -> u32 {
    return (extent.count + TILE - 1u) / TILE;
}

fn digit_of(key: Key) -> u32 {
    return (word_of(key, digit.word) >> digit.shift) & (DIGITS - 1u);
}

@compute @workgroup_size(256)
fn count_digits(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let tile = workgroup_number(workgroup);
    atomicStore(&counts[thread], 0u);
    workgroupBarrier();
    for (var round = 0u; round < ROUNDS; round++) {
        let i = tile * TILE + round * 256u + thread;
        if i < extent.count {
            atomicAdd(&counts[digit_of(keys[i])], 1u);
        }
    }
    workgroupBarrier();
    if tile < tile_count() {
        starts[thread * tile_count() + tile] = atomicLoad(&counts[thread]);
    }
}

// One workgroup per digit.
@compute @workgroup_size(256)
fn scan_digits(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let tiles = tile_count();
    let row = workgroup.x * tiles;
    var carry = 0u;
    for (var first = 0u; first < tiles; first += 256u) {
        let tile = first + thread;
        var value = 0u;
        if tile < tiles {
            value = starts[row + tile];
        }
        let scanned = workgroup_scan(thread, value);
        if tile < tiles {
            starts[row + tile] = carry + scanned.x;
        }
        carry += scanned.y;
    }
    if thread == 0u {
        starts[DIGITS * tiles + workgroup.x] = carry;
    }
}

@compute @workgroup_size(256)
fn move_entries(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let tile = workgroup_number(workgroup);
    let tiles = tile_count();
    let smaller = workgroup_scan(thread, starts[DIGITS * tiles + thread]).x;
    var place = smaller;
    if tile < tiles {
        place += starts[thread * tiles + tile];
    }
    places[thread] = place;
    for (var word = 0u; word < WORDS; word++) {
        atomicStore(&marks[word * DIGITS + thread], 0u);
    }
    workgroupBarrier();
    let own_word = thread / 32u;
    let own_bit = 1u << (thread % 32u);
    for (var round = 0u; round < ROUNDS; round++) {
        let i = tile * TILE + round * 256u + thread;
        let valid = i < extent.count;
        var key = Key();
        var value = 0u;
        var own = 0u;
        if valid {
            key = keys[i];
            value = values[i];
            own = digit_of(key);
            atomicOr(&marks[own_word * DIGITS + own], own_bit);
        }
        workgroupBarrier();
        var before = 0u;
        var equal = 0u;
        for (var word = 0u; word < WORDS; word++) {
            let bits = atomicLoad(&marks[word * DIGITS + own]);
            equal += countOneBits(bits);
            if word < own_word {
                before += countOneBits(bits);
            } else if word == own_word {
                before += countOneBits(bits & (own_bit - 1u));
            }
        }
        let target_place = places[own] + before;
        workgroupBarrier();
        if valid {
            sorted_keys[target_place] = key;
            sorted_values[target_place] = value;
            if before + 1u == equal {
                places[own] += equal;
            }
            atomicStore(&marks[own_word * DIGITS + own], 0u);
        }
        workgroupBarrier();
    }
}
