//! A run that is over, in the place of a simulation: its frames are read from its folder, nothing simulates.

mod series;

use std::any::Any;
use std::collections::HashMap;

use glam::Vec3;

use self::series::{Numbers, read_series};
use super::{Options, Simulation};
use crate::bodies::BodyReport;
use crate::boundary::{Pose, Sdf};
use crate::build::Parts;
use crate::contacts::Contact;
use crate::flow::{Flow, Ledger};
use crate::io::{FrameField, RunFrame, RunFrames, Shown};
use crate::particles::NewGrain;
use crate::scene::Scene;
use crate::simulator::{
    Command, CommandError, CommandReport, FieldData, FieldError, FieldInfo, FieldKind, ReadTicket, Simulator,
    Snapshot, StateError, StepReport,
};
use crate::solver::{SOLVERS, SolverEntry};

/// Why there is no state.
const NO_STATE: &str = "a run that is over has frames, but no state";

/// The fields that files of fine grains have.
const FINE_FIELDS: [&str; 4] = ["id", "position", "velocity", "material"];

/// A field that follows from the scene.
const RADIUS: FieldInfo = FieldInfo { name: "radius", unit: "m", kind: FieldKind::Scalar };

impl Simulation {
    /// A run that is over, at its first frame. Steps go from frame to frame of its files.
    ///
    /// # Errors
    /// Says which of its files is wrong.
    pub(crate) fn of_run(frames: RunFrames) -> Result<Self, String> {
        let scene = frames.scene().clone();
        let playback = Playback::new(frames)?;
        let frame = playback.frame;
        let simulator = Box::new(playback);
        let parts = Parts { simulator, flow: Flow::default(), upsampler: None, refusal: None };
        Ok(Self { frame, ..Self::of_parts(scene, parts, &Options::default()) })
    }

    /// Whether this is a run that is over.
    pub fn is_playback(&self) -> bool {
        self.played().is_some()
    }

    /// Goes to a frame of a run that is over.
    pub(crate) fn jump(&mut self, frame: u64) {
        let went = self.solver_as::<Playback>().map(|playback| playback.go_to(frame));
        if let Some(frame) = went {
            self.frame = frame;
            self.flow = Flow::default();
        }
    }

    /// The books of a run that is over.
    pub(super) fn played_ledger(&self) -> Option<Ledger> {
        self.played().map(Playback::ledger)
    }

    fn played(&self) -> Option<&Playback> {
        let simulator: &dyn Any = self.simulator.as_ref();
        simulator.downcast_ref()
    }
}

/// A run that is over, as a solver whose steps are frames.
struct Playback {
    frames: RunFrames,
    solver: &'static str,
    fields: &'static [FieldInfo],
    /// Whether fine grains are shown.
    fine: bool,
    /// Where bodies were, by frame and name.
    places: HashMap<(u64, String), Pose>,
    numbers: HashMap<u64, Numbers>,
    /// The frame that is shown.
    frame: u64,
    /// The file that was read last.
    file: Option<RunFrame>,
    /// What was asked for.
    wanted: Vec<&'static str>,
    failure: Option<String>,
}

impl Playback {
    fn new(frames: RunFrames) -> Result<Self, String> {
        let places = frames.body_places().map_err(|error| error.to_string())?;
        let places = places.into_iter().map(|place| ((place.frame, place.name), place.pose)).collect();
        let fine = frames.entries().iter().any(|entry| entry.fine_file.is_some());
        let fields = fields(frames.scene(), &frames.index().fields, fine);
        Ok(Self {
            solver: SolverEntry::of(frames.scene().simulation.solver).name,
            fields,
            fine,
            places,
            numbers: read_series(&frames.folder().series()),
            frame: frames.first_frame(),
            frames,
            file: None,
            wanted: Vec::new(),
            failure: None,
        })
    }

    /// Goes to a frame, or the nearest one; gives its number.
    fn go_to(&mut self, frame: u64) -> u64 {
        self.frame = frame.clamp(self.frames.first_frame(), self.frames.last_frame());
        self.failure = None;
        self.frame
    }

    /// The books, as the series has them.
    fn ledger(&self) -> Ledger {
        let particles = self.frames.entry_at(self.frame).particles as u64;
        let numbers = self.numbers.get(&self.frame).copied().unwrap_or_default();
        let Numbers { lost, emitted, drained, removed, .. } = numbers;
        let initial = (particles + drained + removed + lost).saturating_sub(emitted);
        Ledger { initial, emitted, drained, removed, lost, particles }
    }

    /// The file of the frame, read where that was not done yet; nothing, and a failure, where it is not there.
    fn load(&mut self) -> Option<&RunFrame> {
        let entry = self.frames.entry_at(self.frame);
        if self.file.as_ref().is_none_or(|file| file.number != entry.frame) {
            let shown = if self.fine && entry.fine_file.is_some() { Shown::High } else { Shown::Low };
            self.file = match self.frames.read(entry, Some(shown)) {
                Ok(frame) => Some(frame),
                Err(error) => {
                    self.failure = Some(error.to_string());
                    None
                }
            };
        }
        self.file.as_ref()
    }

    fn column(&mut self, name: &str, kind: FieldKind) -> Option<FieldData> {
        let file = self.load()?;
        let arrays = |vectors: Vec<Vec3>| FieldData::Vec3(vectors.iter().map(Vec3::to_array).collect());
        match (name, kind) {
            ("position", _) => Some(arrays(file.position.clone())),
            ("id", _) => Some(FieldData::Integer(file.id.clone())),
            (_, FieldKind::Vec3) => file.vectors(name).map(arrays),
            (_, FieldKind::Integer) => {
                file.data.integer(name).map(|values| FieldData::Integer(values.to_vec()))
            }
            ("radius", _) if file.data.scalar(name).is_none() => Some(FieldData::Scalar(file.radius.clone())),
            (_, FieldKind::Scalar) => file.data.scalar(name).map(|values| FieldData::Scalar(values.to_vec())),
            (_, FieldKind::Quaternion) => {
                let turned = file.orientations(name)?;
                Some(FieldData::Quaternion(turned.iter().map(glam::Quat::to_array).collect()))
            }
            (_, FieldKind::Tensor) => None,
        }
    }
}

/// The fields that a run's files have, as far as they can be shown. They live as long as the program, as those of solvers do:
/// some hundred bytes per folder that is opened.
fn fields(scene: &Scene, written: &[FrameField], fine: bool) -> &'static [FieldInfo] {
    let known =
        |name: &str| SOLVERS.iter().flat_map(|entry| entry.fields).find(|info| info.name == name).copied();
    let kind = |word: &str| match word {
        "integer" => Some(FieldKind::Integer),
        "scalar" => Some(FieldKind::Scalar),
        "vec3" => Some(FieldKind::Vec3),
        "quaternion" => Some(FieldKind::Quaternion),
        _ => None,
    };
    let info = |field: &FrameField| {
        let kind = kind(&field.kind)?;
        let new = || FieldInfo { name: leaked(&field.name), unit: leaked(&field.unit), kind };
        Some(known(&field.name).filter(|info| info.kind == kind).unwrap_or_else(new))
    };
    let mut fields: Vec<FieldInfo> = match fine {
        true => FINE_FIELDS.iter().filter_map(|name| known(name)).collect(),
        false => written.iter().filter_map(info).collect(),
    };
    if fine && scene.upsample.is_some() {
        fields.push(RADIUS);
    }
    Box::leak(fields.into_boxed_slice())
}

fn leaked(text: &str) -> &'static str {
    Box::leak(text.into())
}

impl Simulator for Playback {
    fn solver(&self) -> &'static str {
        self.solver
    }

    fn device(&self) -> String {
        format!("files in {}", self.frames.folder().path().display())
    }

    fn step(&mut self, max_dt: f64) -> StepReport {
        self.go_to(self.frame + 1);
        let numbers = self.numbers.get(&self.frame).copied().unwrap_or_default();
        StepReport {
            dt: max_dt,
            particles: self.particle_count(),
            iterations: numbers.iterations.round() as u32,
            density_error: numbers.density_error,
            friction_error: numbers.friction_error,
            converged: true,
            max_speed: numbers.max_speed,
            kinetic_energy: numbers.kinetic_energy,
            ..StepReport::default()
        }
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn apply(&mut self, _: &Command) -> Result<CommandReport, CommandError> {
        Err(CommandError::Over)
    }

    fn emit(&mut self, _: &[NewGrain], _: &[Vec3]) -> usize {
        0
    }

    fn remove_inside(&mut self, regions: &[&Sdf]) -> Vec<usize> {
        vec![0; regions.len()]
    }

    fn fields(&self) -> &'static [FieldInfo] {
        self.fields
    }

    fn read(&mut self, fields: &[&str]) -> Result<ReadTicket, FieldError> {
        self.wanted.clear();
        for name in fields {
            let known = || self.fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", ");
            let missing = || FieldError { solver: self.solver, name: (*name).into(), known: known() };
            let found = self.fields.iter().find(|field| field.name == *name).ok_or_else(missing)?;
            self.wanted.push(found.name);
        }
        Ok(ReadTicket(0))
    }

    fn poll(&mut self, _: ReadTicket, snapshot: &mut Snapshot) -> bool {
        let fields = self.fields;
        let info = |name: &&'static str| fields.iter().find(|field| field.name == *name).copied();
        let wanted: Vec<FieldInfo> = self.wanted.iter().filter_map(info).collect();
        let columns = wanted.into_iter().filter_map(|info| Some((info, self.column(info.name, info.kind)?)));
        let columns = columns.collect();
        *snapshot = Snapshot { time: self.time(), columns };
        true
    }

    fn particle_count(&self) -> usize {
        let entry = self.frames.entry_at(self.frame);
        entry.fine_grains.filter(|_| self.fine).unwrap_or(entry.particles)
    }

    fn contacts(&mut self) -> Vec<Contact> {
        let entry = self.frames.entry_at(self.frame);
        if entry.contacts_file.is_none() {
            return Vec::new();
        }
        self.frames.contacts(entry).unwrap_or_else(|error| {
            self.failure = Some(error.to_string());
            Vec::new()
        })
    }

    fn time(&self) -> f64 {
        self.frame as f64 / self.frames.fps()
    }

    fn bytes_per_particle(&self) -> f64 {
        0.0
    }

    fn state_hash(&self) -> u64 {
        0
    }

    fn bodies(&self) -> Vec<BodyReport> {
        let scene = self.frames.scene();
        let at = |name: &str| self.places.get(&(self.frame, name.to_string())).copied();
        let report = |body: &crate::scene::BodySettings| {
            let pose = at(&body.name)?;
            Some(BodyReport {
                name: body.name.clone(),
                kind: body.kind,
                mass: 0.0,
                center: pose.translation,
                pose,
                velocity: Vec3::ZERO,
                angular_velocity: Vec3::ZERO,
                force: Vec3::ZERO,
                torque: Vec3::ZERO,
            })
        };
        scene.body.iter().filter_map(report).collect()
    }

    fn set_diagnostics(&mut self, _: bool) {}

    fn checkpoint(&self) -> Result<Vec<u8>, StateError> {
        Err(StateError::Impossible(NO_STATE.into()))
    }

    fn restore(&mut self, _: &[u8]) -> Result<(), StateError> {
        Err(StateError::Impossible(NO_STATE.into()))
    }
}
