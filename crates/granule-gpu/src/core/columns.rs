//! Particle columns: one registry per method says what a particle has; reordering, growing, appending, reading, saving and
//! counting bytes follow from it.
//!
//! A column that is added to a method's list is state that outlives a step, a result that readers want, or scratch. Nothing
//! else has to be said.

use granule_device::GpuDevice;
use wgpu::{Buffer, BufferUsages, CommandEncoder};

use crate::GpuError;

/// How long what a column holds is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It outlives a step: it is sorted with the particles, moves to larger buffers, and new particles get a first value.
    State(Initial),
    /// A step leaves it for fields and checkpoints: written anew in every step behind the sort, so it is not sorted along.
    Result,
    /// It is of no use after the step.
    Scratch,
}

/// What a column holds of a particle that is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    /// Zeros.
    Zero,
    /// These words.
    Words(&'static [u32]),
    /// Gravity [m/s2] in the first three numbers, zeros behind: accelerations.
    Gravity,
}

/// A column: its name, and how many bytes a particle has in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Name, for messages and to find it; unique within a method.
    pub name: &'static str,
    /// Bytes per particle, a multiple of 4. Multiples of 16 are sorted faster.
    pub bytes: u32,
    /// How long it is needed.
    pub life: Life,
}

impl ColumnInfo {
    /// State that begins with zeros.
    pub const fn state(name: &'static str, bytes: u32) -> Self {
        Self::state_from(name, bytes, Initial::Zero)
    }

    /// State that begins with something else.
    pub const fn state_from(name: &'static str, bytes: u32, initial: Initial) -> Self {
        Self { name, bytes, life: Life::State(initial) }
    }

    /// A result of a step.
    pub const fn result(name: &'static str, bytes: u32) -> Self {
        Self { name, bytes, life: Life::Result }
    }

    /// Scratch of a step.
    pub const fn scratch(name: &'static str, bytes: u32) -> Self {
        Self { name, bytes, life: Life::Scratch }
    }

    /// Whether the sort moves it.
    pub fn is_state(&self) -> bool {
        matches!(self.life, Life::State(_))
    }

    /// Whether it is there between two steps.
    pub fn is_kept(&self) -> bool {
        self.life != Life::Scratch
    }

    /// Bytes of so many new particles, for a column that is kept.
    fn initial(&self, count: usize, gravity: [f32; 3]) -> Vec<u8> {
        let size = self.bytes as usize;
        let mut record = vec![0u8; size];
        match self.life {
            Life::State(Initial::Words(words)) => {
                let bytes: &[u8] = bytemuck::cast_slice(words);
                let shared = bytes.len().min(size);
                record[..shared].copy_from_slice(&bytes[..shared]);
            }
            Life::State(Initial::Gravity) => {
                let bytes: &[u8] = bytemuck::cast_slice(&gravity);
                let shared = bytes.len().min(size);
                record[..shared].copy_from_slice(&bytes[..shared]);
            }
            _ => {}
        }
        record.repeat(count)
    }
}

/// Centre and radius \[m\].
pub const POSITION: ColumnInfo = ColumnInfo::state("position", 16);

/// Velocity [m/s] and mass \[kg\].
pub const VELOCITY: ColumnInfo = ColumnInfo::state("velocity", 16);

/// Id, material with the mark of removal, first contact in its half, contacts of the last step.
pub const META: ColumnInfo = ColumnInfo::state("meta", 16);

/// Density relative to rest, a number of the method's, first contact; contacts, material and neighbours packed.
pub const DENSITY_STATE: ColumnInfo = ColumnInfo::result("density state", 16);

/// The columns that every method has. Position comes first: where it is when the sort has gone over it, methods that keep
/// their lists find the places at which these were built.
pub const SHARED: [ColumnInfo; 4] = [POSITION, VELOCITY, META, DENSITY_STATE];

/// Wide columns that one dispatch of the sort moves, as in reorder.wgsl.
pub const TOGETHER: usize = 4;

/// What makes buffers of a device, none larger than it allows.
pub struct Allocator<'a> {
    gpu: &'a GpuDevice,
    most: u64,
}

impl<'a> Allocator<'a> {
    /// An allocator of a device.
    pub fn new(gpu: &'a GpuDevice) -> Self {
        let limits = gpu.device.limits();
        Self { gpu, most: limits.max_buffer_size.min(limits.max_storage_buffer_binding_size) }
    }

    /// The largest buffer [bytes].
    pub fn most(&self) -> u64 {
        self.most
    }

    /// A buffer of at least 16 bytes.
    ///
    /// # Errors
    /// Says that it is larger than the device allows.
    pub fn create(&self, name: &'static str, size: u64, usage: BufferUsages) -> Result<Buffer, GpuError> {
        let size = size.max(16).next_multiple_of(16);
        if size > self.most {
            return Err(GpuError::TooLarge { what: name, needed: size, most: self.most });
        }
        Ok(self.gpu.create_buffer(name, size, usage))
    }
}

/// The columns of a simulation with their buffers.
pub struct Columns {
    list: Vec<(ColumnInfo, Buffer)>,
}

impl Columns {
    /// Buffers for the shared columns and a method's own, with room for so many particles.
    ///
    /// # Errors
    /// Says which column is larger than the device allows.
    pub fn new(allocator: &Allocator, own: &[ColumnInfo], particles: u32) -> Result<Self, GpuError> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let create = |info: &ColumnInfo| {
            let size = u64::from(info.bytes) * u64::from(particles);
            Ok((*info, allocator.create(info.name, size, usage)?))
        };
        Ok(Self { list: SHARED.iter().chain(own).map(create).collect::<Result<_, GpuError>>()? })
    }

    /// The buffer of a column.
    ///
    /// # Panics
    /// Where the method's list does not have the column: a slip in the method that shows when the first solver is made, since
    /// all kernels are bound then and later ones alike.
    pub fn of(&self, column: ColumnInfo) -> &Buffer {
        let found = self.list.iter().find(|(info, _)| info.name == column.name);
        match found {
            Some((_, buffer)) => buffer,
            None => panic!("the column `{}` is not in the method's list", column.name),
        }
    }

    /// All columns.
    pub fn iter(&self) -> impl Iterator<Item = (&ColumnInfo, &Buffer)> {
        self.list.iter().map(|(info, buffer)| (info, buffer))
    }

    /// The columns that the sort moves, in their order.
    pub fn state(&self) -> impl Iterator<Item = (&ColumnInfo, &Buffer)> {
        self.iter().filter(|(info, _)| info.is_state())
    }

    /// Bytes per particle that the sort moves.
    pub fn state_bytes(&self) -> u32 {
        self.state().map(|(info, _)| info.bytes).sum()
    }

    /// Bytes per particle that columns take on their way through the sort: positions stay where they were put, the others
    /// of a round make way for those of the next.
    pub fn sorted_bytes(&self) -> u32 {
        let (wide, narrow): (Vec<_>, Vec<_>) = self.state().partition(|(info, _)| info.bytes % 16 == 0);
        let round =
            |columns: &[(&ColumnInfo, &Buffer)]| columns.iter().map(|(info, _)| info.bytes).sum::<u32>();
        let wide = wide
            .chunks(TOGETHER)
            .enumerate()
            .map(|(k, columns)| round(columns) + if k > 0 { POSITION.bytes } else { 0 });
        let narrow = narrow.iter().map(|(info, _)| info.bytes + POSITION.bytes);
        wide.chain(narrow).max().unwrap_or(POSITION.bytes)
    }

    /// Bytes of all buffers.
    pub fn bytes(&self) -> u64 {
        self.iter().map(|(_, buffer)| buffer.size()).sum()
    }

    /// Copies what is there between two steps to columns of another size.
    pub fn copy_to(&self, other: &Self, encoder: &mut CommandEncoder) {
        for (info, from) in self.iter().filter(|(info, _)| info.is_kept()) {
            if let Some((_, to)) = other.iter().find(|(theirs, _)| theirs.name == info.name) {
                encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size().min(to.size()));
            }
        }
    }

    /// Writes a column from its first row on.
    pub fn write(&self, queue: &wgpu::Queue, info: ColumnInfo, bytes: &[u8]) {
        queue.write_buffer(self.of(info), 0, bytes);
    }

    /// Gives particles from `row` on their first values, except in columns that `given` has bytes for.
    pub fn append(
        &self,
        queue: &wgpu::Queue,
        row: usize,
        count: usize,
        gravity: [f32; 3],
        given: &[(ColumnInfo, Vec<u8>)],
    ) {
        for (info, buffer) in self.iter().filter(|(info, _)| info.is_kept()) {
            let own = given.iter().find(|(column, _)| column.name == info.name);
            let at = u64::from(info.bytes) * row as u64;
            match own {
                Some((_, bytes)) => queue.write_buffer(buffer, at, bytes),
                None => queue.write_buffer(buffer, at, &info.initial(count, gravity)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_particles_begin_as_their_columns_say() {
        let words = |info: ColumnInfo| -> Vec<f32> {
            bytemuck::pod_collect_to_vec(&info.initial(2, [1.0, -9.81, 0.5]))
        };
        assert_eq!(words(ColumnInfo::state("spin", 12)), [0.0; 6]);
        const UPRIGHT: Initial = Initial::Words(&[0, 0, 0, 0x3f80_0000]);
        let orientation = words(ColumnInfo::state_from("orientation", 16, UPRIGHT));
        assert_eq!(orientation, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let acceleration = words(ColumnInfo::state_from("acceleration", 16, Initial::Gravity));
        assert_eq!(acceleration, [1.0, -9.81, 0.5, 0.0, 1.0, -9.81, 0.5, 0.0]);
    }
}
