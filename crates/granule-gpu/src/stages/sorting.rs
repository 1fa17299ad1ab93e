//! How long a step is, and particles sorted by cell: what every step begins with.

use wgpu::{Buffer, ComputePass};

use super::binder::Binder;
use crate::columns::Columns;
use crate::kernel::Access::{Read, Write};
use crate::kernel::Bound;
use crate::layout::slot;
use crate::primitives::{BoundSort, Launch, MOST_PASSES};
use crate::shaders;

/// The kernels that begin a step and sort.
pub struct Sorting {
    measure: Bound,
    begin: Bound,
    keys: Bound,
    sort: BoundSort,
    reorder: Bound,
    put_back: Bound,
    arguments: Buffer,
}

impl Sorting {
    /// Binds kernels to buffers.
    pub fn new(b: &mut Binder, c: &Columns) -> Self {
        Self {
            measure: b.stage(
                &shaders::MEASURE,
                "measure",
                &[],
                &[
                    (Read, &c.position),
                    (Read, &c.velocity),
                    (Read, &c.tags),
                    (Write, &c.partials),
                    (Read, &c.stress),
                ],
            ),
            begin: b.control(
                &shaders::BEGIN,
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
                &[(Read, &c.position), (Read, &c.tags), (Write, &c.first_keys), (Write, &c.first_order)],
            ),
            sort: b.sort(c),
            reorder: b.stage(
                &shaders::REORDER,
                "reorder",
                &[],
                &[
                    (Read, &c.first_order),
                    (Read, &c.second_order),
                    (Read, &c.position),
                    (Read, &c.velocity),
                    (Read, &c.stress),
                    (Read, &c.tags),
                    (Write, &c.scratch),
                ],
            ),
            put_back: b.stage(
                &shaders::PUT_BACK,
                "put_back",
                &[],
                &[
                    (Read, &c.scratch),
                    (Write, &c.position),
                    (Write, &c.velocity),
                    (Write, &c.stress),
                    (Write, &c.tags),
                    (Read, &c.first_keys),
                    (Read, &c.second_keys),
                    (Write, &c.heads),
                ],
            ),
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
        self.reorder.dispatch_indirect(pass, &self.arguments, slot::BLOCKS);
        self.put_back.dispatch_indirect(pass, &self.arguments, slot::BLOCKS);
    }
}
