//! The fields that granular IISPH hands out.

use std::borrow::Cow;

use crate::simulator::{FieldData, FieldError, FieldInfo, FieldKind, ReadTicket, Snapshot};
use crate::solver::reads::{field, find_field};
use crate::solver::surroundings::{cell_numbers, normals};

use super::Iisph;
use super::sweep::strain_rates;

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

impl Iisph {
    pub(super) fn read_fields(&mut self, names: &[&str]) -> Result<ReadTicket, FieldError> {
        let mut columns = Vec::with_capacity(names.len());
        let order = self.world.order_by_id();
        for &name in names {
            columns.push((find_field(FIELDS, "iisph", name)?, self.column(name, &order)));
        }
        Ok(self.world.reads.push(Snapshot { time: self.world.time, columns }))
    }

    fn column(&self, name: &str, order: &[u32]) -> FieldData {
        let scalar =
            |f: &dyn Fn(usize) -> f32| FieldData::Scalar(order.iter().map(|&i| f(i as usize)).collect());
        let integer =
            |f: &dyn Fn(usize) -> u32| FieldData::Integer(order.iter().map(|&i| f(i as usize)).collect());
        let vec3 =
            |f: &dyn Fn(usize) -> [f32; 3]| FieldData::Vec3(order.iter().map(|&i| f(i as usize)).collect());
        let (particles, state) = (&self.world.particles, &self.state);
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
            "age" => scalar(&|i| (self.world.time - particles.birth_time(particles.id[i])) as f32),
            "force" => vec3(&|i| (state.predicted[i].truncate() * particles.velocity[i].w).into()),
            "normal" => {
                let normals = self.world.pool.install(|| {
                    let (setup, volume) = (&self.setup, self.setup.params.volume);
                    normals(&particles.position, &setup.domain, &setup.kernel, volume, setup.instructions)
                });
                vec3(&|i| normals[i].into())
            }
            "cell" => {
                let numbers = self.world.pool.install(|| {
                    cell_numbers(&particles.position, &self.setup.domain, self.setup.params.support)
                });
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
        let input = self.setup.sweep_input(&self.search, &self.world.particles, 1.0);
        let mut strain_rate = vec![0.0; state.velocity.len()];
        self.world.pool.install(|| strain_rates(&input, &state.velocity, &mut strain_rate));
        Cow::Owned(strain_rate)
    }

    /// Brings strain rates up to date, before particles come or go.
    pub(super) fn refresh_strain_rates(&mut self) {
        if let Cow::Owned(strain_rate) = self.strain_rates() {
            self.state.strain_rate = strain_rate;
        }
        self.state.strain_rate_is_old = false;
    }
}
