//! The solver's own columns, beside those of the particles.

use glam::Vec4;
use rayon::prelude::*;

use crate::neighbors::{BLOCK, Permutation, Scratch};
use crate::particles::retain_column;
use crate::simd::{Instructions, LANES, Lanes, Vectorised, load, store};
use crate::sym3::Sym3;

use super::rheology::return_to_cone;
use super::sweep::{SweepError, TotalStress, Wave, store_total};
use crate::solver::laws::Laws;
use crate::solver::walls::{WallBlock, WallContact, WallContacts};

/// Share of the last step's pressure that a plain fluid starts from.
pub const FLUID_WARM_START: f32 = 0.85;

/// Symmetric tensors as six columns.
#[derive(Clone, Debug, Default)]
pub struct TensorColumns(pub [Vec<f32>; 6]);

impl TensorColumns {
    /// Makes room for `count` tensors; new ones are zero.
    pub fn resize(&mut self, count: usize) {
        self.0.iter_mut().for_each(|column| column.resize(count, 0.0));
    }

    /// One tensor.
    pub fn get(&self, i: usize) -> Sym3 {
        Sym3::from_array(self.0.each_ref().map(|column| column[i]))
    }

    /// Columns from whole tensors.
    pub fn from_rows(rows: &[[f32; 6]]) -> Self {
        Self([0, 1, 2, 3, 4, 5].map(|c| rows.iter().map(|row| row[c]).collect()))
    }

    /// The columns in blocks, to be written.
    pub fn par_blocks_mut(&mut self) -> impl IndexedParallelIterator<Item = [&mut [f32]; 6]> {
        let [a, b, c, d, e, f] = &mut self.0;
        (
            a.par_chunks_mut(BLOCK),
            b.par_chunks_mut(BLOCK),
            c.par_chunks_mut(BLOCK),
            d.par_chunks_mut(BLOCK),
            e.par_chunks_mut(BLOCK),
            f.par_chunks_mut(BLOCK),
        )
            .into_par_iter()
            .map(|(a, b, c, d, e, f)| [a, b, c, d, e, f])
    }
}

/// The tensors from `at` on.
#[inline(always)]
pub fn load_tensor<L: Lanes>(columns: &[&mut [f32]; 6], at: usize) -> Sym3<L> {
    Sym3::from_array([0, 1, 2, 3, 4, 5].map(|c| load(columns[c], at)))
}

/// Writes the tensors from `at` on.
#[inline(always)]
pub fn store_tensor<L: Lanes>(columns: &mut [&mut [f32]; 6], at: usize, tensor: Sym3<L>) {
    let components = tensor.to_array();
    for (column, component) in columns.iter_mut().zip(components) {
        store(column, at, component);
    }
}

/// Columns of the solver. `pressure`, `stress` and `contacts` are state; the rest is found anew in every step.
#[derive(Clone, Debug, Default)]
pub struct IisphState {
    /// Pressure p [Pa].
    pub pressure: Vec<f32>,
    /// Frictional stress s [Pa]: symmetric, without trace.
    pub stress: TensorColumns,
    /// Walls near particles and their impulses.
    pub contacts: WallContacts,
    /// Density relative to rest [1].
    pub density: Vec<f32>,
    /// Diagonal A of the pressure system [m/kg]: response of the divergence to the particle's own pressure.
    pub diagonal: Vec<f32>,
    /// Velocity without pressure, friction and walls [m/s]; after a step, the acceleration during it [m/s2].
    pub predicted: Vec<Vec4>,
    /// Velocity with everything [m/s].
    pub velocity: Vec<Vec4>,
    /// Acceleration from walls [m/s2].
    pub wall_acceleration: Vec<Vec4>,
    /// p I + s [Pa]; empty where there are only fluids.
    pub total_stress: Vec<TotalStress>,
    /// Stress before projection in explicit friction [Pa].
    pub trial_stress: TensorColumns,
    /// Norm of the deviatoric strain rate [1/s].
    pub strain_rate: Vec<f32>,
    /// Whether the strain rates are older than the velocities: sweeps over fluids do not need them.
    pub strain_rate_is_old: bool,
    /// What sweeps have left to do, per block.
    pub errors: Vec<SweepError>,
    /// How far sweeps got in one go, per thread.
    pub waves: Vec<Wave>,
}

impl IisphState {
    /// Makes room for `count` particles; new ones start without load.
    pub fn resize(&mut self, count: usize) {
        self.pressure.resize(count, 0.0);
        self.stress.resize(count);
        self.density.resize(count, 0.0);
        self.diagonal.resize(count, 0.0);
        self.predicted.resize(count, Vec4::ZERO);
        self.velocity.resize(count, Vec4::ZERO);
        self.wall_acceleration.resize(count, Vec4::ZERO);
        self.strain_rate.resize(count, 0.0);
    }

    /// Reorders the columns that outlive a step.
    pub fn permute(&mut self, order: &Permutation, scratch: &mut Scratch) {
        order.apply(&mut self.pressure, &mut scratch.floats);
        order.apply(&mut self.strain_rate, &mut scratch.floats);
        for column in &mut self.stress.0 {
            order.apply(column, &mut scratch.floats);
        }
    }

    /// Keeps the particles for which `keep` holds.
    pub fn retain(&mut self, keep: &[bool]) {
        retain_column(&mut self.pressure, keep);
        retain_column(&mut self.density, keep);
        retain_column(&mut self.predicted, keep);
        retain_column(&mut self.strain_rate, keep);
        self.stress.0.iter_mut().for_each(|column| retain_column(column, keep));
        self.contacts.retain(keep);
        self.resize(self.pressure.len());
    }

    /// Takes over the last step's pressure, stress and wall impulses, projected on this step's limits.
    pub fn warm_start(&mut self, laws: &Laws, explicit: bool, instructions: Instructions) {
        self.total_stress.resize(if laws.fluid { 0 } else { self.pressure.len() }, TotalStress::ZERO);
        push_by_walls(&mut self.wall_acceleration, &self.contacts);
        if laws.fluid {
            self.pressure.par_iter_mut().with_min_len(4096).for_each(|p| *p *= FLUID_WARM_START);
            return;
        }
        let columns = (
            self.pressure.par_chunks_mut(BLOCK),
            self.stress.par_blocks_mut(),
            self.total_stress.par_chunks_mut(BLOCK),
            self.strain_rate.par_chunks(BLOCK),
        );
        columns.into_par_iter().enumerate().for_each(|(b, (pressure, stress, total, strain_rate))| {
            let first = b * BLOCK;
            instructions.run(WarmStart { laws, explicit, first, pressure, stress, total, strain_rate });
        });
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let total = self.total_stress.capacity() * size_of::<TotalStress>();
        self.pressure.capacity() * (4 * 4 + 24 + 3 * 16) + total + self.contacts.bytes()
    }
}

/// Accelerations that the walls' impulses of the last step give.
fn push_by_walls(wall_acceleration: &mut [Vec4], contacts: &WallContacts) {
    let push = |c: &WallContact| (c.normal * c.sample.normal + c.tangent).extend(0.0);
    let blocks = wall_acceleration.par_chunks_mut(BLOCK).zip(contacts.blocks.par_iter());
    blocks.for_each(|(chunk, walls): (_, &WallBlock)| {
        chunk.fill(Vec4::ZERO);
        for (k, own) in walls.with_contacts() {
            chunk[k] = own.iter().map(push).sum();
        }
    });
}

struct WarmStart<'a> {
    laws: &'a Laws<'a>,
    explicit: bool,
    first: usize,
    pressure: &'a mut [f32],
    stress: [&'a mut [f32]; 6],
    total: &'a mut [TotalStress],
    strain_rate: &'a [f32],
}

impl Vectorised for WarmStart<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for at in (0..self.pressure.len()).step_by(LANES) {
            let first = self.first + at;
            let share = |fluid: bool| if fluid || self.explicit { FLUID_WARM_START } else { 1.0 };
            let pressure: L =
                load::<L>(self.pressure, at) * self.laws.lanes::<L>(first, |m| share(m.is_fluid()));
            let limit = self.laws.yield_limit::<L>(first);
            let limit = limit.at(pressure, load(self.strain_rate, at), self.laws.fast);
            let stress = return_to_cone(load_tensor::<L>(&self.stress, at), limit);
            store(self.pressure, at, pressure);
            store_tensor(&mut self.stress, at, stress);
            store_total(self.total, at, pressure, stress);
        }
    }
}
