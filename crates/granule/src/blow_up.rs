//! Detects a run that blows up, and says why in words.

use std::fmt;

use crate::scene::Scene;
use crate::simulator::{FieldData, Snapshot, StepReport};

/// Share of the particles that may be lost.
const LOST_SHARE: f64 = 1e-3;
/// Number of particles that end the run once lost.
const LOST_COUNT: usize = 10;
/// Mean density error, relative to the rest density, that no flow has.
const DENSITY_ERROR: f64 = 0.5;
/// Steps in a row with that error that end the run.
const DENSITY_STEPS: u32 = 20;
/// Largest speed in units of the speed that gravity or the scene itself can give.
const SPEED_FACTOR: f64 = 100.0;
/// Diameters that a particle may move in a step; adaptive steps allow 0.4 and what a step itself accelerates.
const MOST_DIAMETERS: f64 = 5.0;
/// Least extent that the speed of a fall is estimated from \[m\].
const LEAST_EXTENT: f64 = 1.0;
/// Gravity that the speed of a fall is estimated from where the scene has less [m/s2].
const LEAST_GRAVITY: f64 = 9.81;

/// Why a run was stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct BlowUp {
    time: f64,
    seen: String,
    cause: &'static str,
    remedy: &'static str,
}

impl fmt::Display for BlowUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the run diverged at t = {:.4} s: {}\n  likely cause: {}\n  remedy: {}",
            self.time, self.seen, self.cause, self.remedy
        )
    }
}

/// Looks at the reports of steps for a blow-up.
#[derive(Clone, Debug)]
pub struct BlowUpDetector {
    particles: usize,
    lost: usize,
    dense_steps: u32,
    gravity: f64,
    speed_limit: f64,
    /// Particle diameter \[m\].
    spacing: f64,
}

impl BlowUpDetector {
    /// A detector for a scene that begins with these positions \[m\].
    ///
    /// ```text
    /// v_max = 100 max(sqrt(2 g L), v_0) + g t
    /// ```
    /// L is the extent of the grains, v_0 their fastest initial velocity; g t lets escaped grains fall for ever.
    pub fn new(scene: &Scene, position: &[[f32; 3]]) -> Self {
        let gravity = length(scene.simulation.gravity);
        let fall = (2.0 * gravity.max(LEAST_GRAVITY) * extent(position).max(LEAST_EXTENT)).sqrt();
        let emitted = scene.emitter.iter().map(|emitter| length(emitter.velocity));
        let thrown = scene.grains.iter().map(|grains| length(grains.velocity)).chain(emitted);
        let thrown = thrown.fold(0.0, f64::max);
        Self {
            particles: position.len(),
            lost: 0,
            dense_steps: 0,
            gravity,
            speed_limit: SPEED_FACTOR * fall.max(thrown),
            spacing: 2.0 * f64::from(scene.reference_radius()),
        }
    }

    /// Counts particles that were lost before, in the run that this one resumes.
    pub fn lost_before(&mut self, lost: usize) {
        self.lost += lost;
        self.particles += lost;
    }

    /// Looks at a step that ended at `time` \[s\].
    pub fn after(&mut self, report: &StepReport, time: f64) -> Option<BlowUp> {
        self.lost += report.lost;
        self.particles = self.particles.max(report.particles + self.lost);
        self.dense_steps = if report.density_error <= DENSITY_ERROR { 0 } else { self.dense_steps + 1 };
        if self.lost >= LOST_COUNT || self.lost as f64 > LOST_SHARE * self.particles as f64 {
            Some(self.lost_particles(time))
        } else if self.dense_steps >= DENSITY_STEPS {
            Some(too_dense(report.density_error, time))
        } else if report.max_speed * report.dt > MOST_DIAMETERS * self.spacing {
            Some(self.too_long_a_step(report, time))
        } else if report.max_speed > self.speed_limit + self.gravity * time {
            Some(self.too_fast(report.max_speed, time))
        } else {
            None
        }
    }

    fn lost_particles(&self, time: f64) -> BlowUp {
        BlowUp {
            time,
            seen: format!(
                "{} of {} particles were lost, as their state was no longer finite",
                self.lost, self.particles
            ),
            cause: "a time step too long for the speeds in the scene, or grains that start inside each other or \
                    inside a wall",
            remedy: "remove `simulation.time_step` or lower `simulation.cfl`, and check that no shapes overlap",
        }
    }

    fn too_long_a_step(&self, report: &StepReport, time: f64) -> BlowUp {
        let diameters = report.max_speed * report.dt / self.spacing;
        BlowUp {
            time,
            seen: format!("a particle moved {diameters:.1} diameters in one step of {:.3e} s", report.dt),
            cause: "a fixed time step too long for the speeds in the scene: grains pass through each other and walls",
            remedy: "remove `simulation.time_step`, so that steps follow the speeds, or make it shorter",
        }
    }

    fn too_fast(&self, speed: f64, time: f64) -> BlowUp {
        BlowUp {
            time,
            seen: format!(
                "the fastest particle moves at {speed:.3e} m/s, above the limit of {:.3e} m/s (about {SPEED_FACTOR} times \
                 the speed that a fall or the scene's own motion gives)",
                self.speed_limit + self.gravity * time
            ),
            cause: "grains that start inside each other or inside a wall and are shot out, a wall that moves too \
                    fast, or a time step too long",
            remedy: "check that no shapes overlap, slow the motion of walls, remove `simulation.time_step` or lower \
                     `simulation.cfl`",
        }
    }
}

fn too_dense(error: f64, time: f64) -> BlowUp {
    BlowUp {
        time,
        seen: format!(
            "the mean density error was above {DENSITY_ERROR} for {DENSITY_STEPS} steps in a row, now {error:.3}"
        ),
        cause: "grains that start inside each other, walls that leave them no room, or too few iterations for the height",
        remedy: "check that the shapes of grains do not overlap, raise `iisph.max_iterations`, or lower \
                 `simulation.max_time_step`",
    }
}

/// The first field of a snapshot that holds a value that is not finite, as the reason to stop.
pub fn in_snapshot(snapshot: &Snapshot) -> Option<BlowUp> {
    let broken = snapshot.columns.iter().find(|(_, data)| !is_finite(data))?;
    Some(BlowUp {
        time: snapshot.time,
        seen: format!("field `{}` holds values that are not finite", broken.0.name),
        cause: "a time step too long for the speeds in the scene, or grains that start inside each other",
        remedy: "remove `simulation.time_step` or lower `simulation.cfl`, and check that no shapes overlap",
    })
}

fn is_finite(data: &FieldData) -> bool {
    fn all<const N: usize>(values: &[[f32; N]]) -> bool {
        values.iter().flatten().all(|value| value.is_finite())
    }
    match data {
        FieldData::Integer(_) => true,
        FieldData::Scalar(values) => values.iter().all(|value| value.is_finite()),
        FieldData::Vec3(values) => all(values),
        FieldData::Quaternion(values) => all(values),
        FieldData::Tensor(values) => all(values),
    }
}

fn length(vector: [f32; 3]) -> f64 {
    vector.iter().map(|part| f64::from(*part).powi(2)).sum::<f64>().sqrt()
}

/// Longest edge of the box around the positions \[m\].
fn extent(position: &[[f32; 3]]) -> f64 {
    let edge = |axis: usize| {
        let values = || position.iter().map(|x| f64::from(x[axis]));
        values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
    };
    (0..3).map(edge).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(count: usize) -> BlowUpDetector {
        let scene = Scene::open("column", false, &[]).unwrap();
        BlowUpDetector::new(&scene, &vec![[0.0, 1.0, 0.0]; count])
    }

    #[test]
    fn a_share_or_a_number_of_lost_particles_ends_a_run() {
        let lost = |lost| StepReport { lost, ..StepReport::default() };
        assert!(watch(10_000).after(&lost(9), 0.1).is_none());
        assert!(watch(100_000).after(&lost(10), 0.1).is_some());
        let message = watch(100).after(&lost(1), 0.1).unwrap().to_string();
        assert!(
            message.contains("t = 0.1000 s") && message.contains("1 of 100") && message.contains("remedy")
        );
    }

    #[test]
    fn a_density_error_must_last() {
        let dense = StepReport { density_error: 0.6, ..StepReport::default() };
        let mut watch = watch(100);
        for _ in 0..19 {
            assert!(watch.after(&dense, 0.0).is_none());
        }
        assert!(watch.after(&StepReport::default(), 0.0).is_none());
        assert!((0..19).all(|_| watch.after(&dense, 0.0).is_none()));
        let unknown = StepReport { density_error: f64::NAN, ..StepReport::default() };
        assert!(watch.after(&unknown, 0.0).is_some());
    }

    #[test]
    fn speed_is_held_against_a_fall_over_the_extent() {
        let fast = |max_speed| StepReport { max_speed, ..StepReport::default() };
        assert!(watch(100).after(&fast(440.0), 0.0).is_none());
        assert!(watch(100).after(&fast(445.0), 0.0).is_some());
        assert!(watch(100).after(&fast(500.0), 10.0).is_none());
    }
}
