//! How long the stages of a step take, in a settled bed of 30,720 particles and with a fixed number of sweeps.
//!
//! `cargo bench -p granule --bench stages`; `-- --quick` is shorter, `-- water/project` runs what contains these words.

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput};
use glam::{Vec3, Vec4};
use granule::neighbors::{CellIndex, Domain, LevelIndex, NeighborLists, OverlapQuery, Permutation};
use granule::random::Random;
use granule::simd::Instructions;
use granule::stages::Stage;
use granule::{Options, Scene, Simulation};

/// A bed that fills an open tank up to half its height, without its material's friction.
const BED: &str = r#"
name = "bed"

[simulation]
time_step = 0.002

[iisph]
min_iterations = 5
max_iterations = 5

[[material]]
name = "bed"
radius = 0.01
viscosity = 1e-4

[[grains]]
material = "bed"
shape.box = { min = [0, 0, 0], max = [0.64, 0.60, 0.64] }

[[boundary]]
name = "tank"
friction = 0
shape.box = { min = [0, 0, 0], max = [0.64, 1.20, 0.64], hollow = true }
"#;

/// Kernel support of the bed [m].
const SUPPORT: f32 = 0.04;

/// What the bed is made of, with its friction angle [degrees].
const MATERIALS: [(&str, u32); 2] = [("sand", 30), ("water", 0)];

/// The stages that take time.
const STAGES: [Stage; 7] = [
    Stage::Sort,
    Stage::Neighbors,
    Stage::SampleBoundaries,
    Stage::Density,
    Stage::PredictVelocity,
    Stage::Accelerate,
    Stage::Project,
];

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(10)
        .configure_from_args();
    for (material, friction_angle) in MATERIALS {
        stages(&mut group(&mut criterion, material), friction_angle);
        instructions(&mut group(&mut criterion, &format!("{material}/step")), friction_angle);
    }
    search(&mut group(&mut criterion, "search"));
    radii(&mut group(&mut criterion, "radii"));
    criterion.final_summary();
}

/// A group whose samples all have the same number of steps.
fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat);
    group
}

/// Every stage that is a part of the step, with the best instructions, by the timers of the step.
fn stages(group: &mut BenchmarkGroup<WallTime>, friction_angle: u32) {
    let mut bed = settled(friction_angle, Instructions::best());
    let times = bed.step().stages;
    for stage in STAGES.into_iter().filter(|stage| times.get(*stage) > 0.0) {
        group.bench_function(stage.name(), |bencher| {
            bencher.iter_custom(|steps| {
                let seconds: f64 = (0..steps).map(|_| bed.step().stages.get(stage)).sum();
                Duration::from_secs_f64(seconds)
            });
        });
    }
}

/// The whole step, with every set of instructions that the processor has.
fn instructions(group: &mut BenchmarkGroup<WallTime>, friction_angle: u32) {
    for set in available() {
        let mut bed = settled(friction_angle, set);
        group.bench_function(set.name(), |bencher| bencher.iter(|| bed.step()));
    }
}

/// The neighbour search alone: cells of particles that are in order, then lists with every set of instructions.
fn search(group: &mut BenchmarkGroup<WallTime>) {
    let mut sorted = Sorted::default();
    let mut position = positions(&mut settled(0, Instructions::best()));
    sorted.find_cells(&position);
    sorted.order.apply(&mut position, &mut Vec::new());
    group.bench_function("cells", |bencher| bencher.iter(|| sorted.find_cells(&position)));
    for set in available() {
        let mut lists = NeighborLists::<()>::default();
        group.bench_function(format!("lists/{}", set.name()), |bencher| {
            bencher.iter(|| lists.build(&sorted.cells, &Domain::default(), SUPPORT, &position, set));
        });
    }
}

/// Cells and the order of particles in them.
#[derive(Default)]
struct Sorted {
    cells: CellIndex,
    key: Vec<u64>,
    order: Permutation,
}

impl Sorted {
    fn find_cells(&mut self, position: &[Vec4]) {
        self.cells.assign(&Domain::default(), SUPPORT, position, &mut self.key);
        self.order.sort(&mut self.key, self.cells.key_bits());
        self.cells.index(&self.key);
    }
}

/// Packed beds of spheres: name, radii of the size classes [m], of which all have the same volume, the share of space that
/// they fill, and the side of the box [m].
const PACKINGS: [(&str, &[f32], f32, f32); 3] = [
    ("equal", &[1.0], 0.62, 72.0),
    ("1to2", &[2.0, 1.5, 1.0], 0.68, 100.0),
    ("1to10", &[10.0, 4.64, 2.15, 1.0], 0.76, 115.0),
];

/// How much farther than their radii pairs are listed in packings, in units of the smallest radius.
const SKIN: f32 = 0.2;

/// Order and lists of spheres with radii of their own, per pair (`elem` in the output).
fn radii(group: &mut BenchmarkGroup<WallTime>) {
    for (name, classes, fill, side) in PACKINGS {
        let mut bed = BySize { position: packed(classes, fill, side), ..BySize::default() };
        bed.find_pairs(SKIN);
        group.throughput(Throughput::Elements(bed.lists.total() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| bed.find_pairs(SKIN)));
    }
}

/// Spheres with their order and lists.
#[derive(Default)]
struct BySize {
    position: Vec<Vec4>,
    levels: LevelIndex,
    key: Vec<u64>,
    order: Permutation,
    lists: NeighborLists,
}

impl BySize {
    fn find_pairs(&mut self, skin: f32) {
        let domain = Domain::default();
        self.levels.sort(&domain, skin, &self.position, &mut self.key, &mut self.order);
        self.order.apply(&mut self.position, &mut Vec::new());
        let (search, blocks) =
            self.lists.begin_by_radii(&self.levels, &domain, &self.position, Instructions::best());
        blocks.iter_mut().enumerate().for_each(|(b, block)| search.build(b, block));
    }

    /// Pushes spheres out of each other, the lighter ones farther, and keeps them inside the box.
    fn push_apart(&mut self, side: f32) {
        self.find_pairs(0.0);
        let position = &self.position;
        let push = |i: usize, j: usize| {
            let (a, b) = (position[i], position[j]);
            let d = (a - b).truncate();
            let share = b.w.powi(3) / (a.w.powi(3) + b.w.powi(3));
            0.6 * share * (a.w + b.w - d.length()).max(0.0) * d.normalize_or_zero()
        };
        let pushed = |i: usize| {
            let sum: Vec3 = self.lists.of(i).map(|j| push(i, j)).sum();
            (position[i].truncate() + sum).clamp(Vec3::ZERO, Vec3::splat(side)).extend(position[i].w)
        };
        self.position = (0..position.len()).map(pushed).collect();
    }
}

/// Spheres thrown into a box, the largest first, and pushed apart until they have about five contacts each.
fn packed(classes: &[f32], fill: f32, side: f32) -> Vec<Vec4> {
    let mut random = Random::new(1);
    let mut bed = BySize::default();
    for &radius in classes {
        let volume = 4.0 / 3.0 * std::f32::consts::PI * radius.powi(3);
        let count = (fill * side.powi(3) / (classes.len() as f32 * volume)) as usize;
        let corners = [Vec3::ZERO, Vec3::splat(side)];
        let mut query = OverlapQuery::new(&Domain::default(), 0.7, &corners, radius, &bed.position);
        for _ in 0..count {
            let free = (0..400).find_map(|_| {
                let place = side * Vec3::new(random.unit(), random.unit(), random.unit());
                query.is_free(place, radius).then_some(place)
            });
            if let Some(place) = free {
                query.insert(place, radius);
                bed.position.push(place.extend(radius));
            }
        }
    }
    for _ in 0..60 {
        bed.push_apart(side);
    }
    bed.position
}

/// The sets of instructions that the processor has.
fn available() -> impl Iterator<Item = Instructions> {
    Instructions::ALL.into_iter().filter(|set| set.available())
}

/// A bed that has come to rest.
fn settled(friction_angle: u32, instructions: Instructions) -> Simulation {
    let friction = ("material.bed.friction_angle".to_string(), friction_angle.to_string());
    let scene = Scene::resolve(BED, "bed", false, &[friction]).expect("the scene is sound");
    let options = Options { instructions: Some(instructions), ..Options::default() };
    let mut bed = Simulation::new(scene, &options).expect("the bed fits into memory");
    assert_eq!(bed.particle_count(), 30_720);
    bed.run_until(0.1);
    bed
}

/// The places of all particles.
fn positions(bed: &mut Simulation) -> Vec<Vec4> {
    let snapshot = bed.read(&["position"]).expect("every solver has positions");
    let position = snapshot.vec3("position").unwrap_or_default();
    position.iter().map(|&x| glam::Vec3::from(x).extend(0.0)).collect()
}
