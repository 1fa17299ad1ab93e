//! Fine grains on built-in scenes: do they keep volume, stay out of walls, spread evenly, let go, rest and fly?

use std::ops::ControlFlow;

use glam::Vec3;

use crate::scene::{Scene, UpsampleSettings};
use crate::simulation::{Simulation, SimulationError};

use super::fine::{Watch, blue_noise, drift_inside, evenness_inside, penetration, volume_ratio};
use super::{MeasureOptions, Measurement, Plot, Point, Progress, Series};

/// Radius of the fine grains, relative to that of the guides.
const RATIO: f32 = 0.3;

/// A scene and when it is at rest.
struct Case {
    scene: &'static str,
    /// When it is first settled \[s\].
    first: f64,
    /// When it has settled again \[s\].
    last: f64,
}

/// Scenes, in their quick forms; the quick form of the experiment has the last one only.
const CASES: [Case; 4] = [
    Case { scene: "heap", first: 6.0, last: 8.0 },
    Case { scene: "hourglass", first: 0.0, last: 6.0 },
    Case { scene: "dumptruck", first: 0.0, last: 6.0 },
    Case { scene: "bunker", first: 0.25, last: 1.5 },
];

/// When the scene of the quick form is looked at \[s\]: it is nearly at rest.
const QUICK_LAST: f64 = 1.0;

/// Time over which heaps are watched for creep \[s\] and largest way in it \[r_LR\], full and quick.
const WATCHED: [[f64; 2]; 2] = [[10.0, 0.1], [1.0, 0.05]];

pub(super) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let cases = if options.quick { &CASES[3..] } else { &CASES[..] };
    for (k, case) in cases.iter().enumerate() {
        let mut report = |share: f64| progress((k as f64 + share) / cases.len() as f64, case.scene);
        let outcome = run(case, options, measurement, &mut report)?;
        outcome.report(case.scene, measurement);
        measurement.plots.push(Plot {
            name: format!("upsample-{}", case.scene),
            title: format!("Evenness of fine grains in {}", case.scene),
            x_label: "time [s]".into(),
            y_label: "variance of neighbours over that of blue noise".into(),
            logarithmic: false,
            series: vec![Series { name: case.scene.into(), points: outcome.clumping_over_time, line: true }],
        });
    }
    Ok(())
}

/// The six numbers of a scene.
#[derive(Debug, Default)]
struct Outcome {
    volume: [f64; 2],
    penetrating: f64,
    deepest: f64,
    clumping: f64,
    nearest: f64,
    stuck: f64,
    /// Way of the grains inside \[r_LR\], the time that it took \[s\] and the most that is allowed \[r_LR\].
    creep: [f64; 3],
    off_arc: f64,
    flights: f64,
    lost: f64,
    clumping_over_time: Vec<[f64; 2]>,
}

fn run(
    case: &Case,
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut dyn FnMut(f64),
) -> Result<Outcome, SimulationError> {
    let mut scene = Scene::open(case.scene, true, &[])?;
    scene.quick.clear();
    let guide_radius = scene.reference_radius();
    scene.upsample = Some(UpsampleSettings::of_radius(RATIO * guide_radius));
    let friction = scene.material[0].friction_angle.to_radians().tan();
    let (fps, gravity) = (scene.simulation.fps, Vec3::from(scene.simulation.gravity));
    let mut simulation = Simulation::new(scene, &options.simulation)?;
    simulation.track_guides_on_host()?;
    measurement.solver = simulation.simulator().solver().into();
    measurement.device = simulation.simulator().device();
    let blue = blue_noise(RATIO * guide_radius);
    let [watched, most_creep] = WATCHED[usize::from(options.quick)];
    let last = if options.quick { QUICK_LAST } else { case.last };
    let frame_of = |time: f64| (time * fps).round() as u64;
    let (first, last, end) = (frame_of(case.first), frame_of(last), frame_of(last + watched));
    let (mut outcome, mut watch, mut settled) = (
        Outcome::default(),
        Watch::new(1.0 / fps as f32, RATIO * guide_radius, gravity, friction),
        Vec::new(),
    );
    for frame in 0..=end {
        if frame > 0 && simulation.run_frame(&mut |_, _| ControlFlow::Continue(())).is_break() {
            break;
        }
        let Some(upsampler) = simulation.upsampler() else { break };
        let grains = upsampler.read().map_err(SimulationError::Device)?;
        let (radius, walls) = (upsampler.radius(), upsampler.boundaries());
        let time = frame as f64 / fps;
        watch.frame(time, &grains, upsampler.guides(), walls);
        let penetration = penetration(&grains, upsampler.radii(), walls);
        outcome.penetrating = outcome.penetrating.max(penetration.share);
        outcome.deepest = outcome.deepest.max(penetration.deepest);
        if frame <= last && (frame.is_multiple_of((last / 20).max(1)) || frame == last) {
            let evenness = evenness_inside(&grains, radius, upsampler.guides(), walls);
            (outcome.clumping, outcome.nearest) = (evenness.variance / blue.variance, evenness.nearest);
            outcome.clumping_over_time.push([time, outcome.clumping]);
        }
        if frame == first {
            outcome.volume[0] = volume_ratio(&grains, radius, upsampler.guides(), walls);
        }
        if frame == last {
            outcome.volume[1] = volume_ratio(&grains, radius, upsampler.guides(), walls);
            settled = grains;
        } else if frame == end {
            let drift = drift_inside(&settled, &grains, upsampler.guides());
            outcome.creep = [drift / f64::from(guide_radius), watched, most_creep];
        }
        outcome.lost = upsampler.totals().lost as f64;
        progress(frame as f64 / end as f64);
    }
    (outcome.stuck, outcome.off_arc, outcome.flights) =
        (watch.stuck as f64, watch.off_arc, watch.flights as f64);
    Ok(outcome)
}

impl Outcome {
    fn report(&self, scene: &str, measurement: &mut Measurement) {
        let mut push = |quantity: &str, measured: f64, most: f64, source: &str| {
            let point = Point::new(format!("{scene}: {quantity}"), measured, [0.0, most], source);
            measurement.points.push(point.with("r_HR / r_LR", RATIO.into()));
        };
        let drift = 100.0 * (self.volume[1] / self.volume[0] - 1.0).abs();
        push("drift of the volume over the guides' [%]", drift, 2.0, "grains are neither packed nor lost");
        push(
            "grains deeper than 0.1 r_HR in walls",
            self.penetrating,
            1e-4,
            "walls hold grains, in every frame",
        );
        push("deepest grain in a wall [r_HR]", self.deepest, 1.0, "walls hold grains, in every frame");
        push(
            "variance of neighbours / blue noise",
            self.clumping,
            1.5,
            "grains are spread as evenly as at first",
        );
        push("grains that stick to walls", self.stuck, 0.0, "walls too steep to hold a grain let it go");
        let [creep, seconds, most] = self.creep;
        push(&format!("creep in {seconds} s [r_LR]"), creep, most, "what rests stays");
        push(
            "largest distance from a parabola / path",
            self.off_arc,
            0.01,
            "grains that are alone fly freely",
        );
        push("grains lost", self.lost, 0.0, "exact accounting");
    }
}
