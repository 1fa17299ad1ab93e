//! The building blocks of the solver: scan, stable sort, reordering, compaction, reductions in fixed order.
//!
//! The number of entries lies in a uniform buffer, so that the device itself may decide it; dispatches are either
//! direct, for a count that the host knows, or indirect. Plain WGSL: nothing depends on subgroups or on scheduling, so
//! every repetition gives the same bits.

mod compact;
mod gather;
mod reduce;
mod scan;
mod sort;
#[cfg(test)]
mod tests;

pub use compact::{BoundCompact, Compact};
pub use gather::Gather;
pub use reduce::{BoundReduce, Reduce};
pub use scan::{BoundScan, Scan};
pub use sort::{BoundSort, DIGIT_BITS, MOST_PASSES, Sort};

use wgpu::{Buffer, ComputePass};

use crate::kernel::Bound;

/// Entries that a workgroup of a scan or sort takes.
pub const TILE: u32 = 2048;

/// Numbers of workgroups and threads, in WGSL.
pub const DISPATCH: &str = include_str!("../../shader/primitives/dispatch.wgsl");
/// Sums over a workgroup in order, in WGSL.
pub const WORKGROUP_SCAN: &str = include_str!("../../shader/primitives/workgroup_scan.wgsl");
/// Sums and maxima over a workgroup, in WGSL.
pub const TREE: &str = include_str!("../../shader/primitives/tree.wgsl");

/// How many workgroups a primitive runs.
#[derive(Clone, Copy, Debug)]
pub enum Launch<'a> {
    /// For a count that the host knows.
    Direct(u32),
    /// As the device has decided.
    Indirect {
        /// Arguments of indirect dispatches.
        arguments: &'a Buffer,
        /// Slot with a workgroup per 256 entries.
        blocks: u64,
        /// Slot with a workgroup per [`TILE`] entries.
        tiles: u64,
        /// Slot with one workgroup, or none.
        one: u64,
    },
}

impl Launch<'_> {
    fn blocks(&self, kernel: &Bound, pass: &mut ComputePass) {
        match self {
            Self::Direct(count) => kernel.dispatch(pass, count.div_ceil(crate::kernel::WORKGROUP)),
            Self::Indirect { arguments, blocks, .. } => kernel.dispatch_indirect(pass, arguments, *blocks),
        }
    }

    fn tiles(&self, kernel: &Bound, pass: &mut ComputePass) {
        match self {
            Self::Direct(count) => kernel.dispatch(pass, count.div_ceil(TILE)),
            Self::Indirect { arguments, tiles, .. } => kernel.dispatch_indirect(pass, arguments, *tiles),
        }
    }

    fn one(&self, kernel: &Bound, pass: &mut ComputePass) {
        match self {
            Self::Direct(_) => kernel.dispatch(pass, 1),
            Self::Indirect { arguments, one, .. } => kernel.dispatch_indirect(pass, arguments, *one),
        }
    }
}

/// The shaders of all primitives.
#[cfg(test)]
pub(crate) fn shaders_of_primitives() -> [&'static crate::kernel::Shader; 6] {
    [&scan::SHADER, &sort::SHORT, &sort::LONG, &compact::SHADER, &gather::SHADER, &reduce::SHADER]
}
