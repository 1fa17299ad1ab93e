//! Trajectories of a few grains that another program computed with the same law, and how far ours are from them.
//!
//! Files are JSON: [`Oracle`] lists their keys. Those in `crates/granule/tests/oracles/` were computed by LAMMPS. Differences
//! are scaled by kind ([`Differences`]) and compared with the file's own [`Tolerance`].

mod clump;
mod compare;
mod engine;
mod file;
mod reference;

pub use clump::{Richardson, RigidMotion};
pub use compare::{Comparison, Differences};
pub use engine::{Engine, EngineOptions, SetupError, compare_engine};
pub use file::{
    Energies, Oracle, OracleClump, OracleError, OracleLaw, OracleNormal, OracleResistance, OracleWall,
    Prescribed, Sample, Style, Tolerance, WallKind,
};
pub use reference::{Precision, Reference};

use super::contact::PairLaw;

/// Runs the [`Reference`] through an oracle with a law, and gives the largest differences.
pub fn compare_reference<F: Precision>(oracle: &Oracle, law: &PairLaw<f64>) -> Differences {
    let mut grains = Reference::<F>::with_law(oracle, law);
    let mut comparison = Comparison::new(oracle);
    loop {
        let step = grains.steps();
        for sample in oracle.samples.iter().filter(|sample| sample.step == step) {
            comparison.add_state(sample, &grains.state());
        }
        for energies in oracle.energies.iter().filter(|energies| energies.step == step) {
            comparison.add_energies(energies, &grains.energies());
        }
        if step >= oracle.steps {
            return comparison.differences();
        }
        grains.step();
    }
}

#[cfg(test)]
mod tests;
