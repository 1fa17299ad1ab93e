//! How densely spheres pack, by friction: a bed poured at random, periodic across.
//!
//! Frictionless spheres come to rest at random close packing, 0.639 with six contacts each; friction lets looser beds stand
//! \[SIL10\]. Stiffness belongs to the test: at E = 1e5 m g/d2 overlaps of 0.3 % pack the same bed to 0.65, so its grains are
//! made stiffer by and by until 1e7.

use crate::boundary::Shape;
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::scene::Periodic;
use crate::simulation::SimulationError;
use crate::simulator::Command;

use super::bed::{Bed, Rest, settle};
use super::sand::{D, SAND, Spheres, controlled, floor, meters, point, random_grains, young_modulus};

/// Part of a shape that a random fill of spheres takes.
const FILL: f64 = 0.36;
/// Depth below the surface, and height above the base, from which on a bed is looked at \[d\].
const MARGIN: f64 = 3.0;
/// Share of the grains that lie above what counts as the surface.
const LOOSE: f64 = 0.03;
/// Energy per grain at which a bed is at rest [m g d].
const REST: f64 = 1e-4;
/// Young's moduli by which a bed is made stiffer [m g/d2].
const STIFFER: [f64; 4] = [3e5, 1e6, 3e6, 1e7];

/// How large beds are.
struct Size {
    /// Grains.
    count: f64,
    /// Side of the periodic ground \[d\].
    side: f64,
    /// Seeds that are averaged.
    seeds: u64,
    /// Coefficients of friction, of which the first must be 0.
    frictions: &'static [f64],
}

const QUICK: Size = Size { count: 900.0, side: 8.0, seeds: 1, frictions: &[0.0, 0.3] };
const FULL: Size = Size { count: 2500.0, side: 10.0, seeds: 3, frictions: &[0.0, 0.1, 0.3, 1.0] };

/// A packing, with its numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Packing {
    fraction: f64,
    coordination: f64,
    /// Kinetic energy per grain [m g d].
    energy: f64,
}

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let size = if options.quick { &QUICK } else { &FULL };
    let beds = (size.seeds as usize * size.frictions.len()) as f64;
    let (mut soft, mut stiff, mut done) = (Vec::new(), Vec::new(), 0.0);
    for &friction in size.frictions {
        let (mut of_soft, mut of_stiff) = (Vec::new(), Vec::new());
        for seed in 1..=size.seeds {
            let mut tell =
                |share: f64| progress((done + share) / beds, &format!("bed of friction {friction}"));
            let mut simulation = pour(options, measurement, size, friction, seed)?;
            let within = [10.0, 300.0];
            let energy =
                settle(&mut simulation, Rest { energy: REST, within }, &mut |share| tell(0.5 * share))?;
            of_soft.push(look(&mut simulation, size, friction, energy)?);
            if friction == 0.0 {
                let energy = stiffen(&mut simulation, &mut |share| tell(0.5 + 0.5 * share))?;
                of_stiff.push(look(&mut simulation, size, friction, energy)?);
            }
            done += 1.0;
        }
        soft.push((friction, mean(&of_soft)));
        if friction == 0.0 {
            stiff.push((friction, mean(&of_stiff)));
        }
    }
    report(&soft, &stiff, measurement);
    measurement.plots.extend(plots(&soft, &stiff));
    Ok(())
}

fn report(soft: &[(f64, Packing)], stiff: &[(f64, Packing)], measurement: &mut Measurement) {
    let mut push = |quantity: &str, friction: f64, measured: f64, range: [f64; 2], source: &str| {
        let point = Point::new(quantity, measured, range, source).with("friction", friction);
        measurement.points.push(point);
    };
    for (friction, bed) in stiff {
        push(
            "fraction, E = 1e7",
            *friction,
            bed.fraction,
            [0.629, 0.649],
            "random close packing 0.639 [SIL10]; LAMMPS 0.641 to 0.644",
        );
        push(
            "contacts per grain, E = 1e7",
            *friction,
            bed.coordination,
            [5.7, 6.3],
            "six hold a frictionless sphere [SIL10]; LAMMPS 6.1",
        );
        push("energy per grain, E = 1e7 [m g d]", *friction, bed.energy, [0.0, REST], "at rest");
    }
    for (friction, bed) in soft {
        push("energy per grain, E = 1e5 [m g d]", *friction, bed.energy, [0.0, REST], "at rest");
    }
    let find = |friction: f64| soft.iter().find(|(own, _)| *own == friction).map(|(_, bed)| *bed);
    let drop = find(0.0).zip(find(0.3)).map_or(f64::NAN, |(smooth, rough)| smooth.fraction - rough.fraction);
    let source = "LAMMPS 0.043 (0.6535 and 0.610) with the same law";
    push("loss of fraction by friction, E = 1e5", 0.3, drop, [0.03, 0.06], source);
    for pair in soft.windows(2) {
        let source = "friction needs fewer contacts, from six to four [SIL10]";
        let fewer = pair[0].1.coordination - pair[1].1.coordination;
        push("loss of contacts by friction, E = 1e5", pair[1].0, fewer, [1e-3, 3.0], source);
    }
}

fn plots(soft: &[(f64, Packing)], stiff: &[(f64, Packing)]) -> [Plot; 2] {
    let plot = |name: &str, title: &str, y_label: &str, value: fn(&Packing) -> f64, limits: [f64; 2]| {
        let points = |beds: &[(f64, Packing)]| beds.iter().map(|(mu, bed)| [*mu, value(bed)]).collect();
        let line = |at: f64| vec![[0.0, at], [1.0, at]];
        Plot {
            name: name.into(),
            title: title.into(),
            x_label: "coefficient of friction".into(),
            y_label: y_label.into(),
            logarithmic: false,
            series: vec![
                Series {
                    name: "without friction (Silbert 2010)".into(),
                    points: line(limits[1]),
                    line: true,
                },
                Series { name: "rough (Silbert 2010)".into(), points: line(limits[0]), line: true },
                Series { name: "E = 1e5 m g/d2".into(), points: points(soft), line: false },
                Series { name: "E = 1e7 m g/d2".into(), points: points(stiff), line: false },
            ],
        }
    };
    [
        plot("packing-fraction", "Packings by friction", "fraction", |bed| bed.fraction, [0.55, 0.639]),
        plot(
            "packing-contacts",
            "Contacts by friction",
            "contacts per grain",
            |bed| bed.coordination,
            [4.0, 6.0],
        ),
    ]
}

fn mean(beds: &[Packing]) -> Packing {
    let sum = |value: fn(&Packing) -> f64| beds.iter().map(value).sum::<f64>() / beds.len() as f64;
    Packing {
        fraction: sum(|bed| bed.fraction),
        coordination: sum(|bed| bed.coordination),
        energy: beds.iter().map(|bed| bed.energy).fold(0.0, f64::max),
    }
}

/// Spheres at random above a floor.
fn pour(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    size: &Size,
    friction: f64,
    seed: u64,
) -> Result<Run, SimulationError> {
    let spheres = Spheres { friction: controlled(options, friction), ..Spheres::default() };
    let mut scene = spheres.scene("packing");
    let side = size.side;
    let height = size.count * std::f64::consts::PI / 6.0 / FILL / (side * side);
    let across = Some([0.0, meters(side)]);
    scene.simulation.periodic = Periodic { x: across, y: None, z: across };
    scene.simulation.seed = seed;
    scene.boundary.push(floor());
    scene.grains.push(random_grains(Shape::cuboid([0.0; 3], point([side, height, side]))));
    let simulation = Run::new(scene, options)?;
    measurement.describe(&simulation);
    Ok(simulation)
}

/// Makes the grains stiffer by and by, and waits for rest; gives the energy that is left [m g d].
fn stiffen(simulation: &mut Run, progress: &mut dyn FnMut(f64)) -> Result<f64, SimulationError> {
    let mut energy = f64::NAN;
    for (k, young) in STIFFER.into_iter().enumerate() {
        let path = format!("material.{SAND}.dem.young");
        // The path exists: the experiment's scene has the material.
        let _ = simulation.apply(&Command::Set { path, value: young_modulus(young) });
        let last = k + 1 == STIFFER.len();
        let within = if last { [2.0, 40.0] } else { [1.0, 4.0] };
        let share = |share: f64| (k as f64 + share) / STIFFER.len() as f64;
        energy = settle(simulation, Rest { energy: REST, within }, &mut |part| progress(share(part)))?;
    }
    Ok(energy)
}

/// Looks at the middle of a bed.
fn look(simulation: &mut Run, size: &Size, friction: f64, energy: f64) -> Result<Packing, SimulationError> {
    let bed = Bed::of(simulation)?;
    let inside = [MARGIN * D, bed.height(LOOSE) - MARGIN * D];
    // Grains with fewer contacts rest by their own weight alone and bear nothing else.
    let least = if friction == 0.0 { 4 } else { 2 };
    Ok(Packing {
        fraction: bed.fraction(inside, (size.side * D).powi(2)),
        coordination: bed.coordination(inside, least),
        energy,
    })
}
