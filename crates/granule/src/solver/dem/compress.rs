//! Periodic cells that strain: space follows the cell, and the cell the stress of contacts.

use glam::{DVec3, Vec3};

use crate::neighbors::Domain;
use crate::position::ExactDomain;
use crate::team::map_blocks;

use super::Dem;

/// Steps between two looks at the stress. A choice: a hundredth of a collision's duration or so, in which no stress changes.
const STEER: u32 = 10;

impl Dem {
    /// Lets the cell strain for `dt` \[s\].
    pub(super) fn strain_cell(&mut self, dt: f64) {
        let time = self.world.time;
        self.strain = self.world.cell.as_mut().map(|cell| cell.advance(time, dt));
        self.fit_domain();
    }

    /// Makes space that of the cell.
    pub(super) fn fit_domain(&mut self) {
        let Some(cell) = &self.world.cell else { return };
        let ranges = cell.ranges();
        self.setup.domain = Domain::new(ranges.map(|range| range.map(|ends| ends.map(|end| end as f32))));
        // A cell that has left the range of positions has lost its grains, which quarantine finds.
        self.setup.exact_domain = ExactDomain::from_meters(ranges).unwrap_or(self.setup.exact_domain);
    }

    /// Lets the cell know the stress of contacts.
    pub(super) fn steer_cell(&mut self) {
        if self.world.cell.is_none() || !self.steps.is_multiple_of(STEER) {
            return;
        }
        let stress = self.contact_stress();
        let time = self.world.time;
        if let Some(cell) = &mut self.world.cell {
            let volume = cell.volume();
            cell.steer(time, stress / volume);
        }
    }

    /// Stress of all contacts of grains along the axes times the volume \[J\], positive in compression (Love and Weber):
    ///
    /// ```text
    /// s V = sum f (x_i - x_j)          x the centres of mass of the grains that touch, f the force on i
    /// ```
    fn contact_stress(&self) -> DVec3 {
        let (pairs, memory) = (&self.state.pairs, self.state.memory.blocks());
        let (place, domain, assemblies) = (&self.state.place, &self.setup.exact_domain, &self.assemblies);
        // From the centre of mass of a particle's grain to the particle.
        let arm = |i: usize| match assemblies.assembly_of(i) {
            Some(k) => domain.difference(place[i], domain.wrap(assemblies.all()[k].position)),
            None => Vec3::ZERO,
        };
        let sums = map_blocks(self.world.particles.len(), |b, particles| {
            let (own, offsets) = (&pairs.blocks[b], memory[b].offsets());
            let mut sum = DVec3::ZERO;
            for (k, i) in particles.enumerate() {
                for pair in offsets[k] as usize..offsets[k + 1] as usize {
                    let Some(load) = own.load.get(own.slot[pair] as usize) else { continue };
                    let j = own.other[pair] as usize;
                    let branch = domain.difference(place[i], place[j]) - arm(i) + arm(j);
                    let [x, y, z, _] = load.force;
                    sum += Vec3::new(x, y, z).as_dvec3() * branch.as_dvec3();
                }
            }
            sum
        });
        sums.into_iter().sum()
    }
}
