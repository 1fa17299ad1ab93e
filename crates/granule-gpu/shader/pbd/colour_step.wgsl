// One round of colouring, for one grain: twin of `claim` in solver/pbd/colour.rs. A pair whose key is the largest that
// is left at both of its grains takes the smallest colour that neither has. Both grains find the same, each for itself.

@group(0) @binding(1) var<storage, read> keys: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> colour_of: array<u32>;
@group(0) @binding(3) var<storage, read_write> heads: array<u32>;
@group(0) @binding(4) var<storage, read_write> colours: array<atomic<u32>>;

// The largest key of a grain that is left behind its head, which gets a colour.
fn next_key(i: u32, head: u32, colour: u32) -> vec2<u32> {
    let link = colour_of[head];
    colour_of[head] = colour;
    if link == NOBODY {
        return vec2(0u);
    }
    heads[i] = link & ~LINK;
    return keys[link & ~LINK];
}

// The state of a grain after a round.
fn after_round(i: u32, own: vec4<u32>, head: u32, other: vec4<u32>) -> vec4<u32> {
    let fixed = all(other.xy == OF_HELD);
    if !fixed && any(other.xy != own.xy) {
        return own;
    }
    let colour = free_colour(own.zw | select(other.zw, vec2(0u), fixed));
    return vec4(next_key(i, head, colour), with_colour(own.zw, colour));
}
