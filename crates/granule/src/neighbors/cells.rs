//! Cells: keys of particles, and the sorted list of occupied cells.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use super::blocks::BLOCK;
use super::domain::Domain;

/// Cell coordinates beyond this are clamped. Clamping keeps neighbours in equal or adjacent cells, so pairs that
/// far out are still found (distances are always checked); only crowds out there would be slow.
const COORDINATE_LIMIT: f64 = (1 << 20) as f64 - 2.0;

/// How one axis is divided into cells.
#[derive(Clone, Copy, Debug, Default)]
struct Axis {
    /// Cells per metre.
    per_metre: f64,
    /// Position of cell 0 [m].
    origin: f64,
    /// Number of cells of a periodic axis; 0 otherwise.
    periodic_count: u32,
    /// Smallest occupied cell coordinate.
    min: i32,
    /// Largest occupied cell coordinate relative to `min`.
    range: u32,
    /// Position of the coordinate's lowest bit in the key.
    shift: u32,
}

impl Axis {
    /// The cell of a coordinate; never falls as the coordinate grows.
    #[inline]
    fn coordinate(&self, x: f32) -> i32 {
        let cell = (x as f64 - self.origin) * self.per_metre;
        let cell = cell.clamp(-COORDINATE_LIMIT, COORDINATE_LIMIT);
        let toward_zero = cell as i32;
        let floor = toward_zero - i32::from(f64::from(toward_zero) > cell);
        if self.periodic_count > 0 { floor.clamp(0, self.periodic_count as i32 - 1) } else { floor }
    }

    /// The cells next to `c` (relative coordinate) as at most two spans.
    fn spans(&self, c: u32) -> ([(u32, u32); 2], usize) {
        let n = self.periodic_count;
        if n == 0 {
            return ([(c.saturating_sub(1), (c + 1).min(self.range)), (0, 0)], 1);
        }
        if n <= 3 {
            return ([(0, n - 1), (0, 0)], 1);
        }
        match c {
            0 => ([(0, 1), (n - 1, n - 1)], 2),
            c if c == n - 1 => ([(n - 2, n - 1), (0, 0)], 2),
            c => ([(c - 1, c + 1), (0, 0)], 1),
        }
    }
}

/// Occupied cells in the order of their keys; particles must be sorted by the same keys.
#[derive(Clone, Debug, Default)]
pub struct CellIndex {
    axes: [Axis; 3],
    /// Keys of the occupied cells, ascending.
    keys: Vec<u64>,
    /// First particle of each occupied cell, and the particle count at the end.
    starts: Vec<u32>,
    total_bits: u32,
    skip_last_row: bool,
}

/// Most ranges of candidates around a cell: 3 x 3 rows of two spans.
const MOST_RANGES: usize = 18;

/// A walk over the occupied cells in their order, with the candidates around each.
pub(super) struct Walk<'a> {
    cells: &'a CellIndex,
    cell: usize,
    ranges: [(u32, u32); MOST_RANGES],
    len: usize,
    /// Where each row was found last: the next cell's rows begin there or soon after.
    hints: [usize; MOST_RANGES],
}

impl<'a> Walk<'a> {
    /// Starts in the cell of a particle.
    pub(super) fn new(cells: &'a CellIndex, particle: usize) -> Self {
        let cell = cells.starts.partition_point(|&s| s as usize <= particle) - 1;
        let mut walk =
            Self { cells, cell, ranges: [(0, 0); MOST_RANGES], len: 0, hints: [usize::MAX; MOST_RANGES] };
        walk.find();
        walk
    }

    /// Goes on to the cell of a particle not before the last one, and returns the particles in and around that cell
    /// as ranges without overlap.
    #[inline]
    pub(super) fn around(&mut self, particle: usize) -> &[(u32, u32)] {
        while particle >= self.cells.starts[self.cell + 1] as usize {
            self.cell += 1;
            self.find();
        }
        &self.ranges[..self.len]
    }

    fn find(&mut self) {
        let cells = self.cells;
        let key = cells.keys[self.cell];
        let [x, y, z] = [0, 1, 2].map(|k| cells.coordinate_in_key(key, k));
        let (x_spans, x_len) = cells.axes[0].spans(x);
        let (y_spans, y_len) = cells.axes[1].spans(y);
        let (z_spans, z_len) = cells.axes[2].spans(z);
        self.len = 0;
        let mut row_number = 0;
        for zz in z_spans[..z_len].iter().flat_map(|&(a, b)| a..=b) {
            for yy in y_spans[..y_len].iter().flat_map(|&(a, b)| a..=b) {
                let row = ((zz as u64) << cells.axes[2].shift) | ((yy as u64) << cells.axes[1].shift);
                for &(from, to) in &x_spans[..x_len] {
                    self.push_row(row_number, row | from as u64, row | to as u64);
                    row_number += 1;
                }
            }
        }
        if cells.skip_last_row {
            self.len = self.len.saturating_sub(1);
        }
    }

    fn push_row(&mut self, row: usize, from: u64, to: u64) {
        let keys = &self.cells.keys;
        let first = first_not_below(keys, self.hints[row], from);
        self.hints[row] = first;
        let mut last = first;
        while last < keys.len() && keys[last] <= to {
            last += 1;
        }
        if first < last {
            self.ranges[self.len] = (self.cells.starts[first], self.cells.starts[last]);
            self.len += 1;
        }
    }
}

/// The first place in `keys` whose key is not below `key`; quick if it lies a few places after `hint`.
fn first_not_below(keys: &[u64], hint: usize, key: u64) -> usize {
    const NEAR: usize = 8;
    if hint <= keys.len() && (hint == 0 || keys[hint - 1] < key) {
        let near = &keys[hint..keys.len().min(hint + NEAR)];
        if let Some(k) = near.iter().position(|&k| k >= key) {
            return hint + k;
        }
        let after = hint + near.len();
        return after + keys[after..].partition_point(|&k| k < key);
    }
    keys.partition_point(|&k| k < key)
}

impl CellIndex {
    /// Divides space into cells of at least `size` [m] and computes every particle's key.
    pub fn assign(&mut self, domain: &Domain, size: f32, position: &[Vec4], key: &mut Vec<u64>) {
        for axis in 0..3 {
            self.axes[axis] = match domain.period(axis) {
                Some((origin, length)) => {
                    let count = ((length / size) as u32).clamp(1, 1 << 20);
                    Axis {
                        per_metre: count as f64 / length as f64,
                        origin: origin as f64,
                        periodic_count: count,
                        ..Axis::default()
                    }
                }
                None => Axis { per_metre: 1.0 / size as f64, ..Axis::default() },
            };
        }
        self.fit_keys_to_bounds(position);
        let axes = self.axes;
        let keys = position.par_iter().with_min_len(4096).map(|x| key_of(&axes, x.truncate()));
        keys.collect_into_vec(key);
    }

    /// Bits of the largest key.
    pub fn key_bits(&self) -> u32 {
        self.total_bits
    }

    fn fit_keys_to_bounds(&mut self, position: &[Vec4]) {
        let (lowest, highest) = position
            .par_chunks(BLOCK)
            .map(|chunk| {
                chunk.iter().fold((Vec4::INFINITY, Vec4::NEG_INFINITY), |a, x| (a.0.min(*x), a.1.max(*x)))
            })
            .reduce(|| (Vec4::INFINITY, Vec4::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let mut shift = 0;
        for (k, axis) in self.axes.iter_mut().enumerate() {
            let (low, high) = match axis.periodic_count {
                0 if position.is_empty() => (0, 0),
                0 => (axis.coordinate(lowest[k]), axis.coordinate(highest[k])),
                n => (0, n as i32 - 1),
            };
            axis.min = low;
            axis.range = high.abs_diff(low);
            axis.shift = shift;
            shift += 32 - axis.range.leading_zeros();
        }
        self.total_bits = shift;
    }

    /// The cell of a position, counted from the origin or from the beginning of a periodic axis.
    pub fn coordinates(&self, x: Vec3) -> [i32; 3] {
        [0, 1, 2].map(|axis| self.axes[axis].coordinate(x[axis]))
    }

    /// Lists the occupied cells; `key` must be sorted.
    pub fn index(&mut self, key: &[u64]) {
        self.keys.clear();
        self.starts.clear();
        for (i, &k) in key.iter().enumerate() {
            if self.keys.last() != Some(&k) {
                self.keys.push(k);
                self.starts.push(i as u32);
            }
        }
        self.starts.push(key.len() as u32);
    }

    /// Whether all rows of cells around a particle are searched; false only in a negative control.
    pub fn search_all_rows(&mut self, all: bool) {
        self.skip_last_row = !all;
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        8 * self.keys.capacity() + 4 * self.starts.capacity()
    }

    fn coordinate_in_key(&self, key: u64, axis: usize) -> u32 {
        let bits = 32 - self.axes[axis].range.leading_zeros();
        ((key >> self.axes[axis].shift) & ((1u64 << bits) - 1)) as u32
    }
}

fn key_of(axes: &[Axis; 3], x: Vec3) -> u64 {
    let mut key = 0;
    for (k, axis) in axes.iter().enumerate() {
        key |= (axis.coordinate(x[k]).abs_diff(axis.min) as u64) << axis.shift;
    }
    key
}
