// What position-based sand has of its own; the structs mirror those of src/pbd/layout.rs.

struct PbdParams {
    // Periods of space in quanta, as pairs of words: origins along x and y, along z; lengths, 0 where an axis does not repeat.
    origin_xy: vec4<u32>,
    origin_z: vec4<u32>,
    length_xy: vec4<u32>,
    length_z: vec4<u32>,
    // How far grains may move before lists are made anew, at least and at most [m].
    least_skin: f32,
    most_skin: f32,
    // Diameter of the largest grain [m].
    largest: f32,
    // Gravity that speeds are compared with [m/s2].
    gravity: f32,
    // Fastest push over the root of a diameter.
    push_speed: f32,
    material_count: u32,
    // Where the laws of walls begin.
    wall_laws: u32,
    // Id of the first particle of a body.
    first_member: u32,
    // How far they may on average, at most; all of them where lists are made for the fewest steps [m].
    mean_skin: f32,
    // Inverse side of a brick [1/m].
    inverse_brick: f32,
}

// The constants of a contact: twin of `Law` in solver/pbd/laws.rs.
struct Law {
    friction: f32,
    rolling: f32,
    restitution: f32,
    // Pull over the circumference [N/m].
    tension: f32,
}

@group(1) @binding(2) var<uniform> pbd: PbdParams;
@group(1) @binding(3) var<uniform> laws: array<Law, 1024>;

// Whether grains turn, and whether anything bounces.
override ROTATION: bool = true;
override BOUNCES: bool = false;
// Whether the scheme is the averaged one, whose contacts remember nothing.
override AVERAGED: bool = false;
// Whether there are bodies made of particles.
override SHAPED: bool = false;

// Where a step is (Step.progress): its length is not chosen yet; is by this attempt, or by an earlier one that found no room.
const NOT_BEGUN: u32 = 0u;
const BEGINS: u32 = 1u;
const BEGUN: u32 = 2u;
// Lists of a checkpoint are made again; no step follows.
const AGAIN: u32 = 3u;

// Whether walls may be near as long as lists hold, in the last word of a meta record; below it the number of contacts.
const NEAR_WALLS: u32 = 0x80000000u;

// Places for contacts that a particle near walls has.
const MOST_TOUCHES: u32 = 8u;

// No particle, no pair.
const NOBODY: u32 = 0xffffffffu;

// In the pair of an entry of the lists: the other grain has placed it.
const BORROWED: u32 = 0x80000000u;

// In the pair of an entry of the lists while these are new: it is in a brick, and its place is in the other bits; the other grain has
// placed it there.
const IN_BRICK: u32 = 0x40000000u;
const IN_OTHERS: u32 = 0x7fffffffu;

// In the first word of a pair: it touches, or will within the step; or it remembers something.
const ACTIVE: u32 = 0x80000000u;

// In its second word: a pull may connect it.
const PULLS: u32 = 0x80000000u;

// The colour of loose pairs that find none free: they are solved one after the other.
const REST: u32 = 64u;

// Partitions of bricks, the colours of their pairs, and what pairs have there that have none yet.
const PARTITIONS: u32 = 4u;
const BRICK_COLOURS: u32 = 32u;
const UNCOLOURED: u32 = 255u;

// Words of one colour, so that each can be bound alone: first pair, end of the last, whether a pass has been over them; how many pairs a
// span has at least, and how many spans have one more.
const COLOUR_WORDS: u32 = 64u;

// Threads of a span: a piece of every colour, about where the same grains are.
const SPAN: u32 = 4096u;

// Spans for so many pairs: each has room for one more of every colour.
fn span_count(pair_count: u32) -> u32 {
    let room = SPAN - REST - 1u;
    return (pair_count + room - 1u) / room;
}

// As many threads for some pairs as workgroups have.
fn round_up(pair_count: u32) -> u32 {
    return WORKGROUP * ((pair_count + WORKGROUP - 1u) / WORKGROUP);
}

// Bins that loose pairs are placed by: twice the colour, and one more for pairs that are not near; where their counts, their next places
// and the other numbers are.
const BINS: u32 = 130u;
const BIN_COUNTS: u32 = 4160u;
const BIN_PLACES: u32 = 4320u;
// Whether bins are those of lists that pairs are not placed for yet; whether some pair has no colour yet.
const FRESH: u32 = 4480u;
const OPEN: u32 = 4481u;
// How many colours there are.
const COLOUR_COUNT: u32 = 4482u;
// How many pairs have particles of two bodies.
const MEETING_COUNT: u32 = 4483u;
// Of every partition, in as many words as a colour: how many bricks have pairs, and its number; how many pairs are in bricks.
const BRICK_HEADS: u32 = 4608u;
const PAIRS_IN_BRICKS: u32 = 4864u;

// Argument slots of the method's own: one workgroup where lists are new, all pairs, what is left of the colours, and the first of
// these.
const CARRY_ONE: u32 = 0u;
const ALL_PAIRS: u32 = 1u;
const TAIL: u32 = 2u;
const FIRST_COLOUR: u32 = 3u;
// One workgroup, one for each body made of particles, and particles near walls: where such bodies meet.
const MEETING_ONE: u32 = 67u;
const MEETING_BODIES: u32 = 68u;
const MEETING_NEAR: u32 = 69u;
// All particles, where what they have turned goes over into orientations.
const FOLD: u32 = 70u;
// A workgroup for each brick of a partition: in passes, and where lists are new.
const BRICKS: u32 = 71u;
const CARRY_BRICKS: u32 = 75u;
