//! The solver's own columns, beside those of the particles.

use glam::Vec4;

use crate::columns::{AnyColumn, ColumnData, ColumnStorage, particle_columns};
use crate::hash::Fnv;
use crate::neighbors::{Permutation, Scratch};
use crate::simd::{Instructions, LANES, Lanes, Vectorised, load, store};
use crate::sym3::Sym3;
use crate::team::{self, BLOCK, QUICK, block_range};

use super::iteration::{Residual, TotalStress, store_total};
use super::rheology::return_to_cone;
use crate::solver::material_lanes::MaterialLanes;
use crate::solver::walls::{WallContact, WallContacts};

/// Share of the last step's pressure that a plain fluid starts from.
///
/// \[ICS14\] section 3.4 has 0.5. Found by experiment: with 0.85 a bed of fluid bears its weight more steadily than with 0.7
/// (docs/performance.md has the iterations of a dam break with both).
pub const FLUID_WARM_START: f32 = 0.85;

/// Symmetric tensors as six columns.
#[derive(Clone, Debug, Default)]
pub struct TensorColumns(pub [Vec<f32>; 6]);

impl AnyColumn for TensorColumns {
    fn permute(&mut self, order: &Permutation, scratch: &mut Scratch) {
        self.0.iter_mut().for_each(|column| column.permute(order, scratch));
    }

    fn retain(&mut self, keep: &[bool]) {
        self.0.iter_mut().for_each(|column| AnyColumn::retain(column, keep));
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(AnyColumn::bytes).sum()
    }

    fn hash(&self, particle: usize, hash: &mut Fnv) {
        self.0.iter().for_each(|column| column.hash(particle, hash));
    }

    fn save(&self) -> ColumnData {
        ColumnData::Tensor((0..self.0[0].len()).map(|i| self.get(i).to_array()).collect())
    }

    fn restore(&mut self, data: ColumnData) -> bool {
        let ColumnData::Tensor(rows) = data else { return false };
        *self = Self::from_rows(&rows);
        true
    }
}

impl ColumnStorage for TensorColumns {
    type Value = [f32; 6];

    fn resize(&mut self, count: usize, initial: [f32; 6]) {
        self.0.iter_mut().zip(initial).for_each(|(column, initial)| column.resize(count, initial));
    }
}

impl TensorColumns {
    /// One tensor.
    pub fn get(&self, i: usize) -> Sym3 {
        Sym3::from_array(self.0.each_ref().map(|column| column[i]))
    }

    /// Columns from whole tensors.
    pub fn from_rows(rows: &[[f32; 6]]) -> Self {
        Self([0, 1, 2, 3, 4, 5].map(|c| rows.iter().map(|row| row[c]).collect()))
    }

    /// The columns, to be written.
    pub fn slices_mut(&mut self) -> [&mut [f32]; 6] {
        self.0.each_mut().map(|column| &mut column[..])
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

particle_columns! {
    /// Columns of the solver.
    pub struct IisphState {
        /// Pressure p \[Pa\].
        pressure: Vec<f32> => State,
        /// Frictional stress s \[Pa\]: symmetric, without trace.
        stress: TensorColumns => State,
        /// Norm of the deviatoric strain rate [1/s].
        strain_rate: Vec<f32> => State,
        /// Density relative to rest \[1\].
        density: Vec<f32> => Output,
        /// Velocity without pressure, friction and walls [m/s]; after a step, the acceleration during it [m/s2].
        predicted: Vec<Vec4> => Output,
        /// Number of neighbours; after a step, lists know it until particles come or go.
        neighbor_count: Vec<u32> => Output,
        /// Diagonal A of the pressure system [m/kg]: response of the divergence to the particle's own pressure.
        diagonal: Vec<f32> => Scratch,
        /// Velocity with everything [m/s].
        velocity: Vec<Vec4> => Scratch,
        /// Acceleration from walls [m/s2].
        wall_acceleration: Vec<Vec4> => Scratch,
    }
    beside {
        /// Walls near particles and their impulses.
        pub contacts: WallContacts,
        /// p I + s \[Pa\]; empty where there are only fluids.
        pub total_stress: Vec<TotalStress>,
        /// Pressure that the last iteration of this step gave \[Pa\]; empty where there is no momentum.
        pub previous_pressure: Vec<f32>,
        /// Frictional stress that it gave \[Pa\].
        pub previous_stress: TensorColumns,
        /// Stress before projection in explicit friction \[Pa\].
        pub trial_stress: TensorColumns,
        /// Whether strain rates are older than the velocities: iterations over fluids do not need them.
        pub strain_rate_is_old: bool,
        /// Whether neighbour counts are older than the lists.
        pub neighbor_count_is_old: bool,
        /// What iterations have left to do, per block.
        pub errors: Vec<Residual>,
    }
}

impl IisphState {
    /// Takes over the last step's pressure, stress and wall impulses, projected on this step's limits.
    pub fn warm_start(&mut self, materials: &MaterialLanes, explicit: bool, instructions: Instructions) {
        let coupled = if materials.fluid || explicit { 0 } else { self.pressure.len() };
        self.total_stress.resize(if materials.fluid { 0 } else { self.pressure.len() }, TotalStress::ZERO);
        self.previous_pressure.resize(coupled, 0.0);
        self.previous_stress.resize(coupled, [0.0; 6]);
        push_by_walls(&mut self.wall_acceleration, &self.contacts);
        if materials.fluid {
            team::for_each_block(self.pressure.len(), QUICK, &mut self.pressure[..], |_, pressure| {
                pressure.iter_mut().for_each(|p| *p *= FLUID_WARM_START);
            });
            return;
        }
        let count = self.pressure.len();
        let columns = (&mut self.pressure[..], self.stress.slices_mut(), &mut self.total_stress[..]);
        team::for_each_block(count, 1, columns, |b, (pressure, stress, total)| {
            let first = b * BLOCK;
            let strain_rate = &self.strain_rate[block_range(b, count)];
            instructions.run(WarmStart { materials, explicit, first, pressure, stress, total, strain_rate });
        });
    }

    /// Bytes held beside columns.
    pub fn other_bytes(&self) -> usize {
        let total = self.total_stress.capacity() * size_of::<TotalStress>();
        let previous = self.previous_pressure.bytes() + self.previous_stress.bytes();
        total + previous + self.trial_stress.bytes() + self.contacts.bytes()
    }
}

/// Accelerations that the walls' impulses of the last step give.
fn push_by_walls(wall_acceleration: &mut [Vec4], contacts: &WallContacts) {
    let push = |c: &WallContact| (c.normal * c.sample.normal + c.tangent).extend(0.0);
    team::for_each_block(wall_acceleration.len(), QUICK, wall_acceleration, |b, chunk| {
        chunk.fill(Vec4::ZERO);
        for (k, own) in contacts.blocks[b].with_contacts() {
            chunk[k] = own.iter().map(push).sum();
        }
    });
}

struct WarmStart<'a> {
    materials: &'a MaterialLanes<'a>,
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
                load::<L>(self.pressure, at) * self.materials.lanes::<L>(first, |m| share(m.is_fluid()));
            let limit = self.materials.yield_limit::<L>(first);
            let limit = limit.at(pressure, load(self.strain_rate, at), self.materials.fast);
            let stress = return_to_cone(load_tensor::<L>(&self.stress, at), limit);
            store(self.pressure, at, pressure);
            store_tensor(&mut self.stress, at, stress);
            store_total(self.total, at, pressure, stress);
        }
    }
}
