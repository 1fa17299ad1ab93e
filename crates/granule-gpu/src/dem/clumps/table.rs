//! How records of rigid grains lie on the device: 32 grains side by side, their records in pieces of 16 bytes of which those of
//! the same kind follow each other. Twin of `shader/dem/clump_table.wgsl`.

use std::collections::BTreeMap;

use crate::core::method::PoolWrite;

use super::super::columns::RIGID;
use super::super::layout::ClumpRecord;

/// Grains side by side.
const LANES: usize = 32;

/// Bytes of a piece of a record.
const PIECE: usize = 16;

/// Bytes of a record.
const RECORD: usize = size_of::<ClumpRecord>();

/// Bytes of grains that are side by side.
const BLOCK: usize = LANES * RECORD;

/// Bytes of a table with room for some grains.
pub fn size_for(grains: u64) -> u64 {
    grains.div_ceil(LANES as u64) * BLOCK as u64
}

/// Grains that a table of some bytes has room for.
pub fn room_of(bytes: u64) -> u64 {
    bytes / RECORD as u64
}

/// Where a piece of a grain's record is, in bytes.
fn place(grain: usize, piece: usize) -> usize {
    grain / LANES * BLOCK + (piece * LANES + grain % LANES) * PIECE
}

/// The records of a table.
pub fn records(bytes: &[u8]) -> Vec<ClumpRecord> {
    let record = |grain| {
        let mut record = ClumpRecord::default();
        for (piece, part) in bytemuck::bytes_of_mut(&mut record).chunks_exact_mut(PIECE).enumerate() {
            part.copy_from_slice(&bytes[place(grain, piece)..][..PIECE]);
        }
        record
    };
    (0..bytes.len() / RECORD).map(record).collect()
}

/// A table of records, the last block of which is filled up.
pub fn table(records: &[ClumpRecord]) -> Vec<u8> {
    let mut bytes = vec![0; size_for(records.len() as u64) as usize];
    for (grain, record) in records.iter().enumerate() {
        for (piece, part) in bytemuck::bytes_of(record).chunks_exact(PIECE).enumerate() {
            bytes[place(grain, piece)..][..PIECE].copy_from_slice(part);
        }
    }
    bytes
}

/// What puts records into a table: whole blocks at once, of others piece by piece.
pub fn writes(records: &BTreeMap<usize, ClumpRecord>) -> Vec<PoolWrite> {
    let mut blocks: BTreeMap<usize, Vec<(usize, ClumpRecord)>> = BTreeMap::new();
    records
        .iter()
        .for_each(|(grain, record)| blocks.entry(grain / LANES).or_default().push((*grain, *record)));
    let mut writes = Vec::new();
    for (block, grains) in blocks {
        if grains.len() == LANES {
            let all: Vec<ClumpRecord> = grains.iter().map(|(_, record)| *record).collect();
            append(&mut writes, RIGID, (block * BLOCK) as u64, &table(&all));
            continue;
        }
        for (grain, record) in grains {
            for (piece, part) in bytemuck::bytes_of(&record).chunks_exact(PIECE).enumerate() {
                append(&mut writes, RIGID, place(grain, piece) as u64, part);
            }
        }
    }
    writes
}

/// Adds a write to others, as a part of the last one where it follows that.
pub fn append(writes: &mut Vec<PoolWrite>, pool: &'static str, at: u64, bytes: &[u8]) {
    match writes.last_mut() {
        Some(last) if last.pool == pool && last.at + last.bytes.len() as u64 == at => {
            last.bytes.extend_from_slice(bytes);
        }
        _ => writes.push(PoolWrite { pool, at, bytes: bytes.to_vec() }),
    }
}

#[cfg(test)]
mod tests {
    use super::{ClumpRecord, records, size_for, table, writes};

    fn some(count: u32) -> Vec<ClumpRecord> {
        (0..count)
            .map(|k| ClumpRecord { first: k, turned: [k as f32; 4], ..ClumpRecord::default() })
            .collect()
    }

    #[test]
    fn records_come_back_from_a_table() {
        let given = some(70);
        let back = records(&table(&given));
        assert_eq!(back.len(), 96);
        for (a, b) in given.iter().zip(&back) {
            assert_eq!(bytemuck::bytes_of(a), bytemuck::bytes_of(b));
        }
    }

    /// Whole blocks and single grains, written one after the other into an empty table, make the same table; and blocks that
    /// follow each other are one write.
    #[test]
    fn writes_make_the_same_table() {
        let given = some(70);
        let of = |range: std::ops::Range<usize>| range.map(|k| (k, given[k])).collect();
        let mut bytes = vec![0; size_for(70) as usize];
        let parts = [of(64..70), of(0..64)].map(|part| writes(&part));
        assert_eq!(parts[1].len(), 1);
        for write in parts.iter().flatten() {
            bytes[write.at as usize..][..write.bytes.len()].copy_from_slice(&write.bytes);
        }
        assert_eq!(bytes, table(&given));
    }
}
