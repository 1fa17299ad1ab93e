//! The cell: two plates, the grains between them, and what is read of them at every frame.

use glam::DVec3;

use crate::boundary::{Keyframe, Motion, Servo, Shape};
use crate::contacts::Contact;
use crate::measure::drive::{look, next_frame};
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement};
use crate::scene::{BoundarySettings, Periodic, Scene};
use crate::simulation::SimulationError;
use crate::simulator::Command;
use crate::statistics::linear_fit;

use super::super::bed::volume_below;
use super::super::element::{PRESSURE, inertial_number, pascal, rate_of};
use super::super::sand::{
    D, GRAVITY, SAND, Spheres, grain_mass, meters, point, random_grains, rows, time_scale,
};
use super::{Form, Stage};

/// Part of the space between the plates that a random fill takes, and that it takes when packed, about.
const FILL: f64 = 0.36;
const PACKED: f64 = 0.6;
/// Distance and radius of ribs \[d\]: no grain fits through, and those between two ribs go along with them. Ribs as thick as
/// grains and 1.25 d apart slip: grains lie in rows on them, shear stays at the plates, and friction is a tenth too small.
const RIB: f64 = 2.0;
const RADIUS: f64 = 0.75;
/// Time after the plate has come down until friction becomes that of the test, and from then until the plate begins to go along
/// [sqrt(d/g)].
const REST: f64 = 10.0;
const PAUSE: f64 = 6.0;
/// Fastest speed of the plate across [sqrt(g d)].
const FASTEST: f64 = 0.3;
/// Frames per sqrt(d/g).
const FRAMES: f64 = 4.0;
/// Share of the height at each plate that is left out.
const MARGIN: f64 = 0.25;
/// Share of a stage after which it counts as steady.
const STEADY: f64 = 0.5;
/// Layers that velocities are averaged over.
const LAYERS: usize = 8;

/// How a cell is filled.
pub struct Filling {
    pub name: &'static str,
    /// Friction while it is packed, and while it is sheared.
    pub friction: [f64; 2],
    pub seed: u64,
}

/// What is read of a cell at a frame.
#[derive(Clone, Copy)]
pub struct Row {
    /// Way of the upper plate over the height of the cell at the start of shear.
    pub strain: f64,
    /// Height between the plates, over that at the start of shear.
    pub height: f64,
    /// Shear and normal stress at the upper plate, at the lower one and in the middle \[P\].
    pub upper: [f64; 2],
    pub lower: [f64; 2],
    pub middle: [f64; 2],
    /// Solid fraction of the middle.
    pub fraction: f64,
}

/// What a stage did.
pub struct StageFlow {
    pub rows: Vec<Row>,
    /// Mean velocity along the plates \[sqrt(g d)\] over height \[d\] while it was steady.
    pub profile: Vec<[f64; 2]>,
    /// R2 of a line through it.
    pub linearity: f64,
    /// Inertial number of the slope.
    pub inertial: f64,
    /// The first row that counts as steady.
    pub steady: usize,
}

/// A cell that is sheared.
pub struct Cell {
    simulation: Run,
    stages: Vec<Stage>,
    /// Length along and width across \[d\].
    size: [f64; 2],
    /// Height of the axis of the upper ribs where they were described \[d\].
    start: f64,
    friction: f64,
    /// When it is packed [sqrt(d/g)].
    packed: f64,
}

impl Cell {
    /// Loose grains between two plates, of which the upper one will come down and go along.
    pub fn fill(
        options: &MeasureOptions,
        measurement: &mut Measurement,
        form: &Form,
        filling: &Filling,
        stages: &[Stage],
    ) -> Result<Self, SimulationError> {
        let [length, width, height] = [form.ribs as f64 * RIB, form.width, form.height];
        let loose = height * PACKED / FILL;
        let spheres = Spheres { friction: filling.friction[0], ..Spheres::default() };
        let mut scene = spheres.scene("shear");
        scene.simulation.periodic =
            Periodic { x: Some([0.0, meters(length)]), y: None, z: Some([0.0, meters(width)]) };
        scene.simulation.gravity = [0.0; 3];
        scene.simulation.seed = filling.seed;
        scene.simulation.fps = FRAMES / time_scale();
        let shape = Shape::cuboid(point([0.0, RADIUS, 0.0]), point([length, RADIUS + loose, width]));
        scene.grains.push(random_grains(shape));
        let start = loose + 2.0 * RADIUS;
        let packed = (loose - height) / FASTEST + REST;
        let begin = packed + PAUSE;
        let path = keyframes(stages, height, begin);
        let travel = path.last().map_or(0.0, |key| f64::from(key.translation[0]) / D);
        let mass = height * PACKED * length * width * 6.0 / std::f64::consts::PI * grain_mass();
        let area = (length * width) * D * D;
        let servo = Servo {
            direction: [0.0, -1.0, 0.0],
            force: None,
            pressure: Some(pascal(PRESSURE)),
            area: Some(area),
            mass: 0.2 * mass,
            // About what makes the plate stop on the springs of the grains without swinging.
            damping: pascal(PRESSURE) * area / (GRAVITY * D).sqrt(),
            max_speed: Some(FASTEST * (GRAVITY * D).sqrt()),
            start: 0.0,
        };
        let friction = filling.friction[1];
        plate(&mut scene, "lower", 0.0, [-2.0, length + 2.0], width, friction, None);
        let motion = Motion { keyframe: path, servo: Some(servo), ..Motion::default() };
        plate(&mut scene, "upper", start, [-travel - 2.0, length + 2.0], width, friction, Some(motion));
        let simulation = Run::new(scene, options)?;
        measurement.describe(&simulation);
        Ok(Self { simulation, stages: stages.to_vec(), size: [length, width], start, friction, packed })
    }

    /// Packs the grains and shears them, stage by stage.
    pub fn shear(&mut self, progress: &mut dyn FnMut(f64)) -> Result<Vec<StageFlow>, SimulationError> {
        let begin = self.packed + PAUSE;
        let whole = begin + self.stages.iter().map(|stage| duration(*stage)).sum::<f64>();
        let mut advance = |simulation: &mut Run| {
            progress(simulation.time() / time_scale() / whole);
            next_frame(simulation)
        };
        while self.time() < self.packed {
            advance(&mut self.simulation)?;
        }
        let path = format!("material.{SAND}.dem.friction");
        let command = Command::Set { path, value: self.friction };
        self.simulation.apply(&command).map_err(|error| SimulationError::Failed(error.to_string()))?;
        while self.time() < begin {
            advance(&mut self.simulation)?;
        }
        let first = self.height()?;
        let (mut flows, mut end) = (Vec::new(), begin);
        for stage in self.stages.clone() {
            let from = end;
            end += duration(stage);
            let steady_from = from + STEADY * duration(stage);
            let (mut rows, mut layers, mut steady) = (Vec::new(), Layers::default(), None);
            // A frame in which the next stage begins is that one's.
            while self.time() + 1.0 / FRAMES < end + 1e-6 {
                advance(&mut self.simulation)?;
                rows.push(self.row(first)?);
                if self.time() >= steady_from {
                    steady.get_or_insert(rows.len() - 1);
                    let height = self.height()?;
                    layers.add(&mut self.simulation, height)?;
                }
            }
            flows.push(layers.finish(rows, steady.unwrap_or(0)));
        }
        Ok(flows)
    }

    /// Time [sqrt(d/g)].
    fn time(&self) -> f64 {
        self.simulation.time() / time_scale()
    }

    /// Way of the upper plate along and down \[d\].
    fn way(&mut self) -> Result<[f64; 2], SimulationError> {
        self.simulation.observe("upper plate", |simulation| {
            let poses = simulation.simulator().boundary_poses();
            Ok(poses.get(1).map_or([f64::NAN; 2], |pose| {
                [f64::from(pose.translation.x) / D, f64::from(pose.translation.y) / D]
            }))
        })
    }

    /// Height between the surfaces of the ribs \[d\].
    fn height(&mut self) -> Result<f64, SimulationError> {
        Ok(self.start + self.way()?[1] - 2.0 * RADIUS)
    }

    fn row(&mut self, first: f64) -> Result<Row, SimulationError> {
        let height = self.height()?;
        let [length, width] = self.size;
        let ground = length * width * D * D;
        let slab = [MARGIN, 1.0 - MARGIN].map(|share| (RADIUS + share * height) * D);
        let unit = 1.0 / pascal(PRESSURE);
        let below = |x: &DVec3, r: f64| volume_below(slab[1] - x.y, r) - volume_below(slab[0] - x.y, r);
        let solid: f64 = look(&mut self.simulation, &["position", "radius"], |snapshot| {
            let radii = snapshot.scalar("radius").unwrap_or_default();
            rows(snapshot, "position").iter().zip(radii).map(|(x, r)| below(x, f64::from(*r))).sum()
        })?;
        let volume = ground * (slab[1] - slab[0]);
        let [upper, lower, middle] = self.simulation.observe("stresses", |simulation| {
            let contacts = simulation.contacts();
            let plate = |plate: u16| at_plate(&contacts, plate, unit / ground);
            Ok([plate(1), plate(0), in_slab(&contacts, slab, unit / volume)])
        })?;
        let strain = self.way()?[0] / first;
        Ok(Row { strain, height: height / first, upper, lower, middle, fraction: solid / volume })
    }
}

/// Time that a stage takes [sqrt(d/g)].
fn duration(stage: Stage) -> f64 {
    stage.strain / (rate_of(stage.inertial) * time_scale())
}

/// The way of the upper plate along: at rest until the test begins, then from stage to stage.
fn keyframes(stages: &[Stage], height: f64, begin: f64) -> Vec<Keyframe> {
    let key = |time: f64, way: f64| Keyframe {
        time: time * time_scale(),
        translation: point([way, 0.0, 0.0]),
        ..Keyframe::default()
    };
    let (mut time, mut way) = (begin, 0.0);
    let mut keys = vec![key(time, way)];
    for stage in stages {
        time += duration(*stage);
        way += stage.strain * height;
        keys.push(key(time, way));
    }
    keys
}

/// Adds a plate of ribs across, with their axes at a height, between two places along \[d\].
fn plate(
    scene: &mut Scene,
    name: &str,
    height: f64,
    [from, to]: [f64; 2],
    width: f64,
    friction: f64,
    motion: Option<Motion>,
) {
    let first = (from / RIB).floor() as i64;
    let last = (to / RIB).ceil() as i64;
    let rib = |k: i64| Shape::Capsule {
        from: point([k as f64 * RIB, height, -2.0]),
        to: point([k as f64 * RIB, height, width + 2.0]),
        radius: meters(RADIUS),
        hollow: false,
    };
    let shape = Shape::Union((first..=last).map(rib).collect());
    scene.boundary.push(BoundarySettings {
        friction: Some(friction as f32),
        motion,
        ..BoundarySettings::new(name, shape)
    });
}

/// Shear and normal stress that a plate bears, over `scale` of its force \[N\].
fn at_plate(contacts: &[Contact], plate: u16, scale: f64) -> [f64; 2] {
    let touching =
        contacts.iter().filter(|contact| contact.partner.as_wall().is_some_and(|(wall, _)| wall == plate));
    let force: DVec3 = touching.map(|contact| contact.force().as_dvec3()).sum();
    [scale * force.x.abs(), scale * force.y.abs()]
}

/// Shear and normal stress of the contacts between two heights \[m\] (Love-Weber).
fn in_slab(contacts: &[Contact], [low, high]: [f64; 2], scale: f64) -> [f64; 2] {
    let pairs = contacts.iter().filter(|contact| contact.partner.as_particle().is_some());
    let inside = pairs.filter(|contact| (low..high).contains(&f64::from(contact.point.y)));
    let sum = inside.fold([0.0; 2], |[shear, normal], contact| {
        let (force, branch) = (contact.force().as_dvec3(), contact.branch.as_dvec3());
        [shear - force.x * branch.y, normal - force.y * branch.y]
    });
    [scale * sum[0].abs(), scale * sum[1]]
}

/// Sums of velocities by height.
#[derive(Default)]
struct Layers {
    sums: [[f64; 3]; LAYERS],
}

impl Layers {
    /// Adds the velocities of now, of the middle of a height \[d\].
    fn add(&mut self, simulation: &mut Run, height: f64) -> Result<(), SimulationError> {
        let now = look(simulation, &["position", "velocity"], |snapshot| {
            let mut sums = [[0.0; 3]; LAYERS];
            for (x, v) in rows(snapshot, "position").iter().zip(rows(snapshot, "velocity")) {
                let share = (x.y / D - RADIUS) / height;
                let layer = (share - MARGIN) / (1.0 - 2.0 * MARGIN) * LAYERS as f64;
                if (0.0..LAYERS as f64).contains(&layer) {
                    let sum = &mut sums[layer as usize];
                    *sum = [sum[0] + x.y / D, sum[1] + v.x / (GRAVITY * D).sqrt(), sum[2] + 1.0];
                }
            }
            sums
        })?;
        for (sum, now) in self.sums.iter_mut().zip(now) {
            (0..3).for_each(|k| sum[k] += now[k]);
        }
        Ok(())
    }

    fn finish(self, rows: Vec<Row>, steady: usize) -> StageFlow {
        let profile: Vec<[f64; 2]> = self
            .sums
            .iter()
            .filter(|sum| sum[2] > 0.0)
            .map(|[height, velocity, count]| [height / count, velocity / count])
            .collect();
        let (slope, _, linearity) = linear_fit(&profile);
        StageFlow { inertial: inertial_number(slope / time_scale()), rows, profile, linearity, steady }
    }
}
