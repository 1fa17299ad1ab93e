//! Filling shapes with grains.

mod clumps;
mod rough;
mod shapes;

use glam::Vec3;

use crate::boundary::{Sdf, ShapeSolid};
use crate::geometry::sample::{self, Ball, SampleError, SizeDistribution, Spread};
use crate::particles::NewParticle;
use crate::random::Random;
use crate::scene::{Fill, GrainsSettings, PACKED_FRACTION, RadiusDistribution, RadiusSettings, ShareOf};

pub use clumps::{ClumpPose, fill_with_clumps, random_orientation};
pub use rough::cover_with_spheres;
pub use shapes::{GrainShapeError, GrainShapes};

/// Why a shape cannot be filled.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum FillError {
    /// The shape has no finite volume.
    #[error(
        "the shape has no bounds, so it cannot be filled with grains; use a box, sphere, cylinder or cone"
    )]
    Unbounded,
    /// No grain fits.
    #[error(
        "no grain of radius {radius} m fits into the shape; make it at least {} m wide, or the radius smaller",
        2.0 * radius
    )]
    Empty {
        /// Particle radius \[m\].
        radius: f32,
    },
    /// The bounds hold more places than can be tried.
    #[error(
        "the shape's bounds hold {count:.2e} places for grains; at most {most:.0e} are tried. Split it into several [[grains]]"
    )]
    TooMany {
        /// Places.
        count: f64,
        /// Largest number.
        most: f64,
    },
    /// A lattice of different radii.
    #[error("a lattice has grains of one radius only; take a random or relaxed fill for different radii")]
    OneRadius,
    /// A fill that grains of several spheres do not have.
    #[error("grains of several spheres fill a shape at random or on a lattice; take fill = \"random\"")]
    ClumpFill,
    /// A random filling was not possible.
    #[error(transparent)]
    Sample(#[from] SampleError),
}

/// Most places of the lattice that are tried.
const MOST_PLACES: f64 = 2e8;

/// Largest displacement of a jittered fill, in spacings.
const JITTER: f32 = 0.1;

/// Grains that weigh as much as a cube of a diameter of bulk matter of which they are 0.6: 0.6 d^3/(pi/6 d^3).
const GRAINS_PER_PLACE: f64 = PACKED_FRACTION * 6.0 / std::f64::consts::PI;

/// Fills a shape with whole grains of a material, given by its index, and of these radii. `mass_of` gives the mass of a
/// radius \[kg\].
///
/// # Errors
/// Says why the shape cannot be filled.
pub fn fill(
    grains: &GrainsSettings,
    shape: &Sdf,
    radius: &RadiusSettings,
    material: u16,
    mass_of: impl Fn(f32) -> f32,
    random: &mut Random,
) -> Result<Vec<NewParticle>, FillError> {
    let balls = match size_distribution(radius)? {
        None => fill_with_one(grains.fill, shape, radius.limits().0, random)?,
        Some(sizes) => {
            let solid = ShapeSolid::new(shape).ok_or(FillError::Unbounded)?;
            match grains.fill {
                Fill::Lattice | Fill::Jittered | Fill::Packed | Fill::Touching => {
                    return Err(FillError::OneRadius);
                }
                Fill::Random => sample::random_of_sizes(&solid, &sizes, random.bits())?,
                Fill::Relaxed => sample::relaxed_of_sizes(&solid, &sizes, random.bits())?,
            }
        }
    };
    let particle = |ball: Ball| NewParticle {
        position: ball.center,
        velocity: Vec3::from(grains.velocity),
        radius: ball.radius,
        mass: mass_of(ball.radius),
        material,
        fixed: grains.fixed,
    };
    Ok(balls.into_iter().map(particle).collect())
}

/// Grains of one radius \[m\].
fn fill_with_one(fill: Fill, shape: &Sdf, radius: f32, random: &mut Random) -> Result<Vec<Ball>, FillError> {
    let solid = || ShapeSolid::new(shape).ok_or(FillError::Unbounded);
    let positions = match fill {
        Fill::Lattice => on_lattice(shape, radius, |position| position)?,
        Fill::Jittered => on_lattice(shape, radius, |position| {
            let offset = Vec3::new(random.signed(), random.signed(), random.signed());
            position + JITTER * 2.0 * radius * offset
        })?,
        Fill::Random => return Ok(sample::random(&solid()?, radius, Spread::None, random.bits())?),
        Fill::Relaxed => return Ok(sample::relaxed(&solid()?, radius, random.bits())?),
        Fill::Packed | Fill::Touching => {
            let places = on_lattice(shape, radius, |position| position)?.len();
            let count = (GRAINS_PER_PLACE * places as f64).round() as usize;
            let pack = if fill == Fill::Packed { sample::packed } else { sample::touching };
            return Ok(pack(&solid()?, radius, count, random.bits())?);
        }
    };
    Ok(positions.into_iter().map(|center| Ball { center, radius }).collect())
}

/// Radii of a scene as shares of the number of grains; none where there is but one radius.
///
/// ```text
/// n(r) ~ v(r) / r^3        shares of number n from shares of volume v
/// ```
///
/// # Errors
/// Refuses what is no distribution.
pub fn size_distribution(radius: &RadiusSettings) -> Result<Option<SizeDistribution>, SampleError> {
    if radius.one().is_some() {
        return Ok(None);
    }
    let (least, most) = radius.limits();
    let density = |by: ShareOf, share: &dyn Fn(f64) -> f64| {
        SizeDistribution::from_density(least, most, |r| match by {
            ShareOf::Number => share(r),
            ShareOf::Volume => share(r) / r.powi(3),
        })
    };
    let bell = |x: f64| (-0.5 * x * x).exp();
    let sizes = match radius {
        RadiusSettings::One(_) | RadiusSettings::Range(_) => density(ShareOf::Number, &|_| 1.0),
        RadiusSettings::Distribution(RadiusDistribution::Uniform { by, .. }) => density(*by, &|_| 1.0),
        RadiusSettings::Distribution(RadiusDistribution::Normal { mean, deviation, by, .. }) => {
            density(*by, &|r| bell((r - f64::from(*mean)) / f64::from(*deviation)))
        }
        RadiusSettings::Distribution(RadiusDistribution::LogNormal { median, deviation, by, .. }) => {
            density(*by, &|r| bell((r / f64::from(*median)).ln() / f64::from(*deviation)) / r)
        }
        RadiusSettings::Distribution(RadiusDistribution::Table { rows, by }) => {
            let share = |row: &[f32; 2]| match by {
                ShareOf::Number => f64::from(row[1]),
                ShareOf::Volume => f64::from(row[1]) / f64::from(row[0]).powi(3),
            };
            let rows: Vec<(f32, f64)> = rows.iter().map(|row| (row[0], share(row))).collect();
            SizeDistribution::from_shares(&rows)
        }
    };
    sizes.map(Some)
}

/// Places on a cubic lattice: centred across, standing on the shape's lowest point; `place` may move those inside.
fn on_lattice(shape: &Sdf, radius: f32, mut place: impl FnMut(Vec3) -> Vec3) -> Result<Vec<Vec3>, FillError> {
    let spacing = 2.0 * radius;
    let (min, max) = shape.bounds().ok_or(FillError::Unbounded)?;
    let count = ((max - min) / spacing + 1e-3).floor();
    let total = count.x as f64 * count.y as f64 * count.z as f64;
    if total.is_nan() || total > MOST_PLACES {
        return Err(FillError::TooMany { count: total, most: MOST_PLACES });
    }
    let mut margin = 0.5 * ((max - min) - count * spacing);
    margin.y = 0.0;
    let first = min + margin + radius;
    let mut filled = Vec::new();
    for z in 0..count.z as u32 {
        for y in 0..count.y as u32 {
            for x in 0..count.x as u32 {
                let position = first + spacing * Vec3::new(x as f32, y as f32, z as f32);
                if shape.distance(position) <= -0.999 * radius {
                    filled.push(place(position));
                }
            }
        }
    }
    if filled.is_empty() { Err(FillError::Empty { radius }) } else { Ok(filled) }
}
