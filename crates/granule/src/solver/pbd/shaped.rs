//! Rigid bodies that are made of particles: shape matching with exact momenta.
//!
//! The particles of a body are among the grains: they are sorted, listed, coloured and solved as these are, but never touch each
//! other. After every sweep their velocities are projected on a rigid motion, after every step their places on the shape:
//!
//! ```text
//! begin     P += h M g;   vi = P/M + w x ri,   wi = w,   L = I w                  ri: from the centre of mass to particle i
//! weigh     si = n l/M takes the place of 1/mi                                    n: particles that touch something; l: how far out they are
//! sweep     contacts change vi by si Pi and wi by 2.5 si/a^2 Ti                   as those of any grain of radius a
//! project   P += sum Pi,   L += sum ri x Pi + Ti;   vi, wi as above               Pi = dvi/si,   Ti = dwi a^2/(2.5 si)
//! drift     x += h P/M + sum qi/M,   R turns freely by L and by I^-1 sum ri x qi   qi = push of i/si
//! place     xi = x + R oi                                                         oi: place of i in the shape
//! ```
//! The projection gives a body all that its particles got and nothing else: momentum and angular momentum of body and grains
//! together are kept to rounding, and the shape to that of single numbers. M and I are those of the solid, not of the particles.
//! It departs from \[MMCK14\] and from the usual extraction of a rotation from moved particles: since momenta are known, the
//! rotation follows from them, and no iteration stops too early.
//!
//! | data | bytes | lives |
//! | --- | --- | --- |
//! | momenta, centre and orientation of a body | 184 per body | state, with the bodies of the scene |
//! | places in the shape; where particles are in memory | 28 per particle | as long as the simulation; as long as lists |
//! | arms, and what was given last: velocity, angular velocity | 64 per particle | one step |
//! | pairs that have a particle of a body | 12 per listed pair | as long as lists |
//!
//! Bodies that rest on each other converge more slowly than grains: with two sweeps a box on a box rocks by about a tenth of
//! sqrt(g d), with twenty it comes to rest. Where bodies meet, some sweeps over their pairs and all walls follow every sweep.
//!
//! All sums are in the order of particles: the same bits for any number of threads.

use std::ops::Range;

use glam::{DMat3, DQuat, DVec3, Vec3, Vec4};

use crate::assemblies::Assembly;
use crate::bodies::{Bodies, ParticleBody, Wrench};
use crate::boundary::Boundaries;
use crate::particles::{NewParticle, Particles};
use crate::position::{ExactDomain, ExactPosition};
use crate::simd::LANES;

use super::groups::{PairGroup, Pairs};
use super::splitting::Touched;
use super::walls::Walls;

/// A body that is made of particles.
struct ShapedBody {
    /// Its number among all bodies.
    number: usize,
    /// Its particles among all that belong to bodies.
    members: Range<usize>,
    /// Their radius \[m\].
    radius: f32,
    /// How it moves.
    state: Assembly,
    /// Inverse of the inertia tensor in the world's axes [1/(kg m2)].
    inverse_inertia: DMat3,
    /// Force and torque of grains in the last step.
    load: Wrench,
}

/// A pair with a particle of a body: which group and place it is at, and the bodies of both sides.
struct BodyPair {
    at: u32,
    sides: [u32; 2],
}

impl BodyPair {
    /// Whether two bodies meet in it.
    fn is_of_two(&self) -> bool {
        !self.sides.contains(&NO_BODY)
    }
}

/// The side of a pair that is no body's.
const NO_BODY: u32 = u32::MAX;

/// Numbers per particle of a body.
#[derive(Clone, Copy, Default)]
struct Member {
    /// Relative to the centre of mass, in the frame of the shape \[m\].
    offset: DVec3,
    /// The same in the world's axes \[m\].
    arm: DVec3,
    /// Velocity that it was given last [m/s].
    velocity: Vec4,
    /// Angular velocity that it was given last [rad/s], and inverse mass [1/kg].
    spin: Vec4,
    /// Whether it touches something in this step.
    touches: bool,
}

/// All bodies that are made of particles.
#[derive(Default)]
pub struct ShapedBodies {
    bodies: Vec<ShapedBody>,
    member: Vec<Member>,
    /// Where particles are in memory.
    place: Vec<u32>,
    /// Ids of all particles: body by body.
    ids: Range<u32>,
    pairs: Vec<BodyPair>,
    /// Groups with pairs of two bodies, and which of their pairs these are.
    meeting: Vec<(u32, u32)>,
    /// Material of the particles of the first body; those of the others follow.
    first_material: u16,
}

/// The columns that bodies change.
pub struct ShapedColumns<'a> {
    /// Velocities [m/s] and masses \[kg\].
    pub velocity: &'a mut [Vec4],
    /// Angular velocities [rad/s] and inverse masses [1/kg].
    pub spin: &'a mut [Vec4],
}

/// The columns that say where particles are.
pub struct ShapedPlaces<'a> {
    /// Space.
    pub domain: &'a ExactDomain,
    /// Exact centres.
    pub place: &'a mut [ExactPosition],
    /// Rounded centres and radii \[m\].
    pub position: &'a mut [Vec4],
}

/// The particles of a body, where it has them: all of one mass, and together as heavy as it.
pub fn particles_of<'a>(
    made: &'a ParticleBody,
    state: &'a Assembly,
    material: u16,
) -> impl Iterator<Item = NewParticle> + 'a {
    let share = state.properties.mass / made.offset.len() as f64;
    made.offset.iter().map(move |offset| NewParticle {
        position: (state.position.to_meters() + state.orientation * *offset).as_vec3(),
        velocity: Vec3::ZERO,
        radius: made.radius,
        mass: share as f32,
        material,
        fixed: false,
    })
}

impl ShapedBodies {
    /// The bodies of a scene that are made of particles; adds these to the others, as materials from `first_material` on.
    pub fn new(bodies: &Bodies, first_material: usize, particles: &mut Particles) -> Self {
        let first_id = particles.next_id();
        let mut shaped =
            Self { ids: first_id..first_id, first_material: first_material as u16, ..Self::default() };
        for (slot, made) in bodies.made_of_particles().into_iter().enumerate() {
            let Some(state) = bodies.assembly(made.body) else { continue };
            let first = shaped.member.len();
            for particle in particles_of(&made, &state, (first_material + slot) as u16) {
                particles.push(particle);
            }
            let member = |&offset: &DVec3| Member { offset, ..Member::default() };
            shaped.member.extend(made.offset.iter().map(member));
            shaped.bodies.push(ShapedBody {
                number: made.body,
                members: first..shaped.member.len(),
                radius: made.radius,
                state,
                inverse_inertia: DMat3::ZERO,
                load: Wrench::default(),
            });
        }
        shaped.ids.end = particles.next_id();
        shaped
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Ids of the particles of all bodies.
    pub fn ids(&self) -> Range<u32> {
        self.ids.clone()
    }

    /// Whether a body, by its number among all, is made of particles.
    pub fn is_made(&self, number: u32) -> bool {
        self.bodies.iter().any(|body| body.number == number as usize)
    }

    /// Number among all bodies of the one that a particle of some material belongs to.
    pub fn number_of(&self, material: u16) -> Option<usize> {
        self.slot_of(material).map(|slot| self.bodies[slot].number)
    }

    /// Place here of the body that particles of some material belong to.
    #[inline]
    fn slot_of(&self, material: u16) -> Option<usize> {
        let slot = usize::from(material.checked_sub(self.first_material)?);
        (slot < self.bodies.len()).then_some(slot)
    }

    /// Takes the particles of a checkpoint for those of its bodies, which it was made without. False where they are not.
    pub fn recognise(&mut self, id: &[u32], material: &[u16]) -> bool {
        let own = id.iter().zip(material).filter_map(|(id, m)| self.slot_of(*m).map(|slot| (*id, slot)));
        let mut own: Vec<(u32, usize)> = own.collect();
        own.sort_unstable();
        let first = own.first().map_or(0, |(id, _)| *id);
        self.ids = first..first.saturating_add(self.member.len() as u32);
        let slots =
            self.bodies.iter().enumerate().flat_map(|(slot, body)| body.members.clone().map(move |_| slot));
        self.ids.clone().zip(slots).eq(own) && self.find(id)
    }

    /// Finds where particles are in memory. False where some are missing.
    pub fn find(&mut self, id: &[u32]) -> bool {
        self.place.clear();
        self.place.resize(self.member.len(), u32::MAX);
        for (place, id) in id.iter().enumerate() {
            if self.ids.contains(id) {
                self.place[(id - self.ids.start) as usize] = place as u32;
            }
        }
        self.place.iter().all(|place| *place != u32::MAX)
    }

    /// Notes which of the listed pairs have a particle of a body.
    pub fn note_pairs(&mut self, pairs: &Pairs, material: &[u16]) {
        let mut noted = std::mem::take(&mut self.pairs);
        noted.clear();
        if !self.is_empty() {
            let side = |i: u32| self.slot_of(material[i as usize]).map_or(NO_BODY, |slot| slot as u32);
            let sides = pairs.listed().map(|(at, i, j)| BodyPair { at, sides: [side(i), side(j)] });
            noted.extend(sides.filter(|pair| pair.sides != [NO_BODY; 2]));
        }
        let mut places: Vec<u32> = noted.iter().filter(|pair| pair.is_of_two()).map(|pair| pair.at).collect();
        places.sort_unstable();
        let of_group = |places: &[u32]| {
            let lanes = places.iter().fold(0, |lanes, at| lanes | 1 << (at % LANES as u32));
            (places[0] / LANES as u32, lanes)
        };
        self.meeting = places.chunk_by(|a, b| a / LANES as u32 == b / LANES as u32).map(of_group).collect();
        self.pairs = noted;
    }

    /// Groups with pairs in which two bodies meet, and which of their pairs these are; none where no such pair touches.
    pub fn meeting(&self, pairs: &Pairs) -> &[(u32, u32)] {
        let touches = self.pairs.iter().any(|pair| pair.is_of_two() && is_active(pairs, pair.at));
        if touches { &self.meeting } else { &[] }
    }

    /// Lets gravity [m/s2] act on bodies for `dt` \[s\], and gives particles the velocities of theirs.
    pub fn begin(&mut self, bodies: &Bodies, gravity: Vec3, dt: f64, columns: &mut ShapedColumns) {
        for body in &mut self.bodies {
            body.state = bodies.assembly(body.number).unwrap_or(body.state);
            let weight = body.state.properties.mass * gravity.as_dvec3();
            body.state.momentum += dt * weight;
            body.load = Wrench::default();
        }
        self.take_arms();
        self.give(columns);
    }

    /// Finds arms and inertia of where bodies are.
    fn take_arms(&mut self) {
        for body in &mut self.bodies {
            let turn = DMat3::from_quat(body.state.orientation);
            for member in &mut self.member[body.members.clone()] {
                member.arm = turn * member.offset;
            }
            let axes = DMat3::from_quat(body.state.orientation * body.state.properties.shape_from_principal);
            let inverse = DMat3::from_diagonal(body.state.properties.inertia.recip());
            body.inverse_inertia = axes * inverse * axes.transpose();
        }
    }

    /// Gives particles the velocities of their bodies.
    fn give(&mut self, columns: &mut ShapedColumns) {
        for body in &self.bodies {
            let (linear, angular) =
                (body.state.velocity(), body.inverse_inertia * body.state.angular_momentum);
            for k in body.members.clone() {
                let (member, i) = (&mut self.member[k], self.place[k] as usize);
                let velocity = linear + angular.cross(member.arm);
                columns.velocity[i] = velocity.as_vec3().extend(columns.velocity[i].w);
                columns.spin[i] = angular.as_vec3().extend(columns.spin[i].w);
                (member.velocity, member.spin) = (columns.velocity[i], columns.spin[i]);
            }
        }
    }

    /// Finds which particles touch something, and gives all the inverse masses that follow; `id` are those of all particles.
    pub fn weigh(&mut self, pairs: &Pairs, walls: &Walls, id: &[u32], spin: &mut [Vec4]) {
        let Self { bodies, pairs: own, ids, member, place, .. } = self;
        if bodies.is_empty() {
            return;
        }
        member.iter_mut().for_each(|member| member.touches = false);
        for pair in own.iter().filter(|pair| is_active(pairs, pair.at)) {
            let (group, lane) = (&pairs.groups[pair.at as usize / LANES], pair.at as usize % LANES);
            for i in [group.i[lane], group.j[lane]].map(|i| id[i as usize]).iter().filter(|i| ids.contains(i))
            {
                member[(i - ids.start) as usize].touches = true;
            }
        }
        for i in walls.touching().map(|(i, _)| id[i]).filter(|i| ids.contains(i)) {
            member[(i - ids.start) as usize].touches = true;
        }
        for body in bodies {
            let mut touched = Touched::default();
            let members = &mut member[body.members.clone()];
            members.iter().filter(|member| member.touches).for_each(|member| touched.add(member.arm));
            let weight = touched.inverse_mass(&body.state, body.radius) as f32;
            for (member, place) in members.iter_mut().zip(&place[body.members.clone()]) {
                member.spin.w = weight;
                spin[*place as usize].w = weight;
            }
        }
    }

    /// Projects the velocities of particles on rigid motions: bodies get the momenta that their particles got.
    pub fn project(&mut self, columns: &mut ShapedColumns) {
        for body in &mut self.bodies {
            let (mut momentum, mut angular) = (DVec3::ZERO, DVec3::ZERO);
            let square = f64::from(body.radius * body.radius);
            for k in body.members.clone() {
                let (member, i) = (&self.member[k], self.place[k] as usize);
                let mass = 1.0 / f64::from(member.spin.w);
                let faster = columns.velocity[i].truncate() - member.velocity.truncate();
                let turned = columns.spin[i].truncate() - member.spin.truncate();
                let impulse = mass * faster.as_dvec3();
                momentum += impulse;
                angular += member.arm.cross(impulse) + 0.4 * mass * square * turned.as_dvec3();
            }
            body.state.momentum += momentum;
            body.state.angular_momentum += angular;
        }
        self.give(columns);
    }

    /// Adds up what pairs with grains did in a step of `dt` \[s\]; `id` are those of all particles.
    ///
    /// ```text
    /// F = sum P/h,   T = sum (ri x P - a n x P + lr)/h            a: from the particle to the point of contact
    /// ```
    pub fn add_loads(&mut self, pairs: &Pairs, id: &[u32], rotation: bool, dt: f64) {
        let Self { bodies, pairs: own, ids, member, .. } = self;
        for pair in own.iter().filter(|pair| !pair.is_of_two() && is_active(pairs, pair.at)) {
            let (group, lane) = (&pairs.groups[pair.at as usize / LANES], pair.at as usize % LANES);
            let side = usize::from(pair.sides[0] == NO_BODY);
            let i = if side == 0 { group.i[lane] } else { group.j[lane] };
            let arm = member[(id[i as usize] - ids.start) as usize].arm;
            let (force, torque) = impulse_on(pairs, group, lane, side, rotation);
            let load = Wrench { force: force / dt, torque: (arm.cross(force) + torque) / dt };
            bodies[pair.sides[side] as usize].load += load;
        }
    }

    /// Momenta and angular momenta of all bodies, to tell what something adds to them.
    pub fn momenta(&self) -> Vec<(DVec3, DVec3)> {
        self.bodies.iter().map(|body| (body.state.momentum, body.state.angular_momentum)).collect()
    }

    /// Adds what came to momenta since to the loads of a step of `dt` \[s\].
    pub fn add_loads_since(&mut self, before: &[(DVec3, DVec3)], dt: f64) {
        for (body, (momentum, angular)) in self.bodies.iter_mut().zip(before) {
            let force = (body.state.momentum - momentum) / dt;
            body.load += Wrench { force, torque: (body.state.angular_momentum - angular) / dt };
        }
    }

    /// Moves bodies by their momenta and by the pushes on their particles. Gives how many were lost: not finite, or out of the
    /// range of positions. Those stay where they were, at rest.
    pub fn drift(&mut self, dt: f64, push: &[Vec4]) -> usize {
        let mut lost = 0;
        for body in &mut self.bodies {
            let before = body.state;
            let (mut way, mut turn) = (DVec3::ZERO, DVec3::ZERO);
            for k in body.members.clone() {
                let (member, i) = (&self.member[k], self.place[k] as usize);
                let share = push[i].truncate().as_dvec3() / f64::from(member.spin.w);
                way += share;
                turn += member.arm.cross(share);
            }
            let (_, inside) = body.state.drift(dt);
            let inside = inside && body.state.position.advance_meters(way / body.state.properties.mass);
            let turned = DQuat::from_scaled_axis(body.inverse_inertia * turn) * body.state.orientation;
            body.state.orientation = turned.normalize();
            if !inside || !body.state.is_finite() {
                body.state = Assembly { momentum: DVec3::ZERO, angular_momentum: DVec3::ZERO, ..before };
                lost += 1;
            }
        }
        lost
    }

    /// Puts particles where their bodies have them. `moved` is told of each, with its velocity [m/s].
    pub fn put(
        &mut self,
        columns: &mut ShapedColumns,
        to: ShapedPlaces,
        mut moved: impl FnMut(usize, Vec4, Vec3),
    ) {
        self.take_arms();
        for body in &self.bodies {
            for k in body.members.clone() {
                let i = self.place[k] as usize;
                let mut place = body.state.position;
                // Bodies are smaller than the range of positions, and within it.
                let _ = place.advance_meters(self.member[k].arm);
                to.place[i] = to.domain.wrap(place);
                let x = to.place[i].to_vec3();
                to.position[i] = x.extend(body.radius);
                moved(i, to.position[i], self.member[k].velocity.truncate());
            }
        }
        self.give(columns);
    }

    /// Hands motions and loads over to the bodies of the scene.
    pub fn hand_over(&self, bodies: &mut Bodies, boundaries: &mut Boundaries) {
        for body in &self.bodies {
            bodies.carry(body.number, &body.state, body.load, boundaries);
        }
    }

    /// Fastest speed of a particle of a body [m/s].
    pub fn fastest(&self) -> f32 {
        self.member.iter().map(|member| member.velocity.truncate().length()).fold(0.0, f32::max)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of::<ShapedBody>() * self.bodies.capacity()
            + size_of::<Member>() * self.member.capacity()
            + 4 * self.place.capacity()
            + size_of::<BodyPair>() * self.pairs.capacity()
            + 8 * self.meeting.capacity()
    }
}

fn is_active(pairs: &Pairs, at: u32) -> bool {
    pairs.groups[at as usize / LANES].active >> (at as usize % LANES) & 1 == 1
}

/// Impulse that a pair gives to one of its sides [N s], and its torque about the particle's centre [N m s].
fn impulse_on(pairs: &Pairs, group: &PairGroup, lane: usize, side: usize, rotation: bool) -> (DVec3, DVec3) {
    let three = |first: usize| Vec3::from([0, 1, 2].map(|k| group.memory[first + k][lane])).as_dvec3();
    let normal = Vec3::from([0, 1, 2].map(|k| group.normal[k][lane])).as_dvec3();
    let (tangent, rolling) = (three(1), three(4));
    let sign = if side == 0 { 1.0 } else { -1.0 };
    let impulse = sign * (f64::from(group.memory[0][lane]) * normal + tangent);
    if !rotation {
        return (impulse, DVec3::ZERO);
    }
    let [a, b] = pairs.kinds.of(group).radius.map(|lanes| lanes[lane]);
    let arm = f64::from(if side == 0 { a } else { b } * (1.0 + group.gap[lane] / (a + b)));
    (impulse, sign * rolling - arm * normal.cross(tangent))
}
