//! Fields on their way from the device.

use std::collections::VecDeque;

use granule::simulator::{FieldData, FieldInfo, ReadTicket};
use granule_device::PendingRead;

use super::columns::ColumnInfo;

/// Reads under way.
#[derive(Default)]
pub struct Reads {
    /// Number of the next one.
    pub next: u64,
    /// Those that have not been fetched.
    pub pending: VecDeque<Read>,
}

/// A read under way.
pub struct Read {
    /// Whose it is.
    pub ticket: ReadTicket,
    /// The columns' bytes.
    pub bytes: PendingRead,
    /// Particles in them, removed ones included.
    pub rows: usize,
    /// Simulated time \[s\].
    pub time: f64,
    /// Fields that are asked for.
    pub fields: Vec<FieldInfo>,
    /// Columns that they need.
    pub columns: Vec<ColumnInfo>,
    /// Fields whose values are known already.
    pub known: Vec<(&'static str, FieldData)>,
}
