//! Time step, symplectic Euler, and removal of particles that are not finite.

use rayon::prelude::*;

use crate::neighbors::par_blocks;
use crate::quarantine::unsound;

use super::Iisph;

/// What the integration saw.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moved {
    /// Fastest particle [m/s].
    pub max_speed: f64,
    /// Kinetic energy [J].
    pub kinetic_energy: f64,
}

impl Iisph {
    /// The step's length [s] and whether something other than its maximum shortened it.
    ///
    /// ```text
    /// dt = min(dt_max, cfl d / v_max, 0.1 h^2 / nu)
    /// ```
    /// The time left, `max_dt`, is divided into equal steps of at most that length.
    pub(super) fn choose_dt(&self, max_dt: f64) -> (f64, bool) {
        let params = &self.setup.params;
        let mut longest = params.time_step.unwrap_or(params.max_time_step);
        let mut limited = false;
        if params.time_step.is_none() {
            let fastest = self.fastest().max(self.boundaries.fastest(self.time)) as f64;
            let viscosity = self.setup.materials.iter().map(|m| m.viscosity).fold(0.0, f32::max) as f64;
            let support = params.support as f64;
            let bound =
                (params.cfl * params.spacing as f64 / fastest).min(0.1 * support * support / viscosity);
            limited = bound < longest;
            longest = longest.min(bound);
        }
        let steps = (max_dt / longest - 1e-6).ceil().max(1.0);
        (max_dt / steps, limited)
    }

    fn fastest(&self) -> f32 {
        let squares = self.particles.velocity.par_iter().map(|v| v.truncate().length_squared());
        squares.reduce(|| 0.0, f32::max).sqrt()
    }

    /// Takes over the solved velocities and moves the particles: v then x. Leaves the accelerations behind.
    pub(super) fn integrate(&mut self, dt: f64) -> Moved {
        let dt = dt as f32;
        let domain = self.setup.domain;
        let periodic = domain.is_periodic();
        let state = &mut self.state;
        (&mut self.particles.position, &mut self.particles.velocity, &state.velocity, &mut state.predicted)
            .into_par_iter()
            .for_each(|(position, velocity, solved, acceleration)| {
                let v = solved.truncate();
                *acceleration = ((v - velocity.truncate()) / dt).extend(0.0);
                let mut x = position.truncate() + dt * v;
                if periodic {
                    x = domain.wrap(x);
                }
                *position = x.extend(position.w);
                *velocity = v.extend(velocity.w);
            });
        self.measure_motion()
    }

    fn measure_motion(&self) -> Moved {
        let velocity = &self.particles.velocity;
        let parts = par_blocks(velocity.len(), |_, range| {
            let mut part = Moved::default();
            for v in &velocity[range] {
                let square = v.truncate().length_squared() as f64;
                part.max_speed = part.max_speed.max(square);
                part.kinetic_energy += 0.5 * v.w as f64 * square;
            }
            part
        });
        let sum = parts.into_iter().fold(Moved::default(), |a, b| Moved {
            max_speed: a.max_speed.max(b.max_speed),
            kinetic_energy: a.kinetic_energy + b.kinetic_energy,
        });
        Moved { max_speed: sum.max_speed.sqrt(), ..sum }
    }

    /// Removes particles whose state is not finite and returns how many.
    pub(super) fn quarantine(&mut self) -> usize {
        let keep = unsound(&self.particles.position, &self.particles.velocity);
        keep.map_or(0, |keep| self.remove(&keep))
    }

    /// Removes the particles for which `keep` does not hold and returns how many.
    pub(super) fn remove(&mut self, keep: &[bool]) -> usize {
        self.refresh_strain_rates();
        let before = self.particles.len();
        self.particles.retain(keep);
        self.state.retain(keep);
        self.search.retain(keep);
        before - self.particles.len()
    }
}
