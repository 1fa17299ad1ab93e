//! The fields that granular IISPH hands out, and the hash of its state.

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::hash::Fnv;
use crate::simulator::{FieldData, FieldError, FieldInfo, FieldKind, ReadTicket, Snapshot};

use super::Iisph;
use super::surroundings::{cell_numbers, normals};
use super::sweep::strain_rates;

const fn field(name: &'static str, unit: &'static str, kind: FieldKind) -> FieldInfo {
    FieldInfo { name, unit, kind }
}

/// The solver's fields.
pub const FIELDS: &[FieldInfo] = &[
    field("id", "1", FieldKind::Integer),
    field("material", "1", FieldKind::Integer),
    field("position", "m", FieldKind::Vec3),
    field("velocity", "m/s", FieldKind::Vec3),
    field("speed", "m/s", FieldKind::Scalar),
    field("radius", "m", FieldKind::Scalar),
    field("density", "kg/m3", FieldKind::Scalar),
    field("density_error", "1", FieldKind::Scalar),
    field("pressure", "Pa", FieldKind::Scalar),
    field("stress", "Pa", FieldKind::Tensor),
    field("yield_ratio", "1", FieldKind::Scalar),
    field("strain_rate", "1/s", FieldKind::Scalar),
    field("neighbor_count", "1", FieldKind::Integer),
    field("age", "s", FieldKind::Scalar),
    field("force", "N", FieldKind::Vec3),
    field("normal", "1", FieldKind::Vec3),
    field("cell", "1", FieldKind::Integer),
];

/// Reads that have finished and wait to be fetched.
#[derive(Default)]
pub struct Reads {
    next: u64,
    done: VecDeque<(ReadTicket, Snapshot)>,
}

impl Reads {
    fn push(&mut self, snapshot: Snapshot) -> ReadTicket {
        let ticket = ReadTicket(self.next);
        self.next += 1;
        self.done.push_back((ticket, snapshot));
        ticket
    }

    /// Fetches a finished read.
    pub fn take(&mut self, ticket: ReadTicket, snapshot: &mut Snapshot) -> bool {
        let Some(at) = self.done.iter().position(|(t, _)| *t == ticket) else { return false };
        if let Some((_, done)) = self.done.remove(at) {
            *snapshot = done;
        }
        true
    }
}

impl Iisph {
    pub(super) fn read_fields(&mut self, names: &[&str]) -> Result<ReadTicket, FieldError> {
        let mut columns = Vec::with_capacity(names.len());
        let order = self.order_by_id();
        for &name in names {
            let Some(info) = FIELDS.iter().find(|info| info.name == name) else {
                let known = FIELDS.iter().map(|info| info.name).collect::<Vec<_>>().join(", ");
                return Err(FieldError { solver: "iisph", name: name.into(), known });
            };
            columns.push((*info, self.column(name, &order)));
        }
        Ok(self.reads.push(Snapshot { time: self.time, columns }))
    }

    fn order_by_id(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.particles.len() as u32).collect();
        order.sort_unstable_by_key(|&i| self.particles.id[i as usize]);
        order
    }

    fn column(&self, name: &str, order: &[u32]) -> FieldData {
        let scalar =
            |f: &dyn Fn(usize) -> f32| FieldData::Scalar(order.iter().map(|&i| f(i as usize)).collect());
        let integer =
            |f: &dyn Fn(usize) -> u32| FieldData::Integer(order.iter().map(|&i| f(i as usize)).collect());
        let vec3 =
            |f: &dyn Fn(usize) -> [f32; 3]| FieldData::Vec3(order.iter().map(|&i| f(i as usize)).collect());
        let (particles, state) = (&self.particles, &self.state);
        let material = |i: usize| &self.setup.materials[particles.material[i] as usize];
        match name {
            "id" => integer(&|i| particles.id[i]),
            "material" => integer(&|i| particles.material[i] as u32),
            "position" => vec3(&|i| particles.position[i].truncate().into()),
            "velocity" => vec3(&|i| particles.velocity[i].truncate().into()),
            "speed" => scalar(&|i| particles.velocity[i].truncate().length()),
            "radius" => scalar(&|i| particles.position[i].w),
            "density" => scalar(&|i| state.density[i] * material(i).density),
            "density_error" => scalar(&|i| (state.density[i] - 1.0).max(0.0)),
            "pressure" => scalar(&|i| state.pressure[i]),
            "yield_ratio" => scalar(&|i| {
                let limit = material(i).yield_limit(state.pressure[i], state.strain_rate[i]);
                if limit > 0.0 { state.stress.get(i).norm() / limit } else { 0.0 }
            }),
            "strain_rate" => {
                let strain_rate = self.strain_rates();
                scalar(&|i| strain_rate[i])
            }
            "age" => scalar(&|i| (self.time - particles.birth_time(particles.id[i])) as f32),
            "force" => vec3(&|i| (state.predicted[i].truncate() * particles.velocity[i].w).into()),
            "normal" => {
                let normals = self.pool.install(|| normals(&self.setup, &particles.position));
                vec3(&|i| normals[i].into())
            }
            "cell" => {
                let numbers = self.pool.install(|| cell_numbers(&self.setup, &particles.position));
                integer(&|i| numbers[i])
            }
            "neighbor_count" => integer(&|i| self.search.neighbor_count(i)),
            _ => FieldData::Tensor(order.iter().map(|&i| state.stress.get(i as usize).to_array()).collect()),
        }
    }

    /// Strain rates, found anew where sweeps do not leave them.
    pub(super) fn strain_rates(&self) -> Cow<'_, [f32]> {
        let state = &self.state;
        if !state.strain_rate_is_old {
            return Cow::Borrowed(&state.strain_rate);
        }
        let input = self.setup.sweep_input(&self.search, &self.particles, 1.0);
        let mut strain_rate = vec![0.0; state.velocity.len()];
        self.pool.install(|| strain_rates(&input, &state.velocity, &mut strain_rate));
        Cow::Owned(strain_rate)
    }

    /// Brings strain rates up to date, before particles come or go.
    pub(super) fn refresh_strain_rates(&mut self) {
        if let Cow::Owned(strain_rate) = self.strain_rates() {
            self.state.strain_rate = strain_rate;
        }
        self.state.strain_rate_is_old = false;
    }

    pub(super) fn hash_state(&self) -> u64 {
        let mut hash = Fnv::default();
        hash.word(self.time.to_bits());
        hash.word(self.particles.len() as u64);
        hash.word(self.particles.next_id() as u64);
        for i in self.order_by_id() {
            let i = i as usize;
            hash.word(self.particles.id[i] as u64);
            for column in [self.particles.position[i], self.particles.velocity[i]] {
                column.to_array().iter().for_each(|c| hash.word(c.to_bits() as u64));
            }
        }
        for body in self.bodies.reports(&self.boundaries) {
            let numbers = [body.pose.translation, body.velocity, body.angular_velocity];
            let numbers = numbers.into_iter().flat_map(|v| v.to_array());
            numbers.chain(body.pose.rotation.to_array()).for_each(|c| hash.word(c.to_bits() as u64));
        }
        hash.finish()
    }
}
