//! High-resolution grains in scene files.

use serde::{Deserialize, Serialize};

/// Smallest and largest radius of a fine grain, relative to that of the particles that guide it.
pub const UPSAMPLE_RATIO: [f32; 2] = [0.05, 1.0];

/// High-resolution grains: many small ones that follow the simulated particles and do not act back on them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct UpsampleSettings {
    /// Radius of a fine grain \[m\]: 0.05 to 1 of the particles' own; 0.2 to 0.4 suits most.
    pub radius: f32,
}
