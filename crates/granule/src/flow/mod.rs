//! Grains that come and go: emitters, outlets and counters, and the books over them.
//!
//! [`Flow`] acts at the end of every step through the [`Simulator`] trait alone, so it is the same for every solver on
//! every device: outlets take their grains first, then emitters use the room. Everything is counted in whole grains:
//!
//! ```text
//! initial + emitted - drained - removed - lost = particles      after every step and command, exactly ([`Ledger`])
//! ```

mod counter;
mod discharge;
mod emitter;
mod outlet;

use serde::{Deserialize, Serialize};

use crate::boundary::Boundaries;
use crate::grains::GrainShapes;
use crate::scene::{Problem, ProblemKind, Scene, SceneError, SolverKind};
use crate::simulator::{CommandError, CommandReport, Simulator, Snapshot, StepReport};

pub use counter::Counter;
pub use discharge::{Discharge, discharge};
pub use emitter::{Emitter, EmitterState};
pub use outlet::{Outlet, OutletState};

/// Every grain that ever was, by where it came from and where it went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ledger {
    /// Grains at the start.
    pub initial: u64,
    /// Grains added by emitters and commands.
    pub emitted: u64,
    /// Grains taken by outlets.
    pub drained: u64,
    /// Grains taken by commands.
    pub removed: u64,
    /// Grains removed because their state was not finite.
    pub lost: u64,
    /// Grains now.
    pub particles: u64,
}

impl Ledger {
    /// Grains that the books do not explain; 0 unless something is wrong.
    pub fn unaccounted(&self) -> i64 {
        let came = self.initial as i64 + self.emitted as i64;
        let went = self.drained as i64 + self.removed as i64 + self.lost as i64;
        self.particles as i64 - (came - went)
    }
}

/// Totals at a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowPoint {
    /// Simulated time \[s\].
    pub time: f64,
    /// Grains taken so far, per outlet.
    pub drained: Vec<u64>,
    /// Grains inside now, per counter.
    pub counted: Vec<u64>,
}

/// All of a flow that changes over time: what a checkpoint must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowState {
    /// Emitters in the scene's order.
    pub emitters: Vec<EmitterState>,
    /// Outlets in the scene's order.
    pub outlets: Vec<OutletState>,
    /// Grains at the start.
    pub initial: u64,
    /// Grains added by commands.
    pub commanded: u64,
    /// Grains taken by commands.
    pub removed: u64,
    /// Totals at every frame so far.
    pub history: Vec<FlowPoint>,
}

/// The emitters, outlets and counters of a scene.
#[derive(Debug, Default)]
pub struct Flow {
    emitters: Vec<Emitter>,
    outlets: Vec<Outlet>,
    counters: Vec<Counter>,
    initial: u64,
    commanded: u64,
    removed: u64,
    history: Vec<FlowPoint>,
    /// Time between two visits \[s\]; 0 for one at every step.
    interval: f64,
    /// Since when grains have not come or gone \[s\]; none right after a visit. Frames end with one.
    waiting_since: Option<f64>,
}

impl Flow {
    /// The flow of a checked scene between its walls.
    ///
    /// # Errors
    /// Says which shape is wrong: not a solid, without bounds or volume, or inside a wall.
    pub fn new(scene: &Scene, shapes: &GrainShapes, boundaries: &Boundaries) -> Result<Self, SceneError> {
        let mut flow = Self { interval: interval(scene), ..Self::default() };
        for (index, settings) in scene.emitter.iter().enumerate() {
            let clump = shapes.emitters.get(index).cloned().flatten();
            let emitter = Emitter::new(index, settings, clump, scene, boundaries);
            flow.emitters.push(emitter.map_err(|wrong| problem("emitter", &settings.name, wrong))?);
        }
        for settings in &scene.outlet {
            let outlet = Outlet::new(settings);
            flow.outlets.push(outlet.map_err(|e| problem("outlet", &settings.name, e.into()))?);
        }
        for settings in &scene.counter {
            let counter = Counter::new(settings);
            flow.counters.push(counter.map_err(|e| problem("counter", &settings.name, e.into()))?);
        }
        Ok(flow)
    }

    /// Opens the books with the simulation's initial grains.
    pub(crate) fn begin(&mut self, simulator: &mut dyn Simulator) {
        self.initial = simulator.grain_count() as u64;
        self.record(simulator);
    }

    /// Lets grains out and in at the end of a step that began at `from` [s], and adds what happened to its report. Where the
    /// scene has an interval, only at the first step that ends at or beyond a multiple of it, and at the end of a frame.
    pub(crate) fn after_step(
        &mut self,
        simulator: &mut dyn Simulator,
        from: f64,
        ends_frame: bool,
        report: &mut StepReport,
    ) {
        let to = simulator.time();
        let visits = |time: f64| (time / self.interval * (1.0 + 1e-12)).floor();
        if self.interval > 0.0 && !ends_frame && visits(to) == visits(from) {
            self.waiting_since.get_or_insert(from);
            report.drained = vec![0; self.outlets.len()];
            return;
        }
        let from = self.waiting_since.take().unwrap_or(from);
        report.drained = self.drain(simulator, from, to);
        for emitter in &mut self.emitters {
            let (emitted, blocked) = emitter.advance(simulator, from, to);
            report.emitted += emitted;
            report.blocked += blocked;
        }
        report.particles = simulator.particle_count();
    }

    /// Opens or closes an emitter.
    pub(crate) fn switch(&mut self, name: &str, open: bool) -> Result<(), CommandError> {
        let known: Vec<&str> = self.emitters.iter().map(Emitter::name).collect();
        let at = known.iter().position(|known| *known == name);
        let at = at.ok_or_else(|| CommandError::unknown("emitter", name, &known))?;
        self.emitters[at].switch(open);
        Ok(())
    }

    /// Whether no grains come or go.
    pub(crate) fn is_still(&self) -> bool {
        self.outlets.is_empty() && self.emitters.is_empty()
    }

    fn drain(&mut self, simulator: &mut dyn Simulator, from: f64, to: f64) -> Vec<usize> {
        let mut drained = vec![0; self.outlets.len()];
        let open: Vec<usize> =
            (0..self.outlets.len()).filter(|&k| self.outlets[k].is_open(from, to)).collect();
        if open.is_empty() {
            return drained;
        }
        let regions: Vec<_> = open.iter().map(|&k| self.outlets[k].region()).collect();
        for (&k, count) in open.iter().zip(simulator.remove_inside(&regions)) {
            drained[k] = count;
            self.outlets[k].take(count);
        }
        drained
    }

    /// Notes the totals at a frame, where there is something to note.
    pub(crate) fn record(&mut self, simulator: &mut dyn Simulator) {
        if self.outlets.is_empty() && self.counters.is_empty() {
            return;
        }
        let drained = self.outlets.iter().map(Outlet::drained).collect();
        let counted = if self.counters.is_empty() { Vec::new() } else { self.count(simulator) };
        self.history.push(FlowPoint { time: simulator.time(), drained, counted });
    }

    fn count(&self, simulator: &mut dyn Simulator) -> Vec<u64> {
        if let Some(centers) = simulator.grain_centers() {
            return self.counters.iter().map(|counter| counter.count(&centers)).collect();
        }
        let mut snapshot = Snapshot::default();
        // Every solver has positions.
        if let Ok(ticket) = simulator.read(&["position"]) {
            while !simulator.poll(ticket, &mut snapshot) {
                std::thread::yield_now();
            }
        }
        let position = snapshot.vec3("position").unwrap_or_default();
        self.counters.iter().map(|counter| counter.count(position)).collect()
    }

    /// Notes grains that a command added or took.
    pub(crate) fn note_command(&mut self, report: &CommandReport) {
        self.commanded += report.emitted as u64;
        self.removed += report.removed as u64;
    }

    /// The emitters in the scene's order.
    pub fn emitters(&self) -> &[Emitter] {
        &self.emitters
    }

    /// The outlets in the scene's order.
    pub fn outlets(&self) -> &[Outlet] {
        &self.outlets
    }

    /// The counters in the scene's order.
    pub fn counters(&self) -> &[Counter] {
        &self.counters
    }

    /// Totals at every frame so far, the initial one first; empty without outlets and counters.
    pub fn history(&self) -> &[FlowPoint] {
        &self.history
    }

    /// Grains added so far by emitters and commands.
    pub fn emitted(&self) -> u64 {
        self.commanded + self.emitters.iter().map(|emitter| emitter.state().emitted).sum::<u64>()
    }

    /// Grains that emitters gave up so far because they found no room.
    pub fn blocked(&self) -> u64 {
        self.emitters.iter().map(|emitter| emitter.state().blocked).sum()
    }

    /// Grains taken so far by all outlets.
    pub fn drained(&self) -> u64 {
        self.outlets.iter().map(Outlet::drained).sum()
    }

    /// Grains taken so far by commands.
    pub fn removed(&self) -> u64 {
        self.removed
    }

    /// The books.
    pub fn ledger(&self, lost: usize, particles: usize) -> Ledger {
        Ledger {
            initial: self.initial,
            emitted: self.emitted(),
            drained: self.drained(),
            removed: self.removed,
            lost: lost as u64,
            particles: particles as u64,
        }
    }

    /// Time [s] and number of grains at every frame: taken by the outlet, or inside the counter, of that name.
    pub fn curve(&self, name: &str) -> Option<Vec<[f64; 2]>> {
        let outlet = self.outlets.iter().position(|outlet| outlet.name() == name);
        let counter = self.counters.iter().position(|counter| counter.name() == name);
        let count = |point: &FlowPoint| match (outlet, counter) {
            (Some(k), _) => Some(point.drained[k]),
            (None, Some(k)) => Some(point.counted[k]),
            (None, None) => None,
        };
        self.history.iter().map(|point| Some([point.time, count(point)? as f64])).collect()
    }

    /// All that changes over time.
    pub fn state(&self) -> FlowState {
        FlowState {
            emitters: self.emitters.iter().map(|emitter| emitter.state().clone()).collect(),
            outlets: self.outlets.iter().map(|outlet| outlet.state().clone()).collect(),
            initial: self.initial,
            commanded: self.commanded,
            removed: self.removed,
            history: self.history.clone(),
        }
    }

    /// Takes over a state of the same scene; false, and nothing changed, if it has other numbers of things.
    pub fn restore(&mut self, state: FlowState) -> bool {
        let (outlets, counters) = (self.outlets.len(), self.counters.len());
        let fits = |point: &FlowPoint| point.drained.len() == outlets && point.counted.len() == counters;
        if state.emitters.len() != self.emitters.len()
            || state.outlets.len() != outlets
            || !state.history.iter().all(fits)
        {
            return false;
        }
        self.emitters.iter_mut().zip(state.emitters).for_each(|(emitter, state)| emitter.restore(state));
        self.outlets.iter_mut().zip(state.outlets).for_each(|(outlet, state)| outlet.restore(state));
        (self.initial, self.commanded, self.removed) = (state.initial, state.commanded, state.removed);
        self.history = state.history;
        true
    }
}

/// Time between two visits of emitters and outlets \[s\]; 0 for one at every step.
fn interval(scene: &Scene) -> f64 {
    let of_solver = match scene.simulation.solver {
        SolverKind::Dem => DEM_INTERVAL,
        SolverKind::Pbd => PBD_INTERVAL,
        SolverKind::Iisph | SolverKind::Wcsph => 0.0,
    };
    scene.simulation.flow_interval.unwrap_or(of_solver)
}

/// Time between two visits where thousands of steps make a frame \[s\]. A choice: grains fall by 5 micrometres in it.
const DEM_INTERVAL: f64 = 1e-3;

/// Time between two visits where new grains mean new lists, which take as long as several steps \[s\]. A choice: grains fall by
/// half a millimetre in it.
const PBD_INTERVAL: f64 = 0.01;

/// What is wrong with a shape, and the remedy.
struct Wrong {
    found: String,
    remedy: &'static str,
}

impl From<crate::boundary::ShapeError> for Wrong {
    fn from(error: crate::boundary::ShapeError) -> Self {
        Self { found: error.to_string(), remedy: "give a shape as in the scene reference" }
    }
}

fn problem(section: &str, name: &str, wrong: Wrong) -> SceneError {
    SceneError::Problem(Box::new(Problem {
        location: None,
        path: [section, name, "shape"].map(String::from).to_vec(),
        kind: ProblemKind::Address,
        found: wrong.found,
        allowed: wrong.remedy.into(),
        nearest: None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_books_count_what_comes_and_what_goes() {
        let ledger = Ledger { initial: 100, emitted: 30, drained: 20, removed: 7, lost: 5, particles: 98 };
        assert_eq!(ledger.unaccounted(), 0);
        assert_eq!(Ledger { particles: 97, ..ledger }.unaccounted(), -1, "one is missing");
        assert_eq!(Ledger { particles: 100, ..ledger }.unaccounted(), 2, "two are too many");
        assert_eq!(
            Ledger { removed: 6, ..ledger }.unaccounted(),
            -1,
            "one was taken that is not in the books"
        );
    }
}
