// Entries of the lists that place a pair: that of the grain with the lower id, or of the one that is not held.

@group(0) @binding(1) var<storage, read> places: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> motion: array<vec4<f32>>;
// Colours of entries, or more than any colour; then the bins of those that place a pair, or NOBODY; then the pairs themselves, and at last those of the other
// entries, too.
@group(0) @binding(3) var<storage, read_write> pair_of: array<u32>;
@group(0) @binding(4) var<storage, read_write> colours: array<atomic<u32>>;

var<workgroup> own_counts: array<atomic<u32>, 130>;

// Whether the pair of an entry is in a brick: what is loose names a colour or an entry, or nobody.
fn is_in_brick(pair: u32) -> bool {
    return (pair & (BORROWED | IN_BRICK)) == IN_BRICK;
}

fn places_pair(i: u32, j: u32) -> bool {
    let keeps = places[2u * i + 1u].w < places[2u * j + 1u].w;
    return motion[2u * i].w > 0.0 && (keeps || motion[2u * j].w == 0.0);
}
