//! A run that is resumed from a checkpoint gives the same bits as one that never stopped.

use std::ops::ControlFlow;

use glam::{Quat, Vec3};
use granule::flow::Ledger;
use granule::io::CheckpointError;
use granule::simulator::Command;
use granule::{Options, Scene, Shape, Simulation};

const FRAMES: u64 = 12;

fn scene() -> Scene {
    Scene::parse(include_str!("scenes/checkpoint.toml"), "checkpoint.toml").unwrap()
}

fn options(threads: usize) -> Options {
    Options { threads: Some(threads), ..Options::default() }
}

/// What is done to the simulation when it has reached a frame.
fn commands(frame: u64) -> Vec<Command> {
    let layer = |y: f32| {
        let positions =
            (0..16).map(|k| Vec3::new(0.03 * (k % 4) as f32 + 0.02, y, 0.025 * (k / 4) as f32 + 0.02));
        Command::Emit {
            material: "sand".into(),
            positions: positions.collect(),
            velocity: Vec3::new(0.0, -1.0, 0.0),
        }
    };
    let set = |path: &str, value| Command::Set { path: path.into(), value };
    let tool = |x: f32| Command::ToolPose {
        boundary: "tool".into(),
        position: Vec3::new(x, 0.0, 0.0),
        rotation: Quat::from_rotation_z(x),
        velocity: Vec3::new(-0.5, 0.0, 0.0),
        angular_velocity: Vec3::new(0.0, 0.0, -0.5),
    };
    // On its way at the ends of two frames.
    let lead = |x: f32| Command::MoveTool {
        boundary: "tool".into(),
        position: Vec3::new(x, 0.0, 0.0),
        rotation: Quat::from_rotation_z(x),
        seconds: 0.024,
    };
    let remove = |center: [f32; 3]| Command::Remove { region: Shape::ball(center, 0.04) };
    match frame {
        1 => vec![layer(0.26)],
        3 => vec![set("material.sand.friction_angle", 20.0), Command::Gravity(Vec3::new(1.0, -9.0, 0.0))],
        4 => vec![Command::Wind(Vec3::new(2.0, 0.0, 1.0)), layer(0.28)],
        6 => vec![tool(-0.08)],
        7 => vec![tool(-0.085), layer(0.3)],
        8 => vec![remove([0.08, 0.05, 0.06])],
        9 => vec![set("simulation.cfl", 0.3), lead(-0.1)],
        11 => vec![lead(-0.12)],
        _ => Vec::new(),
    }
}

fn command(simulation: &mut Simulation) {
    for command in commands(simulation.frame()) {
        simulation.apply(&command).unwrap();
    }
}

fn run_frame(simulation: &mut Simulation) {
    simulation.run_until((simulation.frame() + 1) as f64 / 100.0);
}

/// Runs to the end and returns the final hash, step count and books; `commanded` says whether the frame's commands are done.
fn finish(mut simulation: Simulation, mut commanded: bool) -> (u64, u64, Ledger) {
    while simulation.frame() < FRAMES {
        if !commanded {
            command(&mut simulation);
        }
        commanded = false;
        run_frame(&mut simulation);
    }
    (simulation.simulator().state_hash(), simulation.steps(), simulation.ledger())
}

#[test]
fn a_run_resumed_at_any_frame_ends_in_the_same_bits() {
    let mut simulation = Simulation::new(scene(), &options(1)).unwrap();
    let mut checkpoints = Vec::new();
    while simulation.frame() < FRAMES {
        checkpoints.push((simulation.checkpoint().unwrap(), false));
        command(&mut simulation);
        checkpoints.push((simulation.checkpoint().unwrap(), true));
        run_frame(&mut simulation);
    }
    let ledger = simulation.ledger();
    assert_eq!(ledger.emitted, 40, "of 48 grains, 8 found the piston in their place");
    assert!(ledger.removed > 10 && ledger.unaccounted() == 0, "{ledger:?}");
    let unbroken = finish(simulation, false);
    for (k, (bytes, commanded)) in checkpoints.iter().enumerate() {
        let resumed = Simulation::resume(bytes, &options(1 + k % 3)).unwrap();
        assert_eq!(resumed.frame(), k as u64 / 2);
        assert_eq!(finish(resumed, *commanded), unbroken, "checkpoint {k}");
    }
}

#[test]
fn a_checkpoint_of_a_resumed_run_is_the_same_bytes() {
    let mut simulation = Simulation::new(scene(), &options(2)).unwrap();
    simulation.run_until(0.05);
    let bytes = simulation.checkpoint().unwrap();
    let mut resumed = Simulation::resume(&bytes, &options(1)).unwrap();
    assert_eq!(resumed.checkpoint().unwrap(), bytes);
    assert_eq!(resumed.scene(), simulation.scene());
    let names: Vec<&str> = simulation.fields().iter().map(|info| info.name).collect();
    let (before, after) = (simulation.read(&names).unwrap(), resumed.read(&names).unwrap());
    for ((info, a), (_, b)) in before.columns.iter().zip(&after.columns) {
        assert_eq!(a, b, "field {}", info.name);
    }
    simulation.run_until(0.08);
    resumed.run_until(0.08);
    assert_eq!(resumed.checkpoint().unwrap(), simulation.checkpoint().unwrap());
}

#[test]
fn checkpoints_are_taken_at_frame_times_only() {
    let mut simulation = Simulation::new(scene(), &options(1)).unwrap();
    simulation.step();
    assert!(simulation.time() < 0.0099, "a frame has several steps");
    let error = simulation.checkpoint().unwrap_err();
    assert!(matches!(error, CheckpointError::NotAtFrame { .. }), "{error}");
}

#[test]
fn a_run_that_pours_and_drains_is_resumed_at_any_frame() {
    let scene = Scene::parse(include_str!("scenes/pour_and_drain.toml"), "pour_and_drain.toml").unwrap();
    let mut simulation = Simulation::new(scene, &options(2)).unwrap();
    let mut checkpoints = Vec::new();
    while simulation.frame() < 40 {
        checkpoints.push(simulation.checkpoint().unwrap());
        simulation.run_until((simulation.frame() + 1) as f64 / 50.0);
    }
    let ledger = simulation.ledger();
    assert!(ledger.emitted > 200 && ledger.drained > 20, "{ledger:?}");
    assert_eq!(ledger.unaccounted(), 0);
    for (k, bytes) in checkpoints.iter().enumerate().step_by(3) {
        let mut resumed = Simulation::resume(bytes, &options(1 + k % 4)).unwrap();
        resumed.run_until(0.8);
        assert_eq!(resumed.simulator().state_hash(), simulation.simulator().state_hash(), "frame {k}");
        assert_eq!(resumed.ledger(), ledger, "frame {k}");
    }
}

/// What a run has come to at a frame: its checkpoint, its state hash and its books.
struct Station {
    checkpoint: Vec<u8>,
    hash: u64,
    ledger: Ledger,
}

impl Station {
    fn of(simulation: &Simulation) -> Self {
        let (hash, ledger) = (simulation.simulator().state_hash(), simulation.ledger());
        Self { checkpoint: simulation.checkpoint().unwrap(), hash, ledger }
    }

    /// Goes on from here with so many threads, for a number of frames.
    fn after(&self, frames: u64, threads: usize) -> Self {
        let mut resumed = Simulation::resume(&self.checkpoint, &options(threads)).unwrap();
        for _ in 0..frames {
            assert!(resumed.run_frame(&mut |_, _| ControlFlow::Continue(())).is_continue());
        }
        Self::of(&resumed)
    }

    #[track_caller]
    fn assert_equals(&self, other: &Self, from: usize) {
        assert_eq!((self.hash, self.ledger), (other.hash, other.ledger), "resumed from frame {from}");
        assert!(self.checkpoint == other.checkpoint, "resumed from frame {from}: the checkpoints differ");
    }
}

/// Resumes the built-in heap at every checkpoint while it pours, with 1, 2 and 3 threads. Each run goes on to the next
/// checkpoint and must give the same bytes there, so that by induction all of them end alike; three go on to the end.
fn resume_the_heap_while_it_pours(quick: bool) {
    let scene = Scene::open("heap", quick, &[]).unwrap();
    let last = (scene.simulation.seconds * scene.simulation.fps) as u64;
    let limit = scene.emitter[0].limit.unwrap();
    let mut simulation = Simulation::new(scene, &options(2)).unwrap();
    let mut stations = vec![Station::of(&simulation)];
    while simulation.frame() < last {
        assert!(simulation.run_frame(&mut |_, _| ControlFlow::Continue(())).is_continue());
        stations.push(Station::of(&simulation));
    }
    let end = &stations[last as usize];
    assert_eq!((end.ledger.emitted, end.ledger.unaccounted()), (limit, 0));
    let pouring = stations.iter().take_while(|station| station.ledger.emitted < limit).count();
    assert!(pouring > 50, "{pouring} frames");
    for k in 0..pouring {
        stations[k].after(1, 1 + k % 3).assert_equals(&stations[k + 1], k);
    }
    for (k, threads) in [(1, 3), (pouring / 2, 1), (pouring - 1, 2)] {
        stations[k].after(last - k as u64, threads).assert_equals(end, k);
    }
    eprintln!("resumed at {pouring} checkpoints, state hash {:016x}", end.hash);
}

#[test]
fn the_heap_is_resumed_at_every_checkpoint_while_it_pours() {
    resume_the_heap_while_it_pours(true);
}

#[test]
#[ignore = "minutes; the quick form of the scene runs always"]
fn the_full_heap_is_resumed_at_every_checkpoint_while_it_pours() {
    resume_the_heap_while_it_pours(false);
}
