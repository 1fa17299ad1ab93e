//! The shaders of the solver, each put together from the files that it needs.

use granule::solver::iisph::setup::{LAYERS_PER_SWEEP, LEAST_ITERATIONS};

use crate::kernel::Shader;
use crate::primitives::{DISPATCH, TREE, WORKGROUP_SCAN};

pub(crate) const TYPES: &str = include_str!("../shader/types.wgsl");
pub(crate) const STEP: &str = include_str!("../shader/step.wgsl");
const ARGUMENTS: &str = include_str!("../shader/arguments.wgsl");
pub(crate) const MOTION: &str = include_str!("../shader/motion.wgsl");
const CELLS: &str = include_str!("../shader/cells.wgsl");
pub(crate) const PAIRS: &str = include_str!("../shader/pairs.wgsl");
const LIST: &str = include_str!("../shader/list.wgsl");
pub(crate) const RHEOLOGY: &str = include_str!("../shader/rheology.wgsl");
pub(crate) const CONTACTS: &str = include_str!("../shader/contacts.wgsl");
const GRADIENTS: &str = include_str!("../shader/gradients.wgsl");
const VELOCITY_GRADIENT: &str = include_str!("../shader/velocity_gradient.wgsl");
pub(crate) const SOLIDS: &str = include_str!("../shader/solids.wgsl");
pub(crate) const MAPS: &str = include_str!("../shader/maps.wgsl");
pub(crate) const WALLS: &str = include_str!("../shader/walls.wgsl");
pub(crate) const MAP_WALLS: &str = include_str!("../shader/map_walls.wgsl");
pub(crate) const WALL_TABLE: &str = include_str!("../shader/wall_table.wgsl");
pub(crate) const BODIES: &str = include_str!("../shader/bodies.wgsl");
pub(crate) const LOADS: &str = include_str!("../shader/loads.wgsl");
pub(crate) const INTERSECTION: &str = include_str!("../shader/intersection.wgsl");
const SOUNDNESS: &str = include_str!("../shader/soundness.wgsl");
const WALL_DENSITY: &str = include_str!("../shader/wall_density.wgsl");
const WEAK_PAIRS: &str = include_str!("../shader/weak_pairs.wgsl");
const FINE_FRAME: &str = include_str!("../shader/fine_frame.wgsl");
const FINE_TABLES: &str = include_str!("../shader/fine_tables.wgsl");
const FINE_GUIDES: &str = include_str!("../shader/fine_guides.wgsl");
const FINE_WALLS: &str = include_str!("../shader/fine_walls.wgsl");
const FINE_GRID: &str = include_str!("../shader/fine_grid.wgsl");
const FINE_MOTION: &str = include_str!("../shader/fine_motion.wgsl");
const FINE_CONTACT: &str = include_str!("../shader/fine_contact.wgsl");
const WEAK_WALLS: &str = include_str!("../shader/weak_walls.wgsl");

macro_rules! shaders {
    ($($(#[$doc:meta])* $constant:ident = $name:literal : [$($part:expr),*];)+) => {
        $($(#[$doc])* pub const $constant: Shader =
            Shader { name: $name, parts: &[DISPATCH, TYPES, $($part,)* include_str!(concat!("../shader/", $name, ".wgsl"))] };)+
        /// All of them.
        #[cfg(test)]
        pub const ALL: &[&Shader] = &[$(&$constant),+];
    };
}

shaders! {
    /// Bounds, largest speed and number of particles.
    MEASURE = "measure": [STEP, TREE];
    /// The step's length, cells and dispatches.
    BEGIN = "begin": [ARGUMENTS, MOTION, TREE, WORKGROUP_SCAN];
    /// Keys of particles.
    KEYS = "keys": [STEP, CELLS];
    /// Columns in the order of cells.
    REORDER = "reorder": [STEP];
    /// Columns back in place.
    PUT_BACK = "put_back": [STEP];
    /// Number of occupied cells.
    INDEX_CELLS = "index_cells": [ARGUMENTS];
    /// Particles around cells.
    ROWS = "rows": [STEP, CELLS];
    /// Neighbour lists.
    NEIGHBORS = "neighbors": [STEP, PAIRS];
    /// Walls near particles.
    SAMPLE = "sample":
        [STEP, MOTION, CONTACTS, SOLIDS, MAPS, WALLS, MAP_WALLS, WALL_TABLE, INTERSECTION];
    /// Whether there was room.
    CHECK = "check": [ARGUMENTS];
    /// Bodies without grains.
    BEGIN_BODIES = "begin_bodies": [STEP, MOTION, CONTACTS, BODIES, LOADS];
    /// Contacts of bodies.
    COUNT_CONTACTS = "count_contacts": [STEP, CONTACTS, BODIES, LOADS];
    /// Shares that contacts take of bodies.
    ATTACH = "attach": [STEP, CONTACTS, BODIES, LOADS];
    /// Forces on bodies.
    SUM_LOADS = "sum_loads": [STEP, TREE, CONTACTS, BODIES, LOADS];
    /// Bodies under these forces.
    PUSH_BODIES = "push_bodies": [STEP, CONTACTS, BODIES, LOADS];
    /// Contacts that move with bodies.
    CARRY = "carry": [STEP, CONTACTS, BODIES];
    /// Density and diagonal.
    DENSITY = "density": [STEP, PAIRS, LIST, CONTACTS, WALL_DENSITY];
    /// Pressure, stress and impulses of the last step.
    WARM_START = "warm_start": [STEP, TREE, RHEOLOGY, CONTACTS];
    /// Air drag.
    DRAG = "drag": [STEP, PAIRS, LIST];
    /// Gravity and viscosity.
    PREDICT = "predict": [STEP, PAIRS, LIST];
    /// Velocities from pressure and stress.
    ACCELERATE = "accelerate": [STEP, PAIRS, LIST, GRADIENTS, RHEOLOGY];
    /// Trial stress of explicit friction.
    FIND_TRIAL = "find_trial": [STEP, PAIRS, LIST, RHEOLOGY, GRADIENTS, VELOCITY_GRADIENT];
    /// Corrections of pressure, stress and impulses.
    PROJECT = "project":
        [STEP, PAIRS, LIST, TREE, RHEOLOGY, CONTACTS, GRADIENTS, VELOCITY_GRADIENT];
    /// Whether another sweep follows.
    DECIDE = "decide": [ARGUMENTS, TREE];
    /// Whether the step ends.
    FINISH = "finish": [ARGUMENTS];
    /// Velocities and positions.
    INTEGRATE = "integrate": [STEP, TREE, SOUNDNESS];
    /// First kick and drift of the weakly compressible solver.
    WEAK_DRIFT = "weak_drift": [STEP, PAIRS, TREE, CONTACTS, WEAK_WALLS, SOUNDNESS];
    /// Its first kick alone.
    WEAK_HALF_KICK = "weak_half_kick": [STEP, CONTACTS];
    /// What walls and bodies take from velocities.
    WEAK_HOLD_BACK = "weak_hold_back": [STEP, CONTACTS, WEAK_WALLS];
    /// Whether lists hold.
    WEAK_LISTS = "weak_lists": [ARGUMENTS, TREE];
    /// Its density and pressure.
    WEAK_DENSITY = "weak_density": [STEP, PAIRS, LIST, GRADIENTS, CONTACTS, WALL_DENSITY, WEAK_PAIRS];
    /// Its normals.
    WEAK_NORMALS = "weak_normals": [STEP, PAIRS, LIST, WEAK_PAIRS];
    /// Its accelerations.
    WEAK_ACCELERATE = "weak_accelerate": [STEP, PAIRS, LIST, GRADIENTS, WEAK_PAIRS];
    /// Its second kick.
    WEAK_KICK = "weak_kick": [STEP, TREE, CONTACTS, WEAK_WALLS, SOUNDNESS];
    /// Friction power.
    DIAGNOSE = "diagnose": [STEP, PAIRS, LIST, TREE, RHEOLOGY, GRADIENTS, VELOCITY_GRADIENT];
    /// Particles in regions.
    MARK = "mark": [STEP, MOTION, SOLIDS, MAPS];
    /// Particles in a box.
    NEAR = "near": [STEP, PAIRS];
    /// Particles for a renderer.
    PUBLISH = "publish": [];
    /// Deformations around guides of fine grains.
    FINE_DEFORM = "fine_deform": [FINE_FRAME, FINE_TABLES, FINE_GUIDES];
    /// Particles as guides.
    FINE_TRACK = "fine_track": [FINE_FRAME];
    /// Guides by cell.
    FINE_CELLS = "fine_cells": [FINE_FRAME];
    /// Cells that get blocks.
    FINE_BLOCKS = "fine_blocks": [MOTION, FINE_FRAME, SOLIDS, MAPS, FINE_WALLS];
    /// Motion of guides at nodes.
    FINE_INTERPOLATE = "fine_interpolate":
        [MOTION, FINE_FRAME, FINE_TABLES, FINE_GUIDES, SOLIDS, MAPS, FINE_WALLS];
    /// Fine grains at nodes and on their grid.
    FINE_COUNT = "fine_count": [FINE_FRAME, FINE_TABLES, FINE_GRID];
    /// Shifts of fine grains at nodes.
    FINE_NODE_SHIFT = "fine_node_shift": [FINE_FRAME, FINE_TABLES];
    /// Nodes of blocks.
    FINE_GATHER = "fine_gather": [FINE_FRAME, FINE_TABLES];
    /// Excess of fine grains on their grid.
    FINE_EXCESS = "fine_excess": [FINE_FRAME, FINE_TABLES];
    /// Advection of fine grains that only guides move.
    FINE_INSIDE = "fine_inside": [FINE_FRAME, FINE_TABLES, FINE_GRID, FINE_MOTION];
    /// The list of the others.
    FINE_LIST = "fine_list": [FINE_FRAME];
    /// Advection of these.
    FINE_MOVE = "fine_move": [
        MOTION, FINE_FRAME, FINE_TABLES, FINE_GUIDES, FINE_GRID, FINE_MOTION, SOLIDS, MAPS, FINE_WALLS, FINE_CONTACT
    ];
    /// The order of fine grains.
    FINE_SORT = "fine_sort": [FINE_FRAME, FINE_TABLES];
    /// The step's report.
    END = "end": [TREE, WORKGROUP_SCAN];
}

/// Overrides that take over numbers of the CPU's solver.
pub fn decide_constants() -> [(&'static str, f64); 2] {
    [("LAYERS_PER_SWEEP", LAYERS_PER_SWEEP), ("LEAST_ITERATIONS", f64::from(LEAST_ITERATIONS))]
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use naga::valid::{Capabilities, ValidationFlags, Validator};

    use super::*;
    use crate::layout::*;
    use crate::primitives::shaders_of_primitives;

    fn module(shader: &Shader) -> naga::Module {
        let source = shader.source();
        let parsed = naga::front::wgsl::parse_str(&source);
        parsed.unwrap_or_else(|error| panic!("{}: {}", shader.name, error.emit_to_string(&source)))
    }

    fn all() -> impl Iterator<Item = &'static Shader> {
        ALL.iter().copied().chain(shaders_of_primitives())
    }

    #[test]
    fn every_shader_is_valid_without_special_capabilities() {
        for shader in all() {
            let validated =
                Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module(shader));
            assert!(validated.is_ok(), "{}: {:?}", shader.name, validated.err());
        }
    }

    #[test]
    fn no_kernel_binds_more_than_eight_storage_buffers() {
        for shader in all() {
            let module = module(shader);
            let storage = |(_, variable): &(_, &naga::GlobalVariable)| {
                matches!(variable.space, naga::AddressSpace::Storage { .. })
            };
            let count = module.global_variables.iter().filter(storage).count();
            assert!(count <= 8, "{}: {count}", shader.name);
        }
    }

    #[test]
    fn no_kernel_takes_more_workgroup_memory_than_every_device_has() {
        for shader in all() {
            let module = module(shader);
            let of_workgroups = module
                .global_variables
                .iter()
                .filter(|(_, variable)| variable.space == naga::AddressSpace::WorkGroup);
            let bytes: u32 = of_workgroups
                .map(|(_, variable)| {
                    module.types[variable.ty].inner.size(module.to_ctx()).next_multiple_of(16)
                })
                .sum();
            assert!(bytes <= 16_384, "{}: {bytes}", shader.name);
        }
    }

    #[test]
    fn every_file_of_shaders_is_in_use() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/shader");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(all().any(|shader| shader.parts.contains(&text.as_str())), "{}", path.display());
        }
    }

    fn layout_of(shader: &Shader, name: &str) -> (Vec<(String, usize)>, usize) {
        let module = module(shader);
        let (_, kind) = module.types.iter().find(|(_, kind)| kind.name.as_deref() == Some(name)).unwrap();
        let naga::TypeInner::Struct { members, span } = &kind.inner else { panic!("{kind:?}") };
        let members = members.iter().map(|m| (m.name.clone().unwrap_or_default(), m.offset as usize));
        (members.filter(|(name, _)| name != "unused").collect(), *span as usize)
    }

    macro_rules! same_layout {
        ($shader:expr, $name:literal, $type:ty: $($field:ident),+) => {
            let (found, span) = layout_of(&$shader, $name);
            let expected: Vec<(String, usize)> =
                vec![$((stringify!($field).to_string(), offset_of!($type, $field))),+];
            assert_eq!(found, expected, $name);
            assert_eq!(span, size_of::<$type>(), $name);
        };
    }

    #[test]
    fn structs_have_the_same_layout_on_both_sides() {
        same_layout!(MEASURE, "Params", Params: gravity, period_origin, period_length, period_inverse, period_cells,
            radius, spacing, support, volume, inverse_support, kernel_sigma, kernel_zero, full_stress,
            pressure_relaxation, stress_relaxation, rest_compaction, least_diagonal, push_out_speed, wall_fill,
            viscosity_factor, viscosity_softening, density_error, friction_error, cfl, longest_step, viscous_step,
            layer_pressure, fixed_step, least_iterations, most_iterations, boundary_count, slot_capacity,
            contact_capacity, cell_capacity, report_capacity, wall_table, capacity, list_base,
            sure_sweeps, wall_count, sound_speed, reach, skin);
        same_layout!(MEASURE, "Material", MaterialRecord: density, inverse_density, yield_slope, fast_slope,
            grain_diameter, cohesion, viscosity, wall_friction, mass, fluid, warm_start, stiffness, tait_exponent,
            dynamic_viscosity, damping, surface_force, smoothing);
        same_layout!(MEASURE, "Step", StepRecord: cell_scale, cell_origin, cell_min, cell_range, cell_bits, phase,
            sort_count, count, removed, dt, inverse_dt, elapsed, length, iteration, least, limited, converged,
            density_error, friction_error, reports, most_reports, slots, contact_half, sort_passes, cell_count,
            slots_needed, contacts_needed, cells_needed, last_step, kicked, listed, wall_way, list_slots, pass_room);
        same_layout!(END, "Report", ReportRecord: dt, elapsed, density_error, friction_error, max_speed,
            kinetic_energy, friction_power, iterations, converged, limited, lost, dropped, neighbors, count, slot);
        same_layout!(BEGIN, "Pose", PoseRecord: rotation, translation, pivot, linear, angular, shape_pivot, low, high,
            solids);
        same_layout!(BEGIN, "Segment", SegmentRecord: from_time, to_time, fastest, fastest_turn, axis, pivot,
            velocity, pivot_2, pivot_3);
        same_layout!(ATTACH, "Body", BodyRecord: center, begin_linear, begin_angular, inertia_x, inertia_y, inertia_z,
            linear, angular, force, torque);
        same_layout!(DENSITY, "Contact", ContactRecord: normal, velocity, impulse, friction, wall, give);
    }
}
