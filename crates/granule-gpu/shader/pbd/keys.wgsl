// Keys of pairs and colours of grains: twins of solver/pbd/colour.rs. A key is a number of 64 bits, the first word the higher.

// In the first word of the key of a pair in a brick: it is near.
const NEAR: u32 = 0x80000000u;

// Twin of `key`: four rounds of a Feistel network, which gives every pair of ids another number. The highest bit is free.
fn pair_key(one: u32, other: u32) -> vec2<u32> {
    var a = min(one, other);
    var b = max(one, other);
    for (var round = 0u; round < 4u; round++) {
        var mixed = b + round * 0x9e3779b9u;
        mixed = (mixed ^ (mixed >> 16u)) * 0x7feb352du;
        mixed = (mixed ^ (mixed >> 15u)) * 0x846ca68bu;
        mixed = (mixed ^ (mixed >> 16u)) & 0x7fffffffu;
        let next = a ^ mixed;
        a = b;
        b = next;
    }
    return vec2(a, b);
}

fn key_below(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// A grain in the middle of colouring: the largest key that is left, and the colours that it has. A grain that is held has no
// colours, and this key.
const OF_HELD: vec2<u32> = vec2(0xffffffffu, 0xffffffffu);

// An entry without a colour names the next one, with this mark; the last one is NOBODY.
const LINK: u32 = 0x80000000u;

// A block of grains in the middle of it: some have pairs without a colour; all have theirs since the round before, which has left
// that to one of the two columns only; all have theirs.
const SOME_OPEN: u32 = 1u;
const JUST_DONE: u32 = 2u;
const DONE: u32 = 0u;

fn is_open(state: vec4<u32>) -> bool {
    return any(state.xy != vec2(0u)) && any(state.xy != OF_HELD);
}

// The smallest colour that is not among those taken.
fn free_colour(taken: vec2<u32>) -> u32 {
    let low = countTrailingZeros(~taken.x);
    return select(low, 32u + countTrailingZeros(~taken.y), low == 32u);
}

fn with_colour(taken: vec2<u32>, colour: u32) -> vec2<u32> {
    let bit = 1u << (colour & 31u);
    let of_low = select(0u, bit, colour < 32u);
    let of_high = select(0u, bit, colour >= 32u && colour < 64u);
    return taken | vec2(of_low, of_high);
}
