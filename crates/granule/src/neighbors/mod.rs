//! Neighbourhood search: particles sorted by cell, compact neighbour lists built once per step.
//!
//! Space is unbounded: cells are found through the sorted list of occupied cells, so a stray particle costs one
//! entry and no table grows with the domain. Cell coordinates are compared in full (no hashing), so no pair is
//! counted twice. Any axis may be periodic.

mod brute_force;
mod cells;
mod domain;
mod levels;
mod lists;
mod overlap;
mod radii;

mod slots;
mod sort;

pub use brute_force::{brute_force_contacts, brute_force_neighbors};
pub use cells::CellIndex;
pub use domain::Domain;
pub use levels::{LevelIndex, listed_radius};
pub use lists::{BlockSearch, NeighborLists};
pub use overlap::OverlapQuery;
pub use slots::{Group, NeighborBlock, Payload, Slot};
pub use sort::{Permutation, Scratch};
