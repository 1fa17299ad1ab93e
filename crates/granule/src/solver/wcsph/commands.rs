//! Changes between steps.

use crate::material::Material;
use crate::neighbors::Domain;
use crate::scene::Scene;
use crate::solver::changes::Changeable;
use crate::solver::world::World;

use super::Wcsph;
use super::params::Setup;

impl Changeable for Wcsph {
    fn world(&mut self) -> &mut World {
        &mut self.world
    }

    fn space_and_materials(&self) -> (Domain, &[Material]) {
        (self.setup.domain, &self.setup.materials)
    }

    fn adopt(&mut self, scene: Scene) {
        self.setup = Setup::new(&scene, self.setup.defect, self.setup.instructions);
        self.world.adopt(scene);
    }

    fn grow(&mut self) {
        self.state.resize(self.world.particles.len(), self.world.gravity.extend(0.0));
        self.search.invalidate();
    }

    fn remove(&mut self, keep: &[bool]) -> usize {
        let before = self.world.particles.len();
        self.world.particles.retain(keep);
        self.state.retain(keep);
        self.search.invalidate();
        before - self.world.particles.len()
    }
}
