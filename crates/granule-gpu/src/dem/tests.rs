//! The contact memory in pieces.

use std::ops::ControlFlow;

use granule::scene::Scene;
use granule::{Options, Simulation};

use super::{Dem, NAME};
use crate::core::method::{Method, MethodEntry, MethodInput};
use crate::testing::gpu;
use crate::{GpuBackend, GpuSimulation};

/// The method on a device whose bindings hold 200 slots of lists.
static IN_PIECES: MethodEntry = MethodEntry {
    name: NAME,
    make: |input| {
        let small = MethodInput { most_bytes: 200 * 512, ..*input };
        Ok(Box::new(Dem::new(&small)?) as Box<dyn Method>)
    },
};

const BED: &str = "name = \"bed\"\n[simulation]\nsolver = \"dem\"\nfps = 300\nperiodic = { x = [0, 0.08], z = [0, 0.06] }\n\
                   [dem]\nskin = 0.1\n[[material]]\nname = \"glass\"\nradius = 0.005\n[material.dem]\nyoung = 5e6\n\
                   [[grains]]\nmaterial = \"glass\"\nfill = \"relaxed\"\nvelocity = [0.2, -1, 0.1]\n\
                   shape.box = { min = [0, 0, 0], max = [0.08, 0.1, 0.06] }\n\
                   [[boundary]]\nname = \"floor\"\nshape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }\n";

/// A memory in pieces holds what one in a single piece does, over sorts and over a checkpoint.
#[test]
fn pieces_change_no_bit() {
    let Some(gpu) = gpu() else { return };
    let devices = [
        GpuBackend::adopt(gpu.clone()).into_device(),
        GpuBackend::adopt(gpu.clone()).with_method(&IN_PIECES).into_device(),
    ];
    let found = devices.map(|device| {
        let options = Options { device, ..Options::default() };
        let mut simulation = Simulation::new(Scene::parse(BED, "bed").unwrap(), &options).unwrap();
        let frame = |simulation: &mut Simulation| {
            let _ = simulation.run_frame(&mut |_, _| ControlFlow::Continue(()));
            assert_eq!(simulation.failure(), None);
        };
        (0..2).for_each(|_| frame(&mut simulation));
        let mut resumed = Simulation::resume(&simulation.checkpoint().unwrap(), &options).unwrap();
        frame(&mut resumed);
        frame(&mut simulation);
        let hash = simulation.simulator().state_hash();
        assert_eq!(resumed.simulator().state_hash(), hash);
        (simulation.contacts().len(), hash)
    });
    assert!(found[0].0 > 100, "{} contacts", found[0].0);
    assert_eq!(found[0], found[1]);
}

/// Times of kernels change no bit, and they sum up to about those of stages: steps behind the last one of a frame have nothing to do.
#[test]
fn kernels_are_timed() {
    let Some(gpu) = gpu() else { return };
    let inside = gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY_INSIDE_PASSES);
    let found = [false, true].map(|timed| {
        let options = Options { device: GpuBackend::adopt(gpu.clone()).into_device(), ..Options::default() };
        let mut simulation = Simulation::new(Scene::parse(BED, "bed").unwrap(), &options).unwrap();
        let solver = simulation.solver_as::<GpuSimulation>().unwrap();
        if timed {
            solver.time_kernels();
        }
        let stages: f64 = simulation.step_ahead().iter().map(|(report, _)| report.stages.total()).sum();
        let kernels = simulation.solver_as::<GpuSimulation>().unwrap().kernel_times();
        (simulation.simulator().state_hash(), kernels, stages)
    });
    assert_eq!(found[0].0, found[1].0);
    assert!(found[0].1.is_empty());
    let (_, kernels, stages) = &found[1];
    assert_eq!(kernels.iter().any(|kernel| kernel.name == "touch"), inside, "{kernels:?}");
    if inside {
        let sum: f64 = kernels.iter().map(|kernel| kernel.sum).sum();
        assert!(sum > 0.5 * stages && sum < 2.0 * stages, "{sum} of {stages} s");
    }
}
