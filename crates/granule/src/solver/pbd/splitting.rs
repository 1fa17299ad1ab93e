//! How the mass of a body is shared among the particles that touch something \[TBV12\].
//!
//! Between two projections particles move as spheres of their own. That is stable where all of them together are never heavier
//! than the body, however it moves:
//!
//! ```text
//! sum_i m (|V + W x ri|^2 + 0.4 a^2 |W|^2) <= M |V|^2 + W . I W        for all velocities V and angular velocities W
//! ```
//! With one m = M/(n l) for all n particles, l is the largest eigenvalue of the left side over the right one.

use glam::{DMat3, DVec3};

use crate::assemblies::{Assembly, MassProperties};

type Matrix = [[f64; 6]; 6];

/// What the largest eigenvalue is estimated from: the trace of the power 2^4. It is not less, and at most an eighth more.
const DOUBLINGS: usize = 4;

/// Sums over particles that touch something.
#[derive(Clone, Copy, Debug)]
pub struct Touched {
    count: u32,
    /// Sum of arms \[m\].
    first: DVec3,
    /// Sum of their outer products \[m2\].
    second: DMat3,
}

impl Default for Touched {
    /// None.
    fn default() -> Self {
        Self { count: 0, first: DVec3::ZERO, second: DMat3::ZERO }
    }
}

impl Touched {
    /// Counts a particle, by its arm from the centre of mass in the world's axes \[m\].
    pub fn add(&mut self, arm: DVec3) {
        self.count += 1;
        self.first += arm;
        self.second += DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
    }

    /// Inverse mass of each of them [1/kg] as part of a body, with a radius \[m\].
    pub fn inverse_mass(&self, body: &Assembly, radius: f32) -> f64 {
        let MassProperties { mass, .. } = body.properties;
        let count = f64::from(self.count.max(1));
        count * largest(self.relative_to(body, f64::from(radius))) / mass
    }

    /// The left side for M/n over the right side, in principal axes.
    fn relative_to(&self, body: &Assembly, radius: f64) -> Matrix {
        let MassProperties { mass, inertia, shape_from_principal, .. } = body.properties;
        let axes = DMat3::from_quat(body.orientation * shape_from_principal);
        let share = 1.0 / f64::from(self.count.max(1));
        let (mean, spread) = (share * (axes.transpose() * self.first), axes.transpose() * self.second * axes);
        let spread = spread * share;
        let square = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z + 0.4 * radius * radius;
        let scale = inertia.map(|inertia| (mass / inertia).sqrt()).to_array();
        let mut matrix = [[0.0; 6]; 6];
        for k in 0..3 {
            matrix[k][k] = 1.0;
            let moved = scale[k] * DVec3::AXES[k].cross(mean);
            for l in 0..3 {
                matrix[l][3 + k] = moved[l];
                matrix[3 + k][l] = moved[l];
                let own = if k == l { square } else { 0.0 };
                matrix[3 + k][3 + l] = scale[k] * scale[l] * (own - spread.col(l)[k]);
            }
        }
        matrix
    }
}

/// An upper bound of the largest eigenvalue of a matrix without negative ones.
fn largest(mut matrix: Matrix) -> f64 {
    let mut size = 1.0;
    for _ in 0..DOUBLINGS {
        // Powers of matrices of size 1 neither overflow nor vanish.
        let trace = trace(&matrix);
        matrix.iter_mut().flatten().for_each(|number| *number /= trace);
        size = (size * trace) * (size * trace);
        matrix = squared(&matrix);
    }
    (size * trace(&matrix)).powf(0.5f64.powi(DOUBLINGS as i32))
}

fn trace(matrix: &Matrix) -> f64 {
    (0..6).map(|k| matrix[k][k]).sum()
}

fn squared(matrix: &Matrix) -> Matrix {
    let mut square = [[0.0; 6]; 6];
    for (row, out) in matrix.iter().zip(&mut square) {
        for (k, out) in out.iter_mut().enumerate() {
            *out = row.iter().zip(matrix).map(|(a, other)| a * other[k]).sum();
        }
    }
    square
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::position::ExactPosition;
    use crate::random::Random;

    /// Whatever moves, particles together are not heavier than the body, and in the worst case nearly as heavy.
    #[test]
    fn particles_are_together_as_heavy_as_the_body_at_most() {
        let mut random = Random::new(3);
        let tensor = DMat3::from_diagonal(DVec3::new(0.02, 0.05, 0.06));
        let properties = MassProperties::new(3.0, DVec3::ZERO, tensor).unwrap();
        let body = Assembly {
            id: 0,
            position: ExactPosition::default(),
            orientation: DQuat::from_scaled_axis(DVec3::new(0.3, -1.0, 0.6)),
            momentum: DVec3::ZERO,
            angular_momentum: DVec3::ZERO,
            properties,
        };
        let turn = body.orientation * properties.shape_from_principal;
        let mut vector = |size: f64| {
            size * DVec3::new(random.signed().into(), random.signed().into(), random.signed().into())
        };
        let arms: Vec<DVec3> = (0..20).map(|_| DVec3::new(0.1, 0.0, 0.05) + vector(0.1)).collect();
        let mut touched = Touched::default();
        arms.iter().for_each(|arm| touched.add(*arm));
        let (radius, mut heaviest) = (0.01f32, 0.0f64);
        let mass = 1.0 / touched.inverse_mass(&body, radius);
        for _ in 0..20_000 {
            let (v, w) = (vector(1.0), vector(10.0));
            let own = 0.4 * f64::from(radius * radius) * w.length_squared();
            let left: f64 = arms.iter().map(|arm| mass * ((v + w.cross(*arm)).length_squared() + own)).sum();
            let inner = turn.conjugate() * w;
            let right = properties.mass * v.length_squared() + inner.dot(properties.inertia * inner);
            heaviest = heaviest.max(left / right);
        }
        assert!(heaviest < 1.0 && heaviest > 0.85, "{heaviest}");
    }
}
