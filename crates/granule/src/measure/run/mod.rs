//! A simulation as an experiment drives it, which can be killed and goes on where it was.
//!
//! An experiment is a function of what it hears: reports of steps, fields, contacts. Where runs are kept ([`KeptRuns`]), every
//! answer is written down, and now and then a checkpoint is left behind. The same experiment begun again hears the same answers
//! without any simulation, up to the checkpoint, and from there on new ones; counters, series and sums that it makes of them
//! come to be what they were. Of a run that has ended, the answers are all that is needed.
//!
//! What is large and used once is better [observed](Run::observe): only the outcome is written down.

mod kept;
mod record;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::contacts::Contact;
use crate::scene::Scene;
use crate::simulation::{Simulation, SimulationError};
use crate::simulator::{Command, CommandReport, FieldData, FieldInfo, Snapshot, StepReport};

use super::MeasureOptions;
use kept::KeptRun;
pub use kept::KeptRuns;
use record::{Heard, Now, hash_of};

/// A simulation of an experiment.
pub struct Run {
    /// Absent while a run that has ended is heard again.
    simulation: Option<Simulation>,
    /// Fields of the solver.
    fields: &'static [FieldInfo],
    solver: String,
    device: String,
    now: Now,
    diagnostics: bool,
    kept: Option<KeptRun>,
    /// Why nothing can be asked any more.
    failure: Option<String>,
}

impl Run {
    /// Begins a run of a scene, or takes up the one that was kept.
    ///
    /// # Errors
    /// The scene is refused, or the device has failed.
    pub fn new(scene: Scene, options: &MeasureOptions) -> Result<Self, SimulationError> {
        let fields = options.simulation.solver_for(&scene).fields;
        let taken_up = options.kept.as_ref().and_then(|kept| kept.take_up(&scene, &options.simulation));
        let Some(mut taken_up) = taken_up else {
            return Ok(Self::of(Simulation::new(scene, &options.simulation)?, fields, None));
        };
        if let Some(beginning) = taken_up.run.beginning() {
            return Ok(Self {
                simulation: taken_up.simulation,
                fields,
                solver: beginning.solver,
                device: beginning.device,
                now: beginning.now,
                diagnostics: false,
                kept: Some(taken_up.run),
                failure: None,
            });
        }
        let simulation = Simulation::new(scene, &options.simulation)?;
        taken_up.run.begin(&simulation);
        Ok(Self::of(simulation, fields, Some(taken_up.run)))
    }

    fn of(simulation: Simulation, fields: &'static [FieldInfo], kept: Option<KeptRun>) -> Self {
        Self {
            fields,
            solver: simulation.simulator().solver().into(),
            device: simulation.simulator().device(),
            now: Now::of(&simulation),
            diagnostics: false,
            kept,
            failure: None,
            simulation: Some(simulation),
        }
    }

    /// The solver's word in scenes.
    pub fn solver(&self) -> &str {
        &self.solver
    }

    /// Device and adapter in words.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Simulated time \[s\].
    pub fn time(&self) -> f64 {
        self.now.time
    }

    /// Number of frames completed.
    pub fn frame(&self) -> u64 {
        self.now.frame
    }

    /// Number of steps taken.
    pub fn steps(&self) -> u64 {
        self.now.steps
    }

    /// Number of particles now.
    pub fn particle_count(&self) -> usize {
        self.now.particles as usize
    }

    /// Number of grains now: those of several spheres count once.
    pub fn grain_count(&self) -> usize {
        self.now.grains as usize
    }

    /// Grains removed so far because their state was not finite.
    pub fn lost(&self) -> usize {
        self.now.lost as usize
    }

    /// Switches costly diagnostics (friction power) on or off.
    pub fn set_diagnostics(&mut self, on: bool) {
        self.diagnostics = on;
        if self.kept.as_ref().is_none_or(|kept| !kept.is_behind())
            && let Some(simulation) = &mut self.simulation
        {
            simulation.set_diagnostics(on);
        }
    }

    /// Advances by a step.
    pub(super) fn step(&mut self) -> Result<StepReport, SimulationError> {
        self.advance("step", |simulation| simulation.step())
    }

    /// Advances to the next frame; gives the report of its last step.
    pub(super) fn next_frame(&mut self) -> Result<StepReport, SimulationError> {
        self.advance("frame", |simulation| {
            let mut last = StepReport::default();
            // Nothing but a failure stops it.
            let _ = simulation.run_frame(&mut |report, _| {
                last = report.clone();
                ControlFlow::Continue(())
            });
            last
        })
    }

    /// Advances to the first frame at or after a time \[s\].
    pub(super) fn run_until(&mut self, seconds: f64) -> Result<(), SimulationError> {
        // Frame by frame, so that a checkpoint can be left at any.
        while self.time() < seconds * (1.0 - crate::simulation::FRAME_ROUNDING) {
            self.next_frame()?;
        }
        Ok(())
    }

    /// Reads fields.
    pub(super) fn read(&mut self, fields: &[&str]) -> Result<Snapshot, SimulationError> {
        let (time, columns): (f64, Vec<(String, FieldData)>) =
            self.ask(&format!("read {fields:?}"), |simulation| {
                let snapshot =
                    simulation.read(fields).map_err(|error| SimulationError::Failed(error.to_string()))?;
                let named = |(info, data): (FieldInfo, FieldData)| (info.name.to_string(), data);
                Ok((snapshot.time, snapshot.columns.into_iter().map(named).collect()))
            })?;
        let info = |name: &str| self.fields.iter().find(|field| field.name == name).copied();
        let columns = columns.into_iter().filter_map(|(name, data)| Some((info(&name)?, data))).collect();
        Ok(Snapshot { time, columns })
    }

    /// The contacts of now; none where the device has failed, which the next question says.
    pub fn contacts(&mut self) -> Vec<Contact> {
        self.ask("contacts", |simulation| Ok(simulation.contacts())).unwrap_or_default()
    }

    /// Changes something between steps.
    ///
    /// # Errors
    /// The command is refused, or the device has failed.
    pub fn apply(&mut self, command: &Command) -> Result<CommandReport, SimulationError> {
        let done: Result<CommandReport, String> = self.ask(&format!("{command:?}"), |simulation| {
            Ok(simulation.apply(command).map_err(|error| error.to_string()))
        })?;
        done.map_err(SimulationError::Failed)
    }

    /// What a look at the simulation gives. Where runs are kept the outcome alone is written down, however much was looked at; the
    /// question tells it from others.
    ///
    /// # Errors
    /// The device has failed.
    pub fn observe<T: Serialize + DeserializeOwned>(
        &mut self,
        question: &str,
        look: impl FnOnce(&mut Simulation) -> Result<T, SimulationError>,
    ) -> Result<T, SimulationError> {
        self.ask(question, look)
    }

    fn advance(
        &mut self,
        question: &str,
        go: impl FnOnce(&mut Simulation) -> StepReport,
    ) -> Result<StepReport, SimulationError> {
        let frame = self.now.frame;
        let report = self.ask(question, |simulation| Ok(go(simulation)))?;
        if self.now.frame > frame
            && let (Some(kept), Some(simulation)) = (&mut self.kept, &self.simulation)
        {
            kept.at_frame(simulation).inspect_err(|error| self.failure = Some(error.to_string()))?;
        }
        Ok(report)
    }

    /// The answer to a question: one that was heard before, or a new one, which is noted.
    fn ask<T: Serialize + DeserializeOwned>(
        &mut self,
        question: &str,
        look: impl FnOnce(&mut Simulation) -> Result<T, SimulationError>,
    ) -> Result<T, SimulationError> {
        if let Some(reason) = &self.failure {
            return Err(SimulationError::Failed(reason.clone()));
        }
        let answer = match self.kept.as_mut().and_then(KeptRun::next) {
            Some(heard) => self.hear_again(question, &heard),
            None => self.ask_now(question, look),
        };
        if let Err(error) = &answer {
            self.failure = Some(error.to_string());
        }
        answer
    }

    fn hear_again<T: DeserializeOwned>(
        &mut self,
        question: &str,
        heard: &Heard,
    ) -> Result<T, SimulationError> {
        let answer = (heard.question == hash_of(question)).then(|| postcard::from_bytes(&heard.answer).ok());
        let Some(answer) = answer.flatten() else { return Err(self.does_not_fit(question)) };
        self.now = heard.now;
        if let (Some(kept), Some(simulation)) = (&self.kept, &mut self.simulation)
            && !kept.is_behind()
        {
            simulation.set_diagnostics(self.diagnostics);
        }
        Ok(answer)
    }

    fn ask_now<T: Serialize>(
        &mut self,
        question: &str,
        look: impl FnOnce(&mut Simulation) -> Result<T, SimulationError>,
    ) -> Result<T, SimulationError> {
        let Some(simulation) = &mut self.simulation else { return Err(self.does_not_fit(question)) };
        let answer = look(simulation)?;
        if let Some(reason) = simulation.failure() {
            return Err(SimulationError::Failed(reason.into()));
        }
        self.now = Now::of(simulation);
        if let Some(kept) = &mut self.kept {
            kept.note(question, self.now, &answer);
        }
        Ok(answer)
    }

    /// What was kept is of another experiment than the one that asks: it is thrown away.
    fn does_not_fit(&mut self, question: &str) -> SimulationError {
        let file = self.kept.take().map(KeptRun::throw_away).unwrap_or_default();
        SimulationError::Failed(format!(
            "{file} was kept by another experiment (it has no answer to `{question}`) and is removed; run it again"
        ))
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // A run that failed, or whose experiment panics, stays at its last checkpoint.
        if self.failure.is_none()
            && !std::thread::panicking()
            && let Some(kept) = self.kept.take()
        {
            kept.end();
        }
    }
}
