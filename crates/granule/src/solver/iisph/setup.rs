//! What stays the same from step to step.

use crate::material::Material;
use crate::neighbors::Domain;
use crate::particles::Particles;
use crate::scene::{FrictionMode, Scene};
use crate::simd::Instructions;
use crate::sph::{Kernel, WallTable};
use crate::team::sum_blocks;

use super::density::DensityInput;
use super::iteration::{IterationConstants, IterationInput, MOST_AT_ONCE};
use super::pairs::Gradients;
use super::params::IisphParams;
use super::predict::PredictInput;
use crate::solver::Defect;
use crate::solver::material_lanes::MaterialLanes;
use crate::solver::search::{Cutoff, Search, SearchParams};
use crate::solver::walls::{WALL_RELAXATION, WallStep};

/// Share of the lattice's diagonal below which a particle bears no pressure.
///
/// A choice: the pressure of a particle all of whose neighbours are at the rim of the support would be an error over next to
/// nothing. Smaller shares let such pressures in, larger ones let loose grains overlap.
pub const LEAST_DIAGONAL: f32 = 1e-3;

/// Fewest iterations of a step.
///
/// Found by experiment: with warm starts, 3 keep heaps of up to about 20 layers at rest.
pub const LEAST_ITERATIONS: u32 = 3;

/// Layers of a heap per iteration: an iteration carries load a few particles far.
///
/// Found by experiment, without momentum: heaps of 30 to 36 layers need 8 iterations to stay at rest. A bed of 40 layers after
/// 3 s has a kinetic energy of 9e-7 J with 4 layers per iteration and of 3e-4 J with 8.
const LAYERS_PER_ITERATION: f64 = 4.0;

/// The same with momentum, which carries load further.
///
/// Found by experiment with beds of 30 and 40 layers (docs/performance.md): they are about as quiet as with 4 and without
/// momentum; with 8 the kinetic energy of the higher one is up to 200 times as large.
const LAYERS_WITH_MOMENTUM: f64 = 6.0;

/// Wall distance of the reference code's volume maps in radii: where their density equals that of a lattice
/// (docs/equations.md).
const REFERENCE_STAND_OFF: f32 = 2.33;

/// Constants, kernel, materials and space.
pub struct Setup {
    /// Constants.
    pub params: IisphParams,
    /// Smoothing kernel.
    pub kernel: Kernel,
    /// What a flat wall adds to the density.
    pub wall_table: WallTable,
    /// Materials.
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
    pub fn new(scene: &Scene) -> Self {
        let spacing = 2.0 * scene.reference_radius();
        let kernel = Kernel::new(scene.simulation.kernel, scene.simulation.support * spacing);
        Self {
            params: IisphParams::new(scene, &kernel),
            wall_table: WallTable::new(&kernel, spacing),
            kernel,
            materials: scene.material.iter().map(|m| Material::new(m, scene.iisph.yield_law)).collect(),
            domain: Domain::new(scene.simulation.periodic.axes()),
            instructions: Instructions::best(),
            defect: None,
        }
    }

    /// How neighbours are searched: every step anew.
    pub(super) fn search_params(&self) -> SearchParams {
        SearchParams {
            domain: self.domain,
            cutoff: Cutoff::Distance(self.params.support),
            skin: 0.0,
            instructions: self.instructions,
            all_rows: self.defect != Some(Defect::MissingNeighborRow),
        }
    }

    pub(super) fn density_input<'a>(&'a self, particles: &'a Particles) -> DensityInput<'a> {
        DensityInput {
            params: &self.params,
            kernel: &self.kernel,
            wall_fill: self.wall_table.fill(),
            domain: &self.domain,
            materials: MaterialLanes::new(&self.materials, &particles.material),
            position: &particles.position,
            instructions: self.instructions,
        }
    }

    pub(super) fn predict_input<'a>(
        &'a self,
        particles: &'a Particles,
        dt: f64,
        time: f64,
    ) -> PredictInput<'a> {
        PredictInput {
            particles,
            materials: MaterialLanes::new(&self.materials, &particles.material),
            domain: &self.domain,
            params: &self.params,
            dt: dt as f32,
            time,
            instructions: self.instructions,
        }
    }

    pub(super) fn iteration_constants<'a>(
        &'a self,
        particles: &'a Particles,
        dt: f64,
    ) -> IterationConstants<'a> {
        let dt = dt as f32;
        let materials = MaterialLanes::new(&self.materials, &particles.material);
        let densest = self.materials.iter().map(|m| m.density).fold(0.0, f32::max);
        let stand_off = if self.defect == Some(Defect::WallStandOff) { REFERENCE_STAND_OFF } else { 1.0 };
        let sign = if self.defect == Some(Defect::StressSign) { -1.0 } else { 1.0 };
        IterationConstants {
            materials,
            mass: &particles.velocity,
            dt,
            gradient_unit: self.params.gradient_unit,
            wall: WallStep {
                radius: stand_off * self.params.radius,
                inverse_dt: 1.0 / dt,
                push_out_speed: self.params.push_out_speed(),
                relaxation: WALL_RELAXATION,
            },
            bodies: &[],
            excess_share: (dt / self.params.longest_step()).min(1.0),
            rest_compaction: self.params.compaction_rate(),
            least_diagonal: LEAST_DIAGONAL * self.params.lattice_gradient_squared / densest,
            pressure_relaxation: self.pressure_relaxation(),
            stress_step: sign * self.params.coupled_relaxation * self.full_stress_step(dt as f64),
            momentum: [0.0; MOST_AT_ONCE as usize],
            explicit: self.params.friction == FrictionMode::Explicit,
            instructions: self.instructions,
        }
    }

    pub(super) fn iteration_input<'a>(
        &'a self,
        search: &'a Search<Gradients>,
        particles: &'a Particles,
        dt: f64,
    ) -> IterationInput<'a> {
        IterationInput { lists: &search.lists, constants: self.iteration_constants(particles, dt) }
    }

    /// Relaxation of the pressure.
    pub fn pressure_relaxation(&self) -> f32 {
        if self.is_fluid() { self.params.fluid_relaxation } else { self.params.coupled_relaxation }
    }

    /// Layers of a heap per iteration, of the fewest.
    pub fn layers_per_iteration(&self) -> f64 {
        if self.has_momentum() { LAYERS_WITH_MOMENTUM } else { LAYERS_PER_ITERATION }
    }

    /// Whether iterations have momentum: where pressure and friction are solved together.
    fn has_momentum(&self) -> bool {
        !self.is_fluid() && self.params.friction == FrictionMode::Coupled
    }

    /// Whether all materials are plain fluids.
    fn is_fluid(&self) -> bool {
        self.materials.iter().all(Material::is_fluid)
    }

    /// Stress that would remove a strain rate in one step, per rest density: 1/(dt K), K = 2/3 sum |G|^2 [m2/s].
    pub fn full_stress_step(&self, dt: f64) -> f32 {
        1.0 / (dt as f32 * 2.0 / 3.0 * self.params.lattice_gradient_squared)
    }

    /// Fewest and most iterations. A Jacobi iteration carries load a few particles far, so the fewest follow the height of
    /// the heap, which the mean pressure of the last step tells: about 2.5 p / (rho g) for piles and columns.
    pub fn iterations(&self, pressure: &[f32], gravity: f32) -> (u32, u32) {
        let most = self.params.max_iterations;
        let least = self.params.min_iterations.unwrap_or_else(|| {
            let lightest = self.materials.iter().map(|m| m.density).fold(f32::INFINITY, f32::min);
            let layer = lightest * gravity * self.params.spacing;
            let mean = sum_blocks(pressure.len(), |range| pressure[range].iter().map(|&p| p as f64).sum())
                / pressure.len().max(1) as f64;
            let layers = if layer > 0.0 { 2.5 * mean / layer as f64 } else { 0.0 };
            ((layers / self.layers_per_iteration()).ceil() as u32).max(LEAST_ITERATIONS)
        });
        (least.min(most), most)
    }
}
