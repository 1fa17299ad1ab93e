//! Tools that are bodies of the simulation: they push, dig and carry, and the load of the grains on them is known.
//!
//! A hand says once per frame where a tool is to be at the frame's end; in between the simulation moves it, step by step.

use glam::{EulerRot, Quat, Vec3};
use granule::Shape;
use granule::live::Frame;
use granule::scene::{BodyKind, BodySettings, Scene};
use granule::simulator::Command;

use super::Pointing;

/// A tool moves by so many radii of grains per frame at most, so that no grain slips through it.
const STRIDE: f32 = 1.0;
/// A tool turns so far per frame at most \[rad\].
const TURN: f32 = 0.05;
/// Turn per notch of the wheel \[rad\].
const NOTCH: f32 = 0.15;
/// Walls of the scoop and thickness of the plate, in radii of grains: a grain inside is nearer to the face that it came by.
const WALL: f32 = 3.0;
/// Where tools are put away: so many sizes of themselves below everything.
const AWAY: f32 = 1000.0;

/// A tool that is a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// A flat square.
    Plate,
    /// A box that is open above.
    Scoop,
    /// A ball.
    Ball,
    /// A bulldozer's blade, driven by keys or a gamepad.
    Blade,
}

impl ToolKind {
    /// The word in the names of bodies.
    fn word(self) -> &'static str {
        match self {
            Self::Plate => "hand-plate",
            Self::Scoop => "hand-scoop",
            Self::Ball => "hand-ball",
            Self::Blade => "hand-blade",
        }
    }

    /// The shape about the origin, of a size among grains of a radius \[m\].
    fn shape(self, size: f32, radius: f32) -> Shape {
        let (half, wall) = (0.5 * size, WALL * radius);
        let cuboid = |half: Vec3| Shape::cuboid((-half).to_array(), half.to_array());
        match self {
            Self::Ball => Shape::ball([0.0; 3], half),
            Self::Plate => cuboid(Vec3::new(half, half, 0.5 * wall)),
            Self::Blade => cuboid(Vec3::new(1.5 * half, 0.5 * half, 0.5 * wall)),
            Self::Scoop => {
                let inner = Shape::cuboid(
                    [wall - half, wall - 0.75 * half, wall - half],
                    [half - wall, half, half - wall],
                );
                let outer = Shape::cuboid([-half, -0.75 * half, -half], [half, 0.75 * half, half]);
                Shape::Subtraction(vec![outer, inner])
            }
        }
    }
}

/// The body of a tool as a scene has it: a size among grains of a radius \[m\], described about the origin.
pub fn tool_settings(kind: ToolKind, name: &str, size: f32, radius: f32) -> BodySettings {
    BodySettings {
        name: name.into(),
        kind: BodyKind::Static,
        albedo: [0.2, 0.3, 0.45],
        ..BodySettings::new(name, kind.shape(size, radius))
    }
}

/// How a blade is driven: forward, to the left and upwards, each -1 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drive {
    /// Forward.
    pub forward: f32,
    /// To the left.
    pub left: f32,
    /// Upwards.
    pub up: f32,
}

/// A tool that is in the scene.
pub struct ToolBody {
    /// What it is.
    pub kind: ToolKind,
    /// Its size in radii of grains.
    pub size: f32,
    /// Its name among the bodies.
    pub name: String,
    position: Vec3,
    /// Turn about the vertical and tilt \[rad\].
    yaw: f32,
    pitch: f32,
    /// The frame after which it was last led.
    led: Option<u64>,
}

impl ToolBody {
    /// A tool that comes in above what is pointed at, across the line of sight.
    pub fn new(kind: ToolKind, size: f32, frame: &Frame, pointing: &Pointing) -> Self {
        let radius = frame.scene.reference_radius();
        let up = Vec3::Y * (0.5 * size + 2.0) * radius;
        Self {
            kind,
            size,
            name: format!("{}-{size:.0}", kind.word()),
            position: pointing.at + up,
            yaw: pointing.forward.x.atan2(pointing.forward.z),
            pitch: 0.0,
            led: None,
        }
    }

    /// Its body.
    pub fn settings(&self, scene: &Scene) -> BodySettings {
        let radius = scene.reference_radius();
        tool_settings(self.kind, &self.name, self.size * radius, radius)
    }

    /// Follows the pointer in the plane through the tool that faces the eye.
    pub fn lead(&mut self, frame: &Frame, pointing: &Pointing) -> Option<Command> {
        let turn = [pointing.wheel[0], pointing.wheel[1]].map(|notches| NOTCH * notches);
        let depth = (self.position - pointing.eye).dot(pointing.forward);
        let along = pointing.ray.dot(pointing.forward);
        let wanted = match (self.led, along > 1e-3) {
            (Some(_), true) => pointing.eye + pointing.ray * (depth / along),
            _ => self.position,
        };
        if self.kind == ToolKind::Blade && self.led.is_some() {
            return None;
        }
        self.go(frame, wanted - self.position, turn[1], turn[0])
    }

    /// Drives on.
    pub fn drive(&mut self, frame: &Frame, drive: Drive) -> Option<Command> {
        if drive == Drive::default() {
            return None;
        }
        let stride = STRIDE * frame.scene.reference_radius();
        let forward = Quat::from_rotation_y(self.yaw) * Vec3::Z;
        self.go(frame, stride * (drive.forward * forward + 0.5 * drive.up * Vec3::Y), TURN * drive.left, 0.0)
    }

    /// Moves as far as it may in a frame, and comes in where it is at first; nothing where time stands still.
    fn go(&mut self, frame: &Frame, by: Vec3, yaw: f32, pitch: f32) -> Option<Command> {
        if self.led == Some(frame.frame) {
            return None;
        }
        let first = self.led.replace(frame.frame).is_none();
        self.position += by.clamp_length_max(STRIDE * frame.scene.reference_radius());
        self.yaw += yaw.clamp(-TURN, TURN);
        self.pitch += pitch.clamp(-TURN, TURN);
        if first {
            return Some(self.put());
        }
        Some(Command::MoveTool {
            boundary: self.name.clone(),
            position: self.position,
            rotation: self.rotation(),
            seconds: frame.scene.simulation.fps.recip(),
        })
    }

    /// Goes where it is in nobody's way.
    pub fn put_away(mut self) -> Command {
        self.position = Vec3::NEG_Y * AWAY;
        self.put()
    }

    fn rotation(&self) -> Quat {
        Quat::from_euler(EulerRot::YXZ, self.yaw, self.pitch, 0.0)
    }

    /// Is where it is at once, without a way there.
    fn put(&self) -> Command {
        Command::ToolPose {
            boundary: self.name.clone(),
            position: self.position,
            rotation: self.rotation(),
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        }
    }
}
