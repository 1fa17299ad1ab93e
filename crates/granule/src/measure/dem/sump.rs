//! Longmore's eighth experiment at his size \[Lon09\]: of 64,000 grains of four spheres 24,000 run through a slot, 100 d_s long, and
//! heap up in the sump below. His d is the diameter of a sphere, d_s here; d is that of the sphere with the volume of a grain.
//!
//! ```text
//!  |    :::::::::::|          reservoir, 60 d_s wide
//!  |====___________|          gate of the slot below its floor
//!  |..
//!  |.....                     sump: a heap against the wall below the slot
//!  |________________________|
//! ```
//! Periodic along the slot, so that no wall holds the heap. Walls and floor have friction 0.5 whatever the grains have, as he has it.

use glam::{DVec3, Quat, Vec3};

use crate::boundary::Shape;
use crate::measure::drive::next_frame;
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series, power_fit};
use crate::scene::{BoundarySettings, GrainShape, GrainsSettings, Periodic, Scene};
use crate::simulation::SimulationError;
use crate::simulator::Command;

use super::bed::{Bed, Rest, settle};
use super::cone::SPHERE;
use super::planar_profile::PlanarProfile;
use super::sand::{D, Spheres, controlled, meters, point, random_grains, time_scale};

/// Coefficients of friction of grains, and that of walls.
const FRICTIONS: [f64; 5] = [0.1, 0.2, 0.3, 0.5, 0.8];
const WALL_FRICTION: f32 = 0.5;
/// Length of the slot, periodic, its width, and the gap between gate and floor of the reservoir \[d\].
const ACROSS: f64 = 100.0 * SPHERE;
const SLOT: f64 = 12.0 * SPHERE;
const GAP: f64 = 1.6;
/// Height of the reservoir's floor, its width, height of a loose fill of 64,000 grains, width of the sump \[d\].
const FLOOR: f64 = 44.0 * SPHERE;
const RESERVOIR: f64 = 60.0 * SPHERE;
const FILL_HEIGHT: f64 = 42.6;
const SUMP: f64 = 120.0 * SPHERE;
/// Grains that pass before the gate closes.
const PASSED: f64 = 24_000.0;
/// Time that the gate takes to open or close [sqrt(d/g)], and the longest that it stays open.
const MOVING: f64 = 5.0;
const LONGEST: f64 = 200.0;
/// Part of the heap whose slope is taken, as shares of its height.
const FLANK: [f64; 2] = [0.2, 0.8];
/// Young's modulus [m g/d2].
const YOUNG: f64 = 3e4;

pub fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let (mut angles, mut series) = (Vec::new(), Vec::new());
    for (k, friction) in FRICTIONS.into_iter().enumerate() {
        let words = format!("grains of friction {friction} run into a sump");
        let mut tell = |part: f64| progress((k as f64 + part) / FRICTIONS.len() as f64, &words);
        let heap = heap(options, measurement, friction, &mut tell)?;
        let angle = heap.profile.slope(FLANK);
        let source = "looser and rounder than sand, steeper than the level";
        let point = Point::new("angle of the heap [degrees]", angle, [5.0, 45.0], source);
        let point = point.with("friction", friction).with("grains", heap.count).with("passed", heap.passed);
        measurement.points.push(point);
        angles.push([friction, angle]);
        series.push(Series {
            name: format!("friction {friction}"),
            points: heap.profile.surface,
            line: true,
        });
    }
    let least = angles.windows(2).map(|pair| pair[1][1] - pair[0][1]).fold(f64::INFINITY, f64::min);
    let mut push = |quantity: &str, measured: f64, range: [f64; 2], source: &str| {
        measurement.points.push(Point::new(quantity, measured, range, source));
    };
    push("least rise of the angle [degrees]", least, [-1.5, 30.0], "steeper for more friction");
    let source = "a power law, 0.51 in [Lon09] figure 7.13, angles known to ten degrees there";
    push("exponent of the angle over friction", power_fit(&angles).0, [0.2, 0.6], source);
    measurement.plots.push(Plot {
        name: "sump".into(),
        title: "Heaps below a slot".into(),
        x_label: "x [d]".into(),
        y_label: "height [d]".into(),
        logarithmic: false,
        series,
    });
    Ok(())
}

/// A heap in the sump.
struct Heap {
    profile: PlanarProfile,
    /// Grains of all, and of the heap.
    count: f64,
    passed: f64,
}

fn scene(friction: f64) -> Scene {
    let mut scene = Spheres { young: YOUNG, friction, ..Spheres::default() }.scene("sump");
    scene.simulation.periodic = Periodic { x: None, y: None, z: Some([0.0, meters(ACROSS)]) };
    let bar = |from: [f64; 2], to: [f64; 2]| {
        Shape::cuboid(point([from[0], from[1], -1.0]), point([to[0], to[1], ACROSS + 1.0]))
    };
    let mut wall = |name: &str, shape: Shape| {
        scene
            .boundary
            .push(BoundarySettings { friction: Some(WALL_FRICTION), ..BoundarySettings::new(name, shape) });
    };
    let side = |x: f64, normal: f32| Shape::Plane { point: point([x, 0.0, 0.0]), normal: [normal, 0.0, 0.0] };
    wall("floor", Shape::floor(0.0));
    wall("left", side(0.0, 1.0));
    wall("right", side(SUMP, -1.0));
    wall("reservoir", bar([SLOT, FLOOR - 2.0], [RESERVOIR + 2.0, FLOOR]));
    wall("side", bar([RESERVOIR, FLOOR], [RESERVOIR + 2.0, FLOOR + FILL_HEIGHT + 4.0]));
    wall("gate", bar([-1.0, FLOOR - 4.0 - GAP], [SLOT + 3.0 * GAP, FLOOR - 2.0 - GAP]));
    let fill = Shape::cuboid(point([0.0, FLOOR, 0.0]), point([RESERVOIR, FLOOR + FILL_HEIGHT, ACROSS]));
    scene.grains.push(GrainsSettings { grain: GrainShape::Tetrahedron, ..random_grains(fill) });
    scene
}

/// Slides the gate to its place plus `way` \[d\].
fn slide(simulation: &mut Run, way: f64) {
    let command = Command::MoveTool {
        boundary: "gate".into(),
        position: meters(way) * Vec3::X,
        rotation: Quat::IDENTITY,
        seconds: MOVING * time_scale(),
    };
    // The gate exists: the scene has it.
    let _ = simulation.apply(&command);
}

fn heap(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    friction: f64,
    progress: &mut dyn FnMut(f64),
) -> Result<Heap, SimulationError> {
    let mut simulation = Run::new(scene(controlled(options, friction)), options)?;
    measurement.describe(&simulation);
    settle(&mut simulation, Rest { energy: 1e-2, within: [8.0, 40.0] }, &mut |part| progress(0.3 * part))?;
    let count = simulation.grain_count() as f64;
    slide(&mut simulation, -SLOT - 3.0 * GAP - 2.0);
    let start = simulation.time();
    loop {
        next_frame(&mut simulation)?;
        let below = simulation.observe("passed", |simulation| {
            let bed = Bed::of_grains(simulation)?;
            let spheres = bed.center.iter().filter(|x| x.y < (FLOOR - 4.0 - GAP) * D).count();
            Ok(spheres as f64 / bed.center.len().max(1) as f64)
        })?;
        let passed = (simulation.time() - start) / time_scale();
        progress(0.3 + 0.4 * (below * count / PASSED).max(passed / LONGEST).min(1.0));
        if below * count >= PASSED || passed >= LONGEST {
            break;
        }
    }
    slide(&mut simulation, 0.0);
    let rest = Rest { energy: 1e-5, within: [20.0, 150.0] };
    settle(&mut simulation, rest, &mut |part| progress(0.7 + 0.3 * part))?;
    let (profile, share) = simulation.observe("heap", |simulation| {
        let bed = below_gate(Bed::of_grains(simulation)?);
        let grains = bed.0.center.len() as f64 / bed.1;
        Ok((PlanarProfile::of(&bed.0, ACROSS, fraction(&bed.0), 0.0), grains))
    })?;
    Ok(Heap { profile, count, passed: share * count })
}

/// The spheres below the gate, and how many there are in all.
fn below_gate(bed: Bed) -> (Bed, f64) {
    let all = bed.center.len() as f64;
    let spheres = bed.center.into_iter().zip(bed.radius);
    let (center, radius) = spheres.filter(|(x, _)| x.y < (FLOOR - 4.0 - GAP) * D).unzip();
    (Bed { center, radius, id: Vec::new(), contacts: Vec::new() }, all)
}

/// Sum of the spheres' volumes in the heart of the heap over that of the heart; spheres of a grain overlap.
fn fraction(bed: &Bed) -> f64 {
    let (low, high) = (DVec3::new(1.5, 1.5, 0.0) * D, DVec3::new(8.0, 4.0, ACROSS) * D);
    let inside = |x: &DVec3| x.cmpge(low).all() && x.cmple(high).all();
    let spheres = bed.center.iter().zip(&bed.radius).filter(|(x, _)| inside(x));
    let volume: f64 = spheres.map(|(_, r)| 4.0 / 3.0 * std::f64::consts::PI * r.powi(3)).sum();
    let size = high - low;
    volume / (size.x * size.y * size.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clumps::{ClumpShape, NamedClump};

    /// Lengths of Longmore are diameters of spheres; here they are those of grains.
    #[test]
    fn a_sphere_is_as_large_as_one_of_a_tetrahedron() {
        let grain = ClumpShape::new(&NamedClump::Tetrahedron.spheres(), 1.0).unwrap();
        assert!((f64::from(grain.limits().0) - SPHERE).abs() < 2e-3, "{}", grain.limits().0);
    }

    /// A simple cubic lattice of touching spheres, half a diameter wide, in the sump and above the gate: the part below is taken, and
    /// fills pi/6.
    #[test]
    fn the_heart_of_a_heap_is_as_dense_as_its_lattice() {
        let along = |length: f64| (0..(2.0 * length) as i32).map(|k| 0.5 * D * (f64::from(k) + 0.5));
        let plane = |x: f64| along(40.0).flat_map(move |y| along(ACROSS).map(move |z| DVec3::new(x, y, z)));
        let center: Vec<DVec3> = along(10.0).flat_map(plane).collect();
        let count = center.len();
        let bed = Bed { center, radius: vec![0.25 * D; count], id: Vec::new(), contacts: Vec::new() };
        let (below, all) = below_gate(bed);
        assert_eq!(all, count as f64);
        let highest = below.center.iter().map(|x| x.y / D).fold(0.0, f64::max);
        assert!(highest < FLOOR - 4.0 - GAP && highest > FLOOR - 4.5 - GAP, "{highest}");
        assert!((fraction(&below) / (std::f64::consts::PI / 6.0) - 1.0).abs() < 0.01, "{}", fraction(&below));
    }
}
