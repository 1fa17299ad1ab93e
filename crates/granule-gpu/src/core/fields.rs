//! Fields of particles, and the hash of the state.

use glam::{Vec3, Vec4};
use granule::hash::Fnv;
use granule::particles::birth_time;
use granule::simd::Instructions;
use granule::simulator::{FieldData, FieldError, FieldInfo, ReadTicket, Snapshot};
use granule::solver::reads::find_field;
use granule::solver::surroundings::{cell_numbers, normals};
use granule_device::DeviceError;

use super::columns::{ColumnInfo, DENSITY_STATE, POSITION, VELOCITY};
use super::constants::SceneConstants;
use super::method::FieldInput;
use super::reads::Read;
use super::rows::Rows;
use super::simulation::GpuSimulation;

/// Columns that a field of the shared ones needs; none for a field of the method's own.
fn shared_columns(field: &str) -> Option<&'static [ColumnInfo]> {
    match field {
        "id" | "material" | "age" => Some(&[]),
        "position" | "radius" | "normal" | "cell" => Some(&[POSITION]),
        "velocity" | "speed" => Some(&[VELOCITY]),
        "density" | "density_error" | "neighbor_count" => Some(&[DENSITY_STATE]),
        _ => None,
    }
}

/// A field of the shared columns.
fn shared_field(name: &str, input: &FieldInput, constants: &SceneConstants) -> Option<FieldData> {
    let (rows, order) = (input.rows, input.order);
    let all = || order.iter().map(|&i| i as usize);
    let integer = |f: &dyn Fn(usize) -> u32| FieldData::Integer(all().map(f).collect());
    let scalar = |f: &dyn Fn(usize) -> f32| FieldData::Scalar(all().map(f).collect());
    let places = || -> Vec<Vec4> {
        let position = rows.position();
        all().map(|i| position[i].into()).collect()
    };
    let data = match name {
        "id" => integer(&|i| rows.meta[i][0]),
        "material" => integer(&|i| rows.material(i) as u32),
        "age" => scalar(&|i| (input.time - birth_time(input.births, rows.meta[i][0])) as f32),
        "position" => input.vectors(&rows.position()),
        "velocity" => input.vectors(&rows.velocity()),
        "radius" => {
            let position = rows.position();
            scalar(&|i| position[i][3])
        }
        "speed" => {
            let velocity = rows.velocity();
            scalar(&|i| Vec3::from_slice(&velocity[i]).length())
        }
        "density" => {
            let state = rows.density_state();
            scalar(&|i| f32::from_bits(state[i][0]) * constants.materials[rows.material(i)].density)
        }
        "density_error" => {
            let state = rows.density_state();
            scalar(&|i| (f32::from_bits(state[i][0]) - 1.0).max(0.0))
        }
        "neighbor_count" => {
            let state = rows.density_state();
            integer(&|i| state[i][3] >> 12)
        }
        "normal" => {
            let (domain, kernel) = (&constants.domain, &constants.kernel);
            let normals = normals(&places(), domain, kernel, constants.volume, Instructions::best());
            FieldData::Vec3(normals.iter().map(Vec3::to_array).collect())
        }
        "cell" => {
            let support = constants.kernel.support();
            FieldData::Integer(cell_numbers(&places(), &constants.domain, support))
        }
        _ => return None,
    };
    Some(data)
}

impl FieldInput<'_> {
    /// Vectors of records, by id.
    pub fn vectors(&self, records: &[[f32; 4]]) -> FieldData {
        let vector = |i: &u32| {
            let [x, y, z, _] = records[*i as usize];
            [x, y, z]
        };
        FieldData::Vec3(self.order.iter().map(vector).collect())
    }

    /// Numbers of rows, by id.
    pub fn scalars(&self, number: impl Fn(usize) -> f32) -> FieldData {
        FieldData::Scalar(self.order.iter().map(|&i| number(i as usize)).collect())
    }

    /// Mass times a column of accelerations [N], by id.
    pub fn forces(&self, acceleration: ColumnInfo) -> FieldData {
        let velocity = self.rows.velocity();
        let acceleration: Vec<[f32; 4]> = self.rows.of(acceleration);
        let force = |i: usize| velocity[i][3] * Vec3::from_slice(&acceleration[i]);
        FieldData::Vec3(self.order.iter().map(|&i| force(i as usize).to_array()).collect())
    }
}

impl GpuSimulation {
    /// Columns in memory, waiting for them.
    pub(crate) fn download(&self, columns: &[ColumnInfo]) -> Result<Rows, DeviceError> {
        let parts = Rows::parts(&self.buffers, columns, self.step.sort_count);
        let bytes = self.gpu.begin_read(&parts).take(&self.gpu)?;
        Ok(Rows::take(&bytes, columns, self.step.sort_count as usize))
    }

    /// Columns that fields need, each once.
    fn columns_of(&self, fields: &[FieldInfo]) -> Vec<ColumnInfo> {
        let mut columns: Vec<ColumnInfo> = Vec::new();
        for field in fields.iter().filter(|field| !self.method.host_fields().contains(&field.name)) {
            let needed = shared_columns(field.name).map(<[ColumnInfo]>::to_vec);
            for column in needed.unwrap_or_else(|| self.method.field_columns(field.name)) {
                if !columns.contains(&column) {
                    columns.push(column);
                }
            }
        }
        columns
    }

    pub(crate) fn read_fields(&mut self, names: &[&str]) -> Result<ReadTicket, FieldError> {
        let mut fields = Vec::with_capacity(names.len());
        for &name in names {
            fields.push(find_field(self.method.fields(), self.method.name(), name)?);
        }
        let known = self.fields_on_host(&fields);
        let columns = self.columns_of(&fields);
        let bytes = self.gpu.begin_read(&Rows::parts(&self.buffers, &columns, self.step.sort_count));
        let ticket = ReadTicket(self.reads.next);
        self.reads.next += 1;
        let (rows, time) = (self.step.sort_count as usize, self.time);
        self.reads.pending.push_back(Read { ticket, bytes, rows, time, fields, columns, known });
        Ok(ticket)
    }

    /// Values of fields that only the CPU's solver finds. A state that it does not take ends the simulation.
    fn fields_on_host(&mut self, fields: &[FieldInfo]) -> Vec<(&'static str, FieldData)> {
        let host = self.method.host_fields();
        let names: Vec<&'static str> =
            fields.iter().map(|field| field.name).filter(|name| host.contains(name)).collect();
        if names.is_empty() {
            return Vec::new();
        }
        let found = self
            .save_state()
            .and_then(|state| self.method.find_on_host(&names, &state, &self.scene, &self.boundaries));
        match found {
            Ok(values) => names.into_iter().zip(values).collect(),
            Err(error) => {
                self.fail(error);
                Vec::new()
            }
        }
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
            Ok(bytes) => *snapshot = self.snapshot(&read, &bytes.unwrap_or_default()),
            Err(error) => {
                self.fail(error);
                *snapshot = Snapshot::default();
            }
        }
        true
    }

    fn snapshot(&self, read: &Read, bytes: &[u8]) -> Snapshot {
        let rows = Rows::take(bytes, &read.columns, read.rows);
        let order = rows.shown_by_id();
        let input = FieldInput { rows: &rows, order: &order, births: &self.births, time: read.time };
        let column = |info: &FieldInfo| {
            if let Some((_, data)) = read.known.iter().find(|(name, _)| *name == info.name) {
                return (*info, data.clone());
            }
            let shared = shared_field(info.name, &input, &self.constants);
            (*info, shared.unwrap_or_else(|| self.method.field(info.name, &input)))
        };
        Snapshot { time: read.time, columns: read.fields.iter().map(column).collect() }
    }

    pub(crate) fn hash_state(&self) -> u64 {
        let mut hash = Fnv::default();
        hash.word(self.time.to_bits());
        hash.word(self.live_count as u64);
        hash.word(u64::from(self.next_id));
        let more = self.method.hashed_columns();
        let columns = [&[POSITION, VELOCITY], &more[..]].concat();
        let Ok(rows) = self.download(&columns) else { return hash.finish() };
        let more: Vec<(usize, Vec<u32>)> =
            more.iter().map(|info| (info.bytes as usize / 4, rows.of(*info))).collect();
        let (position, velocity) = (rows.position(), rows.velocity());
        for i in rows.order_by_id() {
            let i = i as usize;
            hash.word(u64::from(rows.meta[i][0]));
            for value in position[i].iter().chain(&velocity[i]) {
                hash.word(u64::from(value.to_bits()));
            }
            for (words, column) in &more {
                column[words * i..words * (i + 1)].iter().for_each(|word| hash.word(u64::from(*word)));
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
