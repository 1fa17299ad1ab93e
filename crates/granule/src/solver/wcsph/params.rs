//! Constants of a weakly compressible simulation, derived once from the scene.

use glam::Vec3;

use crate::material::Material;
use crate::neighbors::Domain;
use crate::scene::{MaterialSettings, PressureLaw, Scene, YieldLaw};
use crate::simd::Instructions;
use crate::solver::Defect;
use crate::solver::fall::fall_height;
use crate::solver::search::{Cutoff, SearchParams};
use crate::solver::walls::{EARTH_GRAVITY, PUSH_OUT_SPEED};
use crate::sph::{Kernel, KernelKind, WallTable, lattice_density};

use super::pairs::{COHESION_CONSTANT, cohesion_scale};

/// Speed of sound over the fastest speed: density then varies by about one part in a hundred, the square of the Mach
/// number.
const SOUND_PER_SPEED: f32 = 10.0;

/// A fluid's constants.
#[derive(Clone, Debug)]
pub struct Fluid {
    /// Rest density rho_0 [kg/m3].
    pub density: f32,
    /// Equation of state.
    pub law: PressureLaw,
    /// Exponent of Tait's equation.
    pub exponent: u32,
    /// rho_0 c^2 \[Pa\].
    pub stiffness: f32,
    /// Dynamic viscosity, calibrated on a lattice [Pa s].
    pub viscosity: f32,
    /// Artificial viscosity alpha rho_0 c h/2 [Pa s].
    pub damping: f32,
    /// Force of cohesion per spline \[N\].
    pub cohesion: f32,
    /// Force per volume and difference of normals [N/m3].
    pub smoothing: f32,
}

/// Constants that do not change within a step.
#[derive(Clone, Debug)]
pub struct WcsphParams {
    /// Particle radius r \[m\].
    pub radius: f32,
    /// Particle spacing d = 2 r \[m\].
    pub spacing: f32,
    /// Kernel support h \[m\].
    pub support: f32,
    /// Volume of a particle in kernel sums, so that a lattice has rest density \[m3\].
    pub volume: f32,
    /// Speed of sound c [m/s].
    pub sound_speed: f32,
    /// Fluids, one per material.
    pub fluids: Vec<Fluid>,
    /// Largest step that viscosity and surface tension allow \[s\].
    pub smooth_step: f64,
    /// Courant number.
    pub cfl: f64,
    /// Fixed step \[s\].
    pub time_step: Option<f64>,
    /// Largest step \[s\].
    pub max_time_step: f64,
    /// Fastest push out of a wall [m/s].
    pub push_out_speed: f32,
    /// Constant of the cohesion spline.
    pub cohesion_constant: f32,
    /// Sign of the gradient in normals: 1.
    pub normal_sign: f32,
    /// How much farther than the support pairs are listed \[m\].
    pub skin: f32,
    /// Whether any fluid is viscous.
    pub viscous: bool,
    /// Whether any fluid has artificial viscosity.
    pub damped: bool,
    /// Whether any fluid has surface tension.
    pub cohesive: bool,
    /// Whether surfaces are smoothed by their normals.
    pub smoothed: bool,
}

/// Constants, kernels and space.
pub struct Setup {
    /// Constants.
    pub params: WcsphParams,
    /// Kernel of densities and walls.
    pub kernel: Kernel,
    /// Kernel whose gradient carries pressure.
    pub gradient: Kernel,
    /// Kernel whose Laplacian carries viscosity.
    pub viscosity: Kernel,
    /// Kernel whose gradient gives normals.
    pub normal: Kernel,
    /// What a flat wall adds to the density.
    pub wall_table: WallTable,
    /// FluidLanes as all solvers know them.
    pub materials: Vec<Material>,
    /// Space.
    pub domain: Domain,
    /// Instructions of the CPU to use.
    pub instructions: Instructions,
    /// A deliberate fault.
    pub defect: Option<Defect>,
}

impl Setup {
    /// What a checked scene says.
    pub fn new(scene: &Scene, defect: Option<Defect>, instructions: Instructions) -> Self {
        let spacing = 2.0 * scene.reference_radius();
        let support = scene.simulation.support * spacing;
        let kind = scene.simulation.kernel;
        let kernel = Kernel::new(kind, support);
        let viscosity = Kernel::new(KernelKind::Viscosity, support);
        Self {
            params: WcsphParams::new(scene, &kernel, &viscosity, defect),
            gradient: Kernel::new(gradient_kernel(kind), support),
            normal: Kernel::new(KernelKind::Poly6, support),
            wall_table: WallTable::new(&kernel, spacing),
            materials: scene.material.iter().map(|m| Material::new(m, YieldLaw::Tan)).collect(),
            viscosity,
            kernel,
            domain: Domain::new(scene.simulation.periodic.axes()),
            instructions,
            defect,
        }
    }

    /// How neighbours are searched.
    pub fn search_params(&self) -> SearchParams {
        SearchParams {
            domain: self.domain,
            cutoff: Cutoff::Distance(self.params.support),
            skin: self.params.skin,
            instructions: self.instructions,
            all_rows: self.defect != Some(Defect::MissingNeighborRow),
        }
    }
}

/// The kernel whose gradient carries pressure: poly6 has that of spiky, since its own vanishes for close pairs \[MCG03\];
/// all others their own, so that pressure does the work that compression takes.
fn gradient_kernel(kind: KernelKind) -> KernelKind {
    if kind == KernelKind::Poly6 { KernelKind::Spiky } else { kind }
}

impl WcsphParams {
    fn new(scene: &Scene, kernel: &Kernel, viscosity: &Kernel, defect: Option<Defect>) -> Self {
        let radius = scene.reference_radius();
        let spacing = 2.0 * radius;
        let support = kernel.support();
        let volume = spacing.powi(3) / lattice_density(kernel, spacing);
        let sound_speed = scene.wcsph.sound_speed.unwrap_or_else(|| expected_sound_speed(scene));
        let laplacian = lattice_laplacian(viscosity, spacing, volume);
        let cohesion = cohesion_scale(spacing.powi(3), support);
        let sign = if defect == Some(Defect::ViscositySign) { -1.0 } else { 1.0 };
        let fluid = |m: &MaterialSettings| Fluid {
            density: m.density,
            law: m.pressure,
            exponent: m.tait_exponent,
            stiffness: m.density * sound_speed * sound_speed,
            viscosity: sign * m.density * m.viscosity / laplacian,
            damping: m.artificial_viscosity * m.density * sound_speed * 0.5 * support,
            cohesion: m.surface_tension * cohesion,
            smoothing: m.density * m.surface_smoothing * 8.0 * volume / support.powi(3),
        };
        let fluids: Vec<Fluid> = scene.material.iter().map(fluid).collect();
        let gravity = Vec3::from(scene.simulation.gravity).length();
        let any = |of: fn(&Fluid) -> f32| fluids.iter().any(|fluid| of(fluid) != 0.0);
        Self {
            radius,
            spacing,
            support,
            volume,
            sound_speed,
            smooth_step: scene.material.iter().map(smooth_step).fold(f64::INFINITY, f64::min),
            cfl: scene.simulation.cfl,
            time_step: scene.simulation.time_step,
            max_time_step: scene.simulation.max_time_step.unwrap_or(f64::INFINITY),
            push_out_speed: PUSH_OUT_SPEED
                * (if gravity > 0.0 { gravity } else { EARTH_GRAVITY } * spacing).sqrt(),
            cohesion_constant: if defect == Some(Defect::CohesionBranch) { 0.0 } else { COHESION_CONSTANT },
            normal_sign: if defect == Some(Defect::NormalSign) { -1.0 } else { 1.0 },
            skin: scene.wcsph.skin * support,
            viscous: any(|fluid| fluid.viscosity),
            damped: any(|fluid| fluid.damping),
            cohesive: any(|fluid| fluid.cohesion),
            smoothed: any(|fluid| fluid.smoothing),
            fluids,
        }
    }

    /// Longest step \[s\] at a fastest speed [m/s] and a largest acceleration [m/s2].
    ///
    /// ```text
    /// dt = min(dt_max, C d/(c + v), 0.25 sqrt(d/a), 0.125 d^2/nu, 0.4 sqrt(rho_0 d^3 / (2 pi sigma)))
    /// ```
    /// \[Mon92\] with the bounds of viscosity and of capillary waves.
    pub fn longest_step(&self, speed: f64, acceleration: f64) -> f64 {
        let spacing = f64::from(self.spacing);
        let sound = self.cfl * spacing / (f64::from(self.sound_speed) + speed);
        let pushed = 0.25 * (spacing / acceleration).sqrt();
        sound.min(pushed).min(self.smooth_step).min(self.max_time_step)
    }
}

/// Largest step that viscosity and surface tension of a material allow \[s\].
fn smooth_step(m: &MaterialSettings) -> f64 {
    let spacing = 2.0 * f64::from(m.radius);
    let viscous = 0.125 * spacing * spacing / f64::from(m.viscosity);
    let tension = f64::from(m.surface_tension) * 2.0 * std::f64::consts::PI;
    viscous.min(0.4 * (f64::from(m.density) * spacing.powi(3) / tension).sqrt())
}

/// Laplacian that the viscosity kernel gives on a lattice for a field whose Laplacian is 1:
/// 1/6 sum_j V |x|^2 lap W, 1 in the continuum.
fn lattice_laplacian(kernel: &Kernel, spacing: f32, volume: f32) -> f32 {
    let reach = (kernel.support() / spacing).ceil() as i32;
    let offsets = || (-reach..=reach).map(|k| k as f32 * spacing);
    let mut sum = 0.0f64;
    for x in offsets().flat_map(|x| offsets().flat_map(move |y| offsets().map(move |z| Vec3::new(x, y, z)))) {
        sum += f64::from(volume * x.length_squared() * kernel.laplacian(x.length()) / 6.0);
    }
    sum as f32
}

/// Ten times the fastest speed that a scene lets expect [m/s].
///
/// ```text
/// c = 10 max(v_0, sqrt(g H), sqrt(2 sigma / (rho_0 d)))
/// ```
/// v_0 is the fastest initial or emitted velocity, H the height from the highest fluid to the lowest fluid or wall
/// below, sigma the surface tension.
fn expected_sound_speed(scene: &Scene) -> f32 {
    let velocities = scene.grains.iter().map(|grains| grains.velocity);
    let velocities = velocities.chain(scene.emitter.iter().map(|emitter| emitter.velocity));
    let fastest = velocities.map(|v| Vec3::from(v).length()).fold(0.0, f32::max);
    let gravity = Vec3::from(scene.simulation.gravity);
    let capillary = |m: &MaterialSettings| (m.surface_tension / (m.density * m.radius)).sqrt();
    let capillary = scene.material.iter().map(capillary).fold(0.0, f32::max);
    let fall = (gravity.length() * fall_height(scene, gravity.normalize_or_zero())).sqrt();
    let spacing = 2.0 * scene.reference_radius();
    let expected = fastest.max(fall).max(capillary);
    // A scene without anything that moves gets the scale of a few particles under the Earth's gravity.
    SOUND_PER_SPEED * if expected > 0.0 { expected } else { (EARTH_GRAVITY * 10.0 * spacing).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_of_sound_follows_from_the_fall_height() {
        let dam = crate::scene::builtin_scenes().iter().find(|scene| scene.name == "dam").unwrap();
        let mut scene = Scene::parse(dam.text, "dam").unwrap();
        let c = expected_sound_speed(&scene);
        assert!((c - 10.0 * (9.81f32 * 0.3).sqrt()).abs() < 0.2, "{c}");
        scene.grains[0].velocity = [5.0, 0.0, 0.0];
        assert_eq!(expected_sound_speed(&scene), 50.0);
    }

    #[test]
    fn the_viscosity_kernel_is_nearly_right_on_a_lattice() {
        for support in [2.0, 2.5, 3.0] {
            let spacing = 0.02;
            let kernel = Kernel::new(KernelKind::Viscosity, support * spacing);
            let laplacian = lattice_laplacian(&kernel, spacing, spacing.powi(3));
            assert!((laplacian - 1.0).abs() < 0.05, "{support}: {laplacian}");
        }
    }
}
