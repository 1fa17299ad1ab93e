//! The stages of a step, in the order of `crates/granule/src/solver/dem/mod.rs`.

use granule::stages::Stage;
use wgpu::{Buffer, ComputePass};

use crate::core::binder::Binder;
use crate::core::buffers::Buffers;
use crate::core::layout::slot;
use crate::core::method::MethodStages;
use crate::core::recording::{Recorded, StageList};
use crate::core::shared::SharedStages;
use crate::kernel::Access::{Read, Write};
use crate::kernel::{Access, Bound};

use super::columns::{LOADS, MEMORY, ORIENTATION, PARTNERS, PLACE, SAVED, SOURCE, SPIN, TURN};
use super::pieces::Pieces;
use super::shaders;

/// The kernels with their buffers.
pub struct DemStages {
    drift: Bound,
    /// In recorded steps that sort, and in the others.
    decide_lists: [Bound; 2],
    fold_turns: Bound,
    /// Per piece of the contact memory.
    remember: Vec<Bound>,
    list_pairs: Bound,
    /// Per piece and piece of what was put aside.
    carry: Vec<Bound>,
    walls: Option<WallStages>,
    touch: Vec<Bound>,
    kick: Bound,
}

/// The kernels of walls, where there are some.
struct WallStages {
    find: Bound,
    carry: Bound,
    touch: Bound,
}

impl WallStages {
    fn new(b: &mut Binder, c: &Buffers, solids: &[(&str, f64)]) -> Self {
        let column = |info| c.columns.of(info);
        let touch = [
            (Read, &c.solid_table),
            (Read, &c.poses),
            (Read, column(PLACE)),
            (Read, &c.velocity),
            (Read, column(SPIN)),
            (Write, &c.meta),
            (Write, &c.contacts),
            (Write, column(LOADS)),
        ];
        let find = [
            (Read, &c.solid_table),
            (Read, &c.poses),
            (Read, &c.position),
            (Write, &c.density_state),
            (Write, &c.counters),
        ];
        let carry = [(Write, &c.meta), (Read, &c.density_state), (Write, &c.contacts)];
        Self {
            find: b.stage(&shaders::FIND_WALLS, "find_walls", solids, &find),
            carry: b.stage(&shaders::CARRY_WALLS, "carry_walls", &[], &carry),
            touch: b.stage(&shaders::TOUCH_WALLS, "touch_walls", solids, &touch),
        }
    }
}

impl DemStages {
    /// Binds kernels to buffers; `solids` are constants for kernels that find walls, where there are some.
    pub fn new(b: &mut Binder, c: &Buffers, pieces: Pieces, solids: Option<&[(&str, f64); 2]>) -> Self {
        let column = |info| c.columns.of(info);
        let (place, spin, loads) = (column(PLACE), column(SPIN), column(LOADS));
        let (partners, count) = (c.pool(PARTNERS), Pieces::count(c));
        let mut ranges = vec![("RANGES", f64::from(b.ranges()))];
        ranges.extend(pieces.constants(count, 0, 0));
        let (mut remember, mut carry, mut touch) = (Vec::new(), Vec::new(), Vec::new());
        for piece in 0..count {
            let memory = c.pool(MEMORY[piece]);
            let constants = pieces.constants(count, piece, piece);
            let buffers = [
                (Read, &c.list),
                (Read, place),
                (Read, memory),
                (Read, loads),
                (Write, partners),
                (Write, c.pool(SAVED[piece])),
                (Write, column(SOURCE)),
            ];
            remember.push(b.stage(&shaders::REMEMBER, "remember", &constants, &buffers));
            for (source, saved) in SAVED.iter().enumerate().take(count) {
                let buffers = [
                    (Read, &c.list),
                    (Read, place),
                    (Write, memory),
                    (Write, loads),
                    (Read, partners),
                    (Read, c.pool(saved)),
                    (Read, column(SOURCE)),
                    (Read, &c.meta),
                ];
                let constants = pieces.constants(count, piece, source);
                carry.push(b.stage(&shaders::CARRY, "carry_contacts", &constants, &buffers));
            }
            let buffers = [
                (Read, &c.list),
                (Read, place),
                (Read, &c.velocity),
                (Read, spin),
                (Write, memory),
                (Write, loads),
                (Read, &c.meta),
            ];
            touch.push(b.stage(&shaders::TOUCH, "touch", &constants, &buffers));
        }
        let mut stage =
            |shader: &_, entry, buffers: &[(Access, &Buffer)]| b.stage(shader, entry, &[], buffers);
        let drift = stage(
            &shaders::DRIFT,
            "dem_drift",
            &[
                (Write, place),
                (Write, &c.position),
                (Write, &c.velocity),
                (Write, spin),
                (Read, loads),
                (Read, &c.meta),
                (Read, &c.reordered),
                (Write, &c.partials),
            ],
        );
        let fold_turns =
            stage(&shaders::FOLD_TURNS, "fold_turns", &[(Write, column(ORIENTATION)), (Write, column(TURN))]);
        let kick = stage(
            &shaders::KICK,
            "dem_kick",
            &[
                (Read, &c.position),
                (Write, &c.velocity),
                (Write, spin),
                (Read, loads),
                (Write, &c.meta),
                (Write, &c.partials),
                (Write, column(TURN)),
            ],
        );
        Self {
            drift,
            fold_turns,
            remember,
            carry,
            touch,
            kick,
            decide_lists: [1.0, 0.0].map(|sorts| {
                let buffers = [(Write, &c.step), (Write, &c.arguments), (Read, &c.partials)];
                b.control(&shaders::DECIDE_LISTS, "dem_decide_lists", &[("SORTS", sorts)], &buffers)
            }),
            list_pairs: b.stage(
                &shaders::LIST_PAIRS,
                "list_pairs",
                &ranges,
                &[
                    (Read, &c.position),
                    (Read, &c.heads),
                    (Read, &c.rows),
                    (Write, &c.list),
                    (Write, &c.counters),
                    (Write, &c.density_state),
                    (Read, &c.meta),
                    (Read, &c.spare_1),
                ],
            ),
            walls: solids.map(|solids| WallStages::new(b, c, solids)),
        }
    }

    /// First kick and drift, and whether lists hold; where they do not, contacts are put aside.
    fn kick_and_drift(&self, pass: &mut ComputePass, s: &SharedStages, sorts: bool) {
        s.run(pass, &self.drift, slot::BLOCKS);
        self.decide_lists[usize::from(!sorts)].dispatch(pass, 1);
    }

    fn put_aside(&self, pass: &mut ComputePass, s: &SharedStages) {
        self.remember.iter().for_each(|piece| s.run(pass, piece, slot::REMEMBER));
        s.run(pass, &self.fold_turns, slot::BLOCKS);
    }

    fn list_pairs(&self, pass: &mut ComputePass, s: &SharedStages, sorts: bool) {
        if !sorts {
            s.search.check(pass);
            return;
        }
        s.search.find_cells(pass);
        s.run(pass, &self.list_pairs, slot::SEARCH);
        self.walls.iter().for_each(|walls| s.run(pass, &walls.find, slot::SEARCH));
        s.search.check(pass);
        self.carry.iter().for_each(|pieces| s.run(pass, pieces, slot::CARRY));
        self.walls.iter().for_each(|walls| s.run(pass, &walls.carry, slot::CARRY));
    }
}

impl MethodStages for DemStages {
    fn list<'a>(&'a self, s: &'a SharedStages, recorded: &Recorded) -> StageList<'a> {
        let Recorded { blocks, passes, sorts, .. } = *recorded;
        let mut list: StageList = vec![(
            Stage::Integrate,
            Box::new(move |pass| {
                s.sorting.begin(pass, blocks);
                self.kick_and_drift(pass, s, sorts);
            }),
        )];
        if sorts {
            list.push((
                Stage::Sort,
                Box::new(move |pass| {
                    self.put_aside(pass, s);
                    s.sorting.sort(pass, passes);
                }),
            ));
        }
        list.push((Stage::Neighbors, Box::new(move |pass| self.list_pairs(pass, s, sorts))));
        list.push((
            Stage::Touch,
            Box::new(|pass| self.touch.iter().for_each(|piece| s.over_particles(pass, piece))),
        ));
        if let Some(walls) = &self.walls {
            list.push((Stage::TouchWalls, Box::new(|pass| s.run(pass, &walls.touch, slot::NEAR))));
        }
        if s.has_drag() {
            list.push((Stage::Drag, Box::new(|pass| s.drag(pass))));
        }
        list.push((Stage::Integrate, Box::new(|pass| s.over_particles(pass, &self.kick))));
        list.push((Stage::Quarantine, Box::new(|pass| s.end(pass))));
        list
    }
}
