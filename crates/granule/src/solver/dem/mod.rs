//! Distinct elements: what one contact of two grains, or of a grain and a wall, does.
//!
//! [`contact`] is the law of `pair_style granular` of LAMMPS as pure functions of one contact, or of sixteen side by side.

pub mod contact;
