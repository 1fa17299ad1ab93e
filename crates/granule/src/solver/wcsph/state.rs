//! The solver's own columns, beside those of the particles.

use glam::Vec4;

use crate::neighbors::{Permutation, Scratch};
use crate::particles::retain_column;
use crate::solver::columns::Column;
use crate::solver::walls::WallContacts;

/// Columns of the solver. `acceleration` is state; the rest follows from particles and walls.
#[derive(Clone, Debug, Default)]
pub struct WcsphState {
    /// Acceleration at the end of the last step, without walls [m/s2].
    pub acceleration: Vec<Vec4>,
    /// Density relative to rest [1].
    pub density: Vec<f32>,
    /// Pressure [Pa].
    pub pressure: Vec<f32>,
    /// Neighbours inside the support, as numbers.
    pub neighbors: Vec<f32>,
    /// Position [m], and pressure over the square of the relative density [Pa].
    pub place: Vec<Vec4>,
    /// Velocity [m/s], and density relative to rest.
    pub motion: Vec<Vec4>,
    /// Normals of the surface, times the support; empty unless surfaces are smoothed.
    pub normal: Vec<Vec4>,
    /// Walls near particles.
    pub contacts: WallContacts,
}

impl WcsphState {
    /// Makes room for `count` particles; new ones start with this acceleration [m/s2].
    pub fn resize(&mut self, count: usize, acceleration: Vec4) {
        self.acceleration.resize(count, acceleration);
        self.density.resize(count, 1.0);
        self.pressure.resize(count, 0.0);
        self.neighbors.resize(count, 0.0);
        self.place.resize(count, Vec4::ZERO);
        self.motion.resize(count, Vec4::ZERO);
    }

    /// Reorders the columns that outlive a listing of neighbours.
    pub fn permute(&mut self, order: &Permutation, scratch: &mut Scratch) {
        order.apply(&mut self.acceleration, &mut scratch.rows);
    }

    /// Keeps the particles for which `keep` holds.
    pub fn retain(&mut self, keep: &[bool]) {
        retain_column(&mut self.acceleration, keep);
        retain_column(&mut self.density, keep);
        retain_column(&mut self.pressure, keep);
        retain_column(&mut self.neighbors, keep);
        self.contacts.retain(keep);
        self.place.clear();
        self.motion.clear();
        self.resize(self.acceleration.len(), Vec4::ZERO);
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let rows = [&self.acceleration, &self.place, &self.motion, &self.normal];
        let rows: usize = rows.iter().map(|column| column.capacity()).sum();
        16 * rows + 12 * self.density.capacity() + self.contacts.bytes()
    }
}

/// Columns that blocks of particles read and write at once.
pub struct Columns {
    /// As in [`WcsphState`].
    pub acceleration: Column<Vec4>,
    /// As in [`WcsphState`].
    pub density: Column<f32>,
    /// As in [`WcsphState`].
    pub pressure: Column<f32>,
    /// As in [`WcsphState`].
    pub neighbors: Column<f32>,
    /// As in [`WcsphState`].
    pub place: Column<Vec4>,
    /// As in [`WcsphState`].
    pub motion: Column<Vec4>,
    /// As in [`WcsphState`].
    pub normal: Column<Vec4>,
}

impl Columns {
    /// The columns of a state, which must not be used otherwise as long as these are.
    pub fn of(state: &mut WcsphState) -> Self {
        Self {
            acceleration: Column::of(&mut state.acceleration),
            density: Column::of(&mut state.density),
            pressure: Column::of(&mut state.pressure),
            neighbors: Column::of(&mut state.neighbors),
            place: Column::of(&mut state.place),
            motion: Column::of(&mut state.motion),
            normal: Column::of(&mut state.normal),
        }
    }
}
