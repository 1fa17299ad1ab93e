//! The stages of a step, in the order of `crates/granule/src/solver/pbd/mod.rs`.

use granule::solver::pbd::bricks::PARTITIONS;
use granule::stages::Stage;
use wgpu::{Buffer, ComputePass};

use crate::core::binder::Binder;
use crate::core::buffers::Buffers;
use crate::core::layout::slot;
use crate::core::method::MethodStages;
use crate::core::recording::{Recorded, StageList};
use crate::core::shared::SharedStages;
use crate::kernel::Access::{Read, Write};
use crate::kernel::{Access, Bound, Part, Shader};

use super::averaged::{AveragedStages, Iterations};
use super::bodies::{PushStages, Pushed, SumPhase};
use super::columns::{
    APPROACHES, BRICKS, COLOURS, GEOMETRY, IMPULSES, MOTION, PAIR_LAWS, PAIR_OF, PAIRS, PLACE, WALL_STEPS,
    WAY,
};
use super::layout::{self, BRICK_HEADS, COLOUR_BYTES, own_slot};
use super::list_stages::ListStages;
use super::shaders;
use super::shaped_stages::ShapedStages;

/// Colours of loose pairs that have a dispatch of their own in recorded steps: the large ones that there were before, and
/// one at least. It changes no result.
fn colours_to_record(recorded: &Recorded) -> usize {
    recorded.iterations.min(layout::COLOURS) as usize
}

/// The shaders of a pass over all pairs: of those in bricks, and of loose ones; and their entries, those of loose pairs for a colour and
/// for what is left.
type PassShaders = ([&'static Shader; 2], [&'static str; 3]);

const SWEEP: PassShaders =
    ([&shaders::SWEEP_BRICKS, &shaders::SWEEP_COLOURS], ["sweep_bricks", "sweep_colour", "sweep_tail"]);

const BOUNCE: PassShaders =
    ([&shaders::BOUNCE_BRICKS, &shaders::BOUNCE_COLOURS], ["bounce_bricks", "bounce_colour", "bounce_tail"]);

/// A pass over all pairs: bricks, partition by partition, then loose pairs, colour by colour.
struct PairPass {
    bricks: Vec<Bound>,
    colours: Vec<Bound>,
    tail: Bound,
}

impl PairPass {
    /// The fifth of the buffers is that of the colours, the sixth that of exact places.
    fn new(
        b: &mut Binder,
        ([of_bricks, of_colours], entries): PassShaders,
        buffers: &[(Access, &Buffer)],
        bricks: &Buffer,
    ) -> Self {
        let mut by_brick = buffers.to_vec();
        (by_brick[4].0, by_brick[5]) = (Read, (Read, bricks));
        let part = Part { binding: 4, offset: 0, size: COLOUR_BYTES };
        let heads = Part { offset: BRICK_HEADS, ..part };
        Self {
            bricks: b.stage_in_parts(of_bricks, entries[0], &by_brick, heads, PARTITIONS as u32),
            colours: b.stage_in_parts(of_colours, entries[1], buffers, part, layout::COLOURS),
            tail: b.stage(of_colours, entries[2], &[], buffers),
        }
    }

    /// Runs so many colours of loose pairs one by one, and what is left in one workgroup.
    fn run(&self, pass: &mut ComputePass, s: &SharedStages, colours: usize) {
        for (partition, kernel) in (0..).zip(&self.bricks) {
            s.run(pass, kernel, own_slot::BRICKS + partition);
        }
        for (colour, kernel) in (0..).zip(&self.colours[..colours]) {
            s.run(pass, kernel, own_slot::FIRST_COLOUR + colour);
        }
        s.run(pass, &self.tail, own_slot::TAIL);
    }
}

/// The kernels of walls, where there are some.
struct WallStages {
    find: Bound,
    carry: Bound,
    touch: Bound,
    sweep: Bound,
    /// The one that leaves forces behind.
    last_sweep: Bound,
    bounce: Bound,
}

impl WallStages {
    fn new(b: &mut Binder, c: &Buffers, solids: &[(&str, f64)]) -> Self {
        let (column, pool) = (|info| c.columns.of(info), |name| c.pool(name));
        let find = [
            (Read, &c.solid_table),
            (Read, &c.poses),
            (Read, &c.position),
            (Write, &c.density_state),
            (Write, &c.counters),
        ];
        let carry = [(Write, &c.meta), (Read, &c.density_state), (Write, &c.contacts)];
        let touch = [
            (Read, &c.solid_table),
            (Read, &c.poses),
            (Read, column(PLACE)),
            (Write, column(MOTION)),
            (Write, &c.meta),
            (Write, &c.contacts),
            (Write, pool(WALL_STEPS)),
            (Write, column(WAY)),
        ];
        let sweep =
            [(Read, &c.meta), (Write, column(MOTION)), (Write, &c.contacts), (Read, pool(WALL_STEPS))];
        let bounce =
            [(Read, &c.meta), (Write, column(MOTION)), (Write, &c.contacts), (Write, pool(WALL_STEPS))];
        Self {
            find: b.stage(&shaders::FIND_WALLS, "find_walls", solids, &find),
            carry: b.stage(&shaders::CARRY_WALLS, "carry_walls", &[], &carry),
            touch: b.stage(&shaders::TOUCH_WALLS, "pbd_touch_walls", solids, &touch),
            sweep: b.stage(&shaders::SWEEP_WALLS, "pbd_sweep_walls", &[], &sweep),
            last_sweep: b.stage(&shaders::SWEEP_WALLS, "pbd_sweep_walls", &[("LAST", 1.0)], &sweep),
            bounce: b.stage(&shaders::BOUNCE_WALLS, "pbd_bounce_walls", &[], &bounce),
        }
    }
}

/// What decides which stages a step has.
#[derive(Clone, Copy)]
pub struct StepShape<'a> {
    /// Sweeps over all contacts.
    pub sweeps: u32,
    /// Whether anything bounces.
    pub bounces: bool,
    /// Constants for kernels that find walls, where there are some.
    pub solids: Option<&'a [(&'static str, f64); 2]>,
    /// What grains push.
    pub pushed: Pushed,
    /// How many bodies are made of particles.
    pub shaped: u32,
    /// Of the averaged scheme, where that is asked for.
    pub averaged: Option<Iterations>,
}

/// The kernels with their buffers.
pub struct PbdStages {
    /// In recorded steps that sort, and in the others.
    decide_lists: [Bound; 2],
    lists: ListStages,
    index_colours: Bound,
    fall: Bound,
    prepare: Bound,
    warm_start: Bound,
    sweep: PairPass,
    bounce: Option<PairPass>,
    walls: Option<WallStages>,
    pushed: Option<PushStages>,
    shaped: Option<ShapedStages>,
    averaged: Option<AveragedStages>,
    drift: Bound,
    note_motion: Bound,
    sweeps: u32,
}

impl PbdStages {
    /// Binds kernels to buffers.
    pub fn new(b: &mut Binder, c: &Buffers, shape: StepShape) -> Self {
        let (column, pool) = (|info| c.columns.of(info), |name| c.pool(name));
        let shared = [
            (Read, pool(PAIRS)),
            (Read, pool(GEOMETRY)),
            (Write, pool(IMPULSES)),
            (Write, column(MOTION)),
            (Write, pool(COLOURS)),
            (Read, column(PLACE)),
        ];
        let warm_start = [
            (Read, &c.list),
            (Read, pool(PAIR_OF)),
            (Read, pool(PAIRS)),
            (Read, pool(GEOMETRY)),
            (Read, pool(IMPULSES)),
            (Write, column(MOTION)),
            (Write, column(WAY)),
        ];
        let sweep = [&shared[..], &[(Read, pool(PAIR_LAWS))]].concat();
        let bounce = [&sweep[..], &[(Read, pool(APPROACHES))]].concat();
        let drift = [
            (Write, column(PLACE)),
            (Write, &c.position),
            (Write, &c.velocity),
            (Read, column(MOTION)),
            (Write, &c.meta),
            (Read, &c.reordered),
            (Write, &c.partials),
            (Write, column(WAY)),
        ];
        let prepare = [
            (Write, pool(PAIRS)),
            (Write, pool(GEOMETRY)),
            (Write, pool(IMPULSES)),
            (Read, column(MOTION)),
            (Read, column(PLACE)),
            (Read, pool(COLOURS)),
            (Write, pool(APPROACHES)),
            (Write, &c.counters),
        ];
        Self {
            decide_lists: [1.0, 0.0].map(|sorts| {
                let buffers = [(Write, &c.step), (Write, &c.arguments), (Write, pool(COLOURS))];
                b.control(&shaders::DECIDE_LISTS, "pbd_decide_lists", &[("SORTS", sorts)], &buffers)
            }),
            lists: ListStages::new(b, c),
            index_colours: b.control(
                &shaders::INDEX_COLOURS,
                "index_colours",
                &[],
                &[(Write, &c.step), (Write, &c.arguments), (Write, pool(COLOURS)), (Read, pool(BRICKS))],
            ),
            fall: b.stage(
                &shaders::FALL,
                "pbd_fall",
                &[],
                &[(Write, &c.velocity), (Write, column(MOTION)), (Write, column(WAY))],
            ),
            prepare: b.stage(&shaders::PREPARE, "prepare_pairs", &[], &prepare),
            warm_start: b.stage(&shaders::WARM_START, "pbd_warm_start", &[], &warm_start),
            sweep: PairPass::new(b, SWEEP, &sweep, pool(BRICKS)),
            bounce: shape.bounces.then(|| PairPass::new(b, BOUNCE, &bounce, pool(BRICKS))),
            walls: shape.solids.map(|solids| WallStages::new(b, c, solids)),
            pushed: (shape.pushed.bodies || shape.pushed.servos).then(|| PushStages::new(b, c, shape.pushed)),
            shaped: (shape.shaped > 0).then(|| ShapedStages::new(b, c, shape.shaped)),
            averaged: shape.averaged.map(|iterations| AveragedStages::new(b, c, iterations)),
            drift: b.stage(&shaders::DRIFT, "pbd_drift", &[], &drift),
            note_motion: b.control(
                &shaders::NOTE_MOTION,
                "pbd_note_motion",
                &[],
                &[(Write, &c.step), (Write, &c.partials), (Write, &c.counters), (Read, &c.poses)],
            ),
            sweeps: shape.sweeps,
        }
    }

    /// Lists and colours, where the recorded step makes some; the dispatches of colours.
    fn list(&self, pass: &mut ComputePass, s: &SharedStages, sorts: bool, colours: usize) {
        if sorts {
            s.search.find_cells(pass);
            self.lists.find(pass, s);
            self.walls.iter().for_each(|walls| s.run(pass, &walls.find, slot::SEARCH));
        }
        s.search.check(pass);
        if sorts {
            self.lists.colour(pass, s, colours);
        }
        self.index_colours.dispatch(pass, 1);
        if sorts {
            self.lists.place(pass, s);
            self.walls.iter().for_each(|walls| s.run(pass, &walls.carry, slot::CARRY));
            self.shaped.iter().for_each(|shaped| shaped.list(pass, s));
        }
    }

    fn sweep(&self, pass: &mut ComputePass, s: &SharedStages, number: u32, colours: usize) {
        self.sweep.run(pass, s, colours);
        let last = number + 1 == self.sweeps && self.bounce.is_none();
        let may_go_on = self.shaped.as_ref().is_some_and(ShapedStages::may_meet);
        if last && !may_go_on {
            if let Some(walls) = &self.walls {
                s.run(pass, &walls.last_sweep, slot::NEAR);
                self.pushed.iter().for_each(|pushed| pushed.load(pass, s, SumPhase::Swept));
            }
        } else {
            self.sweep_walls(pass, s, slot::NEAR);
        }
        let Some(shaped) = &self.shaped else { return };
        shaped.project(pass);
        shaped.sweep_meeting(pass, s, |pass, near| self.sweep_walls(pass, s, near));
        if last && may_go_on && self.walls.is_some() {
            shaped.leave_wall_forces(pass, s);
            self.pushed.iter().for_each(|pushed| pushed.load(pass, s, SumPhase::Swept));
        }
    }

    /// A sweep over walls that is not the last one.
    fn sweep_walls(&self, pass: &mut ComputePass, s: &SharedStages, near: u64) {
        if let Some(walls) = &self.walls {
            s.run(pass, &walls.sweep, near);
            // Bodies that nothing has pushed since stay as they were.
            self.pushed.iter().for_each(|pushed| pushed.follow(pass, s));
        }
    }

    fn bounce(&self, pass: &mut ComputePass, s: &SharedStages, colours: usize) {
        if let Some(bounce) = &self.bounce {
            bounce.run(pass, s, colours);
            self.shaped.iter().for_each(|shaped| shaped.project_loads(pass));
            self.walls.iter().for_each(|walls| s.run(pass, &walls.bounce, slot::NEAR));
            self.pushed.iter().for_each(|pushed| pushed.load(pass, s, SumPhase::Bounced));
            self.shaped.iter().for_each(|shaped| shaped.project(pass));
        }
    }
}

impl MethodStages for PbdStages {
    /// What was put aside comes from the checkpoint.
    fn list_again<'a>(&'a self, s: &'a SharedStages, recorded: &Recorded) -> StageList<'a> {
        let Recorded { blocks, passes, .. } = *recorded;
        let colours = colours_to_record(recorded);
        vec![
            (
                Stage::Sort,
                Box::new(move |pass| {
                    s.sorting.begin(pass, blocks);
                    self.decide_lists[0].dispatch(pass, 1);
                    s.sorting.sort(pass, passes);
                }),
            ),
            (Stage::Neighbors, Box::new(move |pass| self.list(pass, s, true, colours))),
        ]
    }

    fn list<'a>(&'a self, s: &'a SharedStages, recorded: &Recorded) -> StageList<'a> {
        let Recorded { blocks, passes, sorts, .. } = *recorded;
        let colours = colours_to_record(recorded);
        let mut list: StageList = vec![(
            Stage::Sort,
            Box::new(move |pass| {
                s.sorting.begin(pass, blocks);
                self.pushed.iter().for_each(|pushed| pushed.lead(pass));
                self.decide_lists[usize::from(!sorts)].dispatch(pass, 1);
                if sorts {
                    self.lists.put_aside(pass, s);
                    s.sorting.sort(pass, passes);
                }
            }),
        )];
        list.push((Stage::Neighbors, Box::new(move |pass| self.list(pass, s, sorts, colours))));
        list.push((Stage::Integrate, Box::new(|pass| s.over_particles(pass, &self.fall))));
        if s.has_drag() {
            list.push((Stage::Drag, Box::new(|pass| s.drag(pass))));
        }
        if let Some(shaped) = &self.shaped {
            list.push((Stage::MoveBodies, Box::new(|pass| shaped.begin(pass))));
        }
        list.push((Stage::Touch, Box::new(|pass| s.run(pass, &self.prepare, own_slot::ALL_PAIRS))));
        if let Some(walls) = &self.walls {
            list.push((
                Stage::TouchWalls,
                Box::new(|pass| {
                    s.run(pass, &walls.touch, slot::NEAR);
                    self.pushed.iter().for_each(|pushed| pushed.begin(pass, s));
                }),
            ));
        }
        if let Some(shaped) = &self.shaped {
            let walls = self.walls.is_some();
            list.push((Stage::MoveBodies, Box::new(move |pass| shaped.weigh(pass, s, walls))));
        }
        if let Some(averaged) = &self.averaged {
            list.push((
                Stage::Project,
                Box::new(|pass| {
                    averaged.run(pass, s);
                    self.pushed.iter().for_each(|pushed| pushed.load(pass, s, SumPhase::Swept));
                }),
            ));
        } else {
            list.push((Stage::WarmStart, Box::new(|pass| s.over_particles(pass, &self.warm_start))));
            if let Some(shaped) = &self.shaped {
                list.push((Stage::MoveBodies, Box::new(|pass| shaped.project(pass))));
            }
            list.push((
                Stage::Project,
                Box::new(move |pass| {
                    (0..self.sweeps).for_each(|number| self.sweep(pass, s, number, colours));
                    self.shaped.iter().for_each(|shaped| shaped.gather(pass, s));
                    self.bounce(pass, s, colours);
                }),
            ));
        }
        if let Some(shaped) = &self.shaped {
            list.push((Stage::MoveBodies, Box::new(|pass| shaped.drift(pass))));
        }
        list.push((Stage::Integrate, Box::new(|pass| s.over_particles(pass, &self.drift))));
        list.push((
            Stage::Quarantine,
            Box::new(|pass| {
                self.note_motion.dispatch(pass, 1);
                s.end(pass);
            }),
        ));
        list
    }
}
