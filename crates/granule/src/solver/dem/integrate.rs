//! Velocity Verlet: kick, drift, forces of contacts added up, kick, and removal of grains that are not finite.
//!
//! ```text
//! v += dt/2 F/m,  omega += dt/2 T/(0.4 m R^2),  x += dt v;   F, T from x and these v, omega;   v, omega += dt/2 again
//! ```
//! as `fix nve/sphere` of LAMMPS.

use glam::{Vec3, Vec4};

use crate::cell::CellMotion;
use crate::position::ExactPosition;
use crate::solver::drag::DragInput;
use crate::solver::material_lanes::MaterialLanes;
use crate::solver::particle_solver::ParticleSolver;
use crate::solver::search::Search;
use crate::team::{self, BLOCK, PerBlock, QUICK, block_count};

use super::Dem;
use super::pairs::Pairs;
use super::params::Setup;
use super::state::mover;
use super::walls::WallBlock;

/// What a pass over a block finds beside its columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Square of the fastest speed [m2/s2].
    pub fastest: f32,
    /// Energy of motion and rotation \[J\].
    pub kinetic_energy: f64,
    /// Contacts, those of pairs twice.
    pub contacts: u64,
    /// Whether something is not finite.
    pub unsound: bool,
}

impl Totals {
    fn with(self, other: Self) -> Self {
        Self {
            fastest: self.fastest.max(other.fastest),
            kinetic_energy: self.kinetic_energy + other.kinetic_energy,
            contacts: self.contacts + other.contacts,
            unsound: self.unsound || other.unsound,
        }
    }
}

/// Half a kick of a free sphere.
#[inline(always)]
fn kick(half: f32, v: &mut Vec4, spin: &mut Vec4, force: Vec4, torque: Vec4, radius: f32) {
    let (mass, contact_mass) = (v.w, spin.w);
    *v += (half / mass) * force;
    *spin += (half / (0.4 * mass * radius * radius)) * torque;
    (v.w, spin.w) = (mass, contact_mass);
}

/// What grains change in a drift: rates, then places.
struct Drift<'a> {
    setup: &'a Setup,
    search: &'a Search,
    strain: Option<CellMotion>,
    movers: &'a [u16],
    dt: f64,
}

/// The columns of a block that a drift changes.
struct Drifting<'a> {
    velocity: &'a mut [Vec4],
    spin: &'a mut [Vec4],
    place: &'a mut [ExactPosition],
    position: &'a mut [Vec4],
    turn: &'a mut [Vec4],
}

impl Drift<'_> {
    /// The first half kick of the free spheres of a block, and their drift. Gives the farthest way of one since lists were made,
    /// squared \[m2\].
    #[inline(always)]
    fn kick_and_drift(&self, b: usize, columns: Drifting, force: &[Vec4], torque: &[Vec4]) -> f32 {
        let Drifting { velocity, spin, place, position, turn } = columns;
        let (dt, half, mut farthest) = (self.dt, 0.5 * self.dt as f32, 0.0f32);
        for k in 0..velocity.len() {
            let i = b * BLOCK + k;
            if self.movers[i] != mover::FREE {
                continue;
            }
            kick(half, &mut velocity[k], &mut spin[k], force[k], torque[k], position[k].w);
            turn[k] += (dt as f32 * spin[k]).with_w(0.0);
            // What has left the range is found by its position, which then is not the one it should be.
            let way = dt * velocity[k].truncate().as_dvec3();
            let way = self.strain.map_or(way, |strain| way + strain.way_of(place[k].to_meters()));
            let inside = place[k].advance_meters(way);
            if let Some(strain) = self.strain {
                velocity[k] *= strain.slowing.extend(1.0);
            }
            place[k] = self.setup.exact_domain.wrap(place[k]);
            let x = if inside { place[k].to_vec3() } else { Vec3::NAN };
            position[k] = x.extend(position[k].w);
            farthest = farthest.max(self.search.moved_squared(&self.setup.domain, i, x));
        }
        farthest
    }
}

/// What acts on grains.
struct Acting<'a> {
    pairs: &'a Pairs,
    walls: &'a [WallBlock],
    drag: &'a [Vec3],
    movers: &'a [u16],
    gravity: Vec3,
}

impl Acting<'_> {
    /// Adds up what acts on the particles of a block; members of rigid grains have no weight of their own. Gives the number of
    /// contacts, those of pairs twice.
    #[inline(always)]
    fn add_up(&self, b: usize, velocity: &[Vec4], force: &mut [Vec4], torque: &mut [Vec4]) -> u64 {
        let mut contacts = 0;
        for (k, own) in self.pairs.loads_of_block(b).iter().enumerate().take(force.len()) {
            let mut load = *own;
            self.pairs.loads_from_others(b * BLOCK + k).for_each(|other| load.add(other));
            contacts += load.torque.w as u64;
            (force[k], torque[k]) = (load.force, load.torque);
        }
        for touch in &self.walls[b].touch {
            let k = usize::from(touch.grain);
            force[k] += touch.force.extend(0.0);
            torque[k] += touch.torque.extend(0.0);
            contacts += u64::from(touch.history[3] > 0.0);
        }
        for k in 0..force.len() {
            let i = b * BLOCK + k;
            (force[k].w, torque[k].w) = (0.0, 0.0);
            let drag = self.drag.get(i).copied().unwrap_or(Vec3::ZERO);
            if self.movers[i] == mover::MEMBER {
                force[k] += drag.extend(0.0);
            }
            if self.movers[i] == mover::FREE {
                force[k] += (velocity[k].w * self.gravity + drag).extend(0.0);
            }
        }
        contacts
    }
}

impl Dem {
    /// The first half kick, and the drift; the search hears how far grains have moved.
    pub(super) fn kick_and_drift(&mut self, dt: f64) {
        let state = &mut self.state;
        let particles = &mut self.world.particles;
        let Some(angular_velocity) = particles.angular_velocity.as_mut() else { return };
        let (setup, search, strain) = (&self.setup, &self.search, self.strain);
        let drift = Drift { setup, search, strain, movers: &state.mover, dt };
        let (force, torque) = (&state.force, &state.torque);
        let mut farthest = vec![0.0f32; block_count(force.len())];
        let rates = (&mut particles.velocity[..], &mut angular_velocity[..]);
        let places = (&mut state.place[..], &mut particles.position[..], &mut state.turn[..]);
        team::for_each_block(
            force.len(),
            QUICK,
            (rates, places, PerBlock(&mut farthest)),
            |b, ((velocity, spin), (place, position, turn), farthest)| {
                let own = b * BLOCK..b * BLOCK + velocity.len();
                let columns = Drifting { velocity, spin, place, position, turn };
                *farthest = drift.kick_and_drift(b, columns, &force[own.clone()], &torque[own]);
            },
        );
        let of_grains = self.move_assemblies(None, Some(dt));
        self.arrive(farthest, of_grains.way, dt);
    }

    /// What follows a drift: the search hears how far spheres and members of rigid grains have moved, as squares \[m2\], and led
    /// particles go on.
    fn arrive(&mut self, of_spheres: Vec<f32>, of_members: f32, dt: f64) {
        let farthest = of_spheres.into_iter().fold(of_members, f32::max).sqrt();
        self.note_motion(farthest, dt);
        self.follow_paths(self.world.time + dt);
    }

    /// Lets the search know how far grains \[m\] and walls have moved.
    fn note_motion(&mut self, farthest: f32, dt: f64) {
        self.wall_way += self.world.boundaries.fastest(self.world.time) * dt as f32;
        let way = farthest.max(self.wall_way) + 0.5 * self.setup.laws.reach;
        self.search.note_motion(way * way);
    }

    /// Forces of air on grains \[N\]; empty without air.
    pub(super) fn find_drag(&mut self, dt: f64) {
        self.drag.clear();
        let Some(air) = &self.world.air else { return };
        let particles = &self.world.particles;
        let input = DragInput {
            air,
            particles,
            materials: MaterialLanes::new(&self.setup.materials, &particles.material),
            domain: &self.setup.domain,
            dt: dt as f32,
            time: self.world.time,
        };
        let lists = &self.search.lists;
        let count = if dt > 0.0 { particles.len() } else { 0 };
        team::fill(&mut self.drag, count, |i| {
            input.change(i, lists.of(i)) * (particles.velocity[i].w / dt as f32)
        });
    }

    /// Adds up the forces of all contacts, and gives the second half kick. `dt` is 0 before the first step.
    pub(super) fn add_up_and_kick(&mut self, dt: f64) -> Totals {
        let half = 0.5 * dt as f32;
        let state = &mut self.state;
        let particles = &mut self.world.particles;
        let Some(angular_velocity) = particles.angular_velocity.as_mut() else { return Totals::default() };
        let (pairs, walls, movers) = (&state.pairs, &state.walls.blocks[..], &state.mover[..]);
        let acting = Acting { pairs, walls, movers, drag: &self.drag, gravity: self.world.gravity };
        let position = &particles.position;
        let mut totals = vec![Totals::default(); block_count(position.len())];
        let loads = (&mut state.force[..], &mut state.torque[..]);
        let rates = (&mut particles.velocity[..], &mut angular_velocity[..]);
        team::for_each_block(
            position.len(),
            1,
            (loads, rates, PerBlock(&mut totals)),
            |b, ((force, torque), (velocity, spin), totals)| {
                totals.contacts = acting.add_up(b, velocity, force, torque);
                for k in 0..force.len() {
                    let i = b * BLOCK + k;
                    if movers[i] == mover::FREE {
                        kick(half, &mut velocity[k], &mut spin[k], force[k], torque[k], position[i].w);
                    }
                    totals.add(movers[i], velocity[k], spin[k], position[i], force[k], torque[k]);
                }
            },
        );
        let mut totals = totals.into_iter().fold(Totals::default(), Totals::with);
        totals.kinetic_energy += self.move_assemblies(Some(dt), None).energy;
        totals
    }

    /// The end of a step of `dt` \[s\] and the beginning of one of `next` in one pass over the grains: what
    /// [`add_up_and_kick`](Self::add_up_and_kick) and [`kick_and_drift`](Self::kick_and_drift) do, to the same bits. Totals are
    /// those between the steps.
    pub(super) fn add_up_kick_and_drift(&mut self, dt: f64, next: f64) -> Totals {
        let half = 0.5 * dt as f32;
        let state = &mut self.state;
        let particles = &mut self.world.particles;
        let Some(angular_velocity) = particles.angular_velocity.as_mut() else { return Totals::default() };
        let (pairs, walls, movers) = (&state.pairs, &state.walls.blocks[..], &state.mover[..]);
        let acting = Acting { pairs, walls, movers, drag: &self.drag, gravity: self.world.gravity };
        let (setup, search, strain) = (&self.setup, &self.search, self.strain);
        let drift = Drift { setup, search, strain, movers, dt: next };
        let count = particles.position.len();
        let mut found = vec![(Totals::default(), 0.0f32); block_count(count)];
        let loads = (&mut state.force[..], &mut state.torque[..]);
        let rates = (&mut particles.velocity[..], &mut angular_velocity[..]);
        let places = (&mut state.place[..], &mut particles.position[..], &mut state.turn[..]);
        team::for_each_block(
            count,
            1,
            ((loads, rates), places, PerBlock(&mut found)),
            |b, (((force, torque), (velocity, spin)), (place, position, turn), (totals, farthest))| {
                totals.contacts = acting.add_up(b, velocity, force, torque);
                for k in 0..force.len() {
                    let moved_by = movers[b * BLOCK + k];
                    if moved_by == mover::FREE {
                        kick(half, &mut velocity[k], &mut spin[k], force[k], torque[k], position[k].w);
                    }
                    totals.add(moved_by, velocity[k], spin[k], position[k], force[k], torque[k]);
                }
                let columns = Drifting { velocity, spin, place, position, turn };
                *farthest = drift.kick_and_drift(b, columns, force, torque);
            },
        );
        let (totals, farthest): (Vec<Totals>, Vec<f32>) = found.into_iter().unzip();
        let mut totals = totals.into_iter().fold(Totals::default(), Totals::with);
        let of_grains = self.move_assemblies(Some(dt), Some(next));
        totals.kinetic_energy += of_grains.energy;
        self.arrive(farthest, of_grains.way, next);
        totals
    }

    /// Removes grains whose state is not finite and returns how many.
    pub(super) fn quarantine(&mut self, unsound: bool) -> usize {
        if !unsound {
            return 0;
        }
        let (particles, state) = (&self.world.particles, &self.state);
        let spin = particles.angular_velocity.as_deref().unwrap_or_default();
        let sound = |i: usize| {
            [particles.position[i], particles.velocity[i], spin[i], state.force[i], state.torque[i]]
                .iter()
                .all(|v| v.is_finite())
        };
        let keep: Vec<bool> = (0..particles.len()).map(sound).collect();
        self.remove_particles(&keep)
    }
}

impl Totals {
    #[inline(always)]
    fn add(&mut self, moved_by: u16, velocity: Vec4, spin: Vec4, position: Vec4, force: Vec4, torque: Vec4) {
        let square = velocity.truncate().length_squared();
        let turning = 0.4 * position.w * position.w * spin.truncate().length_squared();
        self.fastest = self.fastest.max(square);
        // That of members is that of their grain.
        if moved_by != mover::MEMBER {
            self.kinetic_energy += 0.5 * f64::from(velocity.w) * f64::from(square + turning);
        }
        // Anything that is not a number, or infinite, spoils the sum.
        let all = (velocity + spin + position + force + torque) * 0.0;
        self.unsound |= all != Vec4::ZERO;
    }
}
