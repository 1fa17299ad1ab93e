//! Rigid assemblies of spheres: grains of several spheres, and bodies made of particles.
//!
//! Particles stay particles: they are sorted, searched and touched like all others. An assembly refers to its members by
//! their ids and holds where each sits in the shape's frame; [`Assemblies`] is the table of all, and follows the particles
//! when these are sorted, removed or added. Members of one assembly never touch each other
//! ([`same_assembly`](Assemblies::same_assembly)).
//!
//! A step by velocity Verlet, as distinct elements need it:
//!
//! ```text
//! kick (half a step) -> drift -> place_members (half-step rates) -> forces of contacts -> gather -> kick (half a step)
//! -> place_members (rates now)
//! ```
//!
//! Contacts between the kicks see the velocity of half a step and the angular velocity in its middle, which damping and
//! friction history ask for. Forces of members are summed per assembly in the order of its members, in double
//! precision: the same for any number of threads.
//!
//! Mass and inertia of overlapping spheres are those of their union; see [`MassProperties`].

mod eight;
mod group;
mod mass;
mod motion;
mod saved;
#[cfg(test)]
mod tests;

use glam::{DVec3, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use crate::hash::Fnv;
use crate::position::ExactPosition;
use crate::team::{self, SharedColumn};

pub use eight::{EIGHT, Eight};
pub use group::{Eight3, Group, Loads};
pub use mass::{MassError, MassProperties, Sphere};
pub use motion::{Assembly, Load};
pub use saved::{AssembliesError, SavedAssemblies};

/// The assembly of particles that belong to none.
pub const NO_ASSEMBLY: u32 = u32::MAX;

/// Fewest assemblies that are worth a thread.
const LEAST_SHARE: usize = 64;

/// A sphere that belongs to an assembly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Id of the particle.
    pub particle: u32,
    /// Centre relative to the centre of mass, in the frame of the shape \[m\].
    pub offset: Vec3,
    /// Radius \[m\].
    pub radius: f32,
}

/// An assembly as it is handed in from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct NewAssembly {
    /// Centre of mass.
    pub position: ExactPosition,
    /// Turns the frame of the shape into the world's.
    pub orientation: glam::DQuat,
    /// Velocity of the centre of mass [m/s].
    pub velocity: DVec3,
    /// Angular velocity in the world's axes [rad/s].
    pub angular_velocity: DVec3,
    /// Mass and inertia.
    pub properties: MassProperties,
    /// The spheres in the frame of the shape.
    pub spheres: Vec<Sphere>,
}

/// The members of some assemblies, and where they are among the particles.
#[derive(Clone, Copy)]
pub struct Shapes<'a> {
    /// First member of each, and the end of the last.
    first: &'a [u32],
    member: &'a [Member],
    place: &'a [u32],
}

impl<'a> Shapes<'a> {
    /// Number of assemblies.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Most members that one of them has.
    #[inline(always)]
    pub fn most(&self) -> usize {
        self.first.windows(2).map(|ends| (ends[1] - ends[0]) as usize).max().unwrap_or(0)
    }

    /// Members of one of them.
    #[inline(always)]
    pub fn members(&self, k: usize) -> &'a [Member] {
        &self.member[self.range(k)]
    }

    /// Where the members of one of them are.
    #[inline(always)]
    pub fn places(&self, k: usize) -> &'a [u32] {
        &self.place[self.range(k)]
    }

    #[inline(always)]
    fn range(&self, k: usize) -> std::ops::Range<usize> {
        self.first[k] as usize..self.first[k + 1] as usize
    }
}

/// Which velocities members have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rates {
    /// Those of half a step: after the first kick and the drift, in the middle of it.
    HalfStep,
    /// Those of the momenta and the pose now.
    Now,
}

/// The rigid assemblies of a simulation and where their members are among the particles.
#[derive(Clone, Debug, Default)]
pub struct Assemblies {
    /// In the order of ids.
    assembly: Vec<Assembly>,
    /// Angular velocity in the middle of the last drift [rad/s]; needed within a step only.
    middle: Vec<DVec3>,
    /// First member of each assembly, and the end of the last.
    first: Vec<u32>,
    member: Vec<Member>,
    /// Where each member is among the particles.
    place: Vec<u32>,
    /// Assembly of each particle, by its place here, or [`NO_ASSEMBLY`].
    assembly_of: Vec<u32>,
    /// Number of each particle among all members; any where there is no assembly.
    member_of: Vec<u32>,
    next_id: u32,
}

impl Assemblies {
    /// No assemblies, of no particles.
    pub const NONE: Self = Self {
        assembly: Vec::new(),
        middle: Vec::new(),
        first: Vec::new(),
        member: Vec::new(),
        place: Vec::new(),
        assembly_of: Vec::new(),
        member_of: Vec::new(),
        next_id: 0,
    };

    /// Number of particles that belong to assemblies.
    pub fn member_count(&self) -> usize {
        self.member.len()
    }

    /// Which particles stay where those go for which `keep` does not hold: if one member goes, all of its assembly do.
    pub fn whole(&self, keep: &[bool]) -> Vec<bool> {
        let mut whole = keep.to_vec();
        for k in 0..self.len() {
            if self.places(k).iter().any(|&place| !keep[place as usize]) {
                self.places(k).iter().for_each(|&place| whole[place as usize] = false);
            }
        }
        whole
    }

    /// Number of assemblies.
    pub fn len(&self) -> usize {
        self.assembly.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.assembly.is_empty()
    }

    /// The assemblies, in the order of their ids.
    pub fn all(&self) -> &[Assembly] {
        &self.assembly
    }

    /// An assembly, to be changed between steps.
    pub fn get_mut(&mut self, k: usize) -> Option<&mut Assembly> {
        self.assembly.get_mut(k)
    }

    /// The members of an assembly, in their fixed order.
    pub fn members(&self, k: usize) -> &[Member] {
        &self.member[self.range(k)]
    }

    /// Where the members of an assembly are among the particles.
    pub fn places(&self, k: usize) -> &[u32] {
        &self.place[self.range(k)]
    }

    fn range(&self, k: usize) -> std::ops::Range<usize> {
        self.first[k] as usize..self.first[k + 1] as usize
    }

    /// The place here of a particle's assembly; none for single particles.
    #[inline]
    pub fn assembly_of(&self, particle: usize) -> Option<usize> {
        match self.assembly_of.get(particle) {
            None | Some(&NO_ASSEMBLY) => None,
            Some(&k) => Some(k as usize),
        }
    }

    /// Whether two particles belong to one assembly, so that they never touch.
    #[inline]
    pub fn same_assembly(&self, i: usize, j: usize) -> bool {
        self.assembly_of(i).is_some_and(|k| self.assembly_of(j) == Some(k))
    }

    /// Says how many particles there are; those that came since belong to no assembly until they are
    /// [added](Self::push).
    pub fn grow(&mut self, particles: usize) {
        self.assembly_of.resize(particles.max(self.assembly_of.len()), NO_ASSEMBLY);
        self.member_of.resize(self.assembly_of.len(), 0);
    }

    /// Adds an assembly whose members are the newest particles: `particle` are their ids, in the order of the new
    /// assembly's spheres, and `first_place` is where the first of them is; the others follow. Returns its id.
    pub fn push(&mut self, new: &NewAssembly, particle: &[u32], first_place: usize) -> u32 {
        debug_assert_eq!(particle.len(), new.spheres.len());
        self.grow(first_place + new.spheres.len());
        if self.first.is_empty() {
            self.first.push(0);
        }
        for (k, (sphere, &particle)) in new.spheres.iter().zip(particle).enumerate() {
            self.assembly_of[first_place + k] = self.assembly.len() as u32;
            self.member_of[first_place + k] = self.member.len() as u32;
            let offset = (sphere.center.as_dvec3() - new.properties.center).as_vec3();
            self.member.push(Member { particle, offset, radius: sphere.radius });
            self.place.push((first_place + k) as u32);
        }
        self.first.push(self.member.len() as u32);
        let id = self.next_id;
        self.next_id += 1;
        let mut assembly = Assembly {
            id,
            position: new.position,
            orientation: new.orientation.normalize(),
            momentum: new.properties.mass * new.velocity,
            angular_momentum: DVec3::ZERO,
            properties: new.properties,
        };
        assembly.set_angular_velocity(new.angular_velocity);
        self.assembly.push(assembly);
        self.middle.push(new.angular_velocity);
        id
    }

    /// Follows a reordering of the particles: the one at `k` was at `sources[k]`.
    pub fn permute(&mut self, sources: &[u32]) {
        let mut column = Vec::new();
        team::fill(&mut column, sources.len(), |i| self.assembly_of[sources[i] as usize]);
        std::mem::swap(&mut self.assembly_of, &mut column);
        team::fill(&mut column, sources.len(), |i| self.member_of[sources[i] as usize]);
        std::mem::swap(&mut self.member_of, &mut column);
        self.find_places();
    }

    fn find_places(&mut self) {
        for (particle, (&assembly, &member)) in self.assembly_of.iter().zip(&self.member_of).enumerate() {
            if assembly != NO_ASSEMBLY {
                self.place[member as usize] = particle as u32;
            }
        }
    }

    /// Lets assemblies go of which a particle goes: `keep` becomes false for all their members. Then follows the
    /// particles for which it holds, in their order. Returns how many assemblies went.
    pub fn retain(&mut self, keep: &mut [bool]) -> usize {
        let stays: Vec<bool> =
            (0..self.len()).map(|k| self.places(k).iter().all(|&place| keep[place as usize])).collect();
        for k in (0..self.len()).filter(|&k| !stays[k]) {
            self.places(k).iter().for_each(|&place| keep[place as usize] = false);
        }
        let (mut new_number, mut first, mut member, mut new_member) =
            (vec![NO_ASSEMBLY; self.len()], vec![0], Vec::new(), vec![0; self.member.len()]);
        for k in (0..self.len()).filter(|&k| stays[k]) {
            new_number[k] = first.len() as u32 - 1;
            for m in self.range(k) {
                new_member[m] = member.len() as u32;
                member.push(self.member[m]);
            }
            first.push(member.len() as u32);
        }
        let kept = |(particle, _): &(usize, &u32)| keep.get(*particle).copied().unwrap_or(true);
        let old = self.assembly_of.iter().enumerate().filter(kept);
        let (assembly_of, member_of) = old
            .map(|(particle, &k)| match k {
                NO_ASSEMBLY => (NO_ASSEMBLY, 0),
                k => (new_number[k as usize], new_member[self.member_of[particle] as usize]),
            })
            .unzip();
        (self.assembly_of, self.member_of) = (assembly_of, member_of);
        self.place = vec![0; member.len()];
        (self.first, self.member) = (first, member);
        retain(&mut self.assembly, &stays);
        retain(&mut self.middle, &stays);
        self.find_places();
        stays.iter().filter(|stays| !**stays).count()
    }

    /// Does something with up to eight assemblies at a time, with their members; shared among the threads of a step. Results are
    /// in the order of the assemblies.
    pub fn map_groups_mut<R: Send>(&mut self, work: impl Fn(&mut [Assembly], Shapes) -> R + Sync) -> Vec<R> {
        let count = self.assembly.len();
        let (first, member, place) = (&self.first[..], &self.member[..], &self.place[..]);
        let assembly = SharedColumn::of(&mut self.assembly);
        team::map(count.div_ceil(EIGHT), LEAST_SHARE / EIGHT, |group| {
            let range = group * EIGHT..count.min((group + 1) * EIGHT);
            let shapes = Shapes { first: &first[range.start..=range.end], member, place };
            // SAFETY: every assembly is in one group.
            work(unsafe { assembly.range_mut(range) }, shapes)
        })
    }

    /// Lets loads act for `dt` [s]; one load per assembly.
    pub fn kick(&mut self, loads: &[Load], dt: f64) {
        team::for_each_mut(&mut self.assembly, LEAST_SHARE, |k, assembly| assembly.kick(&loads[k], dt));
    }

    /// Moves all freely for `dt` [s]. Returns those that are lost, by their places: not finite, or out of the range of
    /// positions.
    pub fn drift(&mut self, dt: f64) -> Vec<usize> {
        let assembly = SharedColumn::of(&mut self.assembly);
        let sound = team::map(self.middle.len(), LEAST_SHARE, |k| {
            // SAFETY: every assembly is taken once.
            let assembly = unsafe { assembly.get_mut(k) };
            let (middle, inside) = assembly.drift(dt);
            (middle, inside && assembly.is_finite())
        });
        self.middle.clear();
        self.middle.extend(sound.iter().map(|(middle, _)| *middle));
        (0..sound.len()).filter(|&k| !sound[k].1).collect()
    }

    /// Sums the members' forces [N] and torques [N m], the first three numbers of rows by place among the particles, up to
    /// loads.
    ///
    /// ```text
    /// F = sum f_k,   T = sum (x_k - x_cm) x f_k + t_k
    /// ```
    pub fn gather(&self, force: &[Vec4], torque: &[Vec4]) -> Vec<Load> {
        team::map(self.len(), LEAST_SHARE, |k| {
            let mut load = Load::default();
            for (member, &place) in self.members(k).iter().zip(self.places(k)) {
                let arm = self.assembly[k].orientation * member.offset.as_dvec3();
                let force = force[place as usize].truncate().as_dvec3();
                load.force += force;
                load.torque += arm.cross(force) + torque[place as usize].truncate().as_dvec3();
            }
            load
        })
    }

    /// Puts the members where their assemblies have them: centres, velocities [m/s] and angular velocities [rad/s], by
    /// place among the particles, of which the fourth numbers stay; single particles are left alone. False where members
    /// are out of the range of positions; those of lost assemblies.
    ///
    /// ```text
    /// x = x_cm + R d,   v = v_cm + omega x (R d)
    /// ```
    pub fn place_members(
        &self,
        rates: Rates,
        position: &mut [ExactPosition],
        velocity: &mut [Vec4],
        angular_velocity: &mut [Vec4],
    ) -> bool {
        let count = position.len().min(velocity.len()).min(angular_velocity.len());
        let position = SharedColumn::of(position);
        let (velocity, turning) = (SharedColumn::of(velocity), SharedColumn::of(angular_velocity));
        let placed = team::map(self.len(), LEAST_SHARE, |k| {
            let assembly = &self.assembly[k];
            let spin = match rates {
                Rates::HalfStep => self.middle[k],
                Rates::Now => assembly.angular_velocity(),
            };
            let (center, mut inside) = (assembly.velocity(), true);
            for (member, &place) in self.members(k).iter().zip(self.places(k)) {
                let place = place as usize;
                assert!(place < count, "members are among the particles");
                let arm = assembly.orientation * member.offset.as_dvec3();
                // SAFETY: the place exists, and no other assembly has this particle.
                let (x, v, turning) =
                    unsafe { (position.get_mut(place), velocity.get_mut(place), turning.get_mut(place)) };
                *x = assembly.position;
                inside &= x.advance_meters(arm);
                *v = (center + spin.cross(arm)).as_vec3().extend(v.w);
                *turning = spin.as_vec3().extend(turning.w);
            }
            inside
        });
        placed.into_iter().all(|inside| inside)
    }

    /// Adds all assemblies and their members to a hash of states; the order of the particles does not matter.
    pub fn hash_into(&self, hash: &mut Fnv) {
        hash.word(self.len() as u64);
        hash.word(u64::from(self.next_id));
        for (k, assembly) in self.assembly.iter().enumerate() {
            hash.word(u64::from(assembly.id));
            assembly.position.hash_into(hash);
            let numbers =
                [assembly.momentum, assembly.angular_momentum].into_iter().flat_map(|v| v.to_array());
            numbers.chain(assembly.orientation.to_array()).for_each(|number| hash.word(number.to_bits()));
            for member in self.members(k) {
                hash.word(u64::from(member.particle));
                let numbers = member.offset.to_array().into_iter().chain([member.radius]);
                numbers.for_each(|number| hash.word(u64::from(number.to_bits())));
            }
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.assembly.capacity() * size_of::<Assembly>()
            + self.middle.capacity() * size_of::<DVec3>()
            + self.member.capacity() * size_of::<Member>()
            + 4 * (self.first.capacity() + self.place.capacity())
            + 4 * (self.assembly_of.capacity() + self.member_of.capacity())
    }
}

/// Keeps the entries of a column that stay, in their order.
fn retain<T>(column: &mut Vec<T>, stays: &[bool]) {
    let mut stays = stays.iter();
    column.retain(|_| *stays.next().unwrap_or(&true));
}
