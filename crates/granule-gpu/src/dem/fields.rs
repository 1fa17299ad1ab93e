//! Fields of distinct elements that columns have. Those of contacts come from the CPU's solver: see `twin.rs`.

use glam::{Quat, Vec3};
use granule::simulator::FieldData;

use crate::core::columns::ColumnInfo;
use crate::core::method::FieldInput;

use super::columns::{LOADS, ORIENTATION, SPIN, TURN};

/// Columns that a field needs.
pub fn columns_of(field: &str) -> Vec<ColumnInfo> {
    match field {
        "grain" => Vec::new(),
        "orientation" => vec![ORIENTATION, TURN],
        "angular_velocity" => vec![SPIN],
        _ => vec![LOADS],
    }
}

/// A field.
pub fn field(name: &str, input: &FieldInput) -> FieldData {
    match name {
        // Every sphere is a grain of its own here.
        "grain" => FieldData::Integer(input.order.iter().map(|&i| input.rows.meta[i as usize][0]).collect()),
        "orientation" => {
            let orientation: Vec<[f32; 4]> = input.rows.of(ORIENTATION);
            let turn: Vec<[f32; 4]> = input.rows.of(TURN);
            let turned = |&i: &u32| {
                let (before, way) =
                    (Quat::from_array(orientation[i as usize]), Vec3::from_slice(&turn[i as usize]));
                (Quat::from_scaled_axis(way) * before).normalize().to_array()
            };
            FieldData::Quaternion(input.order.iter().map(turned).collect())
        }
        "angular_velocity" => input.vectors(&input.rows.of(SPIN)),
        name => {
            let loads: Vec<[[f32; 4]; 2]> = input.rows.of(LOADS);
            let part = usize::from(name == "torque");
            let rows: Vec<[f32; 4]> = loads.iter().map(|load| load[part]).collect();
            match name {
                "coordination" => {
                    FieldData::Integer(input.order.iter().map(|&i| rows[i as usize][3] as u32).collect())
                }
                _ => input.vectors(&rows),
            }
        }
    }
}
