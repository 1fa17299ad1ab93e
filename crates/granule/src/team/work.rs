//! Items shared among the members of a team.

use std::mem::MaybeUninit;

use super::blocks::{BLOCK, QUICK};
use super::columns::{SharedColumn, for_each_block};
use super::crew::Region;
use super::in_charge;

/// Calls `work` for each of `count` items. A member is called for every `least` of them, so few items are for few members.
pub fn for_each(count: usize, least: usize, work: impl Fn(usize) + Sync) {
    in_charge(|crew| {
        let region = Region::begin(crew, count.div_ceil(least));
        // Half of what a member is worth at a time: fewer calls upon the cache, and small enough for equal loads.
        let share_len = least.div_ceil(2);
        let shares = count.div_ceil(share_len);
        let members = region.members();
        let first = |member: usize| run_start(shares, members, member);
        let claims = region.claims(first);
        region.run(&|member| {
            claims.take_all(
                member,
                |run| first(run + 1),
                |_, share| {
                    (share * share_len..count.min((share + 1) * share_len)).for_each(&work);
                },
            );
        });
    });
}

/// First item of a member's run. The runs of as many blocks are the same in every stage.
pub(super) fn run_start(count: usize, members: usize, member: usize) -> usize {
    (count * member).div_ceil(members)
}

/// Calls `work` for each item of a slice with its place; `least` as in [`for_each`].
pub fn for_each_mut<T: Send>(items: &mut [T], least: usize, work: impl Fn(usize, &mut T) + Sync) {
    let shared = SharedColumn::of(items);
    for_each(shared.len(), least, |i| {
        // SAFETY: every item is taken once.
        work(i, unsafe { shared.get_mut(i) });
    });
}

/// The results of `work` for each of `count` items, in order; `least` as in [`for_each`].
pub fn map<R: Send>(count: usize, least: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let mut results = Vec::with_capacity(count);
    for_each_mut(&mut results.spare_capacity_mut()[..count], least, |i, place: &mut MaybeUninit<R>| {
        place.write(work(i));
    });
    // SAFETY: every place was written; had one not been, `for_each_mut` would have panicked.
    unsafe { results.set_len(count) };
    results
}

/// Replaces a column of particles by `count` values, which are found quickly.
pub fn fill<T: Copy + Send>(column: &mut Vec<T>, count: usize, value: impl Fn(usize) -> T + Sync) {
    column.clear();
    column.reserve(count);
    for_each_block(count, QUICK, &mut column.spare_capacity_mut()[..count], |b, block| {
        block.iter_mut().enumerate().for_each(|(k, place)| {
            place.write(value(b * BLOCK + k));
        });
    });
    // SAFETY: every place was written; had one not been, `for_each_block` would have panicked.
    unsafe { column.set_len(count) };
}
