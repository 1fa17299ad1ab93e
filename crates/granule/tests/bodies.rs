//! Rigid bodies and grains push each other as physics says.

mod common;

use common::{D, block, body, floor, sand, simulate, wall};
use glam::{DVec3, Vec3};
use granule::bodies::BodyReport;
use granule::boundary::{Keyframe, Motion, Shape};
use granule::scene::{BodyKind, Fill, JointKind, JointSettings, MotorSettings, Scene, SolverKind};
use granule::simulator::Command;
use granule::{Options, Simulation};

/// A block with its corners given in spacings.
fn brick(min: [f32; 3], max: [f32; 3]) -> Shape {
    Shape::Box { min: min.map(|c| c * D), max: max.map(|c| c * D), hollow: false }
}

/// A tank of width and depth `width` spacings, filled up to `height` spacings.
fn tank(friction_angle: f32, density: f32, width: f32, height: f32) -> Scene {
    let mut scene = sand(friction_angle);
    scene.material[0].density = density;
    let (w, h) = (width * D, 4.0 * height * D);
    let shape = Shape::Box { min: [0.0; 3], max: [w, h, w], hollow: true };
    scene.boundary.push(wall("tank", shape, Some(if friction_angle > 0.0 { 0.5 } else { 0.0 })));
    scene.grains.push(block([0.0; 3], [width, height, width], Fill::Lattice));
    scene
}

/// Height of a body's centre over time, once per frame [m].
fn heights(simulation: &mut Simulation, seconds: f64) -> Vec<f64> {
    let mut track = Vec::new();
    while simulation.time() < seconds {
        let frame = simulation.frame() + 1;
        while simulation.frame() < frame {
            simulation.step();
        }
        track.push(f64::from(simulation.simulator().bodies()[0].center.y));
    }
    track
}

/// Height that a still fluid fills the tank up to [spacings]: twice its mean height.
fn level(mut scene: Scene) -> f64 {
    scene.body.clear();
    let mut simulation = simulate(scene);
    simulation.run_until(1.5);
    2.0 * common::mean(&mut simulation, "position")[1] / f64::from(D)
}

#[test]
fn a_light_box_floats_half_immersed() {
    let (width, height, side) = (24.0, 14.0, 11.0);
    let mut scene = tank(0.0, 1000.0, width, height);
    scene.material[0].viscosity = 2e-3;
    let (low, high) = ((width - side) / 2.0, (width + side) / 2.0);
    scene.body.push(body("box", brick([low, height, low], [high, height + side, high]), 500.0));
    scene.body[0].friction = Some(0.0);
    let level = level(scene.clone());
    let mut simulation = simulate(scene);
    let track = heights(&mut simulation, 6.0);
    let late = &track[track.len() * 3 / 4..];
    let mean = late.iter().sum::<f64>() / late.len() as f64 / f64::from(D);
    let (low, high) = late.iter().fold((f64::MAX, f64::MIN), |(a, b), y| (a.min(*y), b.max(*y)));
    let swing = (high - low) / f64::from(D);
    // The surface rises by what the box displaces.
    let (width, side) = (f64::from(width), f64::from(side));
    let immersed = (level - (mean - side / 2.0)) / (1.0 - (side / width).powi(2)) / side;
    assert!((immersed / 0.5 - 1.0).abs() < 0.05, "{immersed:.3} of the box are under the surface");
    assert!(swing < 0.2, "it has come to rest: {swing} d");
}

#[test]
fn a_heavy_ball_sinks_into_sand_and_stays() {
    let (width, height, radius) = (24.0, 14.0, 3.0 * D);
    let mut scene = tank(30.0, 1600.0, width, height);
    let middle = width * D / 2.0;
    let center = [middle, height * D + radius + 0.2, middle];
    scene.body.push(body("ball", Shape::Sphere { center, radius, hollow: false }, 5000.0));
    let mut simulation = simulate(scene);
    let track = heights(&mut simulation, 3.0);
    let depth = |y: f64| (f64::from(height * D) - (y - f64::from(radius))) / f64::from(radius);
    let (middle, end) = (depth(track[track.len() / 2]), depth(track[track.len() - 1]));
    assert!(end > 0.3, "it sinks in by {end:.3} radii");
    assert!(end < f64::from(height * D / radius) - 0.1, "it does not reach the floor: {end:.3} radii");
    assert!((end - middle).abs() < 0.02, "it stays: {middle:.3} and then {end:.3} radii");
}

/// Angular momentum of a homogeneous box about its centre [kg m2/s], for its size in its own frame.
fn spin(body: &BodyReport, size: Vec3) -> DVec3 {
    let square = size.as_dvec3() * size.as_dvec3();
    let inertia = f64::from(body.mass) / 12.0 * (DVec3::splat(square.element_sum()) - square);
    let rotation = body.pose.rotation.as_dquat();
    rotation * (inertia * (rotation.inverse() * body.angular_velocity.as_dvec3()))
}

/// Momentum and angular momentum of grains and bodies, which are boxes.
fn momentum(simulation: &mut Simulation) -> (DVec3, DVec3) {
    let mass = f64::from(simulation.scene().material[0].density) * f64::from(D).powi(3);
    let snapshot = simulation.read(&["position", "velocity"]).unwrap();
    let (x, v) = (snapshot.vec3("position").unwrap(), snapshot.vec3("velocity").unwrap());
    let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
    for (x, v) in x.iter().zip(v) {
        let (x, v) = (Vec3::from(*x).as_dvec3(), Vec3::from(*v).as_dvec3());
        linear += mass * v;
        angular += mass * x.cross(v);
    }
    for (body, settings) in simulation.simulator().bodies().iter().zip(&simulation.scene().body) {
        let Shape::Box { min, max, .. } = settings.shape else { panic!("{} is no box", body.name) };
        linear += f64::from(body.mass) * body.velocity.as_dvec3();
        angular += f64::from(body.mass) * body.center.as_dvec3().cross(body.velocity.as_dvec3());
        angular += spin(body, Vec3::from(max) - Vec3::from(min));
    }
    (linear, angular)
}

#[test]
fn grains_and_bodies_keep_their_momentum_together() {
    for friction in [0.0, 30.0] {
        let mut scene = sand(friction);
        scene.simulation.gravity = [0.0; 3];
        let mut cloud = block([0.0; 3], [10.0; 3], Fill::Jittered);
        cloud.velocity = [1.0, 0.1, 0.0];
        scene.grains.push(cloud);
        scene.body.push(body("slab", brick([12.0, 1.0, 1.0], [16.0, 8.0, 11.0]), 900.0));
        scene.body.push(body("light", brick([10.5, 8.5, 1.0], [13.0, 12.0, 5.0]), 40.0));
        let mut simulation = simulate(scene);
        let (before, angular_before) = momentum(&mut simulation);
        for _ in 0..400 {
            simulation.step();
        }
        let bodies = simulation.simulator().bodies();
        assert!(bodies[0].velocity.x > 0.05, "the cloud has hit the slab: {:?}", bodies[0].velocity);
        let (after, angular_after) = momentum(&mut simulation);
        let error = (after - before).length() / before.length();
        assert!(error < 1e-4, "friction {friction}: {before} became {after}");
        let error = (angular_after - angular_before).length() / angular_before.length();
        // Pressure and contacts act along lines through both partners; the stress of friction does so only in the mean.
        let most = if friction > 0.0 { 5e-2 } else { 1e-2 };
        assert!(error < most, "friction {friction}: {angular_before} became {angular_after}, {error:.1e}");
    }
}

#[test]
fn a_light_body_does_not_bounce() {
    // A plate of a tenth of the sand's density lies on a bed.
    let mut scene = tank(30.0, 1600.0, 16.0, 6.0);
    scene.body.push(body("plate", brick([4.0, 6.5, 4.0], [12.0, 7.5, 12.0]), 160.0));
    let mut simulation = simulate(scene);
    let track = heights(&mut simulation, 2.0);
    let late = &track[track.len() / 2..];
    let swing = late.iter().copied().fold(f64::MIN, f64::max) - late.iter().copied().fold(f64::MAX, f64::min);
    assert!(swing < 0.01 * f64::from(D), "it moves by {:.4} d", swing / f64::from(D));
}

#[test]
fn a_body_on_a_fixed_floor_rests_there_and_a_second_on_it() {
    let mut scene = sand(30.0);
    scene.boundary.push(floor());
    scene.grains.push(block([20.0, 0.0, 0.0], [24.0, 2.0, 4.0], Fill::Lattice));
    scene.body.push(body("low", brick([0.0; 3], [8.0; 3]), 800.0));
    scene.body.push(body("high", brick([1.0, 8.0, 1.0], [7.0, 14.0, 7.0]), 800.0));
    let mut simulation = simulate(scene);
    simulation.run_until(1.0);
    let bodies = simulation.simulator().bodies();
    assert!((bodies[0].center.y / D - 4.0).abs() < 0.1, "{:?}", bodies[0].center / D);
    assert!((bodies[1].center.y / D - 11.0).abs() < 0.15, "{:?}", bodies[1].center / D);
}

#[test]
fn runs_with_bodies_are_the_same_for_any_threads_and_after_a_resume() {
    let scene = || {
        let mut scene = tank(30.0, 1600.0, 12.0, 5.0);
        scene.simulation.fps = 50.0;
        let center = [6.0 * D, 9.0 * D, 5.5 * D];
        scene.body.push(body("ball", Shape::Sphere { center, radius: 2.0 * D, hollow: false }, 2000.0));
        scene.body.push(body("brick", brick([1.0, 12.0, 4.0], [9.0, 14.0, 8.0]), 700.0));
        scene.body[1].angular_velocity = [40.0, 0.0, 90.0];
        scene
    };
    let options = |threads| Options { threads: Some(threads), ..Options::default() };
    let mut unbroken = Simulation::new(scene(), &options(1)).unwrap();
    unbroken.run_until(0.2);
    let checkpoint = unbroken.checkpoint().unwrap();
    unbroken.run_until(0.6);
    let hash = unbroken.simulator().state_hash();
    let mut other = Simulation::new(scene(), &options(3)).unwrap();
    other.run_until(0.6);
    assert_eq!(other.simulator().state_hash(), hash, "three threads");
    let mut resumed = Simulation::resume(&checkpoint, &options(2)).unwrap();
    resumed.run_until(0.6);
    assert_eq!(resumed.simulator().state_hash(), hash, "resumed");
    assert_eq!(resumed.simulator().bodies(), unbroken.simulator().bodies());
}

#[test]
fn bodies_that_begin_in_each_other_or_in_sand_are_refused_by_name_and_depth() {
    let mut scene = tank(30.0, 1600.0, 12.0, 5.0);
    scene.body.push(body("first", brick([2.0, 8.0, 2.0], [6.0, 12.0, 6.0]), 700.0));
    scene.body.push(body("second", brick([5.0, 9.0, 2.0], [9.0, 13.0, 6.0]), 700.0));
    let refusal =
        |scene: &Scene| Simulation::new(scene.clone(), &Options::default()).err().unwrap().to_string();
    let reason = refusal(&scene);
    assert!(reason.contains("`first`") && reason.contains("`second`") && reason.contains("0.02"), "{reason}");
    scene.body[1].shape = brick([5.0, 4.0, 2.0], [9.0, 7.0, 6.0]);
    scene.body.remove(0);
    let reason = refusal(&scene);
    assert!(reason.contains("`second`") && reason.contains("grains.0"), "{reason}");
    scene.body[0].shape = brick([5.0, 8.0, -1.0], [9.0, 10.0, 6.0]);
    let reason = refusal(&scene);
    assert!(reason.contains("`second`") && reason.contains("`tank`"), "{reason}");
}

#[test]
fn bodies_that_are_not_free_hold_sand_like_walls_and_tell_its_weight() {
    for kind in [BodyKind::Static, BodyKind::Keyframed] {
        let mut scene = sand(30.0);
        scene.body.push(body("table", brick([-8.0, -3.0, -8.0], [8.0, 0.0, 8.0]), 1000.0));
        scene.body[0].kind = kind;
        if kind == BodyKind::Keyframed {
            let key = |time: f64, x: f32| Keyframe {
                time,
                translation: [x, 0.0, 0.0],
                axis: [0.0, 1.0, 0.0],
                angle: 0.0,
            };
            scene.body[0].motion =
                Some(Motion { keyframe: vec![key(0.0, 0.0), key(1.0, 0.1)], ..Motion::default() });
        }
        scene.grains.push(block([-4.0, 0.0, -4.0], [4.0, 4.0, 4.0], Fill::Lattice));
        let mut simulation = simulate(scene);
        simulation.run_until(1.5);
        let grains = simulation.particle_count() as f32;
        let weight = grains * 1600.0 * D.powi(3) * 9.81;
        let table = &simulation.bodies()[0];
        assert!((table.force.y / -weight - 1.0).abs() < 0.05, "{kind:?}: {} N of {weight} N", table.force);
        let lowest = simulation.read(&["position"]).unwrap();
        let lowest = lowest.vec3("position").unwrap().iter().map(|x| x[1]).fold(f32::MAX, f32::min);
        assert!(lowest > 0.4 * D, "{kind:?}: {lowest} m");
    }
}

/// A paddle on a hinge that a motor turns in a bed of sand.
fn paddle(strength: f32) -> Scene {
    let mut scene = tank(30.0, 1600.0, 16.0, 6.0);
    let blade = brick([7.5, 3.0, 5.0], [8.5, 13.0, 11.0]);
    scene.grains[0].shape = brick([0.0; 3], [7.0, 6.0, 16.0]);
    scene.grains.push(block([9.0, 0.0, 0.0], [16.0, 6.0, 16.0], Fill::Lattice));
    scene.body.push(body("paddle", blade, 1000.0));
    scene.joint.push(JointSettings {
        name: "shaft".into(),
        kind: JointKind::Hinge,
        bodies: ["world".into(), "paddle".into()],
        anchor: [8.0 * D, 8.0 * D, 8.0 * D],
        axis: [0.0, 0.0, 1.0],
        limits: None,
        motor: Some(MotorSettings { speed: 90.0, strength }),
    });
    scene
}

#[test]
fn a_hinge_keeps_its_anchor_and_a_motor_its_speed_as_far_as_its_strength_goes() {
    let turn = |strength: f32| {
        let mut simulation = simulate(paddle(strength));
        simulation.run_until(0.5);
        let paddle = simulation.simulator().bodies().remove(0);
        let anchor = Vec3::splat(8.0 * D);
        let moved = (paddle.pose.world_from_body(anchor) - anchor).length() / D;
        assert!(moved < 0.05, "the anchor has moved by {moved} d");
        2.0 * paddle.pose.rotation.z.atan2(paddle.pose.rotation.w).to_degrees()
    };
    let (strong, weak) = (turn(1e3), turn(1e-3));
    assert!((strong - 45.0).abs() < 3.0, "the strong motor has turned by {strong} degrees");
    assert!(weak.abs() < 15.0, "the weak motor has turned by {weak} degrees");
}

fn push(body: &str, impulse: Vec3, point: Option<Vec3>) -> Command {
    Command::PushBody { body: body.into(), impulse, point }
}

/// A box that turns freely far from some grains, with obstacles that do not give way.
fn turning_box(solver: SolverKind) -> Scene {
    let mut scene = sand(0.0);
    scene.simulation.gravity = [0.0; 3];
    scene.simulation.solver = solver;
    scene.grains.push(block([50.0; 3], [54.0; 3], Fill::Lattice));
    scene.body.push(body("crate", brick([0.0; 3], [4.0, 6.0, 10.0]), 700.0));
    scene.body[0].velocity = [0.2, 0.0, -0.1];
    scene.body[0].angular_velocity = [40.0, -80.0, 120.0];
    for (name, kind, x) in [("door", BodyKind::Keyframed, 30.0), ("rock", BodyKind::Static, -30.0)] {
        scene.body.push(body(name, brick([x, 0.0, 0.0], [x + 4.0, 4.0, 4.0]), 700.0));
        scene.body.last_mut().unwrap().kind = kind;
    }
    let key = Keyframe { time: 0.0, translation: [0.0; 3], axis: [0.0, 1.0, 0.0], angle: 0.0 };
    scene.body[1].motion = Some(Motion { keyframe: vec![key], ..Motion::default() });
    scene
}

/// v += J / m and omega += I^-1 (r x J), with mass and inertia of a homogeneous box, which has turned.
#[test]
fn a_push_changes_the_velocities_of_a_box_as_its_mass_and_inertia_say() {
    let size = D * Vec3::new(4.0, 6.0, 10.0);
    let mass = f64::from(700.0 * size.element_product());
    for solver in [SolverKind::Iisph, SolverKind::Wcsph] {
        let mut simulation = simulate(turning_box(solver));
        simulation.run_until(0.2);
        let impulse = Vec3::new(0.3, -0.2, 0.5);
        for corner in [None, Some(Vec3::new(0.0, 6.0, 10.0)), Some(Vec3::new(3.0, 1.0, 2.0))] {
            let before = simulation.simulator().bodies().remove(0);
            assert!((f64::from(before.mass) / mass - 1.0).abs() < 1e-4, "{} kg of {mass} kg", before.mass);
            let point = corner.map(|corner| before.pose.world_from_body(D * corner));
            simulation.apply(&push("crate", impulse, point)).unwrap();
            let after = simulation.simulator().bodies().remove(0);
            assert_eq!((after.pose, after.center), (before.pose, before.center), "it has not moved yet");
            let gained = mass * (after.velocity - before.velocity).as_dvec3();
            assert!((gained - impulse.as_dvec3()).length() < 1e-4, "{solver:?}: momentum {gained}");
            let arm = point.map_or(Vec3::ZERO, |point| point - before.center);
            let gained = spin(&after, size) - spin(&before, size);
            let expected = arm.cross(impulse).as_dvec3();
            let error = (gained - expected).length() / (1e-3 + expected.length());
            assert!(error < 1e-3, "{solver:?}: angular momentum {gained} of {expected}");
            assert!(point.is_none() || expected.length() > 0.01, "it is pushed aside: {expected}");
            simulation.step();
            let later = simulation.simulator().bodies().remove(0);
            assert!((later.velocity - after.velocity).length() < 1e-5, "it goes on with what it was given");
            let moved = (later.center - after.center).length();
            assert!(moved > 0.0, "and moves");
        }
    }
}

/// What a hand gives to a body is what grains and bodies have more afterwards.
#[test]
fn a_thrown_box_shares_its_momentum_with_the_grains_that_it_hits() {
    let mut scene = sand(30.0);
    scene.simulation.gravity = [0.0; 3];
    scene.grains.push(block([0.0; 3], [8.0; 3], Fill::Lattice));
    scene.body.push(body("crate", brick([12.0, 2.0, 2.0], [15.0, 6.0, 6.0]), 1200.0));
    let mut simulation = simulate(scene);
    let (before, _) = momentum(&mut simulation);
    let impulse = Vec3::new(-0.6, 0.05, 0.0);
    simulation.apply(&push("crate", impulse, None)).unwrap();
    let thrown = simulation.simulator().bodies()[0].velocity.x;
    for _ in 0..300 {
        simulation.step();
    }
    let slowed = simulation.simulator().bodies()[0].velocity.x;
    assert!(slowed.abs() < 0.8 * thrown.abs(), "it has hit the grains: {thrown} m/s, then {slowed} m/s");
    let (after, _) = momentum(&mut simulation);
    let error = (after - before - impulse.as_dvec3()).length() / f64::from(impulse.length());
    assert!(error < 1e-4, "{before} and {impulse} became {after}");
}

#[test]
fn pushes_that_cannot_be_are_refused_by_name_and_change_nothing() {
    let mut simulation = simulate(turning_box(SolverKind::Iisph));
    let bodies = simulation.simulator().bodies();
    for (command, words) in [
        (push("crte", Vec3::X, None), "body `crte` does not exist; known: crate, door, rock"),
        (push("door", Vec3::X, None), "body `door` is keyframed: only a dynamic body can be pushed"),
        (push("rock", Vec3::X, None), "body `rock` is static: only a dynamic body can be pushed"),
        (push("crate", Vec3::NAN, None), "`push_body.impulse`"),
        (push("crate", Vec3::X, Some(Vec3::INFINITY)), "`push_body.point`"),
        (push("crate", Vec3::splat(3e38), Some(Vec3::X)), "more than `crate` can take"),
    ] {
        let reason = simulation.apply(&command).unwrap_err().to_string();
        assert!(reason.contains(words), "{reason}");
        assert_eq!(simulation.simulator().bodies(), bodies);
    }
}

#[test]
fn a_push_survives_a_checkpoint() {
    let mut scene = tank(30.0, 1600.0, 12.0, 5.0);
    scene.simulation.fps = 50.0;
    scene.body.push(body("brick", brick([3.0, 6.0, 4.0], [9.0, 8.0, 8.0]), 700.0));
    let mut simulation = simulate(scene.clone());
    let mut untouched = simulate(scene);
    simulation.run_until(0.1);
    untouched.run_until(0.4);
    let corner = Vec3::new(3.0 * D, 8.0 * D, 4.0 * D);
    simulation.apply(&push("brick", Vec3::new(0.02, 0.1, -0.03), Some(corner))).unwrap();
    let bytes = simulation.checkpoint().unwrap();
    let mut resumed = Simulation::resume(&bytes, &Options::default()).unwrap();
    assert_eq!(resumed.simulator().bodies(), simulation.simulator().bodies());
    simulation.run_until(0.4);
    resumed.run_until(0.4);
    assert_eq!(resumed.simulator().state_hash(), simulation.simulator().state_hash());
    assert_ne!(untouched.simulator().state_hash(), simulation.simulator().state_hash());
}

/// A hand gives a pose per frame, of several steps each: whether the plate jumps from frame to frame or is led all the way, what
/// it meets goes on at its speed, not at that of jumps.
#[test]
fn a_plate_that_is_led_by_poses_pushes_a_box_at_its_own_speed() {
    for smooth in [false, true] {
        push_a_box(smooth);
    }
}

fn push_a_box(smooth: bool) {
    let mut scene = sand(30.0);
    scene.simulation.gravity = [0.0; 3];
    scene.simulation.max_time_step = Some(2e-3);
    scene.simulation.fps = 50.0;
    scene.grains.push(block([50.0; 3], [52.0; 3], Fill::Lattice));
    scene.boundary.push(wall("plate", brick([-1.0, -4.0, -4.0], [0.0, 4.0, 4.0]), Some(0.0)));
    scene.body.push(body("box", brick([2.0, -2.0, -2.0], [6.0, 2.0, 2.0]), 800.0));
    let mut simulation = simulate(scene);
    let speed = 0.4;
    let mut most = 0.0_f32;
    while simulation.time() < 0.5 {
        let (boundary, rotation) = ("plate".to_string(), glam::Quat::IDENTITY);
        let position = Vec3::new(speed * simulation.time() as f32, 0.0, 0.0);
        let velocity = Vec3::new(speed, 0.0, 0.0);
        let pose = match smooth {
            true => {
                Command::MoveTool { boundary, position: position + 0.02 * velocity, rotation, seconds: 0.02 }
            }
            false => {
                let angular_velocity = Vec3::ZERO;
                Command::ToolPose { boundary, position, rotation, velocity, angular_velocity }
            }
        };
        simulation.apply(&pose).unwrap();
        let frame = simulation.frame() + 1;
        while simulation.frame() < frame {
            simulation.step();
            most = most.max(simulation.simulator().bodies()[0].velocity.x);
        }
    }
    let found = simulation.simulator().bodies()[0].velocity.x;
    assert!((found - speed).abs() < 0.1 * speed && most < 1.2 * speed, "{found} m/s, at most {most} m/s");
}
