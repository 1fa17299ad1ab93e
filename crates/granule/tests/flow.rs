//! Grains that come and go: the books hold at every step, emitters keep their rate, outlets take what is theirs.

mod common;

use common::{D, block, floor, sand, simulate, wall};
use glam::Vec3;
use granule::boundary::Shape;
use granule::flow::FlowState;
use granule::scene::{CounterSettings, EmitterSettings, Fill, OutletSettings, Scene, SolverKind};
use granule::simulator::Command;
use granule::{Options, Simulation};

fn cuboid(min: [f32; 3], max: [f32; 3]) -> Shape {
    Shape::Box { min: min.map(|c| c * D), max: max.map(|c| c * D), hollow: false }
}

fn emitter(name: &str, rate: f64, shape: Shape) -> EmitterSettings {
    let velocity = [0.0, -0.5, 0.0];
    let (name, material) = (name.into(), "sand".into());
    EmitterSettings {
        name,
        material,
        shape,
        grain: Default::default(),
        velocity,
        radius: None,
        rate,
        time: None,
        limit: None,
    }
}

fn outlet(name: &str, shape: Shape) -> OutletSettings {
    OutletSettings { name: name.into(), shape, time: None }
}

/// Grains poured onto a table, from which they fall into two outlets, one on each side.
fn pouring_and_draining() -> Scene {
    let mut scene = sand(30.0);
    let table = cuboid([-4.0, -2.0, -50.0], [4.0, 0.0, 50.0]);
    scene.boundary.push(wall("table", table, Some(0.6)));
    scene.grains.push(block([-4.0, 0.0, -4.0], [4.0, 3.0, 4.0], Fill::Jittered));
    let disc = Shape::Cylinder {
        from: [0.0, 12.0 * D, 0.0],
        to: [0.0, 12.1 * D, 0.0],
        radius: 3.0 * D,
        hollow: false,
    };
    scene.emitter.push(emitter("spout", 900.0, disc));
    let floor = |from: f32, to: f32| cuboid([from, -40.0, -500.0], [to, -6.0, 500.0]);
    scene.outlet.push(outlet("left", floor(-500.0, 0.0)));
    scene.outlet.push(outlet("right", floor(0.0, 500.0)));
    scene.counter.push(CounterSettings {
        name: "table".into(),
        shape: Shape::Plane { point: [0.0; 3], normal: [0.0, -1.0, 0.0] },
    });
    scene
}

#[test]
fn every_grain_is_accounted_for_at_every_step() {
    let mut simulation = simulate(pouring_and_draining());
    let initial = simulation.particle_count();
    let (mut emitted, mut drained, mut lost) = (0, [0, 0], 0);
    while simulation.time() < 1.2 {
        let report = simulation.step();
        emitted += report.emitted;
        lost += report.lost;
        for (sum, count) in drained.iter_mut().zip(&report.drained) {
            *sum += count;
        }
        let count = initial + emitted - drained[0] - drained[1] - lost;
        assert_eq!(count, simulation.particle_count(), "at {} s", simulation.time());
        assert_eq!(report.particles, count);
        assert_eq!(simulation.ledger().unaccounted(), 0);
    }
    let flow = simulation.flow();
    assert_eq!((flow.emitted(), flow.drained()), (emitted as u64, (drained[0] + drained[1]) as u64));
    assert_eq!(flow.outlets()[1].drained(), drained[1] as u64);
    assert!(drained.iter().all(|count| *count > 100), "both sides drain: {drained:?}");
    assert_eq!(lost, 0);
    let position = simulation.read(&["position", "id"]).unwrap();
    let position = position.vec3("position").unwrap();
    assert!(position.iter().all(|x| x[1] > -6.0 * D), "outlets leave nothing behind");
    let above = position.iter().filter(|x| x[1] >= 0.0).count() as u64;
    assert_eq!(simulation.flow().history().last().unwrap().counted, [above]);
}

#[test]
fn a_command_that_adds_grains_is_in_the_books() {
    let mut simulation = simulate(pouring_and_draining());
    let positions = vec![Vec3::new(0.0, 30.0 * D, 0.0), Vec3::new(0.0, 30.1 * D, 0.0)];
    let emit = Command::Emit { material: "sand".into(), positions, velocity: Vec3::ZERO };
    let report = simulation.apply(&emit).unwrap();
    assert_eq!((report.emitted, report.blocked), (1, 1), "the second would overlap the first");
    assert_eq!((simulation.ledger().emitted, simulation.ledger().unaccounted()), (1, 0));
}

/// An emitter alone in space, high enough that nothing comes back.
fn fountain(change: impl FnOnce(&mut EmitterSettings)) -> Scene {
    let mut scene = sand(30.0);
    let mut spout = emitter("spout", 400.0, cuboid([-4.0, 0.0, -4.0], [4.0, 1.0, 4.0]));
    change(&mut spout);
    scene.emitter.push(spout);
    scene
}

#[test]
fn an_emitter_keeps_its_rate_window_and_limit_exactly() {
    let emitted = |change: fn(&mut EmitterSettings)| {
        let mut simulation = simulate(fountain(change));
        simulation.run_until(1.0);
        assert_eq!(simulation.flow().blocked(), 0);
        simulation.particle_count()
    };
    assert_eq!(emitted(|_| ()), 400);
    assert_eq!(emitted(|spout| spout.rate = 37.0), 37);
    assert_eq!(emitted(|spout| spout.time = Some([0.213, 0.713])), 200);
    assert_eq!(emitted(|spout| spout.limit = Some(123)), 123);
}

#[test]
fn an_emitter_is_closed_and_opened_by_command_whatever_its_window_says() {
    let mut scene = fountain(|spout| spout.time = Some([0.0, 0.5]));
    scene.emitter.push(emitter("other", 100.0, cuboid([20.0, 0.0, 20.0], [28.0, 1.0, 28.0])));
    let mut simulation = simulate(scene);
    let switch = |simulation: &mut Simulation, open: bool| {
        simulation.apply(&Command::Emitter { name: "spout".into(), open }).unwrap();
    };
    simulation.run_until(0.25);
    assert_eq!(simulation.particle_count(), 125);
    switch(&mut simulation, false);
    simulation.run_until(0.5);
    assert_eq!(simulation.particle_count(), 150, "only the other one has gone on");
    switch(&mut simulation, true);
    simulation.run_until(1.0);
    assert_eq!(simulation.particle_count(), 400, "200 of it after its window, and 50 of the other one");
}

#[test]
fn an_emitter_without_room_is_refused_by_what_is_in_its_way() {
    let refused = |shape: Shape| {
        let mut scene = sand(30.0);
        scene.boundary.push(wall("rock", cuboid([-20.0, -20.0, -20.0], [20.0, 0.0, 20.0]), None));
        scene.emitter.push(emitter("spout", 100.0, shape));
        Simulation::new(scene, &Options::default()).map(|_| ()).unwrap_err().to_string()
    };
    let inside = refused(cuboid([-2.0, -8.0, -2.0], [2.0, -6.0, 2.0]));
    assert!(inside.contains("spout") && inside.contains("rock"), "{inside}");
    let nothing = Shape::Intersection(vec![
        cuboid([-2.0, 4.0, -2.0], [2.0, 6.0, 2.0]),
        cuboid([-2.0, 8.0, -2.0], [2.0, 9.0, 2.0]),
    ]);
    let empty = refused(nothing);
    assert!(empty.contains("spout") && !empty.contains("rock"), "{empty}");
}

#[test]
fn new_grains_overlap_neither_grains_nor_walls() {
    let mut scene = fountain(|spout| spout.rate = 5000.0);
    let block = cuboid([0.0, -3.0, -10.0], [10.0, 3.0, 10.0]);
    scene.boundary.push(wall("block", block, None));
    let mut simulation = simulate(scene);
    let mut seen = 0;
    for _ in 0..60 {
        let before = simulation.particle_count();
        simulation.step();
        let snapshot = simulation.read(&["position"]).unwrap();
        let position: Vec<Vec3> = snapshot.vec3("position").unwrap().iter().map(|x| Vec3::from(*x)).collect();
        for (i, x) in position.iter().enumerate().skip(before) {
            seen += 1;
            assert!(x.x <= -0.9 * 0.5 * D, "{x} is in the wall");
            let others = position.iter().enumerate().filter(|(j, _)| *j != i);
            assert!(others.into_iter().all(|(_, other)| x.distance(*other) >= 0.899 * D));
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn a_blocked_emitter_waits_gives_up_the_rest_and_goes_on_when_it_is_free() {
    let mut scene = fountain(|spout| {
        spout.velocity = [0.0; 3];
        spout.rate = 2000.0;
    });
    scene.boundary.push(floor());
    scene.simulation.gravity = [0.0; 3];
    let until = |time| Some([0.0, time]);
    scene.outlet.push(outlet("drain", cuboid([-50.0, -1.0, -50.0], [50.0, 9.0, 50.0])));
    scene.outlet[0].time = Some([0.5, 1.0]);
    scene.emitter[0].time = until(0.5 + 1.0 / 50.0);
    let mut simulation = simulate(scene);
    simulation.run_until(0.5);
    let (full, blocked) = (simulation.particle_count() as u64, simulation.flow().blocked());
    assert!(full > 20 && full < 150, "nothing moves away: {full}");
    let due = simulation.flow().emitters()[0].state().due;
    assert_eq!(full + blocked + due.floor() as u64, 1000, "every grain that was due is somewhere");
    assert!(due < 20.0, "the remainder is bounded: {due}");
    simulation.run_until(0.6);
    assert!(simulation.flow().emitted() > full, "it goes on once the outlet has made room");
    assert_eq!(simulation.ledger().unaccounted(), 0);
}

#[test]
fn an_outlet_is_open_only_in_its_window() {
    let mut scene = sand(30.0);
    scene.grains.push(block([0.0, 0.0, 0.0], [3.0, 3.0, 3.0], Fill::Lattice));
    scene.simulation.gravity = [0.0; 3];
    scene.outlet.push(outlet("all", cuboid([-9.0, -9.0, -9.0], [9.0, 9.0, 9.0])));
    scene.outlet[0].time = Some([0.1, 0.2]);
    let mut simulation = simulate(scene);
    simulation.run_until(0.08);
    assert_eq!((simulation.particle_count(), simulation.flow().drained()), (27, 0));
    simulation.run_until(0.12);
    assert_eq!((simulation.particle_count(), simulation.flow().drained()), (0, 27));
    simulation.run_until(0.3);
    assert_eq!(simulation.ledger().unaccounted(), 0);
}

#[test]
fn neighbor_counts_stay_with_their_grains_when_others_are_drained() {
    let mut scene = sand(30.0);
    scene.simulation.gravity = [0.0; 3];
    scene.grains.push(block([0.0, 0.0, 0.0], [6.0, 6.0, 6.0], Fill::Lattice));
    scene.grains.push(block([40.0, 0.0, 0.0], [41.0, 1.0, 1.0], Fill::Lattice));
    scene.outlet.push(outlet("most", cuboid([-9.0, -9.0, -9.0], [9.0, 9.0, 9.0])));
    let mut simulation = simulate(scene);
    simulation.step();
    assert_eq!(simulation.particle_count(), 1);
    let snapshot = simulation.read(&["neighbor_count"]).unwrap();
    let count = format!("{:?}", snapshot.column("neighbor_count").unwrap());
    assert_eq!(count, "Integer([0])", "a lone grain");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let hash = |threads| {
        let options = Options { threads: Some(threads), ..Options::default() };
        let mut simulation = Simulation::new(pouring_and_draining(), &options).unwrap();
        simulation.run_until(0.4);
        (simulation.simulator().state_hash(), simulation.flow().state())
    };
    assert_eq!(hash(1), hash(3));
}

#[test]
fn the_state_of_a_flow_survives_a_file() {
    let mut simulation = simulate(pouring_and_draining());
    simulation.run_until(0.5);
    let state = simulation.flow().state();
    assert!(state.emitters[0].emitted > 0 && state.history.len() == 26);
    let file = serde_json::to_value(&state).unwrap();
    let read: FlowState = serde_json::from_value(file).unwrap();
    assert_eq!(read, state);
    let mut other = simulate(pouring_and_draining());
    assert!(other.flow_mut().restore(read));
    assert_eq!(other.flow().state(), state);
    assert!(!other.flow_mut().restore(FlowState::default()), "of another scene");
}

fn positions(simulation: &mut Simulation) -> Vec<Vec3> {
    let snapshot = simulation.read(&["position"]).unwrap();
    snapshot.vec3("position").unwrap().iter().map(|x| Vec3::from(*x)).collect()
}

/// A ball that wanders over the table takes grains while others are poured, added and drained.
#[test]
fn what_commands_remove_is_exact_in_the_books_at_every_step() {
    let mut simulation = simulate(pouring_and_draining());
    let initial = simulation.particle_count() as u64;
    let (mut came, mut went, mut removed, mut step) = (0, 0, 0, 0u32);
    while simulation.time() < 0.8 {
        let report = simulation.step();
        came += report.emitted as u64;
        went += report.drained.iter().sum::<usize>() as u64 + report.lost as u64;
        step += 1;
        if step.is_multiple_of(5) {
            let angle = 0.3 * step as f32;
            let center = D * Vec3::new(3.0 * angle.cos(), 1.5, 3.0 * angle.sin());
            let radius = 1.3 * D;
            let inside = |x: &Vec3| x.distance(center) <= radius;
            let before = positions(&mut simulation);
            let region = Shape::ball(center.to_array(), radius);
            let report = simulation.apply(&Command::Remove { region }).unwrap();
            let after = positions(&mut simulation);
            let kept: Vec<Vec3> = before.iter().copied().filter(|x| !inside(x)).collect();
            assert_eq!(after, kept, "those outside stay, in the order of their ids");
            assert_eq!(report.removed, before.len() - after.len());
            assert_eq!((report.emitted, report.blocked), (0, 0));
            removed += report.removed as u64;
        }
        if step.is_multiple_of(17) {
            let place = Vec3::new(0.0, 40.0 * D, 0.0);
            let emit =
                Command::Emit { material: "sand".into(), positions: vec![place], velocity: Vec3::ZERO };
            came += simulation.apply(&emit).unwrap().emitted as u64;
        }
        let ledger = simulation.ledger();
        assert_eq!((ledger.emitted, ledger.drained + ledger.lost, ledger.removed), (came, went, removed));
        assert_eq!(ledger.particles, initial + came - went - removed, "at {} s", simulation.time());
        assert_eq!((ledger.unaccounted(), simulation.flow().removed()), (0, removed));
    }
    assert!(came > 300 && went > 50 && removed > 100, "{came} came, {went} went, {removed} were removed");
}

#[test]
fn everything_may_be_removed_and_more_may_come() {
    for solver in [SolverKind::Iisph, SolverKind::Wcsph] {
        let mut scene = fountain(|_| ());
        scene.material[0].friction_angle = 0.0;
        scene.simulation.solver = solver;
        scene.grains.push(block([-4.0, -9.0, -4.0], [4.0, -5.0, 4.0], Fill::Jittered));
        let mut simulation = simulate(scene);
        simulation.run_until(0.1);
        let count = simulation.particle_count();
        // All that is not above this plane is in it.
        let region = Shape::Plane { point: [0.0, 9.0, 0.0], normal: [0.0, 1.0, 0.0] };
        let report = simulation.apply(&Command::Remove { region: region.clone() }).unwrap();
        assert_eq!((report.removed, simulation.particle_count()), (count, 0), "{solver:?}");
        assert_eq!(simulation.apply(&Command::Remove { region }).unwrap().removed, 0);
        simulation.run_until(0.2);
        let ledger = simulation.ledger();
        assert_eq!((ledger.particles, ledger.lost, ledger.unaccounted()), (40, 0, 0), "{solver:?}");
    }
}

#[test]
fn a_region_that_is_no_shape_is_refused_and_nothing_is_removed() {
    let mut simulation = simulate(pouring_and_draining());
    simulation.run_until(0.04);
    let (hash, ledger) = (simulation.simulator().state_hash(), simulation.ledger());
    for (region, words) in [
        (Shape::ball([0.0; 3], -1.0), "sphere: `radius` must be greater than 0, got -1"),
        (Shape::ball([f32::NAN, 0.0, 0.0], 1.0), "sphere: `center` must be finite"),
        (Shape::cuboid([0.0, 2.0, 0.0], [1.0; 3]), "box: `min` must be smaller than `max`"),
        (Shape::Union(Vec::new()), "union: needs at least one shape"),
        (Shape::Plane { point: [0.0; 3], normal: [0.0; 3] }, "plane: `normal` must not be zero"),
    ] {
        let reason = simulation.apply(&Command::Remove { region }).unwrap_err().to_string();
        assert!(reason.starts_with("the region: ") && reason.contains(words), "{reason}");
        assert_eq!((simulation.simulator().state_hash(), simulation.ledger()), (hash, ledger));
    }
}

/// A checkpoint right after grains were removed, and one later, go on with the same bits and books.
#[test]
fn books_with_removed_grains_survive_a_checkpoint() {
    let mut simulation = simulate(pouring_and_draining());
    simulation.run_until(0.2);
    simulation.apply(&Command::Remove { region: cuboid([-2.0, 0.0, -2.0], [2.0, 4.0, 2.0]) }).unwrap();
    let removed = simulation.ledger().removed;
    assert!(removed > 20, "{removed}");
    let at_once = simulation.checkpoint().unwrap();
    simulation.run_until(0.3);
    let later = simulation.checkpoint().unwrap();
    simulation.run_until(0.5);
    for bytes in [at_once, later] {
        let mut resumed = Simulation::resume(&bytes, &Options::default()).unwrap();
        assert_eq!((resumed.ledger().removed, resumed.ledger().unaccounted()), (removed, 0));
        resumed.run_until(0.5);
        assert_eq!(resumed.simulator().state_hash(), simulation.simulator().state_hash());
        assert_eq!(
            (resumed.ledger(), resumed.flow().state()),
            (simulation.ledger(), simulation.flow().state())
        );
    }
}
