//! The shaders of fine grains, each put together from the files that it needs; those of the methods are in their folders. The
//! tests look at all.

use crate::core::shaders::{MAPS, MOTION, SOLIDS, TYPES};
use crate::kernel::Shader;
use crate::primitives::DISPATCH;

const FINE_FRAME: &str = include_str!("../shader/fine_frame.wgsl");
const FINE_TABLES: &str = include_str!("../shader/fine_tables.wgsl");
const FINE_GUIDES: &str = include_str!("../shader/fine_guides.wgsl");
const FINE_WALLS: &str = include_str!("../shader/fine_walls.wgsl");
const FINE_GRID: &str = include_str!("../shader/fine_grid.wgsl");
const FINE_MOTION: &str = include_str!("../shader/fine_motion.wgsl");
const FINE_CONTACT: &str = include_str!("../shader/fine_contact.wgsl");
const FINE_RADIUS: &str = include_str!("../shader/fine_radius.wgsl");

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
    /// Fine grains for a renderer.
    FINE_PUBLISH = "fine_publish": [FINE_RADIUS];
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
        MOTION, FINE_FRAME, FINE_TABLES, FINE_GUIDES, FINE_GRID, FINE_MOTION, SOLIDS, MAPS, FINE_WALLS, FINE_CONTACT,
        FINE_RADIUS
    ];
    /// The order of fine grains.
    FINE_SORT = "fine_sort": [FINE_FRAME, FINE_TABLES];
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use naga::valid::{Capabilities, ValidationFlags, Validator};

    use super::*;
    use crate::core::hooks::Hooks;
    use crate::core::layout::*;
    use crate::core::shaders::{self as shared, hooked};
    use crate::primitives::shaders_of_primitives;
    use crate::{dem, iisph, pbd, wcsph};

    /// A shader as a device gets it: with what the method has hooked in.
    struct Whole {
        name: String,
        source: String,
        parts: Vec<&'static str>,
    }

    impl Whole {
        fn plain(shader: &Shader) -> Self {
            Self { name: shader.name.into(), source: shader.source(), parts: shader.parts.to_vec() }
        }

        fn module(&self) -> naga::Module {
            let parsed = naga::front::wgsl::parse_str(&self.source);
            parsed.unwrap_or_else(|error| panic!("{}: {}", self.name, error.emit_to_string(&self.source)))
        }
    }

    /// The shared shaders with what a method has hooked in; drag only where it has some.
    fn with_hooks(method: &str, hooks: &Hooks) -> Vec<Whole> {
        let whole = |part: &&shared::Hooked| {
            let hook = (part.hook)(hooks);
            let parts = [part.shader.parts, &[hooks.types, hooks.traits, hook]].concat();
            let name = format!("{} of {method}", part.shader.name);
            Whole { name, source: part.shader.source() + "\n" + &hooks.text(hook), parts }
        };
        let has = |part: &&&shared::Hooked| part.shader.name != "drag" || !hooks.drag.is_empty();
        hooked::ALL.iter().filter(has).map(whole).collect()
    }

    fn all() -> Vec<Whole> {
        let plain = ALL.iter().chain(shared::ALL).chain(iisph::shaders::ALL).chain(wcsph::shaders::ALL);
        let plain = plain.chain(dem::shaders::ALL).chain(pbd::shaders::ALL).chain(pbd::shaders::OF_DEM);
        let plain =
            plain.copied().chain(shaders_of_primitives()).chain([&crate::position::TWIN]).map(Whole::plain);
        let methods = [
            ("plain", Hooks::PLAIN),
            ("iisph", iisph::shaders::HOOKS),
            ("wcsph", wcsph::shaders::HOOKS),
            ("dem", dem::shaders::HOOKS),
            ("pbd", pbd::shaders::HOOKS),
        ];
        plain.chain(methods.iter().flat_map(|(name, hooks)| with_hooks(name, hooks))).collect()
    }

    #[test]
    fn every_shader_is_valid_without_special_capabilities() {
        for shader in all() {
            let validated =
                Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&shader.module());
            assert!(validated.is_ok(), "{}: {:?}", shader.name, validated.err());
        }
    }

    #[test]
    fn no_kernel_binds_more_than_eight_storage_buffers() {
        for shader in all() {
            let module = shader.module();
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
            let module = shader.module();
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

    /// All files in a folder and the folders in it.
    fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
    }

    #[test]
    fn every_file_of_shaders_is_in_use() {
        let shaders = all();
        for path in files(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/shader"))) {
            let text = std::fs::read_to_string(&path).unwrap();
            // A part may be several files.
            let used = |shader: &Whole| shader.parts.iter().any(|part| part.contains(&text));
            assert!(!text.is_empty() && shaders.iter().any(used), "{}", path.display());
        }
    }

    fn layout_of(shader: &str, name: &str) -> (Vec<(String, usize)>, usize) {
        let module = all().iter().find(|whole| whole.name == shader).unwrap().module();
        let (_, kind) = module.types.iter().find(|(_, kind)| kind.name.as_deref() == Some(name)).unwrap();
        let naga::TypeInner::Struct { members, span } = &kind.inner else { panic!("{kind:?}") };
        let members = members.iter().map(|m| (m.name.clone().unwrap_or_default(), m.offset as usize));
        (members.filter(|(name, _)| name != "unused").collect(), *span as usize)
    }

    macro_rules! same_layout {
        ($shader:expr, $name:literal, $type:ty: $($field:ident),+) => {
            let (found, span) = layout_of($shader, $name);
            let expected: Vec<(String, usize)> =
                vec![$((stringify!($field).to_string(), offset_of!($type, $field))),+];
            assert_eq!(found, expected, $name);
            assert_eq!(span, size_of::<$type>(), $name);
        };
    }

    #[test]
    fn structs_have_the_same_layout_on_both_sides() {
        same_layout!("keys", "Params", Params: gravity, period_origin, period_length, period_inverse, period_cells,
            radius, spacing, support, volume, inverse_support, kernel_sigma, kernel_zero, push_out_speed, wall_fill,
            cfl, longest_step, viscous_step, fixed_step, boundary_count, slot_capacity, contact_capacity,
            cell_capacity, report_capacity, wall_table, capacity, list_base, wall_count, reach, skin);
        same_layout!("keys", "Material", MaterialRecord: density, inverse_density, wall_friction, mass);
        same_layout!("keys", "Step", StepRecord: cell_scale, cell_origin, cell_min, cell_range, cell_bits, phase,
            sort_count, count, removed, dt, inverse_dt, elapsed, length, iteration, least, limited, converged,
            density_error, friction_error, reports, most_reports, slots, contact_half, sort_passes, cell_count,
            slots_needed, contacts_needed, cells_needed, last_step, progress, listed, wall_displacement, list_slots,
            pass_capacity, momentum_began, lowest_error, remembered, list_count, wall_half,
            steps_of_frame, steps_left, near_walls, list_skin, memory_dt,
            pair_count, skin_steps);
        same_layout!("end of plain", "Report", ReportRecord: dt, elapsed, density_error, friction_error, max_speed,
            kinetic_energy, friction_power, iterations, converged, limited, lost, dropped, neighbors, count, slot,
            wall_half);
        same_layout!("begin of plain", "Pose", PoseRecord: rotation, translation, pivot, linear, angular, shape_pivot,
            low, high, solids, rest);
        same_layout!("begin of plain", "MotionSegment", MotionSegmentRecord: from_time, to_time, fastest, fastest_turn,
            axis, pivot, velocity, pivot_2, pivot_3, base);
        same_layout!("attach of plain", "Body", BodyRecord: center, begin_linear, begin_angular, inertia_x, inertia_y,
            inertia_z, linear, angular, force, torque);
        same_layout!("warm_start", "Contact", ContactRecord: normal, velocity, impulse, friction, wall,
            mass_splitting);
        same_layout!("warm_start", "IisphParams", iisph::layout::ParamsRecord: full_stress, pressure_relaxation,
            stress_relaxation, rest_compaction, least_diagonal, viscosity_factor, viscosity_softening, density_error,
            friction_error, layer_pressure, least_iterations, most_iterations, sure_iterations);
        same_layout!("warm_start", "Rheology", iisph::layout::RheologyRecord: yield_slope, fast_slope, grain_diameter,
            cohesion, viscosity, fluid, warm_start);
        same_layout!("kick", "WcsphParams", wcsph::layout::ParamsRecord: sound_speed);
        same_layout!("kick", "Fluid", wcsph::layout::FluidRecord: stiffness, tait_exponent, dynamic_viscosity, damping,
            surface_force, smoothing);
        same_layout!("sweep_colours", "PbdParams", pbd::layout::ParamsRecord: origin_xy, origin_z, length_xy, length_z,
            least_skin, most_skin, largest, gravity, push_speed, material_count, wall_laws, first_member, mean_skin,
            inverse_brick);
        same_layout!("shaped_project", "ShapedBody", pbd::layout::ShapedRecord: clump, moments,
            shape_from_principal, force, torque, radius, weight, lost);
        same_layout!("sweep_colours", "Law", pbd::layout::LawRecord: friction, rolling, restitution, tension);
        same_layout!("touch", "DemParams", dem::layout::ParamsRecord: origin_xy, origin_z, length_xy, length_z, lasting,
            skin, material_count, wall_laws, motion);
        same_layout!("touch", "CellMotion", dem::layout::CellMotionRecord: center_xy, center_z, center, stretch, slowing, rate,
            since_listed, squeeze, steers);
        same_layout!("strain_cell", "CellState", dem::layout::CellStateRecord: center, half_length, fraction, steps, rate,
            stress, listed);
        same_layout!("strain_cell", "CellSettings", dem::layout::CellSettingsRecord: given, pressure, max_rate, start);
        same_layout!("strain_cell", "StrainedCell", dem::layout::CellRecord: state, settings);
        same_layout!("touch", "Law", dem::layout::LawRecord: stiffness, surface_energy, damping_factor,
            tangential_stiffness, damping_ratio, friction, rolling_stiffness, rolling_damping, rolling_friction,
            twisting_stiffness, twisting_damping, twisting_friction, liquid_volume, liquid_tension, rupture_distance);
        same_layout!("clump_drift", "Clump", dem::layout::ClumpRecord: center_xy, center_z, first, count,
            orientation_xy, orientation_zw, velocity_xy, velocity_z, inverse_mass, sound, rotation_xy, rotation_z, spin, energy,
            turned);
        same_layout!("clump_drift", "Member", dem::layout::MemberRecord: offset, radius, row, id, mass, is_first);
        same_layout!("clump_drift", "Acting", dem::layout::ActingRecord: force, known, torque);
        same_layout!("clump_drift", "Inertia", dem::layout::InertiaRecord: moments, shape_from_principal);
        same_layout!("body_drift", "Flight", dem::layout::FlightRecord: clump, force, torque, servo);
        same_layout!("body_drift", "FlightShape", dem::layout::FlightShapeRecord: inertia, center, servo);
        same_layout!("lead_servos", "Servo", dem::layout::ServoRecord: way, speed, load, middle_speed);
        same_layout!("lead_servos", "ServoShape", dem::layout::ServoShapeRecord: direction, inverse_mass, damping, fastest,
            start);
        same_layout!("touch_walls", "WallTouch", dem::layout::WallTouchRecord: first, second, normal, wall, owner,
            unused_1, unused_2);
    }
}
