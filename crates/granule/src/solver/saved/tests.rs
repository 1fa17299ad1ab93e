//! Every part of a saved state matters, and impossible states are refused.

use super::*;
use crate::columns::{ColumnData, ColumnInfo, Role};
use crate::contacts::Partner;
use crate::io::Checkpoint;
use crate::simulator::Command;
use crate::solver::dem::state::DemState;
use crate::solver::iisph::state::IisphState;
use crate::solver::pbd::state::PbdState;
use crate::solver::wcsph::state::WcsphState;
use crate::{Options, Simulation};

/// A part of the state, or words of a refusal, and what is done to it.
type Change<'a> = (&'a str, &'a dyn Fn(&mut SavedState));

/// A checkpoint in which everything that outlives a step matters.
fn checkpoint() -> Checkpoint {
    let text = include_str!("../../../tests/scenes/checkpoint.toml");
    let mut simulation = Simulation::new(Scene::parse(text, "test").unwrap(), &Options::default()).unwrap();
    simulation.apply(&Command::Set { path: "material.sand.cohesion".into(), value: 50.0 }).unwrap();
    simulation.apply(&Command::Wind(Vec3::X)).unwrap();
    simulation.apply(&Command::Gravity(Vec3::new(0.5, -9.81, 0.0))).unwrap();
    let (position, velocity) = (Vec3::new(-0.1, 0.0, 0.0), Vec3::new(-0.5, 0.0, 0.0));
    let (rotation, angular_velocity) = (glam::Quat::from_rotation_y(-0.02), Vec3::new(0.0, 2.0, 0.0));
    let boundary = "tool".into();
    let pose = Command::ToolPose { boundary, position, rotation, velocity, angular_velocity };
    simulation.apply(&pose).unwrap();
    simulation.run_until(0.08);
    Checkpoint::decode(&simulation.checkpoint().unwrap()).unwrap()
}

/// A checkpoint of water that falls.
fn checkpoint_of_water() -> Checkpoint {
    let text = "name = \"test\"\n[simulation]\nsolver = \"wcsph\"\nfps = 50\n[[material]]\nname = \"water\"\n\
                friction_angle = 0\n[[material]]\nname = \"oil\"\nfriction_angle = 0\ndensity = 800\n\
                [[grains]]\nmaterial = \"water\"\nshape.box = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\n\
                [[grains]]\nmaterial = \"oil\"\nshape.box = { min = [0, 0.1, 0], max = [0.1, 0.2, 0.1] }\n\
                [[boundary]]\nname = \"floor\"\nshape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }\n";
    let mut simulation = Simulation::new(Scene::parse(text, "test").unwrap(), &Options::default()).unwrap();
    simulation.run_until(0.08);
    Checkpoint::decode(&simulation.checkpoint().unwrap()).unwrap()
}

/// A checkpoint of grains that collide above others that are held, with a solver by its word; where it keeps lists, when these hold.
fn checkpoint_of_grains(solver: &str) -> Checkpoint {
    let text = "name = \"test\"\n[simulation]\nsolver = \"SOLVER\"\nfps = 50\n[[material]]\nname = \"sand\"\n\
                radius = 0.01\n[material.dem]\nyoung = 1e6\nrolling_friction = 0.1\n[material.pbd]\n\
                rolling_friction = 0.1\n[[material]]\nname = \"lead\"\n\
                radius = 0.01\ndensity = 8000\n[material.dem]\nfriction = 0.1\n[material.pbd]\nfriction = 0.1\n\
                [[grains]]\nmaterial = \"sand\"\nfill = \"random\"\nvelocity = [0.3, 0, 0]\n\
                shape.box = { min = [0, 0.02, 0], max = [0.1, 0.12, 0.1] }\n\
                [[grains]]\nmaterial = \"lead\"\nfill = \"random\"\n\
                shape.box = { min = [0, 0.12, 0], max = [0.1, 0.2, 0.1] }\n\
                [[grains]]\nmaterial = \"lead\"\nfixed = true\n\
                shape.box = { min = [0, 0, 0], max = [0.1, 0.02, 0.1] }\n\
                [[boundary]]\nname = \"floor\"\nshape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }\n";
    let text = text.replace("SOLVER", solver);
    let mut simulation = Simulation::new(Scene::parse(&text, "test").unwrap(), &Options::default()).unwrap();
    let frames = (4..12).map(|frame| {
        simulation.run_until(0.02 * f64::from(frame));
        Checkpoint::decode(&simulation.checkpoint().unwrap()).unwrap()
    });
    let lists_hold = |checkpoint: &Checkpoint| {
        solver != "pbd" || postcard::from_bytes::<SavedState>(&checkpoint.state).unwrap().lists.is_some()
    };
    frames.into_iter().find(lists_hold).expect("lists hold at the end of some frame")
}

fn changed(checkpoint: &Checkpoint, change: &dyn Fn(&mut SavedState)) -> Checkpoint {
    let mut saved: SavedState = postcard::from_bytes(&checkpoint.state).unwrap();
    change(&mut saved);
    Checkpoint { state: postcard::to_stdvec(&saved).unwrap(), ..checkpoint.clone() }
}

fn end(checkpoint: &Checkpoint) -> u64 {
    let mut simulation = Simulation::restore(checkpoint, &Options::default()).unwrap();
    simulation.run_until(simulation.time() + 0.02);
    simulation.simulator().state_hash()
}

/// Forgets the values of a column.
fn forget(data: &mut ColumnData) {
    match data {
        ColumnData::F32(values) => values.fill(0.0),
        ColumnData::Vec4(values) => values.fill(glam::Vec4::ZERO),
        ColumnData::Quat(values) => values.fill(glam::Quat::IDENTITY),
        ColumnData::Tensor(values) => values.fill([0.0; 6]),
        ColumnData::U32(values) => values.fill(0),
        ColumnData::U16(values) => values.fill(0),
        ColumnData::Exact(values) => values.fill(Default::default()),
    }
}

fn reverse(data: &mut ColumnData) {
    match data {
        ColumnData::F32(values) => values.reverse(),
        ColumnData::Vec4(values) => values.reverse(),
        ColumnData::Quat(values) => values.reverse(),
        ColumnData::Tensor(values) => values.reverse(),
        ColumnData::U32(values) => values.reverse(),
        ColumnData::U16(values) => values.reverse(),
        ColumnData::Exact(values) => values.reverse(),
    }
}

fn vec4<'a>(columns: &'a mut SavedColumns, name: &str) -> &'a mut Vec<glam::Vec4> {
    match columns.get_mut(name) {
        Some(ColumnData::Vec4(values)) => values,
        other => panic!("{name}: {other:?}"),
    }
}

/// The columns of a registry that are state, beside motion.
fn state_columns(columns: &dyn ParticleColumns) -> Vec<ColumnInfo> {
    let all = columns.columns().into_iter().filter(|(_, column)| column.exists()).map(|(info, _)| info);
    all.filter(|info| info.role == Role::State).collect()
}

/// Drops each column that the registries call state, one after the other, and demands other bits.
fn every_state_column_matters(sound: &Checkpoint, own: &dyn ParticleColumns) {
    let unbroken = end(sound);
    assert_eq!(end(sound), unbroken);
    for info in state_columns(&Particles::default()) {
        let dropped = changed(sound, &|s| forget(s.particles.get_mut(info.name).unwrap()));
        assert_ne!(end(&dropped), unbroken, "{}", info.name);
    }
    let own = state_columns(own);
    assert!(!own.is_empty());
    for info in own {
        let dropped = changed(sound, &|s| forget(s.columns.get_mut(info.name).unwrap()));
        assert_ne!(end(&dropped), unbroken, "{}", info.name);
    }
}

#[test]
fn every_state_column_of_the_registries_matters() {
    every_state_column_matters(&checkpoint(), &IisphState::default());
    every_state_column_matters(&checkpoint_of_water(), &WcsphState::default());
    every_state_column_matters(&checkpoint_of_grains("dem"), &DemState::default());
    every_state_column_matters(&checkpoint_of_grains("pbd"), &PbdState::default());
}

/// Lists that go on to hold: without them contacts would take impulses for forces, and ended by the rules they are made anew.
#[test]
fn lists_that_go_on_to_hold_matter() {
    let sound = checkpoint_of_grains("pbd");
    let saved: SavedState = postcard::from_bytes(&sound.state).unwrap();
    assert!(saved.lists.is_some());
    let unbroken = end(&sound);
    assert_ne!(end(&changed(&sound, &|s| s.lists = None)), unbroken);
    let ended = changed(&sound, &|s| s.end_lists());
    let mut simulation = Simulation::restore(&ended, &Options::default()).unwrap();
    let mut goes_on = Simulation::restore(&sound, &Options::default()).unwrap();
    let force = |s: &mut Simulation| s.contacts().iter().map(|c| f64::from(c.normal_force)).sum::<f64>();
    let forces = [&mut simulation, &mut goes_on].map(force);
    assert!(forces[0] > 0.0 && (forces[0] / forces[1] - 1.0).abs() < 1e-5, "{forces:?}");
    let refused = |change: &dyn Fn(&mut SavedState)| {
        let error = Simulation::restore(&changed(&sound, change), &Options::default()).err();
        error.map(|error| error.to_string()).unwrap_or_default()
    };
    let short = refused(&|s| s.lists.as_mut().unwrap().listed.truncate(3));
    assert!(short.contains("do not belong"), "{short}");
    let broken = refused(&|s| s.lists.as_mut().unwrap().listed[2].w = f32::NAN);
    assert!(broken.contains("listed positions"), "{broken}");
    let few = refused(&|s| s.lists.as_mut().unwrap().paths.truncate(3));
    assert!(few.contains("do not belong"), "{few}");
    let nowhere = refused(&|s| s.lists.as_mut().unwrap().paths[2].way.x = f32::INFINITY);
    assert!(nowhere.contains("ways"), "{nowhere}");
}

/// Orientations act on nothing, so no hash tells that they are lost; the field does.
#[test]
fn columns_that_follow_the_motion_are_saved() {
    followers_are_saved("dem", &DemState::default());
    followers_are_saved("pbd", &PbdState::default());
}

fn followers_are_saved(solver: &str, all: &dyn ParticleColumns) {
    // With turns since the frame began, which devices leave and `pbd` on CPU cores does not.
    let turn = |s: &mut SavedState| vec4(&mut s.columns, "turn").fill(glam::Vec4::new(0.1, -0.05, 0.02, 0.0));
    let sound = changed(&checkpoint_of_grains(solver), &turn);
    let turned = |checkpoint: &Checkpoint| {
        let mut simulation = Simulation::restore(checkpoint, &Options::default()).unwrap();
        let now = simulation.read(&["orientation"]).unwrap();
        (end(checkpoint), now.column("orientation").cloned())
    };
    let (hash, unbroken) = turned(&sound);
    let followers =
        all.columns().into_iter().map(|(info, _)| info).filter(|info| info.role == Role::Follower);
    let mut names = Vec::new();
    for info in followers {
        let dropped = changed(&sound, &|s| forget(s.columns.get_mut(info.name).unwrap()));
        let (same_hash, field) = turned(&dropped);
        assert_eq!(same_hash, hash, "{}", info.name);
        assert!(field != unbroken, "{}", info.name);
        names.push(info.name);
    }
    assert_eq!(names, ["orientation", "turn"]);
}

#[test]
fn what_contacts_of_grains_remember_matters() {
    for solver in ["dem", "pbd"] {
        let sound = checkpoint_of_grains(solver);
        let unbroken = end(&sound);
        let forgotten = changed(&sound, &|s| s.contacts.state.fill(0.0));
        assert_ne!(end(&forgotten), unbroken);
        let walls = |s: &SavedState| s.contacts.partner.iter().filter(|p| p.as_wall().is_some()).count();
        let saved: SavedState = postcard::from_bytes(&sound.state).unwrap();
        assert!(walls(&saved) < saved.contacts.partner.len(), "pairs of grains are among them");
    }
}

#[test]
fn every_part_of_the_state_matters() {
    let sound = checkpoint();
    let unbroken = end(&sound);
    let changes: [Change; 9] = [
        ("time", &|s| s.world.time += 1e-9),
        ("scene", &|s| s.world.scene = s.world.scene.replace("cohesion = 50.0", "cohesion = 20.0")),
        ("gravity", &|s| s.world.gravity.x = 0.0),
        ("wind", &|s| s.world.wind = None),
        ("boundaries", &|s| s.world.boundaries.reverse()),
        ("next_id", &|s| s.next_id += 1),
        ("contacts", &|s| s.contacts.state.iter_mut().step_by(7).for_each(|normal| *normal = 0.0)),
        ("contact walls", &|s| {
            for partner in &mut s.contacts.partner {
                let (boundary, face) = partner.as_wall().unwrap();
                *partner = Partner::wall(boundary, face ^ 1);
            }
        }),
        ("order in memory", &|s| {
            for columns in [&mut s.particles, &mut s.columns] {
                let names: Vec<String> = columns.iter().map(|(name, _)| name.into()).collect();
                names.iter().for_each(|name| reverse(columns.get_mut(name).unwrap()));
            }
            s.contacts.count.reverse();
            s.contacts.partner.reverse();
            let states: Vec<f32> = s.contacts.state.rchunks(7).flatten().copied().collect();
            s.contacts.state = states;
        }),
    ];
    for (name, change) in changes {
        assert_ne!(end(&changed(&sound, change)), unbroken, "{name}");
    }
    assert_eq!(end(&sound), unbroken);
}

#[test]
fn impossible_states_are_refused() {
    let sound = checkpoint();
    let changes: [Change; 20] = [
        ("births", &|s| s.births.push(Birth { first_id: s.next_id, time: 0.0 })),
        ("`predicted`", &|s| vec4(&mut s.columns, "predicted")[3].x = f32::NAN),
        ("different lengths: `predicted`", &|s| vec4(&mut s.columns, "predicted").truncate(3)),
        ("no column `pressure`", &|s| drop(s.columns.take("pressure", s.contacts.count.len()))),
        ("`pressure` holds values of another type", &|s| {
            s.columns.set("pressure", ColumnData::U32(vec![0; s.contacts.count.len()]));
        }),
        ("a column `spin`", &|s| s.columns.set("spin", ColumnData::F32(vec![0.0; 3]))),
        ("a column `spin`", &|s| s.particles.set("spin", ColumnData::F32(vec![0.0; 3]))),
        ("as many boundaries", &|s| s.world.boundaries.truncate(1)),
        ("a material", &|s| s.particles.set("material", ColumnData::U16(vec![2; s.contacts.count.len()]))),
        ("unique", &|s| s.particles.set("id", ColumnData::U32(vec![1; s.contacts.count.len()]))),
        ("newer", &|s| s.next_id = 5),
        ("contacts", &|s| s.contacts.count[0] += 1),
        ("a wall or particle that does not exist", &|s| s.contacts.partner[0] = Partner::wall(3, 0)),
        ("`position`", &|s| vec4(&mut s.particles, "position")[7].y = f32::NAN),
        ("`position and velocity`", &|s| vec4(&mut s.particles, "position")[7].y = 2e9),
        ("`velocity`", &|s| vec4(&mut s.particles, "velocity")[7].y = f32::INFINITY),
        ("`mass`", &|s| vec4(&mut s.particles, "velocity")[7].w = 0.0),
        ("`contacts`", &|s| s.contacts.state[1] = f32::NAN),
        ("`boundaries`", &|s| s.world.boundaries[0] = postcard::from_bytes(&[0; 90]).unwrap()),
        ("`time`", &|s| s.world.time = f64::NAN),
    ];
    for (word, change) in changes {
        let error = Simulation::restore(&changed(&sound, change), &Options::default()).err().unwrap();
        assert!(error.to_string().contains(word), "{word}: {error}");
    }
}
