//! The particle columns of weakly compressible SPH.

use crate::core::columns::{ColumnInfo, Initial};

/// Acceleration [m/s2] and pressure \[Pa\].
pub const ACCELERATION: ColumnInfo = ColumnInfo::state_from("acceleration", 16, Initial::Gravity);

/// Position, and pressure over the square of the density.
pub const PLACE: ColumnInfo = ColumnInfo::scratch("place", 16);

/// The same with normals in a second region.
pub const PLACE_AND_NORMAL: ColumnInfo = ColumnInfo::scratch("place", 32);

/// Velocity at the time of the positions, and density.
pub const MOTION: ColumnInfo = ColumnInfo::scratch("motion", 16);

/// All of them; `smoothed` where surfaces are.
pub fn list(smoothed: bool) -> Vec<ColumnInfo> {
    vec![ACCELERATION, if smoothed { PLACE_AND_NORMAL } else { PLACE }, MOTION]
}
