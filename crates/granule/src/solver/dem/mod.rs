//! Distinct elements: what one contact of two grains, or of a grain and a wall, does, and the files of trajectories that
//! hold it against another program.
//!
//! [`contact`] is the law of `pair_style granular` of LAMMPS as pure functions of one contact, or of sixteen side by side.
//! [`oracle`] reads files with scenes of a few grains and the trajectories that LAMMPS computed for them, has a small
//! reference for them in single and double precision, and says how far two trajectories are apart.

pub mod contact;
pub mod oracle;
