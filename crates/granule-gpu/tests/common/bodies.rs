//! Rigid bodies, and how two simulations have moved them.

use glam::{DVec3, Vec3};
use granule::boundary::Shape;
use granule::scene::{BodySettings, GrainsSettings, Scene};
use granule::{Device, Simulation};

use super::{D, simulate};

/// A free body.
pub fn body(name: &str, shape: Shape, density: f32) -> BodySettings {
    BodySettings { density, albedo: [0.5; 3], ..BodySettings::new(name, shape) }
}

/// A block with its corners given in spacings.
pub fn brick(min: [f32; 3], max: [f32; 3]) -> Shape {
    Shape::Box { min: min.map(|c| c * D), max: max.map(|c| c * D), hollow: false }
}

/// A ball with its centre and radius given in spacings.
pub fn ball(center: [f32; 3], radius: f32) -> Shape {
    Shape::Sphere { center: center.map(|c| c * D), radius: radius * D, hollow: false }
}

/// Largest difference of the bodies of two simulations: velocities relative to 1 m/s, forces to the largest.
pub fn apart(cpu: &Simulation, gpu: &Simulation) -> [f64; 3] {
    let (a, b) = (cpu.simulator().bodies(), gpu.simulator().bodies());
    let most = |difference: &dyn Fn(usize) -> f32| (0..a.len()).map(difference).fold(0.0, f32::max) as f64;
    let largest = |of: &dyn Fn(usize) -> f32| most(of).max(1e-12);
    [
        most(&|k| (a[k].velocity - b[k].velocity).length()),
        most(&|k| (a[k].force - b[k].force).length()) / largest(&|k| a[k].force.length()),
        most(&|k| (a[k].torque - b[k].torque).length()) / largest(&|k| a[k].torque.length()),
    ]
}

/// A cloud that flies without gravity towards a slab and a light brick.
pub fn add_cloud_and_bodies(scene: &mut Scene, mut cloud: GrainsSettings) {
    scene.simulation.gravity = [0.0; 3];
    cloud.velocity = [1.0, 0.1, 0.0];
    scene.grains.push(cloud);
    scene.body.push(body("slab", brick([9.0, 1.0, 1.0], [12.0, 6.0, 8.0]), 900.0));
    scene.body.push(body("light", brick([8.5, 6.5, 1.0], [11.0, 9.0, 4.0]), 40.0));
}

/// How much the momentum of grains and bodies together changes over some steps, relative to what it was.
pub fn change_of_momentum(simulation: &mut Simulation, steps: usize) -> f64 {
    let before = momentum(simulation);
    for _ in 0..steps {
        simulation.step();
        assert_eq!(simulation.failure(), None);
    }
    for body in simulation.simulator().bodies() {
        assert!(body.velocity.x > 0.05, "the cloud has hit {}: {:?}", body.name, body.velocity);
    }
    let change = (momentum(simulation) - before).length() / before.length();
    eprintln!("momentum changes by {change:.1e}");
    change
}

/// A box of density 500 on the surface of a filling, in spacings.
pub fn add_floating_box(scene: &mut Scene, width: f32, height: f32, side: f32) {
    scene.material[0].viscosity = 4e-3;
    let (low, high) = ((width - side) / 2.0, (width + side) / 2.0);
    scene.body.push(body("box", brick([low, height, low], [high, height + side, high]), 500.0));
    scene.body[0].friction = Some(0.0);
}

/// Mean height of the first body's centre in the second half of a time [s], in spacings.
pub fn late_height(scene: &Scene, device: &Device, seconds: f64) -> f32 {
    let track = heights(&mut simulate(scene, device), seconds);
    let late = &track[track.len() / 2..];
    late.iter().sum::<f32>() / late.len() as f32 / D
}

/// Momentum of grains and bodies.
fn momentum(simulation: &mut Simulation) -> DVec3 {
    let mass = f64::from(simulation.scene().material[0].density) * f64::from(D).powi(3);
    let snapshot = simulation.read(&["velocity"]).unwrap();
    let grains = snapshot.vec3("velocity").unwrap().iter().map(|v| mass * Vec3::from(*v).as_dvec3());
    let bodies = simulation.simulator().bodies();
    let bodies = bodies.iter().map(|body| f64::from(body.mass) * body.velocity.as_dvec3());
    grains.chain(bodies).sum()
}

/// Heights of the first body's centre, once per frame [m].
pub fn heights(simulation: &mut Simulation, seconds: f64) -> Vec<f32> {
    let mut track = Vec::new();
    while simulation.time() < seconds - 1e-9 {
        let frame = simulation.frame() + 1;
        while simulation.frame() < frame {
            simulation.step();
            assert_eq!(simulation.failure(), None);
        }
        track.push(simulation.simulator().bodies()[0].center.y);
    }
    track
}

/// Momentum of spheres of one density and of free bodies [kg m/s].
pub fn momentum_of_spheres(simulation: &mut Simulation) -> DVec3 {
    let density = f64::from(simulation.scene().material[0].density);
    let snapshot = simulation.read(&["velocity", "radius"]).unwrap();
    let mass = |radius: f32| density * 4.0 / 3.0 * std::f64::consts::PI * f64::from(radius).powi(3);
    let radii = snapshot.scalar("radius").unwrap();
    let velocities = snapshot.vec3("velocity").unwrap().iter().map(|v| Vec3::from(*v).as_dvec3());
    let grains: DVec3 = velocities.zip(radii).map(|(v, radius)| mass(*radius) * v).sum();
    let bodies = simulation.simulator().bodies();
    grains + bodies.iter().map(|body| f64::from(body.mass) * body.velocity.as_dvec3()).sum::<DVec3>()
}
