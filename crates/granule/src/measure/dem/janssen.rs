//! Janssen's silo: walls with friction carry what lies deeper than a few diameters.
//!
//! ```text
//! sigma = rho_b g lambda (1 - exp(-z/lambda)),   lambda = D/(4 mu_w K)
//! ```
//! The wall is raised by a third of a diameter of a grain, so that all of its friction acts upwards \[VC99\].

use crate::boundary::{Keyframe, Motion, Shape};
use crate::measure::drive::{next_frame, run_until};
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::scene::BoundarySettings;
use crate::simulation::SimulationError;

use super::bed::{Bed, Rest, settle};
use super::sand::{
    D, DENSITY, GRAVITY, Spheres, controlled, floor, grain_mass, meters, point, random_grains, time_scale,
};
use super::silo::FILL;

/// Friction of the grains and of the wall.
const FRICTION: f64 = 0.5;
/// Frames whose mean is taken, one time scale each, while the wall rises.
const FRAMES: usize = 8;

/// Times at which the wall begins to rise and stops [sqrt(d/g)], and by how much \[d\].
const RISES: [f64; 2] = [25.0, 75.0];
const RISE: f64 = 0.3;

/// How large the silo is \[d\].
struct Size {
    diameter: f64,
    /// Depth of the fill in diameters of the silo.
    depth: f64,
    /// Young's modulus [m g/d2].
    young: f64,
    /// Silos whose stresses are averaged, layer by layer.
    seeds: u64,
    /// Least R2 of the stress over depth.
    straight: f64,
}

/// Stiffness belongs to the test. A column of 113 d at E = 1e5 is compressed by more than half a diameter: a wall that rises then lifts
/// its lower part until the base bears a sixth of what it should, instead of sliding along it; at 1e6 nine tenths. Grains cannot be
/// made stiffer when they lie: between walls, all forces would grow with their stiffness and stay.
///
/// Single layers of a silo eight grains wide scatter by 6 %, a quarter of the spread of a profile most of which is level: no more than
/// 0.93 is left of R2.
const QUICK: Size = Size { diameter: 8.0, depth: 6.0, young: 1e6, seeds: 1, straight: 0.9 };
const FULL: Size = Size { diameter: 14.0, depth: 6.0, young: 3e6, seeds: 2, straight: 0.99 };

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let size = if options.quick { &QUICK } else { &FULL };
    let friction = controlled(options, FRICTION);
    let mut silos = Vec::new();
    for seed in 1..=size.seeds {
        let mut tell = |share: f64| {
            progress(0.8 * ((seed - 1) as f64 + share) / size.seeds as f64, "rough wall");
        };
        silos.push(fill(options, measurement, size, friction, seed, &mut tell)?);
    }
    let rough = Filled::mean(&silos);
    let smooth =
        fill(options, measurement, &Size { depth: 3.0, young: 1e5, ..*size }, 0.0, 1, &mut |share| {
            progress(0.8 + 0.2 * share, "smooth wall")
        })?;
    let fit = Fit::of(&rough, 2.0, size);
    let width = size.diameter;
    let source = "Janssen 1895";
    let mut push = |point: Point| measurement.points.push(point.with("silo [d]", width));
    push(Point::new("R2 of the stress over depth", fit.r_squared, [size.straight, 1.0], source));
    let ratio = width / (4.0 * FRICTION * fit.length);
    let source = "between the active limit of Rankine and 1, as [VC99] find";
    push(Point::new("ratio K of stresses", ratio, [0.4, 1.0], source).with("lambda [d]", fit.length));
    let half = rough.stress_at(0.5 * rough.depth);
    let source = "what is added on top is carried by the wall: 5 %, 10 % in the small silo";
    let tolerance = if options.quick { 0.1 } else { 0.05 };
    let saturated = rough.stress_at(rough.depth - 1.0) / half;
    push(
        Point::new(
            "stress at the base / at half the depth",
            saturated,
            [1.0 - tolerance, 1.0 + tolerance],
            source,
        )
        .with("depth [d]", rough.depth),
    );
    let source = "without friction of the wall the base carries all";
    push(
        Point::new(
            "smooth wall: load of the base / weight",
            smooth.base / smooth.weight,
            [0.99, 1.01],
            source,
        )
        .against(1.0),
    );
    let line = |name: &str, points: Vec<[f64; 2]>| Series { name: name.into(), points, line: true };
    let depths = || (0..=60).map(|k| k as f64 / 60.0 * rough.depth);
    measurement.plots.push(Plot {
        name: "janssen".into(),
        title: "Vertical stress in a silo".into(),
        x_label: "depth [d]".into(),
        y_label: "stress / (rho g d)".into(),
        logarithmic: false,
        series: vec![
            line("Janssen, fitted", depths().map(|z| [z, fit.stress(z)]).collect()),
            line("hydrostatic", depths().filter(|z| *z < 20.0).map(|z| [z, fit.density * z]).collect()),
            Series { name: "rough wall".into(), points: rough.stress.clone(), line: false },
            Series { name: "smooth wall".into(), points: smooth.stress.clone(), line: false },
        ],
    });
    Ok(())
}

/// A filled silo; lengths in d, stresses in rho g d.
struct Filled {
    depth: f64,
    /// Depth and stress.
    stress: Vec<[f64; 2]>,
    /// Bulk density over that of grains.
    fraction: f64,
    /// Force on the base, and weight of all grains [m g].
    base: f64,
    weight: f64,
}

impl Filled {
    /// Means over silos: stresses at the same heights above their bases.
    fn mean(silos: &[Self]) -> Self {
        let count = silos.len() as f64;
        let mean = |value: &dyn Fn(&Self) -> f64| silos.iter().map(value).sum::<f64>() / count;
        let layers = silos.iter().map(|silo| silo.stress.len()).min().unwrap_or(0);
        let stress = (0..layers).map(|k| [mean(&|silo| silo.stress[k][0]), mean(&|silo| silo.stress[k][1])]);
        Self {
            depth: mean(&|silo| silo.depth),
            stress: stress.collect(),
            fraction: mean(&|silo| silo.fraction),
            base: mean(&|silo| silo.base),
            weight: mean(&|silo| silo.weight),
        }
    }

    fn stress_at(&self, depth: f64) -> f64 {
        let near = self.stress.iter().filter(|[z, _]| (z - depth).abs() <= 2.0);
        let (sum, count) = near.fold((0.0, 0.0), |(sum, count), [_, s]| (sum + s, count + 1.0));
        sum / count
    }
}

/// Janssen's law, fitted.
struct Fit {
    length: f64,
    density: f64,
    r_squared: f64,
}

impl Fit {
    /// Finds lambda between half a grain and the whole depth; stresses within `margin` of surface and base do not count.
    fn of(filled: &Filled, margin: f64, size: &Size) -> Self {
        let inside = filled.stress.iter().filter(|[z, _]| *z > margin && *z < filled.depth - margin);
        let points: Vec<[f64; 2]> = inside.copied().collect();
        let of = |length: f64| Self { length, density: filled.fraction, r_squared: 0.0 };
        let error = |fit: &Self| points.iter().map(|[z, s]| (s - fit.stress(*z)).powi(2)).sum::<f64>();
        let steps = 20_000;
        let lengths = (1..=steps).map(|k| 0.5 + 10.0 * size.diameter * f64::from(k) / f64::from(steps));
        let best =
            lengths.map(of).min_by(|a, b| error(a).total_cmp(&error(b))).unwrap_or_else(|| of(f64::NAN));
        let mean = points.iter().map(|p| p[1]).sum::<f64>() / points.len() as f64;
        let spread = points.iter().map(|p| (p[1] - mean).powi(2)).sum::<f64>();
        Self { r_squared: 1.0 - error(&best) / spread, ..best }
    }

    fn stress(&self, depth: f64) -> f64 {
        self.density * self.length * (1.0 - (-depth / self.length).exp())
    }
}

/// Fills a silo, raises its wall and looks at the stresses.
fn fill(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    size: &Size,
    wall_friction: f64,
    seed: u64,
    progress: &mut dyn FnMut(f64),
) -> Result<Filled, SimulationError> {
    let spheres =
        Spheres { friction: controlled(options, FRICTION), young: size.young, ..Spheres::default() };
    let mut scene = spheres.scene("janssen");
    scene.simulation.seed = seed;
    let radius = 0.5 * size.diameter;
    let height = size.depth * size.diameter * 0.6 / FILL;
    let keyframe = |time: f64, rise: f64| Keyframe {
        time: time * time_scale(),
        translation: point([0.0, rise, 0.0]),
        ..Keyframe::default()
    };
    let motion =
        Motion { keyframe: vec![keyframe(RISES[0], 0.0), keyframe(RISES[1], RISE)], ..Motion::default() };
    let tube = Shape::Funnel {
        from: point([0.0, -2.0, 0.0]),
        to: point([0.0, height + 4.0, 0.0]),
        from_radius: meters(radius),
        to_radius: meters(radius),
        thickness: meters(1.0),
    };
    scene.boundary.push(floor());
    scene.boundary.push(BoundarySettings {
        friction: Some(wall_friction as f32),
        motion: Some(motion),
        ..BoundarySettings::new("wall", tube)
    });
    let (from, to) = ([0.0; 3], point([0.0, height, 0.0]));
    scene.grains.push(random_grains(Shape::Cylinder { from, to, radius: meters(radius), hollow: false }));
    let mut simulation = Run::new(scene, options)?;
    measurement.describe(&simulation);
    let rest = Rest { energy: 0.0, within: [0.0, RISES[0]] };
    settle(&mut simulation, rest, &mut |share| progress(0.6 * share))?;
    run_until(&mut simulation, (RISES[1] - FRAMES as f64 - 1.0) * time_scale())?;
    let mut frames = Vec::new();
    for k in 0..FRAMES {
        next_frame(&mut simulation)?;
        progress(0.8 + 0.2 * k as f64 / FRAMES as f64);
        frames.push(Bed::of(&mut simulation)?);
    }
    Ok(look(&frames, size))
}

/// Means over frames: the force that contacts carry through level planes, a diameter apart.
fn look(frames: &[Bed], size: &Size) -> Filled {
    let count = frames.len() as f64;
    let ground = std::f64::consts::PI * (0.5 * size.diameter).powi(2);
    let top = frames.iter().map(|bed| bed.height(0.02) / D + 0.5).sum::<f64>() / count;
    let levels: Vec<f64> = (1..top as usize).map(|k| k as f64).collect();
    let scale = 1.0 / (ground * DENSITY * GRAVITY * D.powi(3));
    let stress = levels.iter().map(|level| {
        let carried: f64 = frames.iter().map(|bed| carried(bed, level * D)).sum::<f64>() / count;
        [top - level, carried * scale]
    });
    let bed = &frames[0];
    let fraction = bed.fraction([2.0 * D, (top - 2.0) * D], ground * D * D);
    let base = frames.iter().map(|bed| carried(bed, 0.0)).sum::<f64>() / count / (grain_mass() * GRAVITY);
    let weight = bed.radius.iter().map(|r| (2.0 * r / D).powi(3)).sum();
    Filled { depth: top, stress: stress.collect(), fraction, base, weight }
}

/// Vertical force that contacts carry through a level plane \[N\]; through the floor at height 0.
fn carried(bed: &Bed, level: f64) -> f64 {
    let through = bed.contacts.iter().filter(|contact| match contact.partner.as_wall() {
        // The floor is the first wall.
        Some((wall, _)) => wall == 0 && level == 0.0,
        None => {
            let from = f64::from(contact.center.y) - level;
            from * (from + f64::from(contact.branch.y)) < 0.0
        }
    });
    through
        .map(|contact| {
            let up = f64::from(contact.force().y);
            // The force on the upper one.
            if contact.branch.y < 0.0 { up } else { -up }
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn janssens_law_is_found_in_itself() {
        let exact = Fit { length: 7.0, density: 0.6, r_squared: 1.0 };
        let stress = (1..48).map(|k| [f64::from(k), exact.stress(f64::from(k))]).collect();
        let filled = Filled { depth: 48.0, stress, fraction: 0.6, base: 1.0, weight: 1.0 };
        let fit = Fit::of(&filled, 2.0, &QUICK);
        assert!(
            (fit.length - 7.0).abs() < 0.03 && fit.r_squared > 0.9999,
            "{} {}",
            fit.length,
            fit.r_squared
        );
        assert!((filled.stress_at(24.0) - 0.6 * 7.0).abs() < 0.15);
    }

    #[test]
    fn a_hydrostatic_stress_is_none_of_janssens() {
        let stress = (1..48).map(|k| [f64::from(k), 0.6 * f64::from(k)]).collect();
        let filled = Filled { depth: 48.0, stress, fraction: 0.6, base: 1.0, weight: 1.0 };
        let fit = Fit::of(&filled, 2.0, &QUICK);
        assert!(QUICK.diameter / (4.0 * FRICTION * fit.length) < 0.1, "{}", fit.length);
    }
}
