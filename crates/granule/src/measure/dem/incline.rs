//! Grains that flow steadily down a rough incline: Bagnold's profile, a uniform fraction, and rest on a gentle slope.
//!
//! In an infinite slope stress grows linearly with depth, and grains that only know their inertia and the stress shear at a rate
//! as its root (Silbert et al. 2001):
//!
//! ```text
//! u(y) ~ H^(3/2) - (H - y)^(3/2)
//! ```
//!
//! The flow begins near that profile, as it would take long to come to it from rest.

use glam::{DVec3, Vec3};

use crate::boundary::Shape;
use crate::measure::drive::{look, next_frame};
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series, linear_fit};
use crate::scene::{GrainsSettings, Periodic, RegionSettings, Scene};
use crate::simulation::SimulationError;
use crate::simulator::{Command, Snapshot};

use super::bed::{Rest, settle, volume_below};
use super::sand::{D, GRAVITY, Spheres, floor, grain_mass, meters, point, random_grains, rows, time_scale};
use super::silo::FILL;

/// Restitution of the grains, that of the published flows.
const RESTITUTION: f64 = 0.88;
/// Fraction of a flow, with which its first height is reckoned.
const FRACTION: f64 = 0.57;
/// Fraction at the height that counts as the surface: about half of that inside.
const SURFACE: f64 = 0.28;
/// Height above the base, and depth below the surface, between which the flow is looked at \[d\].
const MARGINS: [f64; 2] = [3.0, 2.0];
/// Layers of the first profile.
const LAYERS: usize = 12;
/// Largest change of kinetic energy from one window of time to the next in a steady flow.
const STEADY: f64 = 0.02;
/// Slope on which the flow must stop \[degrees\], the energy per grain at which it has [m g d], and the longest time
/// for that [sqrt(d/g)].
const STOP: (f64, f64, f64) = (17.0, 1e-5, 300.0);
/// Slopes that flow \[degrees\]: gentle and steep.
const SLOPES: [f64; 2] = [24.0, 26.0];

/// How large the slab is.
struct Size {
    /// Periodic length and width \[d\].
    ground: [f64; 2],
    grains: f64,
    /// Length of a window of time [sqrt(d/g)], and most windows.
    window: f64,
    windows: usize,
}

const QUICK: Size = Size { ground: [8.0, 6.0], grains: 900.0, window: 60.0, windows: 6 };
const FULL: Size = Size { ground: [12.0, 10.0], grains: 2000.0, window: 100.0, windows: 12 };

impl Size {
    fn area(&self) -> f64 {
        self.ground[0] * self.ground[1]
    }

    /// Height of the flow \[d\].
    fn height(&self) -> f64 {
        self.grains * std::f64::consts::PI / 6.0 / (FRACTION * self.area())
    }
}

/// Means over a window of time, in bins of a diameter over the height.
struct Window {
    /// Velocity along the slope [sqrt(g d)].
    velocity: Vec<f64>,
    fraction: Vec<f64>,
    /// Kinetic energy per grain [m g d].
    energy: f64,
}

/// A flow in its last window.
struct Flow {
    slope: f64,
    window: Window,
    /// Change of the kinetic energy since the window before.
    drift: f64,
}

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let size = if options.quick { &QUICK } else { &FULL };
    let mut flows = Vec::new();
    for (k, slope) in SLOPES.into_iter().enumerate() {
        let mut simulation = begin(options, size, slope)?;
        measurement.describe(&simulation);
        let start = k as f64 / SLOPES.len() as f64;
        let mut tell =
            |share: f64| progress(start + share / SLOPES.len() as f64, &format!("flow at {slope} degrees"));
        flows.push(flow(&mut simulation, size, slope, &mut tell)?);
        if k == 0 {
            measurement.points.push(stop(&mut simulation)?);
        }
    }
    for flow in &flows {
        report(flow, measurement);
    }
    let loss = flows[0].core().1 - flows[1].core().1;
    let source = "steeper flows are looser (Silbert et al. 2001)";
    measurement.points.push(Point::new("fraction at 24 degrees less that at 26", loss, [1e-4, 0.05], source));
    measurement.plots.extend(plots(&flows));
    Ok(())
}

impl Flow {
    /// Height of the surface \[d\]: where the fraction falls below half of that inside.
    fn surface(&self) -> f64 {
        let fraction = &self.window.fraction;
        let last = fraction.iter().rposition(|fraction| *fraction >= SURFACE).unwrap_or(0);
        let next = fraction.get(last + 1).copied().unwrap_or(0.0);
        let here = fraction.get(last).copied().unwrap_or(0.0);
        last as f64 + 0.5 + ((here - SURFACE) / (here - next).max(1e-12)).clamp(0.0, 1.0)
    }

    /// Bins inside: height of the middle \[d\], velocity [sqrt(g d)], fraction.
    fn inside(&self) -> Vec<[f64; 3]> {
        let high = self.surface() - MARGINS[1];
        let rows = (0..self.window.velocity.len()).map(|k| {
            let row = [k as f64 + 0.5, self.window.velocity[k], self.window.fraction[k]];
            (row[0] >= MARGINS[0] && row[0] <= high).then_some(row)
        });
        rows.flatten().collect()
    }

    /// R2 of the velocity against a profile of that exponent.
    fn likeness(&self, exponent: f64) -> f64 {
        let surface = self.surface();
        let shape = |y: f64| surface.powf(exponent) - (surface - y).powf(exponent);
        let points: Vec<[f64; 2]> = self.inside().iter().map(|row| [shape(row[0]), row[1]]).collect();
        linear_fit(&points).2
    }

    /// Largest deviation of a bin's fraction from their mean, and the mean.
    fn core(&self) -> (f64, f64) {
        let rows = self.inside();
        let mean = rows.iter().map(|row| row[2]).sum::<f64>() / rows.len() as f64;
        (rows.iter().map(|row| (row[2] - mean).abs()).fold(0.0, f64::max), mean)
    }
}

fn report(flow: &Flow, measurement: &mut Measurement) {
    let mut push = |quantity: &str, measured: f64, range: [f64; 2], source: &str| {
        measurement.points.push(Point::new(quantity, measured, range, source).with("slope", flow.slope));
    };
    push(
        "change of kinetic energy from window to window",
        flow.drift,
        [-STEADY, STEADY],
        "steady between 20 and 29 degrees (Silbert et al. 2001)",
    );
    let (scatter, fraction) = flow.core();
    let bagnold = flow.likeness(1.5);
    push(
        "R2 of the velocity, exponent 3/2",
        bagnold,
        [0.995, 1.0],
        "Bagnold's profile (Silbert et al. 2001); LAMMPS 0.9996",
    );
    for (other, name) in [(1.25, "5/4"), (2.0, "2")] {
        let quantity = format!("R2 with exponent 3/2 less that with {name}");
        push(&quantity, bagnold - flow.likeness(other), [0.0, 1.0], "Bagnold's profile fits best");
    }
    push("fraction inside", fraction, [0.54, 0.59], "Silbert et al. 2001; LAMMPS 0.562 at 24 degrees");
    push(
        "farthest fraction of a bin from it",
        scatter,
        [0.0, 0.015],
        "uniform over the depth (Silbert et al. 2001)",
    );
}

fn plots(flows: &[Flow]) -> [Plot; 2] {
    let plot = |name: &str, title: &str, x_label: &str, series: Vec<Series>| Plot {
        name: name.into(),
        title: title.into(),
        x_label: x_label.into(),
        y_label: "height [d]".into(),
        logarithmic: false,
        series,
    };
    let (mut velocity, mut fraction) = (Vec::new(), Vec::new());
    for flow in flows {
        let name = format!("{} degrees", flow.slope);
        let all = flow.window.velocity.iter().zip(&flow.window.fraction).enumerate();
        let bins: Vec<(f64, f64, f64)> = all.map(|(k, (u, phi))| (k as f64 + 0.5, *u, *phi)).collect();
        let filled = bins.iter().filter(|(_, _, phi)| *phi > 0.05);
        let points = filled.map(|(y, u, _)| [*u, *y]).collect();
        velocity.push(Series { name: name.clone(), points, line: false });
        velocity.push(Series { name: format!("Bagnold, {name}"), points: bagnold(flow), line: true });
        let points = bins.iter().map(|(y, _, phi)| [*phi, *y]).collect();
        fraction.push(Series { name, points, line: true });
    }
    [
        plot("incline-velocity", "Flow down a rough incline", "velocity [sqrt(g d)]", velocity),
        plot("incline-fraction", "Fraction of a flow down a rough incline", "fraction", fraction),
    ]
}

/// The profile of exponent 3/2 that fits a flow.
fn bagnold(flow: &Flow) -> Vec<[f64; 2]> {
    let surface = flow.surface();
    let shape = |y: f64| surface.powf(1.5) - (surface - y).powf(1.5);
    let points: Vec<[f64; 2]> = flow.inside().iter().map(|row| [shape(row[0]), row[1]]).collect();
    let (slope, first, _) = linear_fit(&points);
    (0..=40).map(|k| surface * f64::from(k) / 40.0).map(|y| [first + slope * shape(y), y]).collect()
}

/// Gravity on a slope [m/s2], which the floor is level in.
fn gravity(slope: f64) -> DVec3 {
    let slope = slope.to_radians();
    GRAVITY * DVec3::new(slope.sin(), -slope.cos(), 0.0)
}

/// Factor of a flow's profile, by the rheology of Jop et al. 2006 for glass beads:
///
/// ```text
/// u = 2/3 I sqrt(phi cos(slope)) (H^(3/2) - (H - y)^(3/2)),   tan(slope) = 0.382 + 0.261/(0.279/I + 1)
/// ```
fn first_factor(slope: f64) -> f64 {
    let share = (slope.to_radians().tan() - 0.382) / 0.261;
    let inertial = 0.279 * share / (1.0 - share);
    2.0 / 3.0 * inertial * (FRACTION * slope.to_radians().cos()).sqrt()
}

/// Layers of grains at random above a floor with a random layer of spheres, each with the velocity that it has in the flow.
fn scene(options: &MeasureOptions, size: &Size, slope: f64) -> Scene {
    let spheres = Spheres { restitution: RESTITUTION, ..Spheres::default() }.with_control(options);
    let mut scene = spheres.scene("incline");
    let [length, width] = size.ground;
    scene.simulation.periodic =
        Periodic { x: Some([0.0, meters(length)]), y: None, z: Some([0.0, meters(width)]) };
    scene.simulation.gravity = gravity(slope).as_vec3().to_array();
    let mut base = floor();
    base.rough = Some(meters(1.0));
    base.rough_region =
        Some(RegionSettings { min: point([0.0, -0.1, 0.0]), max: point([length, 0.1, width]) });
    scene.boundary.push(base);
    let loose = size.grains * std::f64::consts::PI / 6.0 / (FILL * size.area());
    let height = size.height();
    for k in 0..LAYERS {
        let [low, high] = [k, k + 1].map(|k| 1.0 + loose * k as f64 / LAYERS as f64);
        let depth = height * (1.0 - (k as f64 + 0.5) / LAYERS as f64);
        let speed = first_factor(slope) * (height.powf(1.5) - depth.powf(1.5)) * (GRAVITY * D).sqrt();
        let shape = Shape::cuboid(point([0.0, low, 0.0]), point([length, high, width]));
        scene.grains.push(GrainsSettings { velocity: [speed as f32, 0.0, 0.0], ..random_grains(shape) });
    }
    scene
}

fn begin(options: &MeasureOptions, size: &Size, slope: f64) -> Result<Run, SimulationError> {
    Run::new(scene(options, size, slope), options)
}

/// Lets grains flow until their energy is steady from window to window.
fn flow(
    simulation: &mut Run,
    size: &Size,
    slope: f64,
    progress: &mut dyn FnMut(f64),
) -> Result<Flow, SimulationError> {
    let mut last: Option<Window> = None;
    let mut drift = f64::NAN;
    for k in 0..size.windows {
        let window = watch(simulation, size)?;
        progress((k + 1) as f64 / size.windows as f64);
        drift = last.as_ref().map_or(f64::NAN, |last| window.energy / last.energy - 1.0);
        last = Some(window);
        if drift.abs() < STEADY {
            break;
        }
    }
    let window = last.unwrap_or(Window { velocity: Vec::new(), fraction: Vec::new(), energy: f64::NAN });
    Ok(Flow { slope, window, drift })
}

/// Sums of velocities [sqrt(g d)], number and volume \[d3\] of the grains of now, by height.
fn sums_of(snapshot: &Snapshot, bins: usize) -> Vec<[f64; 3]> {
    let mut sums = vec![[0.0; 3]; bins];
    let radius = snapshot.scalar("radius").unwrap_or_default();
    let grains = rows(snapshot, "position").into_iter().zip(rows(snapshot, "velocity")).zip(radius);
    for ((x, v), radius) in grains {
        let (y, r) = (x.y / D, f64::from(*radius) / D);
        if let Some(k) = bin(y, bins) {
            sums[k][0] += v.x / (GRAVITY * D).sqrt();
            sums[k][1] += 1.0;
        }
        let first = bin(y - r, bins).unwrap_or(0);
        let last = bin(y + r, bins).unwrap_or(bins - 1);
        for (k, sum) in sums[first..=last.max(first)].iter_mut().enumerate() {
            let low = (first + k) as f64;
            sum[2] += volume_below(low + 1.0 - y, r) - volume_below(low - y, r);
        }
    }
    sums
}

/// Means over a window of time.
fn watch(simulation: &mut Run, size: &Size) -> Result<Window, SimulationError> {
    let bins = (2.0 * size.height()).ceil() as usize;
    // Sums of velocities, of grains, and of their volume, by height.
    let mut sums = vec![[0.0; 3]; bins];
    let (mut energy, mut frames) = (0.0, 0.0);
    let end = simulation.time() + size.window * time_scale();
    while simulation.time() < end {
        energy += next_frame(simulation)?.kinetic_energy;
        frames += 1.0;
        let now = look(simulation, &["position", "velocity", "radius"], |snapshot| sums_of(snapshot, bins))?;
        for (sum, now) in sums.iter_mut().zip(now) {
            (0..3).for_each(|k| sum[k] += now[k]);
        }
    }
    let grains = simulation.grain_count().max(1) as f64 * grain_mass() * GRAVITY * D;
    Ok(Window {
        velocity: sums.iter().map(|[momentum, count, _]| momentum / count.max(1.0)).collect(),
        fraction: sums.iter().map(|[.., volume]| volume / (frames * size.area())).collect(),
        energy: energy / (frames * grains),
    })
}

/// The bin of a height \[d\].
fn bin(height: f64, bins: usize) -> Option<usize> {
    (height >= 0.0 && (height as usize) < bins).then_some(height as usize)
}

/// Sets the flow on a gentle slope, where it must come to rest.
fn stop(simulation: &mut Run) -> Result<Point, SimulationError> {
    let (slope, energy, within) = STOP;
    let gentle: Vec3 = gravity(slope).as_vec3();
    // Gravity may always be changed.
    let _ = simulation.apply(&Command::Gravity(gentle));
    let left = settle(simulation, Rest { energy, within: [1.0, within] }, &mut |_| {})?;
    let source = "no flow of this depth below 19 degrees (Silbert et al. 2001)";
    Ok(Point::new("energy per grain that is left [m g d]", left, [0.0, energy], source).with("slope", slope))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A flow of exactly that exponent, 12 d high, with half a bin of grains at its surface.
    fn exact(exponent: f64) -> Flow {
        let shape = |y: f64| 12.0_f64.powf(exponent) - (12.0 - y.min(12.0)).powf(exponent);
        let velocity = (0..24).map(|k| 0.1 * shape(f64::from(k) + 0.5)).collect();
        let fraction = (0..24).map(|k| if k < 12 { 0.56 } else { 0.0 }).collect();
        let window = Window { velocity, fraction, energy: 1.0 };
        Flow { slope: 24.0, window, drift: 0.0 }
    }

    #[test]
    fn exact_profiles_are_told_apart() {
        let flow = exact(1.5);
        assert!((flow.surface() - 12.0).abs() < 0.02, "{}", flow.surface());
        assert!(flow.likeness(1.5) > 0.99999, "{}", flow.likeness(1.5));
        for other in [1.25, 2.0] {
            assert!(flow.likeness(1.5) > flow.likeness(other), "{other}");
            assert!(exact(other).likeness(1.5) < exact(other).likeness(other), "{other}");
        }
        let (scatter, fraction) = flow.core();
        assert!(scatter < 1e-12 && (fraction - 0.56).abs() < 1e-12);
    }

    #[test]
    fn the_first_profile_is_steeper_on_a_steeper_slope() {
        let (gentle, steep) = (first_factor(24.0), first_factor(26.0));
        assert!(gentle > 0.03 && steep > 1.5 * gentle, "{gentle} {steep}");
    }
}
