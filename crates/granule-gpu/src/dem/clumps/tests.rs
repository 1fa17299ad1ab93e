//! How rigid grains turn in shaders against the CPU's, and the table.

use glam::{DQuat, DVec3, Vec3};
use granule::assemblies::{Assembly, MassProperties, NewAssembly, Sphere};
use granule::clumps::PlacedAssembly;
use granule::position::{ExactPosition, QUANTUM};
use granule::random::Random;

use super::{ClumpRecord, Clumps, InertiaRecord};
use crate::core::layout::{MOST_MATERIALS, MaterialRecord, Params};
use crate::core::shaders::{CONSTANTS, MOTION, TYPES as SHARED_TYPES};
use crate::dem::layout::{LawRecord, MOST_LAWS, ParamsRecord};
use crate::dem::shaders::{CLUMP_ARMS, CLUMP_MOTION, CLUMPS, POSITION, TYPES};
use crate::kernel::Access::{Read, Write};
use crate::kernel::{Kernel, KernelPlan, Shader, SharedLayout, WORKGROUP};
use crate::primitives::DISPATCH;
use crate::testing::{gpu, run, storage, uniform};

const COUNT: usize = 500;
const STEPS: usize = 100;
const DT: f64 = 4e-5;

const TWIN: Shader = Shader {
    name: "turning twin",
    parts: &[
        DISPATCH,
        SHARED_TYPES,
        TYPES,
        MOTION,
        POSITION,
        CLUMPS,
        CLUMP_MOTION,
        CLUMP_ARMS,
        "
struct Inertia {
    moments: vec4<f32>,
    shape_from_principal: vec4<f32>,
}

@group(0) @binding(0) var<storage, read_write> clumps: array<Clump>;
@group(0) @binding(1) var<storage, read> inertias: array<Inertia>;
@group(0) @binding(2) var<storage, read> offsets: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> places: array<vec4<u32>>;

@compute @workgroup_size(256)
fn twin(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= arrayLength(&clumps) {
        return;
    }
    var clump = clumps[i];
    let inertia = inertias[i];
    for (var k = 0u; k < 100u; k++) {
        let turned = rotate_freely(
            clump.turned,
            inertia.shape_from_principal,
            rotation_of_clump(clump),
            inertia.moments.xyz,
            4e-5,
        );
        clump = reoriented(clump, turned.change);
        clump.spin = turned.middle;
    }
    clumps[i] = clump;
    let place = place_of_member(clump, offsets[i].xyz).point;
    places[2u * i] = vec4(place.x, place.y);
    places[2u * i + 1u] = vec4(place.z, 0u, 0u);
}
",
    ],
};

fn assembly(random: &mut Random, k: usize) -> Assembly {
    let mut vector = |scale: f64| -> DVec3 {
        scale * DVec3::new(random.signed().into(), random.signed().into(), random.signed().into())
    };
    let inertia = DVec3::splat(1e-9) + 0.6e-9 * vector(1.0);
    let axes = DQuat::from_scaled_axis(vector(3.0));
    let properties = MassProperties { mass: 1e-4, center: DVec3::ZERO, inertia, shape_from_principal: axes };
    // From standing still to a tenth of a radian per step.
    let spin = vector(2000.0 * 10f64.powi(-(k as i32 % 9)));
    let mut assembly = Assembly {
        id: k as u32,
        position: ExactPosition::from_meters(vector(2.0)).unwrap(),
        orientation: DQuat::from_scaled_axis(vector(3.0)),
        momentum: DVec3::ZERO,
        angular_momentum: DVec3::ZERO,
        properties,
    };
    assembly.set_angular_velocity(spin);
    assembly
}

fn record_of(assembly: &Assembly) -> ClumpRecord {
    let mut record =
        ClumpRecord { inverse_mass: (1.0 / assembly.properties.mass) as f32, ..ClumpRecord::default() };
    record.put(assembly.position, assembly.orientation);
    record.move_with(assembly.momentum, assembly.angular_momentum, &assembly.properties);
    record
}

/// A hundred steps of free rotation, however slow: the way turned is that of the CPU to single precision of itself; orientations keep
/// their length; members are where these have them.
#[test]
fn rotation_and_places_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random::new(31);
    let mut grains: Vec<Assembly> = (0..COUNT).map(|k| assembly(&mut random, k)).collect();
    let sizes = |k: usize| 0.01 * 10f32.powi(-(k as i32 % 4));
    let offsets: Vec<Vec3> =
        (0..COUNT).map(|k| sizes(k) * Vec3::new(random.signed(), random.signed(), random.signed())).collect();
    let records: Vec<ClumpRecord> = grains.iter().map(record_of).collect();
    let inertia: Vec<InertiaRecord> = grains.iter().map(|a| InertiaRecord::of(&a.properties)).collect();
    let rows: Vec<[f32; 4]> = offsets.iter().map(|d| d.extend(0.0).to_array()).collect();
    let layout = SharedLayout::new(&gpu, "constants", CONSTANTS);
    let plan = KernelPlan {
        shader: &TWIN,
        entry: "twin",
        access: &[Write, Read, Read, Write],
        shared: &[&layout],
        constants: &[],
    };
    let shared = [
        uniform(&gpu, &[Params::default()]),
        uniform(&gpu, &vec![MaterialRecord::default(); MOST_MATERIALS]),
        uniform(&gpu, &[ParamsRecord::default()]),
        uniform(&gpu, &vec![LawRecord::default(); MOST_LAWS]),
    ];
    let buffers = [
        storage(&gpu, &records),
        storage(&gpu, &inertia),
        storage(&gpu, &rows),
        storage(&gpu, &vec![[0u32; 8]; COUNT]),
    ];
    let shared = layout.bind(&gpu, &shared.each_ref());
    let bound = Kernel::new(&gpu, &plan).bind_shared(&gpu, &buffers.each_ref(), &[&shared]);
    run(&gpu, |pass| bound.dispatch(pass, (COUNT as u32).div_ceil(WORKGROUP)));
    let read =
        |buffer: &wgpu::Buffer, bytes: usize| gpu.read_buffer(buffer, 0, (bytes * COUNT) as u64).unwrap();
    let found: Vec<ClumpRecord> = bytemuck::pod_collect_to_vec(&read(&buffers[0], size_of::<ClumpRecord>()));
    let places: Vec<[i64; 4]> = bytemuck::pod_collect_to_vec(&read(&buffers[3], 32));
    for (k, grain) in grains.iter_mut().enumerate() {
        let before = grain.orientation;
        let mut middle = DVec3::ZERO;
        (0..STEPS).for_each(|_| middle = grain.drift(DT).0);
        let now = found[k].orientation();
        let turned = (STEPS as f64 * DT) * middle.length();
        assert!(now.dot(before) > 0.5 || turned > 0.1, "{k}");
        let wrong = (now.normalize() - grain.orientation).length();
        // Series of rounding: each step keeps seven digits, and quanta are 2^-48.
        assert!(wrong < 3e-6 * turned + 2.0 * STEPS as f64 * QUANTUM, "{k}: {wrong:e} of {turned:e}");
        assert!((now.length() - 1.0).abs() < 1e-10, "{k}: length {:e}", now.length() - 1.0);
        let spin = Vec3::from(found[k].spin).as_dvec3();
        assert!((spin - middle).length() < 1e-5 * middle.length(), "{k}: {spin} {middle}");
        let mut expected = grain.position;
        assert!(expected.advance_meters(now * offsets[k].as_dvec3()));
        let place = ExactPosition { quanta: [places[k][0], places[k][1], places[k][2]] };
        let apart = (place.to_meters() - expected.to_meters()).length();
        assert!(apart < 1e-10 * f64::from(sizes(k)) + 4.0 * QUANTUM, "{k}: {apart:e}");
    }
}

fn placed(first: usize, count: usize) -> PlacedAssembly {
    let spheres = vec![Sphere { center: Vec3::ZERO, radius: 0.01 }; count];
    let properties = MassProperties {
        mass: 1.0,
        center: DVec3::ZERO,
        inertia: DVec3::ONE,
        shape_from_principal: DQuat::IDENTITY,
    };
    let assembly = NewAssembly {
        position: ExactPosition::default(),
        orientation: DQuat::IDENTITY,
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        properties,
        spheres,
    };
    PlacedAssembly { first, assembly }
}

/// Slots of grains that are gone are taken again by grains of as many spheres; ids are never used twice.
#[test]
fn slots_are_taken_again() {
    let mut clumps = Clumps::with_room(&[placed(0, 4), placed(4, 3)]);
    assert_eq!(clumps.push(&placed(0, 4).assembly, 0..), 0);
    assert_eq!(clumps.push(&placed(4, 3).assembly, 4..), 1);
    let mut records = [ClumpRecord { count: 4, sound: 1.0, ..ClumpRecord::default() }; 2];
    records[0].count = 0;
    let (new, other) = ([placed(0, 4)], [placed(0, 3)]);
    assert!(!clumps.has_room(&new));
    clumps.make_room(&new, &records);
    assert_eq!(clumps.room, [2, 7]);
    assert_eq!(clumps.push(&new[0].assembly, 7..), 0);
    assert_eq!(clumps.first_sphere(0), Some(7));
    clumps.make_room(&other, &records[1..]);
    assert_eq!(clumps.push(&other[0].assembly, 11..), 2);
    assert!(clumps.room[0] >= 3 && clumps.room[1] >= 10, "{:?}", clumps.room);
    records[0].count = 4;
    let all = [records[0], records[1], records[0]];
    let saved = clumps.save(&all);
    assert_eq!(saved.assembly.iter().map(|a| a.id).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(
        saved.member.iter().map(|m| m.particle).collect::<Vec<_>>(),
        [4, 5, 6, 7, 8, 9, 10, 11, 12, 13]
    );
}
