//! Runs of grains on both devices.

use std::ops::ControlFlow;

use granule::scene::Scene;
use granule::simulator::{Snapshot, StepReport};
use granule::{Device, Options, Simulation};

use super::numbers;

/// Options for a device; on the CPU with one thread, which a machine that is busy with other tests does not hold up.
pub fn options(device: &Device) -> Options {
    Options { device: device.clone(), threads: Some(1), ..Options::default() }
}

/// A simulation on a device.
pub fn simulate(scene: &Scene, device: &Device) -> Simulation {
    Simulation::new(scene.clone(), &options(device)).unwrap()
}

/// Lets a simulation go on for some frames and gives the last report.
pub fn frames(simulation: &mut Simulation, count: usize) -> StepReport {
    let mut last = StepReport::default();
    for _ in 0..count {
        let _ = simulation.run_frame(&mut |report, _| {
            last = report.clone();
            ControlFlow::Continue(())
        });
    }
    assert_eq!(simulation.failure(), None);
    last
}

/// Largest distance of the same grain on both devices, along an axis [m]. What most of them have is printed beside it: where a
/// contact opens or closes a step earlier, its grains are far apart, and others are not.
pub fn apart(a: &Snapshot, b: &Snapshot) -> f64 {
    let (a, b) = (numbers(a.column("position").unwrap()), numbers(b.column("position").unwrap()));
    assert_eq!(a.len(), b.len());
    let mut ways: Vec<f64> = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).collect();
    ways.sort_unstable_by(f64::total_cmp);
    let below = |share: f64| ways.get((share * ways.len() as f64) as usize).copied().unwrap_or(0.0);
    eprintln!("apart: half below {:.2e} m, nine tenths below {:.2e} m", below(0.5), below(0.9));
    ways.last().copied().unwrap_or(0.0)
}

/// Repeated and resumed runs end in the same bits, however they are cut into batches: a checkpoint after `before` frames, two more.
pub fn repeat_and_resume(scene: &Scene, before: usize, device: &Device) {
    let hash = |simulation: &Simulation| simulation.simulator().state_hash();
    let mut first = simulate(scene, device);
    frames(&mut first, before);
    let (checkpoint, halfway) = (first.checkpoint().unwrap(), hash(&first));
    frames(&mut first, 2);
    let mut again = simulate(scene, device);
    while again.frame() < first.frame() {
        again.step();
    }
    assert_eq!((hash(&again), again.steps()), (hash(&first), first.steps()));
    let mut resumed = Simulation::resume(&checkpoint, &options(device)).unwrap();
    assert_eq!(hash(&resumed), halfway);
    // What was restored is saved again as it was.
    assert_eq!(resumed.checkpoint().unwrap(), checkpoint);
    frames(&mut resumed, 2);
    assert_eq!(hash(&resumed), hash(&first));
}
