//! The shaders of position-based sand, each put together from the files that it needs.

use crate::core::hooks::Hooks;
use crate::core::shaders::{
    ARGUMENTS, BODIES, INTERSECTION, LEAVE_OUT, LIST, LOADS, MAP_WALLS, MAPS, MOTION, PAIRS, SOLIDS,
    SOUNDNESS, STEP, WALL_TABLE, WALLS,
};
use crate::dem::shaders::{
    CARRY_WALLS_TEXT, CLUMP_ARMS, CLUMP_MOTION, CLUMPS, EXACT_WALLS, FACETS, FIND_WALLS_TEXT, FINE, FRAMES,
    NEAR_WALLS, PLACES, POSITION, PUSH_WORDS, PUSHED, SERVOS, WALL_SUMS, WALL_TOUCH,
};
use crate::gpu_shaders;
use crate::kernel::Shader;
use crate::primitives::{DISPATCH, TREE, WORKGROUP_SCAN};

macro_rules! part {
    ($name:literal) => {
        include_str!(concat!("../../shader/", $name, ".wgsl"))
    };
}

/// Constants and small things.
pub const TYPES: &str = part!("pbd/types");
const DOMAIN: &str = part!("pbd/domain");
/// How far grains may move before lists are made anew.
const SKINS: &str = part!("pbd/skins");
/// Keys of pairs.
pub const KEYS: &str = part!("pbd/keys");
const COLOUR_STEP: &str = part!("pbd/colour_step");
const ENTRIES: &str = part!("pbd/entries");
/// One contact.
pub const CONTACT: &str = part!("pbd/contact");
const PAIR_SHAPE: &str = part!("pbd/pair_shape");
const PAIR_SIDES: &str = part!("pbd/pairs");
const COLOUR_PASS: &str = part!("pbd/colour_pass");
const BRICKS: &str = part!("pbd/bricks");
const BRICK_PASS: &str = part!("pbd/brick_pass");
const PAIR_WORDS: &str = part!("pbd/pair_words");
const SWEEP_PAIRS: &str = part!("pbd/sweep");
const BOUNCE_PAIRS: &str = part!("pbd/bounce");
const BODIES_OF_PARTICLES: &str = part!("pbd/shaped");
const GIVE: &str = part!("pbd/shaped_give");
const WALL_REACH: &str = part!("pbd/wall_reach");
const WALL_STEPS: &str = part!("pbd/wall_steps");
const AVERAGING: &str = part!("pbd/averaging");
const PUSH_SCALES: &str = part!("pbd/push_scales");

/// What the method adds to shared kernels.
pub const HOOKS: Hooks = Hooks {
    types: TYPES,
    traits: part!("pbd/traits"),
    measure: Hooks::PLAIN.measure,
    begin: concat!(part!("pbd/skins"), part!("pbd/begin")),
    check: part!("pbd/check"),
    end: part!("pbd/end"),
    bodies: part!("pbd/bodies"),
    drag: part!("pbd/drag"),
};

/// Particles near walls, as those of distinct elements.
pub const FIND_WALLS: Shader = Shader {
    name: "find_walls of pbd",
    parts: &[
        DISPATCH,
        crate::core::shaders::TYPES,
        TYPES,
        STEP,
        MOTION,
        SOLIDS,
        MAPS,
        FRAMES,
        WALL_TOUCH,
        WALL_REACH,
        FIND_WALLS_TEXT,
    ],
};

/// Contacts with walls for new lists, as those of distinct elements.
pub const CARRY_WALLS: Shader = Shader {
    name: "carry_walls of pbd",
    parts: &[DISPATCH, crate::core::shaders::TYPES, TYPES, STEP, WALL_TOUCH, CARRY_WALLS_TEXT],
};

/// Kernels of distinct elements with parts of this method.
#[cfg(test)]
pub const OF_DEM: &[&Shader] = &[&FIND_WALLS, &CARRY_WALLS];

gpu_shaders! { "shader/pbd";
    /// How a step goes on.
    DECIDE_LISTS = "decide_lists": [TYPES, ARGUMENTS, LEAVE_OUT];
    /// Forces put aside.
    REMEMBER = "remember": [TYPES, STEP, LIST];
    /// Orientations.
    FOLD_TURNS = "fold_turns": [TYPES, STEP, MOTION];
    /// How far grains are listed.
    FIND_SKINS = "find_skins": [TYPES, STEP, SKINS];
    /// Lists of pairs.
    LIST_PAIRS = "list_pairs": [TYPES, STEP, PAIRS];
    /// Bricks of the lists before, forgotten.
    CLEAR_BRICKS = "clear_bricks": [TYPES, STEP, BRICKS];
    /// Bricks that grains are in.
    FIND_BRICKS = "find_bricks": [TYPES, STEP, BRICKS];
    /// Their pairs, counted.
    COUNT_BRICKS = "count_bricks": [TYPES, STEP, LIST, BRICKS, ENTRIES];
    /// Where these begin.
    START_BRICKS = "start_bricks": [TYPES, STEP, BRICKS];
    /// How many bricks there are.
    INDEX_BRICKS = "index_bricks": [TYPES, ARGUMENTS];
    /// Pairs by brick.
    PLACE_BRICKS = "place_bricks": [TYPES, STEP, LIST, KEYS, PAIRS, BRICKS, PAIR_WORDS];
    /// Their colours.
    COLOUR_BRICKS = "colour_bricks": [TYPES, STEP, BRICKS];
    /// Keys of loose pairs.
    COLOUR_BEGIN = "colour_begin": [TYPES, STEP, LIST, KEYS];
    /// A round of colouring these.
    COLOUR_ROUND = "colour_round": [TYPES, STEP, LIST, KEYS, COLOUR_STEP];
    /// Rounds that were not recorded.
    COLOUR_LAST = "colour_last": [TYPES, STEP, LIST, KEYS, COLOUR_STEP];
    /// Loose pairs by colour, counted.
    COUNT_PAIRS = "count_pairs": [TYPES, STEP, LIST, POSITION, PLACES, DOMAIN, ENTRIES];
    /// Where colours begin.
    INDEX_COLOURS = "index_colours": [TYPES, ARGUMENTS, WORKGROUP_SCAN, BRICKS];
    /// Loose pairs by colour.
    PLACE_PAIRS = "place_pairs": [TYPES, STEP, LIST, ENTRIES, PAIR_WORDS];
    /// Forces for new pairs.
    CARRY_PAIRS = "carry_pairs": [TYPES, STEP, LIST];
    /// Gravity.
    FALL = "fall": [TYPES, STEP];
    /// Normals, gaps, who touches.
    PREPARE = "prepare": [TYPES, STEP, POSITION, PLACES, DOMAIN, CONTACT];
    /// Impulses of the step before.
    WARM_START = "warm_start": [TYPES, STEP, LIST, CONTACT, PAIR_SHAPE];
    /// Corrections of loose pairs.
    SWEEP_COLOURS = "sweep_colours": [TYPES, STEP, KEYS, CONTACT, PAIR_SHAPE, PAIR_SIDES, COLOUR_PASS, SWEEP_PAIRS];
    /// Those of bricks.
    SWEEP_BRICKS = "sweep_bricks": [
        TYPES, STEP, KEYS, CONTACT, PAIR_SHAPE, PAIR_SIDES, BRICKS, BRICK_PASS, SWEEP_PAIRS
    ];
    /// Bounces of loose pairs.
    BOUNCE_COLOURS = "bounce_colours": [
        TYPES, STEP, KEYS, CONTACT, PAIR_SHAPE, PAIR_SIDES, COLOUR_PASS, BOUNCE_PAIRS
    ];
    /// Those of bricks.
    BOUNCE_BRICKS = "bounce_bricks": [
        TYPES, STEP, KEYS, CONTACT, PAIR_SHAPE, PAIR_SIDES, BRICKS, BRICK_PASS, BOUNCE_PAIRS
    ];
    /// Contacts with walls, with the impulses of the step before.
    TOUCH_WALLS = "touch_walls": [
        TYPES, STEP, MOTION, SOLIDS, MAPS, WALLS, MAP_WALLS, WALL_TABLE, INTERSECTION, POSITION, PLACES, DOMAIN, FRAMES, FINE,
        EXACT_WALLS, FACETS, NEAR_WALLS, CONTACT, WALL_TOUCH, WALL_STEPS
    ];
    /// Their corrections.
    SWEEP_WALLS = "sweep_walls": [TYPES, STEP, CONTACT, WALL_TOUCH, WALL_STEPS];
    /// Their bounces.
    BOUNCE_WALLS = "bounce_walls": [TYPES, STEP, CONTACT, WALL_TOUCH, WALL_STEPS];
    /// Contacts of bodies, counted.
    COUNT_TOUCHES = "count_touches": [TYPES, STEP, WALL_TOUCH, PUSH_WORDS];
    /// How much bodies give way.
    ATTACH_TOUCHES = "attach_touches": [TYPES, STEP, BODIES, CONTACT, WALL_TOUCH, WALL_STEPS, PUSH_WORDS];
    /// Contacts that move with bodies.
    CARRY_TOUCHES = "carry_touches": [TYPES, STEP, BODIES, CONTACT, WALL_TOUCH, WALL_STEPS];
    /// What grains do to boundaries.
    SUM_PUSHES = "sum_pushes": [
        TYPES, STEP, MOTION, LOADS, PUSH_SCALES, CONTACT, WALL_TOUCH, WALL_STEPS, PUSH_WORDS, WALL_SUMS
    ];
    /// Bodies under these pushes.
    FOLLOW_BODIES = "follow_bodies": [TYPES, STEP, BODIES, LOADS, PUSH_SCALES, PUSH_WORDS, PUSHED];
    /// Walls that hold a force, on their way.
    LEAD_SERVOS = "lead_servos": [TYPES, STEP, MOTION, POSITION, SERVOS];
    /// The same under the forces of grains.
    KICK_SERVOS = "kick_servos": [
        TYPES, STEP, MOTION, POSITION, SERVOS, LOADS, PUSH_SCALES, PUSH_WORDS, PUSHED
    ];
    /// Particles of bodies, and pairs of two bodies, where lists are new.
    SHAPED_LIST = "shaped_list": [TYPES, STEP, LIST, MOTION, POSITION, CLUMPS, BODIES_OF_PARTICLES];
    /// Bodies made of particles fall.
    SHAPED_BEGIN = "shaped_begin": [TYPES, STEP, MOTION, POSITION, CLUMPS, BODIES_OF_PARTICLES, GIVE];
    /// Which of their particles touch something.
    SHAPED_TOUCH = "shaped_touch": [TYPES, STEP, LIST, MOTION, POSITION, CLUMPS, BODIES_OF_PARTICLES];
    /// How heavy these are.
    SHAPED_WEIGH = "shaped_weigh": [TYPES, STEP, TREE, MOTION, POSITION, CLUMPS, BODIES_OF_PARTICLES];
    /// Whether such bodies meet.
    SHAPED_MEET = "shaped_meet": [TYPES, STEP, ARGUMENTS, MOTION, POSITION, CLUMPS, BODIES_OF_PARTICLES];
    /// Impulses of the step before between their particles and walls.
    SHAPED_WARM_WALLS = "shaped_warm_walls": [TYPES, STEP, CONTACT, WALL_TOUCH, WALL_STEPS];
    /// Their rigid motions.
    SHAPED_PROJECT = "shaped_project": [TYPES, STEP, TREE, MOTION, POSITION, CLUMPS, BODIES_OF_PARTICLES, GIVE];
    /// Corrections of pairs of two bodies.
    SWEEP_MEETING = "sweep_meeting": [TYPES, STEP, KEYS, CONTACT, PAIR_SHAPE, PAIR_SIDES, COLOUR_PASS, SWEEP_PAIRS];
    /// Forces at walls where sweeps may follow the last one.
    WALL_FORCES = "wall_forces": [TYPES, STEP, WALL_TOUCH];
    /// What grains did to particles of bodies.
    SHAPED_GATHER = "shaped_gather": [
        TYPES, STEP, LIST, CONTACT, PAIR_SHAPE, MOTION, POSITION, CLUMPS, BODIES_OF_PARTICLES
    ];
    /// Bodies made of particles move.
    SHAPED_DRIFT = "shaped_drift": [
        TYPES, STEP, TREE, MOTION, POSITION, DOMAIN, CLUMPS, CLUMP_MOTION, CLUMP_ARMS, BODIES_OF_PARTICLES, GIVE
    ];
    /// How high the lowest grain is.
    AVERAGE_LOWEST = "average_lowest": [TYPES, STEP, TREE, AVERAGING];
    /// The averaged scheme begins.
    AVERAGE_BEGIN = "average_begin": [TYPES, STEP, AVERAGING];
    /// Its iterations.
    AVERAGE = "average": [
        TYPES, STEP, LIST, POSITION, PLACES, DOMAIN, CONTACT, WALL_TOUCH, WALL_STEPS, AVERAGING
    ];
    /// It ends.
    AVERAGE_END = "average_end": [TYPES, STEP, WALL_TOUCH];
    /// Positions.
    DRIFT = "drift": [TYPES, STEP, PAIRS, TREE, SOUNDNESS, POSITION, PLACES, DOMAIN, SKINS];
    /// Whether lists hold.
    NOTE_MOTION = "note_motion": [TYPES, MOTION, TREE, SKINS];
}
