//! Changes between steps: commands, new grains, removed grains.

use glam::{Vec3, Vec4};
use granule::boundary::Sdf;
use granule::clumps::PlacedAssembly;
use granule::neighbors::OverlapQuery;
use granule::particles::{NewGrain, NewParticle};
use granule::scene::Scene;
use granule::simulator::{Command, CommandError, CommandReport, MIN_SEPARATION};
use granule::solver::commands::{self, Applied, Commanded, free_places};

use crate::GpuError;
use crate::solid_table::SolidTable;

use super::constants::SceneConstants;
use super::method::{Regions, RemovedGrains};
use super::simulation::GpuSimulation;

impl GpuSimulation {
    pub(crate) fn apply_command(&mut self, command: &Command) -> Result<CommandReport, CommandError> {
        self.method.forget_neighbors(&mut self.step);
        let Self { scene, gravity, air, boundaries, bodies, time, .. } = self;
        let commanded = Commanded { scene, gravity, air, boundaries, bodies, time: *time };
        match (commanded.apply(command)?, command) {
            (Applied::Changed(scene), _) => {
                if let Some(reason) = self.method.refuses(&scene) {
                    let (path, value) = match command {
                        Command::Set { path, value } => (path.clone(), value.to_string()),
                        Command::Choose { path, word } => (path.clone(), word.clone()),
                        _ => Default::default(),
                    };
                    return Err(CommandError::Value { path, value, reason });
                }
                self.adopt(*scene);
            }
            (Applied::Emit(material), Command::Emit { positions, velocity, .. }) => {
                let radius = self.scene.material[material as usize].radius;
                let one = NewGrain { velocity: *velocity, radius, material, clump: None };
                let emitted = self.add_grains(&vec![one; positions.len()], positions);
                let blocked = positions.len() - emitted;
                return Ok(CommandReport { emitted, blocked, ..CommandReport::default() });
            }
            (Applied::Remove(region), _) => {
                // A region that is too involved for devices is refused; as an outlet it would end the run.
                let fits = SolidTable::default().push(&region);
                fits.map_err(|error| CommandError::Region(error.to_string()))?;
                let removed = self.remove_grains_inside(&[&region]).iter().sum();
                return Ok(CommandReport { removed, ..CommandReport::default() });
            }
            (_, Command::Wind(_)) => self.refresh(),
            _ => {}
        }
        Ok(CommandReport::default())
    }

    /// Takes over the constants and materials of a changed scene.
    pub(crate) fn adopt(&mut self, scene: Scene) {
        self.constants = SceneConstants::new(&scene);
        self.method.adopt(&scene);
        commands::adopt(&scene, &mut self.boundaries, &mut self.air);
        self.scene = scene;
        self.fit_space();
        self.refresh();
    }

    /// Brings constants and kernels up to date. Buffers stay as long as they hold what is needed, and nothing waits: sliders
    /// send many changes per second.
    fn refresh(&mut self) {
        let variant = self.wanted_variant();
        if !self.extents.hold(&self.wanted_extents(&variant, &self.capacity)) {
            if let Err(error) = self.make_room(self.capacity) {
                self.fail(error);
            }
            return;
        }
        if variant != self.variant {
            self.bind(variant);
        }
        if let Err(error) = self.upload_constants() {
            self.fail(error);
        }
    }

    /// Adds grains, each at the first of the places left that has room for it, and returns how many.
    pub(crate) fn add_grains(&mut self, grains: &[NewGrain], places: &[Vec3]) -> usize {
        if grains.iter().any(|grain| grain.material as usize >= self.constants.materials.len()) {
            return 0;
        }
        let domain = self.constants.domain;
        let places: Vec<Vec3> = places.iter().map(|place| domain.wrap(*place)).collect();
        // Of particles of one radius it is that one; others may be as large as pairs are searched for.
        // The spheres of a grain of several are anywhere within its reach, which is not made smaller by the separation.
        let around = |grain: &NewGrain| match grain.clump {
            None => grain.radius,
            Some(_) => grain.reach() / MIN_SEPARATION,
        };
        let radius = grains.iter().map(around).fold(self.constants.radius, f32::max);
        let largest = self.method.limits().reach.map_or(self.constants.radius, |reach| 0.5 * reach);
        let reach = MIN_SEPARATION * (radius + largest);
        let near = match self.particles_near(&places, reach) {
            Ok(near) => near,
            Err(error) => {
                self.fail(error);
                return 0;
            }
        };
        let query = OverlapQuery::new(&domain, MIN_SEPARATION, &places, radius, &near);
        let free = free_places(&places, grains, &self.boundaries, query);
        let of_material = |grain: &NewGrain| self.constants.materials[grain.material as usize].mass;
        let mass = |grain: &NewGrain| self.method.mass_of(grain).unwrap_or_else(|| of_material(grain));
        let (mut added, mut assemblies): (Vec<NewParticle>, Vec<PlacedAssembly>) = Default::default();
        for (grain, &position) in grains.iter().zip(&free) {
            let (first, mass) = (added.len(), mass(grain));
            let assembly = grain.assembly_at(position, mass);
            assemblies.extend(assembly.map(|assembly| PlacedAssembly { first, assembly }));
            let wrapped =
                |sphere: NewParticle| NewParticle { position: domain.wrap(sphere.position), ..sphere };
            added.extend(grain.spheres_at(position, mass).into_iter().map(wrapped));
        }
        match self.append(&added, &assemblies) {
            Ok(()) => free.len(),
            Err(error) => {
                self.fail(error);
                0
            }
        }
    }

    /// Positions of the particles in the box around some places.
    fn particles_near(&self, places: &[Vec3], reach: f32) -> Result<Vec<Vec4>, GpuError> {
        let finite = || places.iter().filter(|x| x.is_finite());
        let min = finite().fold(Vec3::INFINITY, |a, b| a.min(*b));
        let max = finite().fold(Vec3::NEG_INFINITY, |a, b| a.max(*b));
        if min.x > max.x || self.step.sort_count == 0 {
            return Ok(Vec::new());
        }
        let (center, half) = (0.5 * (min + max), 0.5 * (max - min) + 1.001 * reach);
        self.write_step();
        let (buffers, count) = (&self.buffers, self.step.sort_count);
        self.queries.particles_in_box(&self.gpu, buffers, count, self.variant.periodic, [center, half])
    }

    /// Removes the grains whose centres lie in the regions and returns how many per region.
    pub(crate) fn remove_grains_inside(&mut self, regions: &[&Sdf]) -> Vec<usize> {
        let removed = self.mark_inside(regions);
        match removed {
            Ok((mut counts, rigid)) => {
                let single = counts.iter().sum::<usize>();
                self.live_count -= single + rigid.particles;
                self.beyond_grains -= rigid.particles - rigid.grains.iter().sum::<usize>();
                counts.iter_mut().zip(&rigid.grains).for_each(|(count, more)| *count += more);
                if single + rigid.particles > 0 {
                    self.method.forget_neighbors(&mut self.step);
                }
                counts
            }
            Err(error) => {
                self.fail(error);
                vec![0; regions.len()]
            }
        }
    }

    /// Marks single particles, and grains of several with all of theirs.
    fn mark_inside(&self, regions: &[&Sdf]) -> Result<(Vec<usize>, RemovedGrains), GpuError> {
        if self.step.sort_count == 0 || regions.is_empty() {
            return Ok((vec![0; regions.len()], RemovedGrains::default()));
        }
        let mut table = SolidTable::default();
        let solids = regions
            .iter()
            .map(|region| table.push(region).map(|[first, count]| [first, count, 0, 0]))
            .collect::<Result<Vec<_>, _>>()?;
        self.write_step();
        let (gpu, buffers, count) = (&self.gpu, &self.buffers, self.step.sort_count);
        let regions = Regions::new(gpu, &table, &solids);
        let single = self.queries.mark_inside(gpu, buffers, count, &regions)?;
        Ok((single, self.method.remove_rigid(gpu, buffers, count, &regions)?))
    }
}

#[cfg(test)]
mod tests {
    use granule::{Options, Simulation};

    use super::*;
    use crate::GpuBackend;
    use crate::testing::gpu;

    /// Sliders of a window send thirty changes per second: none of them makes buffers anew, with air or without.
    #[test]
    fn changed_parameters_keep_all_buffers() {
        let Some(gpu) = gpu() else { return };
        for solver in ["iisph", "wcsph"] {
            let text = format!(
                "name = \"test\"\n[simulation]\nsolver = \"{solver}\"\n[[material]]\nname = \"grains\"\n\
                 friction_angle = 0\n[[grains]]\nmaterial = \"grains\"\n\
                 shape.box = {{ min = [0, 0, 0], max = [0.1, 0.1, 0.1] }}\n[air]\n\
                 wind = [{{ uniform = {{ velocity = [1, 0, 0] }} }}]\n"
            );
            let device = GpuBackend::adopt(gpu.clone()).into_device();
            let options = Options { device, ..Options::default() };
            let mut simulation = Simulation::new(Scene::parse(&text, "test").unwrap(), &options).unwrap();
            simulation.step();
            let buffers = |simulation: &mut Simulation| {
                let buffers = &simulation.solver_as::<GpuSimulation>().unwrap().buffers;
                [&buffers.position, &buffers.list, &buffers.params, &buffers.air].map(Clone::clone)
            };
            let before = buffers(&mut simulation);
            for k in 0..30 {
                let (path, value) = match k % 3 {
                    0 => ("air.density", 1.0 + f64::from(k)),
                    1 => ("material.grains.viscosity", 1e-3 * f64::from(k)),
                    _ => ("simulation.cfl", 0.2 + 1e-3 * f64::from(k)),
                };
                simulation.apply(&Command::Set { path: path.into(), value }).unwrap();
                simulation.apply(&Command::Wind(Vec3::X * k as f32)).unwrap();
                assert!(buffers(&mut simulation) == before, "{solver}: {path} made buffers anew");
            }
            let report = simulation.step();
            assert_eq!((simulation.failure(), report.lost), (None, 0));
        }
    }
}
