//! Beds at rest: the vertical stress must carry the weight above, the first layer must lie one radius off the floor.

use crate::scene::{Periodic, SolverKind};
use crate::simulation::SimulationError;
use crate::simulator::FieldData;

use super::drive::{read, step};
use super::run::Run;
use super::scenes::{DENSITY, GRAVITY, SPACING, block, rough_floor, sand};
use super::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::statistics::linear_fit;

/// Share of the time after which the bed is looked at, at every frame.
const LAST: f64 = 0.6;

pub(super) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let (depth, seconds) = if options.quick { (12.0, 1.5) } else { (20.0, 3.0) };
    let mut series = Vec::new();
    let all = [(SolverKind::Iisph, 30.0), (SolverKind::Iisph, 0.0), (SolverKind::Wcsph, 0.0)];
    let beds = all.into_iter().filter(|(solver, _)| options.solver.is_none_or(|only| only == *solver));
    for (k, (solver, theta)) in beds.enumerate() {
        progress(0.3 * k as f64, &format!("bed of {depth} d, friction {theta} degrees"));
        let bed = settle(options, measurement, solver, theta, depth, seconds)?;
        let with = |point: Point| point.with("theta", theta).with("depth [d]", depth as f64);
        let source = "rho g times the depth, 10 %";
        let gradient = Point::new("gradient of vertical stress / (rho g)", bed.gradient, [0.9, 1.1], source);
        measurement.points.push(with(gradient.against(1.0)));
        let source = "docs/equations.md, wall contact at one radius";
        let layer = Point::new("height of the first layer [r]", bed.first_layer, [0.9, 1.1], source);
        measurement.points.push(with(layer.against(1.0)));
        measurement.points.push(with(match solver {
            SolverKind::Iisph => {
                let source = "average density error at most 0.1 %";
                Point::new("mean density error", bed.density_error, [0.0, 1e-3], source)
            }
            SolverKind::Wcsph | SolverKind::Dem | SolverKind::Pbd => {
                let source = "standard deviation below the surface; physics asks for less than 2 %";
                Point::new("spread of density", bed.density_spread, [0.0, 0.02], source)
            }
        }));
        let name = match solver {
            SolverKind::Iisph if theta > 0.0 => "sand, iisph",
            SolverKind::Iisph => "fluid, iisph",
            SolverKind::Wcsph => "fluid, wcsph",
            SolverKind::Dem => "dem",
            SolverKind::Pbd => "pbd",
        };
        series.push(Series { name: name.into(), points: bed.profile, line: false });
    }
    let top = depth as f64;
    let line = Series { name: "hydrostatic".into(), points: vec![[0.0, 0.0], [top, top]], line: true };
    measurement.plots.push(Plot {
        name: "hydrostatic".into(),
        title: "Vertical normal stress in a bed at rest".into(),
        x_label: "depth [d]".into(),
        y_label: "stress / (rho g d)".into(),
        logarithmic: false,
        series: [vec![line], series].concat(),
    });
    Ok(())
}

struct Bed {
    gradient: f64,
    first_layer: f64,
    density_error: f64,
    density_spread: f64,
    /// Depth and stress of layers, in d and rho g d.
    profile: Vec<[f64; 2]>,
}

fn settle(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    solver: SolverKind,
    theta: f64,
    depth: f32,
    seconds: f64,
) -> Result<Bed, SimulationError> {
    let mut scene = sand("hydrostatic", theta, options);
    scene.simulation.solver = solver;
    // Without any, a bed of water that is let go swings for long.
    scene.material[0].artificial_viscosity = 0.05;
    let side = 8.0;
    let period = Some([0.0, side * SPACING]);
    scene.simulation.periodic = Periodic { x: period, y: None, z: period };
    scene.boundary.push(rough_floor());
    scene.grains.push(block([side, depth, side]));
    let mut simulation = Run::new(scene, options)?;
    measurement.describe(&simulation);
    let (mut errors, mut looks) = (Vec::new(), Vec::new());
    while simulation.time() < seconds {
        let frame = simulation.frame();
        let report = step(&mut simulation)?;
        if simulation.time() > 0.5 * seconds {
            errors.push(report.density_error);
        }
        // The law is about means over time: a fluid's particles never come to rest altogether.
        if simulation.frame() > frame && simulation.time() > LAST * seconds {
            looks.push(look(&mut simulation)?);
        }
    }
    let mean = |of: fn(&Look) -> f64| looks.iter().map(of).sum::<f64>() / looks.len() as f64;
    Ok(Bed {
        gradient: mean(|look| look.gradient),
        first_layer: mean(|look| look.first_layer),
        density_spread: mean(|look| look.density_spread),
        density_error: errors.iter().sum::<f64>() / errors.len() as f64,
        profile: looks.pop().map_or(Vec::new(), |look| look.profile),
    })
}

/// A bed at one time.
struct Look {
    gradient: f64,
    first_layer: f64,
    /// Standard deviation of the density two layers below the surface, relative to rest.
    density_spread: f64,
    profile: Vec<[f64; 2]>,
}

fn look(simulation: &mut Run) -> Result<Look, SimulationError> {
    let mut fields = vec!["position", "pressure", "density", "stress"];
    let known: Vec<String> = simulation.observe("fields", |simulation| {
        Ok(simulation.fields().iter().map(|field| field.name.to_string()).collect())
    })?;
    fields.retain(|name| known.iter().any(|field| field == name));
    let snapshot = read(simulation, &fields)?;
    let position = snapshot.vec3("position").unwrap_or_default();
    let pressure = snapshot.scalar("pressure").unwrap_or_default();
    let stress = match snapshot.column("stress") {
        Some(FieldData::Tensor(stress)) => stress.as_slice(),
        _ => &[],
    };
    let profile =
        stress_profile(position, |i| (pressure[i] + stress.get(i).map_or(0.0, |stress| stress[3])) as f64);
    let top = profile.len() as f64;
    let middle: Vec<[f64; 2]> =
        profile.iter().copied().filter(|p| p[0] > 0.1 * top && p[0] < 0.9 * top).collect();
    let lowest: Vec<f64> =
        position.iter().map(|x| x[1] as f64).filter(|y| *y < 0.8 * SPACING as f64).collect();
    let first_layer = lowest.iter().sum::<f64>() / lowest.len() as f64 / (0.5 * SPACING as f64);
    let density = snapshot.scalar("density").unwrap_or_default();
    let density_spread = spread(position, density);
    Ok(Look { gradient: linear_fit(&middle).0, first_layer, density_spread, profile })
}

/// Standard deviation of the density two layers below the surface, relative to rest.
fn spread(position: &[[f32; 3]], density: &[f32]) -> f64 {
    let surface = position.iter().map(|x| x[1]).fold(0.0, f32::max);
    let inside = position.iter().zip(density).filter(|(x, _)| x[1] < surface - 2.0 * SPACING);
    let inside: Vec<f64> = inside.map(|(_, density)| f64::from(*density) / DENSITY).collect();
    let mean = inside.iter().sum::<f64>() / inside.len() as f64;
    (inside.iter().map(|density| (density - mean).powi(2)).sum::<f64>() / inside.len() as f64).sqrt()
}

/// Mean depth \[d\] and mean stress [rho g d] of layers one spacing thick, from the top.
fn stress_profile(position: &[[f32; 3]], stress: impl Fn(usize) -> f64) -> Vec<[f64; 2]> {
    let spacing = SPACING as f64;
    let surface = position.iter().map(|x| x[1] as f64).fold(0.0, f64::max) + 0.5 * spacing;
    let mut layers: Vec<(f64, f64, f64)> = Vec::new();
    for (i, x) in position.iter().enumerate() {
        let depth = (surface - x[1] as f64) / spacing;
        let layer = depth as usize;
        layers.resize(layers.len().max(layer + 1), (0.0, 0.0, 0.0));
        let slot = &mut layers[layer];
        *slot = (slot.0 + depth, slot.1 + stress(i) / (DENSITY * GRAVITY * spacing), slot.2 + 1.0);
    }
    layers.into_iter().filter(|l| l.2 > 0.0).map(|(depth, stress, n)| [depth / n, stress / n]).collect()
}
