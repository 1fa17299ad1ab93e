//! Fields of distinct elements that columns have. Those of contacts come from the CPU's solver: see `twin.rs`.

use std::collections::HashMap;

use glam::{Quat, Vec3};
use granule::simulator::FieldData;

use crate::core::columns::ColumnInfo;
use crate::core::method::FieldInput;

use super::clumps::Clumps;
use super::columns::{GRAIN, LOADS, ORIENTATION, SPIN, TURN};
use super::layout::NOBODY;

/// Columns that a field needs.
pub fn columns_of(field: &str, clumps: bool) -> Vec<ColumnInfo> {
    match field {
        "grain" if clumps => vec![GRAIN],
        "grain" => Vec::new(),
        "coordination" if clumps => vec![LOADS, GRAIN],
        "orientation" => vec![ORIENTATION, TURN],
        "angular_velocity" => vec![SPIN],
        _ => vec![LOADS],
    }
}

/// A field.
pub fn field(name: &str, input: &FieldInput, clumps: Option<&Clumps>) -> FieldData {
    match name {
        "grain" => {
            let grain: Vec<[u32; 2]> = input.rows.of(GRAIN);
            let first = |i: usize| clumps?.first_sphere(grain.get(i)?[0]);
            let of = |&i: &u32| first(i as usize).unwrap_or(input.rows.meta[i as usize][0]);
            FieldData::Integer(input.order.iter().map(of).collect())
        }
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
                "coordination" => coordination(input, &rows),
                _ => input.vectors(&rows),
            }
        }
    }
}

/// Contacts of grains; spheres of one have those of the whole.
fn coordination(input: &FieldInput, loads: &[[f32; 4]]) -> FieldData {
    let grain: Vec<[u32; 2]> = input.rows.of(GRAIN);
    let grain_of = |i: usize| grain.get(i).map_or(NOBODY, |grain| grain[0]);
    let mut of_grains: HashMap<u32, u32> = HashMap::new();
    for i in input.order.iter().map(|&i| i as usize) {
        *of_grains.entry(grain_of(i)).or_default() += loads[i][3] as u32;
    }
    let contacts = |&i: &u32| match grain_of(i as usize) {
        NOBODY => loads[i as usize][3] as u32,
        grain => of_grains[&grain],
    };
    FieldData::Integer(input.order.iter().map(contacts).collect())
}
