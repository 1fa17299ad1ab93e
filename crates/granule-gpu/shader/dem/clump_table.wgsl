// The table of rigid grains: 32 of them side by side, their records in pieces of 16 bytes of which those of the same kind follow each
// other, so that threads of neighbouring grains use neighbouring bytes. Twin of src/dem/clumps/table.rs.

const CLUMP_LANES: u32 = 32u;
const CLUMP_PIECES: u32 = 10u;

// Where a piece of a grain's record is.
fn clump_place(k: u32, piece: u32) -> u32 {
    return (k / CLUMP_LANES) * (CLUMP_LANES * CLUMP_PIECES) + piece * CLUMP_LANES + k % CLUMP_LANES;
}

// Grains that there is room for.
fn clump_room() -> u32 {
    return arrayLength(&clumps) / CLUMP_PIECES;
}

fn read_clump(k: u32) -> Clump {
    let place = clumps[clump_place(k, 1u)];
    let motion = clumps[clump_place(k, 5u)];
    let spin = bitcast<vec4<f32>>(clumps[clump_place(k, 8u)]);
    return Clump(
        clumps[clump_place(k, 0u)],
        place.xy,
        place.z,
        place.w,
        clumps[clump_place(k, 2u)],
        clumps[clump_place(k, 3u)],
        clumps[clump_place(k, 4u)],
        motion.xy,
        bitcast<f32>(motion.z),
        bitcast<f32>(motion.w),
        clumps[clump_place(k, 6u)],
        clumps[clump_place(k, 7u)].xy,
        spin.xyz,
        spin.w,
        bitcast<vec4<f32>>(clumps[clump_place(k, 9u)]),
    );
}
