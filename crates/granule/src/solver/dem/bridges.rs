//! Moist sand at the start: liquid that is there before grains have touched.

use crate::team::{BLOCK, SharedColumn, for_each_mut};

use super::Dem;
use super::contact::BRIDGE;
use super::contact::contact_sphere_sphere;
use super::pairs::Pairs;
use super::state::DemState;

impl Dem {
    /// Lets liquid bridges span the gaps between listed grains that they reach over; those that touch have theirs anyway.
    pub(super) fn bridge_gaps(&mut self) {
        let (laws, domain) = (&self.setup.laws, &self.setup.exact_domain);
        let (position, material) = (&self.world.particles.position, &self.world.particles.material);
        let DemState { pairs: Pairs { blocks, .. }, memory, place, .. } = &mut self.state;
        let memory = SharedColumn::of(memory.blocks_mut());
        for_each_mut(blocks, 1, |b, pairs| {
            // SAFETY: every block is visited once.
            let states = unsafe { memory.get_mut(b) }.split_mut().1;
            for (state, (keeper, other)) in states.iter_mut().zip(pairs.keeper.iter().zip(&pairs.other)) {
                let (i, j) = (b * BLOCK + usize::from(*keeper), *other as usize);
                let Some(bridge) = &laws.of_grains(material[i], material[j]).capillary else { continue };
                let apart = domain.difference(place[i], place[j]).to_array();
                let gap = -contact_sphere_sphere(apart, position[i].w, position[j].w).overlap;
                if gap > 0.0 && gap < bridge.rupture_distance {
                    state[3] = BRIDGE;
                }
            }
        });
    }
}
