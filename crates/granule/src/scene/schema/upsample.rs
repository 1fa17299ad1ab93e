//! High-resolution grains in scene files.

use serde::{Deserialize, Serialize};

use super::RadiusSettings;

/// Smallest and largest radius of a fine grain, relative to that of the particles that guide it.
pub const UPSAMPLE_RATIO: [f32; 2] = [0.05, 1.0];

/// Part of the volume that fine grains have where they are spread at random until no more fit.
pub const RANDOM_FRACTION: f32 = 0.3825;

/// Least and largest part of the volume that fine grains may have; the latter is the densest packing of equal spheres.
pub const FRACTION_LIMITS: [f32; 2] = [0.1, 0.74];

/// High-resolution grains: many small ones that follow the simulated particles and do not act back on them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct UpsampleSettings {
    /// Radius of fine grains \[m\], a range or a distribution: 0.05 to 1 of the particles' own, the largest at most ten times the
    /// smallest; 0.2 to 0.4 suits most.
    pub radius: RadiusSettings,
    /// Part of the volume of full sand that fine grains have, 0.1 to 0.74: their number is that of the volume times it. As they
    /// lie at random without overlap when absent (0.38); sand has 0.6, where fine grains overlap by a seventh of their diameter.
    #[serde(default = "random_fraction")]
    pub fraction: f32,
}

fn random_fraction() -> f32 {
    RANDOM_FRACTION
}

impl UpsampleSettings {
    /// Fine grains of a radius \[m\] as they lie at random.
    pub fn of_radius(radius: f32) -> Self {
        Self { radius: RadiusSettings::One(radius), fraction: RANDOM_FRACTION }
    }

    /// Radius of spheres that fill as much of the volume at random as grains of a radius \[m\] shall have places \[m\].
    pub fn spread(&self, radius: f32) -> f32 {
        radius * (RANDOM_FRACTION / self.fraction).cbrt()
    }
}
