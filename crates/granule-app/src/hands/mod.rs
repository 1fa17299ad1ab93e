//! What hands do in the view besides turning it: pour, take away, blow, dig with tools, grab bodies, pick a grain.
//!
//! Everything becomes commands to the live run, at most once per simulated frame, so that it is recorded, undone and replayed
//! like anything else.

mod grab;
mod pour;
mod tool_body;

use glam::Vec3;
use granule::live::Frame;
use granule::random::Random;
use granule::scene::Scene;
use granule::simulator::Command;
use granule::{BodyReport, Shape};

pub use grab::Grip;
pub use tool_body::{Drive, ToolBody, ToolKind};

/// Speed of the wind that is blown [m/s].
const WIND: f32 = 12.0;
/// Radius of what is taken away at once, in radii of grains.
const SUCTION: f32 = 5.0;
/// Size of tools, in radii of grains.
const TOOL_SIZE: f32 = 16.0;
/// Smallest and largest size of tools, in radii of grains.
pub const TOOL_SIZES: [f32; 2] = [8.0, 60.0];

/// What a drag with the left button does in the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Turns the view.
    #[default]
    Look,
    /// Picks a grain and shows its numbers.
    Pick,
    /// Grabs a body and throws it.
    Grab,
    /// Pours grains onto what is pointed at.
    Pour,
    /// Takes grains away.
    Suck,
    /// Blows along the line of sight.
    Blow,
    /// A body that is led by hand.
    Body(ToolKind),
}

impl Tool {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 10] = [
        (Self::Look, "Turn"),
        (Self::Pick, "Pick"),
        (Self::Grab, "Grab"),
        (Self::Pour, "Pour"),
        (Self::Suck, "Suck"),
        (Self::Blow, "Blow"),
        (Self::Body(ToolKind::Plate), "Plate"),
        (Self::Body(ToolKind::Scoop), "Scoop"),
        (Self::Body(ToolKind::Ball), "Ball"),
        (Self::Body(ToolKind::Blade), "Blade"),
    ];

    /// What it does, in a line.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Look => "drag to turn the view",
            Self::Pick => "click on a grain to see its numbers",
            Self::Grab => "drag a body; let go to throw it",
            Self::Pour => "hold to pour grains onto what is pointed at",
            Self::Suck => "hold to take grains away",
            Self::Blow => "hold to blow along the line of sight",
            Self::Body(ToolKind::Blade) => "hold to set it down; arrow keys drive, Page Up and Down lift",
            Self::Body(_) => "hold and drag to push and dig; the wheel tilts, with Shift it turns",
        }
    }
}

/// What hands know of the view at a moment.
pub struct Pointing {
    /// What is pointed at \[m\].
    pub at: Vec3,
    /// Where the eye is \[m\].
    pub eye: Vec3,
    /// The line of sight through the pointer.
    pub ray: Vec3,
    /// Where the camera looks.
    pub forward: Vec3,
    /// Notches of the wheel since the last frame: tilt and turn.
    pub wheel: [f32; 2],
}

/// Hands with a tool in them.
pub struct Hands {
    /// The tool.
    pub tool: Tool,
    /// Size of tools that are bodies, in radii of grains.
    pub size: f32,
    random: Random,
    blowing: bool,
    body: Option<ToolBody>,
    grip: Option<Grip>,
    /// The frame after which commands were last given.
    acted: Option<u64>,
}

impl Default for Hands {
    fn default() -> Self {
        Self {
            tool: Tool::Look,
            size: TOOL_SIZE,
            random: Random::new(1),
            blowing: false,
            body: None,
            grip: None,
            acted: None,
        }
    }
}

impl Hands {
    /// Forgets what was in another scene.
    pub fn let_go_of_everything(&mut self) {
        *self = Self { tool: self.tool, size: self.size, ..Self::default() };
    }

    /// The tool body that is led now, with the grains' load on it.
    pub fn led_body<'a>(&self, frame: &'a Frame) -> Option<&'a BodyReport> {
        let name = self.body.as_ref()?.name.as_str();
        frame.bodies.iter().find(|body| body.name == name)
    }

    /// What a pressed button does to the simulation after this frame.
    pub fn press(&mut self, frame: &Frame, pointing: &Pointing) -> Vec<Command> {
        if let Tool::Body(kind) = self.tool {
            return self.lead(kind, frame, pointing);
        }
        // Once per frame: what is done more often while time stands still would pile up.
        if self.acted.replace(frame.frame) == Some(frame.frame) && self.tool != Tool::Blow {
            return Vec::new();
        }
        let scene = &frame.scene;
        match self.tool {
            Tool::Look | Tool::Pick | Tool::Body(_) => Vec::new(),
            Tool::Pour => pour::pour(&mut self.random, scene, pointing.at).into_iter().collect(),
            Tool::Suck => vec![suck(scene, pointing.at)],
            Tool::Blow if self.blowing => Vec::new(),
            Tool::Blow => {
                self.blowing = true;
                vec![Command::Wind(WIND * pointing.ray)]
            }
            Tool::Grab => {
                let grip = self.grip.take().or_else(|| Grip::take(frame, pointing));
                let command = grip.as_ref().and_then(|grip| grip.pull(frame, pointing));
                self.grip = grip;
                command.into_iter().collect()
            }
        }
    }

    /// What letting go does.
    pub fn release(&mut self) -> Vec<Command> {
        self.grip = None;
        self.acted = None;
        std::mem::take(&mut self.blowing).then_some(Command::Wind(Vec3::ZERO)).into_iter().collect()
    }

    /// Leads the tool body of a kind, which comes into the scene when it is first used.
    fn lead(&mut self, kind: ToolKind, frame: &Frame, pointing: &Pointing) -> Vec<Command> {
        let known = self.body.as_ref().is_some_and(|body| body.kind == kind && body.size == self.size);
        let mut commands = Vec::new();
        if !known {
            commands.extend(self.body.take().map(|body| body.put_away()));
            let body = ToolBody::new(kind, self.size, frame, pointing);
            if frame.scene.body.iter().all(|other| other.name != body.name) {
                commands.push(Command::AddBody { body: Box::new(body.settings(&frame.scene)) });
            }
            self.body = Some(body);
        }
        let Some(body) = &mut self.body else { return commands };
        commands.extend(body.lead(frame, pointing));
        commands
    }

    /// Drives the blade by keys or a gamepad, whether a button is pressed or not.
    pub fn drive(&mut self, frame: &Frame, drive: Drive) -> Option<Command> {
        let body = self.body.as_mut().filter(|body| body.kind == ToolKind::Blade)?;
        body.drive(frame, drive)
    }
}

/// Takes away the grains around a point.
fn suck(scene: &Scene, at: Vec3) -> Command {
    Command::Remove { region: Shape::ball(at.to_array(), SUCTION * scene.reference_radius()) }
}

#[cfg(test)]
mod tests;
