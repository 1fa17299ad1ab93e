// Slots of the arguments of indirect dispatches; mirrors src/layout.rs.

const BLOCKS: u32 = 0u;
const TILES: u32 = 1u;
const ONE: u32 = 2u;
const CELLS: u32 = 3u;
const LIVE: u32 = 4u;
const PARTICLES: u32 = 5u;
const ITERATE: u32 = 6u;
const AFTER_DECIDE: u32 = 7u;
const FINISH: u32 = 8u;
const PASS_TILES: u32 = 9u;
const PASS_DIGITS: u32 = 17u;
const SEARCH: u32 = 25u;
const CARRY: u32 = 26u;
const REMEMBER: u32 = 27u;
const NEAR: u32 = 28u;
// The first of those that are the method's own.
const METHOD: u32 = 29u;

// Passes of a sort that there are slots for.
const MOST_PASSES: u32 = 8u;

const TILE: u32 = 2048u;

fn groups_for(count: u32, per_group: u32) -> vec4<u32> {
    let groups = (count + per_group - 1u) / per_group;
    return vec4(min(groups, ROW), (groups + ROW - 1u) / ROW, 1u, 0u);
}
