// What contacts remember: RECORDS records per slot of the lists, lane by lane, so that neighbouring threads have neighbouring
// records. Those of the first 32 slots hold something only where a bit of the particle's last word of loads says so.

override RECORDS: u32 = 1u;

const BITS: u32 = 32u;

fn memory_place(slot: u32, record: u32, lane: u32) -> u32 {
    return (slot * RECORDS + record) * LANES + lane;
}
