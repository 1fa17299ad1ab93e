//! Constants of a granular IISPH simulation, derived once from the scene.

use crate::scene::{FrictionMode, Scene};
use crate::solver::walls::{EARTH_GRAVITY, PUSH_OUT_SPEED};
use crate::sph::{Kernel, lattice_density};

/// The longest pair gradient in its unit: i16 ends at 32767, and the rest is left for rounding.
const LONGEST_GRADIENT: f32 = 32000.0;

/// Longest step over sqrt(d/g), the time in which a grain falls half its diameter.
///
/// Found by experiment, 2 ms at d = 0.02 m (docs/performance.md): with 1.5 times as much the deposits of tall columns are lower
/// than their range allows, with twice as much a slab of 30 layers packs too densely and does not come to rest.
const LONGEST_STEP: f64 = 0.045;

/// Rate at which loose grains compact, over sqrt(g/d).
///
/// Found by experiment: 2 1/s at d = 0.02 m. Heaps keep their crest within 0.02 d; with five times as much it drops by
/// 0.09 d, with 25 times as much heaps do not stay.
const COMPACTION: f32 = 0.1;

/// Constants that do not change within a step.
#[derive(Clone, Debug)]
pub struct IisphParams {
    /// Particle radius r \[m\].
    pub radius: f32,
    /// Particle spacing d = 2 r \[m\].
    pub spacing: f32,
    /// Kernel support h \[m\].
    pub support: f32,
    /// Volume of a particle in kernel sums, so that a lattice has rest density \[m3\].
    pub volume: f32,
    /// Unit in which pair gradients are stored [1/m]: the longest is 32000.
    pub gradient_unit: f32,
    /// Sum of |G|^2 over a full lattice neighbourhood, G = V grad W [1/m2].
    pub lattice_gradient_squared: f32,
    /// Relaxation of the pressure of a plain fluid: 0.5 for the cubic spline with a support of 2 d (\[ICS14\] section
    /// 3.2), less for kernels whose iterations amplify more.
    pub fluid_relaxation: f32,
    /// Relaxation of pressure and stress that are solved together.
    pub coupled_relaxation: f32,
    /// Factor of the viscous sum, so that a disordered neighbourhood gives the Laplacian.
    pub viscosity_factor: f32,
    /// How friction is solved.
    pub friction: FrictionMode,
    /// Fewest iterations; from the pressure when absent.
    pub min_iterations: Option<u32>,
    /// Most iterations.
    pub max_iterations: u32,
    /// Threshold of the average density error.
    pub density_error: f32,
    /// Threshold of the relative stress change.
    pub friction_error: f32,
    /// Courant number.
    pub cfl: f64,
    /// Fixed step \[s\].
    pub time_step: Option<f64>,
    /// Largest adaptive step \[s\].
    pub max_time_step: f64,
    /// Acceleration scale for defaults [m/s2].
    pub gravity_scale: f32,
}

impl IisphParams {
    /// Derives the constants from a checked scene.
    pub fn new(scene: &Scene, kernel: &Kernel) -> Self {
        let radius = scene.reference_radius();
        let spacing = 2.0 * radius;
        let volume = spacing.powi(3) / lattice_density(kernel, spacing);
        let gravity = glam::Vec3::from(scene.simulation.gravity).length();
        // Without gravity, scales are those of the Earth's.
        let gravity_scale = if gravity > 0.0 { gravity } else { EARTH_GRAVITY };
        let settings = &scene.iisph;
        let eigenvalue = largest_eigenvalue(kernel, spacing);
        let default_step = LONGEST_STEP * (spacing as f64 / gravity_scale as f64).sqrt();
        Self {
            radius,
            spacing,
            support: kernel.support(),
            volume,
            gradient_unit: volume * kernel.steepest_slope() / LONGEST_GRADIENT,
            lattice_gradient_squared: lattice_sum(kernel, spacing, |x, factor| {
                (volume * factor).powi(2) * x.length_squared()
            }),
            fluid_relaxation: (FLUID_RELAXATION / eigenvalue).min(0.5),
            coupled_relaxation: coupled_relaxation(settings.friction, eigenvalue),
            viscosity_factor: viscosity_factor(kernel, spacing, volume),
            friction: settings.friction,
            min_iterations: settings.min_iterations,
            max_iterations: settings.max_iterations,
            density_error: settings.density_error,
            friction_error: settings.friction_error,
            cfl: scene.simulation.cfl,
            time_step: scene.simulation.time_step,
            max_time_step: scene.simulation.max_time_step.unwrap_or(default_step),
            gravity_scale,
        }
    }

    /// Rate at which loose grains compact, kappa = 0.1 sqrt(g/d) [1/s].
    pub fn compaction_rate(&self) -> f32 {
        COMPACTION * (self.gravity_scale / self.spacing).sqrt()
    }

    /// The longest time step \[s\].
    pub fn longest_step(&self) -> f32 {
        self.time_step.unwrap_or(self.max_time_step) as f32
    }

    /// Fastest speed at which a wall pushes out a particle that has sunk in [m/s].
    pub fn push_out_speed(&self) -> f32 {
        PUSH_OUT_SPEED * (self.gravity_scale * self.spacing).sqrt()
    }
}

/// Relaxation times the largest eigenvalue of a lattice, for a plain fluid; above 2, Jacobi iterations diverge on a lattice.
///
/// It is what the relaxation of 0.5 of \[ICS14\] section 3.2 is with the cubic spline and a support of 2 d, whose largest
/// eigenvalue is 2.82; other kernels get the same margin.
const FLUID_RELAXATION: f32 = 1.41;

/// Relaxation times the largest eigenvalue of a lattice, for pressure and stress that are solved together with momentum.
///
/// Found by experiment with collapsing columns (`column`, first 0.6 s): 0.6, that is 0.21 for the cubic spline with a support of
/// 2 d, converged with every kernel. With 0.7 a collapse with poly6 does not in 17 of 300 steps; with 0.76 and the cubic
/// spline not in 2, with 0.79 not in 35.
const COUPLED_RELAXATION: f32 = 0.6;

/// Relaxation without momentum, and the largest with it.
///
/// Found by experiment, with poured heaps and columns of d = 0.02 m, the cubic spline and a support of 2 d: 0.25 for both
/// was stable in every run; (0.5, 0.25) for (pressure, stress) and larger ones exploded.
const PLAIN_RELAXATION: f32 = 0.25;

fn coupled_relaxation(friction: FrictionMode, eigenvalue: f32) -> f32 {
    match friction {
        FrictionMode::Coupled => (COUPLED_RELAXATION / eigenvalue).min(PLAIN_RELAXATION),
        FrictionMode::Explicit => PLAIN_RELAXATION,
    }
}

/// Largest eigenvalue of the pressure system over its diagonal on a lattice: how much an iteration amplifies the worst wave.
///
/// ```text
/// lambda(k) = |sum_j G_j sin(k . x_j)|^2 / sum_j |G_j|^2
/// ```
fn largest_eigenvalue(kernel: &Kernel, spacing: f32) -> f32 {
    const WAVES: usize = 12;
    let reach = (kernel.support() / spacing).ceil() as i32;
    let offsets = || (-reach..=reach).map(|k| k as f32 * spacing);
    let pairs: Vec<(glam::Vec3, glam::Vec3)> = offsets()
        .flat_map(|x| offsets().flat_map(move |y| offsets().map(move |z| glam::Vec3::new(x, y, z))))
        .map(|x| (x, kernel.gradient_factor(x.length_squared()) * x))
        .filter(|(_, gradient)| *gradient != glam::Vec3::ZERO)
        .collect();
    let squares: f32 = pairs.iter().map(|(_, gradient)| gradient.length_squared()).sum();
    let wave = |n: usize| std::f32::consts::PI * n as f32 / (WAVES as f32 * spacing);
    let mut largest = 0.0f32;
    for x in 0..=WAVES {
        for y in 0..=x {
            for z in 0..=y {
                let k = glam::Vec3::new(wave(x), wave(y), wave(z));
                let sum: glam::Vec3 = pairs.iter().map(|(x, gradient)| k.dot(*x).sin() * *gradient).sum();
                largest = largest.max(sum.length_squared() / squares);
            }
        }
    }
    largest
}

/// Factor f of the viscous acceleration nu f sum_j (v_ij . x_ij)/(|x_ij|^2 + 0.01 h^2) G_ij.
///
/// ```text
/// f = 10 / (1/3 sum_j |x|^4 V |W'/x| / (|x|^2 + 0.01 h^2))          2 (dimension + 2) = 10 in the continuum
/// ```
/// The sum is that of a lattice averaged over directions, which is what disordered particles see.
fn viscosity_factor(kernel: &Kernel, spacing: f32, volume: f32) -> f32 {
    let softening = viscosity_softening(kernel.support());
    let sum = lattice_sum(kernel, spacing, |x, factor| {
        let square = x.length_squared();
        -volume * factor * square * square / (square + softening)
    });
    30.0 / sum
}

/// What keeps the viscous sum finite for particles that coincide, 0.01 h^2 \[m2\].
pub fn viscosity_softening(support: f32) -> f32 {
    0.01 * support * support
}

/// Sum over the neighbours of a particle in an infinite cubic lattice of a function of the offset \[m\] and of W'/r.
fn lattice_sum(kernel: &Kernel, spacing: f32, term: impl Fn(glam::Vec3, f32) -> f32) -> f32 {
    let reach = (kernel.support() / spacing).ceil() as i32;
    let mut sum = 0.0f64;
    for x in -reach..=reach {
        for y in -reach..=reach {
            for z in -reach..=reach {
                let offset = glam::Vec3::new(x as f32, y as f32, z as f32) * spacing;
                sum += term(offset, kernel.gradient_factor(offset.length_squared())) as f64;
            }
        }
    }
    sum as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sph::KernelKind;

    /// The largest eigenvalue of the whole system on a periodic lattice, by power iteration: p -> div grad p as the solver
    /// applies it, which knows nothing of waves.
    fn eigenvalue_by_power_iteration(kernel: &Kernel, spacing: f32) -> f32 {
        const SIDE: i32 = 24;
        let reach = (kernel.support() / spacing).ceil() as i32;
        let range = || -reach..=reach;
        let steps = range().flat_map(|x| range().flat_map(move |y| range().map(move |z| [x, y, z])));
        let pairs: Vec<([i32; 3], glam::Vec3)> = steps
            .map(|step| (step, spacing * glam::Vec3::from_array(step.map(|k| k as f32))))
            .map(|(step, x)| (step, kernel.gradient_factor(x.length_squared()) * x))
            .filter(|(_, gradient)| *gradient != glam::Vec3::ZERO)
            .collect();
        let squares: f32 = pairs.iter().map(|(_, gradient)| gradient.length_squared()).sum();
        let count = (SIDE * SIDE * SIDE) as usize;
        let place = |[x, y, z]: [i32; 3]| {
            let [x, y, z] = [x, y, z].map(|k| k.rem_euclid(SIDE));
            (x + SIDE * (y + SIDE * z)) as usize
        };
        let cell = |i: usize| {
            let i = i as i32;
            [i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)]
        };
        let other = |i: usize, step: &[i32; 3]| {
            let at = cell(i);
            place([at[0] + step[0], at[1] + step[1], at[2] + step[2]])
        };
        let mut random = crate::random::Random::new(3);
        let mut pressure: Vec<f32> = (0..count).map(|_| random.signed()).collect();
        let mut eigenvalue = 0.0;
        for _ in 0..60 {
            // Both sums of the solver: the gradient of p, then the divergence of that.
            let force: Vec<glam::Vec3> = (0..count)
                .map(|i| pairs.iter().map(|(step, g)| (pressure[i] + pressure[other(i, step)]) * *g).sum())
                .collect();
            let next: Vec<f32> = (0..count)
                .map(|i| pairs.iter().map(|(step, g)| (force[i] - force[other(i, step)]).dot(*g)).sum())
                .collect();
            let norm = |values: &[f32]| values.iter().map(|p| (p * p) as f64).sum::<f64>().sqrt();
            let length = norm(&next);
            eigenvalue = (length / norm(&pressure)) as f32 / squares;
            pressure = next.into_iter().map(|p| (p as f64 / length) as f32).collect();
        }
        eigenvalue
    }

    /// The waves' formula against the sums of the solver. For the cubic spline with a support of 2 d the value is what the
    /// relaxation of 0.5 was chosen for ([ICS14] section 3.2): 1.41 / 0.5.
    #[test]
    fn eigenvalues_are_those_of_the_lattice() {
        for (kind, support) in
            [(KernelKind::Cubic, 2.0), (KernelKind::Poly6, 2.0), (KernelKind::Wendland, 2.0)]
        {
            let kernel = Kernel::new(kind, support * 0.02);
            let (waves, iterated) =
                (largest_eigenvalue(&kernel, 0.02), eigenvalue_by_power_iteration(&kernel, 0.02));
            assert!((waves - iterated).abs() < 0.03 * iterated, "{kind:?}: {waves}, by iteration {iterated}");
        }
        let cubic = largest_eigenvalue(&Kernel::new(KernelKind::Cubic, 0.04), 0.02);
        assert!((FLUID_RELAXATION / cubic - 0.5).abs() < 0.005, "{cubic}");
    }
}
