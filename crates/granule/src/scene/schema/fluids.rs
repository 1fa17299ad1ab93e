//! What scenes say of the weakly compressible solver.

use serde::{Deserialize, Serialize};

/// The equation of state of a fluid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PressureLaw {
    /// Tait: rho_0 c^2/gamma ((rho/rho_0)^gamma - 1), stiffer the denser.
    #[default]
    Tait,
    /// Ideal gas: c^2 (rho - rho_0).
    Ideal,
}

/// Settings of the weakly compressible solver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct WcsphSettings {
    /// Speed of sound [m/s]; ten times the fastest speed that the scene's fall height and initial velocities let expect
    /// when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sound_speed: Option<f32>,
    /// How much farther than the kernel's support neighbours are listed, in supports: lists are kept until some particle
    /// has moved by half of it. 0 lists anew in every step.
    pub skin: f32,
}

impl Default for WcsphSettings {
    fn default() -> Self {
        Self { sound_speed: None, skin: 0.1 }
    }
}
