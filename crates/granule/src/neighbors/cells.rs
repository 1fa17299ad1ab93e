//! Cells: keys of particles, and the sorted list of occupied cells.

use glam::{Vec3, Vec4};

use super::domain::Domain;
use crate::team;

/// Cell coordinates beyond this are clamped. Clamping keeps neighbours in equal or adjacent cells, so pairs that
/// far out are still found (distances are always checked); only crowds out there would be slow. Three coordinates take 60
/// bits of a key, which leaves four for the level of a particle.
const COORDINATE_LIMIT: i32 = (1 << 19) - 2;

/// Most cells of a periodic axis, so that none of its coordinates is clamped.
const MOST_PERIODIC: u32 = 1 << 19;

/// How one axis is divided into cells.
#[derive(Clone, Copy, Debug, Default)]
struct Axis {
    /// Cells per metre.
    per_metre: f64,
    /// Position of cell 0 \[m\].
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
    fn coordinate(&self, x: f64) -> i32 {
        let cell = (x - self.origin) * self.per_metre;
        let cell = cell.clamp(f64::from(-COORDINATE_LIMIT), f64::from(COORDINATE_LIMIT));
        let toward_zero = cell as i32;
        let floor = toward_zero - i32::from(f64::from(toward_zero) > cell);
        if self.periodic_count > 0 { floor.clamp(0, self.periodic_count as i32 - 1) } else { floor }
    }

    /// The cells that hold coordinates from `low` to `high` [m], in the nearest images of a periodic axis.
    #[inline]
    fn spans_of(&self, low: f64, high: f64) -> Spans {
        let n = i64::from(self.periodic_count);
        if n == 0 {
            let (from, to) = (self.coordinate(low).max(self.min), self.coordinate(high));
            let (from, to) = (from.abs_diff(self.min), i64::from(to) - i64::from(self.min));
            let to = to.min(i64::from(self.range));
            return if i64::from(from) <= to { Spans::one(from, to as u32) } else { Spans::NONE };
        }
        let cell = |x: f64| ((x - self.origin) * self.per_metre).floor() as i64;
        let (from, to) = (cell(low), cell(high));
        if to.saturating_sub(from) >= n - 1 {
            return Spans::one(0, n as u32 - 1);
        }
        match (from.rem_euclid(n) as u32, to.rem_euclid(n) as u32) {
            (from, to) if from <= to => Spans::one(from, to),
            (from, to) => Spans { spans: [(0, to), (from, n as u32 - 1)], len: 2 },
        }
    }

    /// How far a coordinate is at least from those in a cell (relative coordinate) or its images [m]. 0 for cells that
    /// hold what was clamped.
    fn distance_to_cell(&self, c: u32, x: f64) -> f64 {
        let cell = self.min + c as i32;
        if cell.abs() >= COORDINATE_LIMIT && self.periodic_count == 0 {
            return 0.0;
        }
        let mut beyond = (x - self.origin) * self.per_metre - (f64::from(cell) + 0.5);
        if self.periodic_count > 0 {
            let n = f64::from(self.periodic_count);
            beyond -= n * (beyond / n).round();
        }
        (beyond.abs() - 0.5).max(0.0) / self.per_metre
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

/// Cells of an axis as at most two runs, ascending.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spans {
    spans: [(u32, u32); 2],
    len: usize,
}

impl Spans {
    const NONE: Self = Self { spans: [(0, 0); 2], len: 0 };

    fn one(from: u32, to: u32) -> Self {
        Self { spans: [(from, to), (0, 0)], len: 1 }
    }

    /// The runs, each from its first to its last cell.
    pub(super) fn as_slice(&self) -> &[(u32, u32)] {
        &self.spans[..self.len]
    }

    /// Does something with all cells; iterators of iterators are slow here.
    #[inline]
    pub(super) fn for_each(&self, mut work: impl FnMut(u32)) {
        for &(from, to) in self.as_slice() {
            for cell in from..to + 1 {
                work(cell);
            }
        }
    }

    /// Number of cells.
    pub(super) fn count(&self) -> usize {
        self.as_slice().iter().map(|&(from, to)| (to - from) as usize + 1).sum()
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

/// Rows that [`Look`] remembers.
const REMEMBERED_ROWS: usize = 16;

/// One look around after another: where rows were found last, so that those of the next look are found quickly.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    first: [usize; REMEMBERED_ROWS],
    row: usize,
    /// Where the last row of this look ended.
    end: usize,
}

impl Look {
    /// Begins to look somewhere else.
    pub(super) fn begin(&mut self) {
        (self.row, self.end) = (0, 0);
    }

    /// A place not after the first key from `key` on.
    #[inline]
    fn hint(&self, keys: &[u64], key: u64) -> usize {
        let first = self.first[self.row % REMEMBERED_ROWS];
        if first > self.end && first <= keys.len() && keys[first - 1] < key { first } else { self.end }
    }

    #[inline]
    fn note(&mut self, first: usize, end: usize) {
        self.first[self.row % REMEMBERED_ROWS] = first;
        self.row += 1;
        self.end = end;
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
        return gallop(keys, hint + near.len(), key);
    }
    keys.partition_point(|&k| k < key)
}

/// The first place in `keys` from `at` on whose key is not below `key`: in steps that double, then by halves.
fn gallop(keys: &[u64], mut at: usize, key: u64) -> usize {
    let mut step = 8;
    while at + step < keys.len() && keys[at + step] < key {
        at += step;
        step *= 2;
    }
    let end = keys.len().min(at + step);
    at + keys[at.min(end)..end].partition_point(|&k| k < key)
}

impl CellIndex {
    /// Divides space into cells of at least `size` [m] and computes every particle's key.
    pub fn assign(&mut self, domain: &Domain, size: f32, position: &[Vec4], key: &mut Vec<u64>) {
        self.divide(domain, [size; 3]);
        let none = || (Vec4::INFINITY, Vec4::NEG_INFINITY);
        let bounds_of = |_: usize, block: std::ops::Range<usize>| {
            position[block].iter().fold(none(), |a, x| (a.0.min(*x), a.1.max(*x)))
        };
        let bounds = team::map_blocks(position.len(), bounds_of).into_iter();
        let (lowest, highest) = bounds.fold(none(), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        self.fit_keys_to_bounds(lowest, highest);
        let cells = &*self;
        team::fill(key, position.len(), |i| cells.key_of(position[i].truncate()));
    }

    /// Divides space into cells of at least these sides [m].
    pub(super) fn divide(&mut self, domain: &Domain, sides: [f32; 3]) {
        for (axis, side) in sides.into_iter().enumerate() {
            self.axes[axis] = match domain.period(axis) {
                Some((origin, length)) => {
                    let count = ((length / side) as u32).clamp(1, MOST_PERIODIC);
                    Axis {
                        per_metre: count as f64 / length as f64,
                        origin: origin as f64,
                        periodic_count: count,
                        ..Axis::default()
                    }
                }
                None => Axis { per_metre: 1.0 / side as f64, ..Axis::default() },
            };
        }
    }

    /// Bits of the largest key.
    pub fn key_bits(&self) -> u32 {
        self.total_bits
    }

    /// Chooses bits of keys for particles between two corners; none where they are swapped.
    pub(super) fn fit_keys_to_bounds(&mut self, lowest: Vec4, highest: Vec4) {
        let mut shift = 0;
        for (k, axis) in self.axes.iter_mut().enumerate() {
            let (low, high) = match axis.periodic_count {
                0 if lowest[k] > highest[k] => (0, 0),
                0 => (axis.coordinate(lowest[k].into()), axis.coordinate(highest[k].into())),
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
        [0, 1, 2].map(|axis| self.axes[axis].coordinate(x[axis].into()))
    }

    /// Lists the occupied cells; `key` must be sorted.
    pub fn index(&mut self, key: &[u64]) {
        self.index_from(0, key.iter().copied());
    }

    /// Lists the occupied cells of particles from `first` on, whose keys are sorted.
    pub(super) fn index_from(&mut self, first: u32, key: impl Iterator<Item = u64>) {
        self.keys.clear();
        self.starts.clear();
        let mut particle = first;
        for k in key {
            if self.keys.last() != Some(&k) {
                self.keys.push(k);
                self.starts.push(particle);
            }
            particle += 1;
        }
        self.starts.push(particle);
    }

    /// The key of a position.
    #[inline]
    pub(super) fn key_of(&self, x: Vec3) -> u64 {
        let mut key = 0;
        for (k, axis) in self.axes.iter().enumerate() {
            key |= (axis.coordinate(x[k].into()).abs_diff(axis.min) as u64) << axis.shift;
        }
        key
    }

    /// The cells of an axis that hold coordinates from `low` to `high` [m].
    #[inline]
    pub(super) fn spans_of(&self, axis: usize, low: f64, high: f64) -> Spans {
        self.axes[axis].spans_of(low, high)
    }

    /// How far a coordinate is at least from those in a cell of an axis [m].
    pub(super) fn distance_to_cell(&self, axis: usize, cell: u32, x: f64) -> f64 {
        self.axes[axis].distance_to_cell(cell, x)
    }

    /// Number of particles in all cells.
    pub(super) fn particle_count(&self) -> usize {
        let (first, end) = (self.starts.first().unwrap_or(&0), self.starts.last().unwrap_or(&0));
        (end - first) as usize
    }

    /// Number of cells that hold particles.
    pub(super) fn occupied_count(&self) -> usize {
        self.keys.len()
    }

    /// The occupied cell of a particle.
    pub(super) fn cell_of_particle(&self, particle: usize) -> usize {
        self.starts.partition_point(|&s| s as usize <= particle) - 1
    }

    /// One past the last particle of an occupied cell.
    pub(super) fn end_of_cell(&self, cell: usize) -> usize {
        self.starts[cell + 1] as usize
    }

    /// Whether the occupied cell after this one lies in the same row, at most `gap` cells on.
    pub(super) fn follows_in_row(&self, cell: usize, gap: u32) -> bool {
        let Some(next) = self.keys.get(cell + 1) else { return false };
        let row = |key: u64| key >> self.axes[1].shift;
        row(*next) == row(self.keys[cell]) && next - self.keys[cell] <= u64::from(gap)
    }

    /// Adds the particles in a row of cells, from one to another along x; rows must ascend within a look.
    #[inline]
    pub(super) fn push_row(
        &self,
        [y, z]: [u32; 2],
        (from, to): (u32, u32),
        look: &mut Look,
        ranges: &mut Vec<(u32, u32)>,
    ) {
        let row = ((z as u64) << self.axes[2].shift) | ((y as u64) << self.axes[1].shift);
        let (from, to) = (row | u64::from(from), row | u64::from(to));
        let first = first_not_below(&self.keys, look.hint(&self.keys, from), from);
        let mut last = first;
        while last < self.keys.len() && self.keys[last] <= to {
            last += 1;
        }
        look.note(first, last);
        if first < last {
            push_range(ranges, (self.starts[first], self.starts[last]));
        }
    }

    /// Adds all particles in layers of cells along z.
    pub(super) fn push_layers(&self, z: &Spans, ranges: &mut Vec<(u32, u32)>) {
        for &(from, to) in z.as_slice() {
            let layer = |z: u32| (z as u64) << self.axes[2].shift;
            let first = self.keys.partition_point(|&k| k < layer(from));
            let last = self.keys.partition_point(|&k| k < layer(to + 1));
            if first < last {
                push_range(ranges, (self.starts[first], self.starts[last]));
            }
        }
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

/// Adds a range of particles to others before it.
fn push_range(ranges: &mut Vec<(u32, u32)>, (from, to): (u32, u32)) {
    match ranges.last_mut() {
        Some(last) if last.1 == from => last.1 = to,
        _ => ranges.push((from, to)),
    }
}
