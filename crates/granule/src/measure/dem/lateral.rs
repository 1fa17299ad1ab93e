//! How much of a load grains pass on sideways.
//!
//! ```text
//! K = (s_xx + s_zz)/(2 s_yy),     s = 1/V sum f l        over contacts of grains: force, way between their centres
//! ```
//! A bed that cannot give way sideways has K = 1 - sin(phi) \[Jak44\]; a liquid, 1.

use glam::DVec3;

use super::bed::Bed;
use super::forces::Belonging;
use super::sand::D;

/// The ratio of horizontal to vertical stress, from the contacts at places \[d\] that are inside.
pub fn stress_ratio(bed: &Bed, belonging: &Belonging, inside: impl Fn(DVec3) -> bool) -> f64 {
    let (mut across, mut along) = (0.0, 0.0);
    for contact in &bed.contacts {
        let Some(partner) = contact.partner.as_particle() else { continue };
        if !inside(contact.point.as_dvec3() / D) {
            continue;
        }
        let grains = [belonging.grain(contact.particle), belonging.grain(partner)];
        if let Some(way) = belonging.way(grains[0], grains[1]) {
            let force = contact.force().as_dvec3();
            across += 0.5 * (force.x * way.x + force.z * way.z);
            along += force.y * way.y;
        }
    }
    across / along
}
