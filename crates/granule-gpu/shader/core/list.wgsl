// Reading neighbour lists.

@group(0) @binding(0) var<storage, read> list: array<u32>;

struct Slots {
    first: u32,
    end: u32,
}

fn slots_of(i: u32) -> Slots {
    let start = list[2u * (i / LANES)];
    let count = list[2u * (i / LANES) + 1u];
    let first = params.list_base + start * LANES + i % LANES;
    return Slots(first, first + count * LANES);
}
