//! The particle columns and pools of distinct elements.

use crate::core::columns::{ColumnInfo, Initial};

/// Exact centre in quanta, radius \[m\] and id: what contacts gather of every partner.
pub const PLACE: ColumnInfo = ColumnInfo::state("place", 32);

/// Angular velocity [rad/s] and the inverse of the mass that contacts feel [1/kg].
pub const SPIN: ColumnInfo = ColumnInfo::state("angular velocity", 16);

/// Force \[N\] and number of contacts; torque [N m] and which slots of the list remember something.
pub const LOADS: ColumnInfo = ColumnInfo::result("loads", 32);

/// Orientation, world from body, up to when lists were made.
pub const ORIENTATION: ColumnInfo =
    ColumnInfo::state_from("orientation", 16, Initial::Words(&[0, 0, 0, 0x3f80_0000]));

/// How far a sphere has turned since, as a rotation vector \[rad\].
pub const TURN: ColumnInfo = ColumnInfo::result("turn", 16);

/// Where what its contacts remember was put aside before the sort: first entry and number of slots.
pub const SOURCE: ColumnInfo = ColumnInfo::state_from("source", 8, Initial::Words(&[u32::MAX, 0]));

/// Where there are grains of several spheres: the one that a sphere belongs to, and its number among all members.
pub const GRAIN: ColumnInfo = ColumnInfo::state_from("grain", 8, Initial::Words(&[u32::MAX, u32::MAX]));

/// All of them, for spheres alone or with grains of several.
pub fn list(clumps: bool) -> Vec<ColumnInfo> {
    let mut all = vec![PLACE, SPIN, LOADS, ORIENTATION, TURN, SOURCE];
    all.extend(clumps.then_some(GRAIN));
    all
}

/// Grains of several spheres: where they are and how they move.
pub const RIGID: &str = "rigid grains";

/// Their moments of inertia.
pub const INERTIA: &str = "moments of inertia";

/// What acted on them at the end of a step.
pub const ACTING: &str = "loads of rigid grains";

/// Their spheres.
pub const MEMBERS: &str = "members of rigid grains";

/// Rigid bodies, and walls that hold a force.
pub const FLIGHTS: &str = "rigid bodies";

/// Sums of the forces of grains on them.
pub const PUSHES: &str = "pushes of grains";

/// What does not change about them.
pub const FLIGHT_SHAPES: &str = "shapes of rigid bodies";

/// The periodic cell, where it strains.
pub const CELL: &str = "periodic cell";

/// Stress of the contacts of every sphere times the volume \[J\], there.
pub const STRESSES: &str = "stresses of spheres";

/// Most pieces of the contact memory.
pub const MOST_PIECES: usize = 8;

/// What contacts remember, slot by slot of the lists, in pieces that a binding holds.
pub const MEMORY: [&str; MOST_PIECES] = [
    "contact memory",
    "contact memory (2)",
    "contact memory (3)",
    "contact memory (4)",
    "contact memory (5)",
    "contact memory (6)",
    "contact memory (7)",
    "contact memory (8)",
];

/// The same, put aside while particles are sorted.
pub const SAVED: [&str; MOST_PIECES] = [
    "contacts put aside",
    "contacts put aside (2)",
    "contacts put aside (3)",
    "contacts put aside (4)",
    "contacts put aside (5)",
    "contacts put aside (6)",
    "contacts put aside (7)",
    "contacts put aside (8)",
];

/// Whose it is: ids of partners.
pub const PARTNERS: &str = "partners of contacts";
