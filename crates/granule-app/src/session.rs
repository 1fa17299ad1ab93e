//! A live run as the window sees it: its newest frame, what has happened, and how numbers went.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use granule::SimulationError;
use granule::live::{Event, FileKind, Frame, Live, LiveOptions, RequestId, Source};
use granule::measure::particle_quantity;
use granule::scene::{ExpectSettings, Quantity};
use granule::simulator::Command;
use granule_render::Bounds;

use crate::edits::Edits;
use crate::look::{Look, MATERIAL};
use crate::parameters::{value_at, written};
use crate::picture::{Grains, Stage, needed_fields};
use crate::places::{Places, Setting};
use crate::publisher::{DeviceViews, Tapped};

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
#[derive(Clone, Debug, PartialEq)]
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
    /// What the scene expects something of, in the order of its `[[expect]]`, where it can be measured on the way.
    pub expected: Vec<Option<f64>>,
}

/// Whether keys of a file can be set anew: not in checkpoints and in runs that are over.
fn can_be_set(file: &str) -> bool {
    matches!(FileKind::of(file), FileKind::Scene | FileKind::Recording)
}

/// What a source sets a key to.
fn set_in<'a>(source: &'a Source, path: &str) -> Option<&'a str> {
    let Source::File { sets, .. } = source else { return None };
    sets.iter().rev().find(|(known, _)| known == path).map(|(_, value)| value.as_str())
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
    /// Those that were carried out on the way.
    edits: Edits,
    /// Scenes that have begun.
    beginnings: u64,
    /// Scenes that were asked for and are not there yet.
    loading: Vec<(RequestId, Source)>,
    published: Vec<&'static str>,
    /// Whether contacts are published.
    contacts: bool,
    /// Whether every frame is sent to a video, with grains in memory.
    recorded: bool,
    views: DeviceViews,
    setting: Setting,
    picked: Option<u32>,
    /// Whether grains are needed in memory even where they are drawn on the device.
    in_memory: bool,
}

impl Session {
    /// Starts a scene.
    ///
    /// # Errors
    /// Says what is wrong with the scene, or why the machine refuses it.
    pub fn start(source: Source, setting: Setting, options: LiveOptions) -> Result<Self, SimulationError> {
        let views = DeviceViews::default();
        views.choose(MATERIAL, false);
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
            edits: Edits::default(),
            loading: Vec::new(),
            published: Vec::new(),
            contacts: false,
            recorded: false,
            beginnings: 0,
            views,
            setting,
            picked: None,
            in_memory: false,
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

    /// How many scenes have begun after the first one.
    pub fn beginnings(&self) -> u64 {
        self.beginnings
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
        self.views.choose(&look.color_by, look.guides);
        let on_device = self.draws_on_device(look) && !self.in_memory && !self.recorded;
        let needed = match (self.picked, on_device) {
            (Some(_), _) => self.frame.fields.iter().map(|field| field.name).collect(),
            (None, true) => Vec::new(),
            (None, false) => needed_fields(self.frame.fields, look),
        };
        if needed != self.published {
            self.live.publish(&needed);
            self.published = needed;
        }
        let contacts = look.contacts || self.picked.is_some();
        if contacts != self.contacts {
            self.live.publish_contacts(contacts);
            self.contacts = contacts;
        }
    }

    /// Has every frame sent, with grains in memory, or no longer.
    pub fn tap(&mut self, tap: Option<SyncSender<Tapped>>, look: &Look) {
        if tap.is_none() && !self.recorded {
            return;
        }
        self.recorded = tap.is_some();
        self.choose_fields(look);
        self.views.tap(tap);
    }

    /// Whether a look needs nothing that only grains in memory have.
    fn draws_on_device(&self, look: &Look) -> bool {
        self.views.can_show(&look.color_by) && look.cut.is_none()
    }

    /// The grains of the newest frame: on the device where they are there, else from memory.
    pub fn grains(&self, look: &Look) -> Grains {
        if let Some(fine) = self.views.fine(&self.frame).filter(|_| !look.guides) {
            return Grains::fine(&self.frame, look, fine);
        }
        match self.views.of(&self.frame).filter(|_| self.draws_on_device(look)) {
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
        let scene = serde_json::to_value(self.frame.scene.as_ref()).unwrap_or_default();
        self.edits.save(|path| value_at(&scene, path).map(written));
        self.source = source.clone();
        self.live.saved(source);
    }

    /// A scene that was asked for is there, or refused.
    fn end_loading(&mut self, id: Option<RequestId>, there: bool) {
        let place = self.loading.iter().position(|(known, _)| Some(*known) == id);
        if let Some((_, source)) = place.map(|place| self.loading.remove(place))
            && there
        {
            self.edits.settle();
            self.source = source;
        }
    }

    /// What a key of the scene has been set to in the window or for it, where it has: the newest wish.
    pub fn given(&self, path: &str) -> Option<&str> {
        let pending =
            self.pending.iter().rev().find(|edit| edit.path == path).map(|edit| edit.value.as_str());
        let loading = || self.loading.last().and_then(|(_, source)| set_in(source, path));
        pending.or_else(loading).or_else(|| self.edits.value(path)).or_else(|| set_in(&self.source, path))
    }

    /// What it simulates with.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// Goes on with another device, solver or number of threads.
    pub fn switch(&mut self, setting: Setting, places: &Places) {
        self.live.rebuild(places.options(&setting, true));
        self.setting = setting;
    }

    /// The id of the grain that is looked at.
    pub fn picked(&self) -> Option<u32> {
        self.picked
    }

    /// Looks at a grain, or at none.
    pub fn pick(&mut self, id: Option<u32>) {
        self.picked = id;
    }

    /// Says whether grains are needed in memory, to be pointed at.
    pub fn need_in_memory(&mut self, needed: bool) {
        self.in_memory = needed;
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
            Event::CommandDone { id, frame, .. } => {
                self.keep_edit(id, frame);
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
            Event::Undone { frame, .. } => {
                self.take_edits_back(frame);
                self.samples.retain(|sample| sample.frame <= frame);
                (Severity::Info, format!("undone: back to frame {frame}"))
            }
            Event::FieldRefused { reason } => (Severity::Warning, reason),
            Event::Loaded { id, scene } => {
                self.end_loading(id, true);
                self.beginnings += 1;
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
                self.take_edits_back(after + 1);
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
    fn keep_edit(&mut self, id: RequestId, frame: u64) {
        let Some(edit) = self.take_edit(id) else { return };
        if let Source::File { sets, .. } = &mut self.source {
            self.edits.carry_out(sets, frame, edit.path, edit.value);
        }
    }

    /// What was changed at a frame and after it has not been.
    fn take_edits_back(&mut self, from: u64) {
        if let Source::File { sets, .. } = &mut self.source {
            self.edits.take_back(sets, from);
        }
    }

    fn log(&mut self, severity: Severity, text: String) {
        // Lines that compilers draw around source text are in no font of the window.
        let text = text.replace(|c| ('\u{2500}'..='\u{257f}').contains(&c), "|");
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
            expected: frame.scene.expect.iter().map(|expect| expected(expect, frame)).collect(),
        });
    }
}

/// What an expectation of the scene is about, where a frame can tell.
fn expected(expect: &ExpectSettings, frame: &Frame) -> Option<f64> {
    let ledger = &frame.ledger;
    let value = match (expect.quantity, expect.of.as_deref()) {
        (Quantity::LostParticles, _) => Some(ledger.lost as f64),
        (Quantity::Particles, _) => Some(ledger.particles as f64),
        (Quantity::Unaccounted, _) => Some(ledger.unaccounted() as f64),
        (Quantity::Emitted, None) => Some(ledger.emitted as f64),
        (Quantity::Drained, None) => Some(ledger.drained as f64),
        (Quantity::BodyHeight | Quantity::BodySpeed, Some(of)) => {
            let body = frame.bodies.iter().find(|body| body.name == of)?;
            let height = expect.quantity == Quantity::BodyHeight;
            Some(f64::from(if height { body.center.y } else { body.velocity.length() }))
        }
        _ => particle_quantity(expect.quantity, &frame.scene, &frame.snapshot),
    };
    value.filter(|value| value.is_finite())
}
