//! The panels around the view.

pub mod bodies;
pub mod grain;
pub mod log;
pub mod look;
pub mod parameters;
pub mod plots;
pub mod scenes;
pub mod solver;
pub mod statistics;
