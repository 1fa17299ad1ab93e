//! The recipe of docs/adding-a-solver.md, followed outside the engine: a solver that does nothing but fly and stay out of
//! walls. It shows all that a solver on CPU cores must write, and that the rest is there: commands, emission, removal,
//! fields, hashes and checkpoints.

use glam::Vec3;
use granule::columns::ParticleColumns;
use granule::material::Material;
use granule::neighbors::Domain;
use granule::quarantine::unsound;
use granule::scene::{Scene, SolverCapabilities, YieldLaw};
use granule::simulator::{FieldData, FieldInfo, FieldKind, StepReport};
use granule::solver::particle_solver::ParticleSolver;
use granule::solver::reads::{Gather, field};
use granule::solver::walls::{WallContacts, WallStep, correct_contact};
use granule::solver::world::{World, equal_steps};
use granule::sph::{Kernel, KernelKind, WallTable};
use granule::{Options, Simulation, SolverEntry, SolverInput};

// 1. Columns.
granule::particle_columns! {
    /// Columns of the toy.
    pub struct ToyState {
        /// Way that a particle has flown [m].
        way: Vec<f32> => State,
    }
    beside {
        /// Walls near particles.
        contacts: WallContacts,
    }
}

// 2. Constants.
const LONGEST_STEP: f64 = 1e-3;

/// A particle flies freely and stays out of walls.
struct Toy {
    world: World,
    state: ToyState,
    materials: Vec<Material>,
    wall_table: WallTable,
    radius: f32,
}

impl Toy {
    fn new(input: SolverInput) -> Self {
        let radius = input.scene.material[0].radius;
        let kernel = Kernel::new(KernelKind::Cubic, 4.0 * radius);
        let materials = materials(&input.scene);
        let world = World::new(input.scene, input.boundaries, input.bodies, input.grains, input.team);
        let mut state = ToyState::default();
        state.resize(world.particles.len());
        let wall_table = WallTable::new(&kernel, 2.0 * radius);
        Self { materials, world, state, wall_table, radius }
    }

    fn fly(&mut self, dt: f32) {
        let gravity = self.world.gravity;
        self.world.particles.velocity.iter_mut().for_each(|v| *v += (dt * gravity).extend(0.0));
    }

    fn stay_out_of_walls(&mut self, dt: f32) {
        let (world, contacts) = (&mut self.world, &mut self.state.contacts);
        contacts.sample_anew(
            &world.boundaries,
            &self.wall_table,
            4.0 * self.radius,
            &world.particles.position,
        );
        let wall =
            WallStep { radius: self.radius, inverse_dt: 1.0 / dt, push_out_speed: 0.1, relaxation: 1.0 };
        for (b, block) in contacts.blocks.iter_mut().enumerate() {
            block.for_each_mut(|k, contacts| {
                let velocity = &mut world.particles.velocity[b * granule::team::BLOCK + k];
                for contact in contacts {
                    let relative = velocity.truncate() - contact.sample.velocity;
                    *velocity += (dt * correct_contact(contact, relative, 0.0, &wall)).extend(0.0);
                }
            });
        }
    }

    fn drift(&mut self, dt: f32) {
        let particles = &mut self.world.particles;
        for i in 0..particles.len() {
            let step = dt * particles.velocity[i].truncate();
            particles.position[i] += step.extend(0.0);
            self.state.way[i] += step.length();
        }
    }
}

fn materials(scene: &Scene) -> Vec<Material> {
    scene.material.iter().map(|m| Material::new(m, YieldLaw::Tan)).collect()
}

// 3. Stages, and 4. the trait.
impl ParticleSolver for Toy {
    type Columns = ToyState;
    const NAME: &'static str = "toy";
    const FIELDS: &'static [FieldInfo] = &[
        field("id", "1", FieldKind::Integer),
        field("position", "m", FieldKind::Vec3),
        field("way", "m", FieldKind::Scalar),
    ];

    fn world(&self) -> &World {
        &self.world
    }

    fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    fn columns(&self) -> &ToyState {
        &self.state
    }

    fn columns_mut(&mut self) -> &mut ToyState {
        &mut self.state
    }

    fn domain(&self) -> Domain {
        Domain::default()
    }

    fn materials(&self) -> &[Material] {
        &self.materials
    }

    fn step_stages(&mut self, max_dt: f64) -> StepReport {
        let dt = equal_steps(max_dt, LONGEST_STEP);
        self.world.boundaries.advance(self.world.time, dt);
        self.fly(dt as f32);
        self.stay_out_of_walls(dt as f32);
        self.drift(dt as f32);
        let keep = unsound(&self.world.particles.position, &self.world.particles.velocity);
        let lost = keep.map_or(0, |keep| self.remove_particles(&keep));
        self.world.time += dt;
        let motion = self.world.measure_motion();
        let (max_speed, kinetic_energy) = (motion.max_speed, motion.kinetic_energy);
        let particles = self.world.particles.len();
        StepReport {
            dt,
            particles,
            converged: true,
            max_speed,
            kinetic_energy,
            lost,
            ..StepReport::default()
        }
    }

    fn field(&self, _name: &str, order: &[u32]) -> FieldData {
        Gather(order).scalar(|i| self.state.way[i])
    }

    fn adopt(&mut self, scene: Scene) {
        self.materials = materials(&scene);
        self.world.adopt(scene);
    }

    fn other_bytes(&self) -> usize {
        self.state.contacts.bytes()
    }
}

// 5. An entry of its own, instead of one in the registry.
static TOY: SolverEntry = SolverEntry {
    kind: None,
    name: "toy",
    capabilities: SolverCapabilities {
        one_radius: true,
        has_grains: false,
        has_clumps: false,
        has_particle_bodies: false,
    },
    fields: <Toy as ParticleSolver>::FIELDS,
    check: granule::solver::takes_all,
    make: |input| Box::new(Toy::new(input)),
};

const SCENE: &str = r#"
name = "toy"
[simulation]
fps = 50
[[material]]
name = "sand"
radius = 0.01
[[grains]]
material = "sand"
shape.box = { min = [0, 0.5, 0], max = [0.2, 0.6, 0.2] }
[[emitter]]
name = "hose"
material = "sand"
shape.box = { min = [0.3, 0.5, 0], max = [0.4, 0.52, 0.1] }
rate = 500
[[outlet]]
name = "drain"
shape.box = { min = [-1, -1, -1], max = [0.1, 0.05, 1] }
[[boundary]]
name = "floor"
shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
"#;

fn options(threads: usize) -> Options {
    Options { solver: Some(&TOY), threads: Some(threads), ..Options::default() }
}

fn simulation(threads: usize) -> Simulation {
    Simulation::new(Scene::parse(SCENE, "toy").unwrap(), &options(threads)).unwrap()
}

/// Height and way of the first grain.
fn first(simulation: &mut Simulation) -> (f32, f32) {
    let fields = simulation.read(&["position", "way"]).unwrap();
    (fields.vec3("position").unwrap()[0][1], fields.scalar("way").unwrap()[0])
}

/// Symplectic Euler falls g dt^2 n (n + 1) / 2 in n steps.
#[test]
fn a_toy_solver_flies_as_its_scheme_says_and_rests_on_the_floor() {
    let mut simulation = simulation(1);
    assert_eq!(simulation.simulator().solver(), "toy");
    let (start, _) = first(&mut simulation);
    simulation.run_until(0.2);
    let (height, way) = first(&mut simulation);
    let fall = 9.81 * 1e-6 * (200.0 * 201.0) / 2.0;
    assert!((start - height - fall).abs() < 1e-5 && (way - fall).abs() < 1e-5, "{start} {height} {way}");
    simulation.run_until(0.6);
    let fields = simulation.read(&["position", "id"]).unwrap();
    let heights: Vec<f32> = fields.vec3("position").unwrap().iter().map(|x| x[1]).collect();
    let resting = heights.iter().filter(|y| (**y - 0.01).abs() < 1e-4).count();
    assert!(heights.iter().all(|y| *y > 0.0099) && resting > 100, "{resting} rest");
}

/// What the recipe gives for nothing: emission, outlets, commands, fields, hashes for any number of threads, and resumed
/// runs with the same bits.
#[test]
fn a_toy_solver_has_the_rest_for_nothing() {
    let mut unbroken = simulation(1);
    unbroken.run_until(0.3);
    let checkpoint = unbroken.checkpoint().unwrap();
    let mut resumed = Simulation::resume(&checkpoint, &options(2)).unwrap();
    for simulation in [&mut unbroken, &mut resumed] {
        let way = simulation.read(&["way"]).unwrap();
        assert!(way.scalar("way").unwrap()[0] > 0.4, "the way is saved");
        let command = granule::simulator::Command::Gravity(Vec3::new(0.0, -5.0, 0.0));
        simulation.apply(&command).unwrap();
        simulation.run_until(0.5);
        let ledger = simulation.ledger();
        assert!(ledger.emitted > 50 && ledger.drained > 50, "{ledger:?}");
        assert_eq!(ledger.unaccounted(), 0, "{ledger:?}");
    }
    assert_eq!(unbroken.simulator().state_hash(), resumed.simulator().state_hash());
    let [way, again] =
        [unbroken, resumed].map(|mut run| run.read(&["way"]).unwrap().scalar("way").unwrap().to_vec());
    assert_eq!(way, again);
}
