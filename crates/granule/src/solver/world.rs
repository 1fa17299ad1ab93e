//! What every particle solver on the CPU has beside its method: particles, walls, bodies, air, time, threads, and what
//! commands, emitters, outlets and checkpoints do to them.

use std::ops::Range;
use std::sync::Arc;

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use crate::air::Air;
use crate::assemblies::Assemblies;
use crate::bodies::Bodies;
use crate::boundary::{Boundaries, Sdf};
use crate::clumps::PlacedAssembly;
use crate::columns::ParticleColumns;
use crate::hash::Fnv;
use crate::neighbors::{Domain, OverlapQuery};
use crate::particles::{NewGrain, NewParticle, Particles};
use crate::scene::{AirSettings, Scene};
use crate::simulator::{Command, CommandError, FieldData, MIN_SEPARATION, StateError};
use crate::team::{Team, map_blocks};

pub use super::commands::Applied;
use super::commands::{self, Commanded, free_places};
use super::coupling::Coupling;
use super::reads::{Gather, Reads};
use super::saved::{SavedWorld, impossible};
use super::walls::WallContacts;
use crate::cell::StrainedCell;

/// Particles and the world around them.
pub struct World {
    /// The scene as commands have changed it.
    pub scene: Scene,
    /// Gravity [m/s2].
    pub gravity: Vec3,
    /// Surrounding air.
    pub air: Option<Air>,
    /// Walls and tools.
    pub boundaries: Boundaries,
    /// Rigid bodies.
    pub bodies: Bodies,
    /// The bodies during a step.
    pub coupling: Coupling,
    /// Particles.
    pub particles: Particles,
    /// Threads.
    pub team: Arc<Team>,
    /// The periodic cell, where it strains.
    pub cell: Option<StrainedCell>,
    /// Simulated time \[s\].
    pub time: f64,
    /// Ids of the particles that bodies are made of: no field shows them, and no outlet takes them.
    pub hidden: Range<u32>,
    /// Reads that wait to be fetched.
    pub reads: Reads,
}

/// Motion statistics: how fast particles are.
#[derive(Clone, Copy, Debug, Default)]
pub struct MotionStatistics {
    /// Fastest particle [m/s].
    pub max_speed: f64,
    /// Kinetic energy \[J\].
    pub kinetic_energy: f64,
}

impl World {
    /// A checked scene with its initial grains.
    pub fn new(
        scene: Scene,
        boundaries: Boundaries,
        bodies: Bodies,
        grains: &[NewParticle],
        team: Team,
    ) -> Self {
        let mut particles = Particles::default();
        for grain in grains {
            particles.push(*grain);
        }
        Self {
            gravity: Vec3::from(scene.simulation.gravity),
            air: scene.air.clone().map(Air::new),
            boundaries,
            bodies,
            coupling: Coupling::default(),
            particles,
            team: Arc::new(team),
            cell: StrainedCell::new(&scene),
            time: 0.0,
            reads: Reads::default(),
            hidden: 0..0,
            scene,
        }
    }

    /// The threads in words.
    pub fn device(&self) -> String {
        format!("cpu, {} threads", self.team.thread_count())
    }

    /// Does what a command asks for as far as it is not the solver's own business.
    ///
    /// # Errors
    /// Says what does not exist or is not allowed.
    pub fn apply(&mut self, command: &Command) -> Result<Applied, CommandError> {
        let Self { scene, gravity, air, boundaries, bodies, time, .. } = self;
        Commanded { scene, gravity, air, boundaries, bodies, time: *time }.apply(command)
    }

    /// Takes over a changed scene.
    pub fn adopt(&mut self, scene: Scene) {
        commands::adopt(&scene, &mut self.boundaries, &mut self.air);
        if let (Some(cell), Some(settings)) = (&mut self.cell, &scene.simulation.strain) {
            cell.set_settings(settings.clone());
        }
        self.scene = scene;
    }

    /// Adds grains with these masses \[kg\], each at the first of the places left that has room for it. Returns how many, and
    /// those of several spheres among them by the places of their particles.
    pub fn add_grains(
        &mut self,
        domain: &Domain,
        grains: &[NewGrain],
        places: &[Vec3],
        mass: &[f32],
    ) -> (usize, Vec<PlacedAssembly>) {
        let places: Vec<Vec3> = places.iter().map(|place| domain.wrap(*place)).collect();
        // The spheres of a grain are anywhere within its reach, which is not made smaller by the separation.
        let reach = |grain: &NewGrain| match grain.clump {
            None => grain.radius,
            Some(_) => grain.reach() / MIN_SEPARATION,
        };
        let largest = grains.iter().map(reach).fold(0.0, f32::max);
        let query = OverlapQuery::new(domain, MIN_SEPARATION, &places, largest, &self.particles.position);
        let free = free_places(&places, grains, &self.boundaries, query);
        if !free.is_empty() {
            self.particles.note_birth(self.particles.next_id(), self.time);
        }
        let mut assemblies = Vec::new();
        for ((grain, &mass), &position) in grains.iter().zip(mass).zip(&free) {
            let first = self.particles.len();
            let assembly = grain.assembly_at(position, mass);
            assemblies.extend(assembly.map(|assembly| PlacedAssembly { first, assembly }));
            for mut sphere in grain.spheres_at(position, mass) {
                sphere.position = domain.wrap(sphere.position);
                self.particles.push(sphere);
            }
        }
        (free.len(), assemblies)
    }

    /// How many grains have their centres in each of the regions, the first one counting for grains in several, and which
    /// particles belong to none of those, if some are. Centres of rigid grains are those of mass.
    pub fn inside(
        &self,
        domain: &Domain,
        regions: &[&Sdf],
        assemblies: &Assemblies,
    ) -> (Vec<usize>, Option<Vec<bool>>) {
        let bounds: Vec<_> = regions.iter().map(|region| region.bounds()).collect();
        let holds = |k: usize, x: Vec3| {
            let near = bounds[k].is_none_or(|(min, max)| x.cmpge(min).all() && x.cmple(max).all());
            near && regions[k].distance(x) <= 0.0
        };
        let region_of = |x: Vec3| (0..regions.len()).find(|&k| holds(k, x));
        let position = &self.particles.position;
        let single = |(i, x): (usize, &Vec4)| match assemblies.assembly_of(i) {
            None if self.hidden.contains(&self.particles.id[i]) => None,
            None => region_of(x.truncate()),
            Some(_) => None,
        };
        let found: Vec<Option<usize>> =
            position.par_iter().enumerate().with_min_len(1024).map(single).collect();
        let rigid: Vec<Option<usize>> = assemblies
            .all()
            .par_iter()
            .with_min_len(256)
            .map(|a| region_of(domain.wrap(a.position.to_vec3())))
            .collect();
        let mut counts = vec![0; regions.len()];
        found.iter().chain(&rigid).flatten().for_each(|&k| counts[k] += 1);
        let some = counts.iter().any(|&count| count > 0);
        let keep = || {
            let mut keep: Vec<bool> = found.iter().map(Option::is_none).collect();
            for k in (0..rigid.len()).filter(|&k| rigid[k].is_some()) {
                assemblies.places(k).iter().for_each(|&place| keep[place as usize] = false);
            }
            keep
        };
        (counts, some.then(keep))
    }

    /// Speed of the fastest particle or wall [m/s].
    pub fn fastest(&self) -> f32 {
        let velocity = &self.particles.velocity;
        let fastest = |_: usize, range: Range<usize>| {
            velocity[range].iter().map(|v| v.truncate().length_squared()).fold(0.0, f32::max)
        };
        let squares = map_blocks(velocity.len(), fastest).into_iter();
        squares.fold(0.0, f32::max).sqrt().max(self.boundaries.fastest(self.time))
    }

    /// Fastest particle and kinetic energy.
    pub fn measure_motion(&self) -> MotionStatistics {
        let velocity = &self.particles.velocity;
        let parts = map_blocks(velocity.len(), |_, range| {
            let mut part = MotionStatistics::default();
            for v in &velocity[range] {
                let square = v.truncate().length_squared() as f64;
                part.max_speed = part.max_speed.max(square);
                part.kinetic_energy += 0.5 * v.w as f64 * square;
            }
            part
        });
        let sum = parts.into_iter().fold(MotionStatistics::default(), |a, b| MotionStatistics {
            max_speed: a.max_speed.max(b.max_speed),
            kinetic_energy: a.kinetic_energy + b.kinetic_energy,
        });
        MotionStatistics { max_speed: sum.max_speed.sqrt(), ..sum }
    }

    /// Hands the particles' forces over to the bodies and moves these.
    pub fn move_bodies(&mut self, dt: f64, contacts: &mut WallContacts) {
        if !self.bodies.is_empty() {
            self.coupling.finish(contacts, &self.particles.velocity);
            self.bodies.step(dt, self.gravity, &self.coupling.load, &mut self.boundaries);
        }
    }

    /// Particles in the order of their ids.
    pub fn order_by_id(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.particles.len() as u32).collect();
        order.sort_unstable_by_key(|&i| self.particles.id[i as usize]);
        order
    }

    /// Particles that fields show, in the order of their ids.
    pub fn shown_by_id(&self) -> Vec<u32> {
        let mut order = self.order_by_id();
        order.retain(|&i| !self.hidden.contains(&self.particles.id[i as usize]));
        order
    }

    /// Number of particles that fields show.
    pub fn shown(&self) -> usize {
        self.particles.len() - self.hidden.len()
    }

    /// Fields that particles have whatever solves them, for the particles in this order.
    pub fn field(&self, name: &str, order: &[u32]) -> Option<FieldData> {
        let (gather, particles) = (Gather(order), &self.particles);
        Some(match name {
            "id" => gather.integer(|i| particles.id[i]),
            "material" => gather.integer(|i| particles.material[i] as u32),
            "position" => gather.vec3(|i| particles.position[i].truncate()),
            "velocity" => gather.vec3(|i| particles.velocity[i].truncate()),
            "speed" => gather.scalar(|i| particles.velocity[i].truncate().length()),
            "radius" => gather.scalar(|i| particles.position[i].w),
            "age" => gather.scalar(|i| (self.time - particles.birth_time(particles.id[i])) as f32),
            "orientation" => gather.quaternion(particles.orientation.as_deref()?),
            "angular_velocity" => {
                let angular_velocity = particles.angular_velocity.as_deref()?;
                gather.vec3(|i| angular_velocity[i].truncate())
            }
            "grain" => {
                let grain = particles.grain.as_deref()?;
                gather.integer(|i| grain[i])
            }
            _ => return None,
        })
    }

    /// What a checkpoint must hold of the world, without its particles.
    ///
    /// # Errors
    /// Says why it cannot be written.
    pub fn save(&self) -> Result<SavedWorld, StateError> {
        let (air, boundaries, bodies) = (self.air.as_ref(), &self.boundaries, &self.bodies);
        let world = SavedWorld::new(self.time, &self.scene, self.gravity, air, boundaries, bodies)?;
        Ok(SavedWorld { cell: self.cell.as_ref().map(StrainedCell::state), ..world })
    }

    /// Takes over the bodies of a checkpoint.
    ///
    /// # Errors
    /// Refuses those of another scene.
    pub fn restore_bodies(&mut self, bodies: &[u8]) -> Result<(), StateError> {
        if self.bodies.restore(bodies, &mut self.boundaries) {
            Ok(())
        } else {
            Err(impossible("rigid bodies that are not those of the scene"))
        }
    }

    /// Takes over a checked state.
    pub fn take_over(&mut self, saved: SavedWorld, particles: Particles) {
        self.time = saved.time;
        self.cell = StrainedCell::new(&self.scene);
        if let (Some(cell), Some(state)) = (&mut self.cell, saved.cell) {
            cell.restore(state);
        }
        self.gravity = saved.gravity;
        // Anew, as a command may have set a wind since.
        self.air = self.scene.air.clone().map(Air::new);
        if let Some(wind) = saved.wind {
            self.air.get_or_insert_with(|| Air::new(AirSettings::default())).set_uniform_wind(wind);
        }
        self.boundaries.restore(&saved.boundaries);
        self.particles = particles;
    }

    /// Hash of time, counts, motion of particles and bodies.
    pub fn hash(&self) -> u64 {
        let mut hash = Fnv::default();
        hash.word(self.time.to_bits());
        hash.word(self.particles.len() as u64);
        hash.word(self.particles.next_id() as u64);
        self.particles.hash(&self.order_by_id(), &mut hash);
        for body in self.bodies.reports(&self.boundaries) {
            let numbers = [body.pose.translation, body.velocity, body.angular_velocity];
            let numbers = numbers.into_iter().flat_map(|v| v.to_array());
            numbers.chain(body.pose.rotation.to_array()).for_each(|c| hash.word(c.to_bits() as u64));
        }
        hash.finish()
    }
}

/// Divides the time left, `max_dt` \[s\], into equal steps of at most `longest` \[s\] and returns the length of one.
pub fn equal_steps(max_dt: f64, longest: f64) -> f64 {
    max_dt / (max_dt / longest - 1e-6).ceil().max(1.0)
}
