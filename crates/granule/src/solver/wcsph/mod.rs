//! Weakly compressible SPH on the CPU: fluids with an equation of state, viscosity and surface tension.
//!
//! References: \[Mil\] the stages, with the corrections of docs/equations.md; \[MCG03\] kernels and viscosity, \[Mon92\]
//! pressure force and artificial viscosity, \[AAT13\] surface tension.
//!
//! Limitations: one particle radius per scene; fluids only. Density varies by a few thousandths, as the speed of sound is
//! ten times the fastest speed, not that of water.
//!
//! Stability: velocity Verlet as kick, drift, kick; dt <= 0.4 d / (c + v) and the bounds of forces, viscosity and surface
//! tension ([`WcsphParams::longest_step`](params::WcsphParams::longest_step)).

mod accelerate;
mod common;
mod density;
mod fields;
mod fluid_lanes;
pub mod kick;
pub mod pairs;
pub mod params;
pub mod state;

pub use fields::FIELDS;

use glam::Vec4;

use crate::columns::ParticleColumns;
use crate::simd::Instructions;
use crate::simulator::StepReport;
use crate::solver::SolverInput;
use crate::solver::drag::DragInput;
use crate::solver::material_lanes::MaterialLanes;
use crate::solver::search::Search;
use crate::solver::world::{World, equal_steps};
use crate::stages::{SharedClock, Stage, StageTimes};
use crate::team::{self, BLOCK, map_blocks, sum_blocks};

use accelerate::{ForceInput, accelerate};
use density::{DensityInput, compute_density, compute_normals};
use fluid_lanes::FluidLanes;
use params::Setup;
use state::{Columns, WcsphState};

/// The weakly compressible solver on the CPU.
pub struct Wcsph {
    setup: Setup,
    world: World,
    state: WcsphState,
    search: Search,
    /// Whether accelerations and walls are those of now.
    ready: bool,
}

impl Wcsph {
    /// A solver for a scene.
    pub fn new(input: SolverInput) -> Self {
        let instructions = input.instructions.map_or_else(Instructions::best, Instructions::or_best);
        let setup = Setup::new(&input.scene, input.defect, instructions);
        let world = World::new(input.scene, input.boundaries, input.bodies, input.grains, input.team);
        let mut state = WcsphState::default();
        state.resize(world.particles.len());
        state.acceleration.fill(world.gravity.extend(0.0));
        Self { setup, world, state, search: Search::default(), ready: false }
    }

    /// The stages of a step, in order.
    fn run_stages(&mut self, max_dt: f64) -> StepReport {
        let mut t = StageTimes::default();
        if !self.ready {
            self.sort_if_moved();
            self.sample_boundaries();
            self.evaluate(0.0, &mut t);
            self.ready = true;
        } else if !self.search.is_valid() {
            // A frame begins, or something was changed between steps.
            t.time(Stage::SampleBoundaries, || self.sample_boundaries());
        }
        let (dt, limited) = self.choose_dt(max_dt);
        t.time(Stage::Integrate, || self.kick_and_drift(dt));
        t.time(Stage::MoveBodies, || {
            self.world.move_bodies(dt, &mut self.state.contacts);
        });
        t.time(Stage::Sort, || self.sort_if_moved());
        t.time(Stage::SampleBoundaries, || {
            self.world.boundaries.advance(self.world.time, dt);
            self.sample_boundaries();
        });
        self.evaluate(dt, &mut t);
        t.time(Stage::Integrate, || self.kick(dt));
        let lost = t.time(Stage::Quarantine, || self.quarantine());
        self.world.time += dt;
        if dt >= max_dt * (1.0 - 1e-9) {
            // Lists and walls do not outlive a frame, so that a checkpoint need not hold them.
            self.search.invalidate();
        }
        self.report(dt, limited, lost, t)
    }

    fn report(&self, dt: f64, limited: bool, lost: usize, stages: StageTimes) -> StepReport {
        let moved = self.world.measure_motion();
        let state = &self.state;
        let count = self.world.particles.len();
        let mean = |of: &(dyn Fn(usize) -> f32 + Sync)| {
            sum_blocks(count, |range| range.map(|i| f64::from(of(i))).sum()) / count.max(1) as f64
        };
        StepReport {
            dt,
            particles: count,
            density_error: mean(&|i| (state.density[i] - 1.0).max(0.0)),
            converged: true,
            limited,
            max_speed: moved.max_speed,
            kinetic_energy: moved.kinetic_energy,
            lost,
            dropped_samples: state.contacts.dropped(),
            neighbors_mean: mean(&|i| state.neighbors[i]),
            stages,
            ..StepReport::default()
        }
    }

    /// The step's length \[s\] and whether the scene's own limits did not set it.
    fn choose_dt(&self, max_dt: f64) -> (f64, bool) {
        let params = &self.setup.params;
        if let Some(step) = params.time_step {
            return (equal_steps(max_dt, step), false);
        }
        let acceleration = &self.state.acceleration;
        let squares = map_blocks(acceleration.len(), |_, range| {
            acceleration[range].iter().map(|a| a.length_squared()).fold(0.0, f32::max)
        });
        let pushed = squares.into_iter().fold(0.0, f32::max).sqrt();
        let longest = params.longest_step(f64::from(self.world.fastest()), f64::from(pushed));
        (equal_steps(max_dt, longest), longest < params.max_time_step)
    }

    /// Sorts by cell where neighbours must be listed anew.
    fn sort_if_moved(&mut self) {
        if self.search.sort(&self.setup.search_params(), &self.world.particles.position) {
            let Search { order, scratch, .. } = &mut self.search;
            self.world.particles.permute(order, scratch);
            self.state.permute(order, scratch);
        }
    }

    fn sample_boundaries(&mut self) {
        let (table, reach) = (&self.setup.wall_table, self.setup.params.support);
        let position = &self.world.particles.position;
        self.state.contacts.sample_anew(&self.world.boundaries, table, reach, position);
    }

    /// Neighbours where they must be listed anew, density, pressure and accelerations.
    fn evaluate(&mut self, dt: f64, t: &mut StageTimes) {
        t.share(|clock| self.find_density(dt, clock));
        if self.setup.params.smoothed {
            t.time(Stage::Normals, || self.find_normals());
        }
        t.time(Stage::Accelerate, || self.accelerate());
        t.time(Stage::Drag, || self.drag(dt));
    }

    fn find_density(&mut self, dt: f64, clock: &SharedClock) {
        let particles = &self.world.particles;
        let input = DensityInput {
            setup: &self.setup,
            materials: FluidLanes { fluids: &self.setup.params.fluids, material: &particles.material },
            position: &particles.position,
            velocity: &particles.velocity,
            half_dt: 0.5 * dt as f32,
        };
        let params = self.setup.search_params();
        let (search, blocks) =
            clock.time(Stage::Neighbors, || self.search.begin_lists(&params, &particles.position));
        let columns = Columns::of(&mut self.state);
        team::for_each_mut(blocks, 1, |b, list| {
            if let Some(search) = &search {
                clock.time(Stage::Neighbors, || search.build(b, list));
            }
            // SAFETY: neighbours were found among the same particles; every block is visited once and writes to its
            // own part of the columns, which no other block reads here.
            clock.time(Stage::Density, || unsafe {
                compute_density(&input, b, list, &columns.walls[b], &columns)
            });
        });
    }

    fn find_normals(&mut self) {
        self.state.normal.resize(self.world.particles.len(), Vec4::ZERO);
        let columns = Columns::of(&mut self.state);
        let blocks = &self.search.lists.blocks;
        team::for_each(blocks.len(), 1, |b| {
            // SAFETY: neighbours are particles; blocks write to their own normals, which nobody reads here.
            unsafe { compute_normals(&self.setup, b, &blocks[b], &columns) };
        });
    }

    fn accelerate(&mut self) {
        let material = &self.world.particles.material;
        let materials = FluidLanes { fluids: &self.setup.params.fluids, material };
        let input = ForceInput { setup: &self.setup, materials, gravity: self.world.gravity };
        let columns = Columns::of(&mut self.state);
        let blocks = &self.search.lists.blocks;
        team::for_each(blocks.len(), 1, |b| {
            // SAFETY: neighbours are particles; blocks write to their own accelerations, which nobody reads here.
            unsafe { accelerate(&input, b, &blocks[b], &columns) };
        });
    }

    /// Adds air drag to the accelerations.
    fn drag(&mut self, dt: f64) {
        let Some(air) = &self.world.air else { return };
        if dt == 0.0 {
            return;
        }
        let materials = MaterialLanes::new(&self.setup.materials, &self.world.particles.material);
        let (dt, time) = (dt as f32, self.world.time);
        let input = DragInput {
            air,
            particles: &self.world.particles,
            materials,
            domain: &self.setup.domain,
            dt,
            time,
        };
        let (lists, domain, position) =
            (&self.search.lists, self.setup.domain, &self.world.particles.position);
        let square = self.setup.params.support * self.setup.params.support;
        let near = |i: usize, j: usize| {
            domain.displacement(position[i].truncate(), position[j].truncate()).length_squared() < square
        };
        let acceleration = &mut self.state.acceleration[..];
        team::for_each_block(acceleration.len(), 1, acceleration, |b, acceleration| {
            for (k, a) in acceleration.iter_mut().enumerate() {
                let i = b * BLOCK + k;
                // Lists reach farther than the support.
                let change = input.change(i, lists.of(i).filter(|&j| near(i, j)));
                *a += (change / dt).extend(0.0);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    use crate::simulator::Simulator;
    use crate::solver::Defect;
    use crate::{Scene, Simulation};

    /// Normals of a block of water whose surface is at y = 0.1, after a step.
    fn mean_normal_at_the_top(defect: Option<Defect>) -> f32 {
        let text = "name = \"test\"\n[simulation]\nsolver = \"wcsph\"\n[[material]]\nname = \"water\"\n\
                    friction_angle = 0\nsurface_smoothing = 0.1\n[[grains]]\nmaterial = \"water\"\n\
                    shape.box = { min = [0, 0, 0], max = [0.2, 0.1, 0.2] }\n";
        let scene = Scene::parse(text, "test").unwrap();
        let team = crate::team::Team::new(1).unwrap();
        let boundaries = crate::boundary::Boundaries::new::<String>([]).unwrap();
        let mut simulation = Simulation::new(scene.clone(), &Default::default()).unwrap();
        let grains: Vec<_> = simulation
            .read(&["position"])
            .unwrap()
            .vec3("position")
            .unwrap()
            .iter()
            .map(|x| crate::particles::NewParticle {
                position: Vec3::from(*x),
                velocity: Vec3::ZERO,
                radius: 0.01,
                mass: 0.008,
                material: 0,
                fixed: false,
            })
            .collect();
        let input = SolverInput {
            scene,
            boundaries,
            bodies: Default::default(),
            grains: &grains,
            assemblies: &[],
            grain_shapes: &Default::default(),
            team,
            instructions: None,
            defect,
        };
        let mut solver = Wcsph::new(input);
        solver.step(1e-5);
        let (position, normal) = (&solver.world.particles.position, &solver.state.normal);
        let top: Vec<f32> =
            (0..position.len()).filter(|&i| position[i].y > 0.085).map(|i| normal[i].y).collect();
        top.iter().sum::<f32>() / top.len() as f32
    }

    #[test]
    fn normals_point_into_the_fluid_and_not_with_the_printed_gradient_of_poly6() {
        let sound = mean_normal_at_the_top(None);
        assert!(sound < -0.3, "{sound}");
        let printed = mean_normal_at_the_top(Some(Defect::NormalSign));
        assert!(printed > 0.3, "{printed}");
    }
}
