//! What the view draws beside the fields of frames: grains that are simulated on the window's own device, published into buffers
//! that the view draws from, without a way through memory; and fine grains, on the device or from memory.
//!
//! Simulation and view submit to one queue, so a picture shows one published frame or the next, never parts of both.

use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};

use glam::Vec3;
use granule::Simulation;
use granule::live::{Frame, Publish};
use granule::upsample::{FineRadii, Grain};
use granule_gpu::{GpuGrains, GpuSimulation, ParticleView};

/// Fine grains of a frame.
#[derive(Clone)]
pub enum FineGrains {
    /// On the device.
    Device(ParticleView),
    /// In memory, with their radii.
    Memory(Arc<Vec<Grain>>, FineRadii),
}

/// A frame for a video, with all that is drawn of it in memory.
pub struct Tapped {
    /// The frame.
    pub frame: Frame,
    /// Its fine grains, where it has some and they are to be drawn.
    pub fine: Option<FineGrains>,
}

/// What passes between the simulation's thread and the window's.
#[derive(Default)]
struct Shared {
    /// The field that colours grains.
    field: String,
    /// Whether guides are drawn instead of the fine grains that they guide.
    guides: bool,
    /// The newest view and the frame that it shows.
    view: Option<(u64, ParticleView)>,
    /// The newest fine grains and the frame that they belong to.
    fine: Option<(u64, FineGrains)>,
    /// Fields that views can carry; none where the simulation is on CPU cores.
    fields: Vec<&'static str>,
    /// Takes every frame, where a video is recorded.
    tap: Option<SyncSender<Tapped>>,
}

/// The window's end.
#[derive(Clone, Default)]
pub struct DeviceViews(Arc<Mutex<Shared>>);

impl DeviceViews {
    /// The simulation's end.
    pub fn publisher(&self) -> Box<dyn Publish> {
        Box::new(Publisher(self.clone()))
    }

    /// Chooses the field that colours grains from the next frame on, and whether guides are drawn instead of fine grains.
    pub fn choose(&self, field: &str, guides: bool) {
        self.with(|shared| {
            shared.field = field.into();
            shared.guides = guides;
        });
    }

    /// Has every frame sent from now on. The simulation waits where they are not taken; the window does not.
    pub fn tap(&self, tap: Option<SyncSender<Tapped>>) {
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

    /// The fine grains of a frame, or of one that came after it meanwhile.
    pub fn fine(&self, frame: &Frame) -> Option<FineGrains> {
        self.with(|shared| {
            shared.fine.as_ref().filter(|(known, _)| *known >= frame.sequence).map(|(_, fine)| fine.clone())
        })
    }

    fn with<T>(&self, f: impl FnOnce(&mut Shared) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Publisher(DeviceViews);

impl Publish for Publisher {
    fn publish(&mut self, simulation: &mut Simulation, frame: &Frame) {
        let (field, guides) = self.0.with(|shared| (shared.field.clone(), shared.guides));
        let (fields, view) = match simulation.solver_as::<GpuSimulation>() {
            // A field that views cannot carry comes through memory.
            Some(gpu) => (gpu.view_fields(), gpu.publish(&field).ok()),
            None => (Vec::new(), None),
        };
        let bounds = view.as_ref().map(|view| view.bounds);
        let fine = if guides { None } else { fine_grains(simulation, field == "speed", bounds) };
        self.0.with(|shared| {
            shared.fields = fields;
            shared.view = view.map(|view| (frame.sequence, view));
            shared.fine = fine.clone().map(|fine| (frame.sequence, fine));
        });
        let Some(tap) = self.0.with(|shared| shared.tap.clone()) else { return };
        // Those on the device are others by the time the video draws them.
        let fine = match fine {
            Some(FineGrains::Device(_)) => fine_in_memory(simulation),
            other => other,
        };
        if tap.send(Tapped { frame: frame.clone(), fine }).is_err() {
            self.0.tap(None);
        }
    }
}

/// The fine grains of a simulation that has some; `bounds` is the box of their guides \[m\].
fn fine_grains(simulation: &mut Simulation, speeds: bool, bounds: Option<[Vec3; 2]>) -> Option<FineGrains> {
    if let Some(bounds) = bounds
        && let Some(grains) = simulation.advector_as::<GpuGrains>()
    {
        return Some(FineGrains::Device(grains.publish(speeds, bounds)));
    }
    fine_in_memory(simulation)
}

fn fine_in_memory(simulation: &Simulation) -> Option<FineGrains> {
    let radii = simulation.upsampler()?.radii().clone();
    // What the device does not give is told by the simulation itself.
    let grains = simulation.fine_grains().ok()?;
    Some(FineGrains::Memory(Arc::new(grains), radii))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use granule::live::{Live, LiveOptions};
    use granule::{MaterialSettings, Options, Scene, Shape};

    use super::*;

    #[test]
    fn a_video_gets_the_fine_grains_of_a_frame_unless_guides_are_drawn() {
        let mut scene = Scene::new("fine")
            .with_material(MaterialSettings { radius: 0.02, ..MaterialSettings::default() })
            .with_wall("floor", Shape::floor(0.0))
            .with_grains("sand", Shape::cuboid([0.0; 3], [0.16; 3]));
        scene.upsample = Some(granule::scene::UpsampleSettings::of_radius(0.008));
        let mut simulation = Simulation::new(scene.clone(), &Options::default()).unwrap();
        let live = Live::start(scene, LiveOptions { playing: false, ..LiveOptions::default() }).unwrap();
        let (frame, views) = (live.latest(), DeviceViews::default());
        let (sender, receiver) = sync_channel(1);
        views.tap(Some(sender));
        for guides in [false, true] {
            views.choose("material", guides);
            views.publisher().publish(&mut simulation, &frame);
            let Tapped { fine, .. } = receiver.try_recv().unwrap();
            match fine {
                Some(FineGrains::Memory(grains, radii)) => {
                    assert!(
                        !guides && grains.len() > 300 && radii.mean() == 0.008,
                        "{} grains",
                        grains.len()
                    );
                }
                Some(FineGrains::Device(_)) => panic!("a video draws later, when these are others"),
                None => assert!(guides),
            }
        }
    }
}
