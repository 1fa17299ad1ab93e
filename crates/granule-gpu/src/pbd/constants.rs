//! The constants of a scene for position-based sand.

use granule::position::ExactDomain;
use granule::solver::pbd::laws::Law;
use granule::solver::pbd::params::Setup;

use crate::core::constants::{StepLimits, flag};

use super::layout::{LawRecord, MOST_LAWS, ParamsRecord};

/// Overrides of constants in shaders.
pub fn overrides(setup: &Setup, shaped: bool) -> Vec<(&'static str, f64)> {
    let averaged = setup.averaging.iter().flat_map(|averaging| {
        [
            ("RELAXATION", f64::from(averaging.over_relaxation)),
            ("KINETIC_SHARE", f64::from(averaging.kinetic_share)),
            ("MASS_SCALING", f64::from(averaging.mass_scaling)),
            // No shader has it, but the list of stages does.
            ("STABILIZATION", f64::from(averaging.stabilization)),
        ]
    });
    let all = [
        ("ROTATION", flag(setup.rotation)),
        ("BOUNCES", flag(setup.laws.bounces)),
        // No shader has it, but the list of stages does.
        ("SWEEPS", f64::from(setup.sweeps)),
        ("AVERAGED", flag(setup.averaging.is_some())),
        ("SHAPED", flag(shaped)),
    ];
    all.into_iter().chain(averaged).collect()
}

/// Skins that grains have at least and at most \[m\].
fn skins(setup: &Setup) -> [f32; 2] {
    [setup.skin(0.0, 1.0), setup.skin(f32::MAX, f32::MAX)]
}

/// What bounds steps and pairs; `largest` is the radius of the largest sphere \[m\].
pub fn limits(setup: &Setup, largest: f32) -> StepLimits {
    StepLimits {
        cfl: 1.0,
        fixed: true,
        longest: setup.step as f32,
        viscous: f32::MAX,
        push_out_speed: 0.0,
        skin: 2.0 * skins(setup)[1],
        reach: Some(2.0 * (largest + skins(setup)[1])),
    }
}

/// The method's own constants; `first_member` is the id of the first particle of a body.
pub fn params(setup: &Setup, material_count: usize, largest: f32, first_member: u32) -> ParamsRecord {
    let [origin, length] = periods(&setup.exact_domain);
    let [least_skin, most_skin] = skins(setup);
    ParamsRecord {
        origin_xy: [origin[0], origin[1]],
        origin_z: [origin[2], 0],
        length_xy: [length[0], length[1]],
        length_z: [length[2], 0],
        least_skin,
        most_skin,
        mean_skin: setup.mean_skin(),
        inverse_brick: 1.0 / setup.brick,
        largest: 2.0 * largest,
        gravity: setup.gravity,
        push_speed: setup.push_speed(),
        material_count: material_count as u32,
        wall_laws: (material_count * material_count) as u32,
        first_member,
        ..ParamsRecord::default()
    }
}

/// Origin and length of the periods, in quanta.
fn periods(domain: &ExactDomain) -> [[i64; 3]; 2] {
    bytemuck::cast(*domain)
}

fn record(law: &Law) -> LawRecord {
    LawRecord {
        friction: law.friction,
        rolling: law.rolling,
        restitution: law.restitution,
        tension: law.tension,
    }
}

/// The laws of pairs of materials, then of walls and materials.
pub fn laws(setup: &Setup, materials: usize, walls: usize) -> Vec<LawRecord> {
    let pairs = (0..materials * materials)
        .map(|k| setup.laws.of_grains((k / materials) as u16, (k % materials) as u16));
    let walls =
        (0..walls * materials).map(|k| setup.laws.of_wall((k / materials) as u16, (k % materials) as u16));
    let mut records: Vec<LawRecord> = pairs.chain(walls).map(record).collect();
    records.resize(MOST_LAWS, LawRecord::default());
    records
}
