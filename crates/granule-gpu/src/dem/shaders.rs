//! The shaders of distinct elements, each put together from the files that it needs.

use crate::core::hooks::Hooks;
use crate::core::shaders::{
    ARGUMENTS, INTERSECTION, LEAVE_OUT, LIST, LOADS, MAP_WALLS, MAPS, MOTION, PAIRS, SOLIDS, SOUNDNESS, STEP,
    WALL_TABLE, WALLS,
};
use crate::gpu_shaders;
use crate::primitives::TREE;

macro_rules! part {
    ($name:literal) => {
        include_str!(concat!("../../shader/", $name, ".wgsl"))
    };
}

/// Constants and small things.
pub const TYPES: &str = part!("dem/types");
/// Exact positions.
pub const POSITION: &str = part!("position");
/// Places of spheres.
pub const PLACES: &str = part!("dem/places");
/// Periods of space.
const DOMAIN: &str = part!("dem/domain");
/// How a periodic cell moves what is in it.
const STRAIN: &str = part!("dem/strain");
/// The cell itself.
const CELL: &str = part!("dem/cell");
/// The law of a contact.
pub const CONTACT: &str = part!("dem/contact");
/// Lengths finer than single precision.
pub const FINE: &str = part!("dem/fine");
/// Frames of boundaries.
pub const FRAMES: &str = part!("dem/frames");
/// Walls, finer.
pub const EXACT_WALLS: &str = part!("dem/exact_walls");
/// Triangles that spheres touch.
pub const FACETS: &str = part!("dem/facets");
/// Rigid grains of several spheres.
pub const CLUMPS: &str = part!("dem/clumps");
/// How they turn.
pub const CLUMP_MOTION: &str = part!("dem/clump_motion");
/// Where their spheres are.
pub const CLUMP_ARMS: &str = part!("dem/clump_arms");
/// How forces change their motion.
pub const CLUMP_KICKS: &str = part!("dem/clump_kicks");
/// Rigid bodies.
pub const FLIGHTS: &str = part!("dem/flights");
/// Walls that hold a force.
pub const SERVOS: &str = part!("dem/servos");
/// Words of sums of what grains do to boundaries.
pub const PUSH_WORDS: &str = part!("dem/push_words");
/// These sums, made.
pub const WALL_SUMS: &str = part!("dem/wall_sums");
/// And read.
pub const PUSHED: &str = part!("dem/pushed");
const CLUMP_TABLE: &str = part!("dem/clump_table");
const CLUMP_WRITES: &str = part!("dem/clump_writes");
const CLUMP_LOADS: &str = part!("dem/clump_loads");
const MEMORY: &str = part!("dem/memory");
/// Walls that a sphere may touch.
pub const NEAR_WALLS: &str = part!("dem/near_walls");
/// Contacts with walls as they are kept.
pub const WALL_TOUCH: &str = part!("dem/wall_touch");
/// Which particles may touch some.
pub const FIND_WALLS_TEXT: &str = part!("dem/find_walls");
const WALL_REACH: &str = part!("dem/wall_reach");
/// How they go over to new lists.
pub const CARRY_WALLS_TEXT: &str = part!("dem/carry_walls");

/// What the method adds to shared kernels.
pub const HOOKS: Hooks = Hooks {
    types: TYPES,
    traits: part!("dem/traits"),
    measure: Hooks::PLAIN.measure,
    begin: part!("dem/begin"),
    check: part!("dem/check"),
    end: part!("dem/end"),
    bodies: Hooks::PLAIN.bodies,
    drag: part!("dem/drag"),
};

gpu_shaders! { "shader/dem";
    /// First kick and drift.
    DRIFT = "drift": [TYPES, STEP, PAIRS, TREE, SOUNDNESS, POSITION, PLACES, DOMAIN, STRAIN];
    /// Whether lists hold.
    DECIDE_LISTS = "decide_lists": [TYPES, ARGUMENTS, LEAVE_OUT, TREE];
    /// Contacts put aside.
    REMEMBER = "remember": [TYPES, STEP, LIST, MEMORY];
    /// Orientations.
    FOLD_TURNS = "fold_turns": [TYPES, STEP, MOTION];
    /// Lists of pairs.
    LIST_PAIRS = "list_pairs": [TYPES, STEP, PAIRS];
    /// Particles near walls.
    FIND_WALLS = "find_walls": [TYPES, STEP, MOTION, SOLIDS, MAPS, FRAMES, WALL_TOUCH, WALL_REACH];
    /// Contacts for new lists.
    CARRY = "carry": [TYPES, STEP, LIST, MEMORY, POSITION, PLACES, DOMAIN, CONTACT];
    /// Contacts with walls for new lists.
    CARRY_WALLS = "carry_walls": [TYPES, STEP, WALL_TOUCH];
    /// Contacts of grains.
    TOUCH = "touch": [TYPES, STEP, LIST, MEMORY, POSITION, PLACES, DOMAIN, CONTACT];
    /// Contacts with walls.
    TOUCH_WALLS = "touch_walls": [
        TYPES, STEP, MOTION, SOLIDS, MAPS, WALLS, MAP_WALLS, WALL_TABLE, INTERSECTION, POSITION, PLACES, DOMAIN, FRAMES, FINE, EXACT_WALLS,
        FACETS, NEAR_WALLS, CONTACT, WALL_TOUCH
    ];
    /// First kick and drift of rigid grains.
    CLUMP_DRIFT = "clump_drift": [
        TYPES, STEP, MOTION, POSITION, STRAIN, CLUMPS, CLUMP_TABLE, CLUMP_WRITES, CLUMP_MOTION, CLUMP_KICKS, CLUMP_LOADS
    ];
    /// Where they have their spheres.
    PLACE_MEMBERS = "place_members": [
        TYPES, STEP, MOTION, SOUNDNESS, POSITION, PLACES, DOMAIN, CLUMPS, CLUMP_TABLE, CLUMP_ARMS
    ];
    /// Their second kick.
    CLUMP_KICK = "clump_kick": [
        TYPES, STEP, MOTION, POSITION, CLUMPS, CLUMP_TABLE, CLUMP_WRITES, CLUMP_KICKS, CLUMP_LOADS
    ];
    /// How fast their spheres are.
    MEMBER_RATES = "member_rates": [TYPES, STEP, MOTION, POSITION, CLUMPS, CLUMP_TABLE];
    /// Where their spheres are in the order of a sort.
    FIND_MEMBERS = "find_members": [TYPES, STEP, MOTION, POSITION, CLUMPS];
    /// Rigid grains in regions.
    MARK_CLUMPS = "mark_clumps": [
        TYPES, STEP, MOTION, SOLIDS, MAPS, SOUNDNESS, POSITION, CLUMPS, CLUMP_TABLE, CLUMP_WRITES
    ];
    /// Their spheres.
    MARK_MEMBERS = "mark_members": [TYPES, STEP, MOTION, POSITION, CLUMPS, CLUMP_TABLE];
    /// First kick and drift of bodies.
    BODY_DRIFT = "body_drift": [
        TYPES, MOTION, TREE, POSITION, CLUMPS, CLUMP_MOTION, CLUMP_KICKS, SERVOS, FLIGHTS, PUSH_WORDS
    ];
    /// What grains do to bodies.
    SUM_PUSHES = "sum_pushes": [
        TYPES, STEP, MOTION, LOADS, POSITION, CLUMPS, CLUMP_KICKS, SERVOS, FLIGHTS, WALL_TOUCH, PUSH_WORDS, WALL_SUMS
    ];
    /// Their second kick.
    BODY_KICK = "body_kick": [
        TYPES, STEP, MOTION, LOADS, POSITION, CLUMPS, CLUMP_KICKS, SERVOS, FLIGHTS, PUSH_WORDS, PUSHED
    ];
    /// The periodic cell by a step.
    STRAIN_CELL = "strain_cell": [TYPES, POSITION, CELL];
    /// Stresses of grains of several spheres.
    ADD_ARMS = "add_arms": [TYPES, STEP, MOTION, POSITION, CLUMPS, CLUMP_TABLE];
    /// Stresses, summed.
    SUM_STRESS = "sum_stress": [TYPES, STEP, TREE];
    /// The cell under them.
    STEER_CELL = "steer_cell": [TYPES, STEP, TREE, POSITION, CELL];
    /// Second kick.
    KICK = "kick": [TYPES, STEP, TREE, SOUNDNESS];
}
