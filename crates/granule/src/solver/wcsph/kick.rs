//! Kick, drift, kick: velocities and positions, walls and bodies on the way, and removal of particles that are not
//! finite.
//!
//! ```text
//! v' = v + dt/2 a(t) ;  walls ;  x += dt v' ;  a(t + dt) from x and v' + dt/2 a(t) ;  v = v' + dt/2 a(t + dt) ;  walls
//! ```
//! The velocities that viscosity and drag see are those at the time of their positions, to second order, so the scheme
//! stays of second order with them.

use glam::{Vec3, Vec4};

use crate::bodies::BodyMotion;
use crate::quarantine::unsound;
use crate::solver::particle_solver::ParticleSolver;
use crate::solver::walls::{WallBlock, WallContact, WallStep, correct_contact};
use crate::team::{self, BLOCK, PerBlock, QUICK, block_count, map_blocks};

use super::Wcsph;

/// Rounds over the walls of a particle that has several. A choice: walls at right angles need one round; otherwise each
/// leaves the squared cosine of the angle between two normals of the error, a quarter at 60 degrees.
const WALL_ROUNDS: usize = 3;

/// Rounds over all walls where bodies give way. A choice, with no other number on record: mass splitting never
/// overshoots, so fewer rounds only leave more of a body's push to the next step, and every round is a pass over contacts.
pub const BODY_ROUNDS: usize = 4;

impl Wcsph {
    /// The first kick and the drift.
    pub(super) fn kick_and_drift(&mut self, dt: f64) {
        self.add_half_kick(dt);
        self.hold_back_by_walls_and_bodies(dt);
        self.drift(dt);
    }

    /// The second kick.
    pub(super) fn kick(&mut self, dt: f64) {
        self.add_half_kick(dt);
        let wall = self.wall_step(dt);
        let motion = &self.world.coupling.motion;
        // Bodies that give way take everything in the first kick.
        let gives_way = |contact: &WallContact| is_free(motion, contact);
        let count = self.world.particles.len();
        let columns = (&mut self.world.particles.velocity[..], PerBlock(&mut self.state.contacts.blocks));
        team::for_each_block(count, 2, columns, |_, (velocity, walls)| {
            forget(walls);
            hold_back(velocity, walls, &wall, &|contact| {
                (!gives_way(contact)).then(|| wall_velocity(motion, contact))
            });
        });
    }

    fn add_half_kick(&mut self, dt: f64) {
        let half = 0.5 * dt as f32;
        let acceleration = &self.state.acceleration;
        let velocity = &mut self.world.particles.velocity[..];
        team::for_each_block(velocity.len(), QUICK, velocity, |b, velocity| {
            let rows = velocity.iter_mut().zip(&acceleration[b * BLOCK..]);
            rows.for_each(|(v, a)| *v += half * a.truncate().extend(0.0));
        });
    }

    fn wall_step(&self, dt: f64) -> WallStep {
        WallStep {
            radius: self.setup.params.radius,
            inverse_dt: 1.0 / dt as f32,
            push_out_speed: self.setup.params.push_out_speed,
            relaxation: 1.0,
        }
    }

    /// Takes from velocities what would lead into walls, and gives it to bodies that move freely.
    fn hold_back_by_walls_and_bodies(&mut self, dt: f64) {
        let wall = self.wall_step(dt);
        let (world, contacts) = (&mut self.world, &mut self.state.contacts);
        team::for_each_mut(&mut contacts.blocks, QUICK, |_, walls| forget(walls));
        let free = world.bodies.free_motions(&world.boundaries, world.gravity, dt as f32);
        world.coupling.begin(free, dt as f32);
        world.coupling.attach(contacts, &world.particles.velocity, 2.0 * wall.radius);
        let two_way = world.coupling.is_two_way();
        for _ in 0..if two_way { BODY_ROUNDS } else { 1 } {
            let motion = &world.coupling.motion;
            let count = world.particles.len();
            let columns = (&mut world.particles.velocity[..], PerBlock(&mut contacts.blocks));
            team::for_each_block(count, 2, columns, |_, (velocity, walls)| {
                hold_back(velocity, walls, &wall, &|contact| Some(wall_velocity(motion, contact)));
                if two_way {
                    walls.add_up_loads(motion, |k| velocity[k].w);
                }
            });
            if two_way {
                world.coupling.update(contacts);
            }
        }
    }

    /// Moves particles, and lets the search know how far.
    fn drift(&mut self, dt: f64) {
        let dt = dt as f32;
        let domain = self.setup.domain;
        let search = &self.search;
        let velocity = &self.world.particles.velocity;
        let mut farthest = vec![0.0f32; block_count(velocity.len())];
        let columns = (&mut self.world.particles.position[..], PerBlock(&mut farthest));
        team::for_each_block(velocity.len(), QUICK, columns, |b, (position, farthest)| {
            for (k, x) in position.iter_mut().enumerate() {
                let i = b * BLOCK + k;
                let mut moved = x.truncate() + dt * velocity[i].truncate();
                if domain.is_periodic() {
                    moved = domain.wrap(moved);
                }
                *x = moved.extend(x.w);
                *farthest = farthest.max(search.moved_squared(&domain, i, moved));
            }
        });
        let farthest = farthest.into_iter().fold(0.0, f32::max);
        self.search.note_motion(farthest);
    }

    /// Removes particles whose state is not finite and returns how many.
    pub(super) fn quarantine(&mut self) -> usize {
        let particles = &self.world.particles;
        let mut keep = unsound(&particles.position, &particles.velocity);
        let sound = |a: &[Vec4]| a.iter().all(|a| a.is_finite());
        let acceleration = &self.state.acceleration;
        if !map_blocks(acceleration.len(), |_, range| sound(&acceleration[range]))
            .into_iter()
            .all(|sound| sound)
        {
            let keep = keep.get_or_insert_with(|| vec![true; acceleration.len()]);
            keep.iter_mut().zip(acceleration).for_each(|(keep, a)| *keep &= a.is_finite());
        }
        keep.map_or(0, |keep| self.remove_particles(&keep))
    }
}

/// Forgets what contacts bore.
fn forget(walls: &mut WallBlock) {
    walls.for_each_mut(|_, contacts| {
        for contact in contacts {
            (contact.normal, contact.tangent) = (0.0, Vec3::ZERO);
        }
    });
}

/// Whether a contact is with a body that gives way.
fn is_free(motion: &[BodyMotion], contact: &WallContact) -> bool {
    motion.get(contact.sample.body as usize).is_some_and(|body| body.inverse_mass > 0.0)
}

/// Velocity of a wall or body at a contact [m/s]: bodies that give way have that of the round.
fn wall_velocity(motion: &[BodyMotion], contact: &WallContact) -> Vec3 {
    let body = motion.get(contact.sample.body as usize).filter(|body| body.inverse_mass > 0.0);
    body.map_or(contact.sample.velocity, |body| body.velocity_at(contact.grain()))
}

/// Takes from the velocities of a block what would lead into walls, with Coulomb friction where a wall has some. `moves`
/// gives the velocity of a contact's wall, or nothing where the contact is to be left out.
fn hold_back(
    velocity: &mut [Vec4],
    walls: &mut WallBlock,
    wall: &WallStep,
    moves: &dyn Fn(&WallContact) -> Option<Vec3>,
) {
    let dt = 1.0 / wall.inverse_dt;
    walls.for_each_mut(|k, contacts| {
        let mut v = velocity[k].truncate();
        for _ in 0..if contacts.len() > 1 { WALL_ROUNDS } else { 1 } {
            for contact in contacts.iter_mut() {
                let Some(moving) = moves(contact) else { continue };
                let before = contact.normal * contact.sample.normal + contact.tangent;
                let mu = contact.sample.friction_or(0.0);
                let after = correct_contact(contact, v - moving, mu, wall);
                v += dt * (after - before);
            }
        }
        velocity[k] = v.extend(velocity[k].w);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, Simulation};

    /// Accelerations outlive a step: one that is not finite would spoil the next, though position and velocity are sound.
    #[test]
    fn particles_whose_acceleration_is_not_finite_are_removed() {
        let text = "name = \"test\"\n[simulation]\nsolver = \"wcsph\"\n[[material]]\nname = \"water\"\n\
                    friction_angle = 0\n[[grains]]\nmaterial = \"water\"\n\
                    shape.box = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\n";
        let scene = Scene::parse(text, "test").unwrap();
        let mut simulation = Simulation::new(scene, &Default::default()).unwrap();
        let solver = simulation.solver_as::<Wcsph>().unwrap();
        let ids = solver.world.particles.id.clone();
        assert_eq!((solver.quarantine(), ids.len()), (0, 125));
        solver.state.acceleration[3].y = f32::NAN;
        solver.state.acceleration[124].z = f32::NEG_INFINITY;
        assert_eq!(solver.quarantine(), 2);
        let kept: Vec<u32> = (0..124).filter(|&i| i != 3).map(|i| ids[i]).collect();
        assert_eq!(solver.world.particles.id, kept);
        assert_eq!(solver.state.acceleration.len(), 123);
        assert!(solver.state.acceleration.iter().all(|a| a.is_finite()));
    }
}
