//! The particle columns of granular IISPH.

use crate::core::columns::ColumnInfo;

/// Frictional stress (xx, xy, xz, yy, yz, zz) and pressure \[Pa\], strain rate [1/s].
pub const STRESS: ColumnInfo = ColumnInfo::state("stress", 32);

/// Acceleration in the last step [m/s2].
pub const ACCELERATION: ColumnInfo = ColumnInfo::result("acceleration", 16);

/// Predicted velocity, then acceleration from walls, in two regions; in a third one what the last iteration gave (stress,
/// pressure, number of iterations), or trial stresses where friction is explicit.
pub const PREDICTION: ColumnInfo = ColumnInfo::scratch("prediction", 64);

/// The same for fluids, without the third region.
pub const FLUID_PREDICTION: ColumnInfo = ColumnInfo::scratch("prediction", 32);

/// Velocity with everything.
pub const SOLVED: ColumnInfo = ColumnInfo::scratch("solved velocity", 16);

/// All of them; `fluid` where all materials are.
pub fn list(fluid: bool) -> Vec<ColumnInfo> {
    let prediction = if fluid { FLUID_PREDICTION } else { PREDICTION };
    vec![STRESS, ACCELERATION, prediction, SOLVED]
}
