//! The columns of a sweep.

use glam::Vec4;

use crate::solver::columns::Column;
use crate::solver::iisph::state::IisphState;
use crate::solver::walls::WallBlock;

use super::{SweepError, TotalStress};

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
