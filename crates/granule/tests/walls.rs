//! Walls: distance of rest, Coulomb friction, corners, motion.

mod common;

use common::{D, block, floor, mean, sand, simulate, wall};
use glam::{Quat, Vec3};
use granule::Simulation;
use granule::boundary::{Keyframe, Motion, Shape};
use granule::scene::{Fill, GrainsSettings, Scene};
use granule::simulator::Command;

/// One grain on a plane of the given friction, with gravity tilted by an angle [degrees].
fn grain_on_slope(friction: f32, angle: f32) -> Scene {
    let mut scene = sand(30.0);
    let (sin, cos) = angle.to_radians().sin_cos();
    scene.simulation.gravity = [9.81 * sin, -9.81 * cos, 0.0];
    let plane = Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] };
    scene.boundary.push(wall("floor", plane, Some(friction)));
    scene.grains.push(block([0.0; 3], [1.0; 3], Fill::Lattice));
    scene
}

#[test]
fn a_lone_grain_rests_at_one_radius() {
    let mut simulation = simulate(grain_on_slope(0.5, 0.0));
    simulation.run_until(2.0);
    let height = mean(&mut simulation, "position")[1] / (0.5 * D as f64);
    assert!((height - 1.0).abs() < 0.01, "{height} r");
}

#[test]
fn a_grain_slides_with_coulomb_friction_above_the_angle_of_friction() {
    let mut simulation = simulate(grain_on_slope(0.5, 35.0));
    simulation.run_until(1.0);
    let (sin, cos) = 35f64.to_radians().sin_cos();
    let expected = 9.81 * (sin - 0.5 * cos) * simulation.time();
    let speed = mean(&mut simulation, "velocity")[0];
    assert!((speed / expected - 1.0).abs() < 0.01, "{speed} instead of {expected} m/s");
}

#[test]
fn a_grain_sticks_below_the_angle_of_friction() {
    let mut simulation = simulate(grain_on_slope(0.5, 25.0));
    simulation.run_until(0.5);
    let before = mean(&mut simulation, "position")[0];
    simulation.run_until(5.5);
    let drift = (mean(&mut simulation, "position")[0] - before) / D as f64;
    assert!(drift.abs() < 0.01, "{drift} d in 5 s");
}

/// Fills a container with sand, lets it settle and returns the smallest distance to its walls in radii.
fn smallest_distance(container: Shape, grains: Shape) -> (f32, usize, usize) {
    let mut scene = sand(30.0);
    scene.boundary.push(wall("container", container.clone(), None));
    scene.grains.push(GrainsSettings {
        radius: None,
        grain: Default::default(),
        fixed: false,
        material: "sand".into(),
        shape: grains,
        fill: Fill::Jittered,
        velocity: [0.0; 3],
    });
    let mut simulation = simulate(scene);
    let count = simulation.particle_count();
    simulation.run_until(1.5);
    let sdf = granule::boundary::Sdf::new(&container).unwrap();
    let snapshot = simulation.read(&["position"]).unwrap();
    let position = snapshot.vec3("position").unwrap();
    let nearest = position.iter().map(|x| sdf.distance(Vec3::from(*x))).fold(f32::INFINITY, f32::min);
    (nearest / (0.5 * D), count, position.len())
}

#[test]
fn containers_keep_their_grains_one_radius_off_every_wall() {
    let tray = Shape::Box { min: [0.0; 3], max: [10.0 * D, 1.0, 8.0 * D], hollow: true };
    let drum = Shape::Cylinder { from: [0.0; 3], to: [0.0, 1.0, 0.0], radius: 6.0 * D, hollow: true };
    let bowl = Shape::Sphere { center: [0.0, 8.0 * D, 0.0], radius: 8.0 * D, hollow: true };
    let hopper = Shape::Cone {
        from: [0.0; 3],
        to: [0.0, 16.0 * D, 0.0],
        from_radius: 2.0 * D,
        to_radius: 12.0 * D,
        hollow: true,
    };
    let box_of = |min: [f32; 3], max: [f32; 3]| Shape::Box {
        min: min.map(|c| c * D),
        max: max.map(|c| c * D),
        hollow: false,
    };
    for (container, grains) in [
        (tray, box_of([0.0, 0.0, 0.0], [10.0, 8.0, 8.0])),
        (drum, box_of([-4.0, 0.0, -4.0], [4.0, 10.0, 4.0])),
        (bowl, box_of([-4.0, 4.0, -4.0], [4.0, 10.0, 4.0])),
        (hopper, box_of([-3.0, 6.0, -3.0], [3.0, 12.0, 3.0])),
    ] {
        let words = format!("{container:?}");
        let (nearest, before, after) = smallest_distance(container, grains);
        assert!(nearest > 0.9, "{nearest} r in {words}");
        assert_eq!(before, after);
    }
}

#[test]
fn a_keyframed_piston_pushes_the_grains_at_its_own_speed() {
    let mut scene = sand(30.0);
    scene.boundary.push(floor());
    let piston = Shape::Box { min: [-0.5, -0.1, -1.0], max: [0.0, 0.5, 1.0], hollow: false };
    let mut piston = wall("piston", piston, Some(0.3));
    let key =
        |time: f64, x: f32| Keyframe { time, translation: [x, 0.0, 0.0], axis: [0.0, 1.0, 0.0], angle: 0.0 };
    piston.motion = Some(Motion { keyframe: vec![key(0.0, 0.0), key(1.0, 0.4)], ..Motion::default() });
    scene.boundary.push(piston);
    scene.grains.push(block([0.0; 3], [6.0, 5.0, 6.0], Fill::Jittered));
    let mut simulation = simulate(scene);
    simulation.run_until(1.0);
    let snapshot = simulation.read(&["position"]).unwrap();
    let last = snapshot.vec3("position").unwrap().iter().map(|x| x[0]).fold(f32::INFINITY, f32::min);
    let behind = (last - 0.4) / (0.5 * D);
    assert!(behind > 0.8, "a grain is {behind} r in front of the piston's face");
    assert!(mean(&mut simulation, "position")[0] > 0.4, "the heap is in front of the piston");
}

/// A pose that does not turn.
fn tool_pose(boundary: &str, position: Vec3, velocity: Vec3) -> Command {
    let (rotation, angular_velocity) = (Quat::IDENTITY, Vec3::ZERO);
    Command::ToolPose { boundary: boundary.into(), position, rotation, velocity, angular_velocity }
}

#[test]
fn a_tool_pose_moves_a_wall_by_command() {
    let mut scene = sand(30.0);
    scene.boundary.push(floor());
    scene.grains.push(block([0.0; 3], [4.0, 3.0, 4.0], Fill::Jittered));
    let mut simulation = simulate(scene);
    simulation.run_until(0.5);
    let before = mean(&mut simulation, "position")[1];
    for k in 1..=50 {
        let position = Vec3::new(0.0, 0.002 * k as f32, 0.0);
        let velocity = Vec3::new(0.0, 0.1, 0.0);
        simulation.apply(&tool_pose("floor", position, velocity)).unwrap();
        simulation.run_until(0.5 + 0.02 * k as f64);
    }
    let lifted = mean(&mut simulation, "position")[1] - before;
    assert!((lifted - 0.1).abs() < 0.005, "lifted by {lifted} m");
    let unknown = tool_pose("flor", Vec3::ZERO, Vec3::ZERO);
    assert!(simulation.apply(&unknown).unwrap_err().to_string().contains("floor"));
}

/// Grains on a floor that is lifted: led, they rise evenly; put from pose to pose, they are kicked once per frame.
#[test]
fn grains_on_a_led_floor_rise_without_jumps() {
    let mut scene = sand(30.0);
    scene.boundary.push(floor());
    scene.simulation.fps = 50.0;
    scene.simulation.max_time_step = Some(1e-3);
    scene.grains.push(block([0.0; 3], [4.0, 3.0, 4.0], Fill::Jittered));
    let speed = 0.1_f32;
    let roughness = |led: bool| {
        let mut simulation = simulate(scene.clone());
        simulation.run_until(0.5);
        let (mut last, mut most) = (None, 0.0_f64);
        for k in 1..=10 {
            let position = Vec3::new(0.0, 0.02 * speed * k as f32, 0.0);
            let command = match led {
                true => Command::MoveTool {
                    boundary: "floor".into(),
                    position,
                    rotation: Quat::IDENTITY,
                    seconds: 0.02,
                },
                false => tool_pose("floor", position, speed * Vec3::Y),
            };
            simulation.apply(&command).unwrap();
            let frame = simulation.frame() + 1;
            while simulation.frame() < frame {
                simulation.step();
                let velocity = mean(&mut simulation, "velocity")[1];
                if let Some(last) = last.replace(velocity).filter(|_| k > 5) {
                    most = most.max((velocity - last).abs());
                }
            }
        }
        most / f64::from(speed)
    };
    let (led, put) = (roughness(true), roughness(false));
    eprintln!("largest change of velocity in a step: led {led}, put {put}");
    assert!(led < 0.05 && put > 5.0 * led, "led {led}, put {put}");
}

#[test]
fn ways_that_are_none_are_refused() {
    let mut scene = sand(30.0);
    scene.boundary.push(floor());
    scene.grains.push(block([0.0; 3], [2.0; 3], Fill::Lattice));
    let mut simulation = simulate(scene);
    let way = |boundary: &str, position, seconds| Command::MoveTool {
        boundary: boundary.into(),
        position,
        rotation: Quat::IDENTITY,
        seconds,
    };
    for (command, word) in [
        (way("flor", Vec3::ZERO, 0.1), "floor"),
        (way("floor", Vec3::NAN, 0.1), "move_tool.position"),
        (way("floor", Vec3::ZERO, 0.0), "move_tool.seconds"),
        (way("floor", Vec3::ZERO, f64::INFINITY), "move_tool.seconds"),
    ] {
        let reason = simulation.apply(&command).unwrap_err().to_string();
        assert!(reason.contains(word), "{reason}");
    }
}

/// A pose about the origin, turned about y by an angle [rad] and turning [rad/s].
fn turned(boundary: &str, angle: f32, rate: f32) -> Command {
    Command::ToolPose {
        boundary: boundary.into(),
        position: Vec3::ZERO,
        rotation: Quat::from_rotation_y(angle),
        velocity: Vec3::ZERO,
        angular_velocity: rate * Vec3::Y,
    }
}

/// How fast the grains turn about the y axis [rad/s]: their angular momentum by their moment of inertia.
fn turning_rate(simulation: &mut Simulation) -> f32 {
    let snapshot = simulation.read(&["position", "velocity"]).unwrap();
    let pairs = snapshot.vec3("position").unwrap().iter().zip(snapshot.vec3("velocity").unwrap());
    let (mut momentum, mut inertia) = (0.0, 0.0);
    for (x, v) in pairs {
        momentum += Vec3::from(*x).cross(Vec3::from(*v)).y;
        inertia += x[0] * x[0] + x[2] * x[2];
    }
    momentum / inertia
}

/// A disc looks the same however it is turned: only the velocity of its surface, omega x r, can take grains along.
#[test]
fn a_turning_disc_takes_its_grains_along_at_its_own_rate() {
    let mut scene = sand(30.0);
    let disc = Shape::Cylinder { from: [0.0, -2.0 * D, 0.0], to: [0.0; 3], radius: 12.0 * D, hollow: false };
    scene.boundary.push(wall("disc", disc, Some(1.0)));
    scene.grains.push(block([-4.0, 0.0, -4.0], [4.0, 2.0, 4.0], Fill::Lattice));
    for rate in [2.0, -2.0, 0.0] {
        let mut simulation = simulate(scene.clone());
        simulation.apply(&turned("disc", 0.0, rate)).unwrap();
        simulation.run_until(0.6);
        let found = turning_rate(&mut simulation);
        assert!((found - rate).abs() < 0.1, "{found} rad/s on a disc that turns at {rate} rad/s");
    }
}

#[test]
fn a_turning_paddle_drags_grains_in_its_direction() {
    let mut scene = sand(30.0);
    let tub = Shape::Cylinder { from: [0.0; 3], to: [0.0, 20.0 * D, 0.0], radius: 8.0 * D, hollow: true };
    scene.boundary.push(wall("tub", tub, Some(0.3)));
    let blade = Shape::cuboid([-6.0, 0.5, -0.5].map(|c| c * D), [6.0, 8.0, 0.5].map(|c| c * D));
    scene.boundary.push(wall("paddle", blade, Some(0.3)));
    scene.grains.push(block([-5.0, 0.0, 1.0], [5.0, 4.0, 5.0], Fill::Lattice));
    scene.grains.push(block([-5.0, 0.0, -5.0], [5.0, 4.0, -1.0], Fill::Lattice));
    for rate in [3.0, -3.0, 0.0] {
        let mut simulation = simulate(scene.clone());
        let count = simulation.particle_count();
        while simulation.time() < 0.5 {
            let angle = rate * simulation.time() as f32;
            simulation.apply(&turned("paddle", angle, rate)).unwrap();
            simulation.step();
        }
        let found = turning_rate(&mut simulation);
        assert_eq!(simulation.particle_count(), count);
        if rate == 0.0 {
            assert!(found.abs() < 0.1, "{found} rad/s around a paddle at rest");
        } else {
            assert!((0.3..1.1).contains(&(found / rate)), "{found} rad/s, the paddle {rate} rad/s");
        }
    }
}

#[test]
fn poses_that_are_none_are_refused_and_leave_the_tool_where_it_is() {
    let mut scene = sand(30.0);
    scene.boundary.push(floor());
    scene.grains.push(block([0.0; 3], [2.0; 3], Fill::Lattice));
    let mut simulation = simulate(scene);
    simulation.apply(&turned("floor", 0.1, 0.0)).unwrap();
    let poses = simulation.boundary_poses();
    let pose = |position, rotation, velocity, angular_velocity| Command::ToolPose {
        boundary: "floor".into(),
        position,
        rotation,
        velocity,
        angular_velocity,
    };
    let (zero, bad, one) = (Vec3::ZERO, Vec3::new(0.0, f32::NAN, 0.0), Quat::IDENTITY);
    for (command, word) in [
        (pose(bad, one, zero, zero), "tool_pose.position"),
        (pose(zero, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), zero, zero), "tool_pose.rotation"),
        (pose(zero, Quat::from_xyzw(0.0, 1.0, 0.0, 1.0), zero, zero), "unit quaternion"),
        (pose(zero, one, Vec3::INFINITY, zero), "tool_pose.velocity"),
        (pose(zero, one, zero, bad), "tool_pose.angular_velocity"),
    ] {
        let reason = simulation.apply(&command).unwrap_err().to_string();
        assert!(reason.contains(word), "{reason}");
        assert_eq!(simulation.boundary_poses(), poses);
    }
}
