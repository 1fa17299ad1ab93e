//! The columns of an iteration.

use glam::Vec4;

use crate::solver::iisph::state::IisphState;
use crate::solver::walls::WallBlock;
use crate::team::SharedColumn;

use super::{Residual, TotalStress};

/// The columns of an iteration.
pub struct Columns<'a> {
    /// Velocity without pressure, friction and walls [m/s].
    pub predicted: SharedColumn<'a, Vec4>,
    /// Velocity with everything [m/s].
    pub velocity: SharedColumn<'a, Vec4>,
    /// Acceleration from walls [m/s2].
    pub wall_acceleration: SharedColumn<'a, Vec4>,
    /// Pressure \[Pa\].
    pub pressure: SharedColumn<'a, f32>,
    /// Frictional stress \[Pa\].
    pub stress: [SharedColumn<'a, f32>; 6],
    /// Pressure and frictional stress together \[Pa\].
    pub total_stress: SharedColumn<'a, TotalStress>,
    /// Pressure that the last iteration gave \[Pa\].
    pub previous_pressure: SharedColumn<'a, f32>,
    /// Frictional stress that the last iteration gave \[Pa\].
    pub previous_stress: [SharedColumn<'a, f32>; 6],
    /// Stress before projection in explicit friction \[Pa\].
    pub trial_stress: [SharedColumn<'a, f32>; 6],
    /// Strain rate [1/s].
    pub strain_rate: SharedColumn<'a, f32>,
    /// Density relative to rest.
    pub density: SharedColumn<'a, f32>,
    /// Diagonal of the pressure system [m/kg].
    pub diagonal: SharedColumn<'a, f32>,
    /// Walls, per block.
    pub walls: SharedColumn<'a, WallBlock>,
    /// What is left to do, per block.
    pub errors: SharedColumn<'a, Residual>,
}

impl<'a> Columns<'a> {
    /// The columns of a state, which cannot be used otherwise as long as these are.
    pub fn of(state: &'a mut IisphState) -> Self {
        Self {
            predicted: SharedColumn::of(&mut state.predicted),
            velocity: SharedColumn::of(&mut state.velocity),
            wall_acceleration: SharedColumn::of(&mut state.wall_acceleration),
            pressure: SharedColumn::of(&mut state.pressure),
            stress: state.stress.0.each_mut().map(|column| SharedColumn::of(column)),
            total_stress: SharedColumn::of(&mut state.total_stress),
            previous_pressure: SharedColumn::of(&mut state.previous_pressure),
            previous_stress: state.previous_stress.0.each_mut().map(|column| SharedColumn::of(column)),
            trial_stress: state.trial_stress.0.each_mut().map(|column| SharedColumn::of(column)),
            strain_rate: SharedColumn::of(&mut state.strain_rate),
            density: SharedColumn::of(&mut state.density),
            diagonal: SharedColumn::of(&mut state.diagonal),
            walls: SharedColumn::of(&mut state.contacts.blocks),
            errors: SharedColumn::of(&mut state.errors),
        }
    }
}
