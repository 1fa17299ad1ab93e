//! Fine grains of a simulation.

use std::time::Instant;

use super::{Simulation, SimulationError};
use crate::boundary::{Sdf, ToolPose};
use crate::build;
use crate::error::BackendError;
use crate::simulator::{Command, FieldData, FieldInfo, FieldKind, Snapshot};
use crate::upsample::{
    FineRadii, FrameContext, GUIDE_FIELDS, Grain, GrainAdvector, SIZED_GUIDE_FIELDS, Upsampler,
};

impl Simulation {
    /// The fine grains, where the scene has some.
    pub fn upsampler(&self) -> Option<&Upsampler> {
        self.upsampler.as_ref()
    }

    /// What advects the fine grains, where it is of this type, such as a device that a renderer draws on.
    pub fn advector_as<T: GrainAdvector>(&mut self) -> Option<&mut T> {
        self.upsampler.as_mut()?.advector_as()
    }

    /// The fine grains by id; none where the scene has none.
    ///
    /// # Errors
    /// Says in words why the device does not give them.
    pub fn fine_grains(&self) -> Result<Vec<Grain>, BackendError> {
        self.upsampler.as_ref().map_or_else(|| Ok(Vec::new()), Upsampler::read)
    }

    /// The fine grains as fields: id, position, velocity, material, and radius where that differs; nothing where the scene has none.
    ///
    /// # Errors
    /// Says in words why the device does not give them.
    pub fn read_fine(&self) -> Result<Option<Snapshot>, BackendError> {
        let Some(upsampler) = &self.upsampler else { return Ok(None) };
        Ok(Some(fine_snapshot(&upsampler.read()?, upsampler.radii(), self.time())))
    }

    /// Fills the scene's shapes with fine grains.
    pub(super) fn begin_grains(&mut self, shapes: &[Sdf]) -> Result<(), SimulationError> {
        let Some(mut upsampler) = self.upsampler.take() else { return Ok(()) };
        // Every solver has these fields.
        let guides = self.read(self.guide_fields()).unwrap_or_default();
        let begun = upsampler.begin(&self.scene, shapes, &guides);
        begun.map_err(|error| build::problem("upsample.radius", error.to_string()))?;
        upsampler.track_on_device(self.simulator.as_ref())?;
        self.upsampler = Some(upsampler);
        Ok(())
    }

    /// What is read of guides: their radii only where they differ.
    fn guide_fields(&self) -> &'static [&'static str] {
        if self.scene.one_radius().is_some() { &GUIDE_FIELDS } else { &SIZED_GUIDE_FIELDS }
    }

    /// Moves fine grains through the frame that has ended; gives the time that it took \[s\].
    pub(super) fn advance_grains(&mut self) -> f64 {
        let Some(mut upsampler) = self.upsampler.take() else { return 0.0 };
        let start = Instant::now();
        let read = if upsampler.tracks_on_device() { None } else { self.read(self.guide_fields()).ok() };
        let bodies = self.simulator.bodies();
        let fps = self.scene.simulation.fps;
        let (from, to) = ((self.frame - 1) as f64 / fps, self.frame as f64 / fps);
        let open = self.flow.outlets().iter().filter(|outlet| outlet.is_open(from, to));
        let outlets: Vec<&Sdf> = open.map(|outlet| outlet.region()).collect();
        let context = FrameContext { frame: self.frame, from, to, bodies: &bodies, outlets: &outlets };
        let advanced = match &read {
            Some(guides) => upsampler.advance(guides, &context),
            None => upsampler.advance_on_device(self.simulator.as_ref(), &context),
        };
        self.upsample_failure = advanced.err().map(|error| error.to_string());
        self.upsampler = Some(upsampler);
        start.elapsed().as_secs_f64()
    }

    /// Lets fine grains track guides that are read back from the device, so that
    /// [`Upsampler::guides`](crate::upsample::Upsampler::guides) are known; slower.
    ///
    /// # Errors
    /// Says in words why the device does not give them.
    pub fn track_guides_on_host(&mut self) -> Result<(), BackendError> {
        self.upsampler.as_mut().map_or(Ok(()), Upsampler::track_on_host)
    }

    /// What a command means for fine grains.
    pub(super) fn tell_grains(&mut self, command: &Command) {
        let time = self.time();
        let Some(upsampler) = &mut self.upsampler else { return };
        match command {
            Command::Gravity(gravity) => upsampler.set_gravity(*gravity),
            Command::ToolPose { boundary, position, rotation, velocity, angular_velocity } => {
                let pose = ToolPose {
                    position: *position,
                    rotation: rotation.normalize(),
                    velocity: *velocity,
                    angular_velocity: *angular_velocity,
                };
                upsampler.set_tool_pose(boundary, &pose);
            }
            Command::MoveTool { boundary, position, rotation, seconds } => {
                let (position, rotation) = (*position, rotation.normalize());
                let pose = ToolPose { position, rotation, ..ToolPose::default() };
                upsampler.lead_tool(boundary, &pose, time, *seconds);
            }
            Command::Remove { region } => {
                // The solver has taken it for a shape.
                let Ok(region) = Sdf::new(region) else { return };
                if let Err(error) = upsampler.remove_inside(&region) {
                    self.upsample_failure = Some(error.to_string());
                }
            }
            Command::Set { .. }
            | Command::Choose { .. }
            | Command::Emit { .. }
            | Command::Emitter { .. }
            | Command::PushBody { .. }
            | Command::AddBody { .. }
            | Command::Wind(_) => {}
        }
    }
}

/// Fine grains as a snapshot at a time \[s\].
fn fine_snapshot(grains: &[Grain], radii: &FineRadii, time: f64) -> Snapshot {
    let info = |name, unit, kind| FieldInfo { name, unit, kind };
    let vectors = |of: fn(&Grain) -> [f32; 3]| FieldData::Vec3(grains.iter().map(of).collect());
    let integers = |of: fn(&Grain) -> u32| FieldData::Integer(grains.iter().map(of).collect());
    let mut columns = vec![
        (info("id", "1", FieldKind::Integer), integers(|grain| grain.id)),
        (info("position", "m", FieldKind::Vec3), vectors(|grain| grain.position)),
        (info("velocity", "m/s", FieldKind::Vec3), vectors(|grain| grain.velocity)),
        (info("material", "1", FieldKind::Integer), integers(|grain| grain.material)),
    ];
    if !radii.are_equal() {
        let own = grains.iter().map(|grain| radii.of(grain.id)).collect();
        columns.push((info("radius", "m", FieldKind::Scalar), FieldData::Scalar(own)));
    }
    Snapshot { time, columns }
}
