//! The constants of a scene for distinct elements.

use granule::position::ExactDomain;
use granule::solver::dem::contact::{Damping, NormalModel, PairLaw, TangentialModel};
use granule::solver::dem::laws::numbers;
use granule::solver::dem::params::Setup;

use crate::core::constants::{StepLimits, flag};

use super::layout::{LawRecord, MOST_LAWS, ParamsRecord};

/// Which models a scene has: overrides of constants in shaders.
pub fn overrides(setup: &Setup, records: u32) -> Vec<(&'static str, f64)> {
    let law = setup.laws.models();
    let mut all = models(law);
    all.push(("BRIDGES", flag(law.capillary.is_some() && setup.bridges_at_start)));
    all.push(("RECORDS", f64::from(records)));
    all
}

/// Which models a law has.
pub fn models(law: &PairLaw<f32>) -> Vec<(&'static str, f64)> {
    let normal = match law.normal.model {
        NormalModel::Hertz => 0,
        NormalModel::Hooke => 1,
        NormalModel::Dmt => 2,
        NormalModel::Jkr => 3,
    };
    let tangential = match law.tangential.model {
        TangentialModel::MindlinRescale => 0,
        TangentialModel::Mindlin => 1,
        TangentialModel::Linear => 2,
        TangentialModel::Viscous => 3,
    };
    vec![
        ("NORMAL", f64::from(normal)),
        ("VISCOELASTIC", flag(law.normal.damping == Damping::Viscoelastic)),
        ("LIMIT_DAMPING", flag(law.normal.limit_damping)),
        ("TANGENTIAL", f64::from(tangential)),
        ("ROLLING", flag(law.rolling.is_some())),
        ("TWISTING", flag(law.twisting.is_some())),
        ("CAPILLARY", flag(law.capillary.is_some())),
    ]
}

/// Records of 16 bytes that a contact remembers: friction alone, or resistance to rolling and twisting as well.
pub fn records(setup: &Setup) -> u32 {
    let law = setup.laws.models();
    if law.rolling.is_some() || law.twisting.is_some() { 2 } else { 1 }
}

/// What bounds steps and pairs; `largest` is the radius of the largest sphere \[m\].
pub fn limits(setup: &Setup, largest: f32) -> StepLimits {
    StepLimits {
        cfl: 1.0,
        fixed: true,
        longest: setup.step as f32,
        viscous: f32::MAX,
        push_out_speed: 0.0,
        skin: setup.skin,
        reach: Some(2.0 * largest + setup.skin + setup.laws.reach),
    }
}

/// The method's own constants.
pub fn params(setup: &Setup, material_count: usize) -> ParamsRecord {
    let [origin, length] = periods(&setup.exact_domain);
    ParamsRecord {
        origin_xy: [origin[0], origin[1]],
        origin_z: [origin[2], 0],
        length_xy: [length[0], length[1]],
        length_z: [length[2], 0],
        lasting: setup.laws.reach,
        skin: setup.skin,
        material_count: material_count as u32,
        wall_laws: (material_count * material_count) as u32,
    }
}

/// Origin and length of the periods, in quanta.
fn periods(domain: &ExactDomain) -> [[i64; 3]; 2] {
    bytemuck::cast(*domain)
}

/// The numbers of a law.
pub fn record(law: &PairLaw<f32>) -> LawRecord {
    let mut all = [0.0; 16];
    all[..15].copy_from_slice(&numbers(law));
    bytemuck::cast(all)
}

/// The laws of pairs of materials, then of walls and materials.
pub fn laws(setup: &Setup, materials: usize, walls: usize) -> Vec<LawRecord> {
    let pairs = (0..materials * materials)
        .map(|k| setup.laws.of_grains((k / materials) as u16, (k % materials) as u16));
    let walls = (0..walls * materials).map(|k| setup.laws.of_wall(k / materials, (k % materials) as u16));
    let mut records: Vec<LawRecord> = pairs.chain(walls).map(record).collect();
    records.resize(MOST_LAWS, LawRecord::default());
    records
}
