//! Solvers on a device for the engine's front door.

use granule::simulator::Simulator;
use granule::upsample::{AdvectionSettings, GrainAdvector};
use granule::{Backend, BackendError, BackendInput, Device};
use granule_device::{AdapterChoice, AdapterSummary, GpuDevice, Purpose};

use crate::{GpuError, GpuGrains, GpuIisph};

/// Makes solvers on an open device.
pub struct GpuMaker {
    gpu: GpuDevice,
}

impl GpuMaker {
    /// Opens the chosen adapter.
    ///
    /// # Errors
    /// Says that there is no such adapter, what it lacks, or why it does not open.
    pub fn open(choice: &AdapterChoice) -> Result<Self, GpuError> {
        Ok(Self::adopt(GpuDevice::open_for(&[Purpose::Compute], choice)?))
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
        Device::backend(self)
    }

    /// The device for scenes that it takes; the CPU simulates the others.
    pub fn into_preferred_device(self) -> Device {
        Device::preferred(self)
    }
}

impl Backend for GpuMaker {
    fn make(&self, input: BackendInput) -> Result<Box<dyn Simulator>, BackendError> {
        let BackendInput { scene, boundaries, bodies, grains, .. } = input;
        let solver = GpuIisph::new(self.gpu.clone(), scene.clone(), boundaries, bodies, grains);
        Ok(Box::new(solver.map_err(BackendError::new)?))
    }

    fn make_grains(
        &self,
        settings: &AdvectionSettings,
    ) -> Result<Option<Box<dyn GrainAdvector>>, BackendError> {
        // Faults for negative controls are those of the CPU.
        if settings.fault.is_some() {
            return Ok(None);
        }
        let grains = GpuGrains::new(self.gpu.clone(), settings.clone());
        Ok(Some(Box::new(grains.map_err(BackendError::new)?)))
    }
}
