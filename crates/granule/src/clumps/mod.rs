//! Shapes of grains that are several spheres: clumps.
//!
//! A [`ClumpShape`] is a list of spheres as one rigid body, with volume, centre and inertia of their union
//! ([`UnionMoments`]), scaled so that the sphere of the same volume has radius 1: grains of a shape are told apart by that
//! radius alone, which is what a scene's `radius` means for them. Shapes come from words ([`NamedClump`]), lists
//! ([`parse_spheres`]) and meshes ([`fit_spheres`]).

mod fit;
mod list;
mod named;
#[cfg(test)]
mod tests;
mod union;

use std::f64::consts::PI;

use glam::{DQuat, DVec3, Vec3};

use crate::assemblies::{MassError, MassProperties, NewAssembly, Sphere};
use crate::position::ExactPosition;

pub use fit::{FitError, SphereFit, fit_spheres};
pub use list::{ListError, parse_spheres};
pub use named::NamedClump;
pub use union::UnionMoments;

/// Most spheres of a grain.
pub const MOST_SPHERES: usize = 1000;

/// Spheres farther apart than this part of the smaller radius do not hang together.
const APART: f64 = 1e-3;

/// Why spheres make no grain.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum ClumpError {
    /// None, or too many.
    #[error("a grain has from 1 to {MOST_SPHERES} spheres; found {0}")]
    Count(usize),
    /// A sphere without volume.
    #[error(
        "sphere {number} has the radius {radius} and its centre at {center}: a radius must be a positive length"
    )]
    NoVolume {
        /// Its number in the list, from 0.
        number: usize,
        /// Its centre.
        center: Vec3,
        /// Its radius.
        radius: f32,
    },
    /// Spheres in several pieces.
    #[error(
        "sphere {0} touches none of the others that hang together with sphere 0; bring it nearer, or make radii larger"
    )]
    Apart(usize),
    /// Sizes that no search for neighbours takes.
    #[error(
        "the largest sphere has {ratio:.1} times the radius of the smallest; at most {most} times is possible. Leave \
             out the smallest spheres, or make them larger"
    )]
    Ratio {
        /// Largest radius over smallest.
        ratio: f32,
        /// Largest ratio.
        most: f32,
    },
    /// Surfaces that cannot be resolved.
    #[error("the spheres' common surface cannot be resolved; move one of them by a millionth of its radius")]
    Unresolved,
    /// Mass properties that no body has.
    #[error(transparent)]
    Mass(#[from] MassError),
}

/// Spheres that move as one rigid grain; scaled so that the sphere of the same volume has radius 1, centred at the centre
/// of mass.
#[derive(Clone, Debug, PartialEq)]
pub struct ClumpShape {
    /// Spheres relative to the centre, in equivalent radii.
    sphere: Vec<Sphere>,
    /// Mass properties of the union for a density of 1 and an equivalent radius of 1.
    properties: MassProperties,
    /// Farthest point from the centre, in equivalent radii.
    reach: f32,
    /// Area of the surface, in squared equivalent radii.
    area: f64,
}

impl ClumpShape {
    /// The shape of spheres of any size and place, whose radii differ by a factor of `most_ratio` at most.
    ///
    /// # Errors
    /// Says which sphere is wrong, and what to do.
    pub fn new(spheres: &[Sphere], most_ratio: f32) -> Result<Self, ClumpError> {
        check(spheres, most_ratio)?;
        let raw = moments(spheres)?;
        let scale = 1.0 / equivalent_radius(raw.volume);
        let sphere: Vec<Sphere> = spheres
            .iter()
            .map(|sphere| Sphere {
                center: ((sphere.center.as_dvec3() - raw.center) * scale).as_vec3(),
                radius: (f64::from(sphere.radius) * scale) as f32,
            })
            .collect();
        // Again, of the spheres as they are rounded.
        let unit = moments(&sphere)?;
        let properties = MassProperties::new(unit.volume, unit.center, unit.inertia())?;
        let reach = sphere.iter().map(|sphere| sphere.center.length() + sphere.radius).fold(0.0, f32::max);
        Ok(Self { sphere, properties, reach, area: unit.area })
    }

    /// Number of spheres.
    pub fn len(&self) -> usize {
        self.sphere.len()
    }

    /// Whether there are none; never so.
    pub fn is_empty(&self) -> bool {
        self.sphere.is_empty()
    }

    /// Smallest and largest radius of the spheres, in equivalent radii.
    pub fn limits(&self) -> (f32, f32) {
        let radii = || self.sphere.iter().map(|sphere| sphere.radius);
        (radii().fold(f32::INFINITY, f32::min), radii().fold(0.0, f32::max))
    }

    /// Radius of the ball around the centre that holds the grain, in equivalent radii.
    pub fn reach(&self) -> f32 {
        self.reach
    }

    /// Area of the surface, in squared equivalent radii; 4 pi for a sphere.
    pub fn area(&self) -> f64 {
        self.area
    }

    /// The spheres of a grain of an equivalent radius [m], relative to its centre of mass, before it is turned.
    pub fn spheres(&self, radius: f32) -> Vec<Sphere> {
        let scaled =
            |sphere: &Sphere| Sphere { center: radius * sphere.center, radius: radius * sphere.radius };
        self.sphere.iter().map(scaled).collect()
    }

    /// Mass and inertia of a grain of an equivalent radius [m] and a density [kg/m3]: `m ~ rho r^3`, `I ~ rho r^5`.
    pub fn properties(&self, radius: f32, density: f32) -> MassProperties {
        let (radius, density) = (f64::from(radius), f64::from(density));
        let unit = &self.properties;
        MassProperties {
            mass: density * radius.powi(3) * unit.mass,
            center: radius * unit.center,
            inertia: density * radius.powi(5) * unit.inertia,
            shape_from_principal: unit.shape_from_principal,
        }
    }

    /// The spheres of a grain with its centre at a place [m], turned.
    pub fn placed(
        &self,
        radius: f32,
        center: DVec3,
        orientation: DQuat,
    ) -> impl Iterator<Item = Sphere> + '_ {
        self.sphere.iter().map(move |sphere| {
            let arm = f64::from(radius) * sphere.center.as_dvec3();
            Sphere { center: (center + orientation * arm).as_vec3(), radius: radius * sphere.radius }
        })
    }
}

/// A rigid assembly whose members are handed in with it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedAssembly {
    /// Place of the first member among the particles that are handed in; the others follow in the order of its spheres.
    pub first: usize,
    /// The assembly.
    pub assembly: NewAssembly,
}

impl ClumpShape {
    /// A grain of this shape as an assembly: of an equivalent radius [m] and a density [kg/m3], its centre of mass at a
    /// place [m], turned, with a velocity [m/s] and without spin. None for places beyond the range of positions.
    pub fn assembly(
        &self,
        radius: f32,
        density: f32,
        center: Vec3,
        orientation: DQuat,
        velocity: Vec3,
    ) -> Option<NewAssembly> {
        Some(NewAssembly {
            position: ExactPosition::new(center)?,
            orientation,
            velocity: velocity.as_dvec3(),
            angular_velocity: DVec3::ZERO,
            properties: self.properties(radius, density),
            spheres: self.spheres(radius),
        })
    }

    /// The part of the grain's mass that each sphere stands for: by its own volume, overlaps shared out.
    pub fn mass_shares(&self) -> Vec<f32> {
        let cubes: Vec<f64> = self.sphere.iter().map(|sphere| f64::from(sphere.radius).powi(3)).collect();
        let sum: f64 = cubes.iter().sum();
        cubes.into_iter().map(|cube| (cube / sum) as f32).collect()
    }
}

/// Radius of the sphere of a volume \[m\].
pub fn equivalent_radius(volume: f64) -> f64 {
    (3.0 * volume / (4.0 * PI)).cbrt()
}

/// Volume, surface, centre and second moments of the union of spheres.
///
/// # Errors
/// Refuses spheres without volume.
pub fn moments(spheres: &[Sphere]) -> Result<UnionMoments, ClumpError> {
    let balls: Vec<(DVec3, f64)> =
        spheres.iter().map(|sphere| (sphere.center.as_dvec3(), f64::from(sphere.radius))).collect();
    union::union_moments(&balls).ok_or(ClumpError::Unresolved)
}

fn check(spheres: &[Sphere], most_ratio: f32) -> Result<(), ClumpError> {
    if spheres.is_empty() || spheres.len() > MOST_SPHERES {
        return Err(ClumpError::Count(spheres.len()));
    }
    for (number, &Sphere { center, radius }) in spheres.iter().enumerate() {
        if !(center.is_finite() && radius > 0.0 && radius.is_finite()) {
            return Err(ClumpError::NoVolume { number, center, radius });
        }
    }
    let radii = || spheres.iter().map(|sphere| sphere.radius);
    let ratio = radii().fold(0.0, f32::max) / radii().fold(f32::INFINITY, f32::min);
    // The limit belongs to it, however it is rounded.
    if ratio > 1.0001 * most_ratio {
        return Err(ClumpError::Ratio { ratio, most: most_ratio });
    }
    match connected(spheres).iter().position(|joined| !joined) {
        Some(number) => Err(ClumpError::Apart(number)),
        None => Ok(()),
    }
}

/// Which spheres hang together with the first.
fn connected(spheres: &[Sphere]) -> Vec<bool> {
    let touch = |a: &Sphere, b: &Sphere| {
        let apart = a.center.as_dvec3().distance(b.center.as_dvec3());
        let (r, s) = (f64::from(a.radius), f64::from(b.radius));
        apart <= r + s + APART * r.min(s)
    };
    let mut joined = vec![false; spheres.len()];
    joined[0] = true;
    let mut open = vec![0];
    while let Some(k) = open.pop() {
        for j in 0..spheres.len() {
            if !joined[j] && touch(&spheres[k], &spheres[j]) {
                joined[j] = true;
                open.push(j);
            }
        }
    }
    joined
}
