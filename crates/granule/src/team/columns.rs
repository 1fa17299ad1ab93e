//! Columns whose blocks several threads read and write at once.

use std::marker::PhantomData;
use std::ops::Range;

use super::for_each;
use crate::team::{block_count, block_range};

/// A column whose entries and blocks different threads may read and write, borrowed for as long as they do.
pub struct SharedColumn<'a, T> {
    first: *mut T,
    len: usize,
    column: PhantomData<&'a mut [T]>,
}

// SAFETY: all access goes through unsafe functions, whose callers see to it that nobody uses what another one writes.
unsafe impl<T: Send> Send for SharedColumn<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for SharedColumn<'_, T> {}

impl<'a, T> SharedColumn<'a, T> {
    /// Shares a column, which cannot be used otherwise as long as this is.
    pub fn of(column: &'a mut [T]) -> Self {
        Self { first: column.as_mut_ptr(), len: column.len(), column: PhantomData }
    }

    /// Number of entries.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no entries.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The column's first entry, for reading entries of other blocks.
    #[inline(always)]
    pub fn start(&self) -> *const T {
        self.first
    }

    /// The entries of a block.
    ///
    /// # Safety
    /// Nobody may write to them meanwhile.
    #[inline(always)]
    pub unsafe fn block(&self, b: usize) -> &[T] {
        let range = block_range(b, self.len);
        // SAFETY: the range lies in the column, and the caller promises that it is not written to.
        unsafe { std::slice::from_raw_parts(self.first.add(range.start), range.len()) }
    }

    /// The entries of a block, to be written.
    ///
    /// # Safety
    /// Nobody else may read them or write to them meanwhile.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn block_mut(&self, b: usize) -> &'a mut [T] {
        let range = block_range(b, self.len);
        // SAFETY: the range lies in the column, and the caller promises that nobody else uses it.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) }
    }

    /// Entries, to be written.
    ///
    /// # Safety
    /// Nobody else may use them meanwhile; they must exist.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn range_mut(&self, range: Range<usize>) -> &'a mut [T] {
        debug_assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: the caller promises that they exist and that nobody else uses them.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) }
    }

    /// An entry, to be written.
    ///
    /// # Safety
    /// Nobody else may use it meanwhile; it must exist.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn get_mut(&self, i: usize) -> &'a mut T {
        debug_assert!(i < self.len);
        // SAFETY: the caller promises that it exists and that nobody else uses it.
        unsafe { &mut *self.first.add(i) }
    }
}

/// Columns of particles that are written block by block.
pub trait BlockColumns<'a>: Sized {
    /// What is shared.
    type Shared: Sync;
    /// A block of each column.
    type Block;

    /// Shares the columns, which have `count` entries, or none.
    fn share(self, count: usize) -> Self::Shared;

    /// A block of each column.
    ///
    /// # Safety
    /// Each block may be asked for once.
    unsafe fn block(shared: &Self::Shared, b: usize) -> Self::Block;
}

impl<'a, T: Send + 'a> BlockColumns<'a> for &'a mut [T] {
    type Shared = SharedColumn<'a, T>;
    type Block = &'a mut [T];

    fn share(self, count: usize) -> SharedColumn<'a, T> {
        assert_eq!(self.len(), count, "columns have an entry per particle");
        SharedColumn::of(self)
    }

    unsafe fn block(shared: &SharedColumn<'a, T>, b: usize) -> &'a mut [T] {
        // SAFETY: as the caller promises.
        unsafe { shared.block_mut(b) }
    }
}

impl<'a, C: BlockColumns<'a>, const N: usize> BlockColumns<'a> for [C; N] {
    type Shared = [C::Shared; N];
    type Block = [C::Block; N];

    fn share(self, count: usize) -> Self::Shared {
        self.map(|column| column.share(count))
    }

    unsafe fn block(shared: &Self::Shared, b: usize) -> Self::Block {
        // SAFETY: as the caller promises.
        shared.each_ref().map(|column| unsafe { C::block(column, b) })
    }
}

/// One item per block, beside columns with one per particle.
pub struct PerBlock<'a, T>(pub &'a mut [T]);

impl<'a, T: Send + 'a> BlockColumns<'a> for PerBlock<'a, T> {
    type Shared = SharedColumn<'a, T>;
    type Block = &'a mut T;

    fn share(self, count: usize) -> SharedColumn<'a, T> {
        assert_eq!(self.0.len(), block_count(count), "there is an item per block");
        SharedColumn::of(self.0)
    }

    unsafe fn block(shared: &SharedColumn<'a, T>, b: usize) -> &'a mut T {
        // SAFETY: as the caller promises.
        unsafe { shared.get_mut(b) }
    }
}

macro_rules! tuples_of_columns {
    ($(($($name:ident $place:tt),+)),+) => {$(
        impl<'a, $($name: BlockColumns<'a>),+> BlockColumns<'a> for ($($name,)+) {
            type Shared = ($($name::Shared,)+);
            type Block = ($($name::Block,)+);

            fn share(self, count: usize) -> Self::Shared {
                ($(self.$place.share(count),)+)
            }

            unsafe fn block(shared: &Self::Shared, b: usize) -> Self::Block {
                // SAFETY: as the caller promises.
                ($(unsafe { $name::block(&shared.$place, b) },)+)
            }
        }
    )+};
}

tuples_of_columns! { (A 0, B 1), (A 0, B 1, C 2), (A 0, B 1, C 2, D 3) }

/// Calls `work` for every block of `count` particles with its part of the columns; every member gets at least `least` blocks.
pub fn for_each_block<'a, C: BlockColumns<'a>>(
    count: usize,
    least: usize,
    columns: C,
    work: impl Fn(usize, C::Block) + Sync,
) {
    let shared = columns.share(count);
    for_each(block_count(count), least, |b| {
        // SAFETY: every block is taken once.
        work(b, unsafe { C::block(&shared, b) });
    });
}
