//! Building a simulation: from a scene to walls, shapes, grains, bodies, and a solver on a device.

mod content;
mod options;

use crate::bodies::Bodies;
use crate::boundary::Boundaries;
use crate::error::{BackendError, SimulationError};
use crate::flow::Flow;
use crate::grains::GrainShapes;
use crate::scene::Scene;
use crate::simd::Instructions;
use crate::simulator::Simulator;
use crate::solver::SolverInput;
use crate::team::Team;
use crate::upsample::{AdvectionSettings, CpuGrains, GrainAdvector, Upsampler};

pub(crate) use content::{InitialGrains, boundaries, grain_shapes, grains, problem, shapes};
pub use options::{Backend, BackendInput, Device, Options, SharedBackend};

/// Why devices refuse deliberate faults.
const CONTROLS_ON_CPU: &str = "deliberate faults are for the CPU's solver only; take Device::Cpu";

/// What a simulation is put together from.
pub(crate) struct Parts {
    /// The solver on its device.
    pub simulator: Box<dyn Simulator>,
    /// Emitters, outlets and counters, with the books open.
    pub flow: Flow,
    /// Fine grains, where the scene asks for them, without any yet.
    pub upsampler: Option<Upsampler>,
    /// Why the preferred device did not take the scene.
    pub refusal: Option<String>,
}

/// Builds what simulates a scene between its walls, with these grains.
///
/// # Errors
/// Says what is wrong with the scene, or why the machine or the device refuses it.
pub(crate) fn parts(
    scene: &Scene,
    boundaries: Boundaries,
    grain_shapes: &GrainShapes,
    initial: &InitialGrains,
    options: &Options,
) -> Result<Parts, SimulationError> {
    let mut boundaries = boundaries;
    let bodies = content::bodies(scene, &mut boundaries)?;
    let mut flow = Flow::new(scene, grain_shapes, &boundaries)?;
    let mut refusal = None;
    let solver = options.solver_for(scene);
    let upsampler = upsampler(scene, &boundaries, options)?;
    let input = |boundaries: Boundaries, bodies: Bodies| BackendInput {
        solver,
        scene,
        boundaries,
        bodies,
        grains: &initial.particles,
        assemblies: &initial.assemblies,
        grain_shapes,
    };
    let mut simulator = match &options.device {
        Device::Cpu => on_cpu(scene, boundaries, bodies, initial, grain_shapes, options)?,
        Device::Backend(_) | Device::Preferred(_) if options.defect.is_some() => {
            return Err(BackendError::new(CONTROLS_ON_CPU).into());
        }
        Device::Backend(backend) => backend.make(input(boundaries, bodies))?,
        Device::Preferred(backend) => match backend.make(input(boundaries.clone(), bodies)) {
            Ok(simulator) => simulator,
            Err(error) => {
                refusal = Some(error.to_string());
                let bodies = content::bodies(scene, &mut boundaries)?;
                on_cpu(scene, boundaries, bodies, initial, grain_shapes, options)?
            }
        },
    };
    flow.begin(simulator.as_mut());
    Ok(Parts { simulator, flow, upsampler, refusal })
}

/// A solver on CPU cores.
fn on_cpu(
    scene: &Scene,
    boundaries: Boundaries,
    bodies: Bodies,
    initial: &InitialGrains,
    grain_shapes: &GrainShapes,
    options: &Options,
) -> Result<Box<dyn Simulator>, SimulationError> {
    let threads = options.threads.unwrap_or(0);
    let team = Team::new(threads);
    let team = team.map_err(|e| SimulationError::Threads { threads, reason: e.to_string() })?;
    let (instructions, defect) = (options.instructions, options.defect);
    let input = SolverInput {
        scene: scene.clone(),
        boundaries,
        bodies,
        grains: &initial.particles,
        assemblies: &initial.assemblies,
        grain_shapes,
        team,
        instructions,
        defect,
    };
    Ok((options.solver_for(scene).make)(input))
}

/// The upsampler of a scene, if it asks for one, without grains yet.
fn upsampler(
    scene: &Scene,
    boundaries: &Boundaries,
    options: &Options,
) -> Result<Option<Upsampler>, SimulationError> {
    let Some(settings) = AdvectionSettings::of(scene, options.upsample_fault) else { return Ok(None) };
    let made = match &options.device {
        Device::Cpu => None,
        Device::Backend(backend) => backend.make_grains(&settings)?,
        // What the device refuses, the CPU moves.
        Device::Preferred(backend) => backend.make_grains(&settings).unwrap_or(None),
    };
    let advector = match made {
        Some(advector) => advector,
        None => grains_on_cpu(&settings, options)?,
    };
    Ok(Some(Upsampler::new(scene, settings, boundaries.clone(), advector)))
}

fn grains_on_cpu(
    settings: &AdvectionSettings,
    options: &Options,
) -> Result<Box<dyn GrainAdvector>, SimulationError> {
    let threads = options.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| SimulationError::Threads { threads, reason: e.to_string() })?;
    let instructions = options.instructions.map_or_else(Instructions::best, Instructions::or_best);
    Ok(Box::new(CpuGrains::new(settings.clone(), instructions, pool)))
}
