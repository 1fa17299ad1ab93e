//! The particle columns of granular IISPH.

use crate::core::columns::ColumnInfo;

/// Frictional stress (xx, xy, xz, yy, yz, zz) and pressure \[Pa\], strain rate [1/s].
pub const STRESS: ColumnInfo = ColumnInfo::state("stress", 32);

/// Acceleration in the last step [m/s2].
pub const ACCELERATION: ColumnInfo = ColumnInfo::result("acceleration", 16);

/// Predicted velocity, then acceleration from walls, in two regions.
pub const PREDICTION: ColumnInfo = ColumnInfo::scratch("prediction", 32);

/// The same with trial stresses of explicit friction in a third region.
pub const EXPLICIT_PREDICTION: ColumnInfo = ColumnInfo::scratch("prediction", 64);

/// Velocity with everything.
pub const SOLVED: ColumnInfo = ColumnInfo::scratch("solved velocity", 16);

/// All of them; `explicit` where friction is.
pub fn list(explicit: bool) -> Vec<ColumnInfo> {
    let prediction = if explicit { EXPLICIT_PREDICTION } else { PREDICTION };
    vec![STRESS, ACCELERATION, prediction, SOLVED]
}
