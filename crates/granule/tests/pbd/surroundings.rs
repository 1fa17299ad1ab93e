//! Walls that move, bodies, pulls and restitution.

use super::*;
use crate::conservation::momenta;

/// One grain, or a few, in a box \[m\] with a velocity [m/s], of the material `sand`.
fn grains(min: [f64; 3], max: [f64; 3], more: &str) -> String {
    format!("[[grains]]\nmaterial = \"sand\"\nshape.box = {{ min = {min:?}, max = {max:?} }}\n{more}\n")
}

const FLOOR: &str =
    "[[boundary]]\nname = \"floor\"\nshape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }\n";

/// A grain on a belt that moves by 0.5 m/s: friction takes it along within v/(mu g), and no faster.
#[test]
fn a_moving_wall_carries_grains_by_friction() {
    let belt = "[[boundary]]\nname = \"belt\"\nshape.box = { min = [-2, -0.1, -1], max = [3, 0, 1] }\n[boundary.motion]\n\
                [[boundary.motion.keyframe]]\ntime = 0.0\n[[boundary.motion.keyframe]]\ntime = 4.0\ntranslation = [2, 0, 0]\n";
    let one = grains([-0.01, 0.0, -0.01], [0.0101, 0.0201, 0.0101], "");
    let mut simulation = start(scene("", "rotation = false", (0.3, 0.0), &format!("{one}{belt}")));
    let speed = |simulation: &mut Simulation| {
        let fields = simulation.read(&["velocity"]).unwrap();
        f64::from(fields.vec3("velocity").unwrap()[0][0])
    };
    simulation.run_until(0.1);
    let early = speed(&mut simulation);
    assert!((early / (0.3 * GRAVITY * 0.1) - 1.0).abs() < 0.05, "{early}");
    simulation.run_until(1.0);
    let late = speed(&mut simulation);
    assert!((late - 0.5).abs() < 1e-3, "{late}");
}

/// A block flies into a cloud of grains, without gravity: what it loses, they gain.
#[test]
fn a_body_and_grains_keep_their_momentum_together() {
    let rest = "
        [[grains]]
        material = \"sand\"
        fill = \"random\"
        shape.box = { min = [0.0, -0.1, -0.1], max = [0.2, 0.1, 0.1] }
        [[body]]
        name = \"block\"
        density = 2000
        velocity = [1.5, 0, 0]
        angular_velocity = [0, 3, 1]
        shape.box = { min = [-0.2, -0.06, -0.04], max = [-0.08, 0.05, 0.06] }";
    let mut simulation = start(scene("gravity = [0, 0, 0]", "", (0.5, 0.1), rest));
    let all = |simulation: &mut Simulation| {
        let (p, l, ..) = momenta(simulation);
        let body = simulation.bodies()[0].clone();
        let (m, v, x) = (f64::from(body.mass), body.velocity.as_dvec3(), body.center.as_dvec3());
        (p + m * v, l, m * v, x)
    };
    let (before, _, of_body, _) = all(&mut simulation);
    simulation.run_until(0.6);
    let (after, _, of_body_then, _) = all(&mut simulation);
    let lost = (of_body - of_body_then).length();
    assert!(lost > 0.2 * of_body.length(), "the block has hit them: {of_body_then} of {of_body}");
    assert!((after - before).length() < 1e-5 * of_body.length(), "{before} became {after}");
}

/// A block that is laid onto a bed stays on it.
#[test]
fn a_body_rests_on_a_bed_of_grains() {
    let rest = "
        [[grains]]
        material = \"sand\"
        fill = \"random\"
        shape.box = { min = [-0.1, 0.0, -0.1], max = [0.1, 0.16, 0.1] }
        [[boundary]]
        name = \"tank\"
        shape.box = { min = [-0.1, 0, -0.1], max = [0.1, 1, 0.1], hollow = true }
        [[body]]
        name = \"block\"
        density = 2500
        shape.box = { min = [-0.05, 0.2, -0.05], max = [0.05, 0.26, 0.05] }";
    let mut simulation = start(scene("", "", (0.5, 0.1), rest));
    simulation.run_until(2.0);
    let height = |simulation: &Simulation| f64::from(simulation.bodies()[0].center.y);
    let before = height(&simulation);
    simulation.run_until(3.0);
    let sunk = (before - height(&simulation)) / D;
    eprintln!("block at {before:.4} m, sinks by {sunk:.5} d in a second");
    assert!(before > 0.1 && sunk.abs() < 0.05, "{before} m, {sunk} d");
}

/// Pull of a grain that hangs below one that is held: above its weight it holds, below it does not.
#[test]
fn a_pull_holds_a_grain_up_to_its_weight() {
    let weight = DENSITY * std::f64::consts::PI / 6.0 * D.powi(3) * GRAVITY;
    for (share, holds) in [(1.2, true), (0.8, false)] {
        let tension = share * weight / (std::f64::consts::PI * D);
        let held = grains([-0.0101, 0.0, -0.0101], [0.0101, 0.0201, 0.0101], "fixed = true");
        let hanging = grains([-0.0101, -0.0201, -0.0101], [0.0101, 0.0, 0.0101], "");
        let rest = format!("tension = {tension}\n{held}{hanging}");
        let mut simulation = start(scene("", "", (0.5, 0.0), &rest));
        assert_eq!(simulation.simulator().particle_count(), 2);
        let lowest = |simulation: &mut Simulation| {
            positions(simulation).iter().map(|x| x.y).fold(f64::INFINITY, f64::min)
        };
        let before = lowest(&mut simulation);
        simulation.run_until(0.5);
        let fallen = before - lowest(&mut simulation);
        assert_eq!(fallen < 0.01 * D, holds, "{share} of its weight: fallen by {fallen} m");
    }
}

/// A grain that falls by 0.2 m rises by e^2 of it.
#[test]
fn restitution_gives_back_its_share_of_the_speed() {
    let one = grains([-0.0101, 0.2, -0.0101], [0.0101, 0.2201, 0.0101], "");
    for restitution in [0.0, 0.5, 0.9] {
        let rest = format!("restitution = {restitution}\n{one}{FLOOR}");
        let mut simulation = start(scene("", "", (0.5, 0.0), &rest));
        let fall = positions(&mut simulation)[0].y - 0.5 * D;
        let (mut highest, mut rises) = (0.0f64, false);
        while simulation.time() < 0.7 {
            simulation.step();
            let fields = simulation.read(&["velocity"]).unwrap();
            rises |= fields.vec3("velocity").unwrap()[0][1] > 1e-3;
            let height = positions(&mut simulation)[0].y - 0.5 * D;
            highest = if rises { highest.max(height) } else { 0.0 };
        }
        let share = highest / fall;
        assert!((share - restitution * restitution).abs() < 0.04, "e = {restitution}: {share}");
    }
}
