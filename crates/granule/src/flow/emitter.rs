//! Where grains enter.

use std::sync::Arc;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::Wrong;
use crate::boundary::{Boundaries, Sdf};
use crate::clumps::ClumpShape;
use crate::geometry::sample::SizeDistribution;
use crate::grains::{random_orientation, size_distribution};
use crate::particles::{NewClump, NewGrain};
use crate::preflight::farthest_start;
use crate::random::Random;
use crate::scene::{EmitterSettings, Scene};
use crate::simulator::{MIN_SEPARATION, Simulator};

/// Places tried per grain that is due. Random places fill an opening to about half its area (random sequential
/// addition); more tries gain little.
const TRIES: usize = 16;
/// Draws from the box around the shape per place tried.
const DRAWS: usize = 32;
/// Draws after which a shape counts as empty.
const MOST_DRAWS: usize = 200_000;
/// Places that are looked at before an emitter counts as walled in.
const PROBES: usize = 500;
/// Most grains that one step brings, whatever the rate and the opening.
const MOST_PER_STEP: f64 = 1e5;
/// Rounding allowed in the sum of what is due, in grains.
const ROUNDING: f64 = 1e-6;

/// What of an emitter changes over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmitterState {
    /// Grains emitted so far.
    pub emitted: u64,
    /// Grains given up so far because they found no room.
    pub blocked: u64,
    /// Grains that are due and not yet emitted, with the fraction of the next.
    pub due: f64,
    /// State of the emitter's random numbers.
    pub random: u64,
    /// Whether a command has opened it beyond its time window, or closed it; the window decides when absent.
    pub open: Option<bool>,
}

/// A place where grains enter at a rate.
///
/// Grains appear with their centres at random places inside the shape, nearer than [`MIN_SEPARATION`] spacings to no other grain
/// and than [`MIN_SEPARATION`] radii to no wall. A grain that finds no room waits; of those that wait, no more are kept than one
/// step brings (and one), the others are given up and counted as blocked.
#[derive(Debug)]
pub struct Emitter {
    name: String,
    material: u16,
    region: Sdf,
    min: Vec3,
    max: Vec3,
    velocity: Vec3,
    /// Smallest radius \[m\], and how radii are distributed where they differ.
    radius: f32,
    sizes: Option<SizeDistribution>,
    /// What grains of several spheres are like.
    clump: Option<Arc<ClumpShape>>,
    /// Seed of the radii and orientations.
    seed: u64,
    rate: f64,
    time: [f64; 2],
    limit: u64,
    /// Most grains that could find room in one step, at most [`MOST_PER_STEP`].
    capacity: f64,
    state: EmitterState,
}

impl Emitter {
    pub(super) fn new(
        index: usize,
        settings: &EmitterSettings,
        clump: Option<Arc<ClumpShape>>,
        scene: &Scene,
        boundaries: &Boundaries,
    ) -> Result<Self, Wrong> {
        let material = scene.material.iter().position(|material| material.name == settings.material);
        let material = material.ok_or_else(|| Wrong {
            found: format!("unknown material `{}`", settings.material),
            remedy: "name a material of the scene",
        })?;
        let region = Sdf::new(&settings.shape)?;
        let (min, max) = region.bounds().ok_or_else(|| Wrong {
            found: "the shape has no bounds, so grains cannot be spread over it".into(),
            remedy: "use a box, sphere, cylinder or cone that is not hollow",
        })?;
        let radii = scene.radius_of(&settings.material, settings.radius.as_ref());
        let (radius, largest) = radii.limits();
        let sizes = size_distribution(&radii).map_err(|error| Wrong {
            found: error.to_string(),
            remedy: "give radii as in the scene reference",
        })?;
        let farthest = farthest_start(radius);
        if ![min, max].iter().all(|corner| corner.abs().cmple(Vec3::splat(farthest)).all()) {
            return Err(Wrong {
                found: format!(
                    "the shape reaches farther than {farthest} m from the origin, where single precision is too \
                     coarse for its grains"
                ),
                remedy: "bring it nearer to the origin or make it smaller",
            });
        }
        let across = (max - min) / (MIN_SEPARATION * 2.0 * radius) + 1.0;
        let capacity = f64::from(across.x) * f64::from(across.y) * f64::from(across.z);
        // Each emitter has its own sequence, apart from that of the initial grains.
        let random = Random::new(scene.simulation.seed.wrapping_add(index as u64 + 1)).bits();
        let emitter = Self {
            name: settings.name.clone(),
            material: material as u16,
            region,
            min,
            max,
            velocity: Vec3::from(settings.velocity),
            radius,
            sizes,
            clump,
            seed: !random,
            rate: settings.rate,
            time: settings.time.unwrap_or([0.0, f64::INFINITY]),
            limit: settings.limit.unwrap_or(u64::MAX),
            capacity: capacity.clamp(1.0, MOST_PER_STEP),
            state: EmitterState { emitted: 0, blocked: 0, due: 0.0, random, open: None },
        };
        let reach = emitter.clump.as_ref().map_or(1.0, |clump| clump.reach());
        emitter.check_room(boundaries, reach * largest)?;
        Ok(emitter)
    }

    /// Refuses a shape that is empty or wholly in walls that never move.
    fn check_room(&self, boundaries: &Boundaries, radius: f32) -> Result<(), Wrong> {
        let mut random = Random::new(self.state.random);
        let mut blocking = None;
        let (mut draws, mut probes) = (0, 0);
        while draws < MOST_DRAWS && probes < PROBES {
            draws += 1;
            let x = self.draw(&mut random);
            if self.region.distance(x) > 0.0 {
                continue;
            }
            probes += 1;
            let walls = boundaries.iter().filter(|wall| !wall.moves());
            match walls.into_iter().find(|wall| wall.distance(x) < MIN_SEPARATION * radius) {
                None => return Ok(()),
                Some(wall) => blocking = blocking.or(Some(wall)),
            }
        }
        Err(match blocking {
            Some(wall) => Wrong {
                found: format!(
                    "no grain of radius {radius} m has room in it: it lies in boundary `{}`",
                    wall.name()
                ),
                remedy: "move the emitter out of the wall, at least a radius away from it, or make it larger",
            },
            None => Wrong {
                found: "the shape is empty: no point lies inside it".into(),
                remedy: "give a shape with volume, e.g. a flat cylinder for a disc",
            },
        })
    }

    /// A point of the box around the shape.
    fn draw(&self, random: &mut Random) -> Vec3 {
        let share = Vec3::new(random.unit(), random.unit(), random.unit());
        self.min + share * (self.max - self.min)
    }

    /// Emits what is due after the time from `from` to `to` [s]; returns the grains emitted and given up.
    pub(super) fn advance(&mut self, simulator: &mut dyn Simulator, from: f64, to: f64) -> (usize, usize) {
        let open = match self.state.open {
            Some(open) => {
                if open {
                    to - from
                } else {
                    0.0
                }
            }
            None => to.min(self.time[1]) - from.max(self.time[0]),
        };
        if open <= 0.0 {
            return (0, 0);
        }
        let left = (self.limit - self.state.emitted) as f64;
        let fresh = self.rate * open;
        let due = (self.state.due + fresh).min(left);
        let wanted = (due + ROUNDING).min(self.capacity).floor() as usize;
        let emitted = if wanted == 0 {
            0
        } else {
            let places = self.places(wanted * TRIES);
            simulator.emit(&self.next_grains(wanted), &places)
        };
        // Not below 0, where rounding let a grain go early.
        let waiting = (due - emitted as f64).max(0.0);
        let blocked = (waiting - (fresh + 1.0)).max(0.0).floor();
        self.state.due = waiting - blocked;
        self.state.emitted += emitted as u64;
        self.state.blocked += blocked as u64;
        (emitted, blocked as usize)
    }

    /// The grains that are next, in their order. Radii follow from how many came before, so that a grain that finds no
    /// room stays the next one and large ones are not passed over.
    fn next_grains(&self, count: usize) -> Vec<NewGrain> {
        let radius = |number: u64| match &self.sizes {
            Some(sizes) => sizes.draw(&mut Random::new(self.seed.wrapping_add(number))),
            None => self.radius,
        };
        let clump = |number: u64| {
            let shape = self.clump.clone()?;
            // A sequence of its own, apart from that of the radii.
            let mut random = Random::new(Random::new(self.seed.wrapping_add(number)).bits());
            Some(NewClump { shape, orientation: random_orientation(&mut random) })
        };
        let grain = |number| NewGrain {
            velocity: self.velocity,
            radius: radius(number),
            material: self.material,
            clump: clump(number),
        };
        (self.state.emitted..).take(count).map(grain).collect()
    }

    /// Random places inside the shape, at most `count`.
    fn places(&mut self, count: usize) -> Vec<Vec3> {
        let mut random = Random::new(self.state.random);
        let places = (0..count)
            .filter_map(|_| {
                (0..DRAWS).map(|_| self.draw(&mut random)).find(|x| self.region.distance(*x) <= 0.0)
            })
            .collect();
        self.state.random = random.state();
        places
    }

    /// Name in the scene.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Opens or closes it, whatever its time window says.
    pub(super) fn switch(&mut self, open: bool) {
        self.state.open = Some(open);
    }

    /// What changes over time.
    pub fn state(&self) -> &EmitterState {
        &self.state
    }

    pub(super) fn restore(&mut self, state: EmitterState) {
        self.state = state;
    }
}
