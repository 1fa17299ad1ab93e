//! Bodies that are made of particles. A solver has these among its own and moves the bodies itself, by the momenta that their
//! particles get; rapier knows their masses only.

use super::ParticleBody;
use super::error::SolidError;
use super::motion::Wrench;
use super::solid::load;
use super::world::{Bodies, rapier_pose};
use crate::assemblies::Assembly;
use crate::boundary::{Boundaries, Sdf, Shape, ShapeError, ShapeSolid};
use crate::geometry::TriangleMesh;
use crate::geometry::sample::{MeshSolid, sunken};
use crate::scene::{BodySettings, Scene};

/// Fewest and most cells along the longest side of a surface that particles are spread over.
const SURFACE_CELLS: [f32; 2] = [16.0, 200.0];

/// Particles of one radius on the surface of a body, within it, and deeper inside.
pub(super) struct Sampled {
    radius: f32,
    /// In the frame of the shape \[m\].
    center: Vec<glam::Vec3>,
}

impl Sampled {
    /// The particles of a body, where it is made of such.
    pub(super) fn new(scene: &Scene, body: &BodySettings) -> Result<Option<Self>, SolidError> {
        let Some(radius) = scene.particle_radius_of(body) else { return Ok(None) };
        let seed = scene.simulation.seed;
        let center = match &body.shape {
            Shape::Mesh(settings) if !settings.hollow => {
                let mesh = load(settings)?;
                let solid = MeshSolid::new(&mesh, radius).map_err(|error| ShapeError::Mesh {
                    file: settings.file.clone(),
                    reason: error.to_string(),
                })?;
                sunken(&solid, &mesh, radius, seed)?
            }
            shape => {
                let sdf = Sdf::new(shape)?;
                let solid = ShapeSolid::new(&sdf).ok_or(SolidError::Unbounded)?;
                let (min, max) = sdf.bounds().ok_or(SolidError::Unbounded)?;
                let [fewest, most] = SURFACE_CELLS;
                let cells = ((max - min).max_element() / radius).clamp(fewest, most);
                let surface = sdf.surface_mesh((min, max), cells);
                let (position, triangle) = (surface.position, surface.triangle);
                sunken(&solid, &TriangleMesh { position, triangle, ..TriangleMesh::default() }, radius, seed)?
            }
        };
        Ok(Some(Self { radius, center }))
    }
}

impl Bodies {
    /// The bodies that are made of particles.
    pub fn made_of_particles(&self) -> Vec<ParticleBody> {
        let made = self.list.iter().enumerate().filter_map(|(body, entry)| {
            let (sampled, flight) = (entry.particles.as_ref()?, entry.flight.as_ref()?);
            let center = flight.body.properties.center;
            let offset = sampled.center.iter().map(|x| x.as_dvec3() - center).collect();
            Some(ParticleBody { body, offset, radius: sampled.radius })
        });
        made.collect()
    }

    /// How a body moves that is made of particles.
    pub fn assembly(&self, body: usize) -> Option<Assembly> {
        self.list.get(body)?.flight.as_ref().map(|flight| flight.body)
    }

    /// Takes over where a solver has moved a body that is made of particles, and the force of grains on it.
    pub fn carry(&mut self, body: usize, moved: &Assembly, load: Wrench, boundaries: &mut Boundaries) {
        let Some(body) = self.list.get_mut(body) else { return };
        let Some(flight) = body.flight.as_mut() else { return };
        body.load = load;
        flight.body = *moved;
        flight.place(body.boundary, moved.angular_velocity(), boundaries);
        if let Some(rapier) = self.world.bodies.get_mut(body.handle) {
            rapier.set_position(rapier_pose(&flight.pose()), false);
            rapier.set_linvel(moved.velocity().as_vec3(), false);
            rapier.set_angvel(moved.angular_velocity().as_vec3(), false);
        }
    }
}
