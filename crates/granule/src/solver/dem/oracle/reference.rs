//! A small reference: a few grains, every pair of them, in single or in double precision.
//!
//! Not an engine: nothing here is fast. It shows what the contact law gives when everything else is as plain as can be, in
//! the order of LAMMPS (`fix nve/sphere`, `fix rigid/small`):
//!
//! ```text
//! v += dt/2 F/m,  omega += dt/2 T/I,  x += dt v;   forces of x and of these v and omega;   v, omega += dt/2 again
//! ```

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use glam::DVec3;

use super::clump::{Richardson, RigidMotion};
use super::file::{Energies, Oracle, OracleClump, OracleWall, Prescribed, WallKind};
use crate::assemblies::Assembly;
use crate::position::ExactPosition;
use crate::solver::dem::contact::scalar::Scalar;
use crate::solver::dem::contact::vector::{add, scale, sub, zero};
use crate::solver::dem::contact::{
    Geometry, History, Motion, PairLaw, contact_loads, contact_sphere_sphere, contact_sphere_wall,
    effective_mass,
};

/// A precision to compute in, with positions that belong to it.
pub trait Precision: Scalar + PartialOrd + Into<f64> {
    /// A point in space.
    type Point: Copy;

    /// A rigid grain.
    type Body: RigidMotion;

    /// The point with these coordinates \[m\].
    fn point(meters: DVec3) -> Self::Point;

    /// The coordinates of a point \[m\].
    fn meters(point: Self::Point) -> DVec3;

    /// The vector from `b` to `a` \[m\].
    fn difference(a: Self::Point, b: Self::Point) -> [Self; 3];

    /// Moves a point \[m\].
    fn advance(point: &mut Self::Point, displacement: [Self; 3]);
}

impl Precision for f64 {
    type Point = DVec3;
    type Body = Richardson;

    fn point(meters: DVec3) -> DVec3 {
        meters
    }

    fn meters(point: DVec3) -> DVec3 {
        point
    }

    fn difference(a: DVec3, b: DVec3) -> [f64; 3] {
        (a - b).to_array()
    }

    fn advance(point: &mut DVec3, displacement: [f64; 3]) {
        *point += DVec3::from(displacement);
    }
}

/// Single precision with the exact positions and rigid assemblies of the engine. Points out of their range are the origin.
impl Precision for f32 {
    type Point = ExactPosition;
    type Body = Assembly;

    fn point(meters: DVec3) -> ExactPosition {
        ExactPosition::from_meters(meters).unwrap_or_default()
    }

    fn meters(point: ExactPosition) -> DVec3 {
        point.to_meters()
    }

    fn difference(a: ExactPosition, b: ExactPosition) -> [f32; 3] {
        a.difference(b).to_array()
    }

    fn advance(point: &mut ExactPosition, displacement: [f32; 3]) {
        let _ = point.advance(displacement.into());
    }
}

fn wide<F: Precision>(vector: [F; 3]) -> DVec3 {
    DVec3::from(vector.map(Into::into))
}

fn narrow<F: Precision>(vector: DVec3) -> [F; 3] {
    vector.to_array().map(F::of)
}

/// What moves a sphere.
#[derive(Clone, Copy, Debug)]
enum Mover {
    /// Forces.
    Free,
    /// The rigid grain that it belongs to.
    Clump(usize),
    /// A path.
    Path(Prescribed),
}

/// A sphere.
struct Sphere<F: Precision> {
    position: F::Point,
    velocity: [F; 3],
    angular_velocity: [F; 3],
    force: [F; 3],
    torque: [F; 3],
    radius: F,
    /// Its own mass.
    mass: F,
    /// The mass that contacts feel: of the whole rigid grain.
    contact_mass: F,
    mover: Mover,
    start: DVec3,
}

/// A rigid grain.
struct Clump<B> {
    body: B,
    mass: f64,
    /// The angular velocity that contacts see [rad/s].
    angular_velocity: DVec3,
    /// Members with their places relative to the centre, in the axes of the grain.
    members: Vec<(usize, DVec3)>,
    force: DVec3,
    torque: DVec3,
}

impl<B: RigidMotion> Clump<B> {
    /// With places of members in a precision.
    fn new<F: Precision>(clump: &OracleClump, spheres: &[[f64; 11]]) -> Self {
        let body = B::new(clump);
        let place = |i: usize| {
            let offset = DVec3::new(spheres[i][0], spheres[i][1], spheres[i][2]) - DVec3::from(clump.com);
            wide(narrow::<F>(offset))
        };
        Self {
            angular_velocity: body.angular_velocity(),
            body,
            mass: clump.mass,
            members: clump.members.iter().map(|&i| (i, place(i))).collect(),
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
        }
    }

    fn kick(&mut self, dt: f64) {
        self.body.kick(self.force, self.torque, dt);
    }
}

/// Grains of an oracle on their way.
pub struct Reference<F: Precision> {
    law: PairLaw<F>,
    dt: f64,
    step: u32,
    gravity: DVec3,
    walls: Vec<OracleWall>,
    spheres: Vec<Sphere<F>>,
    clumps: Vec<Clump<F::Body>>,
    /// What pairs of spheres remember, the lower index first.
    pairs: BTreeMap<(usize, usize), History<F>>,
    /// What spheres and walls remember.
    touches: BTreeMap<(usize, usize), History<F>>,
}

impl<F: Precision> Reference<F> {
    /// The start of an oracle with its law.
    pub fn new(oracle: &Oracle) -> Self {
        Self::with_law(oracle, &oracle.law.pair_law())
    }

    /// The start of an oracle with another law.
    pub fn with_law(oracle: &Oracle, law: &PairLaw<f64>) -> Self {
        let clump_of = |i: usize| oracle.clumps.iter().position(|clump| clump.members.contains(&i));
        let sphere = |(i, s): (usize, &[f64; 11])| {
            let start = DVec3::new(s[0], s[1], s[2]);
            let mass = 4.0 / 3.0 * PI * s[9].powi(3) * s[10];
            let clump = clump_of(i);
            Sphere {
                position: F::point(start),
                velocity: [s[3], s[4], s[5]].map(F::of),
                angular_velocity: [s[6], s[7], s[8]].map(F::of),
                force: zero(),
                torque: zero(),
                radius: F::of(s[9]),
                mass: F::of(mass),
                contact_mass: F::of(clump.map_or(mass, |k| oracle.clumps[k].mass)),
                mover: match (oracle.prescribed.get(&i), clump) {
                    (Some(path), _) => Mover::Path(*path),
                    (None, Some(k)) => Mover::Clump(k),
                    (None, None) => Mover::Free,
                },
                start,
            }
        };
        let mut made = Self {
            law: law.cast(),
            dt: oracle.dt,
            step: 0,
            gravity: oracle.gravity.into(),
            walls: oracle.walls.clone(),
            spheres: oracle.spheres.iter().enumerate().map(sphere).collect(),
            clumps: oracle.clumps.iter().map(|clump| Clump::new::<F>(clump, &oracle.spheres)).collect(),
            pairs: BTreeMap::new(),
            touches: BTreeMap::new(),
        };
        made.place_members();
        made.find_forces(0.0);
        made
    }

    /// Number of steps taken.
    pub fn steps(&self) -> u32 {
        self.step
    }

    /// Takes a step.
    pub fn step(&mut self) {
        self.step += 1;
        self.kick();
        for sphere in &mut self.spheres {
            match sphere.mover {
                Mover::Free => F::advance(&mut sphere.position, scale(F::of(self.dt), sphere.velocity)),
                Mover::Path(path) => follow(sphere, path, f64::from(self.step) * self.dt),
                Mover::Clump(_) => (),
            }
        }
        for clump in &mut self.clumps {
            clump.angular_velocity = clump.body.drift(self.dt);
        }
        self.place_members();
        self.find_forces(self.dt);
        self.kick();
        for clump in &mut self.clumps {
            clump.angular_velocity = clump.body.angular_velocity();
        }
        self.move_members();
    }

    /// Half a kick of what forces move.
    fn kick(&mut self) {
        let half = F::of(0.5 * self.dt);
        for sphere in self.spheres.iter_mut().filter(|sphere| matches!(sphere.mover, Mover::Free)) {
            let inertia = F::of(0.4) * sphere.mass * sphere.radius * sphere.radius;
            sphere.velocity = add(sphere.velocity, scale(half / sphere.mass, sphere.force));
            sphere.angular_velocity = add(sphere.angular_velocity, scale(half / inertia, sphere.torque));
        }
        self.clumps.iter_mut().for_each(|clump| clump.kick(0.5 * self.dt));
    }

    /// Puts members where their rigid grains are.
    fn place_members(&mut self) {
        for clump in &self.clumps {
            for &(i, place) in &clump.members {
                self.spheres[i].position = F::point(clump.body.center() + clump.body.orientation() * place);
            }
        }
        self.move_members();
    }

    /// Gives members the velocities of their rigid grains.
    fn move_members(&mut self) {
        for clump in &self.clumps {
            for &(i, place) in &clump.members {
                let arm = clump.body.orientation() * place;
                self.spheres[i].velocity = narrow(clump.body.velocity() + clump.angular_velocity.cross(arm));
                self.spheres[i].angular_velocity = narrow(clump.angular_velocity);
            }
        }
    }

    /// Forces on all spheres, and what contacts remember after a step of length `dt`.
    fn find_forces(&mut self, dt: f64) {
        for sphere in &mut self.spheres {
            let free = matches!(sphere.mover, Mover::Free);
            sphere.force = if free { scale(sphere.mass, narrow(self.gravity)) } else { zero() };
            sphere.torque = zero();
        }
        let dt = F::of(dt);
        for i in 0..self.spheres.len() {
            self.touch_walls(i, dt);
            for j in i + 1..self.spheres.len() {
                self.touch_pair(i, j, dt);
            }
        }
        for clump in &mut self.clumps {
            clump.force = clump.mass * self.gravity;
            clump.torque = DVec3::ZERO;
            for &(i, place) in &clump.members {
                let force = wide(self.spheres[i].force);
                clump.force += force;
                clump.torque +=
                    (clump.body.orientation() * place).cross(force) + wide(self.spheres[i].torque);
            }
        }
    }

    fn touch_pair(&mut self, i: usize, j: usize, dt: F) {
        let (a, b) = (&self.spheres[i], &self.spheres[j]);
        if let (Mover::Clump(k), Mover::Clump(l)) = (a.mover, b.mover)
            && k == l
        {
            return;
        }
        let geometry = contact_sphere_sphere(F::difference(a.position, b.position), a.radius, b.radius);
        let mass = effective_mass(a.contact_mass, b.contact_mass);
        let motion = Motion {
            velocity: [a.velocity, b.velocity],
            angular_velocity: [a.angular_velocity, b.angular_velocity],
        };
        let history = self.pairs.entry((i, j)).or_insert_with(History::none);
        let (loads, now) = contact_loads(&self.law, &geometry, mass, &motion, dt, history);
        *history = now;
        self.spheres[i].force = add(self.spheres[i].force, loads.force);
        self.spheres[j].force = sub(self.spheres[j].force, loads.force);
        self.spheres[i].torque = add(self.spheres[i].torque, loads.torque_i);
        self.spheres[j].torque = add(self.spheres[j].torque, loads.torque_j);
    }

    fn touch_walls(&mut self, i: usize, dt: F) {
        for (w, wall) in self.walls.iter().enumerate() {
            let sphere = &mut self.spheres[i];
            let Some(geometry) = wall_contact(wall, sphere) else { continue };
            let motion = Motion {
                velocity: [sphere.velocity, zero()],
                angular_velocity: [sphere.angular_velocity, zero()],
            };
            let history = self.touches.entry((i, w)).or_insert_with(History::none);
            let (loads, now) = contact_loads(&self.law, &geometry, sphere.contact_mass, &motion, dt, history);
            *history = now;
            sphere.force = add(sphere.force, loads.force);
            sphere.torque = add(sphere.torque, loads.torque_i);
        }
    }

    /// Position, velocity, angular velocity, force and torque of every sphere, 15 numbers each.
    pub fn state(&self) -> Vec<[f64; 15]> {
        let row = |sphere: &Sphere<F>| {
            let parts = [
                F::meters(sphere.position),
                wide(sphere.velocity),
                wide(sphere.angular_velocity),
                wide(sphere.force),
                wide(sphere.torque),
            ];
            let mut row = [0.0; 15];
            row.iter_mut()
                .zip(parts.iter().flat_map(|part| part.to_array()))
                .for_each(|(to, from)| *to = from);
            row
        };
        self.spheres.iter().map(row).collect()
    }

    /// Energies of all spheres \[J\].
    pub fn energies(&self) -> Energies {
        let mut sum = Energies { step: self.step, ..Energies::default() };
        for sphere in &self.spheres {
            let (mass, radius): (f64, f64) = (sphere.mass.into(), sphere.radius.into());
            sum.kinetic += 0.5 * mass * wide(sphere.velocity).length_squared();
            sum.rotation += 0.2 * mass * radius * radius * wide(sphere.angular_velocity).length_squared();
            sum.potential -= mass * self.gravity.dot(F::meters(sphere.position));
        }
        sum
    }
}

/// Puts a sphere on its path.
fn follow<F: Precision>(sphere: &mut Sphere<F>, path: Prescribed, time: f64) {
    let Prescribed::Moving { ax, px, az, pz } = path else { return };
    let (x, z) = (TAU * time / px, TAU * time / pz);
    let displacement = DVec3::new(ax * x.sin(), 0.0, -az * (0.5 - 0.5 * z.cos()));
    sphere.position = F::point(sphere.start + displacement);
    sphere.velocity = narrow(DVec3::new(ax * TAU / px * x.cos(), 0.0, -az * 0.5 * TAU / pz * z.sin()));
}

/// The contact of a sphere and a wall; none where it has no nearest point.
fn wall_contact<F: Precision>(wall: &OracleWall, sphere: &Sphere<F>) -> Option<Geometry<F>> {
    let none = F::splat(0.0);
    if wall.kind == WallKind::Cylinder {
        let mut out = F::difference(sphere.position, F::point(DVec3::ZERO));
        out[wall.axis] = none;
        let distance = (out[0] * out[0] + out[1] * out[1] + out[2] * out[2]).root();
        let inward = (none < distance).then(|| scale(F::splat(-1.0) / distance, out))?;
        let gap = F::of(wall.radius) - distance;
        return Some(contact_sphere_wall(inward, gap, sphere.radius, F::of(-0.5 / wall.radius)));
    }
    let above = |end: f64| {
        let mut point = DVec3::ZERO;
        point[wall.axis] = end;
        F::difference(sphere.position, F::point(point))[wall.axis]
    };
    let plane = |distance: F, side: f32| {
        let mut normal = zero();
        normal[wall.axis] = F::splat(side);
        contact_sphere_wall(normal, distance, sphere.radius, none)
    };
    match (wall.lo.map(above), wall.hi.map(|end| -above(end))) {
        (Some(low), Some(high)) if high < low => Some(plane(high, -1.0)),
        (Some(low), _) => Some(plane(low, 1.0)),
        (None, Some(high)) => Some(plane(high, -1.0)),
        (None, None) => None,
    }
}
