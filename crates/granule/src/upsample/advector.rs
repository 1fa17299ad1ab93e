//! The interface of what advects fine grains on a device, and the input of a frame.

use std::any::Any;

use glam::Vec3;

use super::contact::Wall;
use super::grain::Grain;
use super::guide_grid::GuideGrid;
use super::guides::Anchors;
use super::radii::FineRadii;
use crate::boundary::Sdf;
use crate::error::BackendError;
use crate::neighbors::Domain;
use crate::simulator::Simulator;

/// A remedy that is switched off, or a published fault that is switched on; for negative controls only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The published share of guides: grains fall inside a heap at rest.
    PublishedShare,
    /// Grains track guides that stray by less than the slack.
    NoSlack,
    /// Walls do not hold grains.
    NoContact,
    /// No shifting from dense to sparse regions, neither on the nodes nor on the fine grid.
    NoShifting,
    /// Shifting on the fine grid only: grains keep apart, but do not go where guides have too few of them.
    NoNodeShifting,
    /// Walls carry grains along as if they were guides.
    StickyWalls,
    /// Flight by one step of Euler's method per frame.
    EulerFlight,
}

/// What advection needs to know and what does not change from frame to frame.
#[derive(Clone, Debug)]
pub struct AdvectionSettings {
    /// Radii of fine grains.
    pub radii: FineRadii,
    /// Their mean radius, by volume \[m\].
    pub radius: f32,
    /// Radius of the spheres that were spread at random, without overlap, for places of grains \[m\]: how dense they are.
    pub spread: f32,
    /// Radius of a guide \[m\]; where guides differ, that of the first material.
    pub guide_radius: f32,
    /// The space.
    pub domain: Domain,
    /// Friction coefficient of every material.
    pub friction: Vec<f32>,
    /// A fault, for negative controls.
    pub fault: Option<Fault>,
}

/// What a frame is advected by.
pub struct FrameInput<'a> {
    /// Number of the frame that begins.
    pub frame: u64,
    /// Length \[s\].
    pub dt: f32,
    /// Gravity [m/s2].
    pub gravity: Vec3,
    /// Guides at the frame's start, with what they do in it.
    pub guides: &'a GuideGrid,
    /// Guides at its end.
    pub after: &'a GuideGrid,
    /// Walls with their poses at both times.
    pub walls: &'a [Wall],
    /// Regions that take grains at the frame's end.
    pub outlets: &'a [&'a Sdf],
}

/// What a frame did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AdvectionReport {
    /// Grains that outlets took.
    pub drained: usize,
    /// Grains removed because their state was not finite.
    pub lost: usize,
}

/// A frame whose guides are the particles of a solver on the advector's own device.
pub struct DeviceFrameInput<'a> {
    /// Number of the frame that begins.
    pub frame: u64,
    /// Length \[s\].
    pub dt: f32,
    /// Gravity [m/s2].
    pub gravity: Vec3,
    /// Walls with their poses at both times.
    pub walls: &'a [Wall],
    /// Regions that take grains at the frame's end.
    pub outlets: &'a [&'a Sdf],
}

/// A guide that was not there before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewGuide {
    /// Its identity.
    pub id: u32,
    /// Its position \[m\].
    pub position: Vec3,
    /// Its velocity [m/s].
    pub velocity: Vec3,
    /// Its radius \[m\].
    pub radius: f32,
    /// Index into the scene's materials.
    pub material: u32,
}

/// What holds the fine grains on a device and advects them.
pub trait GrainAdvector: Send + Any {
    /// The device in words.
    fn device(&self) -> String;
    /// Adds grains.
    ///
    /// # Errors
    /// Says in words why they do not fit on the device.
    fn add(&mut self, grains: &[Grain]) -> Result<(), BackendError>;
    /// Removes the grains in a region between two frames and returns how many.
    ///
    /// # Errors
    /// Says in words why the device cannot go on.
    fn remove_inside(&mut self, region: &Sdf) -> Result<usize, BackendError>;
    /// Moves all grains through a frame.
    ///
    /// # Errors
    /// Says in words why the device cannot go on.
    fn advance(&mut self, frame: &FrameInput) -> Result<AdvectionReport, BackendError>;
    /// Whether the advector can track the particles of a solver on its own device, without reading them back.
    fn can_track(&self, _simulator: &dyn Simulator) -> bool {
        false
    }
    /// Takes over the anchors of guides, before the first frame that tracks guides on the device.
    ///
    /// # Errors
    /// Says in words why they do not fit on the device.
    fn set_anchors(&mut self, _anchors: &Anchors) -> Result<(), BackendError> {
        Ok(())
    }
    /// The anchors, where the advector keeps them.
    ///
    /// # Errors
    /// Says in words why they cannot be read.
    fn anchors(&self) -> Result<Option<Anchors>, BackendError> {
        Ok(None)
    }
    /// Moves all grains through a frame whose guides are the particles of a solver on the same device; gives the new guides,
    /// too.
    ///
    /// # Errors
    /// Says in words why the device cannot go on.
    fn advance_on_device(
        &mut self,
        _simulator: &dyn Simulator,
        _frame: &DeviceFrameInput,
    ) -> Result<(AdvectionReport, Vec<NewGuide>), BackendError> {
        Err(BackendError::new("the device of the fine grains is not that of their guides"))
    }
    /// The grains in the order of memory, which later frames depend on.
    ///
    /// # Errors
    /// Says in words why they cannot be read.
    fn read(&self) -> Result<Vec<Grain>, BackendError>;
    /// Number of grains.
    fn count(&self) -> usize;
    /// Bytes allocated per grain.
    fn bytes_per_grain(&self) -> f64;
    /// Mean milliseconds per frame of every stage, where they are known.
    fn stages(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}
