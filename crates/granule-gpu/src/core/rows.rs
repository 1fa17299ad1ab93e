//! Columns in memory.

use bytemuck::Pod;
use wgpu::Buffer;

use super::buffers::Buffers;
use super::columns::{ColumnInfo, DENSITY_STATE, META, POSITION, VELOCITY};
use super::layout::{MATERIAL, OF_BODY, REMOVED};

/// Columns in memory, in the order of the device, removed particles included.
#[derive(Default)]
pub struct Rows {
    /// Id, material, first contact in its half, number of contacts.
    pub meta: Vec<[u32; 4]>,
    columns: Vec<(&'static str, Vec<u8>)>,
}

impl Rows {
    /// Parts of buffers that hold columns of so many particles; the meta column comes first, and is always there.
    pub fn parts<'a>(buffers: &'a Buffers, columns: &[ColumnInfo], rows: u32) -> Vec<(&'a Buffer, u64, u64)> {
        let part =
            |info: &ColumnInfo| (buffers.columns.of(*info), 0, u64::from(info.bytes) * u64::from(rows));
        [&META].into_iter().chain(columns).map(part).collect()
    }

    /// The columns from the bytes of these parts.
    pub fn take(bytes: &[u8], columns: &[ColumnInfo], rows: usize) -> Self {
        let mut rest = bytes;
        let mut next = |info: &ColumnInfo| {
            let own;
            (own, rest) = rest.split_at((info.bytes as usize * rows).min(rest.len()));
            own
        };
        let meta = bytemuck::pod_collect_to_vec(next(&META));
        Self { meta, columns: columns.iter().map(|info| (info.name, next(info).to_vec())).collect() }
    }

    /// A column as records; nothing where it was not asked for.
    pub fn of<T: Pod>(&self, column: ColumnInfo) -> Vec<T> {
        let own = self.columns.iter().find(|(name, _)| *name == column.name);
        own.map_or(Vec::new(), |(_, bytes)| bytemuck::pod_collect_to_vec(bytes))
    }

    /// Centre and radius.
    pub fn position(&self) -> Vec<[f32; 4]> {
        self.of(POSITION)
    }

    /// Velocity and mass.
    pub fn velocity(&self) -> Vec<[f32; 4]> {
        self.of(VELOCITY)
    }

    /// Density as bits, a number of the method's, first contact, packed numbers.
    pub fn density_state(&self) -> Vec<[u32; 4]> {
        self.of(DENSITY_STATE)
    }

    /// Whether a particle is live.
    pub fn is_live(&self, i: usize) -> bool {
        self.meta[i][1] & REMOVED == 0
    }

    /// Rows of live particles.
    pub fn live(&self) -> Vec<usize> {
        (0..self.meta.len()).filter(|&i| self.is_live(i)).collect()
    }

    /// Rows of live particles, by id.
    pub fn order_by_id(&self) -> Vec<u32> {
        let mut order: Vec<u32> = self.live().iter().map(|&i| i as u32).collect();
        order.sort_unstable_by_key(|&i| self.meta[i as usize][0]);
        order
    }

    /// Rows of the live particles that fields show, by id.
    pub fn shown_by_id(&self) -> Vec<u32> {
        let mut order = self.order_by_id();
        order.retain(|&i| self.meta[i as usize][1] & OF_BODY == 0);
        order
    }

    /// Material of a particle.
    pub fn material(&self, i: usize) -> usize {
        (self.meta[i][1] & MATERIAL) as usize
    }
}
