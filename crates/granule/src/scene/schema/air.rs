//! Air and wind in scene files.

use serde::{Deserialize, Serialize};

/// Surrounding air: drag and wind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct AirSettings {
    /// Density of the air [kg/m3].
    pub density: f32,
    /// Dynamic viscosity of the air [Pa s], for the Reynolds number.
    pub viscosity: f32,
    /// How the drag coefficient is found.
    pub drag: DragLaw,
    /// Whether upwind neighbours shield a grain.
    pub occlusion: bool,
    /// Diameter of the real grains that a particle stands for \[m\]; the particle's own when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grain_diameter: Option<f32>,
    /// Wind fields; their velocities add up.
    pub wind: Vec<WindField>,
}

impl Default for AirSettings {
    fn default() -> Self {
        Self {
            density: 1.2,
            viscosity: 1.8e-5,
            drag: DragLaw::Reynolds,
            occlusion: true,
            grain_diameter: None,
            wind: Vec::new(),
        }
    }
}

/// How the drag coefficient is found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DragLaw {
    /// A constant coefficient.
    Constant(f32),
    /// 24/Re (1 + Re^(2/3)/6) up to Re = 1000, 0.424 above.
    Reynolds,
}

/// A wind field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum WindField {
    /// The same everywhere.
    Uniform {
        /// Velocity [m/s].
        velocity: [f32; 3],
    },
    /// A Rankine vortex around an axis.
    Vortex {
        /// A point on the axis \[m\].
        center: [f32; 3],
        /// Direction of the axis.
        axis: [f32; 3],
        /// Radius of the rigidly turning core \[m\].
        core_radius: f32,
        /// Speed at the core's edge [m/s].
        speed: f32,
    },
    /// Wind in a ball during a time window, fading towards its edge.
    Gust {
        /// Centre \[m\].
        center: [f32; 3],
        /// Radius \[m\].
        radius: f32,
        /// Velocity in the centre [m/s].
        velocity: [f32; 3],
        /// Time window \[s\].
        time: [f64; 2],
    },
    /// Velocities on a regular grid, interpolated linearly, still outside.
    Grid {
        /// Position of the first node \[m\].
        origin: [f32; 3],
        /// Distance of nodes \[m\].
        spacing: [f32; 3],
        /// Number of nodes.
        size: [u32; 3],
        /// Velocities [m/s], x fastest.
        velocity: Vec<[f32; 3]>,
    },
}
