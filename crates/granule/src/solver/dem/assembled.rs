//! Grains of several spheres: forces of the members move the whole grain, which carries them along.
//!
//! ```text
//! P, L += dt/2;  x_cm, q drift;  members: x = x_cm + R d, v = v_cm + omega x R d with the rates of the half step
//! forces of members -> F = sum f + m g, T = sum R d x f + t;   P, L += dt/2;   members: rates of now
//! ```
//! Contacts of members feel the mass of the whole grain. Eight grains go side by side.

use glam::{Vec3, Vec4};

use crate::assemblies::{Assembly, EIGHT, Eight3, Group, Loads, Shapes};
use crate::cell::CellMotion;
use crate::clumps::PlacedAssembly;
use crate::position::ExactPosition;
use crate::simd::{Lanes, Vectorised};
use crate::solver::search::Search;
use crate::solver::world::World;
use crate::team::SharedColumn;

use super::Dem;
use super::params::Setup;
use super::state::mover;

impl Dem {
    /// Makes the newest particles members of rigid grains: as many as each has spheres, in their order.
    pub fn assemble(&mut self, new: &[PlacedAssembly]) {
        for PlacedAssembly { first, assembly } in new {
            let members = *first..first + assembly.spheres.len();
            self.assemblies.push(assembly, &self.world.particles.id[members.clone()], *first);
            for i in members {
                self.state.mover[i] = mover::MEMBER;
                self.state.force[i] = glam::Vec4::ZERO;
                if let Some(spin) = self.world.particles.angular_velocity.as_mut() {
                    spin[i].w = (1.0 / assembly.properties.mass) as f32;
                }
            }
        }
        if !new.is_empty() {
            self.place_members();
            self.search.invalidate();
        }
    }

    /// Moves rigid grains: the second half kick of a step of `end` \[s\], then the first of a step of `begin` and its drift;
    /// without either, members are only put where their grains have them.
    pub(super) fn move_assemblies(&mut self, end: Option<f64>, begin: Option<f64>) -> Moved {
        if self.assemblies.is_empty() {
            return Moved::default();
        }
        let gravity = self.world.gravity.as_dvec3().to_array();
        let (search, setup, strain) = (&self.search, &self.setup, self.strain);
        let (force, torque) = (&self.state.force[..], &self.state.torque[..]);
        let Some(rows) = Rows::new(&mut self.world, &mut self.state.place) else { return Moved::default() };
        let input = &MoveInput { rows, force, torque, search, setup, strain, gravity, end, begin };
        let moved = self
            .assemblies
            .map_groups_mut(|grains, shapes| setup.instructions.run(MoveGroup { input, grains, shapes }));
        moved.into_iter().fold(Moved::default(), Moved::with)
    }

    fn place_members(&mut self) {
        self.move_assemblies(None, None);
    }
}

/// What moving rigid grains finds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moved {
    /// Energy of motion and rotation after the second half kick \[J\].
    pub(super) energy: f64,
    /// Farthest way of a member since lists were made, squared \[m2\].
    pub(super) way: f32,
}

impl Moved {
    fn with(self, other: Self) -> Self {
        Self { energy: self.energy + other.energy, way: self.way.max(other.way) }
    }
}

/// What moving rigid grains depends on.
struct MoveInput<'a> {
    rows: Rows<'a>,
    force: &'a [Vec4],
    torque: &'a [Vec4],
    search: &'a Search,
    setup: &'a Setup,
    strain: Option<CellMotion>,
    gravity: [f64; 3],
    end: Option<f64>,
    begin: Option<f64>,
}

/// Up to eight rigid grains on their way.
struct MoveGroup<'a> {
    input: &'a MoveInput<'a>,
    grains: &'a mut [Assembly],
    shapes: Shapes<'a>,
}

impl Vectorised for MoveGroup<'_> {
    type Output = Moved;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Moved {
        let Self { input, grains, shapes } = self;
        let mut group = Group::new(grains);
        let mut moved = Moved::default();
        let mut loads = Loads::default();
        if input.end.is_some() || input.begin.is_some() {
            loads = input.member_loads(&group, &shapes);
        }
        if let Some(dt) = input.end {
            group.kick(&loads, input.gravity, 0.5 * dt);
            let energies = group.kinetic_energy();
            moved.energy = energies.0[..grains.len()].iter().sum();
        }
        let Some(dt) = input.begin else {
            group.store(grains);
            if input.end.is_some() {
                input.put_rates(&group, group.angular_velocity(), &shapes);
            } else {
                input.put(grains, &group, group.angular_velocity(), &shapes, [true; EIGHT]);
            }
            return moved;
        };
        group.kick(&loads, input.gravity, 0.5 * dt);
        let velocity = group.velocity();
        let middle = group.turn(dt);
        if let Some(strain) = input.strain {
            group.slow(strain.slowing.as_dvec3().to_array());
        }
        let mut sound = [true; EIGHT];
        for (lane, grain) in grains.iter_mut().enumerate() {
            let way = glam::DVec3::new(velocity[0].0[lane], velocity[1].0[lane], velocity[2].0[lane]) * dt;
            let strained = input.strain.map(|strain| strain.way_of(grain.position.to_meters()));
            sound[lane] = grain.position.advance_meters(way);
            if let Some(way) = strained {
                sound[lane] &= grain.position.advance_meters(way);
            }
        }
        group.store(grains);
        for (lane, grain) in grains.iter().enumerate() {
            sound[lane] &= grain.is_finite();
        }
        moved.way = input.put(grains, &group, middle, &shapes, sound);
        moved
    }
}

impl MoveInput<'_> {
    /// The loads of the members on rigid grains, without their weight.
    #[inline(always)]
    fn member_loads(&self, group: &Group, shapes: &Shapes) -> Loads {
        let mut sum = Loads::default();
        for k in 0..shapes.most() {
            let (mut force, mut torque): (Eight3, Eight3) = Default::default();
            for lane in 0..shapes.len() {
                if let Some(&place) = shapes.places(lane).get(k) {
                    let (f, t) = (self.force[place as usize], self.torque[place as usize]);
                    for axis in 0..3 {
                        force[axis].0[lane] = f64::from(f[axis]);
                        torque[axis].0[lane] = f64::from(t[axis]);
                    }
                }
            }
            group.add_load(&mut sum, group.arms(shapes, k), force, torque);
        }
        sum
    }

    /// Puts the members of grains that turn with `spin` [rad/s] where these have them; those of a lost one nowhere. Gives the
    /// farthest way of a member since lists were made, squared \[m2\].
    #[inline(always)]
    fn put(
        &self,
        grains: &[Assembly],
        group: &Group,
        spin: Eight3,
        shapes: &Shapes,
        sound: [bool; EIGHT],
    ) -> f32 {
        let (velocity, spin) = (single(group.velocity()), single(spin));
        let mut farthest = 0.0f32;
        for k in 0..shapes.most() {
            let arms = group.arms(shapes, k);
            let rates = member_rates(velocity, spin, arms);
            for (lane, grain) in grains.iter().enumerate() {
                let Some(&place) = shapes.places(lane).get(k) else { continue };
                let mut exact = grain.position;
                let arm = glam::DVec3::new(arms[0].0[lane], arms[1].0[lane], arms[2].0[lane]);
                let inside = sound[lane] & exact.advance_meters(arm);
                exact = self.setup.exact_domain.wrap(exact);
                let x = if inside { exact.to_vec3() } else { Vec3::NAN };
                self.rows.put(place, exact, x);
                self.rows.put_rates(place, &rates, &spin, lane);
                let way = self.search.moved_squared(&self.setup.domain, place as usize, x);
                farthest = farthest.max(way);
            }
        }
        farthest
    }

    /// Gives the members of grains that turn with `spin` [rad/s] their velocities.
    #[inline(always)]
    fn put_rates(&self, group: &Group, spin: Eight3, shapes: &Shapes) {
        let (velocity, spin) = (single(group.velocity()), single(spin));
        for k in 0..shapes.most() {
            let rates = member_rates(velocity, spin, group.arms(shapes, k));
            for lane in 0..shapes.len() {
                if let Some(&place) = shapes.places(lane).get(k) {
                    self.rows.put_rates(place, &rates, &spin, lane);
                }
            }
        }
    }
}

/// Three numbers of each of eight grains in single precision.
type Single3 = [[f32; EIGHT]; 3];

#[inline(always)]
fn single(wide: Eight3) -> Single3 {
    let mut narrow = [[0.0; EIGHT]; 3];
    for (narrow, wide) in narrow.iter_mut().zip(wide) {
        for (narrow, wide) in narrow.iter_mut().zip(wide.0) {
            *narrow = wide as f32;
        }
    }
    narrow
}

/// Velocities of members at some arms \[m\]: v + omega x arm [m/s].
#[inline(always)]
fn member_rates(velocity: Single3, spin: Single3, arms: Eight3) -> Single3 {
    let (arms, mut rates) = (single(arms), velocity);
    for (axis, rates) in rates.iter_mut().enumerate() {
        let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
        for (lane, rate) in rates.iter_mut().enumerate() {
            *rate += spin[b][lane] * arms[c][lane] - spin[c][lane] * arms[b][lane];
        }
    }
    rates
}

/// The columns of particles that rigid grains write.
struct Rows<'a> {
    place: SharedColumn<'a, ExactPosition>,
    position: SharedColumn<'a, Vec4>,
    velocity: SharedColumn<'a, Vec4>,
    spin: SharedColumn<'a, Vec4>,
    count: usize,
}

impl<'a> Rows<'a> {
    fn new(world: &'a mut World, place: &'a mut [ExactPosition]) -> Option<Self> {
        let particles = &mut world.particles;
        let spin = particles.angular_velocity.as_mut()?;
        let count = place.len().min(particles.position.len()).min(particles.velocity.len()).min(spin.len());
        Some(Self {
            place: SharedColumn::of(place),
            position: SharedColumn::of(&mut particles.position),
            velocity: SharedColumn::of(&mut particles.velocity),
            spin: SharedColumn::of(spin),
            count,
        })
    }

    #[inline(always)]
    fn put(&self, place: u32, exact: ExactPosition, rounded: Vec3) {
        let place = self.checked(place);
        // SAFETY: the place exists, and no other grain has this particle.
        let (at, x) = unsafe { (self.place.get_mut(place), self.position.get_mut(place)) };
        *at = exact;
        *x = rounded.extend(x.w);
    }

    /// Gives a particle a lane of velocities and angular velocities.
    #[inline(always)]
    fn put_rates(&self, place: u32, velocity: &Single3, spin: &Single3, lane: usize) {
        let place = self.checked(place);
        // SAFETY: the place exists, and no other grain has this particle.
        let (v, turning) = unsafe { (self.velocity.get_mut(place), self.spin.get_mut(place)) };
        *v = Vec4::new(velocity[0][lane], velocity[1][lane], velocity[2][lane], v.w);
        *turning = Vec4::new(spin[0][lane], spin[1][lane], spin[2][lane], turning.w);
    }

    #[inline(always)]
    fn checked(&self, place: u32) -> usize {
        assert!((place as usize) < self.count, "members are among the particles");
        place as usize
    }
}
