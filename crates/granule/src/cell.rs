//! A periodic cell that strains.
//!
//! ```text
//! x += (exp(e dt) - 1)(x - c) + dt v        grains move along with the cell, c its centre, e the rate of each axis
//! v <- exp(-e dt) v                         v is what is left of their velocity
//! v_ij = v_i - v_j + e (x_i - x_j)          what contacts see
//! ```
//! Where a pressure p is held, the rate follows the stress s of contacts (Love-Weber): `e = e_0 + e_max (s/p - 1)`, the second
//! at most `e_max` either way, with a given rate `e_0`, which is 0 unless it is known how the axis will go. At rest the stress
//! is the pressure.

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::scene::{Scene, StrainSettings};

/// How far a cell has strained: what a checkpoint keeps of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellState {
    /// Where the axes begin and end \[m\]; those that are not periodic do not matter.
    pub from: DVec3,
    /// See `from`.
    pub to: DVec3,
    /// Rates [1/s].
    pub rate: DVec3,
    /// Stress of contacts along the axes when it was last asked for \[Pa\], positive in compression.
    pub stress: DVec3,
}

/// The motion of a cell in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellMotion {
    /// Point that stays where it is \[m\].
    pub center: DVec3,
    /// Growth in the step: `exp(e dt) - 1`.
    pub stretch: DVec3,
    /// What is left of a velocity: `exp(-e dt)`.
    pub slowing: Vec3,
    /// Rates [1/s].
    pub rate: Vec3,
}

impl CellMotion {
    /// How far the cell takes a point \[m\] along in the step \[m\].
    #[inline]
    pub fn way_of(&self, x: DVec3) -> DVec3 {
        self.stretch * (x - self.center)
    }
}

/// A periodic cell that strains.
#[derive(Clone, Debug, PartialEq)]
pub struct StrainedCell {
    settings: StrainSettings,
    periodic: [bool; 3],
    state: CellState,
}

impl StrainedCell {
    /// The cell of a checked scene; none where it does not strain.
    pub fn new(scene: &Scene) -> Option<Self> {
        let settings = scene.simulation.strain.clone()?;
        let ranges = scene.simulation.periodic.axes();
        let end =
            |side: usize| DVec3::from(ranges.map(|range| range.map_or(0.0, |ends| f64::from(ends[side]))));
        let state = CellState { from: end(0), to: end(1), rate: DVec3::ZERO, stress: DVec3::ZERO };
        Some(Self { settings, periodic: ranges.map(|range| range.is_some()), state })
    }

    /// Periodic ranges \[m\].
    pub fn ranges(&self) -> [Option<[f64; 2]>; 3] {
        let CellState { from, to, .. } = self.state;
        std::array::from_fn(|k| self.periodic[k].then(|| [from[k], to[k]]))
    }

    /// How far it has strained.
    pub fn state(&self) -> CellState {
        self.state
    }

    /// Takes over how far it had strained. False where that is no cell.
    pub fn restore(&mut self, state: CellState) -> bool {
        let CellState { from, to, rate, stress } = state;
        let ordered = (0..3).all(|k| !self.periodic[k] || from[k] < to[k]);
        let sound = ordered && [from, to, rate, stress].iter().all(|v| v.is_finite());
        if sound {
            self.state = state;
        }
        sound
    }

    /// Strains for `dt` \[s\] from a time \[s\] on, and says how.
    pub fn advance(&mut self, time: f64, dt: f64) -> CellMotion {
        if time < self.settings.start {
            self.state.rate = DVec3::ZERO;
        } else {
            for (k, axis) in self.settings.axes().into_iter().enumerate() {
                let given = axis.filter(|axis| axis.pressure.is_none()).and_then(|axis| axis.rate);
                self.state.rate[k] = given.unwrap_or(self.state.rate[k]);
            }
        }
        let CellState { from, to, rate, .. } = self.state;
        let (center, half) = (0.5 * (from + to), 0.5 * (to - from));
        let stretch = DVec3::from((dt * rate).to_array().map(f64::exp_m1));
        let half = half + half * stretch;
        (self.state.from, self.state.to) = (center - half, center + half);
        let slowing = DVec3::from((-dt * rate).to_array().map(f64::exp)).as_vec3();
        CellMotion { center, stretch, slowing, rate: rate.as_vec3() }
    }

    /// Takes over the stress of contacts \[Pa\], and strains accordingly from now on.
    pub fn steer(&mut self, time: f64, stress: DVec3) {
        self.state.stress = stress;
        for (k, axis) in self.settings.axes().into_iter().enumerate() {
            let Some((pressure, axis)) = axis.and_then(|axis| Some((axis.pressure?, axis))) else {
                continue;
            };
            let follow = axis.max_rate * (stress[k] / pressure - 1.0).clamp(-1.0, 1.0);
            let wanted = axis.rate.unwrap_or(0.0) + follow;
            self.state.rate[k] = if time < self.settings.start { 0.0 } else { wanted };
        }
    }

    /// Takes over other rates and pressures, for the same axes of space.
    pub fn set_settings(&mut self, settings: StrainSettings) {
        self.settings = settings;
    }

    /// Volume \[m3\]; axes that are not periodic count as a metre.
    pub fn volume(&self) -> f64 {
        let size = self.state.to - self.state.from;
        (0..3).map(|k| if self.periodic[k] { size[k] } else { 1.0 }).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(strain: &str) -> StrainedCell {
        let text = format!(
            "name = \"cell\"\n[simulation]\nsolver = \"dem\"\nperiodic = {{ x = [-1, 1], y = [0, 4], z = [0, 1] }}\n\
             [simulation.strain]\n{strain}\n[[material]]\nname = \"sand\"\nradius = 0.01\n"
        );
        StrainedCell::new(&Scene::parse(&text, "cell").unwrap()).unwrap()
    }

    /// Lengths grow by exp(e t), about the centre.
    #[test]
    fn rates_are_those_of_logarithmic_strain() {
        let mut cell = cell("start = 0.5\nx = { rate = -0.3 }\nz = { rate = 0.2 }");
        (0..1000).for_each(|k| {
            cell.advance(1e-3 * f64::from(k), 1e-3);
        });
        let [x, y, z] = cell.ranges().map(Option::unwrap);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        near(x[1], (-0.15f64).exp());
        near(x[0], -(-0.15f64).exp());
        assert_eq!(y, [0.0, 4.0]);
        near(z[1] - z[0], 0.1f64.exp());
        near(0.5 * (z[0] + z[1]), 0.5);
        near(cell.volume(), 8.0 * (-0.05f64).exp());
    }

    /// The stress of a spring s = k (1 - L/L0) ends at the pressure.
    #[test]
    fn a_held_pressure_is_reached() {
        let mut cell = cell("y = { pressure = 500, max_rate = 0.2 }");
        for k in 0..20_000 {
            let [from, to] = cell.ranges()[1].unwrap();
            cell.steer(1e-3 * f64::from(k), DVec3::splat(1e4 * (1.0 - (to - from) / 4.0)));
            cell.advance(1e-3 * f64::from(k), 1e-3);
        }
        let [from, to] = cell.ranges()[1].unwrap();
        assert!(((to - from) - 4.0 * 0.95).abs() < 1e-9, "{}", to - from);
    }

    /// A rate beside a pressure is added to what holds the pressure; without a fastest rate it is all there is.
    #[test]
    fn a_rate_is_added_to_what_holds_a_pressure() {
        let mut cell = cell("y = { pressure = 500, rate = 0.01, max_rate = 0.2 }");
        cell.steer(0.0, DVec3::splat(750.0));
        assert!((cell.advance(0.0, 1e-3).rate.y - 0.11).abs() < 1e-7);
        let mut settings = cell.settings.clone();
        settings.y.as_mut().unwrap().max_rate = 0.0;
        cell.set_settings(settings);
        cell.steer(0.0, DVec3::splat(750.0));
        assert!((cell.advance(0.0, 1e-3).rate.y - 0.01).abs() < 1e-9);
    }
}
