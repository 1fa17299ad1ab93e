//! The kernels that make lists, in the order of `stages.rs`: what pairs remember is put aside, partners, bricks with the colours of their
//! pairs, colours of loose pairs, places of these, and what is remembered for new pairs.

use granule::solver::pbd::bricks::PARTITIONS;
use wgpu::{Buffer, ComputePass};

use crate::core::binder::Binder;
use crate::core::buffers::Buffers;
use crate::core::layout::slot;
use crate::core::shared::SharedStages;
use crate::kernel::Access::{Read, Write};
use crate::kernel::{Access, Bound, Part, Shader};

use super::columns::{
    BRICK_OF, BRICK_TABLE, BRICKS, COLOURING, COLOURS, GEOMETRY, HEAD, IMPULSES, MOTION, ORIENTATION,
    PAIR_LAWS, PAIR_OF, PAIRS, PARTNERS, PLACE, SAVED, SOURCE, WAY,
};
use super::layout::{BRICK_HEADS, COLOUR_BYTES, ROUNDS_PER_COLOUR, own_slot};
use super::shaders;

/// The kernels that find bricks, and colour their pairs.
struct BrickStages {
    clear: Bound,
    find: Bound,
    count: Bound,
    start: Bound,
    index: Bound,
    place: Bound,
    /// For each partition.
    colour: Vec<Bound>,
}

impl BrickStages {
    fn new(b: &mut Binder, c: &Buffers) -> Self {
        let (column, pool) = (|info| c.columns.of(info), |name| c.pool(name));
        let count = [
            (Read, &c.list),
            (Read, column(PLACE)),
            (Read, column(MOTION)),
            (Write, pool(PAIR_OF)),
            (Write, pool(COLOURS)),
            (Read, column(BRICK_OF)),
            (Write, pool(BRICK_TABLE)),
            (Write, pool(BRICKS)),
        ];
        let place = [
            (Read, &c.list),
            (Read, &c.position),
            (Read, column(MOTION)),
            (Read, pool(PAIR_OF)),
            (Read, column(BRICK_OF)),
            (Write, pool(BRICK_TABLE)),
            (Write, pool(IMPULSES)),
            (Read, &c.meta),
        ];
        let colour = [
            (Read, pool(COLOURS)),
            (Write, column(COLOURING[0])),
            (Write, pool(IMPULSES)),
            (Write, pool(PAIR_OF)),
            (Write, pool(PAIRS)),
            (Write, pool(BRICKS)),
            (Write, pool(PAIR_LAWS)),
            (Read, &c.list),
        ];
        let index = b.control(
            &shaders::INDEX_BRICKS,
            "index_bricks",
            &[],
            &[(Write, &c.step), (Write, &c.arguments), (Read, pool(COLOURS))],
        );
        let mut stage =
            |shader: &Shader, entry, buffers: &[(Access, &Buffer)]| b.stage(shader, entry, &[], buffers);
        Self {
            clear: stage(
                &shaders::CLEAR_BRICKS,
                "clear_bricks",
                &[(Write, pool(BRICK_TABLE)), (Write, pool(BRICKS))],
            ),
            find: stage(
                &shaders::FIND_BRICKS,
                "find_bricks",
                &[
                    (Read, &c.position),
                    (Read, &c.meta),
                    (Write, column(BRICK_OF)),
                    (Write, pool(BRICK_TABLE)),
                ],
            ),
            count: stage(&shaders::COUNT_BRICKS, "count_bricks", &count),
            start: stage(
                &shaders::START_BRICKS,
                "start_bricks",
                &[(Read, pool(COLOURS)), (Write, pool(BRICK_TABLE)), (Write, pool(BRICKS))],
            ),
            index,
            place: stage(&shaders::PLACE_BRICKS, "place_bricks", &place),
            colour: {
                let heads = Part { binding: 0, offset: BRICK_HEADS, size: COLOUR_BYTES };
                b.stage_in_parts(&shaders::COLOUR_BRICKS, "colour_bricks", &colour, heads, PARTITIONS as u32)
            },
        }
    }

    fn run(&self, pass: &mut ComputePass, s: &SharedStages) {
        for kernel in [&self.clear, &self.find, &self.count, &self.start, &self.place] {
            s.run(pass, kernel, slot::CARRY);
        }
        self.index.dispatch(pass, 1);
        for (partition, kernel) in (0..).zip(&self.colour) {
            s.run(pass, kernel, own_slot::CARRY_BRICKS + partition);
        }
    }
}

/// The kernels that make lists and colours.
pub struct ListStages {
    remember: Bound,
    fold_turns: Bound,
    find_skins: Bound,
    list_pairs: Bound,
    bricks: BrickStages,
    begin_colours: Bound,
    /// From one of the two columns to the other, and back.
    rounds: [Bound; 2],
    last_round: Bound,
    late_rounds: Bound,
    count: Bound,
    place: Bound,
    carry: Bound,
}

impl ListStages {
    /// Binds kernels to buffers.
    pub fn new(b: &mut Binder, c: &Buffers) -> Self {
        let (column, pool) = (|info| c.columns.of(info), |name| c.pool(name));
        let bricks = BrickStages::new(b, c);
        let ranges = [("RANGES", f64::from(b.ranges()))];
        let mut stage = |shader: &Shader, entry, constants: &[(&str, f64)], buffers: &[(Access, &Buffer)]| {
            b.stage(shader, entry, constants, buffers)
        };
        let round = |from: usize, access: Access| {
            [
                (Read, &c.list),
                (Read, pool(GEOMETRY)),
                (Write, pool(PAIR_OF)),
                (Write, column(HEAD)),
                (Write, pool(COLOURS)),
                (access, column(COLOURING[from])),
                (Write, column(COLOURING[1 - from])),
            ]
        };
        let blocks = |from: usize| [&round(from, Read)[..], &[(Write, &c.partials)]].concat();
        let late = [&round(0, Write)[..], &[(Read, &c.partials)]].concat();
        let entries = |access: Access| {
            vec![
                (Read, &c.list),
                (Read, column(PLACE)),
                (Read, column(MOTION)),
                (Write, pool(PAIR_OF)),
                (access, pool(COLOURS)),
            ]
        };
        let mut placed = entries(Write);
        placed.extend([(Read, &c.meta), (Write, pool(PAIRS)), (Write, pool(PAIR_LAWS))]);
        Self {
            remember: stage(
                &shaders::REMEMBER,
                "pbd_remember",
                &[],
                &[
                    (Read, &c.list),
                    (Read, column(PLACE)),
                    (Read, pool(PAIR_OF)),
                    (Read, pool(IMPULSES)),
                    (Write, pool(PARTNERS)),
                    (Write, pool(SAVED)),
                    (Write, column(SOURCE)),
                ],
            ),
            fold_turns: stage(
                &shaders::FOLD_TURNS,
                "pbd_fold_turns",
                &[],
                &[(Write, column(ORIENTATION)), (Write, column(WAY))],
            ),
            find_skins: stage(
                &shaders::FIND_SKINS,
                "pbd_find_skins",
                &[],
                &[(Read, &c.position), (Read, column(MOTION)), (Write, column(WAY)), (Read, &c.velocity)],
            ),
            list_pairs: stage(
                &shaders::LIST_PAIRS,
                "pbd_list_pairs",
                &ranges,
                &[
                    (Read, &c.position),
                    (Read, &c.heads),
                    (Read, &c.rows),
                    (Write, &c.list),
                    (Write, &c.counters),
                    (Write, &c.density_state),
                    (Read, &c.meta),
                    (Read, column(WAY)),
                ],
            ),
            bricks,
            begin_colours: stage(
                &shaders::COLOUR_BEGIN,
                "colour_begin",
                &[],
                &[
                    (Read, &c.list),
                    (Read, column(PLACE)),
                    (Read, column(MOTION)),
                    (Write, pool(GEOMETRY)),
                    (Write, pool(PAIR_OF)),
                    (Write, column(COLOURING[0])),
                    (Write, column(HEAD)),
                    (Write, &c.partials),
                ],
            ),
            rounds: [0, 1].map(|from| stage(&shaders::COLOUR_ROUND, "colour_round", &[], &blocks(from))),
            // Their number is even.
            last_round: stage(&shaders::COLOUR_ROUND, "colour_round", &[("LAST", 1.0)], &blocks(1)),
            late_rounds: stage(&shaders::COLOUR_LAST, "colour_last", &[], &late),
            count: stage(&shaders::COUNT_PAIRS, "count_pairs", &[], &entries(Write)),
            place: stage(&shaders::PLACE_PAIRS, "place_pairs", &[], &placed),
            carry: stage(
                &shaders::CARRY_PAIRS,
                "carry_pairs",
                &[],
                &[
                    (Read, &c.list),
                    (Read, column(PLACE)),
                    (Write, pool(PAIR_OF)),
                    (Read, pool(PARTNERS)),
                    (Read, pool(SAVED)),
                    (Read, column(SOURCE)),
                    (Write, pool(IMPULSES)),
                    (Write, pool(PAIRS)),
                ],
            ),
        }
    }

    /// Puts aside what pairs remember, and what particles have turned.
    pub fn put_aside(&self, pass: &mut ComputePass, s: &SharedStages) {
        s.run(pass, &self.remember, slot::REMEMBER);
        s.run(pass, &self.fold_turns, own_slot::FOLD);
    }

    /// Gives all pairs their colours, and counts those of loose ones; in rounds for one more than so many
    /// colours.
    pub fn colour(&self, pass: &mut ComputePass, s: &SharedStages, colours: usize) {
        self.bricks.run(pass, s);
        s.run(pass, &self.begin_colours, slot::CARRY);
        for k in 0..(ROUNDS_PER_COLOUR * (colours + 1)).next_multiple_of(2) - 1 {
            s.run(pass, &self.rounds[k % 2], slot::CARRY);
        }
        s.run(pass, &self.last_round, slot::CARRY);
        s.run(pass, &self.late_rounds, own_slot::CARRY_ONE);
        s.run(pass, &self.count, slot::CARRY);
    }

    /// Lists partners of particles that are in order, and how far each is listed.
    pub fn find(&self, pass: &mut ComputePass, s: &SharedStages) {
        s.run(pass, &self.find_skins, slot::SEARCH);
        s.run(pass, &self.list_pairs, slot::SEARCH);
    }

    /// Places loose pairs, whose colours are counted, and gives all pairs what they remember.
    pub fn place(&self, pass: &mut ComputePass, s: &SharedStages) {
        s.run(pass, &self.place, slot::CARRY);
        s.run(pass, &self.carry, slot::CARRY);
    }
}
