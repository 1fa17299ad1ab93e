//! What a run writes while it goes: frames, their index, the series, checkpoints.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use granule::io::{
    BodyTableWriter, Exporter, FrameParts, FramesIndex, RunFolder, RunFolderError, SeriesRow, SeriesWriter,
};
use granule::simulator::{FieldData, FieldInfo, Snapshot};
use granule::upsample::Upsampler;
use granule::{Scene, Simulation};

use crate::args::RunArgs;
use crate::failure::Failure;
use crate::statistics::Statistics;
use crate::summary::Files;

/// Where runs go that name no folder.
const BASE: &str = "out";
/// Time between two versions of the index while the run goes.
const INDEX_PERIOD: Duration = Duration::from_secs(1);

/// The open folder of a run.
pub struct Recording {
    folder: RunFolder,
    exporter: Exporter,
    series: SeriesWriter,
    bodies: Option<BodyTableWriter>,
    index: FramesIndex,
    index_written: Instant,
    checkpoints: Option<Checkpoints>,
}

/// When checkpoints are due, and the one that was not.
struct Checkpoints {
    /// Simulated time between two [s].
    period: f64,
    next: f64,
    /// Frame and bytes of the last state, if it is not in a file yet.
    unwritten: Option<(u64, Vec<u8>)>,
}

impl Recording {
    /// Makes the folder of a run and writes its scene. `initial` holds the fields that every frame will have.
    pub fn begin(args: &RunArgs, simulation: &Simulation, initial: &Snapshot) -> Result<Self, Failure> {
        let scene = simulation.scene();
        let toml =
            scene.to_toml().map_err(|error| Failure::Run(format!("cannot write the scene: {error}")))?;
        let folder = RunFolder::create(Path::new(BASE), &scene.name, args.out.as_deref(), args.force)?;
        folder.write_scene(&toml)?;
        let fields: Vec<FieldInfo> = initial.columns.iter().map(|(info, _)| *info).collect();
        let index = FramesIndex::new(scene.simulation.fps, &fields, &scene.output);
        let exporter = Exporter::create(&folder, scene, initial)?;
        let series = SeriesWriter::create(folder.series(), &flow_columns(simulation))
            .map_err(|e| failed(&folder.series(), e))?;
        let has_bodies = !scene.body.is_empty();
        let bodies = has_bodies
            .then(|| BodyTableWriter::create(folder.bodies(), scene.output.up))
            .transpose()
            .map_err(|e| failed(&folder.bodies(), e))?;
        folder.write_frames_index(&index)?;
        let checkpoints = args.checkpoint_every.map(|period| Checkpoints::new(period, simulation.time()));
        Ok(Self { folder, exporter, series, bodies, index, index_written: Instant::now(), checkpoints })
    }

    /// Writes a frame and its row of the series.
    pub fn frame(
        &mut self,
        simulation: &mut Simulation,
        snapshot: &Snapshot,
        statistics: &mut Statistics,
    ) -> Result<(), Failure> {
        let frame = simulation.frame();
        let fine = if self.exporter.has_frame_files() { simulation.read_fine() } else { Ok(None) };
        let fine = fine.map_err(|error| Failure::Run(error.to_string()))?;
        let contacts = self.exporter.has_contacts().then(|| simulation.contacts());
        let parts = FrameParts { snapshot, fine: fine.as_ref(), contacts: contacts.as_deref() };
        self.exporter.frame(frame, parts)?;
        let fine_grains = simulation.upsampler().map(Upsampler::count);
        self.index.push(frame, snapshot.time, simulation.particle_count(), fine_grains);
        if let Some(contacts) = &contacts {
            self.index.note_contacts(contacts.len());
        }
        let row = row(simulation, statistics)?;
        let extra = flow_values(simulation);
        self.series.append(&row, &extra).map_err(|error| failed(&self.folder.series(), error))?;
        if let Some(bodies) = &mut self.bodies {
            let appended = bodies.append(frame, simulation.time(), &simulation.bodies());
            appended.map_err(|error| failed(&self.folder.bodies(), error))?;
        }
        if self.index_written.elapsed() >= INDEX_PERIOD {
            self.index_written = Instant::now();
            self.folder.write_frames_index(&self.index)?;
        }
        self.checkpoint(simulation)
    }

    /// Writes a checkpoint where one is due, and else keeps it for the end.
    fn checkpoint(&mut self, simulation: &Simulation) -> Result<(), Failure> {
        let Some(checkpoints) = &mut self.checkpoints else { return Ok(()) };
        match simulation.checkpoint() {
            Ok(bytes) => checkpoints.unwritten = Some((simulation.frame(), bytes)),
            // The run goes on: it is not the checkpoint's task to end it.
            Err(error) => eprintln!("granule: no checkpoint of frame {}: {error}", simulation.frame()),
        }
        if checkpoints.is_due(simulation.time()) { self.write_checkpoint() } else { Ok(()) }
    }

    fn write_checkpoint(&mut self) -> Result<(), Failure> {
        let unwritten = self.checkpoints.as_mut().and_then(|checkpoints| checkpoints.unwritten.take());
        match unwritten {
            Some((frame, bytes)) => Ok(self.folder.write_checkpoint(frame, &bytes)?),
            None => Ok(()),
        }
    }

    /// Writes the final index and time series.
    pub fn end(&mut self, complete: bool) -> Result<(), Failure> {
        self.index.complete = complete;
        self.folder.write_frames_index(&self.index)?;
        self.exporter.end()?;
        self.write_checkpoint()
    }

    /// The run folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Ends the recording and gives its folder.
    pub fn into_folder(self) -> RunFolder {
        self.folder
    }

    /// Number of frames written.
    pub fn frame_count(&self) -> usize {
        self.index.frames.len()
    }

    /// The files written.
    pub fn files(&self) -> Files {
        Files::new(&self.folder, &self.exporter.names())
    }

    /// Followed particles that the last frame did not have.
    pub fn missing_tracks(&self) -> &[u32] {
        self.exporter.missing_tracks()
    }
}

impl Checkpoints {
    /// Checkpoints every `period` [s] after the time `start` [s], at multiples of the period.
    fn new(period: f64, start: f64) -> Self {
        let mut checkpoints = Self { period, next: 0.0, unwritten: None };
        checkpoints.pass(start);
        checkpoints
    }

    /// Whether a checkpoint is due at a frame's time [s]; the next one is then due later.
    fn is_due(&mut self, time: f64) -> bool {
        // A hair less, as frame times are sums.
        let due = self.period == 0.0 || time >= self.next * (1.0 - 1e-9);
        if due {
            self.pass(time);
        }
        due
    }

    fn pass(&mut self, time: f64) {
        if self.period > 0.0 {
            self.next = ((time / self.period * (1.0 + 1e-9)).floor() + 1.0) * self.period;
        }
    }
}

fn row(simulation: &mut Simulation, statistics: &mut Statistics) -> Result<SeriesRow, Failure> {
    let interval = statistics.take_interval();
    let state = simulation.read(&["speed", "material"]).map_err(|error| Failure::Run(error.to_string()))?;
    let speed: Vec<f64> =
        state.scalar("speed").unwrap_or_default().iter().map(|speed| f64::from(*speed)).collect();
    Ok(SeriesRow {
        frame: simulation.frame(),
        time: simulation.time(),
        particles: simulation.particle_count(),
        steps: interval.steps(),
        iterations_mean: interval.iterations_mean(),
        density_error_mean: interval.density_error_mean(),
        friction_error_mean: interval.friction_error_mean(),
        unconverged_steps: interval.unconverged(),
        kinetic_energy: kinetic_energy(simulation.scene(), &speed, &state),
        max_speed: speed.iter().copied().fold(0.0, f64::max),
        mean_speed: speed.iter().sum::<f64>() / speed.len().max(1) as f64,
        lost_particles: simulation.lost(),
        emitted: simulation.flow().emitted(),
        blocked: simulation.flow().blocked(),
        drained: simulation.flow().drained(),
        removed: simulation.flow().removed(),
    })
}

/// Names of the series' columns of outlets and counters.
fn flow_columns(simulation: &Simulation) -> Vec<String> {
    let word = |name: &str| name.replace(|c: char| !(c.is_alphanumeric() || c == '-'), "_");
    let flow = simulation.flow();
    let drained = flow.outlets().iter().map(|outlet| format!("drained_{}", word(outlet.name())));
    let counted = flow.counters().iter().map(|counter| format!("counted_{}", word(counter.name())));
    drained.chain(counted).collect()
}

/// Values of the columns of outlets and counters at the last frame.
fn flow_values(simulation: &Simulation) -> Vec<u64> {
    let last = simulation.flow().history().last();
    last.map_or(Vec::new(), |point| point.drained.iter().chain(&point.counted).copied().collect())
}

/// Kinetic energy [J]: the sum of m v^2 / 2 with m = rho_0 d^3.
fn kinetic_energy(scene: &Scene, speed: &[f64], state: &Snapshot) -> f64 {
    let Some(FieldData::Integer(material)) = state.column("material") else { return 0.0 };
    let mass = |material: &u32| {
        let material = &scene.material[*material as usize];
        f64::from(material.density) * f64::from(2.0 * material.radius).powi(3)
    };
    speed.iter().zip(material).map(|(speed, material)| 0.5 * mass(material) * speed * speed).sum()
}

fn failed(path: &Path, source: io::Error) -> Failure {
    RunFolderError::Io { path: path.into(), action: "write the file", source }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(period: f64, start: u32) -> Vec<u32> {
        let mut checkpoints = Checkpoints::new(period, f64::from(start) / 30.0);
        (start + 1..=30).filter(|frame| checkpoints.is_due(f64::from(*frame) / 30.0)).collect()
    }

    #[test]
    fn checkpoints_are_due_at_the_first_frame_after_every_period() {
        assert_eq!(due(0.2, 0), [6, 12, 18, 24, 30]);
        assert_eq!(due(0.25, 0), [8, 15, 23, 30]);
        assert_eq!(due(0.25, 9), [15, 23, 30], "a resumed run keeps the rhythm");
        assert_eq!(due(0.01, 0).len(), 30);
        assert_eq!(due(0.0, 0).len(), 30);
        assert_eq!(due(2.0, 0), [0; 0]);
    }
}
