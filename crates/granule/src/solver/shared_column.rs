//! Columns that several threads read and write at once, block by block.

use std::marker::PhantomData;

use crate::neighbors::block_range;

/// A column whose blocks different threads may read and write, borrowed for as long as they do.
#[derive(Clone, Copy)]
pub struct SharedColumn<'a, T> {
    first: *mut T,
    len: usize,
    column: PhantomData<&'a mut [T]>,
}

// SAFETY: all access goes through unsafe functions, whose callers see to it that nobody reads what another one writes.
unsafe impl<T: Send + Sync> Send for SharedColumn<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for SharedColumn<'_, T> {}

impl<'a, T> SharedColumn<'a, T> {
    /// Shares a column, which cannot be used otherwise as long as this is.
    pub fn of(column: &'a mut [T]) -> Self {
        Self { first: column.as_mut_ptr(), len: column.len(), column: PhantomData }
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
    pub unsafe fn block_mut(&self, b: usize) -> &mut [T] {
        let range = block_range(b, self.len);
        // SAFETY: the range lies in the column, and the caller promises that nobody else uses it.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) }
    }

    /// An entry, to be written.
    ///
    /// # Safety
    /// Nobody else may use it meanwhile; it must exist.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn get_mut(&self, i: usize) -> &mut T {
        debug_assert!(i < self.len);
        // SAFETY: the caller promises that it exists and that nobody else uses it.
        unsafe { &mut *self.first.add(i) }
    }
}
