//! Live runs, as a window would use them.

mod control;
mod files;
mod past;
mod saved;
mod slow;
mod slow_solver;

use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::{Quat, Vec3};

use crate::build::Options;
use crate::scene::Scene;
use crate::simulator::Command;

use super::{Event, Frame, Live, LiveOptions, RequestId, Speed};

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sand on a floor, more of it from above, and a tool: 125 grains at first.
const SCENE: &str = r#"
name = "tray"
[simulation]
fps = 50
[[material]]
name = "sand"
radius = 0.01
[[grains]]
material = "sand"
shape.box = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }
[[emitter]]
name = "hose"
material = "sand"
shape.box = { min = [0, 0.3, 0], max = [0.1, 0.32, 0.1] }
rate = 200
[[boundary]]
name = "floor"
shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
[[boundary]]
name = "tool"
shape.sphere = { center = [0.3, 0.05, 0.05], radius = 0.05 }
"#;

fn scene() -> Scene {
    Scene::parse(SCENE, "tray").unwrap()
}

/// One thread, a hash with every frame, a checkpoint at every frame.
fn options() -> LiveOptions {
    LiveOptions {
        simulation: Options { threads: Some(1), ..Options::default() },
        state_hash: true,
        speed: Speed::Unlimited,
        checkpoint_after: Duration::ZERO,
        ..LiveOptions::default()
    }
}

fn start() -> Live {
    Live::start(scene(), options()).unwrap()
}

/// The first frame after a request was answered.
fn after(live: &Live, id: RequestId) -> Arc<Frame> {
    live.wait(PATIENCE, |frame| frame.answered >= id && frame.seeking.is_none()).expect("an answer")
}

fn seek(live: &Live, frame: u64) -> Arc<Frame> {
    let found = after(live, live.seek(frame));
    assert_eq!(found.frame, frame);
    found
}

/// Waits for an event.
fn event(live: &Live, mut wanted: impl FnMut(&Event) -> bool) -> Event {
    let end = Instant::now() + PATIENCE;
    let mut seen = Vec::new();
    while Instant::now() < end {
        for event in live.events() {
            if wanted(&event) {
                return event;
            }
            seen.push(event);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("no such event among {seen:?}");
}

fn angle(value: f64) -> Command {
    Command::Set { path: "material.sand.friction_angle".into(), value }
}

fn tool(x: f32) -> Command {
    Command::ToolPose {
        boundary: "tool".into(),
        position: [x, 0.0, 0.0].into(),
        rotation: Quat::IDENTITY,
        velocity: [-0.5, 0.0, 0.0].into(),
        angular_velocity: Vec3::ZERO,
    }
}
