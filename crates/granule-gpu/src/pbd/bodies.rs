//! Boundaries that grains push: rigid bodies, which follow the impulses of contacts within a step until rapier moves them at its end,
//! and walls that hold a force, which the device moves.

use granule::boundary::Boundaries;
use granule::scene::{BodyCoupling, BodyKind, BodySettings, Scene};
use wgpu::ComputePass;

use crate::core::binder::Binder;
use crate::core::buffers::{Buffers, PoolInfo};
use crate::core::layout::{LOAD_WORDS, slot};
use crate::core::method::{MovedBodies, PoolWrite};
use crate::core::shaders::hooked;
use crate::core::shared::SharedStages;
use crate::dem::bodies::{moved_servos, servo_record, servo_shape};
use crate::dem::layout::{ServoRecord, ServoShapeRecord};
use crate::kernel::Access::{Read, Write};
use crate::kernel::Bound;

use super::columns::{PUSHES, SERVO_SHAPES, SERVOS, WALL_STEPS};
use super::shaders;

/// What of a scene grains push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pushed {
    /// Rigid bodies with surfaces, whose loads are asked for.
    pub bodies: bool,
    /// Such that give way.
    pub free: bool,
    /// Walls that hold a force.
    pub servos: bool,
}

impl Pushed {
    /// What a scene has.
    pub fn of(scene: &Scene) -> Self {
        let motions = scene.boundary.iter().filter_map(|wall| wall.motion.as_ref());
        let has_surface = |body: &&BodySettings| body.coupling != BodyCoupling::Particles;
        let bodies: Vec<&BodySettings> = scene.body.iter().filter(has_surface).collect();
        Self {
            bodies: !bodies.is_empty(),
            free: bodies.iter().any(|body| body.kind == BodyKind::Dynamic),
            servos: motions.into_iter().any(|motion| motion.servo.is_some()),
        }
    }

    /// The buffers for so many boundaries.
    pub fn pools(&self, boundaries: usize) -> Vec<PoolInfo> {
        let sums = (self.bodies || self.servos).then_some((PUSHES, 4 * LOAD_WORDS as usize));
        let servos =
            [(SERVOS, size_of::<ServoRecord>()), (SERVO_SHAPES, size_of::<ServoShapeRecord>())].into_iter();
        let all = sums.into_iter().chain(servos.filter(|_| self.servos));
        all.map(|(name, size)| PoolInfo { name, bytes: (size * boundaries) as u64 }).collect()
    }

    /// What is written to them in a frame that begins at `start` \[s\].
    pub fn send(&self, boundaries: &Boundaries, start: f64) -> Vec<PoolWrite> {
        if !self.servos {
            return Vec::new();
        }
        let records: Vec<ServoRecord> = boundaries.iter().map(servo_record).collect();
        let shapes: Vec<ServoShapeRecord> = boundaries.iter().map(|wall| servo_shape(wall, start)).collect();
        vec![
            PoolWrite { pool: SERVOS, at: 0, bytes: bytemuck::pod_collect_to_vec(&records) },
            PoolWrite { pool: SERVO_SHAPES, at: 0, bytes: bytemuck::pod_collect_to_vec(&shapes) },
        ]
    }
}

/// Walls that hold a force as the device left them.
pub fn fetch(bytes: &[u8], boundaries: &Boundaries) -> MovedBodies {
    let records: Vec<ServoRecord> = bytemuck::pod_collect_to_vec(bytes);
    MovedBodies { servos: moved_servos(records.iter(), boundaries), ..MovedBodies::default() }
}

/// The kernels of bodies.
struct BodyStages {
    begin: Bound,
    count: Bound,
    attach: Bound,
    follow: Bound,
    carry: Bound,
}

/// The kernels of walls that hold a force.
struct ServoStages {
    lead: Bound,
    kick: Bound,
}

/// The kernels of boundaries that grains push.
pub struct PushStages {
    bodies: Option<BodyStages>,
    free: bool,
    servos: Option<ServoStages>,
    /// Within sweeps, after them, and after bounces.
    sums: [Bound; 3],
}

/// Where a step is when pushes are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SumPhase {
    /// Contacts have impulses.
    Sweeping,
    /// They have forces.
    Swept,
    /// What they have done is beside them.
    Bounced,
}

impl PushStages {
    /// Binds kernels to buffers.
    pub fn new(b: &mut Binder, c: &Buffers, pushed: Pushed) -> Self {
        let (pushes, steps) = (c.pool(PUSHES), c.pool(WALL_STEPS));
        let [meta, touches] = [(Read, &c.meta), (Read, &c.contacts)];
        let sum = [meta, touches, (Read, steps), (Read, &c.poses), (Write, pushes)];
        Self {
            sums: [0.0, 1.0, 2.0]
                .map(|phase| b.stage(&shaders::SUM_PUSHES, "pbd_sum_pushes", &[("PHASE", phase)], &sum)),
            free: pushed.free,
            bodies: pushed.bodies.then(|| {
                let begin = [(Write, &c.bodies), (Write, &c.loads), (Read, &c.poses)];
                let attach = [meta, touches, (Read, pushes), (Read, &c.bodies), (Write, steps)];
                let carry = [meta, touches, (Read, &c.bodies), (Write, steps)];
                BodyStages {
                    begin: b.stage(&hooked::BEGIN_BODIES, "begin_bodies", &[], &begin),
                    count: b.stage(
                        &shaders::COUNT_TOUCHES,
                        "count_touches",
                        &[],
                        &[meta, touches, (Write, pushes)],
                    ),
                    attach: b.stage(&shaders::ATTACH_TOUCHES, "attach_touches", &[], &attach),
                    follow: b.stage(
                        &shaders::FOLLOW_BODIES,
                        "follow_bodies",
                        &[],
                        &[(Write, &c.bodies), (Write, pushes)],
                    ),
                    carry: b.stage(&shaders::CARRY_TOUCHES, "carry_touches", &[], &carry),
                }
            }),
            servos: pushed.servos.then(|| {
                let (servos, shapes) = ((Write, c.pool(SERVOS)), (Read, c.pool(SERVO_SHAPES)));
                let lead = [servos, shapes, (Write, &c.poses)];
                let kick = [servos, shapes, (Write, pushes)];
                ServoStages {
                    lead: b.stage(&shaders::LEAD_SERVOS, "lead_servos", &[], &lead),
                    kick: b.stage(&shaders::KICK_SERVOS, "kick_servos", &[], &kick),
                }
            }),
        }
    }

    /// Walls that hold a force go where they will be at the step's end.
    pub fn lead(&self, pass: &mut ComputePass) {
        self.servos.iter().for_each(|servos| servos.lead.dispatch(pass, 1));
    }

    /// Bodies as they would move without grains, how much they give way, and their motion under the impulses of the step before.
    pub fn begin(&self, pass: &mut ComputePass, s: &SharedStages) {
        let Some(bodies) = &self.bodies else { return };
        bodies.begin.dispatch(pass, 1);
        if self.free {
            s.run(pass, &bodies.count, slot::NEAR);
            s.run(pass, &bodies.attach, slot::NEAR);
            // Contacts are counted in the sums, which are emptied by this.
            bodies.follow.dispatch(pass, 1);
        }
        self.follow(pass, s);
    }

    /// Bodies that give way follow the impulses of now, and contacts with them.
    pub fn follow(&self, pass: &mut ComputePass, s: &SharedStages) {
        if let Some(bodies) = self.bodies.as_ref().filter(|_| self.free) {
            s.run(pass, &self.sums[SumPhase::Sweeping as usize], slot::NEAR);
            bodies.follow.dispatch(pass, 1);
            s.run(pass, &bodies.carry, slot::NEAR);
        }
    }

    /// The forces of grains at the end of a step.
    pub fn load(&self, pass: &mut ComputePass, s: &SharedStages, phase: SumPhase) {
        s.run(pass, &self.sums[phase as usize], slot::NEAR);
        self.bodies.iter().for_each(|bodies| bodies.follow.dispatch(pass, 1));
        self.servos.iter().for_each(|servos| servos.kick.dispatch(pass, 1));
    }
}
