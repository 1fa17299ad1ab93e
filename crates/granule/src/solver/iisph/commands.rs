//! Changes between steps.

use crate::material::Material;
use crate::neighbors::Domain;
use crate::scene::Scene;
use crate::solver::changes::Changeable;
use crate::solver::world::World;

use super::Iisph;
use super::params::IisphParams;

impl Changeable for Iisph {
    fn world(&mut self) -> &mut World {
        &mut self.world
    }

    fn space_and_materials(&self) -> (Domain, &[Material]) {
        (self.setup.domain, &self.setup.materials)
    }

    fn adopt(&mut self, scene: Scene) {
        self.setup.params = IisphParams::new(&scene, &self.setup.kernel);
        self.setup.materials =
            scene.material.iter().map(|m| Material::new(m, scene.iisph.yield_law)).collect();
        self.world.adopt(scene);
    }

    fn prepare_to_grow(&mut self) {
        self.refresh_strain_rates();
    }

    fn grow(&mut self) {
        self.state.resize(self.world.particles.len());
    }

    fn remove(&mut self, keep: &[bool]) -> usize {
        self.refresh_strain_rates();
        let before = self.world.particles.len();
        self.world.particles.retain(keep);
        self.state.retain(keep);
        self.search.retain(keep);
        before - self.world.particles.len()
    }
}
