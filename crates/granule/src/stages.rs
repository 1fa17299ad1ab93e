//! The names of the stages of a step, and their timers.
//!
//! Timer rows, GPU pass labels, UI rows and benchmark names all come from [`Stage`].

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::team;

macro_rules! stages {
    ($($variant:ident => $name:literal : $doc:literal),+ $(,)?) => {
        /// A stage of a step.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Stage { $(#[doc = $doc] $variant),+ }

        impl Stage {
            /// All stages in the order of a step.
            pub const ALL: &'static [Stage] = &[$(Stage::$variant),+];

            /// The stage's name.
            pub fn name(self) -> &'static str {
                match self { $(Stage::$variant => $name),+ }
            }
        }
    };
}

stages! {
    Sort => "sort": "Particles are sorted by cell.",
    SampleBoundaries => "sample_boundaries": "Walls near each particle are sampled.",
    Neighbors => "neighbors": "Neighbour lists are built.",
    Density => "density": "Density, pair gradients and the diagonal of the pressure system.",
    Normals => "normals": "Normals of the fluid's surface, where it has tension.",
    Drag => "drag": "Air drag.",
    PredictVelocity => "predict_velocity": "Velocity without pressure and friction.",
    WarmStart => "warm_start": "Pressure, stress and wall impulses of the last step are taken over.",
    Accelerate => "accelerate": "Accelerations from pressure, stress and other pair forces.",
    Project => "project": "Strain rate; pressure and stress corrected and projected.",
    Touch => "touch": "Contacts of grains with each other.",
    TouchWalls => "touch_walls": "Contacts of grains with walls and bodies.",
    Integrate => "integrate": "Velocities and positions.",
    MoveBodies => "move_bodies": "Bodies take the grains' forces and move.",
    Diagnose => "diagnose": "Friction power, where asked for.",
    Quarantine => "quarantine": "Non-finite particles are removed and counted.",
    Upsample => "upsample": "Fine grains move with the particles, once per frame.",
}

/// Number of stages.
pub const STAGE_COUNT: usize = Stage::ALL.len();

/// Members of a team that have a row of their own in a [`SharedClock`]; more share rows.
const ROWS: usize = 16;

/// Time spent per stage by the members of a team.
#[derive(Debug, Default)]
pub struct SharedClock {
    rows: [Row; ROWS],
}

/// Nanoseconds per stage, on cache lines of their own.
#[repr(align(128))]
#[derive(Debug, Default)]
struct Row([AtomicU64; STAGE_COUNT]);

impl SharedClock {
    /// Runs a part of a stage and adds its time.
    #[inline]
    pub fn time<R>(&self, stage: Stage, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        let row = &self.rows[team::member() % ROWS].0;
        row[stage as usize].fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        result
    }

    /// Nanoseconds of a stage, added up over the team.
    fn spent(&self, stage: usize) -> f64 {
        self.rows.iter().map(|row| row.0[stage].load(Ordering::Relaxed) as f64).sum()
    }
}

/// Seconds spent per stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTimes {
    seconds: [f64; STAGE_COUNT],
}

impl StageTimes {
    /// Runs a stage and adds its time.
    pub fn time<R>(&mut self, stage: Stage, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        self.seconds[stage as usize] += start.elapsed().as_secs_f64();
        result
    }

    /// Runs stages that several threads go through side by side, and divides the time between them by what each took.
    pub fn share<R>(&mut self, work: impl FnOnce(&SharedClock) -> R) -> R {
        let clock = SharedClock::default();
        let start = Instant::now();
        let result = work(&clock);
        let elapsed = start.elapsed().as_secs_f64();
        let spent: [f64; STAGE_COUNT] = std::array::from_fn(|stage| clock.spent(stage));
        let all: f64 = spent.iter().sum();
        for (seconds, spent) in self.seconds.iter_mut().zip(spent) {
            *seconds += if all > 0.0 { elapsed * spent / all } else { 0.0 };
        }
        result
    }

    /// Adds seconds that somebody else has measured.
    pub fn add(&mut self, stage: Stage, seconds: f64) {
        self.seconds[stage as usize] += seconds;
    }

    /// Seconds spent in a stage.
    pub fn get(&self, stage: Stage) -> f64 {
        self.seconds[stage as usize]
    }

    /// Seconds spent in all stages.
    pub fn total(&self) -> f64 {
        self.seconds.iter().sum()
    }
}
