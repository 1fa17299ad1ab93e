//! The contact memory in pieces, since one binding may be too small for it.

use crate::core::buffers::{Buffers, PoolInfo};
use crate::core::capacity::Capacity;
use crate::core::layout::LANES;

use super::columns::{MEMORY, MOST_PIECES, PARTNERS, SAVED};

/// How the contact memory is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pieces {
    /// Records of 16 bytes that a contact remembers.
    pub records: u32,
    /// Slots of the lists in a piece.
    pub slots: u32,
}

impl Pieces {
    /// Pieces of a device whose largest binding has so many bytes.
    pub fn new(records: u32, most_bytes: u64) -> Self {
        let slots = most_bytes / Self::slot_bytes(records);
        Self { records, slots: u32::try_from(slots).unwrap_or(u32::MAX).max(1) }
    }

    fn slot_bytes(records: u32) -> u64 {
        16 * u64::from(LANES) * u64::from(records)
    }

    /// Bytes of a whole piece.
    pub fn bytes(&self) -> u64 {
        Self::slot_bytes(self.records) * u64::from(self.slots)
    }

    /// The pools of buffers with this capacity.
    pub fn pools(&self, capacity: &Capacity) -> Vec<PoolInfo> {
        let entries = 4 * u64::from(capacity.slots) * u64::from(LANES);
        let all = Self::slot_bytes(self.records) * u64::from(capacity.slots);
        let count = all.div_ceil(self.bytes()).clamp(1, MOST_PIECES as u64) as usize;
        // What is too much for all pieces is too much for the last one, which the device then refuses.
        let size = |k: usize| if k + 1 < count { self.bytes() } else { all - k as u64 * self.bytes() };
        let states = (0..count).flat_map(|k| [(MEMORY[k], size(k)), (SAVED[k], size(k))]);
        let pools = states.chain([(PARTNERS, entries)]);
        pools.map(|(name, bytes)| PoolInfo { name, bytes }).collect()
    }

    /// How many pieces buffers have.
    pub fn count(buffers: &Buffers) -> usize {
        buffers.pools.iter().filter(|(name, _)| MEMORY.contains(name)).count()
    }

    /// Constants of kernels for one of so many pieces, and for what is put aside in another one.
    pub fn constants(&self, count: usize, piece: usize, source: usize) -> [(&'static str, f64); 4] {
        [
            ("PIECES", count as f64),
            ("PIECE_SLOTS", f64::from(self.slots)),
            ("PIECE", piece as f64),
            ("SOURCE_PIECE", source as f64),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twenty million spheres on a device with bindings of 2 GiB.
    #[test]
    fn pieces_fit_bindings() {
        let pieces = Pieces::new(1, 1 << 31);
        let pools = pieces.pools(&Capacity::with_slots(20_000_000, 13.0));
        assert_eq!(pools.iter().filter(|pool| MEMORY.contains(&pool.name)).count(), 2);
        assert!(pools.iter().all(|pool| pool.bytes <= 1 << 31), "{pools:?}");
        let states: u64 =
            pools.iter().filter(|pool| MEMORY.contains(&pool.name)).map(|pool| pool.bytes).sum();
        assert_eq!(states, 16 * 32 * u64::from(Capacity::with_slots(20_000_000, 13.0).slots));
        assert_eq!(Pieces::new(2, 1 << 27).pools(&Capacity::with_slots(1000, 13.0)).len(), 3);
    }
}
