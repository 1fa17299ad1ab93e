//! High-resolution grains: a few hundred thousand simulated particles guide millions of visible ones.
//!
//! A frame, as often as the run has frames and without regard to the solver's own steps:
//!
//! ```text
//! track        guides that left their slack move, the others rest; new ones bring grains      guides.rs, sampling.rs
//! build_nodes  blocks of nodes around the guides, and which walls are near each                nodes.rs
//! sort         every second frame: grains by blocks, for locality in memory only               order.rs
//! deform       gradient of the displacements around every guide                                deformation.rs
//! interpolate  displacement, velocity and share of the guides at every node                    interpolation.rs
//! shift_nodes  counts of grains at nodes; shifts from dense to sparse are added there          node_counts.rs, shifting.rs
//! count        grains on a grid of about their diameter, which lies elsewhere every frame      fine_grid.rs
//! gather       nodes of blocks from the cells that own them                                    nodes.rs
//! advect       grains by the eight nodes around them and the fine grid, or in flight           advection.rs
//!              swept collision of their displacements with the moving walls                    sphere_tracing.rs, contact.rs
//!              what flew into a mass of guides lands on its surface                            advection.rs
//! remove       outlets take their grains                                                       cpu.rs
//! ```
//!
//! Guides are never changed by it. Grains gather from nodes and write their own state only, and counts are whole
//! numbers, so results are the same for any number of threads.
//!
//! # References
//!
//! After Ihmsen et al. 2012 as told by \[NED24\] 5.12 and \[SSS22\] section 4. Departures, each with what it cures:
//!
//! * Grains take the guides' *displacements* over a frame, with the deformation of each guide's surroundings, not their
//!   velocities at an instant: affine motion is reproduced exactly, a frame is one step, and nothing drifts that stands still.
//! * Guides are interpolated at nodes, a guide's radius apart, instead of at every grain: the cost per grain does not depend on
//!   the number of guides around it.
//! * A guide moves its grains only when it has left a slack of 0.05 radii: a heap at rest does not creep. Grains are never
//!   farther off than that, however slowly guides move.
//! * The share of guides in a grain's motion comes from how much of the volume around it they fill, walls aside,
//!   instead of from the nearest guide alone: inside a heap nothing falls. At its surface, where nodes are on both sides, the
//!   share comes from the guides themselves, so that the topmost grains do not sink.
//! * Walls hold grains by their distance field and Coulomb friction, along the whole displacement; they never carry them.
//! * Guides may have different radii: each weighs within three of its own.
//! * Grains may have different radii, which follow from their ids: walls hold each by its own, and numbers of grains are those of
//!   the mean volume.
//! * Each deformation keeps volumes, and a guide without neighbours takes the grains around it along.
//! * Grains are shifted from where they are more than their guides are worth to where they are fewer, and apart from each
//!   other: as far as they move anyway, so that what rests is left alone. Ihmsen et al. have no such shifting.
//!
//! # Limitations
//!
//! Grains do not push guides and do not collide with each other: they keep apart on average, not in pairs. Those of different radii
//! begin at the places of equal ones, where large neighbours overlap. Flying grains feel gravity, not the air.

pub mod advection;
mod advector;
mod clock;
pub mod contact;
mod cpu;
pub mod deformation;
pub mod fine_grid;
mod grain;
mod grain_lanes;
pub mod guide_columns;
pub mod guide_grid;
pub mod guides;
mod interpolation;
mod node_counts;
mod node_halo;
pub mod nodes;
mod order;
pub mod radii;
mod sampling;
pub mod shifting;
mod sphere_tracing;
mod state;
#[cfg(test)]
mod tests;
pub mod weights;

use glam::Vec3;

use crate::bodies::BodyReport;
use crate::boundary::{Boundaries, Pose, Sdf, ToolPose};
use crate::error::BackendError;
use crate::neighbors::Domain;
use crate::random::Random;
use crate::scene::{BodyKind, Scene};
use crate::simulator::{Simulator, Snapshot};

pub use advector::{
    AdvectionReport, AdvectionSettings, DeviceFrameInput, Fault, FrameInput, GrainAdvector, NewGuide,
};
use clock::StageClock;
pub use contact::Wall;
pub use cpu::{CpuGrains, moving_walls, wall_reach};
pub use deformation::{Deformation, deformations};
pub use grain::Grain;
pub use guide_grid::GuideGrid;
pub use guides::{Anchors, Guide, SLACK};
pub use radii::FineRadii;
pub use sampling::{Tile, VOLUME_PER_GRAIN};
pub use state::UpsampleState;
pub use weights::{
    COVERAGE_RAMP, FULL_SUM, NEIGHBOR_RAMP, SUPPORT, beyond_wall, coverage, guided_share, weight,
};

/// Fields of the guides that an upsampler reads.
pub const GUIDE_FIELDS: [&str; 4] = ["id", "position", "velocity", "material"];

/// The same where guides have different radii.
pub const SIZED_GUIDE_FIELDS: [&str; 5] = ["id", "position", "velocity", "material", "radius"];

/// Fine grains of a scene.
pub struct Upsampler {
    settings: AdvectionSettings,
    tile: Tile,
    anchors: Anchors,
    /// Guides at the last frame.
    grid: GuideGrid,
    boundaries: Boundaries,
    /// Number of the first boundary that is a body, and which bodies move freely.
    first_body: usize,
    free: Vec<bool>,
    gravity: Vec3,
    advector: Box<dyn GrainAdvector>,
    /// Whether the advector tracks the guides itself, on its own device.
    on_device: bool,
    /// Whether guides have one radius.
    one_radius: bool,
    random: Random,
    next_id: u32,
    totals: Totals,
    clock: StageClock,
}

/// Every fine grain that ever was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Totals {
    /// Grains that were there at the start or came with new guides.
    pub made: u64,
    /// Grains that outlets took.
    pub drained: u64,
    /// Grains that commands took.
    pub removed: u64,
    /// Grains removed because their state was not finite.
    pub lost: u64,
}

/// What an upsampler needs to know of a frame, apart from the guides.
pub struct FrameContext<'a> {
    /// Number of the frame that has ended.
    pub frame: u64,
    /// Time at its start \[s\].
    pub from: f64,
    /// Time at its end \[s\].
    pub to: f64,
    /// The rigid bodies at its end.
    pub bodies: &'a [BodyReport],
    /// Regions that took grains in it.
    pub outlets: &'a [&'a Sdf],
}

impl AdvectionSettings {
    /// Settings for a checked scene; none where it asks for no fine grains.
    pub fn of(scene: &Scene, fault: Option<Fault>) -> Option<Self> {
        let settings = scene.upsample.as_ref()?;
        let radii = FineRadii::new(&settings.radius);
        let tangent = |angle: f32| angle.to_radians().tan();
        Some(Self {
            radius: radii.mean(),
            spread: settings.spread(radii.mean()),
            radii,
            guide_radius: scene.reference_radius(),
            domain: Domain::new(scene.simulation.periodic.axes()),
            friction: scene.material.iter().map(|material| tangent(material.friction_angle)).collect(),
            fault,
        })
    }
}

impl Upsampler {
    /// An upsampler for a checked scene between its walls, as they are at the start, without grains yet.
    pub fn new(
        scene: &Scene,
        settings: AdvectionSettings,
        boundaries: Boundaries,
        advector: Box<dyn GrainAdvector>,
    ) -> Self {
        let seed = scene.simulation.seed;
        Self {
            tile: Tile::spread(settings.spread, settings.radii.smallest(), seed),
            settings,
            anchors: Anchors::default(),
            grid: GuideGrid::default(),
            boundaries,
            first_body: scene.boundary.len(),
            free: scene.body.iter().map(|body| body.kind == BodyKind::Dynamic).collect(),
            gravity: Vec3::from(scene.simulation.gravity),
            advector,
            on_device: false,
            one_radius: scene.one_radius().is_some(),
            // Apart from the sequences of grains and emitters.
            random: Random::new(Random::new(seed ^ 0x6772_6169_6e73).bits()),
            next_id: 0,
            totals: Totals::default(),
            clock: StageClock::default(),
        }
    }

    /// Takes the guides as they are at the start and fills the scene's shapes with grains.
    ///
    /// # Errors
    /// Says in words why they do not fit on the device.
    pub fn begin(&mut self, scene: &Scene, shapes: &[Sdf], guides: &Snapshot) -> Result<(), BackendError> {
        self.track_guides(guides, 0.0);
        for (settings, shape) in scene.grains.iter().zip(shapes) {
            let material = scene.material.iter().position(|m| m.name == settings.material).unwrap_or(0);
            let positions = self.tile.fill(shape, |x| self.grid.holds(x));
            let fits = |x: Vec3, radius: f32| shape.distance(x) <= -0.999 * radius;
            let grains = self.grains_at(positions, Vec3::from(settings.velocity), material as u32, fits);
            self.advector.add(&grains)?;
        }
        Ok(())
    }

    /// Moves grains through a frame, at whose end the guides are as given.
    ///
    /// # Errors
    /// Says in words why the device cannot go on.
    pub fn advance(&mut self, guides: &Snapshot, context: &FrameContext) -> Result<(), BackendError> {
        let dt = (context.to - context.from) as f32;
        self.clock.begin();
        let walls = self.move_walls(context);
        let (moving, born) = self.track_guides(guides, dt);
        let radius = self.settings.guide_radius;
        let start = GuideGrid::new(moving, radius, &self.settings.domain);
        self.clock.lap("track");
        let frame = FrameInput {
            frame: context.frame,
            dt,
            gravity: self.gravity,
            guides: &start,
            after: &self.grid,
            walls: &walls,
            outlets: context.outlets,
        };
        let report = self.advector.advance(&frame)?;
        self.totals.drained += report.drained as u64;
        self.totals.lost += report.lost as u64;
        let born = self.new_guides(&born, guides);
        let grains = self.grains_of(&born, &walls);
        self.advector.add(&grains)
    }

    /// Lets the advector track the particles of a solver on its own device itself, from the guides of now on, if it can: guides of one
    /// radius.
    ///
    /// # Errors
    /// Says in words why they do not fit on the device.
    pub fn track_on_device(&mut self, simulator: &dyn Simulator) -> Result<(), BackendError> {
        self.on_device = self.one_radius && self.advector.can_track(simulator);
        if self.on_device { self.advector.set_anchors(&self.anchors) } else { Ok(()) }
    }

    /// Whether the advector tracks guides on its device; [`guides`](Self::guides) are then not known.
    pub fn tracks_on_device(&self) -> bool {
        self.on_device
    }

    /// Moves grains through a frame whose guides the advector tracks on its device.
    ///
    /// # Errors
    /// Says in words why the device cannot go on.
    pub fn advance_on_device(
        &mut self,
        simulator: &dyn Simulator,
        context: &FrameContext,
    ) -> Result<(), BackendError> {
        let walls = self.move_walls(context);
        let frame = DeviceFrameInput {
            frame: context.frame,
            dt: (context.to - context.from) as f32,
            gravity: self.gravity,
            walls: &walls,
            outlets: context.outlets,
        };
        let (report, born) = self.advector.advance_on_device(simulator, &frame)?;
        self.totals.drained += report.drained as u64;
        self.totals.lost += report.lost as u64;
        let grains = self.grains_of(&born, &walls);
        self.advector.add(&grains)
    }

    /// Goes on with guides that the caller reads back and gives, as they were at the last frame.
    ///
    /// # Errors
    /// Says in words why the device does not give them.
    pub fn track_on_host(&mut self) -> Result<(), BackendError> {
        if let Some(anchors) = self.advector.anchors()?.filter(|_| self.on_device) {
            let (radius, domain) = (self.settings.guide_radius, self.settings.domain);
            self.grid = GuideGrid::new(anchors.as_guides(), radius, &domain);
            self.anchors = anchors;
        }
        self.on_device = false;
        Ok(())
    }

    /// Tracks the guides; gives those of the frame's start with their displacements, and which ones are new.
    fn track_guides(&mut self, guides: &Snapshot, dt: f32) -> (Vec<Guide>, Vec<usize>) {
        let id = guides.integer("id").unwrap_or_default();
        let position = guides.vec3("position").unwrap_or_default();
        let velocity = guides.vec3("velocity").unwrap_or_default();
        let domain = self.settings.domain;
        let slack = if self.settings.fault == Some(Fault::NoSlack) { 0.0 } else { SLACK };
        let slack = slack * self.settings.guide_radius;
        let radius = std::mem::take(&mut self.anchors.radius);
        let mut tracked = self.anchors.track(id, position, velocity, &domain, slack, dt);
        tracked.guides.iter_mut().zip(&radius).for_each(|(guide, radius)| guide.radius = *radius);
        self.anchors.radius = guides.scalar("radius").unwrap_or_default().to_vec();
        self.grid = GuideGrid::new(self.anchors.as_guides(), self.settings.guide_radius, &domain);
        (tracked.guides, tracked.born)
    }

    /// Walls with their poses at both ends of a frame.
    fn move_walls(&mut self, context: &FrameContext) -> Vec<Wall> {
        let start: Vec<Pose> = self.boundaries.iter().map(|boundary| boundary.pose()).collect();
        self.boundaries.advance(context.from, context.to - context.from);
        for (k, (body, free)) in context.bodies.iter().zip(&self.free).enumerate() {
            if *free {
                let (linear, angular) = (body.velocity, body.angular_velocity);
                self.boundaries.place(self.first_body + k, body.pose, body.center, linear, angular);
            }
        }
        let wall = |(boundary, start): (&crate::boundary::Boundary, Pose)| Wall {
            sdf: boundary.sdf().clone(),
            friction: boundary.friction(),
            start,
            end: boundary.pose(),
        };
        self.boundaries.iter().zip(start).map(wall).collect()
    }

    /// What is known of guides that are new.
    fn new_guides(&self, born: &[usize], guides: &Snapshot) -> Vec<NewGuide> {
        let velocity = guides.vec3("velocity").unwrap_or_default();
        let material = guides.integer("material").unwrap_or_default();
        let guide = |&k: &usize| NewGuide {
            id: self.anchors.id[k],
            position: self.anchors.position[k],
            velocity: velocity.get(k).copied().unwrap_or_default().into(),
            radius: self.anchors.radius.get(k).copied().unwrap_or(self.settings.guide_radius),
            material: material.get(k).copied().unwrap_or(0),
        };
        born.iter().map(guide).collect()
    }

    /// Grains around new guides, where walls leave space.
    fn grains_of(&mut self, born: &[NewGuide], walls: &[Wall]) -> Vec<Grain> {
        let mut grains = Vec::new();
        for guide in born {
            let mut positions = self.tile.around(guide.position, guide.radius, &mut self.random);
            positions.retain(|x| walls.iter().all(|wall| wall.distance(*x) > 0.5 * self.settings.radius));
            grains.extend(self.grains_at(positions, guide.velocity, guide.material, |_, _| true));
        }
        grains
    }

    /// Grains with the next ids at positions, each at the first of those that are left where its radius fits.
    fn grains_at(
        &mut self,
        positions: Vec<Vec3>,
        velocity: Vec3,
        material: u32,
        fits: impl Fn(Vec3, f32) -> bool,
    ) -> Vec<Grain> {
        let radii = &self.settings.radii;
        // Places of grains of one radius are chosen for it.
        let fits = |x: Vec3, id: u32| radii.are_equal() || fits(x, radii.of(id));
        let mut grains = Vec::with_capacity(positions.len());
        let mut id = self.next_id;
        for x in positions {
            if fits(x, id) {
                grains.push(Grain { position: x.into(), id, velocity: velocity.into(), material });
                id += 1;
            }
        }
        self.next_id = id;
        self.totals.made += grains.len() as u64;
        grains
    }

    /// The grains, by id.
    ///
    /// # Errors
    /// Says in words why the device does not give them.
    pub fn read(&self) -> Result<Vec<Grain>, BackendError> {
        let mut grains = self.advector.read()?;
        grains.sort_unstable_by_key(|grain| grain.id);
        Ok(grains)
    }

    /// What advects them, where it is of this type: what a device offers beyond [`GrainAdvector`].
    pub fn advector_as<T: GrainAdvector>(&mut self) -> Option<&mut T> {
        let advector: &mut dyn std::any::Any = self.advector.as_mut();
        advector.downcast_mut()
    }

    /// Number of grains.
    pub fn count(&self) -> usize {
        self.advector.count()
    }

    /// Every fine grain that ever was.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Mean radius of grains, by volume [m].
    pub fn radius(&self) -> f32 {
        self.settings.radius
    }

    /// Radii of grains.
    pub fn radii(&self) -> &FineRadii {
        &self.settings.radii
    }

    /// Grains per volume of a full mass [1/m3].
    pub fn density(&self) -> f64 {
        self.tile.density()
    }

    /// The walls where they are now.
    pub fn boundaries(&self) -> &Boundaries {
        &self.boundaries
    }

    /// The guides where they are now, by cell.
    pub fn guides(&self) -> &GuideGrid {
        &self.grid
    }

    /// The device in words.
    pub fn device(&self) -> String {
        self.advector.device()
    }

    /// Mean milliseconds per frame of every stage, as far as they are known.
    pub fn stages(&self) -> Vec<(&'static str, f64)> {
        self.clock.means().into_iter().chain(self.advector.stages()).collect()
    }

    /// Bytes allocated per grain.
    pub fn bytes_per_grain(&self) -> f64 {
        self.advector.bytes_per_grain()
    }

    /// Replaces gravity [m/s2].
    pub fn set_gravity(&mut self, gravity: Vec3) {
        self.gravity = gravity;
    }

    /// Takes over a boundary by a command, as [`Boundaries::set_pose`].
    pub fn set_tool_pose(&mut self, name: &str, pose: &ToolPose) {
        self.boundaries.set_pose(name, pose);
    }

    /// Leads a boundary by a command, as [`Boundaries::lead`].
    pub fn lead_tool(&mut self, name: &str, pose: &ToolPose, time: f64, seconds: f64) {
        self.boundaries.lead(name, pose, time, seconds);
    }

    /// Removes the grains in a region, which a command has named, where they were at the last frame.
    ///
    /// # Errors
    /// Says in words why the device cannot go on.
    pub fn remove_inside(&mut self, region: &Sdf) -> Result<(), BackendError> {
        self.totals.removed += self.advector.remove_inside(region)? as u64;
        Ok(())
    }
}
