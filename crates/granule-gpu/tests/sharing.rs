//! A device that somebody else draws with: a picture waits for a few steps, not for a frame of them.

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use granule::Simulation;
use granule_device::GpuDevice;
use granule_gpu::{GpuBackend, GpuSimulation, PacingReport};

use common::{adapter, dam, simulate};

/// The same device as a window gives it.
fn shared(gpu: &GpuDevice) -> GpuDevice {
    GpuDevice::adopt(gpu.adapter.clone(), gpu.device.clone(), gpu.queue.clone())
}

fn simulation(gpu: &GpuDevice) -> Simulation {
    let mut scene = dam(6);
    // A frame of many steps.
    scene.simulation.fps = 8.0;
    simulate(&scene, &GpuBackend::adopt(gpu.clone()).into_device())
}

fn pacing(simulation: &mut Simulation) -> PacingReport {
    simulation.solver_as::<GpuSimulation>().unwrap().pacing()
}

#[test]
fn a_shared_device_has_two_submissions_under_way_at_most_and_gives_the_same_bits() {
    let Some(gpu) = adapter() else { return };
    let (mut alone, mut beside) = (simulation(&gpu), simulation(&shared(&gpu)));
    let steps = [&mut alone, &mut beside].map(|simulation| simulation.step_ahead().len());
    assert!(steps[0] > 8, "{steps:?}");
    assert_eq!(steps[0], steps[1]);
    assert_eq!(alone.simulator().state_hash(), beside.simulator().state_hash());
    assert_eq!(pacing(&mut alone).most_in_flight, 0);
    let PacingReport { step_seconds, most_in_flight } = pacing(&mut beside);
    assert!((1..=2).contains(&most_in_flight), "{most_in_flight}");
    assert!(step_seconds.is_some_and(|seconds| seconds > 0.0), "{step_seconds:?}");
}

/// What a window does for a picture, as far as the queue and the locks of the device go: it submits, waits for that, and frees
/// a texture, while another thread simulates a frame. Returns how long the frame took and how long every picture.
fn pictures_beside(simulation: &mut Simulation, gpu: &GpuDevice) -> (Duration, Vec<Duration>) {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let frame = scope.spawn(|| {
            let begin = Instant::now();
            simulation.step_ahead();
            over.store(true, Ordering::Release);
            begin.elapsed()
        });
        let mut pictures = Vec::new();
        while !over.load(Ordering::Acquire) {
            let begin = Instant::now();
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d { width: 4, height: 4, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: wgpu::TextureFormat::Rgba8Unorm,
                usage: wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST,
                view_formats: &[],
            });
            gpu.wait_for(&gpu.submit([])).unwrap();
            texture.destroy();
            pictures.push(begin.elapsed());
            std::thread::sleep(Duration::from_millis(2));
        }
        (frame.join().unwrap(), pictures)
    })
}

#[test]
fn a_picture_waits_for_few_steps_of_the_frame_that_is_simulated() {
    let Some(gpu) = adapter() else { return };
    let gpu = shared(&gpu);
    let mut simulation = simulation(&gpu);
    simulation.step_ahead();
    let (frame, mut pictures) = pictures_beside(&mut simulation, &gpu);
    pictures.sort_unstable();
    let median = pictures[pictures.len() / 2];
    assert!(pictures.len() > 4, "{pictures:?} in {frame:?}");
    // Steps are about thirty, of which at most two are under way.
    assert!(median < frame / 6, "half of the pictures waited for {median:?} of a frame of {frame:?}");
}
