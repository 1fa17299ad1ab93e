//! The kernels of bodies that are made of particles, in the order of `crates/granule/src/solver/pbd/mod.rs`.
//!
//! ```text
//! list          rows of their particles, pairs of two bodies; where lists are new
//! begin         gravity; arms; particles get the velocities of their bodies
//! weigh         who touches; inverse masses of particles; whether bodies meet; impulses of the step before at walls
//! project       after the warm start, every sweep and every bounce: bodies get what their particles got
//! meet          eight sweeps over pairs of two bodies and walls after every sweep, where such a pair touches
//! gather        impulses of grains on particles, after the last sweep
//! drift         bodies move, particles with them; loads
//! ```
//! Sums over the particles of a body are one workgroup's: every thread adds up each 256th of them, then a tree adds up the threads.

use wgpu::ComputePass;

use crate::core::binder::Binder;
use crate::core::buffers::Buffers;
use crate::core::layout::slot;
use crate::core::shared::SharedStages;
use crate::kernel::Access::{Read, Write};
use crate::kernel::Bound;

use super::columns::{
    COLOURS, GEOMETRY, IMPULSES, MEETING, MEMBERS, MOTION, OFFSETS, PAIR_LAWS, PAIR_OF, PAIRS, PLACE, SHAPED,
    WALL_STEPS, WAY,
};
use super::layout::own_slot;
use super::shaders;

/// Sweeps that follow every sweep where bodies meet: twin of the constant of `solver/pbd/mod.rs`.
pub const MEETING_SWEEPS: usize = 8;

/// The kernels of bodies that may meet.
struct MeetingStages {
    meet: Bound,
    sweep: Bound,
    wall_forces: Bound,
}

/// The kernels with their buffers.
pub struct ShapedStages {
    count: u32,
    list: Bound,
    begin: Bound,
    touch: Bound,
    weigh: Bound,
    warm_walls: Bound,
    /// Without loads and with them.
    project: [Bound; 2],
    gather: Bound,
    drift: Bound,
    meeting: Option<MeetingStages>,
}

impl ShapedStages {
    /// Binds kernels to buffers, for so many bodies.
    pub fn new(b: &mut Binder, c: &Buffers, count: u32) -> Self {
        let (column, pool) = (|info| c.columns.of(info), |name| c.pool(name));
        let (list, meta, pair_of) = ((Read, &c.list), (Read, &c.meta), (Read, pool(PAIR_OF)));
        let (pairs, offsets) = ((Read, pool(PAIRS)), (Read, pool(OFFSETS)));
        let (bodies, members, motion) =
            ((Write, pool(SHAPED)), (Write, pool(MEMBERS)), (Write, column(MOTION)));
        let listed = [list, pair_of, meta, members, (Write, pool(COLOURS)), (Write, pool(MEETING))];
        let gather = [
            list,
            pair_of,
            pairs,
            (Read, pool(GEOMETRY)),
            (Read, pool(IMPULSES)),
            (Read, column(MOTION)),
            meta,
            members,
        ];
        let drift = [
            bodies,
            members,
            motion,
            offsets,
            (Read, column(WAY)),
            (Write, column(PLACE)),
            (Write, &c.position),
        ];
        let warm_walls = [meta, motion, (Read, &c.contacts), (Read, pool(WALL_STEPS))];
        Self {
            count,
            list: b.stage(&shaders::SHAPED_LIST, "shaped_list", &[], &listed),
            begin: b.stage(&shaders::SHAPED_BEGIN, "shaped_begin", &[], &[bodies, members, motion, offsets]),
            touch: b.stage(
                &shaders::SHAPED_TOUCH,
                "shaped_touch",
                &[],
                &[list, pair_of, pairs, meta, members],
            ),
            weigh: b.stage(
                &shaders::SHAPED_WEIGH,
                "shaped_weigh",
                &[],
                &[bodies, (Read, pool(MEMBERS)), motion],
            ),
            warm_walls: b.stage(&shaders::SHAPED_WARM_WALLS, "shaped_warm_walls", &[], &warm_walls),
            project: [0.0, 1.0].map(|loads| {
                let constants = [("LOADS", loads)];
                b.stage(&shaders::SHAPED_PROJECT, "shaped_project", &constants, &[bodies, members, motion])
            }),
            gather: b.stage(&shaders::SHAPED_GATHER, "shaped_gather", &[], &gather),
            drift: b.stage(&shaders::SHAPED_DRIFT, "shaped_drift", &[], &drift),
            meeting: (count > 1).then(|| MeetingStages::new(b, c)),
        }
    }

    /// Whether bodies may meet.
    pub fn may_meet(&self) -> bool {
        self.meeting.is_some()
    }

    /// New lists have been made.
    pub fn list(&self, pass: &mut ComputePass, s: &SharedStages) {
        s.run(pass, &self.list, slot::CARRY);
    }

    /// Bodies fall, and give particles their velocities.
    pub fn begin(&self, pass: &mut ComputePass) {
        self.begin.dispatch(pass, self.count);
    }

    /// Contacts are known: particles get their masses, and then the impulses of the step before at walls.
    pub fn weigh(&self, pass: &mut ComputePass, s: &SharedStages, walls: bool) {
        s.over_particles(pass, &self.touch);
        self.weigh.dispatch(pass, self.count);
        self.meeting.iter().for_each(|meeting| meeting.meet.dispatch(pass, 1));
        if walls {
            s.run(pass, &self.warm_walls, slot::NEAR);
        }
    }

    /// Bodies get what their particles got.
    pub fn project(&self, pass: &mut ComputePass) {
        self.project[0].dispatch(pass, self.count);
    }

    /// The same of what grains gave beside their impulses: it is added to loads.
    pub fn project_loads(&self, pass: &mut ComputePass) {
        self.project[1].dispatch(pass, self.count);
    }

    /// Some more sweeps, where bodies meet; `at_walls` sweeps over those particles near walls that a slot has.
    pub fn sweep_meeting(
        &self,
        pass: &mut ComputePass,
        s: &SharedStages,
        at_walls: impl Fn(&mut ComputePass, u64),
    ) {
        let Some(meeting) = &self.meeting else { return };
        for _ in 0..MEETING_SWEEPS {
            s.run(pass, &meeting.sweep, own_slot::MEETING_ONE);
            at_walls(pass, own_slot::MEETING_NEAR);
            s.run(pass, &self.project[0], own_slot::MEETING_BODIES);
        }
    }

    /// Contacts with walls leave forces behind, which no sweep knew to be the last.
    pub fn leave_wall_forces(&self, pass: &mut ComputePass, s: &SharedStages) {
        self.meeting.iter().for_each(|meeting| s.run(pass, &meeting.wall_forces, slot::NEAR));
    }

    /// What grains did to particles.
    pub fn gather(&self, pass: &mut ComputePass, s: &SharedStages) {
        s.over_particles(pass, &self.gather);
    }

    /// Bodies move, and particles with them.
    pub fn drift(&self, pass: &mut ComputePass) {
        self.drift.dispatch(pass, self.count);
    }
}

impl MeetingStages {
    fn new(b: &mut Binder, c: &Buffers) -> Self {
        let (column, pool) = (|info| c.columns.of(info), |name| c.pool(name));
        let meet = [
            (Read, pool(PAIRS)),
            (Read, pool(COLOURS)),
            (Read, pool(MEETING)),
            (Read, pool(SHAPED)),
            (Write, &c.arguments),
        ];
        let sweep = [
            (Read, pool(PAIRS)),
            (Read, pool(GEOMETRY)),
            (Write, pool(IMPULSES)),
            (Write, column(MOTION)),
            (Write, pool(COLOURS)),
            (Read, column(PLACE)),
            (Read, pool(PAIR_LAWS)),
            (Read, pool(MEETING)),
        ];
        let forces = [(Read, &c.meta), (Write, &c.contacts)];
        Self {
            meet: b.stage(&shaders::SHAPED_MEET, "shaped_meet", &[], &meet),
            sweep: b.stage(&shaders::SWEEP_MEETING, "sweep_meeting", &[], &sweep),
            wall_forces: b.stage(&shaders::WALL_FORCES, "wall_forces", &[], &forces),
        }
    }
}
