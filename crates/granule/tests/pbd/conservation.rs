//! What free grains must keep.

use super::*;

/// Momentum, angular momentum about the origin, and the sums of their moduli.
pub fn momenta(simulation: &mut Simulation) -> (DVec3, DVec3, f64, f64) {
    let fields = simulation.read(&["position", "velocity", "angular_velocity", "radius"]).unwrap();
    let rows = |name: &str| fields.vec3(name).unwrap().iter().map(|x| DVec3::from(x.map(f64::from)));
    let radius = fields.scalar("radius").unwrap();
    let (mut p, mut l, mut p_all, mut l_all) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0);
    for (((x, v), w), r) in rows("position").zip(rows("velocity")).zip(rows("angular_velocity")).zip(radius) {
        let r = f64::from(*r);
        let m = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * r.powi(3);
        let spin = 0.4 * m * r * r * w;
        p += m * v;
        l += m * x.cross(v) + spin;
        p_all += m * v.length();
        l_all += m * (x.length() * v.length()) + spin.length();
    }
    (p, l, p_all, l_all)
}

/// Two clouds of grains that meet in empty space.
fn clouds(seed: u64) -> Scene {
    let rest = "
        [[grains]]
        material = \"sand\"
        fill = \"random\"
        radius = [0.005, 0.015]
        velocity = [0.6, 0.1, 0.0]
        shape.box = { min = [-0.22, 0.0, 0.0], max = [-0.04, 0.18, 0.18] }
        [[grains]]
        material = \"sand\"
        fill = \"random\"
        radius = [0.005, 0.015]
        velocity = [-0.3, 0.0, 0.1]
        shape.box = { min = [0.0, 0.04, 0.04], max = [0.16, 0.2, 0.2] }";
    let mut scene = scene("gravity = [0, 0, 0]", "", (0.5, 0.1), rest);
    scene.simulation.seed = seed;
    scene
}

/// The largest rise of the energy in a step, over the first.
fn largest_rise(seed: u64) -> f64 {
    let mut simulation = start(clouds(seed));
    let (p, l, p_all, l_all) = momenta(&mut simulation);
    let (mut energy, mut rise, mut first) = (f64::INFINITY, 0.0f64, 0.0);
    while simulation.time() < 1.0 {
        let now = simulation.step().kinetic_energy;
        first = if first == 0.0 { now } else { first };
        rise = rise.max(now - energy);
        energy = now;
    }
    let (p_end, l_end, ..) = momenta(&mut simulation);
    let (linear, angular) = ((p_end - p).length() / p_all, (l_end - l).length() / l_all);
    eprintln!(
        "momentum {linear:.1e}, angular {angular:.1e}, energy {:.3}, rise {:.1e}",
        energy / first,
        rise / first
    );
    assert!(energy < 0.8 * first, "they have met");
    assert!(linear < 1e-6, "{linear}");
    assert!(angular < 1e-5, "{angular}");
    rise / first
}

/// Two sweeps do not take back all of a warm start where a contact opens: in more than a third of all clouds some step gains a few
/// millionths of the first energy (40 clouds: 7e-7 in the median, 2e-5 at most), so that one of them says little.
#[test]
fn free_clusters_keep_momentum_and_angular_momentum_and_gain_no_energy() {
    let mut rises: Vec<f64> = (0..15).map(largest_rise).collect();
    rises.sort_by(f64::total_cmp);
    assert!(rises[7] < 1e-6, "{rises:?}");
    assert!(rises[14] < 1e-4, "{rises:?}");
}
