//! The fields that granular IISPH hands out.

use std::borrow::Cow;

use crate::simd::LANES;
use crate::simulator::{FieldData, FieldInfo, FieldKind};
use crate::solver::reads::{Gather, field};
use crate::solver::surroundings::{cell_numbers, normals};
use crate::team::{self, QUICK};

use super::Iisph;
use super::iteration::strain_rates;
use super::pairs::NeighborBlock;

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
    /// A field that the world does not have.
    pub(super) fn own_field(&self, name: &str, order: &[u32]) -> FieldData {
        let (gather, particles, state) = (Gather(order), &self.world.particles, &self.state);
        let material = |i: usize| &self.setup.materials[particles.material[i] as usize];
        match name {
            "density" => gather.scalar(|i| state.density[i] * material(i).density),
            "density_error" => gather.scalar(|i| (state.density[i] - 1.0).max(0.0)),
            "pressure" => gather.scalar(|i| state.pressure[i]),
            "yield_ratio" => gather.scalar(|i| {
                let limit = material(i).yield_limit(state.pressure[i], state.strain_rate[i]);
                if limit > 0.0 { state.stress.get(i).norm() / limit } else { 0.0 }
            }),
            "strain_rate" => {
                let strain_rate = self.strain_rates();
                gather.scalar(|i| strain_rate[i])
            }
            "force" => gather.vec3(|i| state.predicted[i].truncate() * particles.velocity[i].w),
            "normal" => {
                let normals = self.world.team.install(|| {
                    let (setup, volume) = (&self.setup, self.setup.params.volume);
                    normals(&particles.position, &setup.domain, &setup.kernel, volume, setup.instructions)
                });
                gather.vec3(|i| normals[i])
            }
            "cell" => {
                let numbers = self.world.team.install(|| {
                    cell_numbers(&particles.position, &self.setup.domain, self.setup.params.support)
                });
                gather.integer(|i| numbers[i])
            }
            "neighbor_count" => {
                let count = self.neighbor_counts();
                gather.integer(|i| count[i])
            }
            _ => gather.tensor(|i| state.stress.get(i).to_array()),
        }
    }

    /// Neighbour counts, from the lists where these are newer.
    pub(super) fn neighbor_counts(&self) -> Cow<'_, [u32]> {
        let state = &self.state;
        if !state.neighbor_count_is_old {
            return Cow::Borrowed(&state.neighbor_count);
        }
        let mut count = vec![0; state.neighbor_count.len()];
        let blocks = &self.search.lists.blocks;
        self.world.team.install(|| {
            team::for_each_block(count.len(), QUICK, &mut count[..], |b, count| {
                count_neighbors(&blocks[b], count);
            });
        });
        Cow::Owned(count)
    }

    /// Strain rates, found anew where iterations do not leave them.
    pub(super) fn strain_rates(&self) -> Cow<'_, [f32]> {
        let state = &self.state;
        if !state.strain_rate_is_old {
            return Cow::Borrowed(&state.strain_rate);
        }
        let input = self.setup.iteration_input(&self.search, &self.world.particles, 1.0);
        let mut strain_rate = vec![0.0; state.velocity.len()];
        self.world.team.install(|| strain_rates(&input, &state.velocity, &mut strain_rate));
        Cow::Owned(strain_rate)
    }

    /// Brings columns up to date that follow from lists, before particles come or go.
    pub(super) fn refresh_columns(&mut self) {
        if let Cow::Owned(strain_rate) = self.strain_rates() {
            self.state.strain_rate = strain_rate;
        }
        if let Cow::Owned(count) = self.neighbor_counts() {
            self.state.neighbor_count = count;
        }
        self.state.strain_rate_is_old = false;
        self.state.neighbor_count_is_old = false;
    }
}

/// Counts the neighbours of a block's particles, sixteen at a time.
fn count_neighbors(list: &NeighborBlock, count: &mut [u32]) {
    for (g, count) in count.chunks_mut(LANES).enumerate() {
        let mut lanes = [0u32; LANES];
        for mask in list.group(g).mask {
            for (k, lane) in lanes.iter_mut().enumerate() {
                *lane += u32::from(mask >> k & 1);
            }
        }
        count.copy_from_slice(&lanes[..count.len()]);
    }
}
