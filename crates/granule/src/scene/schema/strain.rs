//! Periodic cells that strain.

use serde::{Deserialize, Serialize};

/// How periodic axes grow or shrink, for tests of compression and shear: grains move along with the cell, and faster or
/// slower ones feel their neighbours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct StrainSettings {
    /// Along x.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<AxisStrain>,
    /// Along y.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<AxisStrain>,
    /// Along z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub z: Option<AxisStrain>,
    /// When it begins \[s\].
    pub start: f64,
}

/// How one axis strains: at a rate, or so that grains carry a pressure, or both added up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AxisStrain {
    /// Change of the axis' length per length [1/s]; below 0 it shrinks. Beside `pressure`: how fast it goes where the stress is
    /// the pressure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Stress along the axis that is held \[Pa\], positive in compression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure: Option<f64>,
    /// Fastest rate by which `pressure` is held [1/s]: that of a cell whose grains carry nothing; 0 holds nothing.
    #[serde(default = "max_rate")]
    pub max_rate: f64,
}

/// Slow enough for dense sand to stay near equilibrium; a choice.
fn max_rate() -> f64 {
    0.1
}

impl StrainSettings {
    /// The axes in order.
    pub fn axes(&self) -> [Option<&AxisStrain>; 3] {
        [self.x.as_ref(), self.y.as_ref(), self.z.as_ref()]
    }
}
