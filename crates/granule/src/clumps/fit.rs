//! Spheres that fill a closed mesh: a grain of any form by a number of spheres.
//!
//! Every point inside the solid is the centre of a largest sphere that fits; spheres that reach a little beyond the
//! surface cover more, and corners better. Of these candidates the one is taken again and again that covers most of
//! what is still uncovered; then all radii change by the same length until the union has the solid's volume. This is
//! done for several lengths beyond the surface, and the spheres are kept whose surface is nearest to the mesh.

use glam::{Quat, Vec3};
use rayon::prelude::*;

use super::{ClumpError, MOST_SPHERES, equivalent_radius, moments};
use crate::assemblies::Sphere;
use crate::geometry::{Bounds, MeshTree, TriangleMesh};

/// Points of a lattice inside the solid, about; each is a candidate.
const POINTS: f64 = 6000.0;
/// Most nodes of the lattice in the box around the solid.
const MOST_NODES: f64 = 1e6;
/// Lengths by which candidates reach beyond the surface, in equivalent diameters.
const BEYOND: [f32; 7] = [0.0, 0.01, 0.02, 0.03, 0.045, 0.06, 0.08];
/// Smallest radius of a candidate, in those of the largest; radii may differ by a factor of 10 in the end.
const SMALLEST: f32 = 0.15;
/// Newton's steps for the volume, and the error at which they end.
const STEPS: usize = 30;
const VOLUME_ERROR: f64 = 1e-6;
/// Spacing of points on the mesh at which surfaces are compared, in equivalent diameters, and how many there are at most.
const SPACING: f32 = 0.03;
const MOST_POINTS: usize = 40_000;
/// Points on every sphere at which surfaces are compared.
const DIRECTIONS: usize = 200;

/// Spheres that stand for a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct SphereFit {
    /// The spheres, in the mesh's coordinates.
    pub spheres: Vec<Sphere>,
    /// How much larger the union's volume is, in volumes of the mesh.
    pub volume_error: f64,
    /// Largest distance of the two surfaces from each other, in equivalent diameters.
    pub deviation: f32,
}

/// Why a mesh cannot be filled with spheres.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum FitError {
    /// None, or too many.
    #[error("a mesh is filled with 1 to {MOST_SPHERES} spheres, not {0}")]
    Count(usize),
    /// Nothing inside.
    #[error("the mesh has no volume that spheres could fill; it must be closed and face outwards")]
    NoVolume,
    /// So thin that no point of the lattice lies inside.
    #[error(
        "the mesh is too thin to be filled with spheres; take a thicker one, or list the spheres in a file"
    )]
    TooThin,
    /// Spheres that make no grain.
    #[error(transparent)]
    Clump(#[from] ClumpError),
}

/// Fills a sound mesh with at most `count` spheres whose union has its volume.
///
/// # Errors
/// Refuses meshes without volume, and those that are so thin that no sphere of a useful size fits.
pub fn fit_spheres(mesh: &TriangleMesh, count: usize) -> Result<SphereFit, FitError> {
    if count == 0 || count > MOST_SPHERES {
        return Err(FitError::Count(count));
    }
    let origin = mesh.bounds().ok_or(FitError::NoVolume)?.center();
    // Near the origin, where single precision is finest.
    let mut centered = mesh.clone();
    centered.place(Quat::IDENTITY, -origin);
    let body = Body::new(&centered)?;
    let fits: Vec<Result<SphereFit, FitError>> =
        BEYOND.iter().map(|&beyond| body.fit(beyond * body.size, count)).collect();
    let best = fits.into_iter().reduce(|best, next| match (&best, &next) {
        (Ok(a), Ok(b)) if b.deviation < a.deviation => next,
        (Err(_), Ok(_)) => next,
        _ => best,
    });
    let mut best = best.unwrap_or(Err(FitError::TooThin))?;
    best.spheres.iter_mut().for_each(|sphere| sphere.center += origin);
    Ok(best)
}

/// A mesh with what fits are made from.
struct Body {
    tree: MeshTree,
    volume: f64,
    /// Diameter of the sphere of the same volume.
    size: f32,
    /// Points inside with the radius of the largest sphere around each.
    inside: Vec<(Vec3, f32)>,
    /// Points on the surface.
    surface: Vec<Vec3>,
}

impl Body {
    fn new(mesh: &TriangleMesh) -> Result<Self, FitError> {
        let volume = mesh.signed_volume();
        let bounds = mesh.bounds().ok_or(FitError::NoVolume)?;
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(FitError::NoVolume);
        }
        let tree = MeshTree::new(mesh);
        let size = 2.0 * equivalent_radius(volume) as f32;
        let inside = lattice_inside(&tree, bounds, volume);
        if inside.is_empty() {
            return Err(FitError::TooThin);
        }
        Ok(Self { surface: on_surface(mesh, SPACING * size), tree, volume, size, inside })
    }

    /// The fit of candidates that reach `beyond` \[m\] the surface.
    fn fit(&self, beyond: f32, count: usize) -> Result<SphereFit, FitError> {
        let largest = self.inside.iter().map(|point| point.1).fold(0.0, f32::max) + beyond;
        let candidates = self.inside.iter().map(|&(center, depth)| Sphere { center, radius: depth + beyond });
        let candidates: Vec<Sphere> =
            candidates.filter(|sphere| sphere.radius >= SMALLEST * largest).collect();
        let mut spheres = self.cover(&candidates, count);
        let volume_error = self.match_volume(&mut spheres)?;
        Ok(SphereFit { deviation: self.deviation(&spheres), spheres, volume_error })
    }

    /// Takes the candidate that covers most of the points that are still uncovered, again and again.
    fn cover(&self, candidates: &[Sphere], count: usize) -> Vec<Sphere> {
        let words = self.inside.len().div_ceil(64);
        let covers = |sphere: &Sphere| {
            let mut bits = vec![0u64; words];
            for (k, (point, _)) in self.inside.iter().enumerate() {
                let inside = point.distance_squared(sphere.center) <= sphere.radius * sphere.radius;
                bits[k / 64] |= u64::from(inside) << (k % 64);
            }
            bits
        };
        let covered_by: Vec<Vec<u64>> = candidates.par_iter().map(covers).collect();
        let mut left = vec![u64::MAX; words];
        let mut taken = Vec::new();
        while taken.len() < count {
            let gain =
                |bits: &Vec<u64>| bits.iter().zip(&left).map(|(a, b)| (a & b).count_ones()).sum::<u32>();
            let gains: Vec<u32> = covered_by.par_iter().map(gain).collect();
            // The first of the best, whatever the number of threads.
            let best = (0..gains.len()).max_by(|&a, &b| gains[a].cmp(&gains[b]).then(b.cmp(&a)));
            let Some(best) = best.filter(|&best| gains[best] > 0) else { break };
            left.iter_mut().zip(&covered_by[best]).for_each(|(left, bits)| *left &= !bits);
            taken.push(candidates[best]);
        }
        taken
    }

    /// Changes all radii by the same length until the union has the mesh's volume: Newton's method, since the volume grows
    /// by the surface's area. Returns the relative error.
    fn match_volume(&self, spheres: &mut [Sphere]) -> Result<f64, FitError> {
        let least = spheres.iter().map(|sphere| sphere.radius).fold(f32::INFINITY, f32::min);
        let mut error = f64::INFINITY;
        for _ in 0..STEPS {
            let union = moments(spheres)?;
            error = union.volume / self.volume - 1.0;
            if error.abs() < VOLUME_ERROR {
                break;
            }
            let change = ((self.volume - union.volume) / union.area) as f32;
            let change = change.clamp(-0.25 * least, 0.1 * self.size);
            spheres.iter_mut().for_each(|sphere| sphere.radius += change);
        }
        Ok(error)
    }

    /// Largest distance of points on one surface from the other, in sizes: of the mesh outside of all spheres, and of the
    /// union's surface on either side of the mesh.
    fn deviation(&self, spheres: &[Sphere]) -> f32 {
        let gap = |point: Vec3| {
            spheres.iter().map(|s| s.center.distance(point) - s.radius).fold(f32::INFINITY, f32::min)
        };
        let uncovered = self.surface.par_iter().map(|&point| gap(point)).reduce(|| 0.0, f32::max);
        let exposed = spheres.par_iter().map(|sphere| {
            let points = (0..DIRECTIONS).map(|k| sphere.center + sphere.radius * direction(k));
            let free = points.filter(|&point| gap(point) > -1e-4 * sphere.radius);
            free.map(|point| self.tree.signed(point, 0).0.abs()).fold(0.0, f32::max)
        });
        uncovered.max(exposed.reduce(|| 0.0, f32::max)) / self.size
    }
}

/// The points of a cubic lattice inside the mesh, with their distances from its surface.
fn lattice_inside(tree: &MeshTree, bounds: Bounds, volume: f64) -> Vec<(Vec3, f32)> {
    let size = bounds.size();
    let all = f64::from(size.x) * f64::from(size.y) * f64::from(size.z);
    let step = (volume / POINTS).max(all / MOST_NODES).cbrt() as f32;
    // Centred, so that symmetric solids have points in their planes of symmetry.
    let half = (0.5 * size / step).floor().as_ivec3();
    let nodes = |z: i32| {
        let rows = (-half.y..=half.y).flat_map(move |y| (-half.x..=half.x).map(move |x| (x, y)));
        let points = rows.map(|(x, y)| bounds.center() + step * Vec3::new(x as f32, y as f32, z as f32));
        points
            .map(|point| (point, -tree.signed(point, 0).0))
            .filter(|(_, depth)| *depth > 0.0)
            .collect::<Vec<_>>()
    };
    let layers: Vec<Vec<(Vec3, f32)>> = (-half.z..=half.z).into_par_iter().map(nodes).collect();
    layers.concat()
}

/// Points all over the triangles, corners among them, no farther apart than `spacing` \[m\].
fn on_surface(mesh: &TriangleMesh, spacing: f32) -> Vec<Vec3> {
    let mut points = Vec::new();
    for k in 0..mesh.triangle.len() {
        let [a, b, c] = mesh.corners(k);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let parts = (longest / spacing).ceil().clamp(1.0, 100.0) as u32;
        for i in 0..=parts {
            for j in 0..=parts - i {
                let (u, v) = (i as f32 / parts as f32, j as f32 / parts as f32);
                points.push(a + u * (b - a) + v * (c - a));
            }
        }
    }
    let stride = points.len().div_ceil(MOST_POINTS).max(1);
    points.into_iter().step_by(stride).collect()
}

/// Directions spread over the sphere, on a spiral of golden angles.
fn direction(k: usize) -> Vec3 {
    let z = 1.0 - (2.0 * k as f32 + 1.0) / DIRECTIONS as f32;
    let (across, angle) = ((1.0 - z * z).sqrt(), k as f32 * 2.399_963_1);
    Vec3::new(across * angle.cos(), across * angle.sin(), z)
}
