//! Smoothing kernels, and what a flat wall adds to a kernel sum.

mod kernel;
mod wall_table;

pub use kernel::{Kernel, KernelKind};
pub use wall_table::{WallTable, lattice_density};
