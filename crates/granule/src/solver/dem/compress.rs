//! Periodic cells that strain: space follows the cell, and the cell the stress of contacts.

use glam::{DVec3, Vec3};

use crate::neighbors::Domain;
use crate::position::ExactDomain;

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
        if !self.steers_now() {
            return;
        }
        let stress: DVec3 = self.state.pairs.blocks.iter().map(|block| block.stress).sum();
        let time = self.world.time;
        if let Some(cell) = &mut self.world.cell {
            let volume = cell.volume();
            cell.steer(time, stress / volume);
        }
    }

    /// From the centres of mass of grains to their particles \[m\], where the cell looks at the stress in this step.
    pub(super) fn arms_for_stress(&self) -> Option<Vec<Vec3>> {
        let (place, domain, assemblies) = (&self.state.place, &self.setup.exact_domain, &self.assemblies);
        let arm = |i: usize| match assemblies.assembly_of(i) {
            Some(k) => domain.difference(place[i], domain.wrap(assemblies.all()[k].position)),
            None => Vec3::ZERO,
        };
        self.steers_now().then(|| (0..place.len()).map(arm).collect())
    }

    fn steers_now(&self) -> bool {
        self.world.cell.is_some() && self.steps.is_multiple_of(STEER)
    }
}
