//! Granular IISPH on the CPU: unilateral pressure and Drucker-Prager friction solved together.
//!
//! References: [ICS14] implicit incompressible SPH, [Ned24] the granular form, [NGL10], [AO11] coupled pressure and
//! friction. docs/equations.md holds the keys and the departures from the printed equations.
//!
//! Limitations: one particle radius per scene; Jacobi sweeps, so tall piles need more of them.
//!
//! Stability: relaxation 0.25 for pressure and stress together (0.5 for a plain fluid); dt <= 0.4 d / v_max and
//! dt <= 0.1 h^2 / nu.

pub mod checkpoint;
mod commands;
mod density;
mod fields;
mod integrate;
pub mod pairs;
pub mod params;
mod predict;
pub mod rheology;
pub mod setup;
pub mod state;
mod sweep;

pub use fields::FIELDS;

use glam::Vec3;
use rayon::prelude::*;

use crate::bodies::BodyReport;
use crate::boundary::Sdf;
use crate::scene::FrictionMode;
use crate::simulator::{
    Command, CommandError, CommandReport, FieldError, FieldInfo, ReadTicket, Simulator, Snapshot, StateError,
    StepReport,
};
use crate::solver::SolverInput;
use crate::solver::changes::Changeable;
use crate::solver::laws::Laws;
use crate::solver::search::Search;
use crate::solver::world::World;
use crate::stages::{SharedClock, Stage, StageTimes};

use density::compute_density;
use pairs::Gradients;
use predict::{predict_drag, predict_velocity};
use setup::Setup;
use state::IisphState;
use sweep::{
    Columns, MOST_SWEEPS, SweepConstants, SweepInput, accelerate, friction_power, sweep, trial_stress,
};

/// The granular IISPH solver on the CPU.
pub struct Iisph {
    setup: Setup,
    world: World,
    state: IisphState,
    search: Search<Gradients>,
    diagnostics: bool,
}

/// How the loop ended.
struct Solved {
    iterations: u32,
    density_error: f64,
    friction_error: f64,
    converged: bool,
}

impl Iisph {
    /// A solver for a scene.
    pub fn new(input: SolverInput) -> Self {
        let mut setup = Setup::new(&input.scene);
        setup.defect = input.defect;
        if let Some(instructions) = input.instructions {
            setup.instructions = instructions.or_best();
        }
        let world = World::new(input.scene, input.boundaries, input.bodies, input.grains, input.pool);
        let mut state = IisphState::default();
        state.resize(world.particles.len());
        Self { setup, world, state, search: Search::default(), diagnostics: false }
    }

    /// The stages of a step, in order.
    fn step_stages(&mut self, max_dt: f64) -> StepReport {
        let (dt, limited) = self.choose_dt(max_dt);
        let mut t = StageTimes::default();
        t.time(Stage::Sort, || self.sort());
        t.time(Stage::SampleBoundaries, || self.sample_boundaries(dt));
        t.time(Stage::WarmStart, || self.warm_start(dt));
        t.share(|clock| self.find_neighbors_and_predict(dt, clock));
        let solved = self.solve(dt, &mut t);
        let moved = t.time(Stage::Integrate, || self.integrate(dt));
        t.time(Stage::MoveBodies, || {
            self.world.move_bodies(dt, &mut self.state.contacts, &self.setup.materials);
        });
        let power = t.time(Stage::Diagnose, || self.diagnose(dt));
        let lost = t.time(Stage::Quarantine, || self.quarantine());
        self.world.time += dt;
        StepReport {
            dt,
            particles: self.world.particles.len(),
            iterations: solved.iterations,
            density_error: solved.density_error,
            friction_error: solved.friction_error,
            converged: solved.converged,
            limited,
            max_speed: moved.max_speed,
            kinetic_energy: moved.kinetic_energy,
            friction_power: power,
            lost,
            dropped_samples: self.state.contacts.dropped(),
            neighbors_mean: self.search.lists.total() as f64 / self.world.particles.len().max(1) as f64,
            emitted: 0,
            blocked: 0,
            drained: Vec::new(),
            stages: t,
        }
    }

    fn sort(&mut self) {
        self.search.sort(&self.setup.search_params(), &self.world.particles.position);
        let Search { order, scratch, .. } = &mut self.search;
        self.world.particles.permute(order, scratch);
        self.state.permute(order, scratch);
    }

    fn sample_boundaries(&mut self, dt: f64) {
        self.world.boundaries.advance(self.world.time, dt);
        self.state.contacts.sample(
            &self.world.boundaries,
            &self.setup.wall_table,
            self.setup.params.support,
            &self.world.particles.position,
            self.search.order.sources(),
        );
    }

    /// Takes over pressure, stress and wall impulses of the last step: all of them for grains, most of the pressure for
    /// a plain fluid ([ICS14] section 3.4). A smaller share makes piles creep.
    fn warm_start(&mut self, dt: f64) {
        let explicit = self.setup.params.friction == FrictionMode::Explicit;
        let laws = Laws::new(&self.setup.materials, &self.world.particles.material);
        self.world.coupling.begin(
            self.world.bodies.free_motions(&self.world.boundaries, self.world.gravity, dt as f32),
            dt as f32,
        );
        self.world.coupling.attach(&mut self.state.contacts, &laws, 2.0 * self.setup.params.radius);
        self.state.warm_start(&laws, explicit, self.setup.instructions);
    }

    /// Neighbours, density, drag, prediction and the first acceleration: stages that read of other particles only what
    /// the step began with, so each block of particles goes through all of them while its pairs are in the cache.
    fn find_neighbors_and_predict(&mut self, dt: f64, clock: &SharedClock) {
        let (setup, particles) = (&self.setup, &self.world.particles);
        let density_input = setup.density_input(particles);
        let predict_input = setup.predict_input(particles, dt, self.world.time);
        let constants = setup.sweep_constants(particles, dt);
        let (air, gravity) = (self.world.air.as_ref(), self.world.gravity);
        let params = setup.search_params();
        let (search, blocks) =
            clock.time(Stage::Neighbors, || self.search.begin_lists(&params, &particles.position));
        let columns = Columns::of(&mut self.state);
        blocks.par_iter_mut().enumerate().for_each(|(b, list)| {
            if let Some(search) = &search {
                clock.time(Stage::Neighbors, || search.build(b, list));
            }
            // SAFETY: the search has found these neighbours among the same particles; every block is visited once and
            // writes to its own part of density, diagonal, prediction and velocity, which no other block reads here.
            unsafe {
                let (density, diagonal) = (columns.density.block_mut(b), columns.diagonal.block_mut(b));
                let (walls, predicted) = (columns.walls.get_mut(b), columns.predicted.block_mut(b));
                clock.time(Stage::Density, || {
                    compute_density(&density_input, b, list, walls, density, diagonal);
                });
                clock.time(Stage::Drag, || predict_drag(&predict_input, air, b, list, predicted));
                clock.time(Stage::PredictVelocity, || {
                    predict_velocity(&predict_input, gravity, b, list, predicted);
                });
                clock.time(Stage::Accelerate, || accelerate(&constants, list, b, &columns));
            }
        });
    }

    /// Sweeps until density error and friction have converged.
    fn solve(&mut self, dt: f64, t: &mut StageTimes) -> Solved {
        let SweepInput { lists, constants } = self.setup.sweep_input(&self.search, &self.world.particles, dt);
        if constants.explicit {
            let step = self.setup.full_stress_step(dt);
            let input = SweepInput { lists, constants };
            t.time(Stage::WarmStart, || trial_stress(&input, &mut self.state, step));
        }
        let two_way = self.world.coupling.is_two_way();
        let most_at_once = if two_way { 1 } else { MOST_SWEEPS };
        let (least, most) = self.setup.iterations(&self.state.pressure, self.world.gravity.length());
        let count = self.world.particles.len().max(1) as f64;
        let mut solved = Solved {
            iterations: 0,
            density_error: 0.0,
            friction_error: 0.0,
            converged: self.world.particles.is_empty(),
        };
        while !solved.converged || solved.iterations < least {
            if solved.iterations == most || self.world.particles.is_empty() {
                break;
            }
            let left = least.max(solved.iterations + 1) - solved.iterations;
            let sweeps = left.min(most_at_once);
            let bodies = if two_way { &self.world.coupling.motion[..] } else { &[] };
            let with_bodies = SweepConstants { bodies, ..constants };
            let input = SweepInput { lists, constants: with_bodies };
            let error = t.share(|clock| sweep(&input, &mut self.state, sweeps, clock));
            if two_way {
                self.world.coupling.update(&self.state.contacts);
            }
            solved.iterations += sweeps;
            solved.density_error = error.density / count;
            solved.friction_error = error.relative_stress_change(constants.pressure_relaxation);
            solved.converged = solved.density_error < self.setup.params.density_error as f64
                && solved.friction_error < self.setup.params.friction_error as f64;
        }
        solved
    }

    fn diagnose(&mut self, dt: f64) -> Option<f64> {
        self.diagnostics.then(|| {
            let input = self.setup.sweep_input(&self.search, &self.world.particles, dt);
            friction_power(&input, &self.state, self.setup.params.spacing.powi(3))
        })
    }
}

impl Simulator for Iisph {
    fn solver(&self) -> &'static str {
        "iisph"
    }

    fn device(&self) -> String {
        self.world.device()
    }

    fn step(&mut self, max_dt: f64) -> StepReport {
        let pool = self.world.pool.clone();
        pool.install(|| self.step_stages(max_dt))
    }

    fn apply(&mut self, command: &Command) -> Result<CommandReport, CommandError> {
        self.apply_command(command)
    }

    fn emit(&mut self, material: u16, places: &[Vec3], velocity: Vec3, most: usize) -> usize {
        let pool = self.world.pool.clone();
        pool.install(|| self.add_grains(material, places, velocity, most))
    }

    fn remove_inside(&mut self, regions: &[&Sdf]) -> Vec<usize> {
        let pool = self.world.pool.clone();
        pool.install(|| self.remove_grains_inside(regions))
    }

    fn fields(&self) -> &'static [FieldInfo] {
        fields::FIELDS
    }

    fn read(&mut self, fields: &[&str]) -> Result<ReadTicket, FieldError> {
        self.read_fields(fields)
    }

    fn poll(&mut self, ticket: ReadTicket, snapshot: &mut Snapshot) -> bool {
        self.world.reads.take(ticket, snapshot)
    }

    fn particle_count(&self) -> usize {
        self.world.particles.len()
    }

    fn time(&self) -> f64 {
        self.world.time
    }

    fn bytes_per_particle(&self) -> f64 {
        self.world.bytes_per_particle(self.state.bytes() + self.search.bytes())
    }

    fn state_hash(&self) -> u64 {
        self.world.hash()
    }

    fn bodies(&self) -> Vec<BodyReport> {
        self.world.bodies.reports(&self.world.boundaries)
    }

    fn set_diagnostics(&mut self, on: bool) {
        self.diagnostics = on;
    }

    fn checkpoint(&self) -> Result<Vec<u8>, StateError> {
        self.save_state()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.restore_state(state)
    }
}
