//! The solver's own columns, beside those of the particles.

use glam::Vec4;

use crate::columns::{AnyColumn, particle_columns};
use crate::solver::walls::{WallBlock, WallContacts};
use crate::team::SharedColumn;

particle_columns! {
    /// Columns of the solver.
    pub struct WcsphState {
        /// Acceleration at the end of the last step, without walls [m/s2].
        acceleration: Vec<Vec4> => State,
        /// Density relative to rest \[1\].
        density: Vec<f32> = 1.0 => Output,
        /// Pressure \[Pa\].
        pressure: Vec<f32> => Output,
        /// Neighbours inside the support, as numbers.
        neighbors: Vec<f32> => Output,
        /// Position \[m\], and pressure over the square of the relative density \[Pa\].
        place: Vec<Vec4> => Scratch,
        /// Velocity [m/s], and density relative to rest.
        motion: Vec<Vec4> => Scratch,
    }
    beside {
        /// Normals of the surface, times the support; empty unless surfaces are smoothed.
        pub normal: Vec<Vec4>,
        /// Walls near particles.
        pub contacts: WallContacts,
    }
}

impl WcsphState {
    /// Bytes held beside columns.
    pub fn other_bytes(&self) -> usize {
        self.normal.bytes() + self.contacts.bytes()
    }
}

/// Columns that blocks of particles read and write at once.
pub struct Columns<'a> {
    /// As in [`WcsphState`].
    pub acceleration: SharedColumn<'a, Vec4>,
    /// As in [`WcsphState`].
    pub density: SharedColumn<'a, f32>,
    /// As in [`WcsphState`].
    pub pressure: SharedColumn<'a, f32>,
    /// As in [`WcsphState`].
    pub neighbors: SharedColumn<'a, f32>,
    /// As in [`WcsphState`].
    pub place: SharedColumn<'a, Vec4>,
    /// As in [`WcsphState`].
    pub motion: SharedColumn<'a, Vec4>,
    /// As in [`WcsphState`].
    pub normal: SharedColumn<'a, Vec4>,
    /// Walls, per block.
    pub walls: &'a [WallBlock],
}

impl<'a> Columns<'a> {
    /// The columns of a state, which cannot be used otherwise as long as these are.
    pub fn of(state: &'a mut WcsphState) -> Self {
        Self {
            acceleration: SharedColumn::of(&mut state.acceleration),
            density: SharedColumn::of(&mut state.density),
            pressure: SharedColumn::of(&mut state.pressure),
            neighbors: SharedColumn::of(&mut state.neighbors),
            place: SharedColumn::of(&mut state.place),
            motion: SharedColumn::of(&mut state.motion),
            normal: SharedColumn::of(&mut state.normal),
            walls: &state.contacts.blocks,
        }
    }
}
