//! Solvers on a device for the engine's front door.

use granule::bodies::Bodies;
use granule::boundary::Boundaries;
use granule::particles::NewParticle;
use granule::scene::Scene;
use granule::simulator::Simulator;
use granule::upsample::{GrainMover, MoverSettings};
use granule::{Device, MakeSimulator, Maker};
use granule_device::{AdapterChoice, AdapterSummary, GpuDevice};

use crate::{GpuError, GpuGrains, GpuIisph};

/// Makes solvers on an open device.
pub struct GpuMaker {
    gpu: GpuDevice,
}

impl GpuMaker {
    /// Opens the chosen adapter.
    ///
    /// # Errors
    /// Says that there is no such adapter, or why it does not open.
    pub fn open(choice: &AdapterChoice) -> Result<Self, GpuError> {
        Ok(Self::adopt(GpuDevice::open(choice)?))
    }

    /// Uses a device that is open already.
    pub fn adopt(gpu: GpuDevice) -> Self {
        Self { gpu }
    }

    /// The adapter.
    pub fn adapter(&self) -> &AdapterSummary {
        &self.gpu.adapter
    }

    /// The device, for the engine's options.
    pub fn into_device(self) -> Device {
        Device::Made(Maker::new(self))
    }

    /// The device for scenes that it takes; the CPU simulates the others.
    pub fn into_preferred_device(self) -> Device {
        Device::Preferred(Maker::new(self))
    }
}

impl MakeSimulator for GpuMaker {
    fn make(
        &self,
        scene: &Scene,
        boundaries: Boundaries,
        bodies: Bodies,
        grains: &[NewParticle],
    ) -> Result<Box<dyn Simulator>, String> {
        let solver = GpuIisph::new(self.gpu.clone(), scene.clone(), boundaries, bodies, grains);
        Ok(Box::new(solver.map_err(|error| error.to_string())?))
    }

    fn make_grains(&self, settings: &MoverSettings) -> Result<Option<Box<dyn GrainMover>>, String> {
        // Faults for negative controls are those of the CPU.
        if settings.fault.is_some() {
            return Ok(None);
        }
        let grains = GpuGrains::new(self.gpu.clone(), settings.clone());
        Ok(Some(Box::new(grains.map_err(|error| error.to_string())?)))
    }
}
