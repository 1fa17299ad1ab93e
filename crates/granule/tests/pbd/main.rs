//! Position-based sand: what must stay at rest, what must be conserved, and that nothing depends on threads or restarts.

mod angles;
mod averaged;
mod bits;
mod conservation;
mod lists;
mod refusals;
mod rest;
mod shaped;
mod surroundings;

use glam::DVec3;
use granule::contacts::Contact;
use granule::scene::Scene;
use granule::simulator::Command;
use granule::solver::Defect;
use granule::{Options, Simulation};

/// Diameter \[m\], density [kg/m3] and gravity [m/s2] of most tests.
const D: f64 = 0.02;
const DENSITY: f64 = 2500.0;
const GRAVITY: f64 = 9.81;

fn options(threads: usize) -> Options {
    Options { threads: Some(threads), solver: None, ..Options::default() }
}

fn with_defect(defect: Defect) -> Options {
    Options { defect: Some(defect), ..options(2) }
}

/// What grains are like: friction and rolling friction.
type Frictions = (f64, f64);

/// A scene with keys of `[simulation]`, keys of `[pbd]`, and the rest.
fn scene(simulation: &str, pbd: &str, (friction, rolling): Frictions, rest: &str) -> Scene {
    let text = format!(
        "name = \"test\"\n[simulation]\nsolver = \"pbd\"\nfps = 60\n{simulation}\n[pbd]\n{pbd}\n[[material]]\n\
         name = \"sand\"\nradius = {}\ndensity = {DENSITY}\n[material.pbd]\nfriction = {friction}\n\
         rolling_friction = {rolling}\n{rest}",
        0.5 * D
    );
    Scene::parse(&text, "test").unwrap_or_else(|error| panic!("{error}"))
}

fn start(scene: Scene) -> Simulation {
    Simulation::new(scene, &options(2)).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs to a time \[s\] and gives the fastest speed of the last step, in sqrt(g d).
fn run_to(simulation: &mut Simulation, until: f64) -> f64 {
    let mut fastest = 0.0;
    while simulation.time() < until - 1e-9 {
        fastest = simulation.step().max_speed;
    }
    fastest / (GRAVITY * D).sqrt()
}

fn positions(simulation: &mut Simulation) -> Vec<DVec3> {
    let fields = simulation.read(&["position"]).unwrap();
    fields.vec3("position").unwrap().iter().map(|x| DVec3::from(x.map(f64::from))).collect()
}

fn hash(simulation: &Simulation) -> u64 {
    simulation.simulator().state_hash()
}
