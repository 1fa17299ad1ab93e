//! Rigid bodies: the method pushes them on the device, rapier moves them on the CPU in every step.
//!
//! A scene with bodies takes its steps one by one. Before a step the bodies' velocities, masses and inertia go to the
//! device; the method's iterations or rounds over walls carry them along as on the CPU, contact by contact, and add up the
//! forces in an order that does not matter; then these come back and rapier takes them as impulses, when the method says
//! (`BodyVisit`): at the end of a step of `iisph`, between drift and samples of walls in one of `wcsph`. The lag is 0 steps:
//! a body never moves on with forces of an older step, so momentum is conserved as on the CPU.

use glam::{DVec3, Vec3};
use granule::bodies::{Bodies, BodyMotion, Wrench};
use granule::boundary::Boundaries;
use granule_device::GpuDevice;
use wgpu::ComputePass;

use crate::kernel::Access::{Read, Write};
use crate::kernel::Bound;

use super::binder::Binder;
use super::buffers::Buffers;
use super::layout::{BodyRecord, PoseRecord};
use super::shaders::hooked;

/// The kernels that couple grains and bodies.
pub struct BodyStages {
    begin: Bound,
    count: Bound,
    attach: Bound,
    sum: Bound,
    push: Bound,
    carry: Bound,
}

impl BodyStages {
    /// Binds kernels to buffers.
    pub fn new(b: &mut Binder, c: &Buffers) -> Self {
        let (density_state, contacts) = ((Read, &c.density_state), (Read, &c.contacts));
        Self {
            begin: b.stage(
                &hooked::BEGIN_BODIES,
                "begin_bodies",
                &[],
                &[(Write, &c.bodies), (Write, &c.loads), (Read, &c.poses)],
            ),
            count: b.stage(
                &hooked::COUNT_CONTACTS,
                "count_contacts",
                &[],
                &[density_state, contacts, (Write, &c.loads)],
            ),
            attach: b.stage(
                &hooked::ATTACH,
                "attach",
                &[],
                &[
                    density_state,
                    (Write, &c.contacts),
                    (Read, &c.loads),
                    (Read, &c.bodies),
                    (Read, &c.position),
                ],
            ),
            sum: b.stage(
                &hooked::SUM_LOADS,
                "sum_loads",
                &[],
                &[density_state, contacts, (Write, &c.loads), (Read, &c.bodies), (Read, &c.position)],
            ),
            push: b.stage(&hooked::PUSH_BODIES, "push_bodies", &[], &[(Write, &c.bodies), (Write, &c.loads)]),
            carry: b.stage(
                &hooked::CARRY,
                "carry",
                &[],
                &[density_state, (Write, &c.contacts), (Read, &c.bodies), (Read, &c.position)],
            ),
        }
    }

    /// Bodies without grains, and each contact's share of them; `run` dispatches a kernel over the particles.
    pub fn begin(&self, pass: &mut ComputePass, two_way: bool, run: impl Fn(&mut ComputePass, &Bound)) {
        self.begin.dispatch(pass, 1);
        if two_way {
            run(pass, &self.count);
            run(pass, &self.attach);
            self.update(pass, run);
        }
    }

    /// Pushes the bodies by the contacts' impulses of now and moves the contacts along.
    pub fn update(&self, pass: &mut ComputePass, run: impl Fn(&mut ComputePass, &Bound)) {
        self.sum_up(pass, &run);
        run(pass, &self.carry);
    }

    /// Adds up the forces on the bodies.
    pub fn sum_up(&self, pass: &mut ComputePass, run: impl Fn(&mut ComputePass, &Bound)) {
        run(pass, &self.sum);
        self.push.dispatch(pass, 1);
    }
}

fn row(v: Vec3, w: f32) -> [f32; 4] {
    v.extend(w).to_array()
}

/// A body as shaders see it.
pub fn record(motion: &BodyMotion) -> BodyRecord {
    let inertia = motion.inverse_inertia;
    BodyRecord {
        center: row(motion.center, motion.inverse_mass),
        begin_linear: row(motion.linear, 0.0),
        begin_angular: row(motion.angular, 0.0),
        inertia_x: row(inertia.x_axis, 0.0),
        inertia_y: row(inertia.y_axis, 0.0),
        inertia_z: row(inertia.z_axis, 0.0),
        ..BodyRecord::default()
    }
}

/// Writes where the bodies are and how they move.
pub fn upload(gpu: &GpuDevice, buffers: &Buffers, bodies: &Bodies, boundaries: &Boundaries) {
    // Without a time step gravity does nothing yet: the device adds it once it knows the step's length.
    let motions = bodies.free_motions(boundaries, Vec3::ZERO, 0.0);
    let records: Vec<BodyRecord> = motions.iter().map(record).collect();
    gpu.queue.write_buffer(&buffers.bodies, 0, bytemuck::cast_slice(&records));
}

/// Marks the poses of bodies that give way; bodies come after `walls` boundaries.
pub fn mark_free(poses: &mut [PoseRecord], walls: usize, bodies: &Bodies, boundaries: &Boundaries) {
    let motions = bodies.free_motions(boundaries, Vec3::ZERO, 0.0);
    for (pose, motion) in poses.iter_mut().skip(walls).zip(&motions) {
        pose.high[3] = f32::from(u8::from(motion.inverse_mass > 0.0));
    }
}

/// Marks the poses of what the forces of grains are asked for: bodies, which come after `walls` boundaries, and walls that hold a
/// force.
pub fn mark_loaded(poses: &mut [PoseRecord], walls: usize, boundaries: &Boundaries) {
    for (k, (pose, boundary)) in poses.iter_mut().zip(boundaries.iter()).enumerate() {
        pose.rest[3] = f32::from(u8::from(k >= walls || boundary.servo().is_some()));
    }
}

/// The forces of grains on bodies, as a device found them.
pub fn loads(records: &[BodyRecord]) -> Vec<Wrench> {
    let vector = |row: &[f32; 4]| DVec3::new(row[0].into(), row[1].into(), row[2].into());
    records.iter().map(|body| Wrench { force: vector(&body.force), torque: vector(&body.torque) }).collect()
}
