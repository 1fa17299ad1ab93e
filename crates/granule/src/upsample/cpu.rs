//! Grains on CPU cores.

use std::sync::Arc;

use glam::Vec3;
use rayon::prelude::*;

use super::advection::{Advection, Scratch};
use super::cells::{FineCells, FineSort, Push, spread, tune};
use super::contact::{Motion, Wall};
use super::grain::Grain;
use super::mover::{Fault, FrameInput, GrainMover, MoverReport, MoverSettings};
use crate::simd::{Instructions, LANES};

/// Frames between two sorts of the grains, with each of which they are pushed apart.
pub const SORT_PERIOD: u64 = 4;

/// Longest push between two sorts, in parts of a grain's own way since the last one: grains at rest are left alone.
pub const PUSH_PER_WAY: f32 = 0.5;

/// Longest push, in radii of a grain.
pub const MOST_PUSH: f32 = 0.75;

/// Rounds of pushes after a sort.
pub const PUSH_ROUNDS: u32 = 2;

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
        let walls: Vec<Wall> =
            frame.walls.iter().map(|wall| Wall { end: wall.start, ..wall.clone() }).collect();
        let time = frame.dt * tune(1, SORT_PERIOD as f32);
        let push = |grain: &Grain| {
            let way = Vec3::from(grain.velocity).length() * time;
            let motion = (way / (tune(7, 0.5) * settings.radius)).min(1.0);
            let between = |rest: f32, moving: f32| (rest + motion * (moving - rest)) * settings.radius;
            Push { distance: between(tune(3, 1.7), tune(4, 2.0)), most: between(tune(5, 0.2), tune(6, 0.75)) }
        };
        for _ in 0..tune(2, PUSH_ROUNDS as f32) as u32 {
            let pushes = spread(&self.sort, &self.grain, push);
            let pushed = self.grain.par_iter_mut().zip(pushes).with_min_len(1024);
            pushed.filter(|(_, push)| push.w > 0.0).for_each(|(grain, push)| {
                let from = Vec3::from(grain.position);
                let to = from + push.truncate();
                let mut motion = Motion { from, to, velocity: Vec3::ZERO, own: 0.0 };
                walls.iter().for_each(|wall| wall.restrict(&mut motion, settings.radius, frame.dt, 0.0));
                grain.position = motion.to.into();
            });
        }
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
        if frame.frame.is_multiple_of(tune(1, SORT_PERIOD as f32) as u64) {
            self.sort(frame);
            if self.settings.fault != Some(Fault::NoSpreading) {
                self.spread(frame);
            }
        }
        self.advect(frame);
        self.remove(frame)
    }
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
