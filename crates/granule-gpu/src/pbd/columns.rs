//! The particle columns and pools of position-based sand.

use granule::solver::pbd::bricks::PARTITIONS;

use crate::core::buffers::PoolInfo;
use crate::core::capacity::Capacity;
use crate::core::columns::{ColumnInfo, Initial};
use crate::core::layout::LANES;

use super::layout::{BRICK_BYTES, COLOURS_BYTES, WALL_STEP_BYTES};

/// Exact centre in quanta, radius \[m\] and id.
pub const PLACE: ColumnInfo = ColumnInfo::state("place", 32);

/// Velocity [m/s] and inverse mass [1/kg], angular velocity [rad/s] and radius \[m\]: what passes over pairs gather of every
/// grain. Grains that are held have no inverse mass.
pub const MOTION: ColumnInfo = ColumnInfo::state("motion", 32);

/// How far overlaps push a grain in a step \[m\]; how far it has turned since lists were made, as a rotation vector \[rad\], and how far
/// it is listed, with a minus where it is held \[m\]; its path (`crates/granule/src/solver/pbd/path.rs`).
pub const WAY: ColumnInfo = ColumnInfo::result("way", 48);

/// The same as numbers.
pub type WayRecord = [[f32; 4]; 3];

/// Orientation, world from body, up to when lists were made.
pub const ORIENTATION: ColumnInfo =
    ColumnInfo::state_from("orientation", 16, Initial::Words(&[0, 0, 0, 0x3f80_0000]));

/// Where what its pairs remember was put aside before the sort: first entry and number of slots.
pub const SOURCE: ColumnInfo = ColumnInfo::state_from("source", 8, Initial::Words(&[u32::MAX, 0]));

/// Largest key that is left, and colours that a grain has; two of them, from one round to the next.
pub const COLOURING: [ColumnInfo; 2] =
    [ColumnInfo::scratch("colouring", 16), ColumnInfo::scratch("colouring (2)", 16)];

/// The entry of a grain's list with that key.
pub const HEAD: ColumnInfo = ColumnInfo::scratch("head", 4);

/// Slots of its bricks, one of each partition.
pub const BRICK_OF: ColumnInfo = ColumnInfo::scratch("bricks of grains", 16);

/// Of the averaged scheme: way since the beginning of the step \[m\] and scaled inverse mass [1/kg]; by how much the beginning is moved
/// \[m\]; two of them, from one iteration to the next.
pub const AVERAGED: [ColumnInfo; 2] =
    [ColumnInfo::scratch("averaged way", 32), ColumnInfo::scratch("averaged way (2)", 32)];

/// All of them, with those of the averaged scheme or without.
pub fn list(averaged: bool) -> Vec<ColumnInfo> {
    let all = [PLACE, MOTION, WAY, ORIENTATION, SOURCE, COLOURING[0], COLOURING[1], HEAD, BRICK_OF];
    all.into_iter().chain(AVERAGED.into_iter().filter(|_| averaged)).collect()
}

/// Both grains of every pair: brick by brick, then loose ones, each colour by colour.
pub const PAIRS: &str = "pairs";

/// Normals and gaps of pairs; while loose pairs are coloured, the keys of entries.
pub const GEOMETRY: &str = "normals and gaps";

/// Impulses of pairs; while those of bricks are coloured, what that takes.
pub const IMPULSES: &str = "impulses";

/// Numbers of the laws of pairs.
pub const PAIR_LAWS: &str = "laws of pairs";

/// Velocities along the normal when a step begins.
pub const APPROACHES: &str = "approaches";

/// The pair of each entry of the lists.
pub const PAIR_OF: &str = "pairs of entries";

/// Ranges of colours.
pub const COLOURS: &str = "colours";

/// Keys of bricks and numbers of their pairs, by slot.
pub const BRICK_TABLE: &str = "table of bricks";

/// Bricks that have pairs, and where their colours end.
pub const BRICKS: &str = "bricks";

/// Forces of pairs while particles are sorted, by entry of the lists.
pub const SAVED: &str = "forces put aside";

/// Whose they are: ids of partners.
pub const PARTNERS: &str = "partners of contacts";

/// Contacts with walls within a step.
pub const WALL_STEPS: &str = "contacts with walls";

/// Walls that hold a force, by boundary.
pub const SERVOS: &str = "walls that hold a force";

/// What does not change about them.
pub const SERVO_SHAPES: &str = "forces that walls hold";

/// Bodies made of particles.
pub const SHAPED: &str = "bodies made of particles";

/// Where their particles are in the frames of their shapes.
pub const OFFSETS: &str = "particles in the shapes of bodies";

/// These particles within a step.
pub const MEMBERS: &str = "particles of bodies";

/// Pairs with particles of two bodies.
pub const MEETING: &str = "pairs of two bodies";

/// How high the lowest grain is.
pub const LOWEST: &str = "height of the lowest grain";

/// Sums of what grains do to bodies and to such walls, by boundary.
pub const PUSHES: &str = "pushes of grains";

/// The pools of buffers with this capacity: a pair has two entries in the lists.
pub fn pools(capacity: &Capacity) -> Vec<PoolInfo> {
    let entries = u64::from(capacity.slots) * u64::from(LANES);
    let pairs = entries / 2;
    let slots = u64::from(capacity.particles.next_power_of_two());
    let [of_all, of_brick] = BRICK_BYTES;
    let bricks = PARTITIONS as u64 * (u64::from(capacity.particles) / 2 + 1);
    let sizes = [
        (PAIRS, 8 * pairs),
        (GEOMETRY, 16 * pairs),
        (IMPULSES, 32 * pairs),
        (PAIR_LAWS, 4 * pairs),
        (APPROACHES, 4 * pairs),
        (PAIR_OF, 4 * entries),
        (COLOURS, COLOURS_BYTES),
        (BRICK_TABLE, 2 * 4 * PARTITIONS as u64 * slots),
        (BRICKS, of_all + of_brick * bricks + 4 * pairs),
        (SAVED, 32 * entries),
        (PARTNERS, 4 * entries),
        (LOWEST, 16),
        (WALL_STEPS, WALL_STEP_BYTES * u64::from(capacity.contacts)),
    ];
    sizes.into_iter().map(|(name, bytes)| PoolInfo { name, bytes: bytes.max(64) }).collect()
}
