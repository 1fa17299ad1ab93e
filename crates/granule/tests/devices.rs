//! Devices that refuse a scene, and what they are never asked.

mod common;

use common::{block, floor, sand};
use glam::Vec3;
use granule::bodies::BodyReport;
use granule::boundary::Sdf;
use granule::measure::{EXPERIMENTS, MeasureOptions};
use granule::scene::{Fill, Scene};
use granule::simulator::{
    Command, CommandError, CommandReport, FieldError, FieldInfo, ReadTicket, Simulator, Snapshot, StateError,
    StepReport,
};
use granule::solver::Defect;
use granule::{Backend, BackendError, BackendInput, Device, Options, Simulation, SimulationError};

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

/// A device that is lost in its third step. It moves nothing and has nothing to read.
struct Lost {
    grains: usize,
    steps: usize,
}

const LOST: &str = "the device was lost";

/// Steps after the failure that nobody who looks at it would take.
const PATIENCE: usize = 100;

impl Simulator for Lost {
    fn solver(&self) -> &'static str {
        "iisph"
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
    fn emit(&mut self, _: u16, _: &[Vec3], _: Vec3, _: usize) -> usize {
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
        Ok(Box::new(Lost { grains: input.grains.len(), steps: 0 }))
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
