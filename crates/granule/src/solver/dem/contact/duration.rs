//! How long contacts last, how deep they go, and how short a step must be.

use std::f64::consts::PI;

use super::material::Elasticity;

/// Share of the Rayleigh time that a step may have: a restitution of 0.7 comes out as 0.7046.
pub const RAYLEIGH_SHARE: f64 = 0.15;

/// Time that a Rayleigh wave takes around a sphere \[s\], from its radius \[m\] and density [kg/m3].
///
/// ```text
/// t_R = pi R sqrt(rho/G)/(0.1631 nu + 0.8766)
/// ```
pub fn rayleigh_time(material: Elasticity, radius: f64, density: f64) -> f64 {
    let speed = 0.1631 * material.poisson + 0.8766;
    PI * radius * (density / material.shear_modulus()).sqrt() / speed
}

/// Longest step for a rolling spring k_r [N/m] at a sphere of mass m \[kg\]: 0.2 sqrt(0.4 m/k_r) \[s\]. An estimate.
pub fn rolling_step(mass: f64, stiffness: f64) -> f64 {
    0.2 * (0.4 * mass / stiffness).sqrt()
}

/// Longest step for a twisting spring k_w [N m/rad]: 0.2 sqrt(0.4 m R^2/k_w) \[s\]. An estimate.
pub fn twisting_step(mass: f64, radius: f64, stiffness: f64) -> f64 {
    0.2 * radius * (0.4 * mass / stiffness).sqrt()
}

/// Stiffness k of Hertz's force k delta^(3/2) [N/m^(3/2)]: 4/3 E* sqrt(R_eff).
pub fn hertz_stiffness(effective_modulus: f64, effective_radius: f64) -> f64 {
    4.0 / 3.0 * effective_modulus * effective_radius.sqrt()
}

/// How long an elastic collision at a speed [m/s] lasts \[s\].
///
/// ```text
/// t_c = 3.218 (m_eff/k)^(2/5) v^(-1/5)
/// ```
pub fn hertz_contact_time(effective_mass: f64, stiffness: f64, speed: f64) -> f64 {
    3.218 * (effective_mass / stiffness).powf(0.4) * speed.powf(-0.2)
}

/// Largest overlap of an elastic collision at a speed [m/s] \[m\].
///
/// ```text
/// delta_max = (5 m_eff v^2/(4 k))^(2/5)
/// ```
pub fn hertz_largest_overlap(effective_mass: f64, stiffness: f64, speed: f64) -> f64 {
    (1.25 * effective_mass * speed * speed / stiffness).powf(0.4)
}

#[cfg(test)]
mod tests {
    use super::super::material::{damping_of_hertz, damping_of_hooke};
    use super::super::normal::{Damping, Normal, NormalModel, normal_force};
    use super::*;

    const MASS: f64 = 1e-4;
    const RADIUS: f64 = 1.25e-3;
    const MODULUS: f64 = 5.5e6;

    /// Restitution, duration and largest overlap of a collision, in many small steps. Restitution is of the contact that
    /// ends with its overlap.
    fn collide(law: &Normal<f64>, speed: f64) -> (f64, f64, f64) {
        let step = hertz_contact_time(MASS, hertz_stiffness(MODULUS, RADIUS), speed) / 40_000.0;
        let (mut overlap, mut velocity, mut time, mut deepest) = (0.0, -speed, 0.0, 0.0f64);
        loop {
            // The middle of the step from a force at its beginning, then the step.
            let force = |overlap, velocity| normal_force(law, overlap, RADIUS, MASS, velocity).force / MASS;
            let middle = velocity + 0.5 * step * force(overlap, velocity);
            let halfway = overlap - 0.5 * step * velocity;
            velocity += step * force(halfway, middle);
            overlap -= step * middle;
            time += step;
            deepest = deepest.max(overlap);
            if overlap <= 0.0 {
                return (velocity / speed, time, deepest);
            }
        }
    }

    fn damped(restitution: f64) -> Normal<f64> {
        Normal {
            model: NormalModel::Hertz,
            stiffness: MODULUS,
            surface_energy: 0.0,
            damping: Damping::Restitution,
            damping_factor: damping_of_hertz(restitution),
            limit_damping: false,
        }
    }

    #[test]
    fn elastic_collisions_last_and_reach_as_hertz_says() {
        let k = hertz_stiffness(MODULUS, RADIUS);
        for speed in [0.01, 1.0] {
            let (restitution, time, deepest) = collide(&damped(1.0), speed);
            assert!((restitution - 1.0).abs() < 1e-5, "{restitution}");
            assert!((time / hertz_contact_time(MASS, k, speed) - 1.0).abs() < 2e-4, "{time}");
            assert!((deepest / hertz_largest_overlap(MASS, k, speed) - 1.0).abs() < 1e-5, "{deepest}");
        }
    }

    #[test]
    fn damped_collisions_leave_the_restitution_asked_for_at_any_speed() {
        for restitution in [0.2, 0.3, 0.5, 0.7, 0.9] {
            for speed in [0.01, 1.0] {
                let e = collide(&damped(restitution), speed).0;
                assert!((e - restitution).abs() < 1e-4, "{restitution}: {e}");
            }
        }
    }

    /// Half a period of a damped oscillator leaves e of the speed and takes pi sqrt(m/k) sqrt(1 + (ln e/pi)^2).
    #[test]
    fn linear_collisions_are_half_an_oscillation() {
        let stiffness = 1000.0;
        for restitution in [0.3, 0.8f64] {
            let model = NormalModel::Hooke;
            let damping_factor = damping_of_hooke(restitution);
            let law = Normal { model, stiffness, damping_factor, ..damped(1.0) };
            let (e, time, _) = collide(&law, 0.1);
            let longer = (1.0 + (restitution.ln() / PI).powi(2)).sqrt();
            assert!((e - restitution).abs() < 1e-4, "{restitution}: {e}");
            assert!((time / (PI * (MASS / stiffness).sqrt() * longer) - 1.0).abs() < 1e-4, "{time}");
        }
    }

    /// Duration and largest overlap over those of an elastic collision, and what becomes of the restitution where dashpots
    /// may not pull; measured with LAMMPS in 400 steps.
    #[test]
    fn damping_lengthens_collisions_and_makes_them_shallow() {
        let k = hertz_stiffness(MODULUS, RADIUS);
        let rows = [
            [0.9, 1.010, 0.9595, 0.902],
            [0.7, 1.040, 0.8758, 0.718],
            [0.5, 1.093, 0.7871, 0.550],
            [0.3, 1.193, 0.6905, 0.397],
        ];
        for [restitution, longer, shallower, limited] in rows {
            let (_, time, deepest) = collide(&damped(restitution), 0.1);
            let (time, deepest) =
                (time / hertz_contact_time(MASS, k, 0.1), deepest / hertz_largest_overlap(MASS, k, 0.1));
            assert!((time - longer).abs() < 2.5e-3, "{restitution}: {time}");
            assert!((deepest - shallower).abs() < 1e-3, "{restitution}: {deepest}");
            let e = collide(&Normal { limit_damping: true, ..damped(restitution) }, 0.1).0;
            assert!((e - limited).abs() < 2e-3, "{restitution}: {e}");
        }
    }

    /// Grains of 1 mm at 3 GPa and of 5 mm at 1 MPa: steps of 0.76 microseconds and 0.21 milliseconds.
    #[test]
    fn steps_follow_from_the_rayleigh_time() {
        let step = |young, radius| {
            RAYLEIGH_SHARE * rayleigh_time(Elasticity { young, poisson: 0.3 }, radius, 2600.0)
        };
        assert!((step(3e9, 1e-3) / 0.76e-6 - 1.0).abs() < 0.05, "{}", step(3e9, 1e-3));
        assert!((step(1e6, 5e-3) / 0.21e-3 - 1.0).abs() < 0.05, "{}", step(1e6, 5e-3));
    }
}
