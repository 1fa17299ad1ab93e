//! Longmore's experiment 2 \[Lon09\]: forces in a bed under a plate that presses twenty times as hard as the bed weighs.
//!
//! What Longmore records are not contacts but "the force experienced by" each particle and each grain: the sum of the normal forces
//! on it. Of these he finds gamma distributions of mean 1 with the shapes 3.36 and 6.14 (physics: his 0.14 with 0.16 can be no
//! other). Single contacts have a broad distribution however hard the plate presses, and are reported beside them.

use std::collections::BTreeMap;

use glam::DVec3;

use crate::boundary::{Motion, Servo, Shape};
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::scene::{BoundarySettings, Scene};
use crate::simulation::SimulationError;

use super::bed::{Bed, Rest, settle};
use super::distributions::{gamma_shape, histogram, normalized, peak};
use super::forces::{Belonging, Layers, mobilization, mobilized};
use super::sand::{D, DENSITY, GRAVITY, Spheres, controlled, grain_mass, point, time_scale};
use super::vessel::{Container, Vessel};

/// Friction of the grains.
const FRICTION: f64 = 0.5;
/// Pressure of the plate, in weights of the bed per ground.
const PRESSURE: f64 = 20.0;
/// Part of the volume that grains fill, with which the weight of a bed is reckoned.
const FRACTION: f64 = 0.6;
/// Sum of forces up to which a grain, or a sphere of it, does nothing but rest on others, in its own weight: the mean is some 200.
const IDLE: f64 = 10.0;
/// When the plate begins to press [sqrt(d/g)]: grains lie by then.
const PRESSES: f64 = 15.0;

/// How a form of the experiment is run.
struct Form {
    vessels: [Vessel; 2],
    /// Packings of each vessel whose forces are taken together.
    packings: [u64; 2],
    rest: Rest,
}

const QUICK: Form = Form {
    vessels: [
        Vessel { tetrahedra: false, container: Container::Periodic(10.0), depth: 14.0 },
        Vessel { tetrahedra: true, container: Container::Periodic(8.0), depth: 13.0 },
    ],
    packings: [1, 1],
    rest: Rest { energy: 1e-5, within: [40.0, 120.0] },
};

/// A packing of a thousand tetrahedra tells the shape to 0.2 only, and packings scatter by as much.
const FULL: Form = Form {
    vessels: [
        Vessel { tetrahedra: false, container: Container::Cylinder(12.0), depth: 24.0 },
        Vessel { tetrahedra: true, container: Container::Cylinder(9.0), depth: 18.0 },
    ],
    packings: [1, 3],
    rest: Rest { energy: 1e-6, within: [60.0, 300.0] },
};

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let form = if options.quick { &QUICK } else { &FULL };
    let mut series = Vec::new();
    for (k, vessel) in form.vessels.iter().enumerate() {
        let mut packed = Vec::new();
        for packing in 0..form.packings[k] {
            let part = |share: f64| 0.5 * (k as f64 + (packing as f64 + share) / form.packings[k] as f64);
            let mut tell = |share: f64| progress(part(share), "a plate presses on a bed");
            packed.push(pressed_bed(options, measurement, vessel, form, packing, &mut tell)?);
        }
        let energy = packed.iter().map(|(_, energy)| *energy).fold(0.0, f64::max);
        let loads = Loads::together(packed.into_iter().map(|(loads, _)| loads).collect());
        report(&loads, vessel, form, energy, measurement);
        let name = vessel.name();
        series.push(curve(&format!("{name}, grains"), &loads.grains));
        if vessel.tetrahedra {
            series.push(curve(&format!("{name}, spheres"), &loads.spheres));
        }
        series.push(curve(&format!("{name}, contacts"), &loads.contacts));
    }
    let published = (0..=60).map(|k| 0.05 * f64::from(k)).map(|f| [f, longmore(f)]).collect();
    series.insert(0, Series { name: "Longmore 2009, grains".into(), points: published, line: true });
    measurement.plots.push(Plot {
        name: "load".into(),
        title: "Forces under a plate".into(),
        x_label: "force / mean".into(),
        y_label: "density".into(),
        logarithmic: false,
        series,
    });
    Ok(())
}

/// Loads of a packing under the plate, and the kinetic energy per grain that is left [m g d].
fn pressed_bed(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    vessel: &Vessel,
    form: &Form,
    packing: u64,
    progress: &mut dyn FnMut(f64),
) -> Result<(Loads, f64), SimulationError> {
    let spheres = Spheres { friction: controlled(options, FRICTION), ..Spheres::default() };
    let add = |scene: &mut Scene| {
        scene.simulation.seed += packing;
        scene.boundary.push(plate(vessel, &spheres));
    };
    let mut simulation = vessel.pour(options, measurement, spheres, add)?;
    let energy = settle(&mut simulation, form.rest, progress)?;
    Ok((Loads::of(&mut simulation, vessel)?, energy))
}

/// His gamma distribution for grains, of shape 6.14 and mean 1; Gamma(6.14) = 154.2.
fn longmore(f: f64) -> f64 {
    const SHAPE: f64 = 6.14;
    SHAPE.powf(SHAPE) * f.powf(SHAPE - 1.0) * (-SHAPE * f).exp() / 154.2
}

fn curve(name: &str, values: &[f64]) -> Series {
    Series { name: name.into(), points: histogram(values, 0.2, 3.0), line: false }
}

/// A plate above the loose grains that presses down; as heavy as the bed, and damped so that it does not bounce.
fn plate(vessel: &Vessel, spheres: &Spheres) -> BoundarySettings {
    let height = vessel.loose_height() + 1.5;
    let reach = vessel.half() + 2.0;
    let shape = Shape::cuboid(point([-reach, height, -reach]), point([reach, height + 2.0, reach]));
    let ground = vessel.ground() * D * D;
    let weight = FRACTION * DENSITY * GRAVITY * vessel.depth * D * ground;
    let mass = weight / GRAVITY;
    // Stiffness of a bed of such grains, about: E times its ground over its depth.
    let young = spheres.young * grain_mass() * GRAVITY / (D * D);
    let stiffness = 0.3 * young * ground / (vessel.depth * D);
    let servo = Servo {
        direction: [0.0, -1.0, 0.0],
        force: Some(PRESSURE * weight),
        pressure: None,
        area: None,
        mass,
        damping: (stiffness * mass).sqrt(),
        max_speed: Some(0.5 * (GRAVITY * D).sqrt()),
        start: PRESSES * time_scale(),
    };
    BoundarySettings {
        friction: Some(0.0),
        motion: Some(Motion { servo: Some(servo), ..Motion::default() }),
        ..BoundarySettings::new("plate", shape)
    }
}

/// Normal forces in the middle of a bed, over the means of their depths: friction of the wall carries part of what the plate does.
struct Loads {
    contacts: Vec<f64>,
    /// Sums on spheres, and on grains.
    spheres: Vec<f64>,
    grains: Vec<f64>,
    /// Mean tangential force of contacts over the mean normal one.
    mobilized: f64,
}

/// The force on one grain, or one sphere of it, and its place \[d\].
type Load = (f64, DVec3);

impl Loads {
    fn of(simulation: &mut Run, vessel: &Vessel) -> Result<Self, SimulationError> {
        let bed = Bed::of(simulation)?;
        let belonging = Belonging::of(simulation, &bed, vessel.period().map(|side| side * D))?;
        let layers = Layers::of(&bed, vessel);
        Ok(Self::of_bed(&bed, &belonging, &layers))
    }

    /// Those of several packings, each over means of its own.
    fn together(packings: Vec<Self>) -> Self {
        let count = packings.len() as f64;
        let mobilized = packings.iter().map(|packing| packing.mobilized).sum::<f64>() / count;
        let all = |part: fn(&Self) -> &Vec<f64>| packings.iter().flat_map(part).copied().collect();
        Self {
            contacts: all(|packing| &packing.contacts),
            spheres: all(|packing| &packing.spheres),
            grains: all(|packing| &packing.grains),
            mobilized,
        }
    }

    /// What a grain bears is the sum over all of its spheres, wherever these are: the place of a grain is its centre.
    fn of_bed(bed: &Bed, belonging: &Belonging, layers: &Layers) -> Self {
        let (mut contacts, mut spheres, mut grains) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        for contact in bed.contacts.iter().filter(|contact| contact.normal_force > 0.0) {
            let force = f64::from(contact.normal_force);
            contacts.push((force, contact.point.as_dvec3() / D));
            for sphere in [Some(contact.particle), contact.partner.as_particle()].into_iter().flatten() {
                *spheres.entry(sphere).or_insert(0.0) += force;
                *grains.entry(belonging.grain(sphere)).or_insert(0.0) += force;
            }
        }
        let pairs = bed.contacts.iter().filter(|contact| contact.partner.as_particle().is_some());
        let inside = pairs.filter(|contact| layers.of_place(contact.point.as_dvec3() / D).is_some());
        let both = inside.map(|contact| [contact.tangential_force.length(), contact.normal_force]);
        let least = IDLE * grain_mass() * GRAVITY;
        let sphere = |(id, force): (u32, f64)| {
            let place = bed.id.binary_search(&id).ok()?;
            (force > least).then(|| (force, bed.center[place] / D))
        };
        let grain = |(grain, force): (u32, f64)| {
            let center = belonging.center_of(grain)?;
            (force > least).then(|| (force, center / D))
        };
        Self {
            contacts: by_layer(contacts.into_iter(), layers),
            spheres: by_layer(spheres.into_iter().filter_map(sphere), layers),
            grains: by_layer(grains.into_iter().filter_map(grain), layers),
            mobilized: mobilized(both.map(|both| both.map(f64::from))),
        }
    }
}

/// Loads over the mean of their layer; those outside of all layers are left out.
fn by_layer(loads: impl Iterator<Item = Load>, layers: &Layers) -> Vec<f64> {
    let mut of_layer = vec![Vec::new(); layers.count as usize];
    for (force, place) in loads {
        if let Some(layer) = layers.of_place(place) {
            of_layer[layer].push(force);
        }
    }
    of_layer.iter().flat_map(|forces| normalized(forces)).collect()
}

fn report(loads: &Loads, vessel: &Vessel, form: &Form, energy: f64, measurement: &mut Measurement) {
    let name = vessel.name();
    let mut push = |quantity: String, measured: f64, range: [f64; 2], source: &str, count: usize| {
        let point = Point::new(quantity, measured, range, source);
        measurement.points.push(point.with("forces", count as f64));
    };
    let count = loads.grains.len();
    let source = "at rest under the plate";
    push(format!("{name}: energy per grain [m g d]"), energy, [0.0, form.rest.energy], source, count);
    let [shape, better] = gamma_shape(&loads.grains);
    let source = "Longmore 2009, grains: 6.14 (one parameter, since the mean is 1)";
    push(format!("{name}: 2: shape of forces on grains"), shape, [4.0, 9.0], source, count);
    let source = "a gamma distribution fits better than an exponential one (Akaike)";
    push(format!("{name}: 2: gain over an exponential"), better, [1.0, f64::INFINITY], source, count);
    let source = "a peak near the mean (Longmore 2009)";
    push(
        format!("{name}: 2: where forces on grains are densest"),
        peak(&loads.grains),
        [0.7, 1.1],
        source,
        count,
    );
    if vessel.tetrahedra {
        let [shape, better] = gamma_shape(&loads.spheres);
        let source = "Longmore 2009, particles: 3.36";
        let count = loads.spheres.len();
        push(format!("{name}: 2: shape of forces on spheres"), shape, [1.0, 6.0], source, count);
        let source = "a gamma distribution fits better than an exponential one (Akaike)";
        push(
            format!("{name}: 2: gain over an exponential, spheres"),
            better,
            [1.0, f64::INFINITY],
            source,
            count,
        );
    }
    let source = "for comparison: single contacts are not what Longmore recorded";
    let shape = gamma_shape(&loads.contacts)[0];
    push(format!("{name}: shape of single contacts"), shape, [0.5, 9.0], source, loads.contacts.len());
    let quantity = format!("{name}: tangential force / normal force");
    measurement.points.push(mobilization(quantity, loads.mobilized, FRICTION));
}
