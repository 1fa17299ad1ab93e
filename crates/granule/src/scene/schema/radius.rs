//! Radii of grains: one, a range or a distribution.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Standard deviations at which distributions without bounds of their own are cut.
const CUT: f32 = 3.0;

/// Radii of grains: one, a range or a distribution, drawn from the scene's seed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum RadiusSettings {
    /// The same for all grains \[m\].
    One(f32),
    /// Smallest and largest radius \[m\]; as many grains of one size as of another.
    Range([f32; 2]),
    /// A distribution.
    Distribution(RadiusDistribution),
}

/// What the shares of a distribution count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ShareOf {
    /// Grains.
    #[default]
    Number,
    /// Their volume, which is that of their mass: sieve curves.
    Volume,
}

/// How radii are distributed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RadiusDistribution {
    /// Evenly between two radii.
    Uniform {
        /// Smallest radius \[m\].
        min: f32,
        /// Largest radius \[m\].
        max: f32,
        /// What is even: the number of grains or their volume.
        #[serde(default)]
        by: ShareOf,
    },
    /// Normal, cut at bounds.
    Normal {
        /// Mean radius before the cut \[m\].
        mean: f32,
        /// Standard deviation before the cut \[m\].
        deviation: f32,
        /// Smallest radius \[m\]; three deviations below the mean when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<f32>,
        /// Largest radius \[m\]; three deviations above the mean when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<f32>,
        /// What is normal: the number of grains or their volume.
        #[serde(default)]
        by: ShareOf,
    },
    /// Log-normal, cut at bounds: the logarithm of the radius is normal.
    LogNormal {
        /// Median radius before the cut \[m\].
        median: f32,
        /// Standard deviation of the natural logarithm before the cut.
        deviation: f32,
        /// Smallest radius \[m\]; three deviations below the median when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<f32>,
        /// Largest radius \[m\]; three deviations above the median when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<f32>,
        /// What is log-normal: the number of grains or their volume.
        #[serde(default)]
        by: ShareOf,
    },
    /// A few radii with their shares.
    Table {
        /// Each as [radius, share]: a radius in metres and its share, which need not add up to anything.
        rows: Vec<[f32; 2]>,
        /// What the shares count: grains or their volume.
        #[serde(default)]
        by: ShareOf,
    },
}

impl RadiusSettings {
    /// The only radius \[m\], if there is but one.
    pub fn one(&self) -> Option<f32> {
        let (least, most) = self.limits();
        (least == most).then_some(least)
    }

    /// Smallest and largest radius \[m\].
    pub fn limits(&self) -> (f32, f32) {
        match self {
            Self::One(radius) => (*radius, *radius),
            Self::Range([from, to]) => (*from, *to),
            Self::Distribution(distribution) => distribution.limits(),
        }
    }
}

impl RadiusDistribution {
    /// Smallest and largest radius \[m\].
    pub fn limits(&self) -> (f32, f32) {
        match self {
            Self::Uniform { min, max, .. } => (*min, *max),
            Self::Normal { mean, deviation, min, max, .. } => {
                (min.unwrap_or(mean - CUT * deviation), max.unwrap_or(mean + CUT * deviation))
            }
            Self::LogNormal { median, deviation, min, max, .. } => {
                let factor = (CUT * deviation).exp();
                (min.unwrap_or(median / factor), max.unwrap_or(median * factor))
            }
            Self::Table { rows, .. } => {
                let radii = || rows.iter().map(|row| row[0]);
                (radii().fold(f32::INFINITY, f32::min), radii().fold(0.0, f32::max))
            }
        }
    }
}

impl<'de> Deserialize<'de> for RadiusSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RadiusVisitor)
    }
}

/// Tells the three forms apart by what they are, so that errors are about the form that was meant.
struct RadiusVisitor;

impl<'de> Visitor<'de> for RadiusVisitor {
    type Value = RadiusSettings;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a radius in metres, a range [from, to], or a distribution such as { uniform = { .. } }")
    }

    fn visit_f64<E: Error>(self, radius: f64) -> Result<RadiusSettings, E> {
        Ok(RadiusSettings::One(radius as f32))
    }

    fn visit_i64<E: Error>(self, radius: i64) -> Result<RadiusSettings, E> {
        Ok(RadiusSettings::One(radius as f32))
    }

    fn visit_u64<E: Error>(self, radius: u64) -> Result<RadiusSettings, E> {
        Ok(RadiusSettings::One(radius as f32))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, ends: A) -> Result<RadiusSettings, A::Error> {
        Deserialize::deserialize(SeqAccessDeserializer::new(ends)).map(RadiusSettings::Range)
    }

    fn visit_map<A: MapAccess<'de>>(self, distribution: A) -> Result<RadiusSettings, A::Error> {
        Deserialize::deserialize(MapAccessDeserializer::new(distribution)).map(RadiusSettings::Distribution)
    }
}
