//! Fields on their way from the device, and the hash of the state.

use std::collections::VecDeque;

use glam::{Vec3, Vec4};
use granule::hash::Fnv;
use granule::particles::birth_time;
use granule::simulator::{FieldData, FieldError, FieldInfo, ReadTicket, Snapshot};
use granule::solver::SolverEntry;
use granule::solver::iisph::setup::Setup;
use granule::solver::reads::find_field;
use granule::solver::surroundings::{cell_numbers, normals};
use granule::sym3::Sym3;
use granule_device::{DeviceError, PendingRead};
use wgpu::Buffer;

use crate::layout::{MATERIAL, REMOVED};
use crate::solver::GpuIisph;

/// Reads under way.
#[derive(Default)]
pub struct Reads {
    next: u64,
    pending: VecDeque<Read>,
}

struct Read {
    ticket: ReadTicket,
    bytes: PendingRead,
    rows: usize,
    time: f64,
    fields: Vec<FieldInfo>,
    columns: Needed,
}

/// Which columns a read brings, beside the tags.
#[derive(Clone, Copy, Debug, Default)]
pub struct Needed {
    position: bool,
    velocity: bool,
    stress: bool,
    found: bool,
    acceleration: bool,
}

impl Needed {
    /// All columns.
    pub const ALL: Self =
        Self { position: true, velocity: true, stress: true, found: true, acceleration: true };

    fn by(fields: &[FieldInfo]) -> Self {
        let mut needed = Self::default();
        for field in fields {
            match field.name {
                "position" | "radius" | "normal" | "cell" => needed.position = true,
                "velocity" | "speed" => needed.velocity = true,
                "pressure" | "stress" | "yield_ratio" | "strain_rate" => needed.stress = true,
                "force" => (needed.velocity, needed.acceleration) = (true, true),
                "density" | "density_error" | "neighbor_count" => needed.found = true,
                _ => {}
            }
        }
        needed
    }
}

/// Columns in memory, in the order of the device, removed particles included.
#[derive(Default)]
pub struct Rows {
    /// Id, material, first contact in its half, number of contacts.
    pub tags: Vec<[u32; 4]>,
    /// Centre and radius.
    pub position: Vec<[f32; 4]>,
    /// Velocity and mass.
    pub velocity: Vec<[f32; 4]>,
    /// Stress, pressure, strain rate.
    pub stress: Vec<[f32; 8]>,
    /// Density, diagonal, contacts, numbers.
    pub found: Vec<[u32; 4]>,
    /// Acceleration in the last step.
    pub acceleration: Vec<[f32; 4]>,
}

impl Rows {
    fn take(bytes: &[u8], count: usize, needed: Needed) -> Self {
        let mut rest = bytes;
        let mut next = |wanted: bool, size: usize| {
            let own;
            (own, rest) = rest.split_at(if wanted { size * count } else { 0 });
            own
        };
        Self {
            tags: bytemuck::pod_collect_to_vec(next(true, 16)),
            position: bytemuck::pod_collect_to_vec(next(needed.position, 16)),
            velocity: bytemuck::pod_collect_to_vec(next(needed.velocity, 16)),
            stress: bytemuck::pod_collect_to_vec(next(needed.stress, 32)),
            found: bytemuck::pod_collect_to_vec(next(needed.found, 16)),
            acceleration: bytemuck::pod_collect_to_vec(next(needed.acceleration, 16)),
        }
    }

    /// Whether a particle is there.
    pub fn is_there(&self, i: usize) -> bool {
        self.tags[i][1] & REMOVED == 0
    }

    /// Places of the particles that are there, by id.
    fn order_by_id(&self) -> Vec<u32> {
        let mut order: Vec<u32> =
            (0..self.tags.len() as u32).filter(|&i| self.is_there(i as usize)).collect();
        order.sort_unstable_by_key(|&i| self.tags[i as usize][0]);
        order
    }

    /// Material of a particle.
    pub fn material(&self, i: usize) -> usize {
        (self.tags[i][1] & MATERIAL) as usize
    }

    /// Frictional stress (xx, xy, xz, yy, yz, zz).
    pub fn stress_of(&self, i: usize) -> [f32; 6] {
        let [xx, xy, xz, yy, yz, zz, _, _] = self.stress[i];
        [xx, xy, xz, yy, yz, zz]
    }

    /// Centres and radii in some order.
    fn places(&self, order: &[u32]) -> Vec<Vec4> {
        order.iter().map(|&i| self.position[i as usize].into()).collect()
    }

    fn column(&self, name: &str, order: &[u32], setup: &Setup) -> FieldData {
        let materials = &setup.materials;
        let all = || order.iter().map(|&i| i as usize);
        let scalar = |f: &dyn Fn(usize) -> f32| FieldData::Scalar(all().map(f).collect());
        let integer = |f: &dyn Fn(usize) -> u32| FieldData::Integer(all().map(f).collect());
        let vec3 = |rows: &[[f32; 4]]| {
            FieldData::Vec3(all().map(|i| [rows[i][0], rows[i][1], rows[i][2]]).collect())
        };
        let density = |i: usize| f32::from_bits(self.found[i][0]);
        match name {
            "id" => integer(&|i| self.tags[i][0]),
            "material" => integer(&|i| self.material(i) as u32),
            "position" => vec3(&self.position),
            "velocity" => vec3(&self.velocity),
            "speed" => scalar(&|i| Vec3::from_slice(&self.velocity[i]).length()),
            "radius" => scalar(&|i| self.position[i][3]),
            "density" => scalar(&|i| density(i) * materials[self.material(i)].density),
            "density_error" => scalar(&|i| (density(i) - 1.0).max(0.0)),
            "pressure" => scalar(&|i| self.stress[i][6]),
            "strain_rate" => scalar(&|i| self.stress[i][7]),
            "yield_ratio" => scalar(&|i| {
                let limit = materials[self.material(i)].yield_limit(self.stress[i][6], self.stress[i][7]);
                if limit > 0.0 { Sym3::from_array(self.stress_of(i)).norm() / limit } else { 0.0 }
            }),
            "force" => {
                let force = |i: usize| self.velocity[i][3] * Vec3::from_slice(&self.acceleration[i]);
                FieldData::Vec3(all().map(|i| force(i).to_array()).collect())
            }
            "normal" => {
                let volume = setup.params.volume;
                let places = self.places(order);
                let normals = normals(&places, &setup.domain, &setup.kernel, volume, setup.instructions);
                FieldData::Vec3(normals.iter().map(Vec3::to_array).collect())
            }
            "cell" => {
                let places = self.places(order);
                FieldData::Integer(cell_numbers(&places, &setup.domain, setup.params.support))
            }
            "neighbor_count" => integer(&|i| self.found[i][3] >> 12),
            _ => FieldData::Tensor(all().map(|i| self.stress_of(i)).collect()),
        }
    }
}

impl GpuIisph {
    /// Time since each particle entered [s].
    fn ages(&self, rows: &Rows, order: &[u32], time: f64) -> FieldData {
        let age = |i: &u32| (time - birth_time(&self.births, rows.tags[*i as usize][0])) as f32;
        FieldData::Scalar(order.iter().map(age).collect())
    }

    fn parts(&self, needed: Needed) -> Vec<(&Buffer, u64, u64)> {
        let (c, rows) = (&self.columns, u64::from(self.step.sort_count));
        let size = |wanted: bool, size: u64| if wanted { size * rows } else { 0 };
        vec![
            (&c.tags, 0, 16 * rows),
            (&c.position, 0, size(needed.position, 16)),
            (&c.velocity, 0, size(needed.velocity, 16)),
            (&c.stress, 0, size(needed.stress, 32)),
            (&c.found, 0, size(needed.found, 16)),
            (&c.prediction, 0, size(needed.acceleration, 16)),
        ]
    }

    /// Columns in memory, waiting for them.
    pub(crate) fn download(&self, needed: Needed) -> Result<Rows, DeviceError> {
        let pending = self.gpu.begin_read(&self.parts(needed));
        self.gpu.wait()?;
        let bytes = pending.try_take(&self.gpu)?.unwrap_or_default();
        Ok(Rows::take(&bytes, self.step.sort_count as usize, needed))
    }

    pub(crate) fn read_fields(&mut self, names: &[&str]) -> Result<ReadTicket, FieldError> {
        let solver = SolverEntry::of(self.scene.simulation.solver);
        let mut fields = Vec::with_capacity(names.len());
        for &name in names {
            fields.push(find_field(solver.fields, solver.name, name)?);
        }
        let columns = Needed::by(&fields);
        let bytes = self.gpu.begin_read(&self.parts(columns));
        let ticket = ReadTicket(self.reads.next);
        self.reads.next += 1;
        let (rows, time) = (self.step.sort_count as usize, self.time);
        self.reads.pending.push_back(Read { ticket, bytes, rows, time, fields, columns });
        Ok(ticket)
    }

    /// Fetches a read that has arrived. A device that fails delivers nothing: the snapshot is then empty.
    pub(crate) fn poll_read(&mut self, ticket: ReadTicket, snapshot: &mut Snapshot) -> bool {
        let Some(at) = self.reads.pending.iter().position(|read| read.ticket == ticket) else { return false };
        let arrived = self.reads.pending[at].bytes.try_take(&self.gpu);
        if matches!(arrived, Ok(None)) {
            return false;
        }
        let Some(read) = self.reads.pending.remove(at) else { return false };
        match arrived {
            Ok(bytes) => {
                let rows = Rows::take(&bytes.unwrap_or_default(), read.rows, read.columns);
                let order = rows.order_by_id();
                let column = |info: &FieldInfo| match info.name {
                    "age" => (*info, self.ages(&rows, &order, read.time)),
                    name => (*info, rows.column(name, &order, &self.setup)),
                };
                *snapshot = Snapshot { time: read.time, columns: read.fields.iter().map(column).collect() };
            }
            Err(error) => {
                self.fail(error);
                *snapshot = Snapshot::default();
            }
        }
        true
    }

    pub(crate) fn hash_state(&self) -> u64 {
        let mut hash = Fnv::default();
        hash.word(self.time.to_bits());
        hash.word(self.there as u64);
        hash.word(u64::from(self.next_id));
        let needed = Needed { position: true, velocity: true, ..Needed::default() };
        let Ok(rows) = self.download(needed) else { return hash.finish() };
        for i in rows.order_by_id() {
            let i = i as usize;
            hash.word(u64::from(rows.tags[i][0]));
            for value in rows.position[i].iter().chain(&rows.velocity[i]) {
                hash.word(u64::from(value.to_bits()));
            }
        }
        for body in self.bodies.reports(&self.boundaries) {
            let numbers = [body.pose.translation, body.velocity, body.angular_velocity];
            let numbers = numbers.into_iter().flat_map(|v| v.to_array());
            numbers.chain(body.pose.rotation.to_array()).for_each(|c| hash.word(u64::from(c.to_bits())));
        }
        hash.finish()
    }
}
