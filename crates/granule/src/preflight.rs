//! What is refused before a simulation starts: more grains than memory holds, grains in walls, grains in grains.

use glam::{Vec3, Vec4};

use crate::assemblies::NO_ASSEMBLY;
use crate::boundary::{Boundaries, Sdf};
use crate::geometry::sample::{Ball, SphereLevels};
use crate::grains::size_distribution;
use crate::neighbors::{CellIndex, Domain, NeighborLists, Permutation};
use crate::particles::NewParticle;
use crate::random::Random;
use crate::scene::{RadiusSettings, Scene, UpsampleSettings};
use crate::simd::Instructions;
use crate::upsample::{FineRadii, VOLUME_PER_GRAIN};

/// Bytes that a particle takes: columns, lists of 32 neighbours with their gradients, and room for growth.
const BYTES_PER_PARTICLE: f64 = 800.0;

/// Bytes that a fine grain takes on CPUs: its state, scratch of the sort, and cells.
const BYTES_PER_FINE_GRAIN: f64 = 250.0;

/// Smallest distance of two grains at the start, in spacings; a jittered lattice keeps 0.8.
const LEAST_DISTANCE: f32 = 0.79;

/// Smallest distance of a grain's centre from a wall at the start, in radii; a jittered lattice keeps 0.8.
const LEAST_WALL_DISTANCE: f32 = 0.7;

/// Farthest place of a grain from the origin at its start, in diameters: there, single precision tells places apart
/// that are a thirtieth of a diameter away from each other.
const FARTHEST: f32 = 5e5;

/// Random points that estimate how much of its bounds a shape fills.
const VOLUME_SAMPLES: u32 = 4096;

/// A scene that cannot start: which entry of `[[grains]]`, and why.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("{reason}")]
pub struct Refusal {
    /// Index of the entry of `[[grains]]`.
    pub entry: usize,
    /// Why it cannot start and what to do.
    pub reason: String,
}

/// Bytes of memory that are free on this machine, where it tells.
pub fn available_memory() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(1024.0 * kilobytes)
}

/// Refuses a scene whose grains would not fit into `available` bytes, before anything is allocated. `spheres_of` says of how
/// many spheres the grains of an entry are.
///
/// # Errors
/// Says how many grains were asked for and how many fit.
pub fn check_memory(
    scene: &Scene,
    shapes: &[Sdf],
    spheres_of: impl Fn(usize) -> usize,
    available: Option<f64>,
) -> Result<(), Refusal> {
    let Some(available) = available else { return Ok(()) };
    let fits = available / BYTES_PER_PARTICLE;
    let mut total = 0.0;
    for (entry, shape) in shapes.iter().enumerate() {
        let grains = scene.grains.get(entry).map(|grains| (&grains.material, grains.radius.as_ref()));
        let cube = grains.map_or(f64::INFINITY, |(material, own)| mean_cube(&scene.radius_of(material, own)));
        total += volume(shape) / cube * spheres_of(entry) as f64;
        if total > fits {
            let need = total * BYTES_PER_PARTICLE / 1e9;
            let reason = format!(
                "about {total:.3e} grains need {need:.1} GB; {:.1} GB are free here, room for about {fits:.2e} \
                 grains. Take a larger radius or a smaller shape",
                available / 1e9
            );
            return Err(Refusal { entry, reason });
        }
    }
    Ok(())
}

/// Number of fine grains that a scene will have at most: those that fill its shapes and those of all emitters.
pub fn fine_grain_count(scene: &Scene, shapes: &[Sdf]) -> f64 {
    let Some(settings) = &scene.upsample else { return 0.0 };
    let spread = settings.spread(FineRadii::new(&settings.radius).mean());
    let guide = (2.0 * f64::from(scene.reference_radius())).powi(3);
    let emitted = scene.emitter.iter().map(|emitter| {
        let window = emitter.time.map_or(scene.simulation.seconds, |[from, to]| {
            (to.min(scene.simulation.seconds) - from.max(0.0)).max(0.0)
        });
        (emitter.rate * window).min(emitter.limit.map_or(f64::INFINITY, |limit| limit as f64)) * guide
    });
    let filled: f64 = shapes.iter().map(volume).sum();
    (filled + emitted.sum::<f64>()) / (VOLUME_PER_GRAIN * f64::from(spread).powi(3))
}

/// More fine grains than fit into memory.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "about {count:.3e} fine grains need {:.1} GB; there is room for about {fits:.2e}. Take a radius of {larger:.2e} m or more",
    count * BYTES_PER_FINE_GRAIN / 1e9
)]
pub struct FineMemoryError {
    /// Grains that the scene asks for, about.
    pub count: f64,
    /// Grains that there is room for.
    pub fits: f64,
    /// A radius with which they fit \[m\].
    pub larger: f64,
}

/// Refuses fine grains that would not fit into `available` bytes, or cannot be numbered, before they are made.
///
/// # Errors
/// Says how many grains were asked for and how many fit.
pub fn check_fine_memory(
    scene: &Scene,
    shapes: &[Sdf],
    available: Option<f64>,
) -> Result<(), FineMemoryError> {
    let count = fine_grain_count(scene, shapes);
    let fits = available.map_or(f64::INFINITY, |bytes| bytes / BYTES_PER_FINE_GRAIN).min(f64::from(u32::MAX));
    if count <= fits {
        return Ok(());
    }
    let mean = |settings: &UpsampleSettings| f64::from(FineRadii::new(&settings.radius).mean());
    let radius = scene.upsample.as_ref().map_or(0.0, mean);
    let larger = radius * (count / fits).cbrt() * 1.01;
    Err(FineMemoryError { count, fits, larger })
}

/// Mean volume of the cubes of a diameter around grains \[m3\].
fn mean_cube(radius: &RadiusSettings) -> f64 {
    let one = f64::from(2.0 * radius.limits().0).powi(3);
    let sizes = size_distribution(radius).ok().flatten();
    sizes.map_or(one, |sizes| 8.0 * sizes.mean_cube())
}

/// Volume of a bounded shape \[m3\], estimated; 0 for one without bounds, which cannot be filled anyway.
fn volume(shape: &Sdf) -> f64 {
    let Some((min, max)) = shape.bounds() else { return 0.0 };
    let size = (max - min).max(Vec3::ZERO);
    let mut random = Random::new(1);
    let mut point = || min + size * Vec3::new(random.unit(), random.unit(), random.unit());
    let inside = (0..VOLUME_SAMPLES).filter(|_| shape.distance(point()) < 0.0).count();
    size.x as f64 * size.y as f64 * size.z as f64 * inside.max(1) as f64 / VOLUME_SAMPLES as f64
}

/// Distance from the origin beyond which grains of this radius \[m\] cannot start \[m\].
pub fn farthest_start(radius: f32) -> f32 {
    FARTHEST * 2.0 * radius
}

/// Refuses grains that are too far out, or overlap walls or each other. `entry_of` tells which entry of `[[grains]]` a grain is
/// from, `clump_of` which rigid grain each belongs to (or [`NO_ASSEMBLY`]), where there are some: spheres of one may overlap.
///
/// # Errors
/// Names the entries, how many grains are concerned and how deep the worst lies.
pub fn check_overlaps(
    grains: &[NewParticle],
    clump_of: &[u32],
    entry_of: impl Fn(usize) -> usize,
    boundaries: &Boundaries,
    domain: &Domain,
) -> Result<(), Refusal> {
    check_distances(grains, &entry_of)?;
    check_walls(grains, &entry_of, boundaries)?;
    let Some(radius) = grains.first().map(|grain| grain.radius) else { return Ok(()) };
    if !clump_of.is_empty() || grains.iter().any(|grain| grain.radius != radius || grain.fixed) {
        return check_sizes(grains, clump_of, &entry_of, domain);
    }
    let reach = LEAST_DISTANCE * 2.0 * radius;
    let mut position: Vec<Vec4> = grains.iter().map(|g| domain.wrap(g.position).extend(0.0)).collect();
    let (mut cells, mut key, mut order) = (CellIndex::default(), Vec::new(), Permutation::default());
    cells.assign(domain, 2.0 * radius, &position, &mut key);
    order.sort(&mut key, cells.key_bits());
    order.apply(&mut position, &mut Vec::new());
    cells.index(&key);
    let mut lists = NeighborLists::<()>::default();
    lists.build(&cells, domain, reach, &position, Instructions::best());
    let (mut count, mut first) = (0, None);
    for i in 0..position.len() {
        if let Some(j) = lists.of(i).next() {
            count += 1;
            first.get_or_insert((i, j));
        }
    }
    let Some((i, j)) = first else { return Ok(()) };
    let [a, b] = [i, j].map(|k| entry_of(order.sources()[k] as usize));
    let x = position[i];
    let distance = domain.displacement(x.truncate(), position[j].truncate()).length() / (2.0 * radius);
    let reason = format!(
        "{count} grains overlap, the first at ({:.3}, {:.3}, {:.3}) m, {distance:.2} diameters apart (grains.{a} and \
         grains.{b}). Move the shapes apart",
        x.x, x.y, x.z
    );
    Err(Refusal { entry: a.max(b), reason })
}

/// Refuses grains of different sizes that overlap each other; those that are both held in place may.
fn check_sizes(
    grains: &[NewParticle],
    clump_of: &[u32],
    entry_of: &impl Fn(usize) -> usize,
    domain: &Domain,
) -> Result<(), Refusal> {
    let (mut count, mut first) = (0, None);
    for_each_overlap(grains, grains, domain, |i, j, distance| {
        let one_grain = clump_of.get(i).is_some_and(|&k| k != NO_ASSEMBLY && clump_of.get(j) == Some(&k));
        if i < j && !one_grain && !(grains[i].fixed && grains[j].fixed) {
            count += 1;
            first = first.or(Some((i, j, distance)));
        }
    });
    let Some((i, j, distance)) = first else { return Ok(()) };
    let (a, b, x) = (entry_of(i), entry_of(j), grains[i].position);
    let reason = format!(
        "{count} pairs of grains overlap, the first at ({:.3}, {:.3}, {:.3}) m, {distance:.2} of the sum of their radii \
         apart (grains.{a} and grains.{b}). Move the shapes apart",
        x.x, x.y, x.z
    );
    Err(Refusal { entry: a.max(b), reason })
}

/// Refuses grains that overlap the spheres of rough walls. `entry_of` tells which entry of `[[grains]]` a grain is from.
///
/// # Errors
/// Names the entry, how many grains are concerned and where the first lies.
pub fn check_rough(
    grains: &[NewParticle],
    entry_of: impl Fn(usize) -> usize,
    rough: &[NewParticle],
    domain: &Domain,
) -> Result<(), Refusal> {
    let mut inside = Vec::new();
    for_each_overlap(grains, rough, domain, |i, _, _| {
        if !grains[i].fixed && inside.last() != Some(&i) {
            inside.push(i);
        }
    });
    let Some(&i) = inside.first() else { return Ok(()) };
    let (entry, x) = (entry_of(i), grains[i].position);
    let reason = format!(
        "{} grains overlap the spheres of a rough wall, the first of grains.{entry} at ({:.3}, {:.3}, {:.3}) m. Move the \
         shape a diameter away from the wall",
        inside.len(),
        x.x,
        x.y,
        x.z
    );
    Err(Refusal { entry, reason })
}

/// Finds the grains that are nearer to some of the others than they may be at the start, in the order of the grains, with
/// the distance in sums of radii.
fn for_each_overlap(
    grains: &[NewParticle],
    others: &[NewParticle],
    domain: &Domain,
    mut found: impl FnMut(usize, usize, f32),
) {
    let ball = |grain: &NewParticle| Ball { center: domain.wrap(grain.position), radius: grain.radius };
    let levels = SphereLevels::of(&others.iter().map(ball).collect::<Vec<_>>());
    // Images beyond the ends of periodic axes.
    let turns = |axis: usize| if domain.period(axis).is_some() { -1..=1 } else { 0..=0 };
    let mut shifts = Vec::new();
    for (x, y, z) in turns(0).flat_map(|x| turns(1).flat_map(move |y| turns(2).map(move |z| (x, y, z)))) {
        let length = |axis: usize| domain.period(axis).map_or(0.0, |(_, length)| length);
        shifts.push(Vec3::new(x as f32 * length(0), y as f32 * length(1), z as f32 * length(2)));
    }
    for (i, grain) in grains.iter().enumerate() {
        for shift in &shifts {
            let own = ball(grain);
            let image = Ball { center: own.center + *shift, ..own };
            levels.near(&image, 0.0, |j, other| {
                let distance = image.center.distance(other.center) / (image.radius + other.radius);
                if distance < LEAST_DISTANCE {
                    found(i, j as usize, distance);
                }
                true
            });
        }
    }
}

fn check_distances(grains: &[NewParticle], entry_of: &impl Fn(usize) -> usize) -> Result<(), Refusal> {
    let too_far = |grain: &NewParticle| {
        let inside = grain.position.abs().max_element() <= farthest_start(grain.radius);
        !inside
    };
    let Some(i) = grains.iter().position(too_far) else { return Ok(()) };
    let reason = format!(
        "a grain lies at {} m, farther from the origin than {} m, where single precision is too coarse for it. Move \
         the shape nearer to the origin",
        grains[i].position,
        farthest_start(grains[i].radius)
    );
    Err(Refusal { entry: entry_of(i), reason })
}

fn check_walls(
    grains: &[NewParticle],
    entry_of: &impl Fn(usize) -> usize,
    boundaries: &Boundaries,
) -> Result<(), Refusal> {
    for boundary in boundaries.iter() {
        let distance = |grain: &NewParticle| boundary.distance(grain.position) / grain.radius;
        let free = grains.iter().enumerate().filter(|(_, grain)| !grain.fixed);
        let inside = free.map(|(i, grain)| (i, distance(grain)));
        let inside: Vec<(usize, f32)> = inside.filter(|(_, phi)| *phi < LEAST_WALL_DISTANCE).collect();
        let Some(&(i, phi)) = inside.iter().min_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        let entry = entry_of(i);
        let reason = format!(
            "{} grains lie in the wall `{}`, the deepest of grains.{entry} with its centre {phi:.2} radii off its \
             surface (1 touches). Move the shape away from the wall",
            inside.len(),
            boundary.name()
        );
        return Err(Refusal { entry, reason });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Shape;

    fn grain(x: f32, y: f32) -> NewParticle {
        let position = Vec3::new(x, y, 0.0);
        NewParticle { position, velocity: Vec3::ZERO, radius: 0.01, mass: 1.0, material: 0, fixed: false }
    }

    fn floor() -> Boundaries {
        let plane = Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] };
        Boundaries::new([("floor", plane, None, None)]).unwrap()
    }

    fn refuse(grains: &[NewParticle], boundaries: &Boundaries) -> Option<String> {
        check_overlaps(grains, &[], |i| i, boundaries, &Domain::default()).err().map(|refusal| refusal.reason)
    }

    #[test]
    fn grains_half_a_radius_into_each_other_are_refused_with_their_entries() {
        let reason = refuse(&[grain(0.0, 0.1), grain(0.5, 0.1), grain(0.015, 0.1)], &floor()).unwrap();
        assert!(reason.contains("2 grains overlap") && reason.contains("grains.0 and grains.2"), "{reason}");
        assert_eq!(refuse(&[grain(0.0, 0.1), grain(0.02, 0.1)], &floor()), None);
    }

    #[test]
    fn grains_of_different_sizes_that_overlap_are_refused_also_across_periods() {
        let large = NewParticle { radius: 0.05, ..grain(0.0, 0.1) };
        assert_eq!(refuse(&[large, grain(0.0595, 0.1)], &floor()), None);
        let reason = refuse(&[large, grain(0.5, 0.1), grain(0.04, 0.1)], &floor()).unwrap();
        assert!(reason.contains("1 pairs") && reason.contains("grains.0 and grains.2"), "{reason}");
        assert!(reason.contains("0.67 of the sum"), "{reason}");
        let domain = Domain::new([Some([0.0, 1.0]), None, None]);
        let across = check_overlaps(&[large, grain(0.96, 0.1)], &[], |i| i, &floor(), &domain);
        assert!(across.is_err(), "the image at -0.04 m");
        // Two that are held in place may overlap; one may not.
        let held = |x: f32| NewParticle { fixed: true, ..grain(x, 0.1) };
        assert_eq!(refuse(&[held(0.0), held(0.015)], &floor()), None);
        assert!(refuse(&[held(0.0), grain(0.015, 0.1)], &floor()).is_some());
    }

    #[test]
    fn spheres_of_one_grain_may_overlap_and_those_of_two_may_not() {
        let four = [grain(0.0, 0.1), grain(0.01, 0.1), grain(0.03, 0.1), grain(0.04, 0.1)];
        let check = |clump_of: &[u32]| check_overlaps(&four, clump_of, |i| i, &floor(), &Domain::default());
        assert_eq!(check(&[0, 0, 1, 1]), Ok(()));
        assert!(check(&[]).is_err(), "single grains");
        assert!(check(&[0, 0, NO_ASSEMBLY, NO_ASSEMBLY]).is_err());
        assert!(check(&[0, 1, 2, 2]).is_err());
    }

    #[test]
    fn grains_in_the_spheres_of_a_rough_wall_are_refused() {
        let rough = [NewParticle { fixed: true, ..grain(0.0, 0.0) }];
        let check = |y: f32| check_rough(&[grain(0.5, y), grain(0.0, y)], |i| i, &rough, &Domain::default());
        assert_eq!(check(0.02), Ok(()));
        let refusal = check(0.012).unwrap_err();
        assert!(refusal.entry == 1 && refusal.reason.contains("1 grains overlap"), "{refusal}");
    }

    #[test]
    fn grains_far_from_the_origin_are_refused() {
        let reason = refuse(&[grain(0.0, 0.1), grain(2e4, 0.1)], &floor()).unwrap();
        assert!(reason.contains("20000") && reason.contains("10000 m"), "{reason}");
        assert_eq!(refuse(&[grain(0.0, 0.1), grain(9e3, 0.1)], &floor()), None);
    }

    #[test]
    fn grains_in_a_wall_are_refused_with_its_name() {
        let reason = refuse(&[grain(0.0, 0.1), grain(0.1, 0.002)], &floor()).unwrap();
        assert!(reason.contains("`floor`") && reason.contains("grains.1"), "{reason}");
        assert_eq!(refuse(&[grain(0.0, 0.0081)], &floor()), None);
    }

    #[test]
    fn more_grains_than_memory_holds_are_refused_with_the_number_that_fits() {
        let mut scene = Scene::open("column", false, &[]).unwrap();
        scene.material[0].radius = 1e-5;
        let shapes = [Sdf::new(&scene.grains[0].shape).unwrap()];
        let refusal = check_memory(&scene, &shapes, |_| 1, Some(8e9)).unwrap_err();
        assert!(refusal.reason.contains("room for about 1.00e7"), "{}", refusal.reason);
        scene.material[0].radius = 0.01;
        assert_eq!(check_memory(&scene, &shapes, |_| 1, Some(8e9)), Ok(()));
        // A third of it as grains of four spheres, which need more than four times as much.
        assert_eq!(check_memory(&scene, &shapes, |_| 4, Some(8e9)), Ok(()));
        let spheres = check_memory(&scene, &shapes, |_| 1_000_000, Some(8e9));
        assert!(spheres.is_err(), "grains of many spheres");
    }

    #[test]
    fn more_fine_grains_than_memory_holds_are_refused_with_the_number_that_fits() {
        let mut scene = Scene::open("column", false, &[("upsample.radius".into(), "0.0005".into())]).unwrap();
        let shapes = [Sdf::new(&scene.grains[0].shape).unwrap()];
        let reason = check_fine_memory(&scene, &shapes, Some(2.5e8)).unwrap_err();
        assert!(reason.to_string().contains("room for about 1.00e6"), "{reason}");
        scene.upsample = None;
        assert_eq!(check_fine_memory(&scene, &shapes, Some(2.5e8)), Ok(()));
    }
}
