//! Distinct elements on the CPU: every grain a rigid sphere, every contact with its own force and memory.
//!
//! [`contact`] is the law of `pair_style granular` of LAMMPS as pure functions of one contact, or of sixteen side by side.
//! [`oracle`] reads files with scenes of a few grains and the trajectories that LAMMPS computed for them, and says how far
//! two trajectories are apart.
//!
//! References: those of [`contact`]; \[Lon09\].
//!
//! Limitations: meshes that other shapes cut are touched by their grids. Spheres of one scene differ by a factor of 10 at most.
//!
//! Stability: velocity Verlet with steps of a share of the Rayleigh time and of the duration of a collision
//! ([`StepBounds`](params::StepBounds)); the same length within a frame.

mod assembled;
mod bridges;
mod check;
mod common;
mod compress;
pub mod contact;
mod fields;
mod grain_loads;
mod integrate;
pub mod laws;
mod led;
pub mod oracle;
pub mod pairs;
pub mod params;
pub mod state;
#[cfg(test)]
mod tests;
mod touch;
mod touching;
pub mod walls;

pub use check::check;
pub use fields::FIELDS;
pub use led::Path;

use glam::Vec3;

use crate::assemblies::Assemblies;
use crate::cell::CellMotion;
use crate::columns::ParticleColumns;
use crate::particles::OptionalColumn;
use crate::simd::Instructions;
use crate::simulator::StepReport;
use crate::solver::SolverInput;
use crate::solver::orientation::fold_turns;
use crate::solver::search::Search;
use crate::solver::world::{World, equal_steps};
use crate::stages::{Stage, StageTimes};
use crate::team;

use integrate::Totals;
use pairs::Pairs;
use params::Setup;
use state::{DemState, mover};
use touch::{TouchBlock, TouchInput};
use walls::WallInput;

/// The solver with distinct elements on the CPU.
pub struct Dem {
    setup: Setup,
    world: World,
    state: DemState,
    search: Search,
    /// Grains of several spheres.
    assemblies: Assemblies,
    /// Particles that follow paths.
    leads: Vec<(u32, Path)>,
    /// Forces of air \[N\]; empty without.
    drag: Vec<Vec3>,
    /// How far walls have moved since lists were made, at most \[m\].
    wall_way: f32,
    /// Simulated time since bodies met each other \[s\].
    since_visit: f64,
    /// How the periodic cell strains in this step, where it does.
    strain: Option<CellMotion>,
    /// Steps of this frame.
    steps: u32,
    /// Whether forces are those of now.
    ready: bool,
}

impl Dem {
    /// A solver for a scene.
    pub fn new(input: SolverInput) -> Self {
        let instructions = input.instructions.map_or_else(Instructions::best, Instructions::or_best);
        let setup = Setup::new(&input.scene, input.grain_shapes, input.defect, instructions);
        let mut world = World::new(input.scene, input.boundaries, input.bodies, input.grains, input.team);
        world.particles.require(&[OptionalColumn::AngularVelocity]);
        let mut state = DemState::default();
        state.resize(world.particles.len());
        let mut dem = Self {
            setup,
            world,
            state,
            search: Search::default(),
            assemblies: Assemblies::default(),
            leads: Vec::new(),
            drag: Vec::new(),
            wall_way: 0.0,
            since_visit: 0.0,
            strain: None,
            steps: 0,
            ready: false,
        };
        dem.begin_particles(0);
        for (i, _) in input.grains.iter().enumerate().filter(|(_, grain)| grain.fixed) {
            dem.hold(i);
        }
        dem.assemble(input.assemblies);
        dem
    }

    /// Holds a particle where it is; contacts feel only the mass of its partner.
    fn hold(&mut self, i: usize) {
        self.state.mover[i] = mover::HELD;
        self.state.force[i] = glam::Vec4::ZERO;
        self.world.particles.velocity[i] *= glam::Vec4::W;
        if let Some(spin) = self.world.particles.angular_velocity.as_mut() {
            spin[i].w = 0.0;
        }
    }

    /// A first step of this length that gets there or not, and more to a time \[s\], `most` of them at most. The end of one and the beginning of the next go through the grains
    /// together, to the same bits as one by one; a grain that gets lost is found a little later.
    fn run_steps(&mut self, first: (f64, bool), until: f64, most: usize) -> Vec<StepReport> {
        let mut t = StageTimes::default();
        self.prime_stages(&mut t);
        let (mut dt, mut last) = first;
        t.time(Stage::Integrate, || {
            self.strain_cell(dt);
            self.kick_and_drift(dt);
        });
        let mut reports = Vec::new();
        loop {
            t.time(Stage::MoveBodies, || self.lead_walls(dt));
            self.list_pairs(&mut t);
            self.find_loads(dt, &mut t);
            let stop = last || reports.len() + 1 >= most;
            let mut totals = Totals::default();
            if stop {
                totals = t.time(Stage::Integrate, || self.add_up_and_kick(dt));
            }
            t.time(Stage::MoveBodies, || self.push_bodies(dt));
            self.steer_cell();
            self.world.time += dt;
            t.time(Stage::MoveBodies, || self.visit_bodies(dt, last));
            self.steps = if last { 0 } else { self.steps + 1 };
            let taken = dt;
            if !stop {
                (dt, last) = self.step_of(until - self.world.time);
                totals = t.time(Stage::Integrate, || {
                    self.strain_cell(dt);
                    self.add_up_kick_and_drift(taken, dt)
                });
            }
            let lost = t.time(Stage::Quarantine, || self.quarantine(totals.unsound));
            reports.push(self.report(taken, lost, totals, std::mem::take(&mut t)));
            if stop {
                break;
            }
        }
        if last {
            // Lists do not outlive a frame, so that a checkpoint need not hold them.
            self.search.invalidate();
        }
        reports
    }

    /// Length of the next step where some time is left \[s\], and whether it is the last.
    fn step_of(&self, left: f64) -> (f64, bool) {
        let dt = equal_steps(left, self.setup.step);
        (dt, dt >= left * (1.0 - 1e-9))
    }

    /// Finds forces before the first step, of springs that do not grow yet.
    fn prime_stages(&mut self, t: &mut StageTimes) {
        if !self.ready {
            self.list_pairs(t);
            if self.setup.bridges_at_start {
                self.bridge_gaps();
            }
            self.find_loads(0.0, t);
            t.time(Stage::Integrate, || self.add_up_and_kick(0.0));
            self.push_bodies(0.0);
            self.ready = true;
        }
    }

    /// Finds the forces of now, where they are not known.
    pub fn prime(&mut self) {
        let team = self.world.team.clone();
        team.install(|| self.prime_stages(&mut StageTimes::default()));
    }

    /// Exact centres, in memory order.
    pub fn exact_positions(&self) -> &[crate::position::ExactPosition] {
        &self.state.place
    }

    fn report(&self, dt: f64, lost: usize, totals: Totals, stages: StageTimes) -> StepReport {
        let count = self.world.particles.len();
        StepReport {
            dt,
            particles: count,
            converged: true,
            max_speed: f64::from(totals.fastest).sqrt(),
            kinetic_energy: totals.kinetic_energy,
            lost,
            neighbors_mean: totals.contacts as f64 / count.max(1) as f64,
            stages,
            ..StepReport::default()
        }
    }

    /// Bodies drift, and walls and tools go where they will be.
    fn lead_walls(&mut self, dt: f64) {
        let world = &mut self.world;
        world.bodies.kick_and_drift(dt, &mut world.boundaries);
        world.boundaries.kick_servos(world.time, 0.5 * dt, None);
        world.boundaries.advance(world.time, dt);
    }

    /// Bodies, and walls that hold a force, take the forces of the contacts of now.
    fn push_bodies(&mut self, dt: f64) {
        let (world, walls) = (&mut self.world, &self.state.walls);
        if world.boundaries.any_servo() {
            world.boundaries.kick_servos(world.time + dt, 0.5 * dt, Some(&|wall| walls.force_on(wall)));
        }
        if !world.bodies.is_empty() {
            let motions = world.bodies.free_motions(&world.boundaries, world.gravity, 0.0);
            let centers: Vec<Vec3> = motions.iter().map(|motion| motion.center).collect();
            world.coupling.load = walls.loads_on_bodies(&centers, &world.particles.position);
            world.bodies.kick(dt, world.gravity, &world.coupling.load, &mut world.boundaries);
        }
    }

    /// Lets bodies meet each other, at intervals and at the ends of frames.
    fn visit_bodies(&mut self, dt: f64, frame_ends: bool) {
        self.since_visit += dt;
        if frame_ends || self.since_visit >= self.setup.body_interval * (1.0 - 1e-9) {
            self.world.bodies.visit(self.since_visit, &mut self.world.boundaries);
            self.since_visit = 0.0;
        }
    }

    /// Sorts by cell, and lists pairs and walls anew where something has moved too far for the lists.
    fn list_pairs(&mut self, t: &mut StageTimes) {
        let params = self.setup.search_params();
        if !t.time(Stage::Sort, || self.search.sort(&params, &self.world.particles.position)) {
            return;
        }
        t.time(Stage::Sort, || self.follow_order());
        t.time(Stage::Neighbors, || {
            self.search.build(&params, &self.world.particles.position);
            let DemState { pairs, memory, mover: movers, .. } = &mut self.state;
            let (id, movers) = (&self.world.particles.id, &*movers);
            let sources = self.search.order.sources();
            let assemblies = &self.assemblies;
            let skip = |i: usize, j: usize| {
                let held = movers[i] == mover::HELD && movers[j] == mover::HELD;
                held || assemblies.same_assembly(i, j)
            };
            pairs.rebuild(&self.search.lists, id, sources, memory, skip);
        });
        t.time(Stage::SampleBoundaries, || {
            let (setup, world) = (&self.setup, &self.world);
            let sources = self.search.order.sources();
            let reach = |x: Vec3, radius: f32| setup.wall_reach(x, radius);
            self.state.walls.rebuild(sources, &world.boundaries, &world.particles.position, reach);
        });
        self.wall_way = 0.0;
    }

    /// Puts all columns into the new order.
    fn follow_order(&mut self) {
        self.state.walls.remember(self.world.particles.len());
        fold_turns(&mut self.state.orientation, &mut self.state.turn);
        let Search { order, scratch, .. } = &mut self.search;
        self.world.particles.permute(order, scratch);
        self.state.permute(order, scratch);
        if !self.assemblies.is_empty() {
            self.assemblies.grow(self.world.particles.len());
            self.assemblies.permute(order.sources());
        }
    }

    /// Loads of all contacts and of air. `dt` is 0 before the first step.
    fn find_loads(&mut self, dt: f64, t: &mut StageTimes) {
        t.time(Stage::Touch, || self.touch(dt));
        t.time(Stage::TouchWalls, || self.touch_walls(dt));
        t.time(Stage::Drag, || self.find_drag(dt));
    }

    fn touch(&mut self, dt: f64) {
        let arms = self.arms_for_stress();
        let particles = &self.world.particles;
        let DemState { pairs, memory, place, .. } = &mut self.state;
        let input = TouchInput {
            laws: &self.setup.laws,
            domain: &self.setup.exact_domain,
            position: &particles.position,
            place,
            velocity: &particles.velocity,
            angular_velocity: particles.angular_velocity.as_deref().unwrap_or_default(),
            material: &particles.material,
            strain: self.strain.map(|motion| motion.rate),
            arms: arms.as_deref(),
            dt: dt as f32,
        };
        let instructions = self.setup.instructions;
        let count = pairs.particles();
        let lengths =
            [input.velocity.len(), input.angular_velocity.len(), input.position.len(), input.place.len()];
        assert!(lengths.iter().all(|length| *length == count), "pairs are those of other particles");
        let memory = team::SharedColumn::of(memory.blocks_mut());
        let Pairs { blocks, offset, sums, .. } = pairs;
        let sums = team::SharedColumn::of(sums);
        team::for_each_mut(blocks, 1, |block, pairs| {
            let own = offset[block] as usize..offset[block + 1] as usize;
            // SAFETY: every block is visited once, nobody else looks at what it remembers or at its sums, and pairs were
            // listed for as many particles as there are.
            let work =
                unsafe { TouchBlock::new(input, block, pairs, memory.get_mut(block), sums.range_mut(own)) };
            instructions.run(work);
        });
    }

    fn touch_walls(&mut self, dt: f64) {
        let world = &self.world;
        if world.boundaries.is_empty() {
            return;
        }
        let bodies = world.bodies.free_motions(&world.boundaries, world.gravity, 0.0);
        let inverse_mass: Vec<f32> = bodies.iter().map(|body| body.inverse_mass).collect();
        let input = WallInput {
            laws: &self.setup.laws,
            boundaries: &world.boundaries,
            inverse_mass: &inverse_mass,
            position: &world.particles.position,
            place: &self.state.place,
            velocity: &world.particles.velocity,
            angular_velocity: world.particles.angular_velocity.as_deref().unwrap_or_default(),
            material: &world.particles.material,
            dt: dt as f32,
        };
        self.state.walls.touch(&input);
    }
}
