//! Granular IISPH on the CPU: unilateral pressure and Drucker-Prager friction solved together.
//!
//! References: \[ICS14\] implicit incompressible SPH, \[Ned24\] the granular form, \[NGL10\], \[AO11\] coupled pressure and
//! friction, \[BT09\], \[OC15\] momentum of their iterations. docs/equations.md holds the keys and the departures from the
//! printed equations.
//!
//! Limitations: one particle radius per scene; Jacobi iterations, which momentum nearly halves, so tall piles still need more of
//! them.
//!
//! Stability: relaxation 0.21 for pressure and stress together with the cubic spline, 0.6 over the lattice's largest eigenvalue
//! with others (0.25 for explicit friction, 0.5 for a plain fluid); dt <= 0.4 d / v_max and dt <= 0.1 h^2 / nu.

pub mod acceleration;
mod common;
mod density;
mod fields;
mod integrate;
mod iteration;
pub mod pairs;
pub mod params;
mod predict;
pub mod rheology;
pub mod setup;
pub mod state;

pub use fields::FIELDS;

use crate::columns::ParticleColumns;
use crate::scene::FrictionMode;
use crate::simulator::StepReport;
use crate::solver::SolverInput;
use crate::solver::material_lanes::MaterialLanes;
use crate::solver::search::Search;
use crate::solver::world::World;
use crate::stages::{SharedClock, Stage, StageTimes};
use crate::team::{self, PassPlan};

use acceleration::Momentum;
use density::compute_density;
use iteration::{
    Columns, IterationConstants, IterationInput, MOST_AT_ONCE, accelerate, friction_power, iterate,
    trial_stress,
};
use pairs::Gradients;
use predict::{predict_drag, predict_velocity};
use setup::Setup;
use state::IisphState;

/// The granular IISPH solver on the CPU.
pub struct Iisph {
    setup: Setup,
    world: World,
    state: IisphState,
    search: Search<Gradients>,
    /// How passes over the lists are shared among threads.
    plan: PassPlan,
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
        let world = World::new(input.scene, input.boundaries, input.bodies, input.grains, input.team);
        let mut state = IisphState::default();
        state.resize(world.particles.len());
        Self { setup, world, state, search: Search::default(), plan: PassPlan::default(), diagnostics: false }
    }

    /// The stages of a step, in order.
    fn run_stages(&mut self, max_dt: f64) -> StepReport {
        let (dt, limited) = self.choose_dt(max_dt);
        let mut t = StageTimes::default();
        t.time(Stage::Sort, || self.sort());
        t.time(Stage::SampleBoundaries, || self.sample_boundaries(dt));
        t.time(Stage::WarmStart, || self.warm_start(dt));
        t.share(|clock| self.find_neighbors_and_predict(dt, clock));
        let solved = self.solve(dt, &mut t);
        let moved = t.time(Stage::Integrate, || self.integrate(dt));
        t.time(Stage::MoveBodies, || {
            self.world.move_bodies(dt, &mut self.state.contacts);
            self.state.contacts.remember(self.world.particles.len());
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
    /// a plain fluid (\[ICS14\] section 3.4). A smaller share makes piles creep.
    fn warm_start(&mut self, dt: f64) {
        let explicit = self.setup.params.friction == FrictionMode::Explicit;
        let materials = MaterialLanes::new(&self.setup.materials, &self.world.particles.material);
        self.world.coupling.begin(
            self.world.bodies.free_motions(&self.world.boundaries, self.world.gravity, dt as f32),
            dt as f32,
        );
        let reach = 2.0 * self.setup.params.radius;
        self.world.coupling.attach(&mut self.state.contacts, &self.world.particles.velocity, reach);
        self.state.warm_start(&materials, explicit, self.setup.instructions);
    }

    /// Neighbours, density, drag, prediction and the first acceleration: stages that read of other particles only what
    /// the step began with, so each block of particles goes through all of them while its pairs are in the cache.
    fn find_neighbors_and_predict(&mut self, dt: f64, clock: &SharedClock) {
        let (setup, particles) = (&self.setup, &self.world.particles);
        let density_input = setup.density_input(particles);
        let predict_input = setup.predict_input(particles, dt, self.world.time);
        let constants = setup.iteration_constants(particles, dt);
        let (air, gravity) = (self.world.air.as_ref(), self.world.gravity);
        let params = setup.search_params();
        let (search, blocks) =
            clock.time(Stage::Neighbors, || self.search.begin_lists(&params, &particles.position));
        self.state.neighbor_count_is_old = true;
        self.plan.forget();
        let columns = Columns::of(&mut self.state);
        team::for_each_mut(blocks, 1, |b, list| {
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

    /// Iterates until density error and friction have converged.
    fn solve(&mut self, dt: f64, t: &mut StageTimes) -> Solved {
        let IterationInput { lists, constants } =
            self.setup.iteration_input(&self.search, &self.world.particles, dt);
        if constants.explicit {
            let step = self.setup.full_stress_step(dt);
            let input = IterationInput { lists, constants };
            t.time(Stage::WarmStart, || trial_stress(&input, &mut self.state, step));
        }
        let two_way = self.world.coupling.is_two_way();
        let most_at_once = if two_way { 1 } else { MOST_AT_ONCE };
        let (least, most) = self.setup.iterations(&self.state.pressure, self.world.gravity.length());
        let count = self.world.particles.len().max(1) as f64;
        let mut momentum = Momentum::new(least);
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
            let now = left.min(most_at_once);
            let bodies = if two_way { &self.world.coupling.motion[..] } else { &[] };
            let of_iterations = IterationConstants {
                bodies,
                momentum: std::array::from_fn(|k| momentum.of(solved.iterations + 1 + k as u32)),
                ..constants
            };
            let input = IterationInput { lists, constants: of_iterations };
            let error = t.share(|clock| iterate(&input, &mut self.state, &mut self.plan, now, clock));
            if two_way {
                self.world.coupling.update(&self.state.contacts);
            }
            solved.iterations += now;
            solved.density_error = error.density / count;
            solved.friction_error = error.relative_stress_change(constants.pressure_relaxation);
            let relative = [
                solved.density_error / f64::from(self.setup.params.density_error),
                solved.friction_error / f64::from(self.setup.params.friction_error),
            ];
            momentum.note(solved.iterations, relative[0] + relative[1]);
            solved.converged = relative.iter().all(|&error| error < 1.0);
        }
        solved
    }

    fn diagnose(&mut self, dt: f64) -> Option<f64> {
        self.diagnostics.then(|| {
            let input = self.setup.iteration_input(&self.search, &self.world.particles, dt);
            friction_power(&input, &self.state, self.setup.params.spacing.powi(3))
        })
    }
}
