//! Janssen's silo: walls with friction carry what lies deeper than a few diameters.
//!
//! ```text
//! sigma = rho_b g lambda (1 - exp(-z/lambda)),   lambda = D/(4 mu_w K)
//! ```
//! The wall is raised by half a diameter of a grain, so that all of its friction acts upwards \[VC99\]. Stresses are means over the second
//! half of its way: the grains at the wall find new places on it.

use serde::{Deserialize, Serialize};

use crate::boundary::{Keyframe, Motion, Shape};
use crate::measure::drive::next_frame;
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::scene::BoundarySettings;
use crate::simulation::SimulationError;

use super::bed::{Bed, Rest, settle, volume_below};
use super::sand::{
    D, DENSITY, GRAVITY, Spheres, controlled, floor, grain_mass, meters, point, random_grains, time_scale,
};
use super::silo::FILL;

/// Friction of the grains and of the wall.
const FRICTION: f64 = 0.5;
/// By how much the wall rises \[d\].
const RISE: f64 = 0.5;
/// When the wall begins to rise [sqrt(d/g)]: grains lie by then.
const RISES: f64 = 25.0;
/// Depth below the surface and height above the base within which stresses do not count \[d\].
const MARGIN: f64 = 2.0;

/// How large the silo is \[d\].
struct Size {
    diameter: f64,
    /// Depth of the fill in diameters of the silo.
    depth: f64,
    /// Young's modulus [m g/d2].
    young: f64,
    /// How long the wall rises [sqrt(d/g)], and how many frames at the end are averaged, one time scale each.
    rising: f64,
    frames: usize,
}

/// How a form of the experiment is run.
struct Form {
    size: Size,
    /// Silos whose stresses are averaged, layer by layer, and silos of twice the depth.
    seeds: u64,
    tall: u64,
    /// Least R2 of the stress over depth.
    straight: f64,
    /// The silo with a smooth wall.
    smooth: Size,
}

/// Stiffness belongs to the test. A column of 113 d at E = 1e5 is compressed by more than half a diameter: a wall that rises then lifts
/// its lower part until the base bears a sixth of what it should, instead of sliding along it. One of 48 d slides at 3e5. Grains cannot be
/// made stiffer when they lie: between walls, all forces would grow with their stiffness and stay.
///
/// Stresses in a silo eight grains wide scatter by 6 to 8 %, up to a third of the spread of a profile most of which is level: one silo
/// leaves an R2 of 0.87 to 0.93, two of them 0.97.
const QUICK: Form = Form {
    size: Size { diameter: 8.0, depth: 6.0, young: 3e5, rising: 40.0, frames: 20 },
    seeds: 2,
    tall: 0,
    straight: 0.9,
    smooth: Size { diameter: 8.0, depth: 3.0, young: 1e5, rising: 50.0, frames: 25 },
};
/// A scatter of 2.3 % leaves an R2 of 0.99: as many silos are taken as that needs. Narrow ones cost least for what they tell. A column
/// without friction of the wall swings for long, which is why it is watched for long.
const FULL: Form = Form {
    size: Size { diameter: 10.0, depth: 6.0, young: 5e5, rising: 50.0, frames: 25 },
    seeds: 7,
    tall: 2,
    straight: 0.99,
    smooth: Size { diameter: 10.0, depth: 3.0, young: 1e5, rising: 175.0, frames: 50 },
};

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let form = if options.quick { &QUICK } else { &FULL };
    let (size, friction) = (&form.size, controlled(options, FRICTION));
    let tall = Size { depth: 2.0 * size.depth, ..*size };
    // Twice as deep is twice the work.
    let parts = (form.seeds + 2 * form.tall) as f64;
    let mut done = 0.0;
    let mut silos = |size: &Size, count: u64, part: f64| {
        let fills = (1..=count).map(|seed| {
            let mut tell = |share: f64| progress(0.9 * (done + part * share) / parts, "rough wall");
            let filled = fill(options, measurement, size, friction, seed, &mut tell);
            done += part;
            filled
        });
        fills.collect::<Result<Vec<Filled>, SimulationError>>()
    };
    let rough = Filled::mean(&silos(size, form.seeds, 1.0)?);
    let deep = silos(&tall, form.tall, 2.0)?;
    let smooth = fill(options, measurement, &form.smooth, 0.0, 1, &mut |share| {
        progress(0.9 + 0.1 * share, "smooth wall");
    })?;
    let fit = Fit::of(&rough, size);
    let width = size.diameter;
    let mut push = |point: Point| measurement.points.push(point.with("silo [d]", width));
    let r_squared =
        Point::new("R2 of the stress over depth", fit.r_squared, [form.straight, 1.0], "Janssen 1895");
    push(r_squared.with("silos", form.seeds as f64));
    let ratio = width / (4.0 * FRICTION * fit.length);
    let source = "between the active limit of Rankine and 1, as [VC99] find";
    push(Point::new("ratio K of stresses", ratio, [0.4, 1.0], source).with("lambda [d]", fit.length));
    push(if deep.is_empty() { half_way(&rough) } else { saturation(&rough, &Filled::mean(&deep), width) });
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

/// (1 - exp(-6))/(1 - exp(-3)).
const HALF_WAY: f64 = 1.05;

/// The stress at the base over that at half the depth, where there is only one depth.
fn half_way(rough: &Filled) -> Point {
    let saturated = rough.stress_at(rough.depth - 1.0) / rough.stress_at(0.5 * rough.depth);
    let source =
        "what is added on top is carried by the wall: Janssen's own for lambda = D, 10 % in the small silo";
    Point::new("stress at the base / at half the depth", saturated, [0.945, 1.155], source)
        .against(HALF_WAY)
        .with("depth [d]", rough.depth)
}

/// The stress above the base of a silo over that of one that is twice as deep, both as means over a width of the silo.
fn saturation(rough: &Filled, deep: &Filled, width: f64) -> Point {
    let source = "what is added on top is carried by the wall (5 %)";
    let ratio = rough.stress_above_base(width) / deep.stress_above_base(width);
    Point::new("stress at the base, 6 D deep / 12 D deep", ratio, [0.95, 1.05], source)
        .against(1.0)
        .with("depth [d]", rough.depth)
        .with("twice as deep [d]", deep.depth)
}

/// A filled silo; lengths in d, stresses in rho g d.
#[derive(Serialize, Deserialize)]
struct Filled {
    /// Depth of all grains, were they as dense as inside.
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
    /// A silo as it is now: the force that contacts carry through level planes, a diameter apart. The depth of a plane is that of the
    /// grains above it, were they as dense as inside: Janssen's law counts their weight, and a surface is not sharp.
    fn of(bed: &Bed, size: &Size) -> Self {
        let ground = std::f64::consts::PI * (0.5 * size.diameter * D).powi(2);
        let highest = bed.height(0.02) / D;
        let fraction = bed.fraction([MARGIN * D, (highest - MARGIN) * D], ground);
        let depth_of = |level: f64| {
            let spheres = bed.center.iter().zip(&bed.radius);
            let volume: f64 = spheres.map(|(x, r)| volume_below(x.y - level * D, *r)).sum();
            volume / (fraction * ground * D)
        };
        let scale = 1.0 / (ground * DENSITY * GRAVITY * D);
        let levels = (1..=highest as usize).map(|k| k as f64);
        Self {
            depth: depth_of(0.0),
            stress: levels.map(|level| [depth_of(level), carried(bed, level * D) * scale]).collect(),
            fraction,
            base: carried(bed, 0.0) / (grain_mass() * GRAVITY),
            weight: bed.radius.iter().map(|r| (2.0 * r / D).powi(3)).sum(),
        }
    }

    /// Means over frames, or over silos: stresses at the same heights above their bases.
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

    /// Mean stress within a height above the base, without what is too near to it.
    fn stress_above_base(&self, height: f64) -> f64 {
        let above = self.stress.iter().filter(|[z, _]| *z > self.depth - height && *z < self.depth - MARGIN);
        let (sum, count) = above.fold((0.0, 0.0), |(sum, count), [_, s]| (sum + s, count + 1.0));
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
    /// Finds lambda between half a grain and ten diameters of the silo.
    fn of(filled: &Filled, size: &Size) -> Self {
        let inside = filled.stress.iter().filter(|[z, _]| *z > MARGIN && *z < filled.depth - MARGIN);
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
    let end = RISES + size.rising;
    let keyframe = |time: f64, rise: f64| Keyframe {
        time: time * time_scale(),
        translation: point([0.0, rise, 0.0]),
        ..Keyframe::default()
    };
    let motion = Motion { keyframe: vec![keyframe(RISES, 0.0), keyframe(end, RISE)], ..Motion::default() };
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
    // One frame of slack, so that the last one is taken while the wall still rises.
    let watched = end - size.frames as f64 - 1.0;
    let rest = Rest { energy: 0.0, within: [0.0, watched] };
    settle(&mut simulation, rest, &mut |share| progress(share * watched / end))?;
    let mut frames = Vec::new();
    for k in 0..size.frames {
        next_frame(&mut simulation)?;
        progress((watched + k as f64) / end);
        frames.push(simulation.observe("silo", |simulation| {
            let bed = Bed { contacts: simulation.contacts(), ..Bed::of_grains(simulation)? };
            Ok(Filled::of(&bed, size))
        })?);
    }
    Ok(Filled::mean(&frames))
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
        let fit = Fit::of(&filled, &QUICK.size);
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
        let fit = Fit::of(&filled, &QUICK.size);
        assert!(QUICK.size.diameter / (4.0 * FRICTION * fit.length) < 0.1, "{}", fit.length);
    }
}
