//! The solvers. Each is a folder: `mod` holds the list of stages, the files beside it their work.

pub mod iisph;
