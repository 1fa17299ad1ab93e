//! What the weakly compressible solver has of its own on a device: two kicks around what all solvers share (sort, lists,
//! samples of walls, bodies, air, reports), and the forces between them. The order is that of
//! `crates/granule/src/solver/wcsph/mod.rs`, the columns are those of `iisph`:
//!
//! | buffer | holds |
//! | --- | --- |
//! | stress | acceleration, then pressure where `iisph` has it; sorted along |
//! | prediction | position and p/rho^2, then normals; after a step, accelerations |
//! | solved | velocity at the time of the positions, and density |
//! | found | density, whether walls can be near, contacts, material and number of neighbours |
//! | scratch | first of all, positions when lists were built |
//!
//! **Lists** reach a skin farther than the support. After the drift the device finds how far particles are from where they
//! were listed, and leaves out sort and search as long as no two can have come near from beyond (`weak_lists.wgsl`); pairs
//! beyond the support add nothing. Nor are walls sampled for particles that were far from all.
//!
//! **Interrupted steps.** A step kicks and drifts before anything has room to find out that it has none. If lists or contacts
//! do not fit, it halts as steps of `iisph` do; begun anew it goes on behind the drift (`StepRecord::kicked`). So it does
//! where there are bodies: rapier moves these between the drift and the samples of walls.
//!
//! **Beginnings.** The very first step is preceded by one of no length, which finds accelerations, neighbours and walls. The
//! first one of a frame, or after anything was changed between steps, is preceded by one that finds neighbours and walls
//! alone: a checkpoint need not hold them, and a resumed run gives the same bits.

use granule::scene::{PressureLaw, Scene};
use granule::simd::Instructions;
use granule::solver::wcsph::kick::BODY_ROUNDS;
use granule::solver::wcsph::params::{Fluid, Setup};
use wgpu::ComputePass;

use crate::bodies::BodyStages;
use crate::columns::Columns;
use crate::constants::{self, BodyVariant};
use crate::kernel::Access::{Read, Write};
use crate::kernel::Bound;
use crate::layout::{MaterialRecord, Params};
use crate::shaders;
use crate::stages::Binder;

/// What makes the shaders of the weakly compressible solver differ between scenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeakVariant {
    viscous: bool,
    damped: bool,
    cohesive: bool,
    smoothed: bool,
}

impl WeakVariant {
    /// The variant of a scene.
    pub fn new(setup: &Setup) -> Self {
        let params = &setup.params;
        Self {
            viscous: params.viscous,
            damped: params.damped,
            cohesive: params.cohesive,
            smoothed: params.smoothed,
        }
    }

    /// Overrides of constants.
    pub fn constants(&self) -> [(&'static str, f64); 6] {
        let flag = |on: bool| f64::from(u8::from(on));
        [
            ("WEAK", 1.0),
            ("WALL_RELAXATION", 1.0),
            ("VISCOUS", flag(self.viscous)),
            ("DAMPED", flag(self.damped)),
            ("COHESIVE", flag(self.cohesive)),
            ("SMOOTHED", flag(self.smoothed)),
        ]
    }
}

/// The solver's constants, as the CPU derives them.
pub fn setup(scene: &Scene) -> Setup {
    Setup::new(scene, None, Instructions::Portable)
}

/// Takes over what differs from `iisph` in the constants of a scene.
pub fn set_params(record: &mut Params, setup: &Setup) {
    let params = &setup.params;
    let finite = |seconds: f64| (seconds as f32).min(f32::MAX);
    record.sound_speed = params.sound_speed;
    record.viscous_step = finite(params.smooth_step);
    record.longest_step = finite(params.time_step.unwrap_or(params.max_time_step));
    record.push_out_speed = params.push_out_speed;
    constants::set_reach(record, params.skin);
}

/// Takes over a fluid.
pub fn set_material(record: &mut MaterialRecord, fluid: &Fluid, spacing: f32) {
    record.stiffness = fluid.stiffness;
    record.tait_exponent = if fluid.law == PressureLaw::Tait { fluid.exponent as f32 } else { 0.0 };
    record.dynamic_viscosity = fluid.viscosity;
    record.damping = fluid.damping;
    record.surface_force = fluid.cohesion * spacing.powi(-3);
    record.smoothing = fluid.smoothing;
}

/// The kernels with their buffers.
pub struct WeakStages {
    held: Option<HeldStages>,
    drift: Bound,
    lists: Bound,
    density: Bound,
    normals: Option<Bound>,
    accelerate: Bound,
    kick: Bound,
}

/// The first kick where there are bodies.
struct HeldStages {
    half_kick: Bound,
    hold_back: Bound,
    /// Whether some body gives way.
    two_way: bool,
}

impl HeldStages {
    fn new(b: &mut Binder, c: &Columns, two_way: bool) -> Self {
        let (velocity, contacts) = ((Write, &c.velocity), (Write, &c.contacts));
        let half_kick = [velocity, (Read, &c.stress), contacts, (Read, &c.tags), (Write, &c.found)];
        Self {
            half_kick: b.stage(&shaders::WEAK_HALF_KICK, "half_kick", &[], &half_kick),
            hold_back: b.stage(
                &shaders::WEAK_HOLD_BACK,
                "hold_back_once",
                &[],
                &[velocity, contacts, (Read, &c.found)],
            ),
            two_way,
        }
    }

    /// Half a kick, and what walls and bodies take from it.
    fn kick(&self, pass: &mut ComputePass, bodies: &BodyStages, run: &impl Fn(&mut ComputePass, &Bound)) {
        run(pass, &self.half_kick);
        bodies.begin(pass, self.two_way, run);
        if !self.two_way {
            run(pass, &self.hold_back);
            bodies.sum_up(pass, run);
            return;
        }
        for _ in 0..BODY_ROUNDS {
            run(pass, &self.hold_back);
            bodies.update(pass, run);
        }
    }
}

impl WeakStages {
    /// Binds kernels to buffers.
    pub fn new(b: &mut Binder, c: &Columns, variant: &WeakVariant, bodies: BodyVariant) -> Self {
        let (list, contacts, stress) = ((Read, &c.list), (Read, &c.contacts), (Read, &c.stress));
        let normals = variant.smoothed.then(|| {
            let buffers = [list, (Write, &c.prediction), (Read, &c.solved)];
            b.stage(&shaders::WEAK_NORMALS, "compute_normals", &[], &buffers)
        });
        let held =
            (bodies != BodyVariant::Absent).then(|| HeldStages::new(b, c, bodies == BodyVariant::Free));
        Self {
            held,
            drift: b.stage(
                &shaders::WEAK_DRIFT,
                "kick_and_drift",
                &[],
                &[
                    (Write, &c.position),
                    (Write, &c.velocity),
                    stress,
                    contacts,
                    (Read, &c.tags),
                    (Read, &c.found),
                    (Read, &c.scratch),
                    (Write, &c.partials),
                ],
            ),
            lists: b.control(
                &shaders::WEAK_LISTS,
                "decide_lists",
                &[],
                &[(Write, &c.step), (Write, &c.arguments), (Read, &c.partials)],
            ),
            density: b.stage(
                &shaders::WEAK_DENSITY,
                "compute_weak_density",
                &[],
                &[
                    list,
                    (Read, &c.position),
                    (Read, &c.velocity),
                    (Write, &c.stress),
                    contacts,
                    (Write, &c.found),
                    (Write, &c.prediction),
                    (Write, &c.solved),
                ],
            ),
            normals,
            accelerate: b.stage(
                &shaders::WEAK_ACCELERATE,
                "weak_accelerate",
                &[],
                &[list, (Read, &c.prediction), (Read, &c.solved), (Read, &c.found), (Write, &c.stress)],
            ),
            kick: b.stage(
                &shaders::WEAK_KICK,
                "weak_kick",
                &[],
                &[
                    (Read, &c.position),
                    (Write, &c.velocity),
                    stress,
                    contacts,
                    (Write, &c.tags),
                    (Read, &c.found),
                    (Write, &c.partials),
                    (Write, &c.prediction),
                ],
            ),
        }
    }

    /// First kick and drift, and whether lists hold; `run` dispatches a kernel over the particles.
    pub fn kick_and_drift(
        &self,
        pass: &mut ComputePass,
        bodies: Option<&BodyStages>,
        run: impl Fn(&mut ComputePass, &Bound),
    ) {
        if let Some((held, bodies)) = self.held.as_ref().zip(bodies) {
            held.kick(pass, bodies, &run);
        }
        run(pass, &self.drift);
        self.lists.dispatch(pass, 1);
    }

    /// Density and pressure; `run` dispatches a kernel over the particles.
    pub fn density(&self, pass: &mut ComputePass, run: impl Fn(&mut ComputePass, &Bound)) {
        run(pass, &self.density);
    }

    /// Normals, where surfaces are smoothed.
    pub fn normals(&self, pass: &mut ComputePass, run: impl Fn(&mut ComputePass, &Bound)) {
        self.normals.iter().for_each(|normals| run(pass, normals));
    }

    /// Accelerations.
    pub fn accelerate(&self, pass: &mut ComputePass, run: impl Fn(&mut ComputePass, &Bound)) {
        run(pass, &self.accelerate);
    }

    /// Second kick.
    pub fn kick(&self, pass: &mut ComputePass, run: impl Fn(&mut ComputePass, &Bound)) {
        run(pass, &self.kick);
    }
}

#[cfg(test)]
mod tests;
