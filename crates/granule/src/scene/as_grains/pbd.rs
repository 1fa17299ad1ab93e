//! From bulk matter to position-based grains.

use super::super::error::{Problem, ProblemKind};
use super::super::schema::MaterialSettings;
use super::{PACKED_FRACTION, Refused, bridge, tables};

/// What bulk matter is described by becomes what its grains are like; constants of contacts that are given stay.
///
/// ```text
/// tension = F/(2 pi R)          F: the pull of a liquid bridge that gives the cohesion
/// ```
pub(super) fn translate_material(
    path: &str,
    m: &mut MaterialSettings,
    rotation: bool,
    gravity: f64,
) -> Result<(), Refused> {
    if m.pbd.friction.is_none() {
        let [friction, rolling] =
            tables::pbd_friction(f64::from(m.friction_angle), rotation).ok_or_else(|| {
                let [least, most] = tables::pbd_angles(rotation);
                let allowed = format!(
                    "from {least} to {most} degrees, the angles that grains were measured at (docs/grains.md), or \
                     give material.pbd.friction"
                );
                let path = format!("{path}.friction_angle");
                Box::new(Problem::new(ProblemKind::OutOfRange, &path, m.friction_angle, allowed))
            })?;
        m.pbd.friction = Some(friction);
        m.pbd.rolling_friction = rolling;
    }
    if m.cohesion > 0.0 && m.pbd.tension == 0.0 {
        let force = bridge(path, m, gravity)?;
        m.pbd.tension = force / (2.0 * std::f64::consts::PI * f64::from(m.radius));
    }
    let bulk = f64::from(m.density);
    let given = [m.pbd.density.take(), m.dem.density.take()].into_iter().flatten().next();
    m.density = given.unwrap_or(bulk / PACKED_FRACTION) as f32;
    Ok(())
}
