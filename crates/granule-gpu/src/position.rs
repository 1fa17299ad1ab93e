//! Exact positions on a device against those of the CPU, bit for bit, and what they are for: a slow grain far out, and
//! overlaps there. Solvers with exact positions take `shader/position.wgsl` among their files.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};
use granule::position::{ExactDomain, ExactPosition};
use granule::random::Random;
use granule_device::GpuDevice;

use crate::kernel::Access::{Read, Write};
use crate::kernel::{Kernel, KernelPlan, Shader, WORKGROUP};
use crate::primitives::DISPATCH;
use crate::testing::{gpu, run, storage};

/// Exact positions and kernels that try them.
pub const TWIN: Shader = Shader {
    name: "position",
    parts: &[
        DISPATCH,
        include_str!("../shader/position.wgsl"),
        "
struct Case {
    a: ExactPosition,
    b: ExactPosition,
    way: array<f32, 3>,
    dt: f32,
}

struct Found {
    advanced: ExactPosition,
    wrapped: ExactPosition,
    difference: array<f32, 3>,
    nearest: array<f32, 3>,
    single: array<f32, 3>,
    sound: u32,
}

@group(0) @binding(0) var<storage, read> domain: ExactDomain;
@group(0) @binding(1) var<storage, read> cases: array<Case>;
@group(0) @binding(2) var<storage, read_write> found: array<Found>;

fn parts(v: vec3<f32>) -> array<f32, 3> {
    return array(v.x, v.y, v.z);
}

@compute @workgroup_size(256)
fn compare(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3<u32>) {
    let i = thread_number(workgroup, thread);
    if i < arrayLength(&cases) {
        let given = cases[i];
        let advanced = advance_position(given.a, vec3(given.way[0], given.way[1], given.way[2]));
        found[i].advanced = advanced.point;
        found[i].sound = u32(advanced.sound);
        found[i].wrapped = wrap_position(domain, given.a);
        found[i].difference = parts(position_difference(given.a, given.b));
        found[i].nearest = parts(nearest_position_difference(domain, given.a, given.b));
        found[i].single = parts(position_meters(given.a));
    }
}

// LEG steps with the velocity `way`, exact and in single precision. A driver in software ends loops after 65535 rounds.
const LEG = 50000u;

@compute @workgroup_size(256)
fn march(@builtin(local_invocation_index) thread: u32) {
    if thread < arrayLength(&cases) {
        let given = cases[thread];
        let velocity = vec3(given.way[0], given.way[1], given.way[2]);
        var point = given.a;
        var single = position_meters(point);
        var sound = true;
        for (var k = 0u; k < LEG; k++) {
            let next = advance_position(point, velocity * given.dt);
            point = next.point;
            sound = sound && next.sound;
            single += velocity * given.dt;
        }
        found[thread].advanced = point;
        found[thread].single = parts(single);
        found[thread].sound = u32(sound);
    }
}

// Overlaps of spheres of diameter `dt`, exact and in single precision.
@compute @workgroup_size(256)
fn overlap(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3<u32>) {
    let i = thread_number(workgroup, thread);
    if i < arrayLength(&cases) {
        let given = cases[i];
        found[i].difference[0] = given.dt - length(position_difference(given.a, given.b));
        found[i].single[0] = given.dt - length(position_meters(given.a) - position_meters(given.b));
    }
}
",
    ],
};

/// Steps that `march` takes at once.
const LEG: usize = 50_000;

/// What a kernel works on.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Case {
    a: ExactPosition,
    b: ExactPosition,
    way: [f32; 3],
    dt: f32,
}

/// What it finds.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Found {
    advanced: ExactPosition,
    wrapped: ExactPosition,
    difference: [f32; 3],
    nearest: [f32; 3],
    single: [f32; 3],
    sound: u32,
}

fn run_twin(gpu: &GpuDevice, entry: &'static str, domain: &ExactDomain, cases: &[Case]) -> Vec<Found> {
    let access = [Read, Read, Write];
    let plan = KernelPlan { shader: &TWIN, entry, access: &access, shared: &[], constants: &[] };
    let found = storage(gpu, &vec![Found::zeroed(); cases.len()]);
    let buffers = [storage(gpu, std::slice::from_ref(domain)), storage(gpu, cases), found];
    let bound = Kernel::new(gpu, &plan).bind(gpu, &buffers.each_ref());
    run(gpu, |pass| bound.dispatch(pass, (cases.len() as u32).div_ceil(WORKGROUP)));
    let bytes = (cases.len() * size_of::<Found>()) as u64;
    bytemuck::pod_collect_to_vec(&gpu.read_buffer(&buffers[2], 0, bytes).unwrap())
}

/// Coordinates at carries, signs and ends, and displacements at every kind of rounding.
fn awkward() -> (Vec<i64>, Vec<f32>) {
    let word = 1_i64 << 32;
    let mut coordinates = vec![0, 1, 2, word - 1, word, word + 1, i64::MAX, i64::MAX - 1, 1 << 62, 10 << 48];
    coordinates.extend([(1 << 24) - 1, 1 << 24, (1 << 24) + 1, (3 << 24) + 2, (1 << 40) + (1 << 15)]);
    coordinates.extend([
        (1 << 40) + (1 << 16),
        (1 << 40) + (3 << 15),
        (1 << 56) - 1,
        (1 << 56) + (1 << 31) + 1,
    ]);
    let mirrored: Vec<i64> = coordinates.iter().map(|quanta| -quanta).collect();
    coordinates.extend(mirrored);
    coordinates.push(i64::MIN);
    let quantum = 2f32.powi(-48);
    let mut ways = vec![0.0, 0.5, 0.51, 1.0, 1.5, 2.5, 3.5, 8_388_607.5, 8_388_608.5, 16_777_215.0];
    ways.iter_mut().for_each(|way| *way *= quantum);
    ways.extend([
        f32::from_bits(1),
        f32::MIN_POSITIVE,
        2f32.powi(-25),
        1e-11,
        1e-6,
        1.0,
        12.34567,
        32767.998,
    ]);
    ways.extend([32768.0, 1e6, f32::MAX, f32::INFINITY]);
    let mirrored: Vec<f32> = ways.iter().map(|way| -way).collect();
    ways.extend(mirrored);
    ways.push(f32::NAN);
    (coordinates, ways)
}

/// All pairs of awkward numbers, and random ones of every size.
fn cases() -> Vec<Case> {
    let (coordinates, ways) = awkward();
    let at = |k: usize| coordinates[k % coordinates.len()];
    let point = |k: usize| ExactPosition { quanta: [at(k), at(k / 3 + 5), at(7 * k + 1)] };
    let way = |k: usize| [0, 11, 17].map(|by| ways[(k + by) % ways.len()]);
    let mut cases = Vec::new();
    for i in 0..coordinates.len() {
        for j in 0..ways.len().max(coordinates.len()) {
            cases.push(Case { a: point(i), b: point(j), way: way(j), dt: 0.0 });
        }
    }
    let mut random = Random::new(18);
    let sized = |random: &mut Random| (random.bits() as i64) >> (random.bits() % 64);
    for _ in 0..20_000 {
        let [a, b] = [0; 2].map(|_: i32| ExactPosition { quanta: [0; 3].map(|_: i32| sized(&mut random)) });
        let way = [0; 3].map(|_: i32| random.signed() * 2f32.powi((random.bits() % 68) as i32 - 52));
        cases.push(Case { a, b, way, dt: 0.0 });
    }
    cases
}

fn domains() -> Vec<ExactDomain> {
    let quanta = |origin: [i64; 3], length: [i64; 3]| bytemuck::cast([origin, length]);
    vec![
        ExactDomain::default(),
        ExactDomain::new([Some([-0.25, 0.5]), None, Some([2.0, 3.3])]).unwrap(),
        quanta([-1, 5, i64::MIN + 1], [1, (1 << 32) + 1, i64::MAX]),
    ]
}

#[test]
fn exact_positions_are_those_of_the_cpu_bit_for_bit() {
    let Some(gpu) = gpu() else { return };
    let cases = cases();
    let bits = |v: Vec3| v.to_array().map(f32::to_bits);
    for domain in domains() {
        let all = run_twin(&gpu, "compare", &domain, &cases);
        for (case, found) in cases.iter().zip(&all) {
            let mut advanced = case.a;
            let sound = advanced.advance(Vec3::from(case.way));
            assert_eq!((found.advanced, found.sound), (advanced, u32::from(sound)), "advance {case:?}");
            assert_eq!(found.wrapped, domain.wrap(case.a), "wrap {case:?} in {domain:?}");
            assert_eq!(found.difference.map(f32::to_bits), bits(case.a.difference(case.b)), "{case:?}");
            let nearest = domain.difference(case.a, case.b);
            assert_eq!(found.nearest.map(f32::to_bits), bits(nearest), "{case:?} in {domain:?}");
            assert_eq!(found.single.map(f32::to_bits), bits(case.a.to_vec3()), "{case:?}");
        }
    }
}

/// At 10 m and 1e-6 m/s, a million steps of 1e-5 s: 1e-5 m in all, ten grid steps of single precision.
#[test]
fn a_slow_grain_far_out_moves_by_its_speed_times_time() {
    let Some(gpu) = gpu() else { return };
    let (speed, dt) = (1e-6_f32, 1e-5_f32);
    let begin = ExactPosition::new(Vec3::new(10.0, -10.0, 0.0)).unwrap();
    let way = [speed, -speed, speed];
    let mut end = begin;
    for _ in 0..1_000_000 / LEG {
        let case = Case { a: end, b: end, way, dt };
        let found = run_twin(&gpu, "march", &ExactDomain::default(), &[case])[0];
        assert_eq!(found.sound, 1);
        // The negative control: single precision does not move at 10 m.
        assert_eq!(found.single[..2], end.to_vec3().to_array()[..2]);
        end = found.advanced;
    }
    let expected = 1e6 * f64::from(speed) * f64::from(dt);
    let moved = end.to_meters() - begin.to_meters();
    for moved in [moved.x, -moved.y, moved.z] {
        assert!((moved / expected - 1.0).abs() < 0.01, "{moved} instead of {expected}");
    }
    // And the CPU takes the same steps.
    let mut point = begin;
    let steps = (0..1_000_000).all(|_| point.advance(Vec3::from(way) * dt));
    assert!(steps && point == end);
}

#[test]
fn overlaps_far_out_are_exact_to_a_millionth_of_a_diameter() {
    let Some(gpu) = gpu() else { return };
    let (diameter, depth) = (1e-3_f32, 1e-4);
    let mut random = Random::new(4);
    let first = DVec3::splat(10.0);
    let cases: Vec<Case> = (0..1000)
        .map(|_| {
            let direction = Vec3::new(random.signed(), random.signed(), 0.1 + random.unit()).as_dvec3();
            let second = first + (1.0 - depth) * f64::from(diameter) * direction.normalize();
            let [a, b] = [first, second].map(|x| ExactPosition::from_meters(x).unwrap());
            Case { a, b, way: [0.0; 3], dt: diameter }
        })
        .collect();
    let found = run_twin(&gpu, "overlap", &ExactDomain::default(), &cases);
    let worst = |overlap: fn(&Found) -> f32| {
        let error = |f: &Found| (f64::from(overlap(f)) / f64::from(diameter) - depth).abs();
        found.iter().map(error).fold(0.0, f64::max)
    };
    let (exact, single) = (worst(|f| f.difference[0]), worst(|f| f.single[0]));
    assert!(exact < 1e-6, "{exact} d");
    // The negative control: single precision is wrong by more than the overlap.
    assert!(single > depth, "{single} d");
}
