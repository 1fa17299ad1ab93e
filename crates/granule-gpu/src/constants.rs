//! The constants of a scene, for shaders.

use granule::bodies::Bodies;
use granule::material::Material;
use granule::scene::{FrictionMode, Scene};
use granule::solver::iisph::params::viscosity_softening;
use granule::solver::iisph::setup::{COUPLED_RELAXATION, LEAST_DIAGONAL, LEAST_ITERATIONS, Setup};
use granule::solver::iisph::state::FLUID_WARM_START;
use granule::sph::KernelKind;

use crate::GpuError;
use crate::columns::Room;
use crate::layout::{LANES, MOST_MATERIALS, MaterialRecord, Params};
use crate::wcsph::WeakVariant;

/// What makes shaders differ between scenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Smoothing kernel.
    pub kernel: KernelKind,
    /// Whether any axis is periodic.
    pub periodic: bool,
    /// Whether x is: rows of cells then have two spans.
    pub periodic_rows: bool,
    /// Whether all materials are plain fluids.
    pub fluid: bool,
    /// Whether friction is explicit.
    pub explicit: bool,
    /// Whether friction depends on the rate of strain.
    pub fast: bool,
    /// Whether there are several materials.
    pub several_materials: bool,
    /// Whether some material is viscous.
    pub viscous: bool,
    /// Whether there is air.
    pub air: bool,
    /// What rigid bodies there are.
    pub bodies: BodyVariant,
    /// What the weakly compressible solver needs, where it is the solver.
    pub weak: Option<WeakVariant>,
}

/// What rigid bodies a scene has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyVariant {
    /// None.
    Absent,
    /// Such that grains do not move.
    Led,
    /// Some that grains move.
    Free,
}

impl BodyVariant {
    /// What these are.
    pub fn of(bodies: &Bodies) -> Self {
        match (bodies.is_empty(), bodies.any_free()) {
            (true, _) => Self::Absent,
            (false, false) => Self::Led,
            (false, true) => Self::Free,
        }
    }
}

impl Variant {
    /// The variant of a scene.
    pub fn new(setup: &Setup, air: bool, bodies: BodyVariant, weak: Option<WeakVariant>) -> Self {
        let materials = &setup.materials;
        Self {
            kernel: setup.kernel.kind(),
            periodic: setup.domain.is_periodic(),
            periodic_rows: setup.domain.period(0).is_some(),
            fluid: materials.iter().all(|m| m.is_fluid()),
            explicit: setup.params.friction == FrictionMode::Explicit,
            fast: materials.iter().any(|m| m.fast_yield_slope > 0.0),
            several_materials: materials.len() > 1,
            viscous: materials.iter().any(|m| m.viscosity > 0.0),
            air,
            bodies,
            weak,
        }
    }

    /// Ranges of candidates around a cell.
    pub fn ranges(&self) -> u32 {
        if self.periodic_rows { 18 } else { 9 }
    }

    /// Overrides of the constants of types.wgsl.
    pub fn constants(&self) -> Vec<(&'static str, f64)> {
        let kernel = match self.kernel {
            KernelKind::Cubic => 0,
            KernelKind::Wendland => 1,
            KernelKind::Poly6 => 2,
            KernelKind::Spiky => 3,
            KernelKind::Viscosity => 4,
        };
        let flag = |on: bool| f64::from(u8::from(on));
        let shared = [
            ("BODIES", flag(self.bodies != BodyVariant::Absent)),
            ("KERNEL", f64::from(kernel)),
            ("PERIODIC", flag(self.periodic)),
            ("FLUID", flag(self.fluid)),
            ("EXPLICIT", flag(self.explicit)),
            ("FAST", flag(self.fast)),
            ("SEVERAL_MATERIALS", flag(self.several_materials)),
        ];
        let weak = self.weak.iter().flat_map(WeakVariant::constants);
        shared.into_iter().chain(weak).collect()
    }
}

/// The constants of a scene whose columns have so much room.
pub fn params(scene: &Scene, setup: &Setup, room: &Room) -> Params {
    let constants = &setup.params;
    let gravity = scene.simulation.gravity;
    let fold =
        |f: &dyn Fn(f32, f32) -> f32, start: f32| setup.materials.iter().map(|m| m.density).fold(start, f);
    let (lightest, densest) = (fold(&f32::min, f32::INFINITY), fold(&f32::max, 0.0));
    let largest = |f: &dyn Fn(&Material) -> f32| setup.materials.iter().map(f).fold(0.0, f32::max);
    let viscosity = largest(&|m| m.viscosity);
    let all_fluid = setup.materials.iter().all(|m| m.is_fluid());
    let gravity_size = glam::Vec3::from(gravity).length();
    let mut record = Params {
        gravity: [gravity[0], gravity[1], gravity[2], 0.0],
        radius: constants.radius,
        spacing: constants.spacing,
        support: constants.support,
        volume: constants.volume,
        inverse_support: 1.0 / constants.support,
        kernel_sigma: setup.kernel.sigma(),
        kernel_zero: setup.kernel.w(0.0),
        full_stress: 1.0 / (2.0 / 3.0 * constants.lattice_gradient_squared),
        pressure_relaxation: if all_fluid { constants.fluid_relaxation } else { COUPLED_RELAXATION },
        stress_relaxation: COUPLED_RELAXATION,
        rest_compaction: constants.compaction_rate(),
        least_diagonal: LEAST_DIAGONAL * constants.lattice_gradient_squared / densest,
        push_out_speed: constants.push_out_speed(),
        wall_fill: setup.wall_table.fill(),
        viscosity_factor: constants.viscosity_factor,
        viscosity_softening: viscosity_softening(constants.support),
        density_error: constants.density_error,
        friction_error: constants.friction_error,
        cfl: constants.cfl as f32,
        longest_step: constants.time_step.unwrap_or(constants.max_time_step) as f32,
        viscous_step: (0.1 * constants.support * constants.support / viscosity).min(f32::MAX),
        layer_pressure: lightest * gravity_size * constants.spacing,
        fixed_step: u32::from(constants.time_step.is_some()),
        least_iterations: constants.min_iterations.unwrap_or(u32::MAX),
        most_iterations: constants.max_iterations.max(1),
        boundary_count: (scene.boundary.len() + scene.body.len()) as u32,
        wall_count: scene.boundary.len() as u32,
        slot_capacity: room.slots,
        contact_capacity: room.contacts,
        cell_capacity: room.cells,
        report_capacity: crate::columns::MOST_REPORTS,
        capacity: room.particles,
        list_base: 2 * room.particles.div_ceil(LANES),
        sure_sweeps: sure_sweeps(setup),
        ..Params::default()
    };
    for axis in 0..3 {
        if let Some((origin, length)) = setup.domain.period(axis) {
            record.period_origin[axis] = origin;
            record.period_length[axis] = length;
            record.period_inverse[axis] = 1.0 / length;
        }
    }
    set_reach(&mut record, 0.0);
    record
}

/// Lists pairs up to the support and a skin [m] beyond it.
pub fn set_reach(record: &mut Params, skin: f32) {
    (record.reach, record.skin) = (record.support + skin, skin);
    for axis in 0..3 {
        if record.period_length[axis] > 0.0 {
            // A little larger than the reach, by what rounding needs.
            let cells = (record.period_length[axis] / (1.002 * record.reach)) as u32;
            record.period_cells[axis] = cells.clamp(1, 1 << 20);
        }
    }
}

/// Sweeps that every step takes before the first one that may be its last: none of them needs a decision.
pub fn sure_sweeps(setup: &Setup) -> u32 {
    let least = setup.params.min_iterations.unwrap_or(LEAST_ITERATIONS);
    least.min(setup.params.max_iterations).max(1) - 1
}

/// The materials of a scene.
///
/// # Errors
/// Refuses more than fit.
pub fn materials(setup: &Setup) -> Result<Vec<MaterialRecord>, GpuError> {
    if setup.materials.len() > MOST_MATERIALS {
        return Err(GpuError::Materials { count: setup.materials.len(), most: MOST_MATERIALS });
    }
    let explicit = setup.params.friction == FrictionMode::Explicit;
    let record = |m: &Material| MaterialRecord {
        density: m.density,
        inverse_density: 1.0 / m.density,
        yield_slope: m.yield_slope,
        fast_slope: m.fast_yield_slope,
        grain_diameter: m.grain_diameter,
        cohesion: m.yield_cohesion,
        viscosity: m.viscosity,
        wall_friction: m.wall_friction,
        mass: m.mass,
        fluid: f32::from(u8::from(m.is_fluid())),
        warm_start: if m.is_fluid() || explicit { FLUID_WARM_START } else { 1.0 },
        ..MaterialRecord::default()
    };
    let mut records: Vec<MaterialRecord> = setup.materials.iter().map(record).collect();
    records.resize(MOST_MATERIALS, MaterialRecord::default());
    Ok(records)
}
