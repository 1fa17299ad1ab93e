//! Numbers that tell whether fine grains look and behave like the sand that guides them.

use std::collections::HashMap;

use glam::{IVec3, Vec3};
use rayon::prelude::*;

use super::cells::GrainsByCell;
use crate::boundary::Boundaries;
use crate::upsample::{COVERAGE_RAMP, FineRadii, Grain, GuideGrid, Tile, coverage, weight};

/// Distance within which neighbours are counted, in radii of a grain.
const REACH: f32 = 3.0;
/// Voxels along a cell of the guides, which is three of their radii.
const VOXELS_ALONG: usize = 10;
/// Coverage from which on a grain is deep enough inside for its neighbours to be counted.
const DEEP: f32 = 0.9;
/// Time for which a grain must hang on a wall to stick to it \[s\].
const STICKING_TIME: f64 = 0.25;
/// Speed below which it hangs, relative to free fall over that time.
const STICKING_SPEED: f32 = 0.01;
/// Frames that a flight lasts at least to be compared with a parabola.
const FLIGHT_FRAMES: u32 = 5;

fn positions(grains: &[Grain]) -> Vec<Vec3> {
    grains.iter().map(|grain| grain.position.into()).collect()
}

/// Volume of a union of balls around points, holes closed, on voxels of a side \[m\]: all within `grow` \[m\] of a point,
/// less a skin of `shrink` \[m\].
///
/// Dilation and erosion together close the holes between points and leave the surface where it is: as far outside the
/// outermost points as they differ.
pub fn closed_volume(points: &[Vec3], voxel: f32, grow: f32, shrink: f32) -> f64 {
    let reach = (grow / voxel).ceil() as i32 + 1;
    let (low, high) = points
        .iter()
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
    if points.is_empty() {
        return 0.0;
    }
    let origin = low - voxel * (reach + 1) as f32;
    let size = ((high - origin) / voxel).ceil().as_ivec3() + reach + 2;
    let index = |c: IVec3| (c.z as usize * size.y as usize + c.y as usize) * size.x as usize + c.x as usize;
    let mut filled = vec![false; size.x as usize * size.y as usize * size.z as usize];
    for p in points {
        let at = (*p - origin) / voxel;
        let cell = at.floor().as_ivec3();
        for z in -reach..=reach {
            for y in -reach..=reach {
                for x in -reach..=reach {
                    let other = cell + IVec3::new(x, y, z);
                    if (other.as_vec3() + 0.5 - at).length_squared() * voxel * voxel <= grow * grow {
                        filled[index(other)] = true;
                    }
                }
            }
        }
    }
    let skin = ball(shrink / voxel);
    let kept: usize = (0..size.z)
        .into_par_iter()
        .map(|z| {
            let cells = (0..size.y).flat_map(|y| (0..size.x).map(move |x| IVec3::new(x, y, z)));
            let inside = |c: &IVec3| {
                filled[index(*c)]
                    && skin.iter().all(|step| {
                        let other = *c + *step;
                        other.cmpge(IVec3::ZERO).all() && other.cmplt(size).all() && filled[index(other)]
                    })
            };
            cells.filter(inside).count()
        })
        .sum();
    kept as f64 * f64::from(voxel).powi(3)
}

/// Steps to the voxels within a distance.
fn ball(radius: f32) -> Vec<IVec3> {
    let n = radius.ceil() as i32;
    let steps =
        (-n..=n).flat_map(move |z| (-n..=n).flat_map(move |y| (-n..=n).map(move |x| IVec3::new(x, y, z))));
    steps.filter(|step| step.as_vec3().length() <= radius).collect()
}

/// Volume \[m3\] of the mass of guides outside walls: where they fill more than half of the room around, on voxels of 0.3
/// of their radii.
///
/// A flat surface of guides on a lattice has half of the room filled, so a full mass has the volume of its guides'
/// cubes; one that has loosened or lies at random has no holes, unlike a union of balls.
pub fn guided_volume(guides: &GuideGrid, walls: &Boundaries) -> f64 {
    let cell_count = guides.start.len().saturating_sub(1);
    let [nx, ny, _] = guides.count.map(|c| c as usize);
    let voxel = guides.side / VOXELS_ALONG as f32;
    let inside = |x: Vec3| coverage(weight_sum(guides, x), 0.0) > 0.5 && walls.distance(x) > 0.0;
    let count_in = |cell: usize| {
        let corner = Vec3::new((cell % nx) as f32, (cell / nx % ny) as f32, (cell / nx / ny) as f32);
        let corner = guides.origin + guides.side * corner;
        let middle = corner + 0.5 * guides.side;
        let n = if guides.around(middle).next().is_some() { VOXELS_ALONG } else { 0 };
        let place = |k: usize| Vec3::new((k % n) as f32, (k / n % n) as f32, (k / n / n) as f32) + 0.5;
        (0..n * n * n).filter(|k| inside(corner + voxel * place(*k))).count()
    };
    let count: usize = (0..cell_count).into_par_iter().map(count_in).sum();
    count as f64 * f64::from(voxel).powi(3)
}

/// Volume of the fine grains over that of the mass of their guides.
///
/// Every point between grains as full as at first is within two radii of one, and the outermost centres are a radius
/// inside the surface.
pub fn volume_ratio(grains: &[Grain], radius: f32, guides: &GuideGrid, walls: &Boundaries) -> f64 {
    let fine = closed_volume(&positions(grains), 0.7 * radius, 2.0 * radius, radius);
    fine / guided_volume(guides, walls).max(f64::MIN_POSITIVE)
}

/// How deep grains are in walls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Penetration {
    /// Share of grains whose centres are deeper in a wall than a tenth of their radius.
    pub share: f64,
    /// Deepest centre, in radii.
    pub deepest: f64,
}

/// How deep grains are in walls.
pub fn penetration(grains: &[Grain], radii: &FineRadii, boundaries: &Boundaries) -> Penetration {
    let depth = |grain: &Grain| -boundaries.distance(grain.position.into()) / radii.of(grain.id);
    let depths: Vec<f32> = grains.par_iter().map(depth).collect();
    let inside = depths.iter().filter(|depth| **depth > 0.1).count();
    let deepest = depths.iter().fold(0.0, |most: f32, depth| most.max(*depth));
    Penetration { share: inside as f64 / grains.len().max(1) as f64, deepest: deepest.into() }
}

/// How evenly grains are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evenness {
    /// Variance of the number of neighbours within three radii.
    pub variance: f64,
    /// Mean of that number.
    pub mean: f64,
    /// Distance to the nearest neighbour that a hundredth of the grains is below, in radii.
    pub nearest: f64,
    /// Grains that were counted.
    pub count: usize,
}

/// How evenly the grains of a radius \[m\] are spread that pass `counted`.
pub fn evenness(grains: &[Grain], radius: f32, counted: impl Fn(Vec3) -> bool + Sync) -> Evenness {
    let by_cell = GrainsByCell::new(grains, REACH * radius);
    let reach = (REACH * radius).powi(2);
    let found: Vec<(f64, f32)> = by_cell
        .grain
        .par_iter()
        .filter(|grain| counted(grain.position.into()))
        .map(|grain| {
            let x = Vec3::from(grain.position);
            let (mut count, mut nearest) = (0u32, f32::INFINITY);
            by_cell.around(x, |others| {
                for other in others {
                    let squared = x.distance_squared(other.position.into());
                    if squared < reach && other.id != grain.id {
                        count += 1;
                        nearest = nearest.min(squared);
                    }
                }
            });
            (f64::from(count), nearest.sqrt() / radius)
        })
        .collect();
    let n = found.len().max(1) as f64;
    let mean = found.iter().map(|(count, _)| count).sum::<f64>() / n;
    let variance = found.iter().map(|(count, _)| (count - mean).powi(2)).sum::<f64>() / n;
    let mut nearest: Vec<f32> = found.iter().map(|(_, nearest)| *nearest).collect();
    nearest.sort_by(f32::total_cmp);
    let nearest = nearest.get(nearest.len() / 100).copied().unwrap_or(f32::NAN);
    Evenness { variance, mean, nearest: nearest.into(), count: found.len() }
}

/// Evenness of grains as they are at first, without any surface.
pub fn blue_noise(radius: f32) -> Evenness {
    let tile = Tile::new(radius, 1);
    let side = 30.0 * radius;
    let cube = crate::boundary::Shape::Box { min: [0.0; 3], max: [2.0 * side; 3], hollow: false };
    let Ok(cube) = crate::boundary::Sdf::new(&cube) else { return Evenness::default() };
    let grain = |(x, id): (Vec3, u32)| Grain { position: x.into(), id, ..Grain::default() };
    let grains: Vec<Grain> = tile.fill(&cube, |_| true).into_iter().zip(0..).map(grain).collect();
    evenness(&grains, radius, |x| cube.distance(x) < -5.0 * radius)
}

/// Evenness of the grains that are deep inside their guides and off walls.
pub fn evenness_inside(grains: &[Grain], radius: f32, guides: &GuideGrid, walls: &Boundaries) -> Evenness {
    evenness(grains, radius, |x| {
        let deep = |x: Vec3| coverage(weight_sum(guides, x), 0.0) > DEEP;
        walls.distance(x) > (REACH + 1.0) * radius && deep(x)
    })
}

/// Sum of the guides' weights at a point.
pub fn weight_sum(guides: &GuideGrid, x: Vec3) -> f32 {
    let inverse = 1.0 / (guides.support * guides.support);
    guides.around(x).map(|guide| weight(x.distance_squared(guide.position.into()) * inverse)).sum()
}

/// Root of the mean squared way between two times \[m\] of the grains that guides hold; grains that are not there at both
/// do not count.
pub fn drift_inside(before: &[Grain], after: &[Grain], guides: &GuideGrid) -> f64 {
    let held = |grain: &&Grain| coverage(weight_sum(guides, grain.position.into()), 0.0) > COVERAGE_RAMP[1];
    let held: Vec<Grain> = after.par_iter().filter(held).copied().collect();
    drift(before, &held)
}

fn drift(before: &[Grain], after: &[Grain]) -> f64 {
    let place: HashMap<u32, Vec3> = before.iter().map(|grain| (grain.id, grain.position.into())).collect();
    let ways = after.iter().filter_map(|grain| {
        place.get(&grain.id).map(|from| f64::from(from.distance_squared(grain.position.into())))
    });
    let (sum, count) = ways.fold((0.0, 0), |(sum, count), way| (sum + way, count + 1));
    (sum / f64::from(count.max(1))).sqrt()
}

/// Watches grains from frame to frame: which hang on walls, and how those fly that are alone.
pub struct Watch {
    /// Length of a frame \[s\].
    dt: f32,
    /// Radius of a grain \[m\].
    radius: f32,
    /// Gravity [m/s2].
    gravity: Vec3,
    /// Friction of walls without an own one.
    friction: f32,
    /// Since when a grain hangs \[s\].
    hanging: HashMap<u32, f64>,
    flight: HashMap<u32, Flight>,
    /// Grains that have stuck to a wall.
    pub stuck: usize,
    /// Largest distance of a flying grain from its parabola, relative to its way.
    pub off_arc: f64,
    /// Flights that were compared.
    pub flights: usize,
}

/// Where a flight began.
struct Flight {
    time: f64,
    place: Vec3,
    velocity: Vec3,
    frames: u32,
}

impl Watch {
    /// Watches grains of a radius \[m\] in frames of a length \[s\] under gravity [m/s2]; `friction` is that of walls without
    /// an own one.
    pub fn new(dt: f32, radius: f32, gravity: Vec3, friction: f32) -> Self {
        let (hanging, flight) = (HashMap::new(), HashMap::new());
        Self { dt, radius, gravity, friction, hanging, flight, stuck: 0, off_arc: 0.0, flights: 0 }
    }

    /// Looks at the grains of a frame, at a time \[s\], with guides and walls where they are.
    pub fn frame(&mut self, time: f64, grains: &[Grain], guides: &GuideGrid, walls: &Boundaries) {
        let alone = |grain: &&Grain| weight_sum(guides, grain.position.into()) == 0.0;
        let alone: Vec<Grain> = grains.par_iter().filter(alone).copied().collect();
        let (mut hanging, mut flight) = (HashMap::new(), HashMap::new());
        for grain in &alone {
            let distance = walls.distance(grain.position.into());
            // What comes near a wall within the next frame does not fly.
            let reach = 2.0 * self.radius + Vec3::from(grain.velocity).length() * 1.5 * self.dt;
            if distance < 2.0 * self.radius {
                if self.hangs(grain, walls) {
                    let since = self.hanging.get(&grain.id).copied().unwrap_or(time);
                    if time - since > STICKING_TIME && since.is_finite() {
                        self.stuck += 1;
                        hanging.insert(grain.id, f64::INFINITY);
                    } else {
                        hanging.insert(grain.id, since);
                    }
                }
            } else if distance > reach {
                let known = self.flight.remove(&grain.id);
                flight.insert(grain.id, self.fly(known, time, grain));
            }
        }
        (self.hanging, self.flight) = (hanging, flight);
    }

    fn fly(&mut self, known: Option<Flight>, time: f64, grain: &Grain) -> Flight {
        let gravity = self.gravity;
        let (place, velocity) = (Vec3::from(grain.position), Vec3::from(grain.velocity));
        let Some(flight) = known else { return Flight { time, place, velocity, frames: 0 } };
        let t = (time - flight.time) as f32;
        let expected = flight.place + flight.velocity * t + 0.5 * t * t * gravity;
        if flight.frames + 1 >= FLIGHT_FRAMES {
            let way = place.distance(flight.place).max(0.5 * t * t * gravity.length());
            self.off_arc = self.off_arc.max(f64::from(expected.distance(place) / way));
            self.flights += usize::from(flight.frames + 1 == FLIGHT_FRAMES);
        }
        Flight { frames: flight.frames + 1, ..flight }
    }

    /// Whether a lone grain stays at a wall that is too steep to hold it.
    fn hangs(&self, grain: &Grain, walls: &Boundaries) -> bool {
        let (x, v) = (Vec3::from(grain.position), Vec3::from(grain.velocity));
        let free_fall = self.gravity.length() * STICKING_TIME as f32;
        let mut held = false;
        let mut still = false;
        for wall in walls.iter().filter(|wall| wall.distance(x) < 2.0 * self.radius) {
            let pose = wall.pose();
            let normal = pose.rotation * wall.sdf().nearest(pose.body_from_world(x)).normal;
            let up = -normal.dot(self.gravity.normalize_or_zero());
            held |=
                up > 0.0 && (1.0 - up * up).max(0.0).sqrt() < wall.friction().unwrap_or(self.friction) * up;
            still |= (v - wall.velocity_at(x)).length() < STICKING_SPEED * free_fall;
        }
        still && !held
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::{Sdf, Shape};
    use crate::upsample::Guide;

    fn grains_in(shape: &Shape, radius: f32) -> Vec<Grain> {
        let points = Tile::new(radius, 5).fill(&Sdf::new(shape).unwrap(), |_| true);
        let grain = |(x, id): (Vec3, u32)| Grain { position: x.into(), id, ..Grain::default() };
        points.into_iter().zip(0..).map(grain).collect()
    }

    /// Guides of a radius 0.05 in a ball of a radius 1: on a lattice stretched by a factor, each off its place by a share
    /// of their distance at most.
    fn guides_in_ball(stretch: f32, off: f32) -> GuideGrid {
        let mut random = crate::random::Random::new(4);
        let mut guides = Vec::new();
        for k in 0..29 * 29 * 29 {
            let x =
                0.1 * stretch * (Vec3::new((k % 29) as f32, (k / 29 % 29) as f32, (k / 841) as f32) - 14.0);
            let push = Vec3::new(random.unit(), random.unit(), random.unit()) - 0.5;
            if x.length() < 1.0 {
                let position = (x + 0.2 * stretch * off * push).into();
                guides.push(Guide { position, ..Guide::default() });
            }
        }
        GuideGrid::new(guides, 0.05, &Default::default())
    }

    const BALL: f64 = 4.0 / 3.0 * std::f64::consts::PI;

    #[test]
    fn closed_volumes_are_those_of_the_filled_shape() {
        let shape = Shape::Sphere { center: [0.0; 3], radius: 1.0, hollow: false };
        let fine = closed_volume(&positions(&grains_in(&shape, 0.02)), 0.014, 0.04, 0.02);
        // Not all of the outermost grains touch the shape.
        assert!((fine / BALL - 0.93).abs() < 0.02, "{}", fine / BALL);
    }

    #[test]
    fn a_mass_of_guides_has_its_volume_on_a_lattice_and_loosened_at_random() {
        for (stretch, off) in [(1.0, 0.0), (1.0, 0.3), (1.01, 0.0), (1.01, 0.3)] {
            let volume = guided_volume(&guides_in_ball(stretch, off), &Boundaries::default());
            assert!((volume / BALL - 1.0).abs() < 0.05, "{stretch} {off}: {}", volume / BALL);
        }
        let half = Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] };
        let walls = Boundaries::new([("half", half, None, None)]).unwrap();
        let volume = guided_volume(&guides_in_ball(1.0, 0.3), &walls);
        assert!((volume / BALL - 0.5).abs() < 0.015, "{}", volume / BALL);
    }

    #[test]
    fn grains_that_shrink_by_a_hundredth_or_leave_a_hole_show() {
        let shape = Shape::Sphere { center: [0.0; 3], radius: 1.0, hollow: false };
        let (mut grains, guides) = (grains_in(&shape, 0.02), guides_in_ball(1.0, 0.3));
        let ratio = |grains: &[Grain]| volume_ratio(grains, 0.02, &guides, &Boundaries::default());
        let first = ratio(&grains);
        assert!((first - 0.97).abs() < 0.03, "{first}");
        let holed: Vec<Grain> =
            grains.iter().filter(|grain| Vec3::from(grain.position).length() > 0.35).copied().collect();
        assert!(ratio(&holed) < 0.98 * first, "{} {first}", ratio(&holed));
        grains.iter_mut().for_each(|grain| grain.position = grain.position.map(|x| 0.99 * x));
        assert!(ratio(&grains) < 0.98 * first, "{} {first}", ratio(&grains));
    }

    #[test]
    fn grains_at_random_without_regard_for_each_other_are_clumped() {
        let reference = blue_noise(0.02);
        let mut random = crate::random::Random::new(2);
        let mut point = || Vec3::new(random.unit(), random.unit(), random.unit()).to_array();
        let count = Tile::new(0.02, 1).density() as u32;
        let grains: Vec<Grain> =
            (0..count).map(|id| Grain { position: point(), id, ..Grain::default() }).collect();
        let inside = |x: Vec3| (x - 0.5).abs().max_element() < 0.4;
        let clumped = evenness(&grains, 0.02, inside);
        assert!(clumped.variance > 2.0 * reference.variance, "{clumped:?} {reference:?}");
        assert!(reference.nearest > 1.99 && clumped.nearest < 1.0);
    }

    #[test]
    fn drift_is_the_root_of_the_mean_square() {
        let grain = |id, x| Grain { position: [x, 0.0, 0.0], id, ..Grain::default() };
        let drift = drift(&[grain(0, 0.0), grain(1, 5.0), grain(3, 0.0)], &[grain(0, 1.0), grain(1, 5.0)]);
        assert!((drift - 0.5f64.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn a_grain_on_a_floor_rests_and_one_on_a_vertical_wall_sticks() {
        let normal = |n: [f32; 3]| Shape::Plane { point: [0.0; 3], normal: n };
        let walls = |n| Boundaries::new([("w", normal(n), Some(0.5), None)]).unwrap();
        let grain = Grain { position: [0.0; 3], ..Grain::default() };
        let mut count = [0, 0];
        for (k, n) in [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]].into_iter().enumerate() {
            let mut watch = Watch::new(0.02, 0.01, Vec3::NEG_Y * 9.81, 0.5);
            let guides = GuideGrid::new(Vec::new(), 0.03, &Default::default());
            for frame in 0..20 {
                let time = f64::from(frame) * 0.02;
                watch.frame(time, &[grain], &guides, &walls(n));
            }
            count[k] = watch.stuck;
        }
        assert_eq!(count, [0, 1]);
    }
}
