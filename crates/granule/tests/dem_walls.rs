//! Walls, bodies and cells of distinct elements: meshes touch like the shapes they are made of, bodies fly by Newton's law,
//! plates hold their force, and cells that strain hold their pressure.

use glam::DVec3;
use granule::scene::Scene;
use granule::{Command, Options, Simulation};

const MATERIAL: &str = r#"
[[material]]
name = "sand"
radius = 0.005
density = 2500
[material.dem]
young = 5e6
restitution = 0.6
friction = 0.5
rolling_friction = 0.05
"#;

fn scene(simulation: &str, rest: &str) -> Scene {
    let text = format!("name = \"test\"\n[simulation]\nsolver = \"dem\"\n{simulation}\n{MATERIAL}\n{rest}");
    Scene::parse(&text, "test").unwrap()
}

fn simulate(scene: Scene) -> Simulation {
    Simulation::new(scene, &Options { threads: Some(2), ..Options::default() }).unwrap()
}

fn run(simulation: &mut Simulation, seconds: f64) {
    simulation.run_until(seconds);
}

fn positions(simulation: &mut Simulation) -> Vec<DVec3> {
    let read = simulation.read(&["position"]).unwrap();
    read.vec3("position").unwrap().iter().map(|x| DVec3::from(x.map(f64::from))).collect()
}

/// Grains that slide and roll over the top of a cube, over its edges and down its sides.
fn over_a_cube(shape: &str) -> Simulation {
    let rest = format!(
        r#"
        [[grains]]
        material = "sand"
        fill = "random"
        velocity = [0.4, 0, 0.3]
        shape.box = {{ min = [-0.15, 0.1501, -0.15], max = [0.15, 0.165, 0.15] }}
        [[boundary]]
        name = "cube"
        friction = 0.2
        shape = {shape}
        "#
    );
    simulate(scene("fps = 50\ntime_step = 4e-5", &rest))
}

/// Grains that bounce inside a cube.
fn inside_a_cube(shape: &str) -> Simulation {
    let rest = format!(
        r#"
        [[grains]]
        material = "sand"
        fill = "random"
        velocity = [0.5, 0.2, -0.3]
        shape.box = {{ min = [-0.07, -0.08, -0.08], max = [0.07, 0.08, 0.08] }}
        [[boundary]]
        name = "cube"
        shape = {shape}
        "#
    );
    simulate(scene("fps = 50\ntime_step = 4e-5", &rest))
}

/// Twelve triangles and an exact box are the same walls: over the seams of triangles, over edges, and in corners.
#[test]
fn a_mesh_of_a_cube_is_a_cube() {
    let over = [
        "{ box = { min = [-0.15, -0.15, -0.15], max = [0.15, 0.15, 0.15] } }",
        "{ mesh = { file = \"builtin:box\", size = 0.3 } }",
    ];
    let inside = [
        "{ box = { min = [-0.1, -0.1, -0.1], max = [0.1, 0.1, 0.1], hollow = true } }",
        "{ mesh = { file = \"builtin:box\", size = 0.2, hollow = true } }",
    ];
    for [mut exact, mut mesh] in [over.map(over_a_cube), inside.map(inside_a_cube)] {
        // Grains that hit each other part by rounding in the end; until then the way over faces is the same.
        for (seconds, most) in [(0.04, 2e-6), (0.08, 1e-4)] {
            run(&mut exact, seconds);
            run(&mut mesh, seconds);
            let apart = positions(&mut exact).into_iter().zip(positions(&mut mesh));
            let apart = apart.map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
            eprintln!("{} grains after {seconds} s {apart:.1e} m apart", exact.grain_count());
            assert!(apart < most, "after {seconds} s {apart} m apart");
        }
        assert_eq!((exact.lost(), mesh.lost()), (0, 0));
    }
}

/// A single grain slides and rolls over a table of triangles, and off its edge, as over an exact one.
#[test]
fn a_grain_rolls_over_seams_and_off_an_edge() {
    let on = |shape: &str| {
        let grain = r#"
            [[grains]]
            material = "sand"
            velocity = [0.9, 0, 0.56]
            shape.box = { min = [-0.105, 0.15, -0.005], max = [-0.095, 0.16, 0.005] }
            "#;
        let rest = format!("{grain}\n[[boundary]]\nname = \"table\"\nshape = {shape}");
        simulate(scene("fps = 50\ntime_step = 2e-5", &rest))
    };
    let mut exact = on("{ box = { min = [-0.15, -0.15, -0.15], max = [0.15, 0.15, 0.15] } }");
    let mut mesh = on("{ mesh = { file = \"builtin:box\", size = 0.3 } }");
    assert_eq!(mesh.grain_count(), 1);
    run(&mut exact, 0.8);
    run(&mut mesh, 0.8);
    let (a, b) = (positions(&mut exact)[0], positions(&mut mesh)[0]);
    eprintln!("{a} and {b}");
    assert!(a.y < 0.0, "it has fallen off: {a}");
    assert!(a.distance(b) < 1e-5, "{a} and {b}");
}

const BODY: &str = r#"
    [[body]]
    name = "brick"
    density = 2000
    velocity = [0.3, 0.5, 0]
    angular_velocity = [100, 200, 300]
    shape.box = { min = [-0.05, 0.3, -0.03], max = [0.05, 0.34, 0.03] }
    "#;

/// Without grains around it a body flies its parabola, whatever the interval.
#[test]
fn a_body_that_touches_nothing_flies_its_parabola() {
    let mut simulation = simulate(scene("fps = 100\ntime_step = 5e-5\nbody_interval = 7e-4", BODY));
    run(&mut simulation, 0.2);
    let body = &simulation.bodies()[0];
    let expected = [0.3 * 0.2, 0.32 + 0.5 * 0.2 - 0.5 * 9.81 * 0.04, 0.0];
    for (found, wanted) in body.center.to_array().iter().zip(expected) {
        assert!((f64::from(*found) - wanted).abs() < 2e-6, "{:?} instead of {expected:?}", body.center);
    }
    assert!((f64::from(body.velocity.y) - (0.5 - 9.81 * 0.2)).abs() < 1e-5, "{:?}", body.velocity);
    assert!(body.angular_velocity.length() > 1.0);
}

/// A body lands on a floor and on another one: rapier's contacts at intervals, with grains between them.
fn landing(interval: f64) -> Scene {
    let rest = format!(
        "{BODY}{}",
        r#"
        [[body]]
        name = "ball"
        density = 2700
        shape.sphere = { center = [0.25, 0.3, 0], radius = 0.04 }
        [[grains]]
        material = "sand"
        fill = "random"
        shape.box = { min = [0.15, 0, -0.1], max = [0.35, 0.12, 0.1] }
        [[boundary]]
        name = "tray"
        shape.box = { min = [-0.3, 0, -0.1], max = [0.4, 1, 0.1], hollow = true }
        "#
    );
    scene(&format!("fps = 50\nbody_interval = {interval}"), &rest)
}

/// Halving the interval changes where a ball comes to rest in sand by less than two parts in a hundred of its depth.
#[test]
fn the_interval_of_bodies_does_not_matter() {
    let mut depth = Vec::new();
    for interval in [1e-3, 5e-4] {
        let mut simulation = simulate(landing(interval));
        run(&mut simulation, 0.5);
        let ball = &simulation.bodies()[1];
        assert!(ball.velocity.length() < 0.1, "{ball:?}");
        let brick = &simulation.bodies()[0];
        assert!(brick.center.y < 0.07 && brick.center.y > 0.015, "{brick:?}");
        depth.push(f64::from(ball.center.y));
        assert_eq!(simulation.lost(), 0);
    }
    eprintln!("the ball lies at {depth:?}");
    assert!((depth[0] - depth[1]).abs() < 0.02 * depth[0], "{depth:?}");
}

/// Momentum and angular momentum about the origin of grains and a brick of 0.1 by 0.04 by 0.06 m, and of the grains alone.
fn momenta_with_brick(simulation: &mut Simulation) -> [DVec3; 3] {
    let read = simulation.read(&["position", "velocity", "angular_velocity"]).unwrap();
    let rows = |name: &str| read.vec3(name).unwrap().iter().map(|v| DVec3::from(v.map(f64::from)));
    let mass = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.005f64.powi(3);
    let (mut grains, mut turning) = (DVec3::ZERO, DVec3::ZERO);
    for ((x, v), w) in rows("position").zip(rows("velocity")).zip(rows("angular_velocity")) {
        grains += mass * v;
        turning += mass * x.cross(v) + 0.4 * mass * 0.005f64.powi(2) * w;
    }
    let body = &simulation.bodies()[0];
    let (mass, velocity) = (f64::from(body.mass), body.velocity.as_dvec3());
    let [x, y, z] = [0.1f64, 0.04, 0.06].map(|side| side * side / 12.0);
    let axes = body.pose.rotation.as_dquat();
    let inertia = mass * DVec3::new(y + z, z + x, x + y);
    let own = axes * (inertia * (axes.conjugate() * body.angular_velocity.as_dvec3()));
    [grains + mass * velocity, turning + mass * body.center.as_dvec3().cross(velocity) + own, grains]
}

/// What a body loses grains gain: momentum and angular momentum of both, without gravity and walls, over collisions.
#[test]
fn a_body_and_grains_keep_their_momentum() {
    let rest = r#"
        [[grains]]
        material = "sand"
        fill = "random"
        velocity = [-0.5, 0.05, 0.02]
        shape.box = { min = [0.1, 0.28, -0.03], max = [0.2, 0.36, 0.03] }
        [[body]]
        name = "brick"
        density = 2000
        velocity = [0.3, 0, 0]
        shape.box = { min = [-0.05, 0.3, -0.03], max = [0.05, 0.34, 0.03] }
        "#;
    let mut simulation = simulate(scene("fps = 100\ngravity = [0, 0, 0]", rest));
    let [before, turning, grains] = momenta_with_brick(&mut simulation);
    run(&mut simulation, 0.3);
    let [after, turning_after, grains_after] = momenta_with_brick(&mut simulation);
    let moduli = grains.length() + before.length();
    assert!((grains_after - grains).length() > 0.1 * moduli, "they have met");
    assert!((after - before).length() < 1e-5 * moduli, "{before} {after}");
    // All of it passes at about 0.3 m from the origin.
    let lost = (turning_after - turning).length() / (0.3 * moduli);
    eprintln!("angular momentum lost: {lost:e}");
    assert!(lost < 2e-5, "{turning} {turning_after}");
    let spin = simulation.bodies()[0].angular_velocity.length();
    assert!(spin > 0.01, "{spin}");
}

/// A plate lies on grains with its force: its place stays, and what grains carry is the force.
#[test]
fn a_plate_holds_its_force_and_a_run_resumed_gives_the_same_bits() {
    let rest = r#"
        [[grains]]
        material = "sand"
        fill = "random"
        shape.box = { min = [-0.04, 0, -0.04], max = [0.04, 0.1, 0.04] }
        [[boundary]]
        name = "box"
        shape.box = { min = [-0.04, 0, -0.04], max = [0.04, 1, 0.04], hollow = true }
        [[body]]
        name = "plate"
        kind = "keyframed"
        shape.box = { min = [-0.2, 0.105, -0.2], max = [0.2, 0.125, 0.2] }
        [body.motion.servo]
        direction = [0, -1, 0]
        pressure = 2000
        area = 0.0064
        mass = 0.3
        damping = 5
        start = 0.1
        "#;
    let scene = scene("fps = 100", rest);
    let mut simulation = simulate(scene);
    run(&mut simulation, 0.3);
    let state = simulation.checkpoint().unwrap();
    run(&mut simulation, 0.6);
    let plate = &simulation.bodies()[0];
    eprintln!("force {:?} at {}", plate.force, plate.pose.translation.y);
    assert!((plate.force.y - 12.8).abs() < 0.02 * 12.8, "{:?}", plate.force);
    assert!(plate.pose.translation.y < -0.01 && plate.velocity.length() < 2e-3, "{plate:?}");
    let mut resumed =
        Simulation::resume(&state, &Options { threads: Some(1), ..Options::default() }).unwrap();
    run(&mut resumed, 0.6);
    assert_eq!(simulation.simulator().state_hash(), resumed.simulator().state_hash());
}

/// A cell of grains of different sizes without weight, under a pressure of 1000 Pa along x and y and another one along z.
fn cell_of_grains(pressure_along_z: u32) -> Scene {
    let strain = format!(
        r#"
        fps = 100
        gravity = [0, 0, 0]
        periodic = {{ x = [0, 0.08], y = [0, 0.08], z = [0, 0.08] }}
        [simulation.strain]
        x = {{ pressure = 1000, max_rate = 2 }}
        y = {{ pressure = 1000, max_rate = 2 }}
        z = {{ pressure = {pressure_along_z}, max_rate = 2 }}
    "#
    );
    let grains = r#"
        [[grains]]
        material = "sand"
        fill = "random"
        radius = [0.004, 0.006]
        shape.box = { min = [0, 0, 0], max = [0.08, 0.08, 0.08] }
        "#;
    scene(&strain, grains)
}

/// A cell of grains is compressed to a pressure: contacts carry it along every axis, and it stays.
#[test]
fn a_cell_holds_its_pressure_and_a_run_resumed_gives_the_same_bits() {
    let mut simulation = simulate(cell_of_grains(2000));
    run(&mut simulation, 0.2);
    let state = simulation.checkpoint().unwrap();
    run(&mut simulation, 0.6);
    let cell = simulation.simulator().cell().unwrap();
    eprintln!("{cell:?}");
    for (stress, wanted) in cell.stress.to_array().into_iter().zip([1000.0, 1000.0, 2000.0]) {
        assert!((stress / wanted - 1.0).abs() < 0.02, "{cell:?}");
    }
    assert!(cell.rate.length() < 0.05, "{cell:?}");
    let read = simulation.read(&["radius", "position"]).unwrap();
    let solid: f64 = read
        .scalar("radius")
        .unwrap()
        .iter()
        .map(|r| 4.0 / 3.0 * std::f64::consts::PI * f64::from(*r).powi(3))
        .sum();
    let fraction = solid / (cell.to - cell.from).element_product();
    eprintln!("solid fraction {fraction:.3}");
    // Random packings with friction lie between loose (0.55) and close (0.64).
    assert!((0.55..0.66).contains(&fraction), "{fraction}");
    let inside = |x: &[f32; 3]| {
        (0..3).all(|k| f64::from(x[k]) > cell.from[k] - 1e-6 && f64::from(x[k]) < cell.to[k] + 1e-6)
    };
    assert!(read.vec3("position").unwrap().iter().all(inside));
    let mut resumed =
        Simulation::resume(&state, &Options { threads: Some(1), ..Options::default() }).unwrap();
    run(&mut resumed, 0.6);
    assert_eq!(simulation.simulator().state_hash(), resumed.simulator().state_hash());
}

/// A triaxial test by commands: packed by pressure, then shortened along y while x and z hold theirs.
#[test]
fn rates_of_a_cell_change_on_the_way_and_are_in_checkpoints() {
    let mut simulation = simulate(cell_of_grains(1000));
    run(&mut simulation, 0.4);
    let before = simulation.simulator().cell().unwrap();
    let set = |simulation: &mut Simulation, key: &str, value: f64| {
        let path = format!("simulation.strain.{key}");
        simulation.apply(&Command::Set { path, value })
    };
    set(&mut simulation, "y.rate", -0.2).unwrap();
    set(&mut simulation, "y.max_rate", 0.0).unwrap();
    assert!(set(&mut simulation, "y.max_rate", -1.0).is_err());
    let state = simulation.checkpoint().unwrap();
    run(&mut simulation, 0.6);
    let after = simulation.simulator().cell().unwrap();
    eprintln!("{after:?}");
    let length = |cell: &granule::cell::CellState| cell.to.y - cell.from.y;
    let strain = (length(&before) / length(&after)).ln();
    assert!((strain - 0.2 * 0.2).abs() < 1e-3, "{strain}");
    assert!(
        after.stress.y > 1.2 * after.stress.x && (after.stress.x / 1000.0 - 1.0).abs() < 0.2,
        "{after:?}"
    );
    let mut resumed =
        Simulation::resume(&state, &Options { threads: Some(1), ..Options::default() }).unwrap();
    run(&mut resumed, 0.6);
    assert_eq!(simulation.simulator().state_hash(), resumed.simulator().state_hash());
}

/// A cell that does not strain does not begin to.
#[test]
fn no_command_makes_a_cell_strain() {
    let scene = scene("fps = 100\nperiodic = { x = [0, 0.08] }", "");
    let command = Command::Set { path: "simulation.strain.x.rate".into(), value: 0.1 };
    assert!(simulate(scene).apply(&command).is_err());
}

/// What solvers without grains cannot do is refused by name.
#[test]
fn servos_and_strain_are_refused_elsewhere() {
    let servo = "[[boundary]]\nname = \"lid\"\nshape.box = { min = [0, 0, 0], max = [1, 1, 1] }\n\
                 motion.servo = { direction = [0, -1, 0], force = 1, mass = 1 }";
    let text = |solver: &str, simulation: &str, rest: &str| {
        let text =
            format!("name = \"test\"\n[simulation]\nsolver = \"{solver}\"\n{simulation}\n{MATERIAL}\n{rest}");
        Scene::parse(&text, "test").and_then(|scene| scene.validate()).err().map(|error| error.to_string())
    };
    assert_eq!(text("dem", "", servo), None);
    let found = text("iisph", "", servo).unwrap();
    assert!(found.contains("boundary.0.motion.servo") && found.contains("dem"), "{found}");
    let strain = "periodic = { x = [0, 1] }\nstrain = { x = { rate = -0.1 } }";
    assert_eq!(text("dem", strain, ""), None);
    assert!(text("iisph", strain, "").unwrap().contains("simulation.strain"));
    let still = text("dem", "strain = { y = { rate = -0.1 } }", "").unwrap();
    assert!(still.contains("simulation.strain.y") && still.contains("periodic.y"), "{still}");
    assert!(text("dem", "periodic = { x = [0, 1] }\nstrain = { x = {} }", "").unwrap().contains("either"));
}
