//! What scenes say of the position-based solver.

use serde::{Deserialize, Serialize};

/// How contacts are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PbdScheme {
    /// Impulses that every contact keeps from step to step, and overlap removed without any velocity: heaps stay.
    #[default]
    Impulse,
    /// Sommer's: positions corrected by the mean of what all contacts ask for, in steps of 5 ms. For comparison: heaps melt.
    Averaged,
}

/// How corrections are averaged (`scheme = "averaged"`, whose iterations are `sweeps`; three to five were published).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct AveragingSettings {
    /// Passes that remove the overlap of a step's beginning.
    pub stabilization: u32,
    /// What means are multiplied with, from 1 to 2.
    pub over_relaxation: f64,
    /// Kinetic friction over static friction, from 0 to 1.
    pub kinetic_share: f64,
    /// How fast masses shrink with height, per diameter: exp(-k y/d), by a thousand at most; 0 is not at all.
    pub mass_scaling: f64,
}

impl Default for AveragingSettings {
    fn default() -> Self {
        Self { stabilization: 1, over_relaxation: 1.5, kinetic_share: 0.857, mass_scaling: 0.0 }
    }
}

/// Settings of the position-based solver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct PbdSettings {
    /// How contacts are solved.
    pub scheme: PbdScheme,
    /// Steps per frame; as many as the smallest grains need when absent: steps of at most 0.037 sqrt(d/g).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub substeps: Option<u32>,
    /// How often a step goes through all contacts.
    pub sweeps: u32,
    /// Whether grains turn. Without, they slide only: a little faster, and angular momentum is lost.
    pub rotation: bool,
    /// How the scheme `averaged` averages.
    pub averaged: AveragingSettings,
}

impl Default for PbdSettings {
    fn default() -> Self {
        Self {
            scheme: PbdScheme::Impulse,
            substeps: None,
            sweeps: 2,
            rotation: true,
            averaged: AveragingSettings::default(),
        }
    }
}

/// What a material is like in contacts of position-based grains. Constants of two materials that touch are the mean, unless a
/// `[[pair]]` says otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct PbdMaterialSettings {
    /// Density of the solid grains [kg/m3] where a scene for a continuum becomes grains; the bulk density over 0.6 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Coefficient of friction; the tangent of `friction_angle` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Coefficient of rolling friction; 0 is none.
    pub rolling_friction: f64,
    /// Coefficient of restitution, from 0 to 1, of impacts that are faster than what gravity adds in four steps.
    pub restitution: f64,
    /// Pull of grains that have touched, over the circumference of the smaller: F = 2 pi r tension [N/m]; 0 is dry.
    pub tension: f64,
}

impl PbdMaterialSettings {
    /// Whether nothing differs from the defaults.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
