//! A solver that does nothing but fly, slowly.

use std::time::Duration;

use crate::material::Material;
use crate::neighbors::Domain;
use crate::scene::{Scene, SolverCapabilities, YieldLaw};
use crate::simulator::{FieldData, FieldInfo, FieldKind, StepReport};
use crate::solver::particle_solver::ParticleSolver;
use crate::solver::reads::{Gather, field};
use crate::solver::world::World;
use crate::solver::{SolverEntry, SolverInput};

/// Wall time of a step.
pub const STEP: Duration = Duration::from_millis(200);

/// Steps per frame of 20 ms.
const LONGEST_STEP: f64 = 2e-3;

crate::particle_columns! {
    /// No columns but one, for the form's sake.
    pub struct SlowState {
        /// Steps that a particle has seen.
        steps: Vec<f32> => State,
    }
}

/// A solver that flies, slowly.
pub struct Slow {
    world: World,
    state: SlowState,
    materials: Vec<Material>,
}

impl Slow {
    fn new(input: SolverInput) -> Self {
        let materials = materials(&input.scene);
        let world = World::new(input.scene, input.boundaries, input.bodies, input.grains, input.team);
        let mut state = SlowState::default();
        crate::columns::ParticleColumns::resize(&mut state, world.particles.len());
        Self { world, state, materials }
    }
}

fn materials(scene: &Scene) -> Vec<Material> {
    scene.material.iter().map(|m| Material::new(m, YieldLaw::Tan)).collect()
}

impl ParticleSolver for Slow {
    type Columns = SlowState;
    const NAME: &'static str = "slow";
    const FIELDS: &'static [FieldInfo] =
        &[field("id", "1", FieldKind::Integer), field("position", "m", FieldKind::Vec3)];

    fn world(&self) -> &World {
        &self.world
    }

    fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    fn columns(&self) -> &SlowState {
        &self.state
    }

    fn columns_mut(&mut self) -> &mut SlowState {
        &mut self.state
    }

    fn domain(&self) -> Domain {
        Domain::default()
    }

    fn materials(&self) -> &[Material] {
        &self.materials
    }

    fn step_stages(&mut self, max_dt: f64) -> StepReport {
        std::thread::sleep(STEP);
        let dt = max_dt.min(LONGEST_STEP);
        self.world.boundaries.advance(self.world.time, dt);
        let push = (dt as f32 * self.world.gravity).extend(0.0);
        let particles = &mut self.world.particles;
        for (x, v) in particles.position.iter_mut().zip(&mut particles.velocity) {
            *v += push;
            *x += (dt as f32 * v.truncate()).extend(0.0);
        }
        self.state.steps.iter_mut().for_each(|steps| *steps += 1.0);
        self.world.time += dt;
        StepReport { dt, particles: self.world.particles.len(), converged: true, ..StepReport::default() }
    }

    fn field(&self, _name: &str, order: &[u32]) -> FieldData {
        Gather(order).scalar(|i| self.state.steps[i])
    }

    fn adopt(&mut self, scene: Scene) {
        self.materials = materials(&scene);
        self.world.adopt(scene);
    }

    fn other_bytes(&self) -> usize {
        0
    }
}

/// Its entry, for `Options::solver`.
pub static SLOW: SolverEntry = SolverEntry {
    kind: None,
    name: "slow",
    capabilities: SolverCapabilities {
        one_radius: true,
        has_grains: false,
        has_clumps: false,
        has_particle_bodies: false,
    },
    fields: <Slow as ParticleSolver>::FIELDS,
    check: crate::solver::takes_all,
    make: |input| Box::new(Slow::new(input)),
};
