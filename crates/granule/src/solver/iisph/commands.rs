//! Changes between steps.

use glam::Vec3;

use crate::boundary::Sdf;
use crate::material::Material;
use crate::particles::NewParticle;
use crate::scene::Scene;
use crate::simulator::{Command, CommandError, CommandReport};
use crate::solver::world::Applied;

use super::Iisph;
use super::params::IisphParams;

impl Iisph {
    pub(super) fn apply_command(&mut self, command: &Command) -> Result<CommandReport, CommandError> {
        match (self.world.apply(command)?, command) {
            (Applied::Changed(scene), _) => self.adopt(*scene),
            (Applied::Emit(material), Command::Emit { positions, velocity, .. }) => {
                let emitted = self.add_grains(material, positions, *velocity, positions.len());
                return Ok(CommandReport { emitted, blocked: positions.len() - emitted });
            }
            _ => {}
        }
        Ok(CommandReport::default())
    }

    /// Takes over the constants and materials of a changed scene.
    pub(super) fn adopt(&mut self, scene: Scene) {
        self.setup.params = IisphParams::new(&scene, &self.setup.kernel);
        self.setup.materials =
            scene.material.iter().map(|m| Material::new(m, scene.iisph.yield_law)).collect();
        self.world.adopt(scene);
    }

    /// Adds the first `most` of the places that have room and returns how many.
    pub(super) fn add_grains(
        &mut self,
        material: u16,
        places: &[Vec3],
        velocity: Vec3,
        most: usize,
    ) -> usize {
        let Some(mass) = self.setup.materials.get(material as usize).map(|material| material.mass) else {
            return 0;
        };
        self.refresh_strain_rates();
        let radius = self.setup.params.radius;
        let one = NewParticle { position: Vec3::ZERO, velocity, radius, mass, material };
        let added = self.world.add_grains(&self.setup.domain, places, one, most);
        self.state.resize(self.world.particles.len());
        added
    }

    /// Removes the grains whose centres lie in the regions and returns how many per region.
    pub(super) fn remove_grains_inside(&mut self, regions: &[&Sdf]) -> Vec<usize> {
        let (counts, keep) = self.world.inside(regions);
        if let Some(keep) = keep {
            self.remove(&keep);
        }
        counts
    }
}
