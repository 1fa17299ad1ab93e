//! Reads of fields that have finished and wait to be fetched.

use std::collections::VecDeque;

use crate::simulator::{FieldError, FieldInfo, FieldKind, ReadTicket, Snapshot};

/// Name, unit and kind of a field.
pub const fn field(name: &'static str, unit: &'static str, kind: FieldKind) -> FieldInfo {
    FieldInfo { name, unit, kind }
}

/// Finds a field among those that a solver has.
///
/// # Errors
/// Names those that it has.
pub fn find_field(fields: &[FieldInfo], solver: &'static str, name: &str) -> Result<FieldInfo, FieldError> {
    fields.iter().find(|info| info.name == name).copied().ok_or_else(|| {
        let known = fields.iter().map(|info| info.name).collect::<Vec<_>>().join(", ");
        FieldError { solver, name: name.into(), known }
    })
}

/// Reads that have finished and wait to be fetched.
#[derive(Default)]
pub struct Reads {
    next: u64,
    done: VecDeque<(ReadTicket, Snapshot)>,
}

impl Reads {
    /// Adds a finished read.
    pub fn push(&mut self, snapshot: Snapshot) -> ReadTicket {
        let ticket = ReadTicket(self.next);
        self.next += 1;
        self.done.push_back((ticket, snapshot));
        ticket
    }

    /// Fetches a finished read.
    pub fn take(&mut self, ticket: ReadTicket, snapshot: &mut Snapshot) -> bool {
        let Some(at) = self.done.iter().position(|(t, _)| *t == ticket) else { return false };
        if let Some((_, done)) = self.done.remove(at) {
            *snapshot = done;
        }
        true
    }
}
