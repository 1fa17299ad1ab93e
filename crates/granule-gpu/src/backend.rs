//! Solvers on a device for the engine's front door.

use granule::simulator::Simulator;
use granule::upsample::{AdvectionSettings, GrainAdvector};
use granule::{Backend, BackendError, BackendInput, Device};
use granule_device::{AdapterChoice, AdapterSummary, GpuDevice, Purpose};

use crate::core::method::MethodEntry;
use crate::core::simulation::NewGrains;
use crate::methods::METHODS;
use crate::{GpuError, GpuGrains, GpuSimulation};

/// Makes solvers on an open device.
pub struct GpuBackend {
    gpu: GpuDevice,
    methods: Vec<&'static MethodEntry>,
}

impl GpuBackend {
    /// Opens the chosen adapter.
    ///
    /// # Errors
    /// Says that there is no such adapter, what it lacks, or why it does not open.
    pub fn open(choice: &AdapterChoice) -> Result<Self, GpuError> {
        Ok(Self::adopt(GpuDevice::open_for(&[Purpose::Compute], choice)?))
    }

    /// Uses a device that is open already.
    pub fn adopt(gpu: GpuDevice) -> Self {
        Self { gpu, methods: METHODS.to_vec() }
    }

    /// Adds a method that this crate does not have.
    #[must_use]
    pub fn with_method(mut self, entry: &'static MethodEntry) -> Self {
        self.methods.push(entry);
        self
    }

    /// The method that solves a scene.
    fn method(&self, name: &'static str) -> Result<&'static MethodEntry, GpuError> {
        self.methods.iter().rev().find(|entry| entry.name == name).copied().ok_or_else(|| GpuError::Solver {
            name,
            known: self.methods.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", "),
        })
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

impl Backend for GpuBackend {
    fn make(&self, input: BackendInput) -> Result<Box<dyn Simulator>, BackendError> {
        let BackendInput { solver, scene, boundaries, bodies, grains, assemblies, grain_shapes } = input;
        let grains = NewGrains { grains, assemblies, shapes: grain_shapes };
        let make =
            |entry| GpuSimulation::new(self.gpu.clone(), entry, scene.clone(), boundaries, bodies, grains);
        Ok(Box::new(self.method(solver.name).and_then(make).map_err(BackendError::new)?))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::gpu;

    /// A solver that only CPU cores have is not solved as another one.
    #[test]
    fn solvers_that_devices_do_not_have_are_refused_by_name() {
        let Some(gpu) = gpu() else { return };
        let backend = GpuBackend::adopt(gpu);
        let error = backend.method("toy").err().unwrap().to_string();
        assert!(error.contains("`toy`") && error.contains("iisph, wcsph, dem, pbd"), "{error}");
        for entry in METHODS {
            assert_eq!(backend.method(entry.name).unwrap().name, entry.name);
        }
    }
}
