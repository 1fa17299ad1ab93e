//! How far a trajectory is from that of an oracle.

use super::file::{Energies, Oracle, Sample};

/// Largest scaled differences from an oracle, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Differences {
    /// Of positions, over the sphere's radius.
    pub length: f64,
    /// Of velocities, and of angular velocities times radius, over the largest of both in all samples.
    pub speed: f64,
    /// Of forces, over the largest in all samples; 0 where the file has none.
    pub force: f64,
    /// Of torques, over the sphere's radius times the largest force; 0 where the file has none.
    pub torque: f64,
    /// Of energies, over their sum at that time; 0 where the file has none.
    pub energy: f64,
}

impl Differences {
    /// The largest of states: all but that of energies.
    pub fn largest_of_states(&self) -> f64 {
        self.length.max(self.speed).max(self.force).max(self.torque)
    }
}

/// Collects differences from an oracle.
pub struct Comparison<'a> {
    oracle: &'a Oracle,
    largest_speed: f64,
    largest_force: f64,
    differences: Differences,
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// The larger one; not a number where the new one is not.
fn raise(largest: &mut f64, new: f64) {
    if new > *largest || new.is_nan() {
        *largest = new;
    }
}

impl<'a> Comparison<'a> {
    /// With nothing compared yet.
    pub fn new(oracle: &'a Oracle) -> Self {
        let mut made =
            Self { oracle, largest_speed: 0.0, largest_force: 0.0, differences: Differences::default() };
        for sample in &oracle.samples {
            for (row, sphere) in sample.state.iter().zip(&oracle.spheres) {
                raise(&mut made.largest_speed, length(&row[3..6]).max(sphere[9] * length(&row[6..9])));
                raise(&mut made.largest_force, row.get(9..12).map_or(0.0, length));
            }
        }
        made
    }

    /// Compares a state with a sample.
    pub fn add_state(&mut self, sample: &Sample, state: &[[f64; 15]]) {
        let share = |difference: f64, scale: f64| if scale > 0.0 { difference / scale } else { difference };
        for ((row, sphere), own) in sample.state.iter().zip(&self.oracle.spheres).zip(state) {
            let radius = sphere[9];
            let part = |columns: std::ops::Range<usize>| match row.get(columns.clone()) {
                Some(values) => apart(values, &own[columns]),
                None => 0.0,
            };
            let found = &mut self.differences;
            raise(&mut found.length, part(0..3) / radius);
            raise(&mut found.speed, share(part(3..6), self.largest_speed));
            raise(&mut found.speed, share(radius * part(6..9), self.largest_speed));
            raise(&mut found.force, share(part(9..12), self.largest_force));
            raise(&mut found.torque, share(part(12..15), radius * self.largest_force));
        }
    }

    /// Compares energies.
    pub fn add_energies(&mut self, theirs: &Energies, own: &Energies) {
        let sum = theirs.kinetic + theirs.rotation + theirs.potential;
        for (a, b) in [
            (theirs.kinetic, own.kinetic),
            (theirs.rotation, own.rotation),
            (theirs.potential, own.potential),
        ] {
            raise(&mut self.differences.energy, (a - b).abs() / sum.abs());
        }
    }

    /// What was found.
    pub fn differences(&self) -> Differences {
        self.differences
    }
}
