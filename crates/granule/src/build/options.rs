//! Where and how to simulate.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::bodies::Bodies;
use crate::boundary::Boundaries;
use crate::clumps::PlacedAssembly;
use crate::error::BackendError;
use crate::grains::GrainShapes;
use crate::particles::NewParticle;
use crate::scene::Scene;
use crate::simd::Instructions;
use crate::simulator::Simulator;
use crate::solver::{Defect, SolverEntry};
use crate::upsample::{AdvectionSettings, Fault, GrainAdvector};

/// Where and how to simulate.
///
/// ```
/// use granule::{Device, Options};
///
/// let options = Options { threads: Some(2), ..Options::default() };
/// assert_eq!(options.device, Device::Cpu);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The device.
    pub device: Device,
    /// Number of CPU threads; all cores when absent.
    pub threads: Option<usize>,
    /// Instructions of the CPU to use; the best ones when absent or not available.
    pub instructions: Option<Instructions>,
    /// A solver instead of the one that the scene names, e.g. one of the user's own.
    pub solver: Option<&'static SolverEntry>,
    /// A deliberate fault, for negative controls only.
    pub defect: Option<Defect>,
    /// A deliberate fault of fine grains, for negative controls only.
    pub upsample_fault: Option<Fault>,
    /// Added to the seed of the scene: the same scene with other random numbers.
    pub seed_shift: u64,
}

impl Options {
    /// The solver of a scene: the one brought here, or else the scene's own.
    pub fn solver_for(&self, scene: &Scene) -> &'static SolverEntry {
        self.solver.unwrap_or_else(|| SolverEntry::of(scene.simulation.solver))
    }
}

/// The devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Device {
    /// CPU cores.
    #[default]
    Cpu,
    /// Another device, by its backend.
    Backend(SharedBackend),
    /// Another device where it takes the scene, else CPU cores.
    Preferred(SharedBackend),
}

impl Device {
    /// The device of a backend; a scene that it refuses is an error.
    pub fn backend(backend: impl Backend + 'static) -> Self {
        Self::Backend(SharedBackend::new(backend))
    }

    /// The device of a backend where it takes the scene, else CPU cores.
    pub fn preferred(backend: impl Backend + 'static) -> Self {
        Self::Preferred(SharedBackend::new(backend))
    }
}

/// Makes solvers for a device that the engine does not know.
pub trait Backend: Send + Sync {
    /// A solver for a checked scene.
    ///
    /// # Errors
    /// Says why there is none and what to do; a method that the device does not have is refused by name.
    fn make(&self, input: BackendInput) -> Result<Box<dyn Simulator>, BackendError>;

    /// What moves fine grains on the device; none where the CPU is to do it.
    ///
    /// # Errors
    /// Says why the device cannot.
    fn make_grains(
        &self,
        _settings: &AdvectionSettings,
    ) -> Result<Option<Box<dyn GrainAdvector>>, BackendError> {
        Ok(None)
    }
}

/// What a backend makes a solver from.
pub struct BackendInput<'a> {
    /// The method, by its entry: the scene's, or the one that the options bring.
    pub solver: &'static SolverEntry,
    /// A checked scene.
    pub scene: &'a Scene,
    /// Its walls.
    pub boundaries: Boundaries,
    /// Its rigid bodies.
    pub bodies: Bodies,
    /// Its initial grains; of grains of several spheres, all of these.
    pub grains: &'a [NewParticle],
    /// The rigid grains of several spheres among them.
    pub assemblies: &'a [PlacedAssembly],
    /// What grains of several spheres are like.
    pub grain_shapes: &'a GrainShapes,
}

/// A [`Backend`] that several simulations may use.
#[derive(Clone)]
pub struct SharedBackend(Arc<dyn Backend>);

impl SharedBackend {
    /// Shares a backend.
    pub fn new(backend: impl Backend + 'static) -> Self {
        Self(Arc::new(backend))
    }
}

impl Deref for SharedBackend {
    type Target = dyn Backend;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref()
    }
}

impl fmt::Debug for SharedBackend {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("SharedBackend")
    }
}

impl PartialEq for SharedBackend {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
