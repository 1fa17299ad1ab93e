//! The materials of sixteen particles side by side.

use crate::material::{Material, YieldLimit};
use crate::simd::{LANES, Lanes};

/// Materials, and which particle has which.
#[derive(Clone, Copy)]
pub struct MaterialLanes<'a> {
    /// Materials.
    pub materials: &'a [Material],
    /// Material of each particle.
    pub material: &'a [u16],
    /// Whether the friction of some material depends on the rate of strain.
    pub fast: bool,
    /// Whether all materials are plain fluids.
    pub fluid: bool,
}

impl<'a> MaterialLanes<'a> {
    /// The materials of these materials.
    pub fn new(materials: &'a [Material], material: &'a [u16]) -> Self {
        Self {
            materials,
            material,
            fast: materials.iter().any(|m| m.fast_yield_slope > 0.0),
            fluid: materials.iter().all(Material::is_fluid),
        }
    }

    /// A particle's material.
    #[inline]
    pub fn of(&self, particle: usize) -> &'a Material {
        &self.materials[self.material[particle] as usize]
    }

    /// A property of the particles from `first` on; particles beyond the end have that of the first material.
    #[inline(always)]
    pub fn lanes<L: Lanes>(&self, first: usize, property: impl Fn(&Material) -> f32) -> L {
        let one = property(&self.materials[0]);
        if self.materials.len() == 1 {
            return L::splat(one);
        }
        let mut values = [one; LANES];
        for (value, material) in values.iter_mut().zip(&self.material[first..]) {
            *value = property(&self.materials[*material as usize]);
        }
        L::from_array(&values)
    }

    /// A property of the neighbours in a slot.
    #[inline(always)]
    pub fn neighbors<L: Lanes>(
        &self,
        base: u32,
        delta: &[u16; LANES],
        property: impl Fn(&Material) -> f32,
    ) -> L {
        if self.materials.len() == 1 {
            return L::splat(property(&self.materials[0]));
        }
        L::from_array(&delta.map(|delta| property(self.of(base as usize + delta as usize))))
    }

    /// What the yield limits of the particles from `first` on depend on.
    #[inline(always)]
    pub fn yield_limit<L: Lanes>(&self, first: usize) -> YieldLimit<L> {
        YieldLimit {
            density: self.lanes(first, |m| m.density),
            slope: self.lanes(first, |m| m.yield_slope),
            fast_slope: self.lanes(first, |m| m.fast_yield_slope),
            grain_diameter: self.lanes(first, |m| m.grain_diameter),
            cohesion: self.lanes(first, |m| m.yield_cohesion),
        }
    }
}
