// Bricks of space: twins of solver/pbd/bricks.rs, and where what is known of those that have pairs lies. Brick k of a partition has a
// record of four words: first pair, how many, colours. Behind the records are the ends of colours, from the place of a brick's first
// pair on; before them, how many pairs have places while they are coloured, and how many are coloured.

const ROOM_TAKEN: u32 = 0u;
const COLOURED: u32 = 1u;
const FIRST_RECORD: u32 = 4u;

// Mark of a particle of a body, in the slots of its bricks: two of these meet in loose pairs.
const BODY_MARK: u32 = 0x80000000u;

// Most bricks of a partition that have pairs: each has two grains.
fn most_bricks() -> u32 {
    return params.capacity / 2u + 1u;
}

fn record_of(p: u32, number: u32) -> u32 {
    return FIRST_RECORD + 4u * (p * most_bricks() + number);
}

fn first_end(first_pair: u32) -> u32 {
    return FIRST_RECORD + 4u * PARTITIONS * most_bricks() + first_pair;
}

// The first partition in which two grains are in one brick, by the slots of these; PARTITIONS where there is none.
fn partition_of(a: vec4<u32>, b: vec4<u32>) -> u32 {
    if (a.x & b.x & BODY_MARK) != 0u {
        return PARTITIONS;
    }
    let same = (a & vec4(~BODY_MARK)) == (b & vec4(~BODY_MARK));
    return select(select(select(select(PARTITIONS, 3u, same.w), 2u, same.z), 1u, same.y), 0u, same.x);
}
