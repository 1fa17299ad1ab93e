//! Checks of what the position-based solver reads.

use super::{Check, not_negative, positive, range};
use crate::scene::schema::{AveragingSettings, PbdMaterialSettings, PbdSettings};

/// Most steps per frame, and most sweeps per step.
const MOST: u32 = 1000;

pub(super) fn check_pbd(s: &PbdSettings) -> Check {
    let count = |count: u32, key: &str| {
        range((1..=MOST).contains(&count), &format!("pbd.{key}"), count, || format!("from 1 to {MOST}"))
    };
    s.substeps.map_or(Ok(()), |substeps| count(substeps, "substeps"))?;
    count(s.sweeps, "sweeps")?;
    let AveragingSettings { stabilization, over_relaxation, kinetic_share, mass_scaling } = s.averaged;
    let at = |key: &str| format!("pbd.averaged.{key}");
    range(stabilization <= MOST, &at("stabilization"), stabilization, || format!("at most {MOST}"))?;
    range((1.0..=2.0).contains(&over_relaxation), &at("over_relaxation"), over_relaxation, || {
        "from 1 to 2".into()
    })?;
    range((0.0..=1.0).contains(&kinetic_share), &at("kinetic_share"), kinetic_share, || {
        "from 0 to 1".into()
    })?;
    not_negative(&at("mass_scaling"), mass_scaling)
}

pub(super) fn check_material(path: &str, m: &PbdMaterialSettings) -> Check {
    let at = |key: &str| format!("{path}.pbd.{key}");
    m.density.map_or(Ok(()), |density| positive(&at("density"), density))?;
    m.friction.map_or(Ok(()), |friction| not_negative(&at("friction"), friction))?;
    not_negative(&at("rolling_friction"), m.rolling_friction)?;
    not_negative(&at("tension"), m.tension)?;
    range((0.0..=1.0).contains(&m.restitution), &at("restitution"), m.restitution, || "from 0 to 1".into())
}
