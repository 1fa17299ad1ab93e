//! The table of rigid grains of several spheres. Constants of grains stay here, in double precision; how they move is on the
//! device, in a record each. A grain keeps its slot in the table, and its members theirs; slots of grains that are gone are
//! taken again by grains of as many spheres.

mod removal;
mod saved;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use glam::{DQuat, DVec3, Vec3};
use granule::assemblies::{MassProperties, Member, NewAssembly, SavedAssemblies};
use granule::clumps::PlacedAssembly;
use granule::neighbors::Domain;
use granule::position::{ExactDomain, ExactPosition, QUANTUM};
use granule::solver::dem::state::mover;

use crate::core::buffers::PoolInfo;
use crate::core::columns::{ColumnInfo, META, POSITION, VELOCITY};
use crate::core::layout::MATERIAL;
use crate::core::method::PoolWrite;

use super::columns::{ACTING, GRAIN, INERTIA, LOADS, MEMBERS, PLACE, RIGID, SPIN};
use super::layout::{ActingRecord, ClumpRecord, InertiaRecord, MOVER_SHIFT, MemberRecord, PlaceRecord};

pub use removal::Removal;
pub use saved::columns_and_pools;
pub use table::{records, room_of};

/// Bytes of a member's record.
const MEMBER_BYTES: u64 = size_of::<MemberRecord>() as u64;

/// Quantum of velocities [m/s]: 2^-40.
const VELOCITY_QUANTUM: f64 = 256.0 * QUANTUM;

/// Quantum of angular momenta over the largest moment of inertia [rad/s]: 2^-36.
const ROTATION_QUANTUM: f64 = 4096.0 * QUANTUM;

/// Slots to one that is free, above which the table grows.
const MOST_SLOTS_PER_FREE: usize = 8;

/// What does not change about a grain.
#[derive(Clone, Debug)]
struct Slot {
    id: u32,
    properties: MassProperties,
    first: u32,
    count: u32,
    gone: bool,
}

/// The table.
#[derive(Clone, Debug, Default)]
pub struct Clumps {
    slots: Vec<Slot>,
    members: Vec<Member>,
    /// Slots that can be taken again, by their number of members.
    free: BTreeMap<u32, Vec<u32>>,
    next_id: u32,
    /// Grains and members that buffers have room for.
    room: [usize; 2],
}

impl Clumps {
    /// An empty table with room for some grains.
    pub fn with_room(new: &[PlacedAssembly]) -> Self {
        Self { room: [new.len().max(1), spheres(new).max(1)], ..Self::default() }
    }

    /// The table of a checkpoint.
    pub fn of(saved: &SavedAssemblies) -> Self {
        let mut first = 0;
        let slot = |(assembly, &count): (&granule::assemblies::Assembly, &u32)| {
            first += count;
            Slot {
                id: assembly.id,
                properties: assembly.properties,
                first: first - count,
                count,
                gone: false,
            }
        };
        Self {
            slots: saved.assembly.iter().zip(&saved.member_count).map(slot).collect(),
            members: saved.member.clone(),
            free: BTreeMap::new(),
            next_id: saved.next_id,
            room: [saved.assembly.len().max(1), saved.member.len().max(1)],
        }
    }

    /// The buffers that it needs.
    pub fn pools(&self) -> Vec<PoolInfo> {
        let [grains, members] = self.room.map(|count| count as u64);
        let pools = [
            (RIGID, table::size_for(grains)),
            (INERTIA, 32 * grains),
            (ACTING, 32 * grains),
            (MEMBERS, MEMBER_BYTES * members),
        ];
        pools.into_iter().map(|(name, bytes)| PoolInfo { name, bytes }).collect()
    }

    /// Number of slots that records are in.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Id of the first sphere of a grain.
    pub fn first_sphere(&self, slot: u32) -> Option<u32> {
        let slot = self.slots.get(slot as usize)?;
        Some(self.members.get(slot.first as usize)?.particle)
    }

    /// Whether there is room for grains that are to come, in slots that are free or behind all others.
    pub fn has_room(&self, new: &[PlacedAssembly]) -> bool {
        let mut wanted: BTreeMap<u32, usize> = BTreeMap::new();
        new.iter().for_each(|placed| *wanted.entry(placed.assembly.spheres.len() as u32).or_default() += 1);
        let (mut slots, mut members) = (self.slots.len(), self.members.len());
        for (count, number) in wanted {
            let more = number.saturating_sub(self.free.get(&count).map_or(0, Vec::len));
            slots += more;
            members += more * count as usize;
        }
        slots <= self.room[0] && members <= self.room[1]
    }

    /// Lets slots of grains be taken again that are gone, and makes room for half as much again where these are few: records are
    /// read seldom.
    pub fn make_room(&mut self, new: &[PlacedAssembly], records: &[ClumpRecord]) {
        for (k, (slot, record)) in self.slots.iter_mut().zip(records).enumerate() {
            if !slot.gone && !record.is_live() {
                slot.gone = true;
                self.free.entry(slot.count).or_default().push(k as u32);
            }
        }
        let free: usize = self.free.values().map(Vec::len).sum();
        if !self.has_room(new) || MOST_SLOTS_PER_FREE * free < self.slots.len() {
            let needed = [self.slots.len() + new.len(), self.members.len() + spheres(new)];
            self.room = needed.map(|count| count + count / 2);
        }
    }

    /// Takes over new grains. Their spheres are the particles of the columns `given`, of which some are brought up to date: they
    /// are where their grains have them. The first has an id and a row.
    pub fn assemble(
        &mut self,
        new: &[PlacedAssembly],
        first_id: u32,
        first_row: u32,
        domain: &ExactDomain,
        given: &mut Vec<(ColumnInfo, Vec<u8>)>,
    ) -> Vec<PoolWrite> {
        let mut columns = Columns::take(given);
        let (mut records, mut constants, mut members_of) =
            (BTreeMap::new(), [Vec::new(), Vec::new()], Vec::new());
        for PlacedAssembly { first, assembly } in new {
            let ids = first_id + *first as u32..;
            let k = self.push(assembly, ids);
            let slot = &self.slots[k];
            let members = &self.members[slot.first as usize..(slot.first + slot.count) as usize];
            let mut placed = Vec::new();
            for (n, member) in members.iter().enumerate() {
                let (i, number) = (first + n, [k as u32, slot.first + n as u32]);
                columns.put(i, assembly, member, number, domain);
                let row = first_row + i as u32;
                placed.push(MemberRecord::new(member, n, row, columns.velocity[i][3]));
            }
            records.insert(k, record(assembly, slot));
            let [inertias, loads] = &mut constants;
            let at = 32 * k as u64;
            table::append(inertias, INERTIA, at, bytemuck::bytes_of(&InertiaRecord::of(&slot.properties)));
            table::append(loads, ACTING, at, bytemuck::bytes_of(&ActingRecord::default()));
            let at = MEMBER_BYTES * u64::from(slot.first);
            table::append(&mut members_of, MEMBERS, at, &bytemuck::pod_collect_to_vec(&placed));
        }
        let [inertias, loads] = constants;
        columns.give(given);
        [table::writes(&records), inertias, loads, members_of].concat()
    }

    /// Gives a grain a slot, and returns which.
    fn push(&mut self, new: &NewAssembly, ids: std::ops::RangeFrom<u32>) -> usize {
        let count = new.spheres.len() as u32;
        let (id, properties) = (self.next_id, new.properties);
        self.next_id += 1;
        let member = |(sphere, particle): (&granule::assemblies::Sphere, u32)| {
            let offset = (sphere.center.as_dvec3() - properties.center).as_vec3();
            Member { particle, offset, radius: sphere.radius }
        };
        let members = new.spheres.iter().zip(ids).map(member);
        if let Some(k) = self.free.get_mut(&count).and_then(Vec::pop) {
            let first = self.slots[k as usize].first;
            self.slots[k as usize] = Slot { id, properties, first, count, gone: false };
            self.members[first as usize..]
                .iter_mut()
                .zip(members)
                .for_each(|(place, member)| *place = member);
            return k as usize;
        }
        let first = self.members.len() as u32;
        self.slots.push(Slot { id, properties, first, count, gone: false });
        self.members.extend(members);
        self.slots.len() - 1
    }

    /// Centres of mass \[m\].
    pub fn centers(&self, records: &[ClumpRecord], domain: &Domain) -> Vec<[f32; 3]> {
        let live = records.iter().take(self.slots.len()).filter(|record| record.is_live());
        live.map(|record| domain.wrap(record.center().to_vec3()).to_array()).collect()
    }
}

fn spheres(new: &[PlacedAssembly]) -> usize {
    new.iter().map(|placed| placed.assembly.spheres.len()).sum()
}

/// An orientation in quanta.
pub fn orientation_quanta(q: DQuat) -> [i64; 4] {
    q.to_array().map(|part| (part / QUANTUM).round_ties_even() as i64)
}

/// Angular momentum of an angular velocity, both in the world's axes.
fn angular_momentum(new: &NewAssembly) -> DVec3 {
    let axes = new.orientation.normalize() * new.properties.shape_from_principal;
    axes * (new.properties.inertia * (axes.conjugate() * new.angular_velocity))
}

fn record(new: &NewAssembly, slot: &Slot) -> ClumpRecord {
    let mut record = ClumpRecord {
        first: slot.first,
        count: slot.count,
        inverse_mass: (1.0 / slot.properties.mass) as f32,
        sound: f32::from(new.velocity.is_finite() && new.angular_velocity.is_finite()),
        spin: new.angular_velocity.as_vec3().to_array(),
        ..ClumpRecord::default()
    };
    record.put(new.position, new.orientation.normalize());
    record.move_with(new.properties.mass * new.velocity, angular_momentum(new), &slot.properties);
    record
}

impl ClumpRecord {
    /// Whether the grain is there.
    pub fn is_live(&self) -> bool {
        self.count > 0 && self.sound != 0.0
    }

    /// Sets the pose.
    pub fn put(&mut self, center: ExactPosition, orientation: DQuat) {
        let [x, y, z] = center.quanta;
        (self.center_xy, self.center_z) = ([x, y], z);
        let [x, y, z, w] = orientation_quanta(orientation);
        (self.orientation_xy, self.orientation_zw) = ([x, y], [z, w]);
        self.turned = [x, y, z, w].map(|quanta| (quanta as f64 * QUANTUM) as f32);
    }

    /// Sets momentum [kg m/s] and angular momentum [kg m2/s].
    pub fn move_with(&mut self, momentum: DVec3, angular: DVec3, properties: &MassProperties) {
        let quanta =
            |v: DVec3, quantum: f64| v.to_array().map(|part| (part / quantum).round_ties_even() as i64);
        let [x, y, z] = quanta(momentum / properties.mass, VELOCITY_QUANTUM);
        (self.velocity_xy, self.velocity_z) = ([x, y], z);
        let [x, y, z] = quanta(angular / properties.inertia.max_element(), ROTATION_QUANTUM);
        (self.rotation_xy, self.rotation_z) = ([x, y], z);
    }

    /// Momentum [kg m/s].
    pub fn momentum(&self, properties: &MassProperties) -> DVec3 {
        let [x, y] = self.velocity_xy;
        properties.mass * DVec3::from([x, y, self.velocity_z].map(|quanta| quanta as f64 * VELOCITY_QUANTUM))
    }

    /// Angular momentum [kg m2/s].
    pub fn angular_momentum(&self, properties: &MassProperties) -> DVec3 {
        let [x, y] = self.rotation_xy;
        let rates = [x, y, self.rotation_z].map(|quanta| quanta as f64 * ROTATION_QUANTUM);
        properties.inertia.max_element() * DVec3::from(rates)
    }

    /// Centre of mass.
    pub fn center(&self) -> ExactPosition {
        ExactPosition { quanta: [self.center_xy[0], self.center_xy[1], self.center_z] }
    }

    /// Turns the frame of the shape into the world's.
    pub fn orientation(&self) -> DQuat {
        let [x, y] = self.orientation_xy.map(|quanta| quanta as f64 * QUANTUM);
        let [z, w] = self.orientation_zw.map(|quanta| quanta as f64 * QUANTUM);
        DQuat::from_xyzw(x, y, z, w)
    }
}

impl InertiaRecord {
    /// Of a grain.
    pub fn of(properties: &MassProperties) -> Self {
        let largest = properties.inertia.max_element();
        Self {
            moments: (properties.inertia / largest).as_vec3().extend(largest as f32).to_array(),
            shape_from_principal: properties.shape_from_principal.as_quat().to_array(),
        }
    }
}

/// The columns of new particles that grains change.
struct Columns {
    place: Vec<PlaceRecord>,
    position: Vec<[f32; 4]>,
    velocity: Vec<[f32; 4]>,
    spin: Vec<[f32; 4]>,
    loads: Vec<[f32; 8]>,
    meta: Vec<[u32; 4]>,
    grain: Vec<[u32; 2]>,
}

impl Columns {
    fn take(given: &[(ColumnInfo, Vec<u8>)]) -> Self {
        fn rows<T: bytemuck::Pod>(given: &[(ColumnInfo, Vec<u8>)], column: ColumnInfo) -> Vec<T> {
            let own = given.iter().find(|(info, _)| info.name == column.name);
            own.map_or(Vec::new(), |(_, bytes)| bytemuck::pod_collect_to_vec(bytes))
        }
        let meta: Vec<[u32; 4]> = rows(given, META);
        Self {
            place: rows(given, PLACE),
            position: rows(given, POSITION),
            velocity: rows(given, VELOCITY),
            spin: rows(given, SPIN),
            loads: rows(given, LOADS),
            grain: vec![[u32::MAX; 2]; meta.len()],
            meta,
        }
    }

    /// Puts a member where its grain has it, as `Assemblies::place_members` does.
    fn put(&mut self, i: usize, new: &NewAssembly, member: &Member, number: [u32; 2], domain: &ExactDomain) {
        let arm = new.orientation.normalize() * member.offset.as_dvec3();
        let mut exact = new.position;
        // What is out of range is so at the first step as well, which finds it.
        let _ = exact.advance_meters(arm);
        let exact = domain.wrap(exact);
        let spin = new.angular_velocity.as_vec3();
        let velocity = new.velocity.as_vec3() + spin.cross(arm.as_vec3());
        self.place[i].quanta = exact.quanta;
        let put = |row: &mut [f32; 4], v: Vec3| row[..3].copy_from_slice(&v.to_array());
        put(&mut self.position[i], exact.to_vec3());
        put(&mut self.velocity[i], velocity);
        self.spin[i] = spin.extend((1.0 / new.properties.mass) as f32).to_array();
        self.loads[i] = [0.0; 8];
        self.meta[i][1] = self.meta[i][1] & MATERIAL | u32::from(mover::MEMBER) << MOVER_SHIFT;
        self.grain[i] = number;
    }

    fn give(self, given: &mut Vec<(ColumnInfo, Vec<u8>)>) {
        let own = [
            (PLACE, bytemuck::pod_collect_to_vec(&self.place)),
            (POSITION, bytemuck::pod_collect_to_vec(&self.position)),
            (VELOCITY, bytemuck::pod_collect_to_vec(&self.velocity)),
            (SPIN, bytemuck::pod_collect_to_vec(&self.spin)),
            (LOADS, bytemuck::pod_collect_to_vec(&self.loads)),
            (META, bytemuck::pod_collect_to_vec(&self.meta)),
            (GRAIN, bytemuck::pod_collect_to_vec(&self.grain)),
        ];
        given.retain(|(info, _)| own.iter().all(|(column, _)| column.name != info.name));
        given.extend(own);
    }
}
