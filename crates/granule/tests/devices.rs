//! Devices that refuse a scene, and what they are never asked.

mod common;

use common::{block, floor, sand};
use glam::Vec3;
use granule::bodies::BodyReport;
use granule::boundary::Sdf;
use granule::measure::{EXPERIMENTS, MeasureOptions};
use granule::particles::NewGrain;
use granule::scene::{Fill, MaterialSettings, Scene, SolverCapabilities};
use granule::simulator::{
    Command, CommandError, CommandReport, FieldError, FieldInfo, ReadTicket, Simulator, Snapshot, StateError,
    StepReport,
};
use granule::solver::Defect;
use granule::{
    Backend, BackendError, BackendInput, Device, Options, Simulation, SimulationError, SolverEntry,
    SolverInput,
};

/// A device that takes no scene.
struct Refusing;

impl Backend for Refusing {
    fn make(&self, _: BackendInput) -> Result<Box<dyn Simulator>, BackendError> {
        Err(BackendError::new("it is too small"))
    }
}

fn scene() -> Scene {
    let mut scene = sand(30.0);
    scene.boundary.push(floor());
    scene.grains.push(block([0.0; 3], [4.0; 3], Fill::Lattice));
    scene.body.push(common::body(
        "ball",
        granule::boundary::Shape::Sphere { center: [0.04, 0.2, 0.04], radius: 0.03, hollow: false },
        1000.0,
    ));
    scene
}

fn hash(options: &Options) -> (u64, Option<String>) {
    let mut simulation = Simulation::new(scene(), options).unwrap();
    simulation.run_until(0.04);
    (simulation.simulator().state_hash(), simulation.refusal().map(String::from))
}

#[test]
fn the_cpu_takes_what_a_preferred_device_refuses_and_says_why() {
    let preferred = Options { device: Device::preferred(Refusing), ..Options::default() };
    let (bits, reason) = hash(&preferred);
    assert_eq!(reason.as_deref(), Some("it is too small"));
    assert_eq!((bits, None), hash(&Options::default()));
}

#[test]
fn a_device_that_was_asked_for_is_not_replaced() {
    let options = Options { device: Device::backend(Refusing), ..Options::default() };
    let error = Simulation::new(scene(), &options).err().unwrap();
    assert_eq!(error.to_string(), "it is too small");
}

#[test]
fn deliberate_faults_are_refused_where_they_would_do_nothing() {
    for device in [Device::backend(Refusing), Device::preferred(Refusing)] {
        let options = Options { device, defect: Some(Defect::StressSign), ..Options::default() };
        let error = Simulation::new(scene(), &options).err().unwrap();
        assert!(error.to_string().contains("faults"), "{error}");
    }
}

/// A device that takes no method but its own.
struct Particular;

impl Backend for Particular {
    fn make(&self, input: BackendInput) -> Result<Box<dyn Simulator>, BackendError> {
        let name = input.solver.name;
        match name {
            "still" => Ok((STILL.make)(SolverInput {
                scene: input.scene.clone(),
                boundaries: input.boundaries,
                bodies: input.bodies,
                grains: input.grains,
                assemblies: input.assemblies,
                grain_shapes: input.grain_shapes,
                team: granule::team::Team::new(1).unwrap(),
                instructions: None,
                defect: None,
            })),
            _ => Err(BackendError::new(format!("there is no method `{name}`"))),
        }
    }
}

/// A solver from outside: it moves nothing, and takes grains of any radii.
static STILL: SolverEntry = SolverEntry {
    kind: None,
    name: "still",
    capabilities: SolverCapabilities {
        one_radius: false,
        has_grains: false,
        has_clumps: false,
        has_particle_bodies: false,
    },
    fields: granule::solver::iisph::FIELDS,
    check: granule::solver::takes_all,
    make: |input| Box::new(Lost { solver: "still", grains: input.grains.len(), steps: 0 }),
};

/// Sand and gravel of two radii, which the solver that the scene names refuses.
fn two_radii() -> Scene {
    let mut scene = scene();
    let gravel = MaterialSettings { name: "gravel".into(), radius: 0.02, ..scene.material[0].clone() };
    scene.material.push(gravel);
    scene
}

#[test]
fn a_solver_from_outside_takes_the_place_of_the_scenes() {
    let error = Simulation::new(two_radii(), &Options::default()).err().unwrap();
    assert!(error.to_string().contains("solver iisph needs one radius"), "{error}");
    let own = Options { solver: Some(&STILL), ..Options::default() };
    let simulation = Simulation::new(two_radii(), &own).unwrap();
    assert_eq!(simulation.simulator().solver(), "still");
    let bytes = simulation.checkpoint().unwrap();
    let resumed = Simulation::resume(&bytes, &own).unwrap();
    assert_eq!((resumed.simulator().solver(), resumed.scene()), ("still", simulation.scene()));
    // Without it, nobody can go on with its state.
    assert!(Simulation::resume(&bytes, &Options::default()).is_err());
    let one_radius = Simulation::new(scene(), &own).unwrap().checkpoint().unwrap();
    let error = Simulation::resume(&one_radius, &Options::default()).err().unwrap();
    assert!(error.to_string().contains("state of `still` in a scene for `iisph`"), "{error}");
}

#[test]
fn a_backend_hears_which_method_it_is_to_make() {
    let device = Device::backend(Particular);
    let error = Simulation::new(scene(), &Options { device: device.clone(), ..Options::default() });
    assert_eq!(error.err().unwrap().to_string(), "there is no method `iisph`");
    let own = Options { device, solver: Some(&STILL), ..Options::default() };
    assert_eq!(Simulation::new(scene(), &own).unwrap().simulator().solver(), "still");
}

/// A live run owns its simulation on a thread of its own.
#[test]
fn a_simulation_may_move_to_another_thread() {
    let mut simulation = Simulation::new(scene(), &Options::default()).unwrap();
    let steps = std::thread::spawn(move || {
        simulation.step();
        simulation.steps()
    });
    assert_eq!(steps.join().unwrap(), 1);
}

/// A device that is lost in its third step. It moves nothing and has nothing to read.
struct Lost {
    solver: &'static str,
    grains: usize,
    steps: usize,
}

const LOST: &str = "the device was lost";

/// Steps after the failure that nobody who looks at it would take.
const PATIENCE: usize = 100;

impl Simulator for Lost {
    fn solver(&self) -> &'static str {
        self.solver
    }
    fn device(&self) -> String {
        "lost".into()
    }
    fn step(&mut self, max_dt: f64) -> StepReport {
        self.steps += 1;
        assert!(self.steps < PATIENCE, "nobody looked whether the device has failed");
        StepReport { dt: max_dt, ..StepReport::default() }
    }
    fn failure(&self) -> Option<&str> {
        (self.steps > 2).then_some(LOST)
    }
    fn apply(&mut self, _: &Command) -> Result<CommandReport, CommandError> {
        Ok(CommandReport::default())
    }
    fn emit(&mut self, _: &[NewGrain], _: &[Vec3]) -> usize {
        0
    }
    fn remove_inside(&mut self, regions: &[&Sdf]) -> Vec<usize> {
        vec![0; regions.len()]
    }
    fn fields(&self) -> &'static [FieldInfo] {
        granule::solver::iisph::FIELDS
    }
    fn read(&mut self, _: &[&str]) -> Result<ReadTicket, FieldError> {
        Ok(ReadTicket(0))
    }
    fn poll(&mut self, _: ReadTicket, _: &mut Snapshot) -> bool {
        true
    }
    fn particle_count(&self) -> usize {
        self.grains
    }
    fn time(&self) -> f64 {
        0.0
    }
    fn bytes_per_particle(&self) -> f64 {
        0.0
    }
    fn state_hash(&self) -> u64 {
        0
    }
    fn bodies(&self) -> Vec<BodyReport> {
        Vec::new()
    }
    fn set_diagnostics(&mut self, _: bool) {}
    fn checkpoint(&self) -> Result<Vec<u8>, StateError> {
        Ok(Vec::new())
    }
    fn restore(&mut self, _: &[u8]) -> Result<(), StateError> {
        Ok(())
    }
}

struct MakeLost;

impl Backend for MakeLost {
    fn make(&self, input: BackendInput) -> Result<Box<dyn Simulator>, BackendError> {
        Ok(Box::new(Lost { solver: "iisph", grains: input.grains.len(), steps: 0 }))
    }
}

/// Experiments went on without an end, or panicked, where the device had nothing more to say.
#[test]
fn experiments_end_where_the_device_fails() {
    let simulation = Options { device: Device::backend(MakeLost), ..Options::default() };
    let options = MeasureOptions { quick: true, simulation, ..MeasureOptions::default() };
    for experiment in EXPERIMENTS.iter().filter(|experiment| experiment.name != "upsample") {
        let error = experiment.run(&options, &mut |_, _| ()).unwrap_err();
        assert!(matches!(&error, SimulationError::Failed(reason) if reason == LOST), "{error}");
    }
}
