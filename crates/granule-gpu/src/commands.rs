//! Changes between steps: commands, new grains, removed grains.

use glam::{Vec3, Vec4};
use granule::boundary::Sdf;
use granule::neighbors::OverlapQuery;
use granule::particles::NewParticle;
use granule::scene::Scene;
use granule::simulator::{Command, CommandError, CommandReport, MIN_SEPARATION};
use granule::solver::commands::{self, Applied, Commanded, free_places};
use granule::solver::iisph::setup::Setup;

use crate::GpuError;
use crate::constants::{BodyVariant, Variant};
use crate::program::Program;
use crate::solver::{GpuIisph, weak_setup};
use crate::wcsph::WeakVariant;

impl GpuIisph {
    pub(crate) fn apply_command(&mut self, command: &Command) -> Result<CommandReport, CommandError> {
        self.forget_neighbors();
        let Self { scene, gravity, air, boundaries, .. } = self;
        match (Commanded { scene, gravity, air, boundaries }.apply(command)?, command) {
            (Applied::Changed(scene), _) => self.adopt(*scene),
            (Applied::Emit(material), Command::Emit { positions, velocity, .. }) => {
                let emitted = self.add_grains(material, positions, *velocity, positions.len());
                return Ok(CommandReport { emitted, blocked: positions.len() - emitted });
            }
            (_, Command::Wind(_)) => self.refresh(),
            _ => {}
        }
        Ok(CommandReport::default())
    }

    /// Takes over the constants and materials of a changed scene.
    pub(crate) fn adopt(&mut self, scene: Scene) {
        self.setup = Setup::new(&scene);
        self.weak = weak_setup(&scene);
        commands::adopt(&scene, &mut self.boundaries, &mut self.air);
        self.scene = scene;
        self.refresh();
    }

    /// Brings constants and kernels up to date.
    fn refresh(&mut self) {
        let weak = self.weak.as_ref().map(WeakVariant::new);
        // Wind fields may have come or gone.
        let changed = self.air.is_some()
            || Variant::new(&self.setup, false, BodyVariant::of(&self.bodies), weak) != self.variant;
        let done = if changed { self.make_room(self.room) } else { self.upload_constants() };
        if let Err(error) = done {
            self.fail(error);
        }
    }

    /// Adds the first `most` of the places that have room and returns how many.
    pub(crate) fn add_grains(
        &mut self,
        material: u16,
        places: &[Vec3],
        velocity: Vec3,
        most: usize,
    ) -> usize {
        let Some(mass) = self.setup.materials.get(material as usize).map(|material| material.mass) else {
            return 0;
        };
        let (radius, domain) = (self.setup.params.radius, self.setup.domain);
        let places: Vec<Vec3> = places.iter().map(|place| domain.wrap(*place)).collect();
        let reach = MIN_SEPARATION * self.setup.params.spacing;
        let near = match self.particles_near(&places, reach) {
            Ok(near) => near,
            Err(error) => {
                self.fail(error);
                return 0;
            }
        };
        let query = OverlapQuery::new(&domain, MIN_SEPARATION, &places, radius, &near);
        let added: Vec<NewParticle> = free_places(&places, radius, &self.boundaries, query, most)
            .into_iter()
            .map(|position| NewParticle { position, velocity, radius, mass, material })
            .collect();
        match self.append(&added) {
            Ok(()) => added.len(),
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
        self.queries.particles_in_box(self, center, half)
    }

    /// Removes the grains whose centres lie in the regions and returns how many per region.
    pub(crate) fn remove_grains_inside(&mut self, regions: &[&Sdf]) -> Vec<usize> {
        let removed = self.mark_inside(regions);
        match removed {
            Ok(counts) => {
                let removed = counts.iter().sum::<usize>();
                self.there -= removed;
                if removed > 0 {
                    self.forget_neighbors();
                }
                counts
            }
            Err(error) => {
                self.fail(error);
                vec![0; regions.len()]
            }
        }
    }

    fn mark_inside(&self, regions: &[&Sdf]) -> Result<Vec<usize>, GpuError> {
        if self.step.sort_count == 0 || regions.is_empty() {
            return Ok(vec![0; regions.len()]);
        }
        let mut program = Program::default();
        let solids = regions
            .iter()
            .map(|region| program.push(region).map(|[first, count]| [first, count, 0, 0]))
            .collect::<Result<Vec<_>, _>>()?;
        self.queries.mark_inside(self, &program, &solids)
    }
}
