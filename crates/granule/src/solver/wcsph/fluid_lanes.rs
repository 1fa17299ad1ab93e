//! The fluids of sixteen particles side by side.

use crate::simd::{LANES, Lanes};

use super::params::Fluid;

/// Fluids, and which particle has which.
#[derive(Clone, Copy)]
pub struct FluidLanes<'a> {
    /// Fluids.
    pub fluids: &'a [Fluid],
    /// Material of each particle.
    pub material: &'a [u16],
}

impl<'a> FluidLanes<'a> {
    /// A particle's fluid.
    #[inline]
    pub fn of(&self, particle: usize) -> &'a Fluid {
        &self.fluids[self.material[particle] as usize]
    }

    /// A property of the particles from `first` on; particles beyond the end have that of the first fluid.
    #[inline(always)]
    pub fn lanes<L: Lanes>(&self, first: usize, property: impl Fn(&Fluid) -> f32) -> L {
        let one = property(&self.fluids[0]);
        if self.fluids.len() == 1 {
            return L::splat(one);
        }
        let mut values = [one; LANES];
        for (value, material) in values.iter_mut().zip(&self.material[first..]) {
            *value = property(&self.fluids[*material as usize]);
        }
        L::from_array(&values)
    }

    /// The mean of a property over the pairs of a slot.
    #[inline(always)]
    pub fn pair_mean<L: Lanes>(
        &self,
        own: L,
        base: u32,
        delta: &[u16; LANES],
        property: impl Fn(&Fluid) -> f32,
    ) -> L {
        if self.fluids.len() == 1 {
            return own;
        }
        let other = L::from_array(&delta.map(|delta| property(self.of(base as usize + delta as usize))));
        L::splat(0.5) * (own + other)
    }
}
