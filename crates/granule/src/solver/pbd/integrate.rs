//! Gravity and air, the drift, and removal of grains that are not finite.

use glam::{Vec3, Vec4};

use crate::position::ExactPosition;
use crate::solver::drag::DragInput;
use crate::solver::material_lanes::MaterialLanes;
use crate::solver::particle_solver::ParticleSolver;
use crate::solver::search::Search;
use crate::team::{self, BLOCK, PerBlock, QUICK, block_count};

use super::Pbd;
use super::params::Setup;
use super::path::Path;
use super::shaped::{ShapedColumns, ShapedPlaces};
use super::state::PbdState;

/// What a drift finds beside its columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// The largest share of a skin that is used up, or 0 where it is certainly less than a whole one.
    pub used: f32,
    /// Square of the fastest speed [m2/s2].
    pub fastest: f32,
    /// Energy of motion and rotation \[J\].
    pub kinetic_energy: f64,
    /// Whether something is not finite.
    pub unsound: bool,
}

impl Totals {
    fn with(self, other: Self) -> Self {
        Self {
            used: self.used.max(other.used),
            fastest: self.fastest.max(other.fastest),
            kinetic_energy: self.kinetic_energy + other.kinetic_energy,
            unsound: self.unsound || other.unsound,
        }
    }

    #[inline(always)]
    fn add(&mut self, velocity: Vec4, spin: Vec4, position: Vec4) {
        let square = velocity.truncate().length_squared();
        let turning = 0.4 * position.w * position.w * spin.truncate().length_squared();
        self.fastest = self.fastest.max(square);
        self.kinetic_energy += 0.5 * f64::from(velocity.w) * f64::from(square + turning);
        // Anything that is not a number, or infinite, spoils the sum.
        self.unsound |= (velocity + spin + position) * 0.0 != Vec4::ZERO;
    }
}

/// Where grains were listed.
#[derive(Clone, Copy)]
struct Listed<'a> {
    setup: &'a Setup,
    search: &'a Search,
    path: &'a [Path],
}

impl Listed<'_> {
    /// What share of its skin a grain has used up that is at `x` now, at a velocity [m/s], and goes on for a step of `dt` \[s\]; 0
    /// where it is certainly less than all of it, as it mostly is:
    ///
    /// ```text
    /// (m + (v + g h) h)^2 <= 2 m^2 + 4 (v h)^2 + 4 (g h h)^2
    /// ```
    #[inline(always)]
    fn used_by(&self, i: usize, x: Vec4, velocity: Vec3, dt: f64) -> f32 {
        if !self.search.is_valid() {
            return 0.0;
        }
        let (setup, path, dt) = (self.setup, &self.path[i], dt as f32);
        let (moved, skin) = (self.search.moved(&setup.domain, i, x.truncate()), path.radius - x.w);
        let (way, fall) = (dt * velocity, setup.way(0.0, dt));
        let most = 2.0 * moved.length_squared() + 4.0 * (way.length_squared() + fall * fall);
        // What is left is far more than rounding takes. What is not a number goes on.
        if most < 0.99 * skin * skin {
            return 0.0;
        }
        setup.used_aside(path, x.w, moved, velocity, dt)
    }
}

/// What rounding took from a position \[m\].
#[inline(always)]
pub(super) fn rest_of(place: ExactPosition, rounded: Vec4) -> Vec4 {
    (place.to_meters() - rounded.truncate().as_dvec3()).as_vec3().extend(0.0)
}

impl Pbd {
    /// Gives grains the velocity of gravity for a step of `dt` \[s\]. Nothing pushes them yet. Notes what rounding took from their
    /// positions.
    pub(super) fn fall(&mut self, dt: f64) {
        let gravity = dt as f32 * self.world.gravity;
        let particles = &mut self.world.particles;
        let Some(spin) = particles.angular_velocity.as_ref() else { return };
        let PbdState { place, push, rest, .. } = &mut self.state;
        let (velocity, position) = (&mut particles.velocity[..], &particles.position);
        let columns = (velocity, &mut push[..], &mut rest[..]);
        team::for_each_block(position.len(), QUICK, columns, |b, (velocity, push, rest)| {
            push.fill(Vec4::ZERO);
            for (k, rest) in rest.iter_mut().enumerate() {
                *rest = rest_of(place[b * BLOCK + k], position[b * BLOCK + k]);
            }
            for (velocity, spin) in velocity.iter_mut().zip(&spin[b * BLOCK..]) {
                if spin.w > 0.0 {
                    *velocity += gravity.extend(0.0);
                }
            }
        });
    }

    /// Lets air drag grains.
    pub(super) fn drag(&mut self, dt: f64) {
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
        let spin = particles.angular_velocity.as_deref().unwrap_or_default();
        let held = |i: usize| spin[i].w == 0.0 || self.setup.laws.of_body(particles.material[i]);
        let change = |i: usize| if held(i) { Vec3::ZERO } else { input.change(i, lists.of(i)) };
        team::fill(&mut self.dragged, particles.len(), change);
        let velocity = &mut self.world.particles.velocity;
        velocity.iter_mut().zip(&self.dragged).for_each(|(v, change)| *v += change.extend(0.0));
    }

    /// Moves grains by their velocity and by the push, which leaves no velocity behind.
    pub(super) fn drift(&mut self, dt: f64) -> Totals {
        let (setup, state) = (&self.setup, &mut self.state);
        let listed = Listed { setup, search: &self.search, path: &self.path };
        let particles = &mut self.world.particles;
        let Some(spin) = particles.angular_velocity.as_mut() else { return Totals::default() };
        let count = particles.position.len();
        let mut totals = vec![Totals::default(); block_count(count)];
        let rates = (&mut particles.velocity[..], &mut spin[..], &mut state.push[..]);
        let places = (&mut state.place[..], &mut particles.position[..], &mut state.turn[..]);
        let (laws, material, repeats) = (&setup.laws, &particles.material, setup.exact_domain.is_periodic());
        team::for_each_block(
            count,
            QUICK,
            (rates, places, PerBlock(&mut totals)),
            |b, ((velocity, spin, push), (place, position, turn), totals)| {
                for k in 0..velocity.len() {
                    if spin[k].w == 0.0 || laws.of_body(material[b * BLOCK + k]) {
                        continue;
                    }
                    turn[k] += (dt as f32 * spin[k]).with_w(0.0);
                    let way = dt * velocity[k].truncate().as_dvec3() + push[k].truncate().as_dvec3();
                    let inside = place[k].advance_meters(way);
                    if repeats {
                        place[k] = setup.exact_domain.wrap(place[k]);
                    }
                    // What has left the range is found by its position, which then is not the one it should be.
                    let x = if inside { place[k].to_vec3() } else { Vec3::NAN };
                    position[k] = x.extend(position[k].w);
                    let used = listed.used_by(b * BLOCK + k, position[k], velocity[k].truncate(), dt);
                    totals.used = totals.used.max(used);
                    totals.add(velocity[k], spin[k], position[k]);
                }
            },
        );
        totals.into_iter().fold(Totals::default(), Totals::with)
    }

    /// Moves bodies that are made of particles, and these with them. Gives how many were lost.
    pub(super) fn drift_shaped(&mut self, dt: f64, totals: &mut Totals) -> usize {
        if self.shaped.is_empty() {
            return 0;
        }
        let Self { setup, world, state, search, path, shaped, .. } = self;
        let listed = Listed { setup, search, path };
        let lost = shaped.drift(dt, &state.push);
        let particles = &mut world.particles;
        let Some(spin) = particles.angular_velocity.as_mut() else { return lost };
        let mut columns = ShapedColumns { velocity: &mut particles.velocity, spin };
        let to = ShapedPlaces {
            domain: &setup.exact_domain,
            place: &mut state.place,
            position: &mut particles.position,
        };
        shaped.put(&mut columns, to, |i, x, velocity| {
            totals.used = totals.used.max(listed.used_by(i, x, velocity, dt));
        });
        lost
    }

    /// Removes grains whose state is not finite and returns how many.
    pub(super) fn quarantine(&mut self, unsound: bool) -> usize {
        if !unsound {
            return 0;
        }
        let particles = &self.world.particles;
        let spin = particles.angular_velocity.as_deref().unwrap_or_default();
        let sound =
            |i: usize| [particles.position[i], particles.velocity[i], spin[i]].iter().all(|v| v.is_finite());
        let keep: Vec<bool> = (0..particles.len()).map(sound).collect();
        self.remove_particles(&keep)
    }
}
