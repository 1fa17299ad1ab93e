//! Fine grains on CPU cores: the list of stages of a frame.

use std::sync::Arc;

use rayon::prelude::*;

use super::advection::{AdvectGrains, Advection};
use super::advector::{AdvectionReport, AdvectionSettings, Fault, FrameInput, GrainAdvector};
use super::clock::StageClock;
use super::contact::Wall;
use super::deformation::deformations;
use super::fine_grid::FineGrid;
use super::grain::Grain;
use super::node_counts::NodeCounts;
use super::nodes::Nodes;
use super::order::GrainOrder;
use super::shifting::NodeShifting;
use crate::boundary::{Parts, Sdf};
use crate::error::BackendError;
use crate::simd::Instructions;

/// Frames from one sort of the grains to the next: sorting more often made counting and advection faster by more than it
/// costs (docs/performance.md).
const SORT_PERIOD: u64 = 2;

/// How far walls are looked for around cells, in radii of a guide; grains that go farther look at all of them. A
/// choice for speed alone.
const WALL_REACH: f32 = 2.0;

/// Grains that a thread takes at once.
const CHUNK: usize = 2048;

/// Grains on CPU cores.
pub struct CpuGrains {
    settings: AdvectionSettings,
    instructions: Instructions,
    grain: Vec<Grain>,
    nodes: Nodes,
    node_counts: NodeCounts,
    shifting: NodeShifting,
    fine_grid: FineGrid,
    /// Parts of every wall that decide in every block.
    parts: Vec<Parts>,
    order: GrainOrder,
    pool: Arc<rayon::ThreadPool>,
    clock: StageClock,
}

impl CpuGrains {
    /// No grains yet; `pool` moves them.
    pub fn new(settings: AdvectionSettings, instructions: Instructions, pool: rayon::ThreadPool) -> Self {
        Self {
            settings,
            instructions,
            grain: Vec::new(),
            nodes: Nodes::default(),
            node_counts: NodeCounts::default(),
            shifting: NodeShifting::default(),
            fine_grid: FineGrid::default(),
            parts: Vec::new(),
            order: GrainOrder::default(),
            pool: Arc::new(pool),
            clock: StageClock::default(),
        }
    }

    /// Finds the parts of walls that decide about grains of every block.
    fn choose_parts(&mut self, nodes: &Nodes, frame: &FrameInput, reach: f32) {
        let walls = frame.walls;
        let radius = 0.5 * 3.0f32.sqrt() * nodes.side + reach;
        let choose = |k: usize| {
            let (block, wall) = (k / walls.len(), k % walls.len());
            let near = nodes.walls[block] >> wall.min(31) & 1 == 1;
            if near { walls[wall].parts_within(nodes.center[block].into(), radius) } else { Parts::ALL }
        };
        let all = (0..nodes.center.len() * walls.len()).into_par_iter();
        all.with_min_len(256).map(choose).collect_into_vec(&mut self.parts);
    }

    /// Moves all grains; tells whether all numbers are finite.
    fn advect(&mut self, nodes: &Nodes, frame: &FrameInput, reach: f32) -> bool {
        let advection = Advection {
            settings: &self.settings,
            frame,
            nodes,
            fine_grid: self.shifts(nodes).then_some(&self.fine_grid),
            reach,
            moving_walls: moving_walls(frame.walls),
            periodic: self.settings.domain.is_periodic(),
            parts: &self.parts,
            instructions: self.instructions,
        };
        let instructions = self.instructions;
        let moved = self
            .grain
            .par_chunks_mut(CHUNK)
            .map(|grains| instructions.run(AdvectGrains { advection: &advection, grains }));
        moved.reduce(|| true, |a, b| a && b)
    }

    /// Whether grains are shifted apart.
    fn shifts(&self, nodes: &Nodes) -> bool {
        self.settings.fault != Some(Fault::NoShifting) && nodes.active.contains(&true)
    }

    /// Whether grains are shifted to where guides have too few of them.
    fn shifts_nodes(&self, nodes: &Nodes) -> bool {
        self.settings.fault != Some(Fault::NoNodeShifting) && self.shifts(nodes)
    }

    fn remove(&mut self, frame: &FrameInput, finite: bool) -> AdvectionReport {
        let before = self.grain.len();
        if !finite {
            self.grain.retain(Grain::is_finite);
        }
        let lost = before - self.grain.len();
        if !frame.outlets.is_empty() {
            self.grain.retain(|grain| !frame.outlets.iter().any(|outlet| grain.is_inside(outlet)));
        }
        AdvectionReport { drained: before - lost - self.grain.len(), lost }
    }

    fn step(&mut self, frame: &FrameInput) -> AdvectionReport {
        let reach = wall_reach(&self.settings);
        let mut nodes = std::mem::take(&mut self.nodes);
        self.clock.begin();
        nodes.build(frame, reach);
        self.clock.lap("build_nodes");
        if frame.frame.is_multiple_of(SORT_PERIOD) {
            self.order.sort(&mut self.grain, &nodes, self.instructions);
            self.clock.lap("sort");
        }
        let deformations = deformations(frame.guides, &nodes, self.instructions);
        self.clock.lap("deform");
        nodes.interpolate(&self.settings, frame, &deformations, self.instructions);
        self.clock.lap("interpolate");
        if self.shifts_nodes(&nodes) {
            let domain = &self.settings.domain;
            self.node_counts.count(&nodes, &self.grain, domain, self.instructions);
            self.shifting.shift(&mut nodes, &self.node_counts, &self.settings, self.instructions);
            self.clock.lap("shift_nodes");
        }
        if self.shifts(&nodes) {
            self.fine_grid.count(&nodes, &self.grain, &self.settings, frame.frame, self.instructions);
            self.clock.lap("count");
        }
        nodes.gather_blocks();
        self.clock.lap("gather");
        self.choose_parts(&nodes, frame, reach);
        let finite = self.advect(&nodes, frame, reach);
        self.nodes = nodes;
        self.clock.lap("advect");
        let report = self.remove(frame, finite);
        self.clock.lap("remove");
        report
    }
}

/// How far walls may be from grains that meet them \[m\].
pub fn wall_reach(settings: &AdvectionSettings) -> f32 {
    WALL_REACH * settings.guide_radius + 2.0 * settings.radii.largest()
}

/// Bits of the walls that move during a frame.
pub fn moving_walls(walls: &[Wall]) -> u32 {
    let bit = |(k, wall): (usize, &Wall)| u32::from(wall.start != wall.end) << (k as u32).min(31);
    walls.iter().enumerate().map(bit).fold(0, |bits, bit| bits | bit)
}

impl GrainAdvector for CpuGrains {
    fn device(&self) -> String {
        format!("CPU, {} threads, {}", self.pool.current_num_threads(), self.instructions.name())
    }

    fn add(&mut self, grains: &[Grain]) -> Result<(), BackendError> {
        self.grain.extend_from_slice(grains);
        Ok(())
    }

    fn remove_inside(&mut self, region: &Sdf) -> Result<usize, BackendError> {
        let before = self.grain.len();
        self.grain.retain(|grain| !grain.is_inside(region));
        Ok(before - self.grain.len())
    }

    fn advance(&mut self, frame: &FrameInput) -> Result<AdvectionReport, BackendError> {
        let pool = Arc::clone(&self.pool);
        Ok(pool.install(|| self.step(frame)))
    }

    fn read(&self) -> Result<Vec<Grain>, BackendError> {
        Ok(self.grain.clone())
    }

    fn count(&self) -> usize {
        self.grain.len()
    }

    fn stages(&self) -> Vec<(&'static str, f64)> {
        self.clock.means()
    }

    fn bytes_per_grain(&self) -> f64 {
        let bytes = size_of::<Grain>() * self.grain.capacity()
            + self.order.bytes()
            + self.node_counts.bytes()
            + self.shifting.bytes()
            + self.fine_grid.bytes()
            + self.nodes.bytes();
        bytes as f64 / self.grain.len().max(1) as f64
    }
}
