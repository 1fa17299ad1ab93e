//! A solver that does nothing, slowly: what a window must not wait for.

use std::time::Duration;

use granule::columns::ParticleColumns;
use granule::material::Material;
use granule::neighbors::Domain;
use granule::scene::{Scene, SolverCapabilities, YieldLaw};
use granule::simulator::{FieldData, FieldInfo, FieldKind, StepReport};
use granule::solver::particle_solver::ParticleSolver;
use granule::solver::reads::{Gather, field};
use granule::solver::world::{World, equal_steps};
use granule::{SolverEntry, SolverInput};

/// Wall time of a step.
pub const STEP: Duration = Duration::from_millis(200);
/// Longest step \[s\].
const LONGEST_STEP: f64 = 5e-3;

granule::particle_columns! {
    /// No columns but one, for the form's sake.
    pub struct SlowState {
        /// Steps that a particle has seen.
        steps: Vec<f32> => State,
    }
}

struct Slow {
    world: World,
    state: SlowState,
    materials: Vec<Material>,
}

fn materials(scene: &Scene) -> Vec<Material> {
    scene.material.iter().map(|m| Material::new(m, YieldLaw::Tan)).collect()
}

impl Slow {
    fn new(input: SolverInput) -> Self {
        let materials = materials(&input.scene);
        let world = World::new(input.scene, input.boundaries, input.bodies, input.grains, input.team);
        let mut state = SlowState::default();
        state.resize(world.particles.len());
        Self { world, state, materials }
    }
}

impl ParticleSolver for Slow {
    type Columns = SlowState;
    const NAME: &'static str = "slow";
    const FIELDS: &'static [FieldInfo] = &[
        field("id", "1", FieldKind::Integer),
        field("position", "m", FieldKind::Vec3),
        field("material", "1", FieldKind::Integer),
    ];

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
        let dt = equal_steps(max_dt, LONGEST_STEP);
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

/// Its entry.
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
    check: granule::solver::takes_all,
    make: |input| Box::new(Slow::new(input)),
};
