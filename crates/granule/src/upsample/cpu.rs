//! Grains on CPU cores.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use super::advection::{Advection, Scratch};
use super::cells::{FineCells, FineSort, Push, spread};
use super::contact::{Motion, Wall};
use super::crowding::Crowding;
use super::grain::Grain;
use super::mover::{Fault, FrameInput, GrainMover, MoverReport, MoverSettings};
use crate::simd::{Instructions, LANES};

/// Frames from one sort of the grains to the next; with each of them they are spread.
pub const SORT_PERIOD: u64 = 2;

/// Rounds of pushes after a sort; tuned, as what follows, on the scene `hourglass`.
const PUSH_ROUNDS: u32 = 3;

/// Way since the last sort from which on a grain is in full motion, in its radii.
const IN_MOTION: f32 = 0.5;

/// Distance that grains are pushed to, at rest and in motion, in radii; they begin at least 2 apart.
const DISTANCE: [f32; 2] = [1.85, 2.0];

/// Longest push of a round, at rest and in motion, in radii.
const MOST_PUSH: [f32; 2] = [0.3, 0.75];

/// Longest way out of a crowd after a sort, in radii of a guide.
const MOST_EVENING: f32 = 0.25;

/// Grains that a thread takes at once.
const CHUNK: usize = 2048;

/// Grains on CPU cores.
pub struct CpuGrains {
    settings: MoverSettings,
    instructions: Instructions,
    grain: Vec<Grain>,
    sort: FineSort,
    pool: Arc<rayon::ThreadPool>,
}

impl CpuGrains {
    /// No grains yet; `pool` moves them.
    pub fn new(settings: MoverSettings, instructions: Instructions, pool: rayon::ThreadPool) -> Self {
        Self { settings, instructions, grain: Vec::new(), sort: FineSort::default(), pool: Arc::new(pool) }
    }

    fn sort(&mut self, frame: &FrameInput) {
        let cells = FineCells::new(frame.guides, 2.0 * self.settings.radius, self.grain.len());
        self.sort.sort(cells, &mut self.grain);
    }

    /// Pushes grains apart that have come too near to each other, as far as they move anyway.
    fn spread(&mut self, frame: &FrameInput) {
        let settings = &self.settings;
        let time = frame.dt * SORT_PERIOD as f32;
        let crowding = self.crowding(frame);
        let motion = |grain: &Grain| {
            let way = Vec3::from(grain.velocity).length() * time;
            (way / (IN_MOTION * settings.radius)).min(1.0)
        };
        let push = |grain: &Grain| {
            if !crowding.guided(grain.position.into()) {
                return Push { distance: 0.0, most: 0.0 };
            }
            let motion = motion(grain);
            let between = |[rest, moving]: [f32; 2]| (rest + motion * (moving - rest)) * settings.radius;
            Push { distance: between(DISTANCE), most: between(MOST_PUSH) }
        };
        let even_out = |grain: &Grain| {
            let x = grain.position.into();
            let way = if crowding.guided(x) { crowding.way(x) * motion(grain) } else { Vec3::ZERO };
            way.clamp_length_max(MOST_EVENING * settings.guide_radius).extend(1.0)
        };
        let ways: Vec<Vec4> = self.grain.par_iter().with_min_len(1024).map(even_out).collect();
        let before: Vec<Vec3> = self.grain.iter().map(|grain| grain.position.into()).collect();
        push_along(&mut self.grain, &ways);
        for _ in 0..PUSH_ROUNDS {
            let ways = spread(&self.sort, &self.grain, push);
            push_along(&mut self.grain, &ways);
        }
        keep_out(&mut self.grain, &before, frame, settings.radius);
    }

    fn crowding(&self, frame: &FrameInput) -> Crowding {
        let settings = &self.settings;
        Crowding::new(
            &self.grain,
            frame.guides,
            &settings.domain,
            settings.guide_radius,
            settings.per_guide(),
        )
    }

    fn advect(&mut self, frame: &FrameInput) {
        let deformation = frame.guides.deformations();
        let advection = Advection {
            settings: &self.settings,
            frame,
            deformation: &deformation,
            instructions: self.instructions,
        };
        self.grain.par_chunks_mut(CHUNK).for_each_init(Scratch::default, |scratch, chunk| {
            chunk.chunks_mut(LANES).for_each(|group| advection.group(group, scratch));
        });
    }

    fn remove(&mut self, frame: &FrameInput) -> MoverReport {
        let before = self.grain.len();
        self.grain.retain(Grain::is_finite);
        let lost = before - self.grain.len();
        if !frame.outlets.is_empty() {
            let taken = |grain: &Grain| {
                frame.outlets.iter().any(|outlet| outlet.distance(grain.position.into()) < 0.0)
            };
            self.grain.retain(|grain| !taken(grain));
        }
        MoverReport { drained: before - lost - self.grain.len(), lost }
    }

    fn step(&mut self, frame: &FrameInput) -> MoverReport {
        if frame.frame.is_multiple_of(SORT_PERIOD) {
            self.sort(frame);
            let moves = frame.guides.guide.iter().any(|guide| guide.moves > 0.0);
            if moves && self.settings.fault != Some(Fault::NoSpreading) {
                self.spread(frame);
            }
        }
        self.advect(frame);
        self.remove(frame)
    }
}

/// Moves grains along ways [m]; those whose way has a 0 as its fourth number stay.
fn push_along(grains: &mut [Grain], ways: &[Vec4]) {
    let pushed = grains.par_iter_mut().zip(ways).with_min_len(1024);
    pushed.filter(|(_, way)| way.w > 0.0).for_each(|(grain, way)| {
        grain.position = (Vec3::from(grain.position) + way.truncate()).into();
    });
}

/// Lets grains come no farther from where they were `before` [m] than walls allow, as these stand at the frame's start.
fn keep_out(grains: &mut [Grain], before: &[Vec3], frame: &FrameInput, radius: f32) {
    let walls: Vec<Wall> = frame.walls.iter().map(|wall| Wall { end: wall.start, ..wall.clone() }).collect();
    let groups = grains.par_chunks_mut(LANES).zip(before.par_chunks(LANES)).with_min_len(64);
    groups.for_each(|(grains, before)| {
        let places = before.iter().copied().chain(grains.iter().map(|grain| grain.position.into()));
        let (low, high) = places
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), x: Vec3| (low.min(x), high.max(x)));
        let (center, half) = (0.5 * (low + high), 0.5 * (high - low).length());
        for wall in walls.iter().filter(|wall| !wall.is_far(center, half, 2.0 * radius)) {
            for (grain, from) in grains.iter_mut().zip(before) {
                let to = grain.position.into();
                let mut motion = Motion { from: *from, to, velocity: Vec3::ZERO, own: 0.0 };
                wall.restrict(&mut motion, radius, frame.dt, 0.0);
                grain.position = motion.to.into();
            }
        }
    });
}

impl GrainMover for CpuGrains {
    fn device(&self) -> String {
        format!("CPU, {} threads, {}", self.pool.current_num_threads(), self.instructions.name())
    }

    fn add(&mut self, grains: &[Grain]) -> Result<(), String> {
        self.grain.extend_from_slice(grains);
        Ok(())
    }

    fn advance(&mut self, frame: &FrameInput) -> Result<MoverReport, String> {
        let pool = Arc::clone(&self.pool);
        Ok(pool.install(|| self.step(frame)))
    }

    fn read(&self) -> Result<Vec<Grain>, String> {
        Ok(self.grain.clone())
    }

    fn count(&self) -> usize {
        self.grain.len()
    }

    fn bytes_per_grain(&self) -> f64 {
        let bytes = size_of::<Grain>() * self.grain.capacity() + self.sort.bytes();
        bytes as f64 / self.grain.len().max(1) as f64
    }
}
