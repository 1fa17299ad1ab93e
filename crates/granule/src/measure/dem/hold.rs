//! A sphere at rest on a plane under a sideways gravity below the limits of friction: it moves until its springs are
//! stretched, and then never again.

use glam::DVec3;

use crate::measure::drive::{read, step};
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Point, Progress};
use crate::simulation::SimulationError;

use super::sand::{GRAVITY, Spheres, controlled, floor, rows, single};

/// Radius \[m\].
const RADIUS: f64 = 0.0025;
const YOUNG: f64 = 1e7;
const FRICTION: f64 = 0.3;
const ROLLING: f64 = 0.05;
/// Gravity along the plane [m/s2]: two fifths of what rolling friction bears.
const SIDEWAYS: f64 = 0.2;
/// Length of a step \[s\].
const STEP: f64 = 1.08e-5;
/// Steps after which it must rest, and until which it is watched.
const WATCHED: [u32; 2] = [3000, 4000];

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let friction = controlled(options, FRICTION);
    let mut scene = Spheres { restitution: 0.7, friction, ..Spheres::default() }.scene("hold");
    scene.simulation.gravity = [SIDEWAYS as f32, -GRAVITY as f32, 0.0];
    scene.simulation.time_step = Some(STEP);
    scene.simulation.fps = 1.0 / (500.0 * STEP);
    scene.material[0].radius = RADIUS as f32;
    let dem = &mut scene.material[0].dem;
    dem.young = YOUNG;
    dem.rolling_friction = ROLLING;
    dem.rolling_stiffness = Some(2000.0);
    dem.rolling_damping = Some(0.05);
    scene.boundary.push(floor());
    scene.grains.push(single(DVec3::Y * 0.999 * RADIUS, RADIUS, DVec3::ZERO));
    let mut simulation = Run::new(scene, options)?;
    measurement.describe(&simulation);
    progress(0.0, "a sphere holds");
    let mut places = Vec::new();
    for until in WATCHED {
        while simulation.steps() < u64::from(until) {
            step(&mut simulation)?;
        }
        let snapshot = read(&mut simulation, &["position"])?;
        places.push(rows(&snapshot, "position").first().map_or(f64::NAN, |x| x.x / RADIUS));
    }
    let source = "springs bear what is below the limit: no drift above 1e-6 R";
    let point =
        Point::new("drift between steps 3000 and 4000 [R]", places[1] - places[0], [-1e-6, 1e-6], source);
    measurement.points.push(point.with("way until then [R]", places[0]).against(0.0));
    Ok(())
}
