//! The constants of a scene for distinct elements.

use granule::position::ExactDomain;
use granule::solver::dem::contact::{Damping, NormalModel, PairLaw, TangentialModel};
use granule::solver::dem::laws::numbers;
use granule::solver::dem::params::Setup;

use crate::core::constants::{StepLimits, flag};

use super::layout::{CellMotionRecord, LawRecord, MOST_LAWS, ParamsRecord};

/// Which models a scene has, and whether it has grains of several spheres, walls that grains push, and a cell that strains:
/// overrides of constants in shaders.
pub fn overrides(
    setup: &Setup,
    records: u32,
    [clumps, pushed, strains]: [bool; 3],
) -> Vec<(&'static str, f64)> {
    let law = setup.laws.models();
    let mut all = models(law);
    all.push(("BRIDGES", flag(law.capillary.is_some() && setup.bridges_at_start)));
    all.push(("RECORDS", f64::from(records)));
    all.push(("CLUMPS", flag(clumps)));
    all.push(("PUSHES", flag(pushed)));
    all.push(("STRAINS", flag(strains)));
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

/// How much wider than pairs reach cells are, so that the ranges of particles around all of them fit into `most_bytes`: 8 bytes each,
/// `ranges` to a cell. Grains of a mean volume \[m3\] fill half of a loose bed.
pub fn widening(count: usize, volume: f64, reach: f32, ranges: u32, most_bytes: u64) -> f32 {
    // Buffers grow by more than what is needed.
    const GROWTH: f64 = 1.3;
    let bytes = |wider: f64| {
        let per_cell = (0.5 * (wider * f64::from(reach)).powi(3) / volume).max(1.0);
        8.0 * GROWTH * f64::from(ranges) * count as f64 / per_cell
    };
    let widths = (0..=60).map(|k| 1.0 + 0.05 * f64::from(k));
    widths.into_iter().find(|wider| bytes(*wider) <= most_bytes as f64).unwrap_or(4.0) as f32
}

/// What bounds steps and pairs; `largest` is the radius of the largest sphere \[m\], and cells are `wider` than pairs reach.
pub fn limits(setup: &Setup, largest: f32, wider: f32) -> StepLimits {
    StepLimits {
        cfl: 1.0,
        fixed: true,
        longest: setup.step as f32,
        viscous: f32::MAX,
        push_out_speed: 0.0,
        skin: setup.skin,
        reach: Some(wider * pair_reach(setup, largest)),
    }
}

/// Distance of centres up to which pairs are listed \[m\].
pub fn pair_reach(setup: &Setup, largest: f32) -> f32 {
    2.0 * largest + setup.skin + setup.laws.reach
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
        motion: CellMotionRecord::default(),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Spheres of 2.34 mm between periodic sides, on a device with bindings of 2 GiB.
    #[test]
    fn cells_are_wider_only_where_their_ranges_need_it() {
        let (radius, most) = (0.00117_f32, 1 << 31);
        let volume = std::f64::consts::PI / 6.0 * f64::from(2.0 * radius).powi(3);
        let wider = |count| widening(count, volume, 2.2 * radius, 18, most);
        assert_eq!(wider(2_000_000), 1.0);
        assert!((1.05..1.25).contains(&wider(20_000_000)), "{}", wider(20_000_000));
        let cells = 20e6 / (0.5 * f64::from(wider(20_000_000) * 2.2 * radius).powi(3) / volume);
        assert!(8.0 * 18.0 * 1.25 * cells < f64::from(most as u32));
    }
}
