//! Drops without gravity: the pressure inside must follow from the surface tension, and so must the period in which a
//! drop swings.
//!
//! The surface tension itself is an outcome: it is taken from the pressure inside three drops, and the period of another
//! one is held against it.

use crate::boundary::Shape;
use crate::scene::{Fill, Scene, SolverKind};
use crate::simulation::SimulationError;
use crate::simulator::Snapshot;
use crate::solver::wcsph::pairs::{COHESION_CONSTANT, cohesion_scale, cohesion_spline, surface_weight};
use crate::sph::{Kernel, lattice_density};

use super::drive::{look, next_frame};
use super::fluids::{DENSITY, filled, water};
use super::run::Run;
use super::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::statistics::linear_fit;

const SPACING: f64 = 0.02;

/// Radii of the drops \[d\].
const RADII: [f64; 3] = [5.0, 7.0, 10.0];

/// Surface tension of the material [N/m]; that of the fluid follows.
const TENSION: f64 = 1.0;

/// Share of a drop's radius inside which the pressure is measured.
const CORE: f64 = 0.6;

pub(super) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let (seconds, tolerance) = if options.quick { (5.0, 0.15) } else { (25.0, 0.05) };
    let mut jumps = Vec::new();
    for (k, radius) in RADII.into_iter().enumerate() {
        progress(0.2 * k as f64, &format!("drop of {radius} d at rest"));
        jumps.push(pressure_jump(options, measurement, radius, seconds)?);
    }
    let tensions: Vec<f64> = jumps.iter().map(|[curvature, jump]| 0.5 * jump / curvature).collect();
    let tension = tensions.iter().sum::<f64>() / tensions.len() as f64;
    for (radius, own) in RADII.into_iter().zip(&tensions) {
        let range = [1.0 - tolerance, 1.0 + tolerance];
        let source = format!("Laplace: the jump is 2 sigma/R, {:.0} %", 100.0 * tolerance);
        let point = Point::new("pressure jump R/2 over its mean", own / tension, range, source);
        measurement.points.push(point.with("R [d]", radius).with("sigma [N/m]", *own).against(1.0));
    }
    progress(0.6, "swinging drop");
    let swing = swing(options, measurement)?;
    let expected = std::f64::consts::TAU / (8.0 * tension / (DENSITY * swing.radius.powi(3))).sqrt();
    let range = [0.85 * expected, 1.15 * expected];
    let source = "Rayleigh: omega^2 = 8 sigma/(rho R^3), sigma from the jumps, 15 %";
    let point = Point::new("period of a drop [s]", swing.period, range, source);
    let point = point.with("R [d]", swing.radius / SPACING).with("sigma [N/m]", tension);
    measurement.points.push(point.against(expected));
    measurement.plots.extend(plots(&jumps, tension, swing.track));
    Ok(())
}

fn plots(jumps: &[[f64; 2]], tension: f64, track: Vec<[f64; 2]>) -> [Plot; 2] {
    let end = jumps.iter().map(|jump| jump[0]).fold(0.0, f64::max);
    let line = vec![[0.0, 0.0], [end, 2.0 * tension * end]];
    let series = |name: &str, points: Vec<[f64; 2]>, line| Series { name: name.into(), points, line };
    let plot = |name: &str, title: &str, x_label: &str, y_label: &str, series| Plot {
        name: name.into(),
        title: title.into(),
        x_label: x_label.into(),
        y_label: y_label.into(),
        logarithmic: false,
        series,
    };
    let measured = series("granule", jumps.to_vec(), false);
    let laplace = series("2 sigma/R", line, true);
    let swing = series("granule", track, true);
    [
        plot("droplet-jump", "Pressure inside drops", "1/R [1/m]", "pressure [Pa]", vec![laplace, measured]),
        plot("droplet-swing", "A drop swings", "time [s]", "elongation", vec![swing]),
    ]
}

/// Water without gravity that fills a shape.
fn drop_of(shape: Shape, fps: f64) -> Scene {
    let mut scene = water("droplet", SolverKind::Wcsph, 0.5 * SPACING as f32);
    scene.simulation.gravity = [0.0; 3];
    scene.simulation.fps = fps;
    scene.material[0].surface_tension = TENSION as f32;
    scene.material[0].surface_smoothing = 0.5;
    scene.material[0].artificial_viscosity = 0.01;
    scene.wcsph.sound_speed = Some(4.0);
    scene.grains.push(filled(shape, Fill::Relaxed));
    scene
}

/// 1/R [1/m] and the mean pressure in the middle of a drop \[Pa\], of a radius given in spacings.
fn pressure_jump(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    radius: f64,
    seconds: f64,
) -> Result<[f64; 2], SimulationError> {
    let scene =
        drop_of(Shape::Sphere { center: [0.0; 3], radius: (radius * SPACING) as f32, hollow: false }, 40.0);
    let probe = Probe::new(&scene);
    let mut simulation = Run::new(scene, options)?;
    measurement.describe(&simulation);
    let volume = simulation.particle_count() as f64 * SPACING.powi(3);
    let radius = (0.75 * volume / std::f64::consts::PI).cbrt();
    let mut pressures = Vec::new();
    while simulation.time() < seconds {
        next_frame(&mut simulation)?;
        if simulation.time() > 0.2 * seconds {
            let fields = ["position", "velocity", "density", "pressure"];
            pressures
                .push(look(&mut simulation, &fields, |snapshot| probe.pressure(snapshot, CORE * radius))?);
        }
    }
    Ok([1.0 / radius, pressures.iter().sum::<f64>() / pressures.len() as f64])
}

/// Measures the mechanical pressure.
struct Probe {
    kernel: Kernel,
    /// Volume in kernel sums and of a particle \[m3\].
    volume: [f64; 2],
    cohesion: f64,
}

impl Probe {
    fn new(scene: &Scene) -> Self {
        let spacing = SPACING as f32;
        let kernel = Kernel::new(scene.simulation.kernel, scene.simulation.support * spacing);
        let whole = spacing.powi(3);
        let cohesion = scene.material[0].surface_tension * cohesion_scale(whole, kernel.support());
        let volume = [whole / lattice_density(&kernel, spacing), whole].map(f64::from);
        Self { kernel, volume, cohesion: cohesion.into() }
    }

    /// Pressure in a ball around the centre of mass \[Pa\]: what pairs bear and particles carry.
    ///
    /// ```text
    /// p = 1/(3 V) sum_i [1/2 sum_j x_ij . F_ij + m |v_i - v|^2]
    /// ```
    fn pressure(&self, snapshot: &Snapshot, radius: f64) -> f64 {
        let (Some(position), Some(velocity)) = (snapshot.vec3("position"), snapshot.vec3("velocity")) else {
            return f64::NAN;
        };
        let (Some(density), Some(pressure)) = (snapshot.scalar("density"), snapshot.scalar("pressure"))
        else {
            return f64::NAN;
        };
        let [center, drift] = [position, velocity].map(mean);
        let apart = |a: [f32; 3], b: [f64; 3]| [0, 1, 2].map(|k| f64::from(a[k]) - b[k]);
        let square = |x: [f64; 3]| x.iter().map(|c| c * c).sum::<f64>();
        let relative = |i: usize| f64::from(density[i]) / DENSITY;
        let repulsion = |i: usize| f64::from(pressure[i]) / relative(i).powi(2);
        let (mut virial, mut volume) = (0.0, 0.0);
        for i in (0..position.len()).filter(|&i| square(apart(position[i], center)) < radius * radius) {
            volume += self.volume[1] / relative(i);
            virial += DENSITY * self.volume[1] * square(apart(velocity[i], drift));
            let own = position[i].map(f64::from);
            for (j, other) in position.iter().enumerate() {
                let distance = square(apart(*other, own)).sqrt();
                if i != j && distance < f64::from(self.kernel.support()) {
                    let push = -self.volume[0] * self.volume[1] * (repulsion(i) + repulsion(j));
                    let push = push * distance * f64::from(self.kernel.slopes(distance as f32));
                    let weight = surface_weight(relative(i) as f32, relative(j) as f32);
                    let q = distance as f32 / self.kernel.support();
                    let pull = self.cohesion * f64::from(weight * cohesion_spline(q, COHESION_CONSTANT));
                    virial += 0.5 * distance * (push - pull);
                }
            }
        }
        virial / (3.0 * volume)
    }
}

fn mean(values: &[[f32; 3]]) -> [f64; 3] {
    [0, 1, 2].map(|k| values.iter().map(|v| f64::from(v[k])).sum::<f64>() / values.len() as f64)
}

/// A drop that swings.
struct Swing {
    /// Radius of the sphere of the same volume \[m\].
    radius: f64,
    period: f64,
    /// Time \[s\] and elongation.
    track: Vec<[f64; 2]>,
}

/// Lets a short cylinder contract and swing.
fn swing(options: &MeasureOptions, measurement: &mut Measurement) -> Result<Swing, SimulationError> {
    let (half, radius) = ((10.0 * SPACING) as f32, (7.5 * SPACING) as f32);
    let shape = Shape::Cylinder { from: [-half, 0.0, 0.0], to: [half, 0.0, 0.0], radius, hollow: false };
    let mut simulation = Run::new(drop_of(shape, 20.0), options)?;
    measurement.describe(&simulation);
    let volume = simulation.particle_count() as f64 * SPACING.powi(3);
    let mut track = Vec::new();
    while simulation.time() < if options.quick { 4.5 } else { 7.5 } {
        let longer = look(&mut simulation, &["position"], |snapshot| {
            elongation(snapshot.vec3("position").unwrap_or_default())
        })?;
        track.push([simulation.time(), longer]);
        next_frame(&mut simulation)?;
    }
    let crossings: Vec<f64> = track
        .windows(2)
        .filter(|pair| pair[0][1] * pair[1][1] < 0.0)
        .map(|pair| pair[0][0] + (pair[1][0] - pair[0][0]) * pair[0][1] / (pair[0][1] - pair[1][1]))
        .collect();
    let numbered: Vec<[f64; 2]> = crossings.iter().enumerate().map(|(k, t)| [k as f64, *t]).collect();
    let period = if numbered.len() < 2 { f64::NAN } else { 2.0 * linear_fit(&numbered).0 };
    Ok(Swing { radius: (0.75 * volume / std::f64::consts::PI).cbrt(), period, track })
}

/// How much longer a drop is along x than across, as moments over their sum.
fn elongation(position: &[[f32; 3]]) -> f64 {
    let center = mean(position);
    let moment = |k: usize| position.iter().map(|x| (f64::from(x[k]) - center[k]).powi(2)).sum::<f64>();
    let [x, y, z] = [moment(0), moment(1), moment(2)];
    (x - 0.5 * (y + z)) / (x + y + z)
}
