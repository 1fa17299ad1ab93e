//! What must come out of a run, in scene files.

use serde::{Deserialize, Serialize};

/// A quantity that must lie in a range at the end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExpectSettings {
    /// What is measured.
    pub quantity: Quantity,
    /// Name of the emitter, outlet, counter or body that is meant, where the quantity belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Allowed range.
    pub range: [f64; 2],
    /// Where the range comes from.
    #[serde(default)]
    pub source: String,
}

/// Quantities that `[[expect]]` can check at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Highest particle centre \[m\].
    Height,
    /// Mean distance of the deposit's edge from its axis \[m\].
    FrontRadius,
    /// Largest x of any particle \[m\].
    MaxX,
    /// Mean speed [m/s].
    MeanSpeed,
    /// Fastest particle [m/s].
    MaxSpeed,
    /// Mean density relative to the rest density.
    MeanDensity,
    /// Particles removed because their state was not finite.
    LostParticles,
    /// Slope between 20 and 80 % of the height \[degrees\].
    SlopeAngle,
    /// Mean x of all particles \[m\].
    MeanX,
    /// Particles at the end.
    Particles,
    /// Grains that the emitter `of` has added; of all emitters and commands when absent.
    Emitted,
    /// Grains that the emitter `of` gave up for want of room; of all emitters when absent.
    Blocked,
    /// Grains that the outlet `of` has taken; of all outlets when absent.
    Drained,
    /// Grains inside the counter `of`.
    Counted,
    /// Rate of the middle 60 % of what passed the outlet or counter `of` [grains/s].
    FlowRate,
    /// R2 of a line through the middle 60 % of what passed the outlet or counter `of` over time.
    FlowLinearity,
    /// Grains that initial + emitted - drained - removed - lost does not explain.
    Unaccounted,
    /// Fine grains at the end.
    FineGrains,
    /// Fine grains that are neither there at the end nor taken by outlets or commands.
    MissingFineGrains,
    /// Inclination of a line through the free surface seen along z, over the middle 60 % of its length \[degrees\].
    SurfaceAngle,
    /// Part of a periodic cell that strains which its grains fill.
    PackingFraction,
    /// How far two kinds of grains have parted, materials or else sizes: 0 is mixed as by chance, 1 parted wholly. By the variance of
    /// shares of the volume between cells two diameters of the larger grains wide.
    Segregation,
    /// Height of the centre of the body `of` \[m\].
    BodyHeight,
    /// Distance of the centre of the body `of` from where it started \[m\].
    BodyShift,
    /// Angle by which the body `of` has turned \[degrees\].
    BodyTurn,
    /// Speed of the centre of the body `of` [m/s].
    BodySpeed,
}
