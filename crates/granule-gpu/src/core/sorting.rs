//! How long a step is, and particles sorted by cell: what every step begins with.

use wgpu::{Buffer, ComputePass};

use crate::kernel::Access::{Read, Write};
use crate::kernel::Bound;
use crate::primitives::{BoundSort, Launch, MOST_PASSES};

use super::binder::Binder;
use super::buffers::Buffers;
use super::columns::{ColumnInfo, TOGETHER};
use super::layout::{StepRecord, slot};
use super::shaders::{self, hooked};

/// The kernels that begin a step and sort.
pub struct Sorting {
    measure: Bound,
    begin: Bound,
    keys: Bound,
    sort: BoundSort,
    moves: Vec<Bound>,
    arguments: Buffer,
}

impl Sorting {
    /// Binds kernels to buffers; a method whose step depends on accelerations has them in `acceleration`.
    pub fn new(b: &mut Binder, c: &Buffers, acceleration: Option<ColumnInfo>) -> Self {
        let mut measured =
            vec![(Read, &c.position), (Read, &c.velocity), (Read, &c.meta), (Write, &c.partials)];
        measured.extend(acceleration.map(|column| (Read, c.columns.of(column))));
        Self {
            measure: b.stage(&hooked::MEASURE, "measure", &[], &measured),
            begin: b.control(
                &hooked::BEGIN,
                "begin",
                &[],
                &[
                    (Write, &c.step),
                    (Write, &c.arguments),
                    (Write, &c.counters),
                    (Read, &c.partials),
                    (Write, &c.poses),
                    (Read, &c.segments),
                    (Write, &c.extent),
                ],
            ),
            keys: b.stage(
                &shaders::KEYS,
                "assign_keys",
                &[],
                &[(Read, &c.position), (Read, &c.meta), (Write, &c.first_keys), (Write, &c.first_order)],
            ),
            sort: b.sort(c),
            moves: moves(b, c),
            arguments: c.arguments.clone(),
        }
    }

    /// Finds the length of the step from the fastest particle; `blocks` workgroups cover all there may be.
    pub fn begin(&self, pass: &mut ComputePass, blocks: u32) {
        self.measure.dispatch(pass, blocks);
        self.begin.dispatch(pass, 1);
    }

    /// Sorts the particles by cell, and all that outlives a step with them, in so many passes.
    pub fn sort(&self, pass: &mut ComputePass, passes: u32) {
        self.keys.dispatch_indirect(pass, &self.arguments, slot::BLOCKS);
        for number in 0..MOST_PASSES.min(passes as usize) {
            let launch = Launch::Indirect {
                arguments: &self.arguments,
                blocks: slot::BLOCKS,
                tiles: slot::PASS_TILES + number as u64,
                one: slot::PASS_DIGITS + number as u64,
            };
            self.sort.record_pass(pass, number, launch);
        }
        for kernel in &self.moves {
            kernel.dispatch_indirect(pass, &self.arguments, slot::BLOCKS);
        }
    }
}

/// The kernels that bring the columns that outlive a step into the order of cells: each goes to `reordered` and back, wide
/// ones four at a time. Positions, which come first, stay there; the others of a round make way for the next.
fn moves(b: &mut Binder, c: &Buffers) -> Vec<Bound> {
    let (wide, narrow): (Vec<_>, Vec<_>) = c.columns.state().partition(|(info, _)| info.bytes % 16 == 0);
    let mut moves = Vec::new();
    let mut before = 0;
    for together in wide.chunks(TOGETHER) {
        let records: Vec<u32> = together.iter().map(|(info, _)| info.bytes / 16).collect();
        let columns: Vec<&Buffer> = together.iter().map(|(_, buffer)| *buffer).collect();
        moves.extend(move_wide(b, c, &columns, &records, before));
        before = 1;
    }
    for (info, column) in narrow {
        moves.extend(move_words(b, c, column, info.bytes / 4, 4 * before));
    }
    moves
}

/// There and back again for up to four columns of so many records of 16 bytes each.
fn move_wide(b: &mut Binder, c: &Buffers, columns: &[&Buffer], records: &[u32], before: u32) -> [Bound; 2] {
    let size = |k: usize| f64::from(records.get(k).copied().unwrap_or(0));
    let constants = [
        ("FIRST", size(0)),
        ("SECOND", size(1)),
        ("THIRD", size(2)),
        ("FOURTH", size(3)),
        ("BEFORE", f64::from(before)),
    ];
    // Where there are fewer columns, something else takes the place and is left alone.
    let spare = [&c.spare_1, &c.spare_2, &c.spare_3];
    let [first, second, third, fourth] =
        [0, 1, 2, 3].map(|k: usize| columns.get(k).copied().unwrap_or(spare[k.saturating_sub(1)]));
    let reorder = b.stage(
        &shaders::REORDER,
        "reorder",
        &constants,
        &[
            (Read, &c.first_order),
            (Read, &c.second_order),
            (Read, first),
            (Read, second),
            (Read, third),
            (Read, fourth),
            (Write, &c.reordered),
        ],
    );
    let put_back = b.stage(
        &shaders::PUT_BACK,
        "put_back",
        &constants,
        &[
            (Read, &c.reordered),
            (Write, first),
            (Write, second),
            (Write, third),
            (Write, fourth),
            (Read, &c.first_keys),
            (Read, &c.second_keys),
            (Write, &c.heads),
        ],
    );
    [reorder, put_back]
}

/// There and back again for a column of so many words, that no record of 16 bytes holds.
fn move_words(b: &mut Binder, c: &Buffers, column: &Buffer, words: u32, before: u32) -> [Bound; 2] {
    let constants = [("WORDS", f64::from(words)), ("BEFORE", f64::from(before))];
    let buffers = [(Read, &c.first_order), (Read, &c.second_order), (Write, column), (Write, &c.reordered)];
    ["reorder_words", "put_back_words"]
        .map(|entry| b.stage(&shaders::REORDER_WORDS, entry, &constants, &buffers))
}

/// Bytes per particle that a sort asks of memory, with the length of the step before it.
pub fn sort_bytes(step: &StepRecord, state_bytes: u32) -> f64 {
    const RECORD: f64 = 16.0;
    // Keys of 8 bytes and places of 4: counted, then moved.
    let pass = 8.0 + 2.0 * 12.0;
    let columns = f64::from(state_bytes);
    3.0 * RECORD
        + (2.0 * RECORD + 12.0)
        + f64::from(step.sort_passes) * pass
        + (4.0 + 2.0 * columns)
        + (2.0 * columns + 2.0 * 8.0 + 4.0)
}
