//! Runs of an experiment on disk: two files each, the answers and the newest checkpoint.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::files::write_atomic;
use crate::scene::Scene;
use crate::simulation::{Options, Simulation, SimulationError};

use super::record::{Answers, Beginning, Heard, MAGIC, Mark, Now, Piece, hash_of, piece_bytes};

/// The runs of one experiment, kept in a folder of their own: those that have ended, and the one that is under way with a
/// checkpoint now and then. An experiment that is measured again with the same folder goes on where it was, to the same result.
///
/// A run is found by all that its answers depend on: the program and the device in the words of whoever keeps, the scene with its
/// seed, deliberate faults, and how many runs of the same there were before it. What was kept for others is not used.
#[derive(Clone, Debug)]
pub struct KeptRuns(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    identity: String,
    interval: Duration,
    stop: Arc<AtomicBool>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// How often a run of the same scene has begun.
    begun: BTreeMap<u64, u32>,
    remarks: Vec<String>,
    /// Wall time of what was not simulated again \[s\].
    seconds: f64,
}

/// A run that is kept from now on, with its simulation where that goes on.
pub struct TakenUp {
    pub run: KeptRun,
    pub simulation: Option<Simulation>,
}

impl KeptRuns {
    /// Keeps runs in a folder, which is made when there is something to keep. `identity` names program and device; a checkpoint is
    /// left after every `interval` of wall time, at the end of a frame. When `stop` is set the run under way leaves a checkpoint
    /// and ends with an error.
    pub fn new(folder: &Path, identity: String, interval: Duration, stop: Arc<AtomicBool>) -> Self {
        Self(Arc::new(Inner { folder: folder.into(), identity, interval, stop, state: Mutex::default() }))
    }

    /// What was damaged or could not be written, in words; each once.
    pub fn take_remarks(&self) -> Vec<String> {
        std::mem::take(&mut self.state().remarks)
    }

    /// Wall time that earlier programs spent on what was not simulated again \[s\]; counted once.
    pub(in crate::measure) fn take_seconds(&self) -> f64 {
        std::mem::take(&mut self.state().seconds)
    }

    /// Removes all that is kept.
    ///
    /// # Errors
    /// The system refuses.
    pub fn remove(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.0.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remark(&self, remark: String) {
        self.state().remarks.push(remark);
    }

    /// The key of the next run of a scene; none where the scene cannot be written.
    fn key(&self, scene: &Scene, options: &Options) -> Option<String> {
        let mut scene = scene.clone();
        scene.simulation.seed = scene.simulation.seed.wrapping_add(options.seed_shift);
        let faults = (options.defect, options.upsample_fault);
        let solver = options.solver_for(&scene).name;
        let scene = scene.to_toml().ok()?;
        let key = format!("{}\nsolver {solver}, faults {faults:?}\n{scene}", self.0.identity);
        let mut state = self.state();
        let begun = state.begun.entry(hash_of(&key)).or_default();
        *begun += 1;
        Some(format!("{key}\nrun {begun}"))
    }

    /// Takes up the run of a scene that is kept, or begins to keep one.
    pub(super) fn take_up(&self, scene: &Scene, options: &Options) -> Option<TakenUp> {
        let key = self.key(scene, options)?;
        let stem = self.0.folder.join(format!("{:016x}", hash_of(&key)));
        let mut run = KeptRun {
            runs: self.clone(),
            answers: stem.with_extension("answers"),
            checkpoint: stem.with_extension("checkpoint"),
            key,
            beginning: None,
            behind: VecDeque::new(),
            fresh: Vec::new(),
            length: 0,
            earlier: 0.0,
            began: Instant::now(),
            saved: Instant::now(),
            ended: false,
        };
        let simulation = run.load(options).unwrap_or_else(|reason| {
            if let Some(reason) = reason {
                self.remark(format!("{}: {reason}; this run is made again", run.answers.display()));
            }
            run.remove_files();
            None
        });
        Some(TakenUp { run, simulation })
    }
}

/// One run.
pub struct KeptRun {
    runs: KeptRuns,
    answers: PathBuf,
    checkpoint: PathBuf,
    key: String,
    beginning: Option<Beginning>,
    /// Answers to hear again.
    behind: VecDeque<Heard>,
    /// Answers that are not written yet.
    fresh: Vec<Heard>,
    /// Length of the file of answers; 0 where nothing was written.
    length: u64,
    /// Wall time before it was taken up \[s\].
    earlier: f64,
    began: Instant,
    saved: Instant,
    /// Whether all of it is written.
    ended: bool,
}

impl KeptRun {
    /// What a run that was taken up began with.
    pub fn beginning(&self) -> Option<Beginning> {
        self.beginning.clone().filter(|_| self.length > 0)
    }

    /// Notes what a new run begins with.
    pub fn begin(&mut self, simulation: &Simulation) {
        self.beginning = Some(Beginning {
            key: self.key.clone(),
            solver: simulation.simulator().solver().into(),
            device: simulation.simulator().device(),
            now: Now::of(simulation),
        });
    }

    /// Whether there are answers to hear again.
    pub fn is_behind(&self) -> bool {
        !self.behind.is_empty()
    }

    /// The next answer to hear again.
    pub fn next(&mut self) -> Option<Heard> {
        self.behind.pop_front()
    }

    /// Notes a new answer.
    pub fn note(&mut self, question: &str, now: Now, answer: &impl Serialize) {
        match postcard::to_allocvec(answer) {
            Ok(answer) => self.fresh.push(Heard { question: hash_of(question), now, answer }),
            Err(error) => self.give_up(&error.to_string()),
        }
    }

    /// Leaves a checkpoint where it is time for one.
    ///
    /// # Errors
    /// It is to stop; the checkpoint is there then.
    pub fn at_frame(&mut self, simulation: &Simulation) -> Result<(), SimulationError> {
        let stop = self.runs.0.stop.load(Ordering::Relaxed);
        if self.is_behind() || self.ended || !(stop || self.saved.elapsed() >= self.runs.0.interval) {
            return Ok(());
        }
        if let Err(reason) = self.save(simulation) {
            self.give_up(&reason);
        }
        self.saved = Instant::now();
        match stop && !self.ended {
            true => {
                Err(SimulationError::Failed("stopped; it goes on from here when it is begun again".into()))
            }
            false => Ok(()),
        }
    }

    /// Writes the end of a run that is over; what can make it go on is not needed any more.
    pub fn end(mut self) {
        if self.ended {
            return;
        }
        let seconds = self.seconds();
        match self.write(Some(seconds)) {
            Ok(()) => {
                let _ = fs::remove_file(&self.checkpoint);
            }
            Err(reason) => self.give_up(&reason),
        }
    }

    /// Removes it; gives the name of its file.
    pub fn throw_away(self) -> String {
        self.remove_files();
        self.answers.display().to_string()
    }

    fn seconds(&self) -> f64 {
        self.earlier + self.began.elapsed().as_secs_f64()
    }

    fn remove_files(&self) {
        // Where there is none, nothing needs to be removed.
        let _ = fs::remove_file(&self.answers);
        let _ = fs::remove_file(&self.checkpoint);
    }

    /// Says why nothing is kept from now on; the run itself goes on.
    fn give_up(&mut self, reason: &str) {
        if !self.ended {
            let name = self.answers.display();
            self.runs.remark(format!("{name}: {reason}; this run is not kept"));
            self.ended = true;
            self.fresh.clear();
            self.remove_files();
        }
    }

    /// Writes answers, then a checkpoint that says how many they are.
    fn save(&mut self, simulation: &Simulation) -> Result<(), String> {
        let checkpoint = simulation.checkpoint().map_err(|error| error.to_string())?;
        self.write(None)?;
        let mark = Mark { length: self.length, key: hash_of(&self.key), seconds: self.seconds() };
        let fill = |file: &mut io::BufWriter<fs::File>| {
            file.write_all(&mark.bytes()).and_then(|()| file.write_all(&checkpoint))
        };
        write_atomic(&self.checkpoint, fill).map_err(|error| error.to_string())
    }

    /// Appends what is new to the file of answers.
    fn write(&mut self, end: Option<f64>) -> Result<(), String> {
        let (too_large, words) = ("an answer cannot be written", |error: io::Error| error.to_string());
        let mut bytes = Vec::new();
        if self.length == 0 {
            bytes.extend(MAGIC);
            bytes.extend(piece_bytes(&self.beginning.as_ref().ok_or(too_large)?).ok_or(too_large)?);
        }
        let piece = Piece { heard: std::mem::take(&mut self.fresh), end };
        bytes.extend(piece_bytes(&piece).ok_or(too_large)?);
        fs::create_dir_all(&self.runs.0.folder).map_err(words)?;
        let mut file = OpenOptions::new().create(true).append(true).open(&self.answers).map_err(words)?;
        // What was written after the checkpoint that the run goes on from is written again.
        file.set_len(self.length).and_then(|()| file.write_all(&bytes)).map_err(words)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Reads what is there: answers, and the simulation where it goes on. An error is why the run is made again, if that is worth
    /// a word.
    fn load(&mut self, options: &Options) -> Result<Option<Simulation>, Option<String>> {
        let bytes = match fs::read(&self.answers) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(None),
            Err(error) => return Err(Some(error.to_string())),
        };
        let damaged = || Some("damaged".to_string());
        let answers = Answers::read(&bytes).ok_or_else(damaged)?;
        if answers.beginning.key != self.key {
            return Err(Some("of another run".into()));
        }
        if let Some(seconds) = answers.end.filter(|_| answers.length == bytes.len()) {
            self.take_over(answers, seconds);
            self.ended = true;
            return Ok(None);
        }
        let is_whole = answers.length == bytes.len();
        let (mark, simulation) = self.load_checkpoint(options).map_err(|reason| match reason {
            None if !is_whole => damaged(),
            reason => reason,
        })?;
        // Answers that came after the checkpoint come again.
        let whole = usize::try_from(mark.length).ok().and_then(|length| bytes.get(..length));
        let answers = whole.and_then(Answers::read).filter(|answers| answers.length as u64 == mark.length);
        self.take_over(answers.ok_or_else(damaged)?, mark.seconds);
        Ok(Some(simulation))
    }

    fn load_checkpoint(&self, options: &Options) -> Result<(Mark, Simulation), Option<String>> {
        let name = self.checkpoint.display();
        let unread = |error: io::Error| {
            // Killed before the first checkpoint: nothing is lost that was there.
            (error.kind() != io::ErrorKind::NotFound).then(|| format!("{name}: {error}"))
        };
        let bytes = fs::read(&self.checkpoint).map_err(unread)?;
        let mark = Mark::read(&bytes).filter(|mark| mark.key == hash_of(&self.key));
        let mark = mark.ok_or_else(|| Some(format!("{name} is damaged")))?;
        let simulation = Simulation::resume(&bytes[Mark::SIZE..], options);
        Ok((mark, simulation.map_err(|error| Some(format!("{name}: {error}")))?))
    }

    fn take_over(&mut self, answers: Answers, seconds: f64) {
        self.length = answers.length as u64;
        self.beginning = Some(answers.beginning);
        self.behind = answers.heard.into();
        self.earlier = seconds;
        self.runs.state().seconds += seconds;
    }
}
