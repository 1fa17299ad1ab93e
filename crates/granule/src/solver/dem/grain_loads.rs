//! What contacts do to each grain: how many there are, how hard they press, and the stress inside.

use glam::{DVec3, Vec3};

use super::Dem;

/// What all contacts of a grain do to it together. Spheres of a rigid grain have that of the whole grain.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GrainLoad {
    /// Contacts with other grains and with walls; liquid bridges without contact do not count.
    pub(super) contacts: u32,
    /// Sum of the moduli of all contact forces \[N\].
    pub(super) force: f64,
    /// Mean stress (xx, xy, xz, yy, yz, zz) \[Pa\], positive in tension.
    pub(super) stress: [f64; 6],
}

impl GrainLoad {
    /// Adds a force \[N\] that acts at a place relative to the grain's centre \[m\]; the stress still times the volume.
    ///
    /// ```text
    /// V sigma = sum (l f^T + f l^T)/2
    /// ```
    fn add(&mut self, touches: bool, force: DVec3, arm: DVec3) {
        self.contacts += u32::from(touches);
        self.force += force.length();
        let mean = |a: usize, b: usize| 0.5 * (force[a] * arm[b] + force[b] * arm[a]);
        let parts = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|(a, b)| mean(a, b));
        self.stress.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
    }

    /// Mean pressure p = -tr(sigma)/3 \[Pa\].
    pub(super) fn pressure(&self) -> f64 {
        let [xx, _, _, yy, _, zz] = self.stress;
        -(xx + yy + zz) / 3.0
    }

    /// Von Mises stress sqrt(3/2 s:s) of the deviator s = sigma + p \[Pa\].
    pub(super) fn von_mises(&self) -> f64 {
        let ([xx, xy, xz, yy, yz, zz], p) = (self.stress, self.pressure());
        let normal = [xx, yy, zz].map(|part| (part + p) * (part + p)).iter().sum::<f64>();
        (1.5 * (normal + 2.0 * (xy * xy + xz * xz + yz * yz))).sqrt()
    }
}

impl Dem {
    /// What contacts do to the grain of every particle, in memory order, with the stress of Love and Weber:
    ///
    /// ```text
    /// sigma = 1/V sum over contacts (l f^T + f l^T)/2
    /// ```
    /// f: force on the grain, l: from its centre of mass to the point of contact, V: its own volume, without the pores around
    /// it. Tension is positive, so compression is negative, as in \[Web66\]. The skew part, which is that of a grain
    /// with angular acceleration, is left out.
    pub(super) fn grain_loads(&self) -> Vec<GrainLoad> {
        // A row per particle, then one per rigid grain.
        let count = self.world.particles.len();
        let mut loads = vec![GrainLoad::default(); count + self.assemblies.len()];
        let mut add = |i: usize, touches: bool, force: Vec3, arm: Vec3| {
            let (row, from_center) = match self.assemblies.assembly_of(i) {
                Some(k) => (count + k, self.member_offset(k, i)),
                None => (i, DVec3::ZERO),
            };
            loads[row].add(touches, force.as_dvec3(), from_center + arm.as_dvec3());
        };
        for touching in self.touching() {
            let force = touching.contact.force();
            add(touching.i, touching.touches, force, touching.arm);
            if let Some(j) = touching.j {
                // From the partner's centre to the same point.
                add(j, touching.touches, -force, touching.arm - touching.contact.branch);
            }
        }
        for (i, load) in loads.iter_mut().enumerate() {
            let volume = self.volume_of_row(i, count);
            load.stress.iter_mut().for_each(|part| *part /= volume);
        }
        let of_grain = |i: usize| self.assemblies.assembly_of(i).map_or(i, |k| count + k);
        (0..count).map(|i| loads[of_grain(i)]).collect()
    }

    /// Where a sphere of a rigid grain is relative to its centre of mass \[m\].
    fn member_offset(&self, k: usize, i: usize) -> DVec3 {
        let members = self.assemblies.members(k).iter().zip(self.assemblies.places(k));
        let own = members.filter(|(_, place)| **place as usize == i).map(|(member, _)| member.offset).next();
        self.assemblies.all()[k].orientation * own.unwrap_or_default().as_dvec3()
    }

    /// Volume of a sphere, or of the union of a rigid grain's spheres \[m3\].
    fn volume_of_row(&self, row: usize, particles: usize) -> f64 {
        if let Some(k) = row.checked_sub(particles) {
            let first = self.assemblies.places(k).first().map_or(0, |place| *place as usize);
            let material = usize::from(self.world.particles.material[first]);
            let density = f64::from(self.setup.materials[material].density);
            return self.assemblies.all()[k].properties.mass / density;
        }
        4.0 / 3.0 * std::f64::consts::PI * f64::from(self.world.particles.position[row].w).powi(3)
    }
}
