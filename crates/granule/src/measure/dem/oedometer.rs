//! Longmore's experiment 7 \[Lon09\]: a bed between walls is pressed together by a plate and let go, twice.
//!
//! Loading and unloading take different ways, since grains slide past each other and stay where they have come to. What a bed of
//! maize gives back, two thirds of its strain in Coetzee and Els 2009, depends on its grains and is reported only.

use glam::{DVec3, Quat, Vec3};

use crate::boundary::Shape;
use crate::contacts::Contact;
use crate::measure::drive::next_frame;
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::scene::BoundarySettings;
use crate::simulation::SimulationError;
use crate::simulator::Command;

use super::bed::{Bed, Rest, settle};
use super::forces::Belonging;
use super::lateral::stress_ratio;
use super::sand::{D, DENSITY, GRAVITY, Spheres, controlled, meters, point, time_scale};
use super::vessel::{Container, Vessel};

/// Largest strain.
const STRAIN: f64 = 0.05;
/// Load of the plate at which strain begins to count, in weights of the bed.
const TOUCHES: f64 = 0.2;
/// Distance from base, plate and wall from which on stresses count \[d\].
const MARGIN: f64 = 1.5;
/// Cycles of loading and unloading.
const CYCLES: usize = 2;

/// How a form of the experiment is run.
struct Form {
    vessel: Vessel,
    /// Speed of the plate [sqrt(g d)].
    speed: f64,
}

const QUICK: Form = Form {
    vessel: Vessel { tetrahedra: true, container: Container::Periodic(6.0), depth: 9.0 },
    speed: 5e-3,
};

const FULL: Form = Form {
    vessel: Vessel { tetrahedra: true, container: Container::Cylinder(7.0), depth: 12.0 },
    speed: 4e-3,
};

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let form = if options.quick { &QUICK } else { &FULL };
    let mut press = Press::begin(options, measurement, form, progress)?;
    let mut cycles = Vec::new();
    for k in 0..CYCLES {
        let mut tell = |share: f64| {
            progress(0.2 + 0.8 * (k as f64 + share) / CYCLES as f64, "a plate presses and lets go");
        };
        cycles.push(press.cycle(form, &mut tell)?);
    }
    report(&cycles, measurement);
    let series = cycles.iter().enumerate().map(|(k, cycle)| Series {
        name: format!("cycle {}", k + 1),
        points: cycle.curve.clone(),
        line: true,
    });
    measurement.plots.push(Plot {
        name: "oedometer".into(),
        title: "A bed pressed together and let go".into(),
        x_label: "strain".into(),
        y_label: "stress [m g/d2]".into(),
        logarithmic: false,
        series: series.collect(),
    });
    Ok(())
}

fn report(cycles: &[Cycle], measurement: &mut Measurement) {
    let mut push = |quantity: &str, measured: f64, range: [f64; 2], source: &str| {
        measurement.points.push(Point::new(quantity, measured, range, source));
    };
    let [first, second] = [&cycles[0], &cycles[1]];
    let source = "loading and unloading take different ways (Longmore 2009, Coetzee and Els 2009)";
    push("7: area of the first loop / work of loading", first.loss(), [1e-3, 1.0], source);
    push("7: strain left after the first cycle", first.residual, [1e-4, STRAIN], "not all comes back");
    let source = "the second loop ends where it began, within a fifth of the largest strain";
    let gap = (second.residual - first.residual).abs() / STRAIN;
    push("7: gap of the second loop / largest strain", gap, [0.0, 0.2], source);
    push(
        "7: area of the second loop / of the first",
        second.area() / first.area(),
        [0.0, 1.0],
        "grains have settled",
    );
    let source = "reported: two thirds for maize (Coetzee and Els 2009), and in Longmore 2009";
    push("7: share of the strain that comes back", 1.0 - first.residual / STRAIN, [0.0, 1.0], source);
    let source = "[Jak44]: 1 - sin(phi), from rounded sand (24 degrees) to crushed rock (50); tetrahedra stand at 32 (piles)";
    let lateral = Point::new("7: horizontal / vertical stress", first.lateral, [0.23, 0.6], source);
    measurement.points.push(lateral.against(1.0 - 32.0_f64.to_radians().sin()));
}

/// Strain and stress [m g/d2] of a cycle: loading, then unloading.
struct Cycle {
    curve: Vec<[f64; 2]>,
    /// Where unloading begins.
    turn: usize,
    /// Strain at which the load is gone.
    residual: f64,
    /// Ratio of horizontal to vertical stress at the largest strain.
    lateral: f64,
}

impl Cycle {
    /// Work per volume of a part of the curve.
    fn work(part: &[[f64; 2]]) -> f64 {
        part.windows(2).map(|ends| 0.5 * (ends[0][1] + ends[1][1]) * (ends[1][0] - ends[0][0])).sum()
    }

    /// Work that does not come back, per volume.
    fn area(&self) -> f64 {
        Self::work(&self.curve)
    }

    /// The same over that of loading.
    fn loss(&self) -> f64 {
        self.area() / Self::work(&self.curve[..self.turn])
    }
}

/// A bed under a plate that is led.
struct Press {
    simulation: Run,
    /// Way of the plate down from where it was described \[d\], and where the bed begins to bear it.
    way: f64,
    touched: Option<f64>,
    /// Height of the bed then \[d\].
    height: f64,
    /// Number of the plate among the boundaries.
    plate: usize,
    start: f64,
}

impl Press {
    /// Lets grains settle and leads the plate down to them.
    fn begin(
        options: &MeasureOptions,
        measurement: &mut Measurement,
        form: &Form,
        progress: &mut Progress,
    ) -> Result<Self, SimulationError> {
        let spheres = Spheres { friction: controlled(options, 0.5), ..Spheres::default() };
        let (reach, start) = (form.vessel.half() + 2.0, form.vessel.loose_height() + 2.0);
        let shape = Shape::cuboid(point([-reach, start, -reach]), point([reach, start + 2.0, reach]));
        let mut plate = 0;
        let mut simulation = form.vessel.pour(options, measurement, spheres, |scene| {
            plate = scene.boundary.len();
            scene.boundary.push(BoundarySettings::new("plate", shape));
        })?;
        let rest = Rest { energy: 1e-5, within: [15.0, 60.0] };
        settle(&mut simulation, rest, &mut |share| progress(0.1 * share, "grains settle"))?;
        let surface = simulation
            .observe("surface", |simulation| Ok(Bed::of_grains(simulation)?.height(0.0) / D + 0.6))?;
        let mut press = Self { simulation, way: 0.0, touched: None, height: surface, plate, start };
        // Through the air at once, to just above the highest grain.
        press.lead(start - surface, 0.5)?;
        Ok(press)
    }

    /// Leads the plate to a way \[d\] at a speed [sqrt(g d)], one frame at a time; gives the stress on it after each.
    fn lead(&mut self, to: f64, speed: f64) -> Result<(), SimulationError> {
        while (to - self.way).abs() > 1e-9 {
            self.advance((to - self.way).clamp(-speed, speed))?;
        }
        Ok(())
    }

    /// Moves the plate by a part of a diameter within a frame, which is a time scale long.
    fn advance(&mut self, by: f64) -> Result<(), SimulationError> {
        self.way += by;
        let command = Command::MoveTool {
            boundary: "plate".into(),
            position: Vec3::new(0.0, -meters(self.way), 0.0),
            rotation: Quat::IDENTITY,
            seconds: time_scale(),
        };
        // The plate exists: the experiment's scene has it.
        let _ = self.simulation.apply(&command);
        next_frame(&mut self.simulation).map(|_| ())
    }

    /// Force of grains on the plate over its ground [m g/d2].
    fn stress(&mut self, form: &Form) -> Result<f64, SimulationError> {
        let plate = self.plate;
        let is_plate =
            |contact: &Contact| contact.partner.as_wall().is_some_and(|(wall, _)| wall as usize == plate);
        let force: f64 = self.simulation.observe("force on the plate", |simulation| {
            let contacts = simulation.contacts();
            let on_plate = contacts.iter().filter(|contact| is_plate(contact));
            Ok(on_plate.map(|contact| -f64::from(contact.force().y)).sum())
        })?;
        let weight = std::f64::consts::PI / 6.0 * DENSITY * D.powi(3) * GRAVITY;
        Ok(force / (weight * form.vessel.ground()))
    }

    /// Ratio of horizontal to vertical stress in the middle of the bed.
    fn lateral(&mut self, form: &Form) -> Result<f64, SimulationError> {
        let bed = Bed::of(&mut self.simulation)?;
        let period = form.vessel.period().map(|side| side * D);
        let belonging = Belonging::of(&mut self.simulation, &bed, period)?;
        let top = self.start - self.way - MARGIN;
        let reach = match form.vessel.container {
            Container::Periodic(_) => f64::INFINITY,
            Container::Cylinder(radius) => radius - MARGIN,
        };
        let inside = |x: DVec3| x.y > MARGIN && x.y < top && x.x.hypot(x.z) < reach;
        Ok(stress_ratio(&bed, &belonging, inside))
    }

    /// Presses to the largest strain and lets go until the plate bears nothing.
    fn cycle(&mut self, form: &Form, progress: &mut dyn FnMut(f64)) -> Result<Cycle, SimulationError> {
        let mut curve = Vec::new();
        let least = TOUCHES * 0.6 * 6.0 / std::f64::consts::PI * form.vessel.depth;
        loop {
            let stress = self.stress(form)?;
            if self.touched.is_none() && stress > least {
                self.touched = Some(self.way);
                self.height = self.start - self.way;
            }
            let strain = self.touched.map_or(0.0, |touched| (self.way - touched) / self.height);
            curve.push([strain, stress]);
            progress(0.5 * strain / STRAIN);
            if strain >= STRAIN {
                break;
            }
            self.advance(form.speed)?;
        }
        let lateral = self.lateral(form)?;
        let (turn, mut residual) = (curve.len(), 0.0);
        let touched = self.touched.unwrap_or(self.way);
        loop {
            self.advance(-form.speed)?;
            let (strain, stress) = ((self.way - touched) / self.height, self.stress(form)?);
            curve.push([strain, stress]);
            progress(1.0 - 0.5 * strain / STRAIN);
            if stress > least {
                residual = strain;
            } else if stress <= 0.0 || strain < -STRAIN {
                return Ok(Cycle { curve, turn, residual, lateral });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spring_loses_nothing() {
        let up: Vec<[f64; 2]> = (0..=50).map(|k| [0.001 * f64::from(k), f64::from(k)]).collect();
        let curve = up.iter().copied().chain(up.iter().rev().copied()).collect();
        let cycle = Cycle { curve, turn: up.len(), residual: 0.0, lateral: 0.0 };
        assert!(cycle.loss().abs() < 1e-12 && cycle.area().abs() < 1e-12);
        // Let go at half the stress: half of the work is lost.
        let down = up.iter().rev().map(|[strain, stress]| [*strain, 0.5 * stress]);
        let curve: Vec<[f64; 2]> = up.iter().copied().chain(down).collect();
        let cycle = Cycle { curve, turn: up.len(), residual: 0.0, lateral: 0.0 };
        assert!((cycle.loss() - 0.5).abs() < 0.02, "{}", cycle.loss());
    }
}
