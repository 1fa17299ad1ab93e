//! Filling shapes with grains of several spheres.

use glam::{DQuat, Vec3};

use super::{FillError, on_lattice, size_distribution};
use crate::boundary::{Sdf, ShapeSolid};
use crate::clumps::ClumpShape;
use crate::geometry::sample::{Ball, Solid, SphereLevels};
use crate::random::Random;
use crate::scene::{Fill, RadiusSettings};

/// Part of the volume that grains are to fill at random. Spheres reach 0.38 when no more fit [ZT13]; others do after many more
/// tries, or never.
const FRACTION: f64 = 0.28;
/// Places and orientations that are tried for each grain, and grains without room after which the shape counts as full.
const TRIES: u32 = 2000;
const MOST_FAILURES: u32 = 20;

/// Where a grain of several spheres is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClumpPose {
    /// Centre of mass \[m\].
    pub center: Vec3,
    /// Turns the shape's frame into the world's.
    pub orientation: DQuat,
    /// Radius of the sphere of the same volume \[m\].
    pub radius: f32,
}

/// An orientation at random, all of them alike: a point of the unit ball in four dimensions, made a unit quaternion.
pub fn random_orientation(random: &mut Random) -> DQuat {
    loop {
        let [x, y, z, w] = [0; 4].map(|_| f64::from(random.signed()));
        let square = x * x + y * y + z * z + w * w;
        if square > 1e-2 && square <= 1.0 {
            return DQuat::from_xyzw(x, y, z, w).normalize();
        }
    }
}

/// Fills a shape with whole grains of one form and of these radii, turned at random, none of which overlap: at random
/// places, the largest first, or on a lattice of the balls around them.
///
/// # Errors
/// Says why the shape cannot be filled.
pub fn fill_with_clumps(
    fill: Fill,
    shape: &Sdf,
    clump: &ClumpShape,
    radius: &RadiusSettings,
    random: &mut Random,
) -> Result<Vec<ClumpPose>, FillError> {
    match fill {
        Fill::Lattice => {
            let one = radius.one().ok_or(FillError::OneRadius)?;
            let places = on_lattice(shape, clump.reach() * one, |place| place)?;
            let pose = |center| ClumpPose { center, orientation: random_orientation(random), radius: one };
            Ok(places.into_iter().map(pose).collect())
        }
        Fill::Random => at_random(shape, clump, radius, random),
        Fill::Jittered | Fill::Relaxed | Fill::Packed | Fill::Touching => Err(FillError::ClumpFill),
    }
}

fn at_random(
    shape: &Sdf,
    clump: &ClumpShape,
    radius: &RadiusSettings,
    random: &mut Random,
) -> Result<Vec<ClumpPose>, FillError> {
    let solid = ShapeSolid::new(shape).ok_or(FillError::Unbounded)?;
    let radii = radii(radius, FRACTION * solid.volume(), random)?;
    let (least, bounds) = (clump.limits().0 * radii.last().copied().unwrap_or(1.0), solid.bounds());
    let mut levels = SphereLevels::new(least);
    let (mut poses, mut failures) = (Vec::new(), 0);
    for radius in radii {
        let mut balls = Vec::new();
        let found = (0..TRIES).find_map(|_| {
            let share = Vec3::new(random.unit(), random.unit(), random.unit());
            let center = bounds.min + share * bounds.size();
            let pose = ClumpPose { center, orientation: random_orientation(random), radius };
            fits(&pose, clump, &solid, &levels, &mut balls).then_some(pose)
        });
        match found {
            Some(pose) => {
                balls.iter().for_each(|ball| levels.insert(poses.len() as u32, *ball));
                poses.push(pose);
            }
            None => failures += 1,
        }
        if failures >= MOST_FAILURES {
            break;
        }
    }
    if poses.is_empty() { Err(FillError::Empty { radius: clump.reach() * least }) } else { Ok(poses) }
}

/// Whether all spheres of a grain are inside and free; `balls` are they then.
fn fits(
    pose: &ClumpPose,
    clump: &ClumpShape,
    solid: &ShapeSolid,
    levels: &SphereLevels,
    balls: &mut Vec<Ball>,
) -> bool {
    balls.clear();
    for sphere in clump.placed(pose.radius, pose.center.as_dvec3(), pose.orientation) {
        let ball = Ball { center: sphere.center, radius: sphere.radius };
        if !levels.is_free(&ball) || solid.sample(ball.center, -1.1 * ball.radius).0 > -ball.radius {
            return false;
        }
        balls.push(ball);
    }
    true
}

/// Radii of grains that have a volume together \[m3\], the largest first.
fn radii(radius: &RadiusSettings, volume: f64, random: &mut Random) -> Result<Vec<f32>, FillError> {
    let sizes = size_distribution(radius)?;
    let (mut radii, mut left) = (Vec::new(), volume);
    let least = f64::from(radius.limits().0);
    let most = volume / (4.0 / 3.0 * std::f64::consts::PI * least.powi(3));
    if most.is_nan() || most > super::MOST_PLACES {
        return Err(FillError::TooMany { count: most, most: super::MOST_PLACES });
    }
    while left > 0.0 || radii.is_empty() {
        let radius = sizes.as_ref().map_or(radius.limits().0, |sizes| sizes.draw(random));
        left -= 4.0 / 3.0 * std::f64::consts::PI * f64::from(radius).powi(3);
        radii.push(radius);
    }
    radii.sort_by(|a, b| b.total_cmp(a));
    Ok(radii)
}
