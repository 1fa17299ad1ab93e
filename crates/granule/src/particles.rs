//! Particle columns: structure of arrays with stable ids.
//!
//! The records are the same on every device: 16 bytes of position and radius, 16 bytes of velocity and mass.
//! Particles are kept sorted by cell; nothing outside the engine relies on their order, only on ids.

use std::sync::Arc;

use glam::{DQuat, Quat, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use crate::assemblies::NewAssembly;
use crate::clumps::ClumpShape;
use crate::columns::{ParticleColumns, particle_columns};

/// One particle as it is handed in from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewParticle {
    /// Centre \[m\].
    pub position: Vec3,
    /// Velocity [m/s].
    pub velocity: Vec3,
    /// Radius \[m\].
    pub radius: f32,
    /// Mass \[kg\].
    pub mass: f32,
    /// Index into the scene's materials.
    pub material: u16,
    /// Whether it is held where it is; only with solvers that have grains.
    pub fixed: bool,
}

/// A grain that is to enter wherever there is room for it.
#[derive(Clone, Debug, PartialEq)]
pub struct NewGrain {
    /// Velocity [m/s].
    pub velocity: Vec3,
    /// Radius \[m\]; that of the sphere of the same volume where it is several.
    pub radius: f32,
    /// Index into the scene's materials.
    pub material: u16,
    /// Its spheres, where it is several.
    pub clump: Option<NewClump>,
}

/// What a grain of several spheres is like.
#[derive(Clone, Debug, PartialEq)]
pub struct NewClump {
    /// Its form.
    pub shape: Arc<ClumpShape>,
    /// Turns the form's frame into the world's.
    pub orientation: DQuat,
}

impl NewGrain {
    /// The grain at a place [m], with the mass [kg] that its solver gives it; of several spheres, the one that stands for
    /// all.
    pub fn at(&self, position: Vec3, mass: f32) -> NewParticle {
        let &Self { velocity, radius, material, .. } = self;
        NewParticle { position, velocity, radius, mass, material, fixed: false }
    }

    /// All its spheres with its centre at a place [m], with the mass [kg] of the whole.
    pub fn spheres_at(&self, position: Vec3, mass: f32) -> Vec<NewParticle> {
        let Some(clump) = &self.clump else { return vec![self.at(position, mass)] };
        clump.particles(self.radius, position, &self.at(position, mass))
    }

    /// The grain at a place [m] as a rigid assembly, where it is several spheres, of a mass \[kg\].
    pub fn assembly_at(&self, position: Vec3, mass: f32) -> Option<NewAssembly> {
        let clump = self.clump.as_ref()?;
        let density = mass / (4.0 / 3.0 * std::f32::consts::PI * self.radius.powi(3));
        clump.shape.assembly(self.radius, density, position, clump.orientation, self.velocity)
    }

    /// Radius of a ball around the centre that holds the grain \[m\].
    pub fn reach(&self) -> f32 {
        self.clump.as_ref().map_or(1.0, |clump| clump.shape.reach()) * self.radius
    }
}

impl NewClump {
    /// The spheres of a grain of an equivalent radius \[m\] with its centre at a place \[m\], each with its share of the mass of
    /// `whole` and all else as that.
    pub fn particles(&self, radius: f32, center: Vec3, whole: &NewParticle) -> Vec<NewParticle> {
        let spheres = self.shape.placed(radius, center.as_dvec3(), self.orientation);
        let each = spheres.zip(self.shape.mass_shares());
        each.map(|(sphere, share)| NewParticle {
            position: sphere.center,
            radius: sphere.radius,
            mass: share * whole.mass,
            ..*whole
        })
        .collect()
    }
}

particle_columns! {
    /// The particle columns. Those in an `Option` exist only where a solver asks for them
    /// ([`Particles::require`]).
    pub struct Particles {
        /// Identity, never reused within a simulation.
        id: Vec<u32> => Motion,
        /// Centre \[m\] and radius \[m\].
        position: Vec<Vec4> => Motion,
        /// Velocity [m/s] and mass \[kg\].
        velocity: Vec<Vec4> => Motion,
        /// Orientation, world from body.
        orientation: Option<Vec<Quat>> => Motion,
        /// Angular velocity [rad/s].
        angular_velocity: Option<Vec<Vec4>> => Motion,
        /// Index into the scene's materials.
        material: Vec<u16> => State,
        /// The rigid grain that a sphere is a member of, or [`NO_GRAIN`].
        grain: Option<Vec<u32>> = NO_GRAIN => State,
    }
    beside {
        next_id: u32,
        births: Vec<Birth>,
    }
}

/// The grain of a sphere that is a grain by itself.
pub const NO_GRAIN: u32 = u32::MAX;

/// A column that particles have only where a solver asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionalColumn {
    /// [`Particles::orientation`].
    Orientation,
    /// [`Particles::angular_velocity`].
    AngularVelocity,
    /// [`Particles::grain`].
    Grain,
}

/// Mass of a particle of a continuum \[kg\], m = rho_0 (2 r)^3: bulk density [kg/m3] times the cube that it stands for.
pub fn bulk_mass(density: f32, radius: f32) -> f32 {
    density * (2.0 * radius).powi(3)
}

/// When grains entered: all with this id or a later one, up to the next entry, at this time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Birth {
    /// The first of these grains.
    pub first_id: u32,
    /// Simulated time \[s\].
    pub time: f64,
}

/// Adds an entry for the particles from an id on, which have entered at a time \[s\].
pub fn note_birth(births: &mut Vec<Birth>, first_id: u32, time: f64) {
    if births.last().is_none_or(|last| last.time != time) {
        births.push(Birth { first_id, time });
    }
}

/// When a particle entered \[s\]; 0 for those that were there from the beginning.
pub fn birth_time(births: &[Birth], id: u32) -> f64 {
    let after = births.partition_point(|birth| birth.first_id <= id);
    after.checked_sub(1).map_or(0.0, |k| births[k].time)
}

impl Particles {
    /// Particles from whole columns of equal length, in memory order, without any of the optional ones.
    pub fn from_columns(
        position: Vec<Vec4>,
        velocity: Vec<Vec4>,
        id: Vec<u32>,
        material: Vec<u16>,
        next_id: u32,
        births: Vec<Birth>,
    ) -> Self {
        Self { position, velocity, id, material, next_id, births, ..Self::default() }
    }

    /// Gives the particles columns that they have not by default.
    pub fn require(&mut self, columns: &[OptionalColumn]) {
        for column in columns {
            match column {
                OptionalColumn::Orientation => self.orientation.get_or_insert_default().truncate(0),
                OptionalColumn::AngularVelocity => self.angular_velocity.get_or_insert_default().truncate(0),
                OptionalColumn::Grain => self.grain.get_or_insert_default().truncate(0),
            }
        }
        self.resize(self.len());
    }

    /// Particles without any, with the optional columns that these have and with what a checkpoint says beside columns.
    pub(crate) fn empty_like(&self, next_id: u32, births: Vec<Birth>) -> Self {
        Self {
            orientation: self.orientation.as_ref().map(|_| Vec::new()),
            angular_velocity: self.angular_velocity.as_ref().map(|_| Vec::new()),
            grain: self.grain.as_ref().map(|_| Vec::new()),
            next_id,
            births,
            ..Self::default()
        }
    }

    /// The number of particles.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// The id that the next particle will get; also the number of particles ever created.
    pub fn next_id(&self) -> u32 {
        self.next_id
    }

    /// Says that the particles from an id on have entered at a time [s]. Ids grow with time, so a few entries tell the
    /// age of every particle.
    pub fn note_birth(&mut self, first_id: u32, time: f64) {
        note_birth(&mut self.births, first_id, time);
    }

    /// When particles entered that were not there from the beginning, in the order of ids.
    pub fn births(&self) -> &[Birth] {
        &self.births
    }

    /// When a particle entered [s]; 0 for those that were there from the beginning.
    pub fn birth_time(&self, id: u32) -> f64 {
        birth_time(&self.births, id)
    }

    /// Appends a particle and returns its id.
    pub fn push(&mut self, new: NewParticle) -> u32 {
        let (i, id) = (self.len(), self.next_id);
        self.next_id += 1;
        self.resize(i + 1);
        self.position[i] = new.position.extend(new.radius);
        self.velocity[i] = new.velocity.extend(new.mass);
        self.id[i] = id;
        self.material[i] = new.material;
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_columns_exist_only_where_asked_for() {
        let one = NewParticle {
            position: Vec3::X,
            velocity: Vec3::Y,
            radius: 0.1,
            mass: 2.0,
            material: 1,
            fixed: false,
        };
        let mut particles = Particles::default();
        particles.push(one);
        assert!(particles.orientation.is_none() && particles.grain.is_none());
        particles.require(&[OptionalColumn::Orientation, OptionalColumn::Grain]);
        particles.push(one);
        assert_eq!(particles.orientation, Some(vec![Quat::IDENTITY; 2]));
        assert_eq!(particles.grain, Some(vec![NO_GRAIN; 2]));
        assert!(particles.angular_velocity.is_none());
        let names: Vec<String> = particles.save().iter().map(|(name, _)| name.into()).collect();
        assert_eq!(names, ["id", "position", "velocity", "orientation", "material", "grain"]);
    }

    #[test]
    fn the_age_of_every_particle_follows_from_its_id() {
        let mut particles = Particles::default();
        particles.note_birth(10, 0.5);
        particles.note_birth(12, 0.5);
        particles.note_birth(20, 0.75);
        let times = [0, 9, 10, 15, 19, 20, 99].map(|id| particles.birth_time(id));
        assert_eq!(times, [0.0, 0.0, 0.5, 0.5, 0.5, 0.75, 0.75]);
        assert_eq!(particles.births().len(), 2, "one entry per time");
    }
}
