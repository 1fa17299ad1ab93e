//! Spheres inside solids and on their surfaces.
//!
//! | fill | spheres | fraction of the volume |
//! | --- | --- | --- |
//! | `random` | at random until no more fit, never overlapping | about 0.38 |
//! | `relaxed` | one per cube of a diameter, at random, pushed apart until none overlap | 0.52 |
//! | `packed` | a number of them, at random, pushed apart until none overlap, as many as fit | as asked for |
//! | `touching` | as `packed`, then drawn together until neighbours touch | as asked for |
//! | `lattice` | on a cubic lattice | up to 0.52 |
//!
//! The first two also take spheres of different sizes: [`random_of_sizes`], [`relaxed_of_sizes`].
//!
//! All are seeded and give the same spheres for any number of threads.

mod cells;
mod covered;
mod lattice;
mod levels;
mod random;
mod relaxed;
mod sizes;
mod solid;
mod spread;
mod sunken;
mod surface;
#[cfg(test)]
mod tests;

use glam::Vec3;

pub use lattice::lattice;
pub use levels::SphereLevels;
pub use random::{random, random_of_sizes};
pub use relaxed::{packed, relaxed, relaxed_of_sizes, touching};
pub use sizes::SizeDistribution;
pub use solid::{MeshSolid, Solid};
pub use spread::Spread;
pub use sunken::sunken;
pub use surface::{SurfacePoint, surface};

/// Most cells of a search grid.
const MOST_CELLS: f64 = 1e8;

/// A sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Centre \[m\].
    pub center: Vec3,
    /// Radius \[m\].
    pub radius: f32,
}

/// Why a solid cannot be sampled.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum SampleError {
    /// A radius that is no length.
    #[error("spheres cannot have a radius of {0} m; use a positive length")]
    Radius(f32),
    /// No sphere fits.
    #[error(
        "no sphere of radius {radius} m fits into the solid; make it at least {} m wide, or the radius smaller",
        2.0 * radius
    )]
    Empty {
        /// Radius \[m\].
        radius: f32,
    },
    /// Too fine.
    #[error(
        "the solid's bounds hold {count:.2e} places for spheres; at most {most:.0e} are tried. Use a larger radius or a \
         smaller solid"
    )]
    TooMany {
        /// Places.
        count: f64,
        /// Most places.
        most: f64,
    },
    /// Radii that cannot be drawn.
    #[error("{0}")]
    Spread(String),
}

/// Refuses radii that are no lengths, and so many places that memory would not hold them.
fn check_places(bounds: crate::geometry::Bounds, side: f32) -> Result<(), SampleError> {
    let count = (bounds.size().as_dvec3() / f64::from(side)).ceil().max(glam::DVec3::ONE);
    let count = count.x * count.y * count.z;
    if count <= MOST_CELLS { Ok(()) } else { Err(SampleError::TooMany { count, most: MOST_CELLS }) }
}

fn check_radius(radius: f32) -> Result<(), SampleError> {
    if radius > 0.0 && radius.is_finite() { Ok(()) } else { Err(SampleError::Radius(radius)) }
}
