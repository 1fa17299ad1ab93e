//! The stages of a step, in the order of `crates/granule/src/solver/wcsph/mod.rs`.

use granule::solver::wcsph::kick::BODY_ROUNDS;
use granule::solver::wcsph::params::Setup;
use granule::stages::Stage;
use wgpu::ComputePass;

use crate::core::binder::Binder;
use crate::core::bodies::BodyStages;
use crate::core::buffers::Buffers;
use crate::core::constants::BodyVariant;
use crate::core::layout::slot;
use crate::core::method::MethodStages;
use crate::core::recording::{Recorded, StageList};
use crate::core::shared::SharedStages;
use crate::kernel::Access::{Read, Write};
use crate::kernel::Bound;

use super::columns::{ACCELERATION, MOTION, PLACE};
use super::shaders;

/// The kernels with their buffers.
pub struct WcsphStages {
    held: Option<HeldStages>,
    drift: Bound,
    decide_lists: Bound,
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
    fn new(b: &mut Binder, c: &Buffers, two_way: bool) -> Self {
        let (velocity, contacts) = ((Write, &c.velocity), (Write, &c.contacts));
        let half_kick = [
            velocity,
            (Read, c.columns.of(ACCELERATION)),
            contacts,
            (Read, &c.meta),
            (Write, &c.density_state),
        ];
        Self {
            half_kick: b.stage(&shaders::HALF_KICK, "half_kick", &[], &half_kick),
            hold_back: b.stage(
                &shaders::HOLD_BACK,
                "hold_back_once",
                &[],
                &[velocity, contacts, (Read, &c.density_state)],
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

impl WcsphStages {
    /// Binds kernels to buffers.
    pub fn new(b: &mut Binder, c: &Buffers, setup: &Setup) -> Self {
        let column = |info| c.columns.of(info);
        let (acceleration, place, motion) = (column(ACCELERATION), column(PLACE), column(MOTION));
        let (list, contacts, density_state) =
            ((Read, &c.list), (Read, &c.contacts), (Read, &c.density_state));
        let normals = setup.params.smoothed.then(|| {
            let buffers = [list, (Write, place), (Read, motion)];
            b.stage(&shaders::NORMALS, "compute_normals", &[], &buffers)
        });
        let (_, bodies) = b.surroundings();
        let held =
            (bodies != BodyVariant::Absent).then(|| HeldStages::new(b, c, bodies == BodyVariant::Free));
        Self {
            held,
            drift: b.stage(
                &shaders::DRIFT,
                "kick_and_drift",
                &[],
                &[
                    (Write, &c.position),
                    (Write, &c.velocity),
                    (Read, acceleration),
                    contacts,
                    (Read, &c.meta),
                    density_state,
                    (Read, &c.reordered),
                    (Write, &c.partials),
                ],
            ),
            decide_lists: b.control(
                &shaders::DECIDE_LISTS,
                "decide_lists",
                &[],
                &[(Write, &c.step), (Write, &c.arguments), (Read, &c.partials)],
            ),
            density: b.stage(
                &shaders::DENSITY,
                "compute_wcsph_density",
                &[],
                &[
                    list,
                    (Read, &c.position),
                    (Read, &c.velocity),
                    (Write, acceleration),
                    contacts,
                    (Write, &c.density_state),
                    (Write, place),
                    (Write, motion),
                ],
            ),
            normals,
            accelerate: b.stage(
                &shaders::ACCELERATE,
                "wcsph_accelerate",
                &[],
                &[list, (Read, place), (Read, motion), density_state, (Write, acceleration)],
            ),
            kick: b.stage(
                &shaders::KICK,
                "wcsph_kick",
                &[],
                &[
                    (Read, &c.position),
                    (Write, &c.velocity),
                    (Read, acceleration),
                    contacts,
                    (Write, &c.meta),
                    density_state,
                    (Write, &c.partials),
                ],
            ),
        }
    }

    /// First kick and drift, and whether lists hold.
    fn kick_and_drift(&self, pass: &mut ComputePass, s: &SharedStages) {
        let run = |pass: &mut ComputePass, kernel: &Bound| s.run(pass, kernel, slot::BLOCKS);
        if let Some((held, bodies)) = self.held.as_ref().zip(s.bodies.as_ref()) {
            held.kick(pass, bodies, &run);
        }
        run(pass, &self.drift);
        self.decide_lists.dispatch(pass, 1);
    }
}

impl MethodStages for WcsphStages {
    fn list<'a>(&'a self, s: &'a SharedStages, recorded: &Recorded) -> StageList<'a> {
        let Recorded { blocks, passes, .. } = *recorded;
        let mut list: StageList = vec![
            (
                Stage::Integrate,
                Box::new(move |pass| {
                    s.sorting.begin(pass, blocks);
                    self.kick_and_drift(pass, s);
                }),
            ),
            (Stage::Sort, Box::new(move |pass| s.sorting.sort(pass, passes))),
            (Stage::Neighbors, Box::new(|pass| s.search.find_neighbors(pass))),
            (Stage::SampleBoundaries, Box::new(|pass| s.search.sample_boundaries(pass))),
            (Stage::Density, Box::new(|pass| s.over_particles(pass, &self.density))),
            (
                Stage::Normals,
                Box::new(|pass| {
                    self.normals.iter().for_each(|normals| s.over_particles(pass, normals));
                }),
            ),
            (Stage::Accelerate, Box::new(|pass| s.over_particles(pass, &self.accelerate))),
        ];
        if s.has_drag() {
            list.push((Stage::Drag, Box::new(|pass| s.drag(pass))));
        }
        list.push((Stage::Integrate, Box::new(|pass| s.over_particles(pass, &self.kick))));
        list.push((Stage::Quarantine, Box::new(|pass| s.end(pass))));
        list
    }
}
