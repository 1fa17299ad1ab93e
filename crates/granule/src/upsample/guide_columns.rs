//! Numbers of guides in columns, to look at sixteen of them at a time.

use super::guides::Guide;
use crate::simd::{LANES, Lanes};

/// Position \[m\] of what is read behind the last guide: beyond every support, and its square is finite.
const NOWHERE: f32 = 1e15;

/// Three numbers of a position, three of a displacement, whether a guide moves, and how much nearer a smaller support makes it.
const COLUMNS: usize = 8;

/// What stands behind the last guide.
const BEHIND: [f32; COLUMNS] = [NOWHERE, NOWHERE, NOWHERE, 0.0, 0.0, 0.0, 0.0, 1.0];

/// Positions and displacements of guides, a column per number. Sixteen may be read from any guide on: those behind the last are
/// nowhere.
#[derive(Clone, Debug, Default)]
pub struct GuideColumns {
    column: [Vec<f32>; COLUMNS],
    count: usize,
}

impl GuideColumns {
    /// Columns of guides, for a grid of a support [m].
    pub fn new(guides: &[Guide], support: f32) -> Self {
        let mut column = BEHIND.map(|behind| vec![behind; guides.len() + LANES]);
        for (k, guide) in guides.iter().enumerate() {
            for axis in 0..3 {
                column[axis][k] = guide.position[axis];
                column[3 + axis][k] = guide.displacement[axis];
            }
            column[6][k] = guide.moves;
            column[7][k] = guide.shrinking(support);
        }
        Self { column, count: guides.len() }
    }

    /// Number of guides.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Positions of sixteen guides [m].
    #[inline(always)]
    pub fn position<L: Lanes>(&self, first: usize) -> [L; 3] {
        [self.lanes(0, first), self.lanes(1, first), self.lanes(2, first)]
    }

    /// Displacements of sixteen guides during the frame [m].
    #[inline(always)]
    pub fn displacement<L: Lanes>(&self, first: usize) -> [L; 3] {
        [self.lanes(3, first), self.lanes(4, first), self.lanes(5, first)]
    }

    /// 1 for those of sixteen guides that move, 0 for those that rest.
    #[inline(always)]
    pub fn moves<L: Lanes>(&self, first: usize) -> L {
        self.lanes(6, first)
    }

    /// What squared distances from sixteen guides are multiplied with: the grid's support over theirs, squared.
    #[inline(always)]
    pub fn shrinking<L: Lanes>(&self, first: usize) -> L {
        self.lanes(7, first)
    }

    /// The same of one guide.
    #[inline(always)]
    pub fn shrinking_of(&self, guide: usize) -> f32 {
        self.column[7][guide]
    }

    /// Sixteen numbers of a column.
    #[inline(always)]
    fn lanes<L: Lanes>(&self, column: usize, first: usize) -> L {
        let numbers = self.column[column][first..].first_chunk();
        L::from_array(numbers.expect("sixteen more than there are guides"))
    }

    /// Takes the guides of some rows of others instead of its own.
    #[inline(always)]
    pub fn take(&mut self, from: &Self, rows: &[[u32; 2]; 9]) {
        assert!(rows.iter().all(|[first, end]| first <= end && *end as usize <= from.count));
        self.count = rows.iter().map(|[first, end]| (end - first) as usize).sum();
        for ((column, source), behind) in self.column.iter_mut().zip(&from.column).zip(BEHIND) {
            assert!(source.len() >= from.count + LANES);
            // Whole groups are written, and one of what stands behind.
            if column.len() < self.count + 2 * LANES {
                column.resize(2 * (self.count + 2 * LANES), behind);
            }
            let mut end = column.as_mut_ptr();
            for row in rows {
                let (first, count) = (row[0] as usize, (row[1] - row[0]) as usize);
                for k in (0..count).step_by(LANES) {
                    // SAFETY: both are longer by sixteen than there are guides.
                    unsafe { *end.add(k).cast() = *source.as_ptr().add(first + k).cast::<[f32; LANES]>() };
                }
                // SAFETY: all rows together are as many as there are guides.
                end = unsafe { end.add(count) };
            }
            // SAFETY: as above.
            unsafe { *end.cast() = [behind; LANES] };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_taken_whole_and_nothing_behind_them() {
        let guide = |k: usize| Guide {
            position: [k as f32, 0.5 * k as f32, -(k as f32)],
            moves: 1.0,
            radius: 1.0,
            displacement: [0.0, k as f32, 3.0],
            ..Guide::default()
        };
        let all = GuideColumns::new(&(0..100).map(guide).collect::<Vec<_>>(), 3.0);
        let mut rows = [[0; 2]; 9];
        rows[0] = [3, 40];
        rows[4] = [50, 51];
        rows[8] = [99, 100];
        let mut some = GuideColumns::default();
        for _ in 0..2 {
            some.take(&all, &rows);
            let expected: Vec<f32> = (3..40).chain([50, 99]).map(|k| k as f32).collect();
            assert_eq!(some.count(), expected.len());
            assert_eq!(some.column[0][..some.count], expected);
            assert_eq!(some.column[4][..some.count], expected);
            let behind = |column: usize| &some.column[column][some.count..some.count + LANES];
            assert!(behind(0).iter().all(|x| *x == NOWHERE) && behind(6).iter().all(|moves| *moves == 0.0));
            // Fewer, after more.
            rows[0] = [0, 0];
            some.take(&all, &rows);
            assert_eq!((some.count(), some.column[0][0], some.column[0][2]), (2, 50.0, NOWHERE));
            rows[0] = [3, 40];
        }
    }
}
