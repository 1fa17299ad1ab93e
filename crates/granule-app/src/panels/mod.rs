//! The panels around the view.

pub mod log;
pub mod look;
pub mod parameters;
pub mod plots;
pub mod scenes;
pub mod statistics;
