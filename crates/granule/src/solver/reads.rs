//! Fields: their list, their values in the order of ids, and reads that wait to be fetched.

use std::collections::VecDeque;

use glam::{Quat, Vec3};

use crate::simulator::{FieldData, FieldError, FieldInfo, FieldKind, ReadTicket, Snapshot};

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

/// Gathers values of fields for particles in an order.
#[derive(Clone, Copy)]
pub struct Gather<'a>(pub &'a [u32]);

impl Gather<'_> {
    fn collect<T>(self, value: impl Fn(usize) -> T) -> Vec<T> {
        self.0.iter().map(|&i| value(i as usize)).collect()
    }

    /// Integers.
    pub fn integer(self, value: impl Fn(usize) -> u32) -> FieldData {
        FieldData::Integer(self.collect(value))
    }

    /// Numbers.
    pub fn scalar(self, value: impl Fn(usize) -> f32) -> FieldData {
        FieldData::Scalar(self.collect(value))
    }

    /// Vectors.
    pub fn vec3(self, value: impl Fn(usize) -> Vec3) -> FieldData {
        FieldData::Vec3(self.collect(|i| value(i).to_array()))
    }

    /// Orientations.
    pub fn quaternion(self, orientation: &[Quat]) -> FieldData {
        FieldData::Quaternion(self.collect(|i| orientation[i].to_array()))
    }

    /// Symmetric tensors.
    pub fn tensor(self, value: impl Fn(usize) -> [f32; 6]) -> FieldData {
        FieldData::Tensor(self.collect(value))
    }
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
