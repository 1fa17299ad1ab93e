//! The stages of a step, in the order of `crates/granule/src/solver/iisph/mod.rs`.

use granule::solver::iisph::setup::Setup;
use granule::stages::Stage;
use wgpu::ComputePass;

use crate::core::binder::Binder;
use crate::core::buffers::Buffers;
use crate::core::layout::slot;
use crate::core::method::MethodStages;
use crate::core::recording::{Recorded, StageList, Work};
use crate::core::shared::SharedStages;
use crate::kernel::Access::{Read, Write};
use crate::kernel::Bound;

use super::columns::{ACCELERATION, PREDICTION, SOLVED, STRESS};
use super::constants::is_explicit;
use super::shaders;

/// The kernels with their buffers.
pub struct IisphStages {
    density: Bound,
    warm_start: Bound,
    begin_iterations: Bound,
    predict: Bound,
    find_trial: Option<Bound>,
    accelerate: Bound,
    project: Bound,
    decide: Bound,
    finish: Bound,
    integrate: Bound,
    diagnose: Bound,
}

impl IisphStages {
    /// Binds kernels to buffers.
    pub fn new(b: &mut Binder, c: &Buffers, setup: &Setup) -> Self {
        let column = |info| c.columns.of(info);
        let (stress, prediction, solved) = (column(STRESS), column(PREDICTION), column(SOLVED));
        let (list, position, density_state) =
            ((Read, &c.list), (Read, &c.position), (Read, &c.density_state));
        let find_trial = is_explicit(setup).then(|| {
            let buffers = [list, position, density_state, (Write, prediction)];
            b.stage(&shaders::FIND_TRIAL, "find_trial_stress", &[], &buffers)
        });
        Self {
            density: b.stage(
                &shaders::DENSITY,
                "compute_density",
                &[],
                &[list, position, (Read, &c.meta), (Read, &c.contacts), (Write, &c.density_state)],
            ),
            warm_start: b.stage(
                &shaders::WARM_START,
                "warm_start",
                &[],
                &[
                    (Write, stress),
                    density_state,
                    (Read, &c.contacts),
                    (Write, prediction),
                    (Write, &c.partials),
                ],
            ),
            begin_iterations: b.control(
                &shaders::BEGIN_ITERATIONS,
                "begin_iterations",
                &shaders::least_constants(setup),
                &[(Write, &c.step), (Read, &c.partials)],
            ),
            predict: b.stage(
                &shaders::PREDICT,
                "predict_velocity",
                &[],
                &[list, position, (Read, &c.velocity), (Read, &c.meta), (Write, prediction)],
            ),
            find_trial,
            accelerate: b.stage(
                &shaders::ACCELERATE,
                "accelerate",
                &[],
                &[list, position, (Read, stress), (Read, prediction), density_state, (Write, solved)],
            ),
            project: b.stage(
                &shaders::PROJECT,
                "project",
                &[],
                &[
                    list,
                    position,
                    (Read, solved),
                    (Write, stress),
                    density_state,
                    (Write, &c.contacts),
                    (Write, prediction),
                    (Write, &c.partials),
                ],
            ),
            decide: b.control(
                &shaders::DECIDE,
                "decide",
                &shaders::decide_constants(),
                &[(Write, &c.step), (Write, &c.arguments), (Read, &c.partials)],
            ),
            finish: b.control(&shaders::FINISH, "finish", &[], &[(Write, &c.step), (Write, &c.arguments)]),
            integrate: b.stage(
                &shaders::INTEGRATE,
                "integrate",
                &[],
                &[
                    (Write, &c.position),
                    (Write, &c.velocity),
                    (Read, solved),
                    (Write, &c.meta),
                    density_state,
                    (Write, &c.partials),
                    (Write, column(ACCELERATION)),
                ],
            ),
            diagnose: b.stage(
                &shaders::DIAGNOSE,
                "diagnose",
                &[],
                &[list, position, (Read, solved), (Read, stress), (Write, &c.partials)],
            ),
        }
    }
}

impl MethodStages for IisphStages {
    fn list<'a>(&'a self, s: &'a SharedStages, recorded: &Recorded) -> StageList<'a> {
        let Recorded { blocks, passes, .. } = *recorded;
        let accelerate = |slot: u64| {
            let run = move |pass: &mut ComputePass| s.run(pass, &self.accelerate, slot);
            Box::new(run) as Work<'a>
        };
        let mut list: StageList = vec![
            (
                Stage::Sort,
                Box::new(move |pass| {
                    s.sorting.begin(pass, blocks);
                    s.sorting.sort(pass, passes);
                }),
            ),
            (Stage::Neighbors, Box::new(|pass| s.search.find_neighbors(pass))),
            (Stage::SampleBoundaries, Box::new(|pass| s.search.sample_boundaries(pass))),
            (
                Stage::WarmStart,
                Box::new(|pass| {
                    s.begin_bodies(pass);
                    s.over_particles(pass, &self.warm_start);
                    self.begin_iterations.dispatch(pass, 1);
                }),
            ),
            (Stage::Density, Box::new(|pass| s.over_particles(pass, &self.density))),
        ];
        if s.has_drag() {
            list.push((Stage::Drag, Box::new(|pass| s.drag(pass))));
        }
        list.push((
            Stage::PredictVelocity,
            Box::new(|pass| {
                s.over_particles(pass, &self.predict);
                self.find_trial.iter().for_each(|find_trial| s.over_particles(pass, find_trial));
            }),
        ));
        list.push((Stage::Accelerate, accelerate(slot::PARTICLES)));
        for _ in 0..recorded.sure_iterations {
            list.push((
                Stage::Project,
                Box::new(|pass| {
                    s.over_particles(pass, &self.project);
                    s.push_bodies(pass, slot::PARTICLES);
                }),
            ));
            list.push((Stage::Accelerate, accelerate(slot::PARTICLES)));
        }
        for _ in 0..recorded.iterations {
            list.push((
                Stage::Project,
                Box::new(|pass| {
                    s.run(pass, &self.project, slot::ITERATE);
                    self.decide.dispatch(pass, 1);
                    s.push_bodies(pass, slot::AFTER_DECIDE);
                }),
            ));
            list.push((Stage::Accelerate, accelerate(slot::AFTER_DECIDE)));
        }
        list.push((
            Stage::Integrate,
            Box::new(|pass| {
                self.finish.dispatch(pass, 1);
                s.load_bodies(pass);
                s.run(pass, &self.integrate, slot::FINISH);
            }),
        ));
        if recorded.diagnostics {
            list.push((Stage::Diagnose, Box::new(|pass| s.run(pass, &self.diagnose, slot::FINISH))));
        }
        list.push((Stage::Quarantine, Box::new(|pass| s.end(pass))));
        list
    }
}
