//! Rigid bodies, and how two simulations have moved them.

use glam::{DVec3, Vec3};
use granule::Simulation;
use granule::boundary::Shape;
use granule::scene::{BodyKind, BodySettings};

use super::D;

/// A free body.
pub fn body(name: &str, shape: Shape, density: f32) -> BodySettings {
    BodySettings {
        name: name.into(),
        shape,
        mesh: None,
        kind: BodyKind::Dynamic,
        density,
        velocity: [0.0; 3],
        angular_velocity: [0.0; 3],
        friction: None,
        restitution: 0.0,
        motion: None,
        albedo: [0.5; 3],
    }
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

/// Momentum of grains and bodies.
pub fn momentum(simulation: &mut Simulation) -> DVec3 {
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
