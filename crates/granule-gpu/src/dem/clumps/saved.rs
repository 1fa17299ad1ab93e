//! Rigid grains in the form that the CPU's solver saves.

use std::collections::HashMap;

use granule::assemblies::{Assembly, SavedAssemblies};
use granule::particles::Particles;

use crate::core::columns::ColumnInfo;

use super::super::columns::{ACTING, GRAIN, INERTIA, MEMBERS, RIGID};
use super::super::layout::{ActingRecord, ClumpRecord, InertiaRecord, MemberRecord, NOBODY};
use super::{Clumps, Slot, table};

impl Clumps {
    /// What a checkpoint holds, with the records as the device left them.
    pub fn save(&self, records: &[ClumpRecord]) -> SavedAssemblies {
        let mut live: Vec<(&Slot, &ClumpRecord)> =
            self.slots.iter().zip(records).filter(|(_, record)| record.is_live()).collect();
        live.sort_unstable_by_key(|(slot, _)| slot.id);
        let assembly = |(slot, record): &(&Slot, &ClumpRecord)| Assembly {
            id: slot.id,
            position: record.center(),
            orientation: record.orientation(),
            momentum: record.momentum(&slot.properties),
            angular_momentum: record.angular_momentum(&slot.properties),
            properties: slot.properties,
        };
        let members = |slot: &Slot| slot.first as usize..(slot.first + slot.count) as usize;
        SavedAssemblies {
            assembly: live.iter().map(assembly).collect(),
            member_count: live.iter().map(|(slot, _)| slot.count).collect(),
            member: live.iter().flat_map(|(slot, _)| self.members[members(slot)].iter().copied()).collect(),
            next_id: self.next_id,
        }
    }
}

/// A column, or a pool, with its bytes.
type Named<T> = (T, Vec<u8>);

/// The column of the particles, and the pools, of checked grains of a checkpoint.
pub fn columns_and_pools(
    saved: &SavedAssemblies,
    particles: &Particles,
) -> (Named<ColumnInfo>, Vec<Named<&'static str>>) {
    let row_of: HashMap<u32, u32> = particles.id.iter().copied().zip(0..).collect();
    let rows: Vec<u32> = saved.member.iter().map(|member| row_of[&member.particle]).collect();
    let mut grain = vec![[NOBODY; 2]; particles.len()];
    let (mut records, mut members, mut first) = (Vec::new(), Vec::new(), 0);
    for (k, (assembly, &count)) in saved.assembly.iter().zip(&saved.member_count).enumerate() {
        for (number, member) in (first..first + count).enumerate() {
            let row = rows[member as usize];
            grain[row as usize] = [k as u32, member];
            let (member, mass) = (&saved.member[member as usize], particles.velocity[row as usize].w);
            members.push(MemberRecord::new(member, number, row, mass));
        }
        let mut record = ClumpRecord {
            first,
            count,
            inverse_mass: (1.0 / assembly.properties.mass) as f32,
            sound: 1.0,
            ..ClumpRecord::default()
        };
        record.put(assembly.position, assembly.orientation);
        record.move_with(assembly.momentum, assembly.angular_momentum, &assembly.properties);
        records.push(record);
        first += count;
    }
    let inertia: Vec<InertiaRecord> =
        saved.assembly.iter().map(|assembly| InertiaRecord::of(&assembly.properties)).collect();
    let pools = vec![
        (RIGID, table::table(&records)),
        (INERTIA, bytemuck::pod_collect_to_vec(&inertia)),
        (ACTING, bytemuck::pod_collect_to_vec(&vec![ActingRecord::default(); inertia.len()])),
        (MEMBERS, bytemuck::pod_collect_to_vec(&members)),
    ];
    ((GRAIN, bytemuck::pod_collect_to_vec(&grain)), pools)
}
