//! Distinct elements on both devices.

use granule::Device;
use granule::scene::Scene;

use super::difference;
use super::runs::{apart, frames, simulate};

/// Largest radius of the grains [m].
pub const RADIUS: f64 = 0.0055;

/// Spheres of 4.5 to 5.5 mm that are poured into a box, with what a test adds.
pub fn pouring(more: &str) -> Scene {
    let text = format!(
        "name = \"pouring\"\n[simulation]\nsolver = \"dem\"\nfps = 100\n[[material]]\nname = \"glass\"\n\
         radius = 0.005\ndensity = 2500\n[material.dem]\nyoung = 5e6\npoisson = 0.3\nrestitution = 0.5\nfriction = 0.5\n\
         {more}"
    );
    Scene::parse(&text, "pouring").unwrap()
}

/// Grains in the air above a floor, in a box of this size [m].
pub fn block(size: [f32; 3], velocity: [f32; 3]) -> String {
    let [x, y, z] = size;
    format!(
        "[[grains]]\nmaterial = \"glass\"\nfill = \"random\"\nradius = [0.0045, 0.0055]\nvelocity = {velocity:?}\n\
         shape.box = {{ min = [0, 0.001, 0], max = [{x}, {y}, {z}] }}\n"
    )
}

/// Lets a scene go on both devices for about so many steps, and gives how far grains are apart, in radii, and how much
/// velocities differ.
pub fn compare(scene: &Scene, steps: usize, device: &Device) -> [f64; 2] {
    let mut scene = scene.clone();
    scene.simulation.fps = 1.0 / (steps as f64 * simulate(&scene, device).step().dt);
    let (mut cpu, mut gpu) = (simulate(&scene, &Device::Cpu), simulate(&scene, device));
    let (a, b) = (frames(&mut cpu, 1), frames(&mut gpu, 1));
    assert_eq!((cpu.steps(), cpu.particle_count()), (gpu.steps(), gpu.particle_count()));
    assert!((a.dt / b.dt - 1.0).abs() < 1e-4, "{} {}", a.dt, b.dt);
    let energy = (a.kinetic_energy, b.kinetic_energy);
    assert!((energy.0 - energy.1).abs() <= 1e-3 * energy.0, "{energy:?}");
    let fields = ["position", "velocity", "angular_velocity", "force", "orientation"];
    let (x, y) = (cpu.read(&fields).unwrap(), gpu.read(&fields).unwrap());
    let found = [apart(&x, &y) / RADIUS, difference(&x, &y, "velocity")];
    eprintln!(
        "{} grains, {:.2} and {:.2} contacts, {} steps: {:.2e} radii, {:.2e} of velocities",
        gpu.particle_count(),
        a.neighbors_mean,
        b.neighbors_mean,
        gpu.steps(),
        found[0],
        found[1]
    );
    // One contact that opens or closes a step earlier counts twice.
    let count = gpu.particle_count() as f64;
    assert!((a.neighbors_mean - b.neighbors_mean).abs() <= 0.01 * a.neighbors_mean + 4.0 / count, "contacts");
    assert!(difference(&x, &y, "orientation") < 1e-3 && difference(&x, &y, "angular_velocity") < 1e-2);
    found
}
