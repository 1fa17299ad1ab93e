//! A live run as the window sees it: its newest frame, what has happened, and how numbers went.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use granule::live::{Event, FileKind, Frame, Live, LiveOptions, RequestId, Source};
use granule::simulator::Command;
use granule::{Options, SimulationError};
use granule_render::Bounds;

use crate::look::{Look, MATERIAL};
use crate::picture::{Grains, Stage, needed_fields};
use crate::publisher::DeviceViews;

/// Lines that the log keeps.
const LOG_LINES: usize = 500;
/// Frames that plots keep.
const SERIES_FRAMES: usize = 4000;

/// How bad a line of the log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Something went as asked.
    Info,
    /// Something was refused or had to begin anew.
    Warning,
    /// The run cannot go on.
    Error,
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    /// How bad it is.
    pub severity: Severity,
    /// What it says.
    pub text: String,
}

/// Numbers of a frame, for plots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Simulated time \[s\].
    pub time: f64,
    /// Frame.
    pub frame: u64,
    /// Kinetic energy \[J\].
    pub kinetic_energy: f64,
    /// Fastest grain [m/s].
    pub max_speed: f64,
    /// Mean iterations of a step.
    pub iterations: f64,
    /// Grains.
    pub particles: f64,
    /// Time of a step \[ms\].
    pub step_ms: f64,
}

/// Whether keys of a file can be set anew: not in checkpoints and in runs that are over.
fn can_be_set(file: &str) -> bool {
    matches!(FileKind::of(file), FileKind::Scene | FileKind::Recording)
}

/// A change of the scene that waits for its answer.
struct PendingEdit {
    id: RequestId,
    path: String,
    value: String,
}

/// A live run as the window sees it.
pub struct Session {
    live: Live,
    frame: Arc<Frame>,
    source: Source,
    stage: Option<Stage>,
    log: VecDeque<LogLine>,
    samples: VecDeque<Sample>,
    pending: Vec<PendingEdit>,
    /// Scenes that were asked for and are not there yet.
    loading: Vec<(RequestId, Source)>,
    published: Vec<&'static str>,
    /// Whether grains pass through memory, whatever the view needs.
    in_memory: bool,
    views: DeviceViews,
}

impl Session {
    /// Starts a scene.
    ///
    /// # Errors
    /// Says what is wrong with the scene, or why the machine refuses it.
    pub fn start(source: Source, options: LiveOptions) -> Result<Self, SimulationError> {
        let views = DeviceViews::default();
        views.color_by(MATERIAL);
        let live = Live::start(source.clone(), LiveOptions { publish: Some(views.publisher()), ..options })?;
        let frame = live.latest();
        let mut session = Self {
            live,
            frame,
            source,
            stage: None,
            log: VecDeque::new(),
            samples: VecDeque::new(),
            pending: Vec::new(),
            loading: Vec::new(),
            published: Vec::new(),
            in_memory: false,
            views,
        };
        session.log(Severity::Info, format!("{} on {}", session.frame.scene.name, session.frame.device));
        Ok(session)
    }

    /// The run itself.
    pub fn live(&self) -> &Live {
        &self.live
    }

    /// The newest frame.
    pub fn frame(&self) -> &Arc<Frame> {
        &self.frame
    }

    /// Where the scene came from, with the changes made to it so far.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// What has happened, oldest first.
    pub fn log_lines(&self) -> impl DoubleEndedIterator<Item = &LogLine> {
        self.log.iter()
    }

    /// Numbers by frame.
    pub fn samples(&self) -> &VecDeque<Sample> {
        &self.samples
    }

    /// Takes what is new; says whether there is a new frame.
    pub fn poll(&mut self, look: &Look) -> bool {
        for event in self.live.events() {
            self.hear(event);
        }
        let newest = self.live.latest();
        if newest.sequence == self.frame.sequence {
            return false;
        }
        if !Arc::ptr_eq(&newest.scene, &self.frame.scene) {
            self.stage = None;
            self.published.clear();
        }
        self.frame = newest;
        self.sample();
        self.choose_fields(look);
        true
    }

    /// Has the fields published that a look needs.
    pub fn choose_fields(&mut self, look: &Look) {
        self.views.color_by(&look.color_by);
        let needed = match self.views.can_show(&look.color_by) && !self.in_memory {
            true => Vec::new(),
            false => needed_fields(self.frame.fields, look),
        };
        if needed != self.published {
            self.live.publish(&needed);
            self.published = needed;
        }
    }

    /// Has every frame sent, with grains in memory, or no longer.
    pub fn tap(&mut self, tap: Option<SyncSender<Frame>>, look: &Look) {
        self.in_memory = tap.is_some();
        self.choose_fields(look);
        self.views.tap(tap);
    }

    /// The grains of the newest frame: on the device where they are there, else from memory.
    pub fn grains(&self, look: &Look) -> Grains {
        match self.views.of(&self.frame) {
            Some(view) => Grains::on_device(&self.frame, look, view),
            None => Grains::of(&self.frame, look),
        }
    }

    /// Walls and bodies; made when they are first needed, around the grains of the moment.
    pub fn stage(&mut self, around: impl FnOnce() -> Option<Bounds>) -> Option<&Stage> {
        if self.stage.is_none() {
            let region = around()?;
            match Stage::new(&self.frame.scene, region) {
                Ok(stage) => self.stage = Some(stage),
                Err(error) => {
                    self.log(Severity::Error, error.to_string());
                    return None;
                }
            }
        }
        self.stage.as_ref()
    }

    /// Loads another scene; where it is refused, the old one stays.
    pub fn load(&mut self, source: Source) {
        let id = self.live.load(source.clone());
        self.loading.push((id, source));
    }

    /// Adds an entry to a list of the scene, which begins anew with it.
    pub fn add_entry(&mut self, list: &str, entry: &str) {
        let mut source = self.loading.last().map_or(&self.source, |(_, source)| source).clone();
        match &mut source {
            Source::File { path, sets, .. } if can_be_set(path) => {
                sets.push((format!("{list}.+"), entry.into()))
            }
            _ => {
                self.log(Severity::Warning, "open a scene first: this is none that can be changed".into());
                return;
            }
        }
        self.load(source);
    }

    /// Takes the file that the scene was just saved in as its own.
    pub fn saved_as(&mut self, source: Source) {
        self.source = source.clone();
        self.live.saved(source);
    }

    /// A scene that was asked for is there, or refused.
    fn end_loading(&mut self, id: Option<RequestId>, there: bool) {
        let place = self.loading.iter().position(|(known, _)| Some(*known) == id);
        if let Some((_, source)) = place.map(|place| self.loading.remove(place))
            && there
        {
            self.source = source;
        }
    }

    /// Goes on with another device or solver.
    pub fn rebuild(&mut self, options: Options) {
        self.live.rebuild(options);
    }

    /// Changes a number or a word of the scene: at once where the solver can, else by loading the scene anew.
    pub fn edit(&mut self, path: &str, value: &str) {
        let command = match value.parse::<f64>() {
            Ok(value) => Command::Set { path: path.into(), value },
            Err(_) => Command::Choose { path: path.into(), word: value.trim_matches('"').into() },
        };
        let id = self.live.apply(command);
        self.pending.push(PendingEdit { id, path: path.into(), value: value.into() });
    }

    /// Changes something that needs a new beginning; says whether it can.
    pub fn edit_anew(&mut self, path: &str, value: &str) -> bool {
        let mut source = self.loading.last().map_or(&self.source, |(_, source)| source).clone();
        match &mut source {
            Source::File { path: file, sets, .. } if can_be_set(file) => {
                sets.retain(|(known, _)| known != path);
                sets.push((path.into(), value.into()));
            }
            _ => {
                let text = format!("{path}: this scene has no file that it could be read from anew");
                self.log(Severity::Warning, text);
                return false;
            }
        }
        self.load(source);
        true
    }

    /// Adds a line to the log.
    pub fn note(&mut self, severity: Severity, text: String) {
        self.log(severity, text);
    }

    fn hear(&mut self, event: Event) {
        let (severity, text) = match event {
            Event::CommandDone { id, .. } => {
                self.keep_edit(id);
                return;
            }
            Event::Refused { id, reason } => match self.take_edit(id) {
                Some(edit) => {
                    if !self.edit_anew(&edit.path, &edit.value) {
                        return;
                    }
                    (
                        Severity::Info,
                        format!(
                            "{} = {}: begins anew, since it cannot change on the way",
                            edit.path, edit.value
                        ),
                    )
                }
                None => (Severity::Warning, reason),
            },
            Event::Arrived { .. } => return,
            Event::FieldRefused { reason } => (Severity::Warning, reason),
            Event::Loaded { id, scene } => {
                self.end_loading(id, true);
                self.samples.clear();
                (Severity::Info, format!("{scene} begins"))
            }
            Event::LoadRefused { id, reason } => {
                self.end_loading(id, false);
                (Severity::Error, format!("not loaded; the old scene runs on: {reason}"))
            }
            Event::Rebuilt { frame, .. } => (Severity::Info, format!("goes on from frame {frame}")),
            Event::Restarted { reason, .. } => (Severity::Warning, format!("began anew: {reason}")),
            Event::DeviceRefused { reason } => (Severity::Warning, format!("on CPU cores: {reason}")),
            Event::HistoryTruncated { after } => {
                self.samples.retain(|sample| sample.frame <= after);
                (Severity::Info, format!("what came after frame {after} is gone"))
            }
            Event::NoCheckpoint { frame, reason } => {
                (Severity::Warning, format!("no checkpoint of frame {frame}: {reason}"))
            }
            Event::ReplayRefused { frame, reason } => (Severity::Warning, format!("frame {frame}: {reason}")),
            Event::Diverged { diagnosis, .. } => (Severity::Error, diagnosis),
            Event::DeviceFailed { reason, .. } => (Severity::Error, reason),
            Event::Crashed { reason } => {
                (Severity::Error, format!("the simulation has ended by a fault: {reason}"))
            }
        };
        self.log(severity, text);
    }

    fn take_edit(&mut self, id: RequestId) -> Option<PendingEdit> {
        let k = self.pending.iter().position(|edit| edit.id == id)?;
        Some(self.pending.swap_remove(k))
    }

    /// An edit that was carried out on the way holds for a new beginning, too.
    fn keep_edit(&mut self, id: RequestId) {
        let Some(edit) = self.take_edit(id) else { return };
        if let Source::File { sets, .. } = &mut self.source {
            sets.retain(|(known, _)| *known != edit.path);
            sets.push((edit.path, edit.value));
        }
    }

    fn log(&mut self, severity: Severity, text: String) {
        if self.log.len() == LOG_LINES {
            self.log.pop_front();
        }
        self.log.push_back(LogLine { severity, text });
    }

    fn sample(&mut self) {
        let (frame, statistics) = (&self.frame, &self.frame.statistics);
        if statistics.steps == 0 {
            return;
        }
        while self.samples.back().is_some_and(|last| last.frame >= frame.frame) {
            self.samples.pop_back();
        }
        if self.samples.len() == SERIES_FRAMES {
            self.samples.pop_front();
        }
        self.samples.push_back(Sample {
            time: frame.time,
            frame: frame.frame,
            kinetic_energy: statistics.kinetic_energy,
            max_speed: statistics.max_speed,
            iterations: statistics.iterations_mean(),
            particles: statistics.particles as f64,
            step_ms: 1e3 * statistics.step_seconds / statistics.steps as f64,
        });
    }
}
