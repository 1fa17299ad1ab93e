//! What hands do in the view besides turning it: pour and blow.

use glam::Vec3;
use granule::random::Random;
use granule::scene::Scene;
use granule::simulator::Command;

/// Grains that are poured at once, at most.
const POUR_AT_ONCE: usize = 24;
/// Radius of the stream that is poured, in radii of its grains.
const STREAM: f32 = 6.0;
/// How far above what is pointed at grains begin to fall, in their radii.
const POUR_HEIGHT: f32 = 10.0;
/// Speed of poured grains [m/s].
const POUR_SPEED: f32 = 0.5;
/// Speed of the wind that is blown [m/s].
const WIND: f32 = 12.0;

/// What a drag with the left button does in the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Turns the view.
    #[default]
    Look,
    /// Pours grains onto what is pointed at.
    Pour,
    /// Blows along the line of sight.
    Blow,
}

impl Tool {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Look, "Look"), (Self::Pour, "Pour"), (Self::Blow, "Blow")];
}

/// Hands with a tool in them.
pub struct Hands {
    /// The tool.
    pub tool: Tool,
    random: Random,
    blowing: bool,
}

impl Default for Hands {
    fn default() -> Self {
        Self { tool: Tool::Look, random: Random::new(1), blowing: false }
    }
}

impl Hands {
    /// What a pressed button does to the simulation this frame: `at` is what is pointed at \[m\], `ray` the line of sight.
    pub fn press(&mut self, scene: &Scene, at: Vec3, ray: Vec3) -> Option<Command> {
        match self.tool {
            Tool::Look => None,
            Tool::Pour => self.pour(scene, at),
            Tool::Blow => {
                self.blowing = true;
                Some(Command::Wind(WIND * ray))
            }
        }
    }

    /// What letting go does.
    pub fn release(&mut self) -> Option<Command> {
        std::mem::take(&mut self.blowing).then_some(Command::Wind(Vec3::ZERO))
    }

    /// Grains at random places of a disc above a point; those without room are left out by the simulation.
    fn pour(&mut self, scene: &Scene, at: Vec3) -> Option<Command> {
        let material = scene.material.first()?;
        let (radius, up) =
            (material.radius, Vec3::from(scene.simulation.gravity).normalize_or(Vec3::NEG_Y) * -1.0);
        let (right, forward) = up.any_orthonormal_pair();
        let center = at + POUR_HEIGHT * radius * up;
        let mut place = || {
            let (x, y) = (self.random.signed(), self.random.signed());
            (x * x + y * y <= 1.0).then(|| center + STREAM * radius * (x * right + y * forward))
        };
        let positions: Vec<Vec3> = (0..POUR_AT_ONCE).filter_map(|_| place()).collect();
        Some(Command::Emit { material: material.name.clone(), positions, velocity: -POUR_SPEED * up })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene() -> Scene {
        Scene::open("column", true, &[]).unwrap()
    }

    #[test]
    fn poured_grains_lie_in_a_disc_above_what_is_pointed_at_and_fall() {
        let (scene, at) = (scene(), Vec3::new(0.1, 0.2, 0.3));
        let mut hands = Hands { tool: Tool::Pour, ..Hands::default() };
        let Some(Command::Emit { positions, velocity, .. }) = hands.press(&scene, at, Vec3::NEG_Z) else {
            panic!()
        };
        let radius = scene.material[0].radius;
        assert!(positions.len() > 10 && velocity.y < 0.0);
        for place in positions {
            assert!((place.y - at.y - POUR_HEIGHT * radius).abs() < 1e-5);
            assert!((place - at).with_y(0.0).length() <= STREAM * radius * 1.001);
        }
    }

    #[test]
    fn wind_blows_along_the_line_of_sight_until_the_button_is_let_go() {
        let mut hands = Hands { tool: Tool::Blow, ..Hands::default() };
        assert_eq!(hands.release(), None, "nothing blows yet");
        assert_eq!(hands.press(&scene(), Vec3::ZERO, Vec3::X), Some(Command::Wind(WIND * Vec3::X)));
        assert_eq!(hands.release(), Some(Command::Wind(Vec3::ZERO)));
        assert_eq!(hands.release(), None);
    }
}
