use super::pour::{POUR_HEIGHT, STREAM};
use super::tool_body::tool_settings;
use super::*;
use granule::live::{Live, LiveOptions, Source};
use granule::{Options, Simulation};

fn frame() -> Frame {
    let source = Source::File { path: "column".into(), quick: true, sets: Vec::new() };
    let live = Live::start(source, LiveOptions { playing: false, ..LiveOptions::default() }).unwrap();
    Frame::clone(&live.latest())
}

fn pointing(at: Vec3) -> Pointing {
    let eye = Vec3::new(at.x, at.y + 0.2, at.z + 2.0);
    let ray = (at - eye).normalize();
    Pointing { at, eye, ray, forward: Vec3::NEG_Z, wheel: [0.0; 2] }
}

#[test]
fn poured_grains_lie_in_a_disc_above_what_is_pointed_at_and_fall() {
    let (frame, at) = (frame(), Vec3::new(0.1, 0.2, 0.3));
    let mut hands = Hands { tool: Tool::Pour, ..Hands::default() };
    let commands = hands.press(&frame, &pointing(at));
    let [Command::Emit { positions, velocity, .. }] = commands.as_slice() else { panic!("{commands:?}") };
    let radius = frame.scene.material[0].radius;
    assert!(positions.len() > 10 && velocity.y < 0.0);
    for place in positions {
        assert!((place.y - at.y - POUR_HEIGHT * radius).abs() < 1e-5);
        assert!((place - at).with_y(0.0).length() <= STREAM * radius * 1.001);
    }
    assert!(hands.press(&frame, &pointing(at)).is_empty(), "once per frame");
}

#[test]
fn wind_blows_along_the_line_of_sight_until_the_button_is_let_go() {
    let (frame, at) = (frame(), pointing(Vec3::ZERO));
    let mut hands = Hands { tool: Tool::Blow, ..Hands::default() };
    assert_eq!(hands.release(), [], "nothing blows yet");
    assert_eq!(hands.press(&frame, &at), [Command::Wind(WIND * at.ray)]);
    assert_eq!(hands.release(), [Command::Wind(Vec3::ZERO)]);
    assert_eq!(hands.release(), []);
}

/// The places that a tool is led to, frame by frame.
fn led(hands: &mut Hands, frame: &mut Frame, at: &Pointing) -> Vec<Command> {
    frame.frame += 1;
    hands.press(frame, at)
}

#[test]
fn a_tool_comes_into_the_scene_once_and_follows_the_pointer_no_faster_than_grains_can_yield() {
    let (mut frame, start) = (frame(), Vec3::new(0.0, 0.3, 0.0));
    let radius = frame.scene.reference_radius();
    let mut hands = Hands { tool: Tool::Body(ToolKind::Plate), ..Hands::default() };
    let first = led(&mut hands, &mut frame, &pointing(start));
    let [Command::AddBody { body }, Command::ToolPose { boundary, position, velocity, .. }] =
        first.as_slice()
    else {
        panic!("{first:?}")
    };
    assert_eq!(&body.name, boundary);
    assert!(position.y > start.y + 7.0 * radius && *velocity == Vec3::ZERO);
    let mut before = *position;
    for _ in 0..200 {
        let commands = led(&mut hands, &mut frame, &pointing(start + Vec3::X * 0.3));
        let [Command::MoveTool { position, seconds, .. }] = commands.as_slice() else {
            panic!("{commands:?}")
        };
        assert_eq!(*seconds, 1.0 / frame.scene.simulation.fps, "it is there when the frame ends");
        assert!(position.distance(before) <= 1.001 * radius);
        before = *position;
    }
    assert!((before.x - 0.3).abs() < 1e-3, "it arrives: {before}");
    assert!(hands.press(&frame, &pointing(start)).is_empty(), "time stands still, and so does the tool");
    let away = led(&mut Hands { tool: Tool::Body(ToolKind::Ball), ..hands }, &mut frame, &pointing(start));
    assert!(matches!(&away[0], Command::ToolPose { position, .. } if position.y < -100.0), "put away");
}

#[test]
fn a_blade_is_driven_forward_turned_and_lifted() {
    let mut frame = frame();
    let mut hands = Hands { tool: Tool::Body(ToolKind::Blade), ..Hands::default() };
    assert!(hands.drive(&frame, Drive { forward: 1.0, ..Drive::default() }).is_none(), "not there yet");
    led(&mut hands, &mut frame, &pointing(Vec3::ZERO));
    let mut drive = |drive: Drive| {
        frame.frame += 1;
        match hands.drive(&frame, drive) {
            Some(Command::MoveTool { position, rotation, .. }) => (position, rotation),
            other => panic!("{other:?}"),
        }
    };
    let (first, _) = drive(Drive { forward: 1.0, ..Drive::default() });
    let (start, ahead) = drive(Drive { forward: 1.0, ..Drive::default() });
    assert!(start.z < first.z && start.y == first.y, "away from the eye: {first}, {start}");
    let (_, turned) = drive(Drive { left: 1.0, ..Drive::default() });
    let (lifted, _) = drive(Drive { up: 1.0, ..Drive::default() });
    assert!(lifted.y > start.y && turned != ahead);
    frame.frame += 1;
    assert!(hands.drive(&frame, Drive::default()).is_none(), "and is quiet then");
}

/// A ball that hangs over nothing, grabbed at its side.
#[test]
fn a_grabbed_body_comes_to_the_pointer_and_flies_on_when_it_is_let_go() {
    let mut scene = Scene::new("grab")
        .with_material(granule::MaterialSettings::default())
        .with_wall("floor", Shape::floor(-5.0))
        .with_grains("sand", Shape::cuboid([3.0, -5.0, 3.0], [3.1, -4.9, 3.1]));
    scene.simulation.fps = 50.0;
    scene.grains[0].material.clone_from(&scene.material[0].name);
    let ball = granule::scene::BodySettings::new("ball", Shape::ball([0.0, 0.5, 0.0], 0.1));
    scene.body.push(granule::scene::BodySettings { kind: granule::scene::BodyKind::Dynamic, ..ball });
    let mut simulation = Simulation::new(scene.clone(), &Options::default()).unwrap();
    let live = Live::start(scene, LiveOptions { playing: false, ..LiveOptions::default() }).unwrap();
    let mut frame = Frame::clone(&live.latest());
    let mut hands = Hands { tool: Tool::Grab, ..Hands::default() };
    let at = |at: Vec3| {
        let eye = Vec3::new(0.0, 0.5, 2.0);
        Pointing { at, eye, ray: (at - eye).normalize(), forward: Vec3::NEG_Z, wheel: [0.0; 2] }
    };
    assert!(hands.press(&frame, &at(Vec3::new(0.3, 0.5, 0.0))).is_empty(), "nothing is there to be grabbed");
    hands.release();
    let mut lead = |hands: &mut Hands, pointing: &Pointing| {
        for command in hands.press(&frame, pointing) {
            simulation.apply(&command).unwrap();
        }
        simulation.run_until((frame.frame + 1) as f64 / 50.0);
        frame.frame = simulation.frame();
        frame.bodies = simulation.bodies().into();
        (frame.bodies[0].center, frame.bodies[0].velocity)
    };
    lead(&mut hands, &at(Vec3::new(0.0, 0.5, 0.1)));
    let wanted = Vec3::new(0.4, 0.7, 0.1);
    let (mut center, mut velocity) = (Vec3::ZERO, Vec3::ZERO);
    for _ in 0..60 {
        (center, velocity) = lead(&mut hands, &at(wanted));
    }
    // It was grabbed 0.1 m before its centre.
    let held = center + Vec3::new(0.0, 0.0, 0.1);
    assert!(held.distance(wanted) < 0.02, "{held} instead of {wanted}");
    assert!(velocity.length() < 0.2, "{velocity}");
    // Thrown: what it has when it is let go, it keeps; the rest is gravity.
    for k in 1..=4 {
        (_, velocity) = lead(&mut hands, &at(wanted + 0.08 * k as f32 * Vec3::X));
    }
    assert!(velocity.x > 0.5, "{velocity}");
    assert_eq!(hands.release(), []);
    hands.tool = Tool::Look;
    let (_, later) = lead(&mut hands, &at(wanted));
    assert!((later.x - velocity.x).abs() < 0.05 * velocity.x, "{velocity}, then {later}");
    assert!((later.y - velocity.y + 9.81 / 50.0).abs() < 0.02, "{velocity}, then {later}");
}

/// Sand in a scoop presses on it with its weight, all of which the books know.
#[test]
fn the_force_on_a_loaded_scoop_is_the_weight_of_its_load() {
    let scene = r#"
name = "scoop"
[simulation]
fps = 50
[[material]]
name = "sand"
radius = 0.01
friction_angle = 30
[[grains]]
material = "sand"
shape.box = { min = [0.5, 0, 0.5], max = [0.6, 0.1, 0.6] }
[[boundary]]
name = "floor"
shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
"#;
    let mut simulation = Simulation::new(Scene::parse(scene, "scoop").unwrap(), &Options::default()).unwrap();
    let start = simulation.particle_count();
    let body = tool_settings(ToolKind::Scoop, "scoop", 0.24, 0.01);
    simulation.apply(&Command::AddBody { body: Box::new(body) }).unwrap();
    let place = Vec3::new(0.0, 0.5, 0.0);
    let pose = |velocity: Vec3, time: f32| Command::ToolPose {
        boundary: "scoop".into(),
        position: place + time * velocity,
        rotation: glam::Quat::IDENTITY,
        velocity,
        angular_velocity: Vec3::ZERO,
    };
    simulation.apply(&pose(Vec3::ZERO, 0.0)).unwrap();
    let mut poured = 0;
    for layer in 0..4 {
        let at = |k: i32| Vec3::new((k % 6 - 3) as f32 + 0.5, 0.0, (k / 6 - 3) as f32 + 0.5) * 0.021;
        let positions: Vec<Vec3> =
            (0..36).map(|k| place + Vec3::Y * (0.0 + 0.021 * layer as f32) + at(k)).collect();
        let command = Command::Emit { material: "sand".into(), positions, velocity: Vec3::ZERO };
        poured += simulation.apply(&command).unwrap().emitted;
    }
    assert!(poured > 100, "{poured}");
    simulation.run_until(1.5);
    let ledger = simulation.ledger();
    assert_eq!((ledger.unaccounted(), ledger.emitted as usize), (0, poured));
    let state = simulation.read(&["position"]).unwrap();
    let carried = state.vec3("position").unwrap().iter().filter(|x| x[1] > 0.3).count();
    // A particle stands for a cube of bulk sand.
    let mass = simulation.scene().material[0].density * 0.02_f32.powi(3);
    let weight = 9.81 * mass * carried as f32;
    let force = simulation.bodies()[0].force;
    assert!(carried > poured / 2, "{carried} of {poured} lie in it");
    assert!((force.y / -weight - 1.0).abs() < 0.05, "{force} for {weight} N");
    let taken = simulation.apply(&Command::Remove { region: Shape::ball([0.0, 0.5, 0.0], 0.2) }).unwrap();
    assert_eq!(taken.removed, carried);
    assert_eq!(simulation.particle_count(), start + poured - taken.removed);
    assert_eq!(simulation.ledger().unaccounted(), 0);
}
