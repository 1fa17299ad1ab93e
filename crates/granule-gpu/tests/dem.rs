//! Distinct elements on a device against the CPU's.

mod common;

use std::ops::ControlFlow;

use common::{difference, gpu, numbers, simulate};
use granule::scene::Scene;
use granule::simulator::Snapshot;
use granule::{Device, Options, Simulation};

/// Largest radius of the grains [m].
const RADIUS: f64 = 0.0055;

/// Spheres of 4.5 to 5.5 mm that are poured into a box, with what a test adds.
fn pouring(more: &str) -> Scene {
    let text = format!(
        "name = \"pouring\"\n[simulation]\nsolver = \"dem\"\nfps = 100\n[[material]]\nname = \"glass\"\n\
         radius = 0.005\ndensity = 2500\n[material.dem]\nyoung = 5e6\npoisson = 0.3\nrestitution = 0.5\nfriction = 0.5\n\
         {more}"
    );
    Scene::parse(&text, "pouring").unwrap()
}

/// Grains in the air above a floor, in a box of this size [m].
fn block(size: [f32; 3], velocity: [f32; 3]) -> String {
    let [x, y, z] = size;
    format!(
        "[[grains]]\nmaterial = \"glass\"\nfill = \"random\"\nradius = [0.0045, 0.0055]\nvelocity = {velocity:?}\n\
         shape.box = {{ min = [0, 0.001, 0], max = [{x}, {y}, {z}] }}\n"
    )
}

fn container(size: [f32; 3]) -> String {
    let [x, y, z] = size;
    format!(
        "[[boundary]]\nname = \"box\"\nshape.box = {{ min = [0, 0, 0], max = [{x}, {y}, {z}], hollow = true }}\n"
    )
}

fn dam(more: &str) -> Scene {
    pouring(&format!("{more}{}{}", block([0.1, 0.1, 0.06], [0.3, -0.5, 0.1]), container([0.12, 0.3, 0.06])))
}

/// Largest distance of the same grain on both devices, in largest radii.
fn apart(a: &Snapshot, b: &Snapshot) -> f64 {
    let (a, b) = (numbers(a.column("position").unwrap()), numbers(b.column("position").unwrap()));
    assert_eq!(a.len(), b.len());
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / RADIUS
}

/// Steps a scene on both devices and gives how far grains are apart, in radii, and the difference of velocities.
fn compare(scene: &Scene, steps: usize, device: &Device) -> [f64; 2] {
    let (mut cpu, mut gpu) = (simulate(scene, &Device::Cpu), simulate(scene, device));
    let mut contacts = 0.0;
    for k in 0..steps {
        let (a, b) = (cpu.step(), gpu.step());
        assert_eq!(gpu.failure(), None);
        assert_eq!(a.particles, b.particles);
        assert!((a.dt / b.dt - 1.0).abs() < 1e-5, "step {k}: {} {}", a.dt, b.dt);
        let energy = (a.kinetic_energy, b.kinetic_energy);
        assert!((energy.0 - energy.1).abs() <= 1e-3 * energy.0, "step {k}: {energy:?}");
        contacts = b.neighbors_mean;
    }
    let fields = ["position", "velocity", "angular_velocity", "force", "orientation"];
    let (a, b) = (cpu.read(&fields).unwrap(), gpu.read(&fields).unwrap());
    let found = [apart(&a, &b), difference(&a, &b, "velocity")];
    let count = gpu.particle_count();
    eprintln!("{count} grains with {contacts} contacts, {steps} steps: {:.2e} radii, {:.2e} of velocities", found[0], found[1]);
    found
}

#[test]
fn a_pouring_is_that_of_the_cpu() {
    let Some(device) = gpu() else { return };
    let found = compare(&dam(""), 200, &device);
    assert!(found[0] < 1e-3 && found[1] < 1e-2, "{found:?}");
}
