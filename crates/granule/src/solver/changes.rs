//! Changes between steps that the solvers make alike: commands, new particles, removed particles.

use glam::Vec3;

use crate::boundary::Sdf;
use crate::material::Material;
use crate::neighbors::Domain;
use crate::particles::NewParticle;
use crate::scene::Scene;
use crate::simulator::{Command, CommandError, CommandReport};

use super::world::{Applied, World};

/// A solver whose particles live in a [`World`].
pub trait Changeable {
    /// The world.
    fn world(&mut self) -> &mut World;

    /// Space, and the materials that new particles may have.
    fn space_and_materials(&self) -> (Domain, &[Material]);

    /// Takes over the constants and materials of a changed scene.
    fn adopt(&mut self, scene: Scene);

    /// Brings columns up to date that would be lost when particles come.
    fn prepare_to_grow(&mut self) {}

    /// Makes room in the solver's columns for the particles that have come.
    fn grow(&mut self);

    /// Removes the particles for which `keep` does not hold and returns how many.
    fn remove(&mut self, keep: &[bool]) -> usize;

    /// Carries out a command.
    ///
    /// # Errors
    /// Names what is unknown or not allowed; nothing has changed then.
    fn apply_command(&mut self, command: &Command) -> Result<CommandReport, CommandError> {
        match (self.world().apply(command)?, command) {
            (Applied::Changed(scene), _) => self.adopt(*scene),
            (Applied::Emit(material), Command::Emit { positions, velocity, .. }) => {
                let emitted = self.add_grains(material, positions, *velocity, positions.len());
                return Ok(CommandReport { emitted, blocked: positions.len() - emitted });
            }
            _ => {}
        }
        Ok(CommandReport::default())
    }

    /// Adds the first `most` of the places that have room and returns how many.
    fn add_grains(&mut self, material: u16, places: &[Vec3], velocity: Vec3, most: usize) -> usize {
        let (domain, materials) = self.space_and_materials();
        let Some(mass) = materials.get(material as usize).map(|material| material.mass) else { return 0 };
        let radius = self.world().scene.material[0].radius;
        let one = NewParticle { position: Vec3::ZERO, velocity, radius, mass, material };
        self.prepare_to_grow();
        let added = self.world().add_grains(&domain, places, one, most);
        if added > 0 {
            self.grow();
        }
        added
    }

    /// Removes the particles whose centres lie in the regions and returns how many per region.
    fn remove_grains_inside(&mut self, regions: &[&Sdf]) -> Vec<usize> {
        let (counts, keep) = self.world().inside(regions);
        if let Some(keep) = keep {
            self.remove(&keep);
        }
        counts
    }
}
