//! Fields that columns have. Those of contacts come from the CPU's solver, restored from a checkpoint.

use glam::{Quat, Vec3};
use granule::simulator::FieldData;

use crate::core::columns::ColumnInfo;
use crate::core::method::FieldInput;

use super::columns::{MOTION, ORIENTATION, WAY, WayRecord};

/// Fields that contacts give.
pub const OF_CONTACTS: &[&str] = &["pressure", "coordination", "contact_force"];

/// Columns that a field needs.
pub fn columns_of(field: &str) -> Vec<ColumnInfo> {
    if field == "orientation" { vec![ORIENTATION, WAY] } else { vec![MOTION] }
}

/// A field: the orientation, or else the angular velocity.
pub fn field(name: &str, input: &FieldInput) -> FieldData {
    if name == "orientation" {
        let orientation: Vec<[f32; 4]> = input.rows.of(ORIENTATION);
        let way: Vec<WayRecord> = input.rows.of(WAY);
        let turned = |&i: &u32| {
            let (before, turn) =
                (Quat::from_array(orientation[i as usize]), Vec3::from_slice(&way[i as usize][1]));
            (Quat::from_scaled_axis(turn) * before).normalize().to_array()
        };
        return FieldData::Quaternion(input.order.iter().map(turned).collect());
    }
    let motion: Vec<[[f32; 4]; 2]> = input.rows.of(MOTION);
    let spin: Vec<[f32; 4]> = motion.iter().map(|motion| motion[1]).collect();
    input.vectors(&spin)
}
