//! Fields of granular IISPH beside the shared ones.

use granule::simulator::FieldData;
use granule::solver::iisph::setup::Setup;
use granule::sym3::Sym3;

use crate::core::columns::{ColumnInfo, VELOCITY};
use crate::core::method::{FieldInput, PublishedField};

use super::columns::{ACCELERATION, STRESS};

/// Fields that views carry.
pub const PUBLISHED: &[PublishedField] = &[
    PublishedField { name: "pressure", column: STRESS, number: 6 },
    PublishedField { name: "strain_rate", column: STRESS, number: 7 },
];

/// Columns that a field needs.
pub fn columns(field: &str) -> Vec<ColumnInfo> {
    if field == "force" { vec![VELOCITY, ACCELERATION] } else { vec![STRESS] }
}

/// Frictional stress (xx, xy, xz, yy, yz, zz) of a row.
pub fn friction_stress(row: &[f32; 8]) -> [f32; 6] {
    let [xx, xy, xz, yy, yz, zz, _, _] = *row;
    [xx, xy, xz, yy, yz, zz]
}

/// A field.
pub fn field(name: &str, input: &FieldInput, setup: &Setup) -> FieldData {
    if name == "force" {
        return input.forces(ACCELERATION);
    }
    let stress: Vec<[f32; 8]> = input.rows.of(STRESS);
    match name {
        "pressure" => input.scalars(|i| stress[i][6]),
        "strain_rate" => input.scalars(|i| stress[i][7]),
        "yield_ratio" => input.scalars(|i| {
            let material = &setup.materials[input.rows.material(i)];
            let limit = material.yield_limit(stress[i][6], stress[i][7]);
            if limit > 0.0 { Sym3::from_array(friction_stress(&stress[i])).norm() / limit } else { 0.0 }
        }),
        _ => FieldData::Tensor(input.order.iter().map(|&i| friction_stress(&stress[i as usize])).collect()),
    }
}
