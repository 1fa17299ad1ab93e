//! Columns of the state that several threads read and write at once, block by block.

use glam::Vec4;

use crate::neighbors::block_range;
use crate::solver::iisph::state::IisphState;
use crate::solver::iisph::walls::WallBlock;

use super::{SweepError, TotalStress};

/// A column whose blocks different threads may read and write.
#[derive(Clone, Copy)]
pub struct Column<T> {
    first: *mut T,
    len: usize,
}

// SAFETY: all access goes through unsafe functions, whose callers see to it that nobody reads what another one writes.
unsafe impl<T: Send + Sync> Send for Column<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Column<T> {}

impl<T> Column<T> {
    fn of(column: &mut [T]) -> Self {
        Self { first: column.as_mut_ptr(), len: column.len() }
    }

    /// The column's first entry, for reading entries of other blocks.
    #[inline(always)]
    pub fn start(&self) -> *const T {
        self.first
    }

    /// The entries of a block.
    ///
    /// # Safety
    /// Nobody may write to them meanwhile.
    #[inline(always)]
    pub unsafe fn block(&self, b: usize) -> &[T] {
        let range = block_range(b, self.len);
        // SAFETY: the range lies in the column, and the caller promises that it is not written to.
        unsafe { std::slice::from_raw_parts(self.first.add(range.start), range.len()) }
    }

    /// The entries of a block, to be written.
    ///
    /// # Safety
    /// Nobody else may read them or write to them meanwhile.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn block_mut(&self, b: usize) -> &mut [T] {
        let range = block_range(b, self.len);
        // SAFETY: the range lies in the column, and the caller promises that nobody else uses it.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) }
    }

    /// An entry, to be written.
    ///
    /// # Safety
    /// Nobody else may use it meanwhile; it must exist.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn get_mut(&self, i: usize) -> &mut T {
        debug_assert!(i < self.len);
        // SAFETY: the caller promises that it exists and that nobody else uses it.
        unsafe { &mut *self.first.add(i) }
    }
}

/// The columns of a sweep.
pub struct Columns {
    /// Velocity without pressure, friction and walls [m/s].
    pub predicted: Column<Vec4>,
    /// Velocity with everything [m/s].
    pub velocity: Column<Vec4>,
    /// Acceleration from walls [m/s2].
    pub wall_acceleration: Column<Vec4>,
    /// Pressure [Pa].
    pub pressure: Column<f32>,
    /// Frictional stress [Pa].
    pub stress: [Column<f32>; 6],
    /// Pressure and frictional stress together [Pa].
    pub total_stress: Column<TotalStress>,
    /// Stress before projection in explicit friction [Pa].
    pub trial_stress: [Column<f32>; 6],
    /// Strain rate [1/s].
    pub strain_rate: Column<f32>,
    /// Density relative to rest.
    pub density: Column<f32>,
    /// Diagonal of the pressure system [m/kg].
    pub diagonal: Column<f32>,
    /// Walls, per block.
    pub walls: Column<WallBlock>,
    /// What is left to do, per block.
    pub errors: Column<SweepError>,
}

impl Columns {
    /// The columns of a state, which must not be used otherwise as long as these are.
    pub fn of(state: &mut IisphState) -> Self {
        Self {
            predicted: Column::of(&mut state.predicted),
            velocity: Column::of(&mut state.velocity),
            wall_acceleration: Column::of(&mut state.wall_acceleration),
            pressure: Column::of(&mut state.pressure),
            stress: state.stress.0.each_mut().map(|column| Column::of(column)),
            total_stress: Column::of(&mut state.total_stress),
            trial_stress: state.trial_stress.0.each_mut().map(|column| Column::of(column)),
            strain_rate: Column::of(&mut state.strain_rate),
            density: Column::of(&mut state.density),
            diagonal: Column::of(&mut state.diagonal),
            walls: Column::of(&mut state.contacts.blocks),
            errors: Column::of(&mut state.errors),
        }
    }
}
