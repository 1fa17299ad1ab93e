//! Time step, symplectic Euler, and removal of particles that are not finite.

use crate::quarantine::unsound;
use crate::team::{self, BLOCK, QUICK};

use super::Iisph;
use crate::solver::particle_solver::ParticleSolver;
use crate::solver::world::{MotionStatistics, equal_steps};

impl Iisph {
    /// The step's length \[s\] and whether something other than its maximum shortened it.
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
            let fastest = self.world.fastest() as f64;
            let viscosity = self.setup.materials.iter().map(|m| m.viscosity).fold(0.0, f32::max) as f64;
            let support = params.support as f64;
            let bound =
                (params.cfl * params.spacing as f64 / fastest).min(0.1 * support * support / viscosity);
            limited = bound < longest;
            longest = longest.min(bound);
        }
        (equal_steps(max_dt, longest), limited)
    }

    /// Takes over the solved velocities and moves the particles: v then x. Leaves the accelerations behind.
    pub(super) fn integrate(&mut self, dt: f64) -> MotionStatistics {
        let dt = dt as f32;
        let domain = self.setup.domain;
        let periodic = domain.is_periodic();
        let state = &mut self.state;
        let particles = &mut self.world.particles;
        let count = particles.position.len();
        let columns = (&mut particles.position[..], &mut particles.velocity[..], &mut state.predicted[..]);
        let solved = &state.velocity;
        team::for_each_block(count, QUICK, columns, |b, (position, velocity, acceleration)| {
            let rows = position.iter_mut().zip(velocity).zip(acceleration).zip(&solved[b * BLOCK..]);
            for (((position, velocity), acceleration), solved) in rows {
                let v = solved.truncate();
                *acceleration = ((v - velocity.truncate()) / dt).extend(0.0);
                let mut x = position.truncate() + dt * v;
                if periodic {
                    x = domain.wrap(x);
                }
                *position = x.extend(position.w);
                *velocity = v.extend(velocity.w);
            }
        });
        self.world.measure_motion()
    }

    /// Removes particles whose state is not finite and returns how many.
    pub(super) fn quarantine(&mut self) -> usize {
        let keep = unsound(&self.world.particles.position, &self.world.particles.velocity);
        keep.map_or(0, |keep| self.remove_particles(&keep))
    }
}
