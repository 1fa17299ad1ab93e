//! Threads, instructions and restarts change nothing.

use super::*;

use granule::io::Checkpoint;
use granule::solver::saved::SavedState;

/// Grains of two materials with an emitter, an outlet, a plate that moves, a body that falls, air and rough walls.
fn flow() -> Scene {
    let rest = "
        tension = 0.02
        [[material]]
        name = \"gravel\"
        radius = 0.01
        [material.pbd]
        friction = 0.3
        restitution = 0.4
        [[pair]]
        materials = [\"sand\", \"gravel\"]
        friction = 0.6
        [[grains]]
        material = \"sand\"
        fill = \"random\"
        radius = [0.007, 0.02]
        shape.box = { min = [-0.12, 0.17, -0.12], max = [0.12, 0.42, 0.12] }
        [[grains]]
        material = \"gravel\"
        fill = \"random\"
        fixed = true
        shape.box = { min = [-0.12, 0.0, -0.12], max = [-0.05, 0.06, -0.05] }
        [[boundary]]
        name = \"tank\"
        material = \"gravel\"
        shape.box = { min = [-0.12, -0.1, -0.12], max = [0.12, 1.0, 0.12], hollow = true }
        [[boundary]]
        name = \"plate\"
        shape.box = { min = [0.0, -0.02, -0.05], max = [0.005, 0.15, 0.05] }
        [boundary.motion]
        [[boundary.motion.keyframe]]
        time = 0.0
        [[boundary.motion.keyframe]]
        time = 1.0
        translation = [-0.06, 0.03, 0.0]
        angle = 40.0
        axis = [0, 0, 1]
        [[body]]
        name = \"block\"
        density = 1500
        shape.box = { min = [-0.03, 0.46, -0.03], max = [0.03, 0.52, 0.03] }
        [[emitter]]
        name = \"hose\"
        material = \"gravel\"
        shape.box = { min = [-0.04, 0.6, -0.04], max = [0.04, 0.66, 0.04] }
        velocity = [0, -0.5, 0]
        rate = 300
        [[outlet]]
        name = \"drain\"
        shape.box = { min = [0.06, -0.1, -0.12], max = [0.12, -0.05, 0.12] }
        [air]
        density = 1.2
        ";
    scene("", "", (0.5, 0.05), rest)
}

#[test]
fn threads_and_instructions_change_no_bit() {
    let mut hashes = Vec::new();
    for threads in [1, 2, 4] {
        let mut simulation = Simulation::new(flow(), &options(threads)).unwrap();
        simulation.run_until(0.5);
        assert_eq!(simulation.ledger().unaccounted(), 0);
        hashes.push(hash(&simulation));
    }
    let portable = Options { instructions: Some(granule::simd::Instructions::Portable), ..options(2) };
    let mut simulation = Simulation::new(flow(), &portable).unwrap();
    simulation.run_until(0.5);
    hashes.push(hash(&simulation));
    let ledger = simulation.ledger();
    assert!(ledger.emitted > 50 && ledger.drained > 5, "{ledger:?}");
    assert!(hashes.windows(2).all(|pair| pair[0] == pair[1]), "{hashes:?}");
}

#[test]
fn a_resumed_run_in_the_middle_of_a_flow_has_the_same_bits() {
    let mut unbroken = Simulation::new(flow(), &options(2)).unwrap();
    unbroken.run_until(0.3);
    let checkpoint = unbroken.checkpoint().unwrap();
    let mut resumed = Simulation::resume(&checkpoint, &options(1)).unwrap();
    // Not where walls are now, which a checkpoint holds rounded; steps find it anew.
    let contacts = |simulation: &mut Simulation| {
        let known = |c: &Contact| (c.particle, c.partner, c.center, c.normal, c.force());
        simulation.contacts().iter().map(known).collect::<Vec<_>>()
    };
    assert!(contacts(&mut unbroken).len() > 300);
    assert_eq!(contacts(&mut unbroken), contacts(&mut resumed));
    for simulation in [&mut unbroken, &mut resumed] {
        simulation.apply(&Command::Gravity(glam::Vec3::new(1.0, -9.81, 0.0))).unwrap();
        simulation.run_until(0.5);
    }
    assert_eq!(hash(&unbroken), hash(&resumed));
    let fields = ["orientation", "pressure", "coordination", "contact_force"];
    let [mut a, mut b] = [unbroken, resumed];
    assert_eq!(a.read(&fields).unwrap().columns, b.read(&fields).unwrap().columns);
}

/// A run that is resumed while lists hold goes on with the same ones: of a flow beside a plate that moves and a block that falls, and of
/// a bed that has come to rest, whose lists outlive frames.
#[test]
fn a_run_resumed_while_lists_hold_has_the_same_bits() {
    let mut flow = flow();
    flow.emitter.clear();
    flow.outlet.clear();
    let bed = scene(
        "",
        "",
        (0.5, 0.1),
        "
        [[grains]]
        material = \"sand\"
        fill = \"random\"
        radius = [0.008, 0.012]
        shape.box = { min = [-0.1, 0.0, -0.1], max = [0.1, 0.12, 0.1] }
        [[boundary]]
        name = \"tank\"
        shape.box = { min = [-0.1, 0.0, -0.1], max = [0.1, 1.0, 0.1], hollow = true }",
    );
    let listed = |bytes: &[u8]| {
        let state = SavedState::read(&Checkpoint::decode(bytes).unwrap().state).unwrap();
        state.lists.map(|lists| lists.listed)
    };
    for (scene, rests, until) in [(flow, false, [0.1, 0.2, 0.3]), (bed, true, [0.1, 1.0, 2.0])] {
        let mut unbroken = Simulation::new(scene, &options(2)).unwrap();
        let (mut known, mut outlived) = (0, 0);
        for until in until {
            unbroken.run_until(until);
            let checkpoint = unbroken.checkpoint().unwrap();
            let mut resumed = Simulation::resume(&checkpoint, &options(1)).unwrap();
            assert_eq!(resumed.checkpoint().unwrap(), checkpoint);
            let next = until + 2.0 / 60.0;
            [&mut unbroken, &mut resumed].into_iter().for_each(|simulation| simulation.run_until(next));
            assert_eq!(hash(&unbroken), hash(&resumed));
            let after = listed(&unbroken.checkpoint().unwrap());
            known += usize::from(listed(&checkpoint).is_some());
            outlived += usize::from(after.is_some() && after == listed(&checkpoint));
        }
        assert!(known > 0 && (outlived > 0 || !rests), "{known} checkpoints with lists, {outlived} kept");
    }
}
