//! Checks of what the weakly compressible solver reads.

use super::{Check, ensure, not_negative, positive, range};
use crate::scene::error::{Problem, ProblemKind};
use crate::scene::schema::{MaterialSettings, SolverKind, WcsphSettings};

pub(super) fn check_wcsph(s: &WcsphSettings) -> Check {
    if let Some(speed) = s.sound_speed {
        positive("wcsph.sound_speed", speed)?;
    }
    range((0.0..=0.5).contains(&s.skin), "wcsph.skin", s.skin, || "from 0 to 0.5 supports".into())
}

pub(super) fn check_fluid(path: &str, m: &MaterialSettings, solver: SolverKind) -> Check {
    let at = |key: &str| format!("{path}.{key}");
    range((1..=9).contains(&m.tait_exponent), &at("tait_exponent"), m.tait_exponent, || {
        "from 1 to 9; 7 is water's, 3 softer".into()
    })?;
    not_negative(&at("surface_tension"), m.surface_tension)?;
    not_negative(&at("surface_smoothing"), m.surface_smoothing)?;
    not_negative(&at("artificial_viscosity"), m.artificial_viscosity)?;
    let fluid = m.friction_angle == 0.0 && m.cohesion == 0.0;
    ensure(solver != SolverKind::Wcsph || fluid, || {
        let (key, found) =
            if m.cohesion > 0.0 { ("cohesion", m.cohesion) } else { ("friction_angle", m.friction_angle) };
        let allowed =
            "solver wcsph has fluids only: set friction_angle = 0 and cohesion = 0, or use solver iisph";
        Problem::new(ProblemKind::OutOfRange, &at(key), found, allowed)
    })
}
