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
use crate::kernel::{Access, Bound, WORKGROUP};

use super::clumps::room_of;
use super::columns::{
    ACTING, CELL, FLIGHT_SHAPES, FLIGHTS, GRAIN, INERTIA, LOADS, MEMBERS, MEMORY, ORIENTATION, PARTNERS,
    PLACE, PUSHES, RIGID, SAVED, SOURCE, SPIN, STRESSES, TURN,
};
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
    clumps: Option<ClumpStages>,
    bodies: Option<BodyStages>,
    cell: Option<CellStages>,
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

/// The kernels of rigid grains of several spheres, where there are some.
struct ClumpStages {
    drift: Bound,
    place: Bound,
    find: Bound,
    kick: Bound,
    rates: Bound,
    /// Workgroups for all grains that the table has room for.
    groups: u32,
}

impl ClumpStages {
    fn new(b: &mut Binder, c: &Buffers) -> Self {
        let column = |info| c.columns.of(info);
        let (rigid, members) = (c.pool(RIGID), c.pool(MEMBERS));
        let mut stage =
            |shader: &_, entry, buffers: &[(Access, &Buffer)]| b.stage(shader, entry, &[], buffers);
        let moved = [
            (Write, rigid),
            (Read, c.pool(INERTIA)),
            (Read, members),
            (Read, column(LOADS)),
            (Write, c.pool(ACTING)),
        ];
        let of_spheres = [(Read, rigid), (Read, members), (Read, column(GRAIN))];
        let rates = [(Write, &c.velocity), (Write, column(SPIN))];
        let places = [(Write, column(PLACE)), (Write, &c.position)];
        let place = [&of_spheres[..], &places, &rates].concat();
        let rates = [&of_spheres[..], &rates, &[(Write, column(TURN))]].concat();
        Self {
            drift: stage(&shaders::CLUMP_DRIFT, "clump_drift", &moved),
            place: stage(&shaders::PLACE_MEMBERS, "place_members", &place),
            find: stage(&shaders::FIND_MEMBERS, "find_members", &[(Read, column(GRAIN)), (Write, members)]),
            kick: stage(&shaders::CLUMP_KICK, "clump_kick", &moved),
            rates: stage(&shaders::MEMBER_RATES, "member_rates", &rates),
            groups: (room_of(rigid.size()) as u32).div_ceil(WORKGROUP),
        }
    }
}

/// The kernels of rigid bodies and of walls that hold a force, where there are some.
struct BodyStages {
    drift: Bound,
    sum: Bound,
    kick: Bound,
}

impl BodyStages {
    fn new(b: &mut Binder, c: &Buffers) -> Self {
        let (flights, shapes, pushes) = (c.pool(FLIGHTS), c.pool(FLIGHT_SHAPES), c.pool(PUSHES));
        let drift = [(Write, &c.step), (Write, flights), (Read, shapes), (Write, &c.poses), (Write, pushes)];
        let sum = [(Read, &c.meta), (Read, &c.contacts), (Write, pushes)];
        let kick = [(Write, flights), (Read, shapes), (Read, pushes)];
        Self {
            drift: b.control(&shaders::BODY_DRIFT, "body_drift", &[], &drift),
            sum: b.stage(&shaders::SUM_PUSHES, "sum_pushes", &[], &sum),
            kick: b.stage(&shaders::BODY_KICK, "body_kick", &[], &kick),
        }
    }
}

/// The kernels of a periodic cell that strains.
struct CellStages {
    strain: Bound,
    /// Where there are grains of several spheres.
    add_arms: Option<Bound>,
    sum: Bound,
    steer: Bound,
}

impl CellStages {
    fn new(b: &mut Binder, c: &Buffers, clumps: bool) -> Self {
        let (cell, stresses) = (c.pool(CELL), c.pool(STRESSES));
        let column = |info| c.columns.of(info);
        let strained = [(Write, &c.step), (Write, &c.params), (Write, &c.method_params), (Write, cell)];
        let add_arms = clumps.then(|| {
            let of_spheres = [(Read, c.pool(RIGID)), (Read, c.pool(MEMBERS)), (Read, column(GRAIN))];
            let buffers = [&of_spheres[..], &[(Read, column(LOADS)), (Write, stresses)]].concat();
            b.stage(&shaders::ADD_ARMS, "add_arms", &[], &buffers)
        });
        let sum = [(Read, stresses), (Write, &c.partials)];
        let steer = [(Read, &c.partials), (Write, cell)];
        Self {
            strain: b.alone(&shaders::STRAIN_CELL, "strain_cell", &strained),
            add_arms,
            sum: b.stage(&shaders::SUM_STRESS, "sum_stress", &[], &sum),
            steer: b.stage(&shaders::STEER_CELL, "steer_cell", &[], &steer),
        }
    }

    fn steer(&self, pass: &mut ComputePass, s: &SharedStages) {
        self.add_arms.iter().for_each(|add_arms| s.over_particles(pass, add_arms));
        s.over_particles(pass, &self.sum);
        self.steer.dispatch(pass, 1);
    }
}

impl DemStages {
    /// Binds kernels to buffers; `solids` are constants for kernels that find walls, where there are some.
    pub fn new(b: &mut Binder, c: &Buffers, pieces: Pieces, solids: Option<&[(&str, f64); 2]>) -> Self {
        let column = |info| c.columns.of(info);
        let (place, spin, loads) = (column(PLACE), column(SPIN), column(LOADS));
        let (partners, count) = (c.pool(PARTNERS), Pieces::count(c));
        let [clumps, bodies, strains] =
            [RIGID, FLIGHTS, CELL].map(|pool| c.pools.iter().any(|(name, _)| *name == pool));
        let grains = if clumps { column(GRAIN) } else { &c.spare_1 };
        let stresses = if strains { c.pool(STRESSES) } else { &c.spare_1 };
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
                (Write, stresses),
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
                    (Read, grains),
                ],
            ),
            walls: solids.map(|solids| WallStages::new(b, c, solids)),
            clumps: clumps.then(|| ClumpStages::new(b, c)),
            bodies: bodies.then(|| BodyStages::new(b, c)),
            cell: strains.then(|| CellStages::new(b, c, clumps)),
        }
    }

    /// First kick and drift, and whether lists hold; where they do not, contacts are put aside.
    fn kick_and_drift(&self, pass: &mut ComputePass, s: &SharedStages, sorts: bool) {
        self.cell.iter().for_each(|cell| cell.strain.dispatch(pass, 1));
        if let Some(clumps) = &self.clumps {
            clumps.drift.dispatch(pass, clumps.groups);
            s.run(pass, &clumps.place, slot::BLOCKS);
        }
        s.run(pass, &self.drift, slot::BLOCKS);
        self.bodies.iter().for_each(|bodies| bodies.drift.dispatch(pass, 1));
        self.decide_lists[usize::from(!sorts)].dispatch(pass, 1);
    }

    /// Second kick.
    fn kick(&self, pass: &mut ComputePass, s: &SharedStages) {
        if let Some(clumps) = &self.clumps {
            clumps.kick.dispatch(pass, clumps.groups);
            s.over_particles(pass, &clumps.rates);
        }
        s.over_particles(pass, &self.kick);
        self.bodies.iter().for_each(|bodies| bodies.kick.dispatch(pass, 1));
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
        self.clumps.iter().for_each(|clumps| s.run(pass, &clumps.find, slot::SEARCH));
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
            Box::new(|pass| {
                self.touch.iter().for_each(|piece| s.over_particles(pass, piece));
                self.cell.iter().for_each(|cell| cell.steer(pass, s));
            }),
        ));
        if let Some(walls) = &self.walls {
            list.push((
                Stage::TouchWalls,
                Box::new(|pass| {
                    s.run(pass, &walls.touch, slot::NEAR);
                    self.bodies.iter().for_each(|bodies| s.run(pass, &bodies.sum, slot::NEAR));
                }),
            ));
        }
        if s.has_drag() {
            list.push((Stage::Drag, Box::new(|pass| s.drag(pass))));
        }
        list.push((Stage::Integrate, Box::new(|pass| self.kick(pass, s))));
        list.push((Stage::Quarantine, Box::new(|pass| s.end(pass))));
        list
    }
}
