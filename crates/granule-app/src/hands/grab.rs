//! Grabbing bodies: a pull towards the pointer, and a throw when it is let go.

use glam::Vec3;
use granule::boundary::Sdf;
use granule::live::Frame;
use granule::scene::BodyKind;
use granule::simulator::Command;

use super::Pointing;

/// Steps along a line of sight until a surface is met, at most.
const STEPS: usize = 96;
/// A surface is met this near \[m per m of the way\].
const NEAR: f32 = 1e-4;
/// Farther than this nothing is grabbed \[m\].
const FAR: f32 = 1e3;
/// Share of the way to the pointer that a grabbed body makes in a frame.
const PULL: f32 = 0.25;
/// Share of the wanted change of velocity that a frame makes.
const FIRMNESS: f32 = 0.6;
/// Fastest pull [m/s].
const FASTEST: f32 = 6.0;

/// A body in the hand.
pub struct Grip {
    body: usize,
    /// From the centre to where it was grabbed \[m\].
    arm: Vec3,
}

impl Grip {
    /// Grabs the free body that is pointed at, if there is one.
    pub fn take(frame: &Frame, pointing: &Pointing) -> Option<Self> {
        let met = |body: usize| {
            let report = frame.bodies.get(body).filter(|report| report.kind == BodyKind::Dynamic)?;
            let sdf = Sdf::new(&frame.scene.body.get(body)?.shape).ok()?;
            let distance = |x: Vec3| sdf.distance(report.pose.body_from_world(x));
            march(pointing.eye, pointing.ray, distance).map(|along| (body, along))
        };
        let (body, along) =
            (0..frame.bodies.len()).filter_map(met).min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let arm = pointing.eye + along * pointing.ray - frame.bodies[body].center;
        Some(Self { body, arm })
    }

    /// The push that brings the body nearer to where the pointer is, at the depth that it has.
    pub fn pull(&self, frame: &Frame, pointing: &Pointing) -> Option<Command> {
        let report = frame.bodies.get(self.body)?;
        let held = report.center + self.arm;
        let along = pointing.ray.dot(pointing.forward);
        if along <= 1e-3 {
            return None;
        }
        let depth = (held - pointing.eye).dot(pointing.forward);
        let wanted = pointing.eye + pointing.ray * (depth / along);
        let fps = frame.scene.simulation.fps as f32;
        let velocity = (PULL * fps * (wanted - held)).clamp_length_max(FASTEST);
        let against_gravity = -Vec3::from(frame.scene.simulation.gravity) / fps;
        let impulse = report.mass * (FIRMNESS * (velocity - report.velocity) + against_gravity);
        Some(Command::PushBody { body: report.name.clone(), impulse, point: None })
    }
}

/// How far along a ray a surface is met \[m\], by its distances.
fn march(eye: Vec3, ray: Vec3, distance: impl Fn(Vec3) -> f32) -> Option<f32> {
    let mut along = 0.0;
    for _ in 0..STEPS {
        let step = distance(eye + along * ray);
        if step <= NEAR * along.max(1.0) {
            return Some(along);
        }
        along += step;
        if along > FAR {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_meets_a_ball_at_its_surface_or_not_at_all() {
        let ball = |x: Vec3| x.distance(Vec3::new(0.0, 0.0, -3.0)) - 1.0;
        let along = march(Vec3::ZERO, Vec3::NEG_Z, ball).unwrap();
        assert!((along - 2.0).abs() < 1e-3);
        assert!(march(Vec3::ZERO, Vec3::X, ball).is_none());
    }
}
