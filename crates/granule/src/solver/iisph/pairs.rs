//! Neighbour lists with the gradients of their pairs, so that no iteration evaluates a kernel.

use crate::neighbors;
use crate::simd::LANES;

/// Kernel gradients of sixteen pairs along x, y, z in units of
/// [`gradient_unit`](super::params::IisphParams::gradient_unit); 0 in lanes without a neighbour.
pub type Gradients = [[i16; LANES]; 3];

/// Lists of all particles.
pub type NeighborLists = neighbors::NeighborLists<Gradients>;

/// Lists of a block.
pub type NeighborBlock = neighbors::NeighborBlock<Gradients>;

/// The slots of sixteen particles.
pub type Group<'a> = neighbors::Group<'a, Gradients>;

/// One neighbour for each of sixteen particles.
pub type Slot = neighbors::Slot<Gradients>;
