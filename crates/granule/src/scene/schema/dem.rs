//! What scenes say of the solver with distinct elements.

use serde::{Deserialize, Serialize};

/// The elastic law along the normal of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NormalLaw {
    /// Elastic spheres, from Young's modulus and Poisson's ratio.
    #[default]
    Hertz,
    /// A linear spring of `stiffness`.
    Hooke,
    /// Hertz with a constant pull by `surface_energy`: stiff and small grains (Derjaguin, Muller, Toporov).
    Dmt,
    /// Surfaces that stick and neck by `surface_energy`: soft and large grains (Johnson, Kendall, Roberts).
    Jkr,
}

/// The law of friction between two surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TangentialLaw {
    /// Mindlin's spring, relaxed as the area of contact shrinks; a linear spring with `hooke`.
    #[default]
    MindlinRescale,
    /// Mindlin's spring without relaxing; a linear spring with `hooke`.
    Mindlin,
    /// Longmore's friction without memory, for comparison: heaps of spheres flow under it.
    Viscous,
}

/// Settings of the solver with distinct elements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct DemSettings {
    /// Elastic law along the normal, of all contacts.
    pub normal: NormalLaw,
    /// Law of friction, of all contacts.
    pub tangential: TangentialLaw,
    /// Whether dashpots may not pull; restitution is then higher than asked for (0.55 for 0.5).
    pub limit_damping: bool,
    /// Step over the time of a Rayleigh wave around the smallest grain, at most 0.3.
    pub rayleigh_share: f64,
    /// Step over the duration of a collision at the fastest speed that the scene lets expect, at most 0.1.
    pub collision_share: f64,
    /// How much farther than they touch grains are listed as neighbours, in radii of the smallest grain: lists are kept
    /// until some grain has moved by half of it.
    pub skin: f32,
    /// Whether liquid bridges span gaps at the start, where they reach over them (`liquid_volume`): moist sand as it was built. Else,
    /// and later, they form where grains touch.
    pub bridges_at_start: bool,
}

impl Default for DemSettings {
    fn default() -> Self {
        Self {
            normal: NormalLaw::Hertz,
            tangential: TangentialLaw::MindlinRescale,
            limit_damping: false,
            rayleigh_share: 0.15,
            collision_share: 0.04,
            skin: 0.3,
            bridges_at_start: false,
        }
    }
}

/// What a material is like in contacts of distinct elements. Constants of two materials that touch: those of elasticity
/// follow from both, all others are the mean, unless a `[[pair]]` says otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct DemMaterialSettings {
    /// Density of the solid grains [kg/m3] where a scene for a continuum becomes grains; the bulk density over 0.6 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Poisson's ratio, from 0 to 0.5.
    pub poisson: f64,
    /// Stiffness of linear contacts [N/m] (`hooke`); their friction has two sevenths of it.
    pub stiffness: f64,
    /// Coefficient of restitution, above 0, at most 1.
    pub restitution: f64,
    /// Coefficient of friction; the tangent of `friction_angle` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Tangential damping over normal damping.
    pub tangential_damping: f64,
    /// Coefficient of viscous friction [N s/m] (`viscous`).
    pub viscous_friction: f64,
    /// Coefficient of rolling friction; 0 is none.
    pub rolling_friction: f64,
    /// Stiffness against rolling [N/m]; that of friction at an overlap of a thousandth of the radius when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolling_stiffness: Option<f64>,
    /// Damping of rolling [N s/m]; a tenth of critical when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolling_damping: Option<f64>,
    /// Largest torque against twisting over the normal force \[m\]; 0 is none.
    pub twisting_friction: f64,
    /// Stiffness against twisting [N m/rad]; that against rolling times the squared radius when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twisting_stiffness: Option<f64>,
    /// Damping of twisting [N m s/rad]; a tenth of critical when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twisting_damping: Option<f64>,
    /// Surface energy [J/m2] (`dmt`, `jkr`).
    pub surface_energy: f64,
    /// Damping of cohesive contacts per mass and radius of contact [1/(m s)] (`dmt`, `jkr`, which have no restitution).
    pub cohesive_damping: f64,
    /// Volume of the liquid bridge of a contact \[m3\]; 0 is dry.
    pub liquid_volume: f64,
    /// Surface tension of that liquid [N/m].
    pub liquid_tension: f64,
    /// Angle of contact of that liquid \[degrees\].
    pub liquid_angle: f64,
}

impl Default for DemMaterialSettings {
    fn default() -> Self {
        Self {
            density: None,
            young: 1e7,
            poisson: 0.3,
            stiffness: 1e4,
            restitution: 0.5,
            friction: None,
            tangential_damping: 1.0,
            viscous_friction: 1.0,
            rolling_friction: 0.0,
            rolling_stiffness: None,
            rolling_damping: None,
            twisting_friction: 0.0,
            twisting_stiffness: None,
            twisting_damping: None,
            surface_energy: 0.0,
            cohesive_damping: 0.0,
            liquid_volume: 0.0,
            liquid_tension: 0.072,
            liquid_angle: 0.0,
        }
    }
}

impl DemMaterialSettings {
    /// Whether nothing differs from the defaults.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What two materials are like in contact with each other (`dem`; `pbd` knows restitution and both frictions), where it is not the mean of both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PairSettings {
    /// Names of the two materials; twice the same for one with itself.
    pub materials: [String; 2],
    /// Coefficient of restitution, above 0, at most 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Coefficient of friction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Coefficient of rolling friction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling_friction: Option<f64>,
    /// Largest torque against twisting over the normal force \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twisting_friction: Option<f64>,
    /// Surface energy [J/m2] (`dmt`, `jkr`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface_energy: Option<f64>,
}
