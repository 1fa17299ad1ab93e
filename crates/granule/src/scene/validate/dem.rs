//! Checks of what the solver with distinct elements reads.

use super::{
    Check, Problem, ProblemKind, Scene, check_material_name, ensure, list, not_negative, positive, range,
};
use crate::scene::schema::{DemMaterialSettings, DemSettings, NormalLaw, PairSettings};

/// Softest and stiffest grains \[Pa\].
const YOUNG: std::ops::RangeInclusive<f64> = 1e3..=1e13;

pub(super) fn check_dem(s: &DemSettings) -> Check {
    let share = |share: f64, most: f64, key: &str| {
        range(share > 0.0 && share <= most, &format!("dem.{key}"), share, || {
            format!("above 0, at most {most}: longer steps gain energy in collisions")
        })
    };
    share(s.rayleigh_share, 0.3, "rayleigh_share")?;
    share(s.collision_share, 0.1, "collision_share")?;
    range(s.skin > 0.0 && s.skin <= 2.0, "dem.skin", s.skin, || "above 0, at most 2 radii".into())?;
    let cohesive = matches!(s.normal, NormalLaw::Dmt | NormalLaw::Jkr);
    ensure(!(cohesive && s.limit_damping), || {
        let allowed = "false: cohesive contacts pull by themselves (normal = \"dmt\" or \"jkr\")";
        Problem::new(ProblemKind::OutOfRange, "dem.limit_damping", "true", allowed)
    })
}

fn restitution(path: &str, value: f64) -> Check {
    range(value > 0.0 && value <= 1.0, &format!("{path}.restitution"), value, || {
        "above 0 and at most 1; contacts that lose all speed have no finite damping, so take 0.05 for nearly none".into()
    })
}

pub(super) fn check_material(path: &str, m: &DemMaterialSettings) -> Check {
    let at = |key: &str| format!("{path}.dem.{key}");
    range(YOUNG.contains(&m.young), &at("young"), m.young, || {
        "from 1e3 to 1e13 Pa; 1e7 is soft enough for long steps, quartz has 7e10".into()
    })?;
    range((0.0..=0.5).contains(&m.poisson), &at("poisson"), m.poisson, || {
        "from 0 to 0.5; most solids have 0.2 to 0.35".into()
    })?;
    positive(&at("stiffness"), m.stiffness)?;
    m.density.map_or(Ok(()), |density| positive(&at("density"), density))?;
    restitution(&format!("{path}.dem"), m.restitution)?;
    let numbers = [
        ("friction", m.friction),
        ("tangential_damping", Some(m.tangential_damping)),
        ("viscous_friction", Some(m.viscous_friction)),
        ("rolling_friction", Some(m.rolling_friction)),
        ("rolling_damping", m.rolling_damping),
        ("twisting_friction", Some(m.twisting_friction)),
        ("twisting_damping", m.twisting_damping),
        ("surface_energy", Some(m.surface_energy)),
        ("cohesive_damping", Some(m.cohesive_damping)),
        ("liquid_volume", Some(m.liquid_volume)),
        ("liquid_tension", Some(m.liquid_tension)),
    ];
    for (key, value) in numbers {
        value.map_or(Ok(()), |value| not_negative(&at(key), value))?;
    }
    for (key, value) in
        [("rolling_stiffness", m.rolling_stiffness), ("twisting_stiffness", m.twisting_stiffness)]
    {
        value.map_or(Ok(()), |value| positive(&at(key), value))?;
    }
    range((0.0..90.0).contains(&m.liquid_angle), &at("liquid_angle"), m.liquid_angle, || {
        "from 0 to below 90 degrees: beyond, liquid does not pull".into()
    })
}

fn check_pair(path: &str, pair: &PairSettings, materials: &[&str]) -> Check {
    for name in &pair.materials {
        check_material_name(path, name, materials)?;
    }
    pair.restitution.map_or(Ok(()), |value| restitution(path, value))?;
    let numbers = [
        ("friction", pair.friction),
        ("rolling_friction", pair.rolling_friction),
        ("twisting_friction", pair.twisting_friction),
        ("surface_energy", pair.surface_energy),
    ];
    for (key, value) in numbers {
        value.map_or(Ok(()), |value| not_negative(&format!("{path}.{key}"), value))?;
    }
    Ok(())
}

impl Scene {
    /// Pairs of materials, and materials of walls and bodies.
    pub(super) fn check_pairs(&self, materials: &[&str]) -> Check {
        for (i, pair) in self.pair.iter().enumerate() {
            let path = format!("pair.{i}");
            check_pair(&path, pair, materials)?;
            let same = |other: &PairSettings| {
                let [a, b] = &other.materials;
                pair.materials == [a.clone(), b.clone()] || pair.materials == [b.clone(), a.clone()]
            };
            range(!self.pair[..i].iter().any(same), &path, list(&pair.materials), || {
                "each pair of materials once".into()
            })?;
        }
        for (i, wall) in self.boundary.iter().enumerate() {
            if let Some(name) = &wall.material {
                check_material_name(&format!("boundary.{i}"), name, materials)?;
            }
        }
        for (i, body) in self.body.iter().enumerate() {
            if let Some(name) = &body.material {
                check_material_name(&format!("body.{i}"), name, materials)?;
            }
        }
        Ok(())
    }
}
