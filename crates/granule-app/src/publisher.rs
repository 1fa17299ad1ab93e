//! Grains that are simulated on the window's own device: published into buffers that the view draws from, without a way through
//! memory.
//!
//! Simulation and view submit to one queue, so a picture shows one published frame or the next, never parts of both.

use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};

use granule::Simulation;
use granule::live::{Frame, Publish};
use granule_gpu::{GpuSimulation, ParticleView};

/// What passes between the simulation's thread and the window's.
#[derive(Default)]
struct Shared {
    /// The field that colours grains.
    field: String,
    /// The newest view and the frame that it shows.
    view: Option<(u64, ParticleView)>,
    /// Fields that views can carry; none where the simulation is on CPU cores.
    fields: Vec<&'static str>,
    /// Takes every frame, where a video is recorded.
    tap: Option<SyncSender<Frame>>,
}

/// The window's end.
#[derive(Clone, Default)]
pub struct DeviceViews(Arc<Mutex<Shared>>);

impl DeviceViews {
    /// The simulation's end.
    pub fn publisher(&self) -> Box<dyn Publish> {
        Box::new(Publisher(self.clone()))
    }

    /// Chooses the field that colours grains from the next frame on.
    pub fn color_by(&self, field: &str) {
        self.with(|shared| shared.field = field.into());
    }

    /// Has every frame sent from now on. The simulation waits where they are not taken; the window does not.
    pub fn tap(&self, tap: Option<SyncSender<Frame>>) {
        self.with(|shared| shared.tap = tap);
    }

    /// Whether grains coloured by a field need not pass through memory.
    pub fn can_show(&self, field: &str) -> bool {
        self.with(|shared| shared.fields.contains(&field))
    }

    /// The grains of a frame on the device, or of one that came after it meanwhile.
    pub fn of(&self, frame: &Frame) -> Option<ParticleView> {
        self.with(|shared| {
            shared.view.as_ref().filter(|(known, _)| *known >= frame.sequence).map(|(_, v)| v.clone())
        })
    }

    fn with<T>(&self, f: impl FnOnce(&mut Shared) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Publisher(DeviceViews);

impl Publish for Publisher {
    fn publish(&mut self, simulation: &mut Simulation, frame: &Frame) {
        let field = self.0.with(|shared| shared.field.clone());
        let (fields, view) = match simulation.solver_as::<GpuSimulation>() {
            // A field that views cannot carry comes through memory.
            Some(gpu) => (gpu.view_fields(), gpu.publish(&field).ok()),
            None => (Vec::new(), None),
        };
        self.0.with(|shared| {
            shared.fields = fields;
            shared.view = view.map(|view| (frame.sequence, view));
        });
        let tap = self.0.with(|shared| shared.tap.clone());
        if tap.is_some_and(|tap| tap.send(frame.clone()).is_err()) {
            self.0.tap(None);
        }
    }
}
