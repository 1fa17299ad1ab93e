// What contacts remember: RECORDS records per slot of the lists, lane by lane, so that neighbouring threads have neighbouring
// records. Those of the first 32 slots hold something only where a bit of the particle's last word of loads says so.
//
// One binding may be too small for all: then there are pieces of PIECE_SLOTS slots. Lists do not go over the end of one, and a
// kernel is dispatched once per piece, for the particles that have their lists there.

override RECORDS: u32 = 1u;
override PIECES: u32 = 1u;
override PIECE_SLOTS: u32 = 1u;
override PIECE: u32 = 0u;

const BITS: u32 = 32u;

// Whether a list from a slot on is in the piece with this number.
fn is_in_piece(slot: u32, piece: u32) -> bool {
    return PIECES == 1u || slot / PIECE_SLOTS == piece;
}

// The first record of a slot and lane in its piece.
fn memory_place(slot: u32, lane: u32) -> u32 {
    var within = slot;
    if PIECES > 1u {
        within = slot % PIECE_SLOTS;
    }
    return within * RECORDS * LANES + lane;
}
