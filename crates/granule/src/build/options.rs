//! Where and how to simulate.

use std::fmt;
use std::sync::Arc;

use crate::bodies::Bodies;
use crate::boundary::Boundaries;
use crate::particles::NewParticle;
use crate::scene::Scene;
use crate::simd::Instructions;
use crate::simulator::Simulator;
use crate::solver::Defect;
use crate::upsample::{Fault, GrainMover, MoverSettings};

/// Where and how to simulate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The device.
    pub device: Device,
    /// Number of CPU threads; all cores when absent.
    pub threads: Option<usize>,
    /// Instructions of the CPU to use; the best ones when absent or not available.
    pub instructions: Option<Instructions>,
    /// A deliberate fault, for negative controls only.
    pub defect: Option<Defect>,
    /// A deliberate fault of fine grains, for negative controls only.
    pub upsample_fault: Option<Fault>,
}

/// The devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Device {
    /// CPU cores.
    #[default]
    Cpu,
    /// Another device, by what makes solvers for it.
    Made(Maker),
    /// Another device where it takes the scene, else CPU cores.
    Preferred(Maker),
}

/// Makes solvers for a device that the engine does not know.
pub trait MakeSimulator: Send + Sync {
    /// A solver for a checked scene with its boundaries, rigid bodies and initial grains.
    ///
    /// # Errors
    /// Says in words why there is none and what to do.
    fn make(
        &self,
        scene: &Scene,
        boundaries: Boundaries,
        bodies: Bodies,
        grains: &[NewParticle],
    ) -> Result<Box<dyn Simulator>, String>;

    /// What moves fine grains on the device; none where the CPU is to do it.
    ///
    /// # Errors
    /// Says in words why the device cannot.
    fn make_grains(&self, _settings: &MoverSettings) -> Result<Option<Box<dyn GrainMover>>, String> {
        Ok(None)
    }
}

/// A shared [`MakeSimulator`].
#[derive(Clone)]
pub struct Maker(pub(super) Arc<dyn MakeSimulator>);

impl Maker {
    /// Shares what makes solvers.
    pub fn new(maker: impl MakeSimulator + 'static) -> Self {
        Self(Arc::new(maker))
    }
}

impl fmt::Debug for Maker {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Maker")
    }
}

impl PartialEq for Maker {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
