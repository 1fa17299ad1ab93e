//! What all methods take from a scene, and the constants of shaders.

use glam::Vec3;
use granule::bodies::Bodies;
use granule::material::Material;
use granule::neighbors::Domain;
use granule::scene::Scene;
use granule::sph::{Kernel, KernelKind, WallTable, lattice_density};

use crate::GpuError;

use super::buffers::MOST_REPORTS;
use super::capacity::Capacity;
use super::layout::{LANES, MOST_MATERIALS, MaterialRecord, Params};

/// What all methods take from a scene.
pub struct SceneConstants {
    /// Particle radius \[m\].
    pub radius: f32,
    /// Particle spacing, two radii \[m\].
    pub spacing: f32,
    /// Volume of a particle in kernel sums, so that a lattice has rest density \[m3\].
    pub volume: f32,
    /// Smoothing kernel.
    pub kernel: Kernel,
    /// What a flat wall adds to the density.
    pub wall_table: WallTable,
    /// Materials.
    pub materials: Vec<Material>,
    /// Space.
    pub domain: Domain,
}

impl SceneConstants {
    /// What a checked scene says.
    pub fn new(scene: &Scene) -> Self {
        let radius = scene.reference_radius();
        let spacing = 2.0 * radius;
        let kernel = Kernel::new(scene.simulation.kernel, scene.simulation.support * spacing);
        Self {
            radius,
            spacing,
            volume: spacing.powi(3) / lattice_density(&kernel, spacing),
            wall_table: WallTable::new(&kernel, spacing),
            kernel,
            materials: scene.material.iter().map(|m| Material::new(m, scene.iisph.yield_law)).collect(),
            domain: Domain::new(scene.simulation.periodic.axes()),
        }
    }
}

/// What bounds a method's steps and pairs.
#[derive(Clone, Copy, Debug)]
pub struct StepLimits {
    /// Courant number.
    pub cfl: f64,
    /// Whether every step is as long as the longest.
    pub fixed: bool,
    /// Longest step \[s\].
    pub longest: f32,
    /// Longest step that viscosity and the like allow \[s\].
    pub viscous: f32,
    /// Fastest push out of a wall [m/s].
    pub push_out_speed: f32,
    /// How much farther than the support pairs are listed \[m\].
    pub skin: f32,
    /// How far pairs are listed \[m\], where that is not the support and the skin.
    pub reach: Option<f32>,
}

/// What makes shaders differ between scenes.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Smoothing kernel.
    pub kernel: KernelKind,
    /// Whether any axis is periodic.
    pub periodic: bool,
    /// Whether x is: rows of cells then have two spans.
    pub periodic_rows: bool,
    /// Whether there are several materials.
    pub several_materials: bool,
    /// Whether there is air.
    pub air: bool,
    /// What rigid bodies there are.
    pub bodies: BodyVariant,
    /// Overrides of the method's own.
    pub method: Vec<(&'static str, f64)>,
}

/// What rigid bodies a scene has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyVariant {
    /// None.
    Absent,
    /// Such that grains do not move.
    Kinematic,
    /// Some that grains move.
    Free,
}

impl BodyVariant {
    /// What these are.
    pub fn of(bodies: &Bodies) -> Self {
        match (bodies.is_empty(), bodies.any_free()) {
            (true, _) => Self::Absent,
            (false, false) => Self::Kinematic,
            (false, true) => Self::Free,
        }
    }
}

/// 1 where something is on.
pub fn flag(on: bool) -> f64 {
    f64::from(u8::from(on))
}

impl Variant {
    /// The variant of a scene.
    pub fn new(
        scene: &SceneConstants,
        air: bool,
        bodies: BodyVariant,
        method: Vec<(&'static str, f64)>,
    ) -> Self {
        Self {
            kernel: scene.kernel.kind(),
            periodic: scene.domain.is_periodic(),
            periodic_rows: scene.domain.period(0).is_some(),
            several_materials: scene.materials.len() > 1,
            air,
            bodies,
            method,
        }
    }

    /// Ranges of candidates around a cell.
    pub fn ranges(&self) -> u32 {
        if self.periodic_rows { 18 } else { 9 }
    }

    /// Overrides of constants.
    pub fn constants(&self) -> Vec<(&'static str, f64)> {
        let kernel = match self.kernel {
            KernelKind::Cubic => 0,
            KernelKind::Wendland => 1,
            KernelKind::Poly6 => 2,
            KernelKind::Spiky => 3,
            KernelKind::Viscosity => 4,
        };
        let shared = [
            ("BODIES", flag(self.bodies != BodyVariant::Absent)),
            ("KERNEL", f64::from(kernel)),
            ("PERIODIC", flag(self.periodic)),
            ("SEVERAL_MATERIALS", flag(self.several_materials)),
            ("AIR", flag(self.air)),
        ];
        shared.into_iter().chain(self.method.iter().copied()).collect()
    }
}

/// The constants of a scene whose buffers have this capacity.
pub fn params(
    scene: &Scene,
    constants: &SceneConstants,
    limits: &StepLimits,
    gravity: Vec3,
    capacity: &Capacity,
) -> Params {
    let support = constants.kernel.support();
    let mut record = Params {
        gravity: gravity.extend(0.0).to_array(),
        radius: constants.radius,
        spacing: constants.spacing,
        support,
        volume: constants.volume,
        inverse_support: 1.0 / support,
        kernel_sigma: constants.kernel.sigma(),
        kernel_zero: constants.kernel.w(0.0),
        push_out_speed: limits.push_out_speed,
        wall_fill: constants.wall_table.fill(),
        cfl: limits.cfl as f32,
        longest_step: limits.longest,
        viscous_step: limits.viscous,
        fixed_step: u32::from(limits.fixed),
        boundary_count: (scene.boundary.len() + scene.body.len()) as u32,
        wall_count: scene.boundary.len() as u32,
        slot_capacity: capacity.slots,
        contact_capacity: capacity.contacts,
        cell_capacity: capacity.cells,
        report_capacity: MOST_REPORTS,
        capacity: capacity.particles,
        list_base: 2 * capacity.particles.div_ceil(LANES),
        reach: limits.reach.unwrap_or(support + limits.skin),
        skin: limits.skin,
        ..Params::default()
    };
    for axis in 0..3 {
        if let Some((origin, length)) = constants.domain.period(axis) {
            record.period_origin[axis] = origin;
            record.period_length[axis] = length;
            record.period_inverse[axis] = 1.0 / length;
            // A little larger than the reach, by what rounding needs.
            let cells = (length / (1.002 * record.reach)) as u32;
            record.period_cells[axis] = cells.clamp(1, 1 << 20);
        }
    }
    record
}

/// The materials of a scene.
///
/// # Errors
/// Refuses more than fit.
pub fn materials(materials: &[Material]) -> Result<Vec<MaterialRecord>, GpuError> {
    if materials.len() > MOST_MATERIALS {
        return Err(GpuError::Materials { count: materials.len(), most: MOST_MATERIALS });
    }
    let record = |m: &Material| MaterialRecord {
        density: m.density,
        inverse_density: 1.0 / m.density,
        wall_friction: m.wall_friction,
        mass: m.mass,
    };
    Ok(table(materials.iter().map(record)))
}

/// A table with a record for every material that there may be.
pub fn table<T: Clone + Default>(records: impl Iterator<Item = T>) -> Vec<T> {
    let mut records: Vec<T> = records.take(MOST_MATERIALS).collect();
    records.resize(MOST_MATERIALS, T::default());
    records
}
