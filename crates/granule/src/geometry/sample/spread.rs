//! Distributions of radii.

use std::fmt;
use std::str::FromStr;

use super::SampleError;
use crate::random::Random;

/// How radii differ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Spread {
    /// All the same.
    #[default]
    None,
    /// Uniform between two radii \[m\].
    Uniform {
        /// Smallest radius \[m\].
        from: f32,
        /// Largest radius \[m\].
        to: f32,
    },
    /// Log-normal: the logarithm of the radius in metres has mean `mu` and standard deviation `sigma`; cut off at three
    /// standard deviations.
    LogNormal {
        /// Mean of ln(radius / m).
        mu: f32,
        /// Standard deviation of it.
        sigma: f32,
    },
}

/// Widest log-normal distribution.
const MOST_SIGMA: f32 = 1.0;
/// Standard deviations at which it is cut off.
const CUT: f32 = 3.0;

impl Spread {
    /// Refuses distributions without radii.
    pub fn check(&self) -> Result<(), SampleError> {
        let wrong = |what: &str| Err(SampleError::Spread(format!("{self}: {what}")));
        match *self {
            Self::None => Ok(()),
            Self::Uniform { from, to } if from > 0.0 && from <= to && to.is_finite() => Ok(()),
            Self::Uniform { .. } => wrong("radii must be positive lengths, the smaller one first"),
            Self::LogNormal { mu, sigma } if mu.is_finite() && (0.0..=MOST_SIGMA).contains(&sigma) => {
                let (low, high) = self.limits(1.0);
                if low > 0.0 && high.is_finite() { Ok(()) } else { wrong("radii must be lengths") }
            }
            Self::LogNormal { .. } => {
                wrong("mu must be a number, the logarithm of metres, and sigma from 0 to 1")
            }
        }
    }

    /// Smallest and largest radius [m], given the single one [m].
    pub fn limits(&self, radius: f32) -> (f32, f32) {
        match *self {
            Self::None => (radius, radius),
            Self::Uniform { from, to } => (from, to),
            Self::LogNormal { mu, sigma } => ((mu - CUT * sigma).exp(), (mu + CUT * sigma).exp()),
        }
    }

    /// A radius [m].
    pub fn draw(&self, radius: f32, random: &mut Random) -> f32 {
        match *self {
            Self::None => radius,
            Self::Uniform { from, to } => from + (to - from) * random.unit(),
            Self::LogNormal { mu, sigma } => loop {
                let z = normal(random);
                if z.abs() <= CUT {
                    return (mu + sigma * z).exp();
                }
            },
        }
    }
}

/// A number with mean 0 and variance 1 (Box and Muller).
fn normal(random: &mut Random) -> f32 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    radius * (std::f32::consts::TAU * random.unit()).cos()
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Uniform { from, to } => write!(f, "uniform:{from},{to}"),
            Self::LogNormal { mu, sigma } => write!(f, "lognormal:{mu},{sigma}"),
        }
    }
}

impl FromStr for Spread {
    type Err = SampleError;

    fn from_str(text: &str) -> Result<Self, SampleError> {
        let wrong = || {
            SampleError::Spread(format!(
                "`{text}`: write uniform:A,B (radii in metres) or lognormal:MU,SIGMA"
            ))
        };
        let (kind, numbers) = text.split_once(':').ok_or_else(wrong)?;
        let (a, b) = numbers.split_once(',').ok_or_else(wrong)?;
        let number = |word: &str| word.trim().parse::<f32>().map_err(|_| wrong());
        let spread = match kind.trim() {
            "uniform" => Self::Uniform { from: number(a)?, to: number(b)? },
            "lognormal" => Self::LogNormal { mu: number(a)?, sigma: number(b)? },
            _ => return Err(wrong()),
        };
        spread.check()?;
        Ok(spread)
    }
}
