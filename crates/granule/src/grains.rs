//! Filling shapes with grains.

use glam::Vec3;

use crate::boundary::{Sdf, ShapeSolid};
use crate::geometry::sample::{self, SampleError, Spread};
use crate::particles::{NewParticle, bulk_mass};
use crate::random::Random;
use crate::scene::{Fill, GrainsSettings, MaterialSettings};

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
        /// Particle radius [m].
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
    /// A random filling was not possible.
    #[error(transparent)]
    Sample(#[from] SampleError),
}

/// Most places of the lattice that are tried.
const MOST_PLACES: f64 = 2e8;

/// Largest displacement of a jittered fill, in spacings.
const JITTER: f32 = 0.1;

/// Fills a shape with whole grains.
pub fn fill(
    grains: &GrainsSettings,
    shape: &Sdf,
    material: &MaterialSettings,
    index: u16,
    random: &mut Random,
) -> Result<Vec<NewParticle>, FillError> {
    let radius = material.radius;
    let solid = || ShapeSolid::new(shape).ok_or(FillError::Unbounded);
    let centers = |balls: Vec<sample::Ball>| balls.into_iter().map(|ball| ball.center).collect();
    let positions: Vec<Vec3> = match grains.fill {
        Fill::Lattice => on_lattice(shape, radius, |position| position)?,
        Fill::Jittered => on_lattice(shape, radius, |position| {
            let offset = Vec3::new(random.signed(), random.signed(), random.signed());
            position + JITTER * 2.0 * radius * offset
        })?,
        Fill::Random => centers(sample::random(&solid()?, radius, Spread::None, random.bits())?),
        Fill::Relaxed => centers(sample::relaxed(&solid()?, radius, random.bits())?),
    };
    let particle = |position| NewParticle {
        position,
        velocity: Vec3::from(grains.velocity),
        radius,
        mass: bulk_mass(material.density, radius),
        material: index,
    };
    Ok(positions.into_iter().map(particle).collect())
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
