//! Keys of pairs and the correction of a contact in shaders against those of the CPU, on random ones.

use granule::random::Random;
use granule::solver::pbd::colour::key;
use granule::solver::pbd::contact::{Contact, Impulse, correct, push};

use super::shaders::{CONTACT, KEYS, TYPES};
use crate::core::shaders::{STEP, TYPES as SHARED_TYPES};
use crate::kernel::Access::{Read, Write};
use crate::kernel::{Kernel, KernelPlan, Shader, WORKGROUP};
use crate::primitives::DISPATCH;
use crate::testing::{gpu, run, storage};

const COUNT: usize = 2000;

/// Vectors that go in and come out for each.
const WIDE: [usize; 2] = [7, 3];

const TWIN: Shader = Shader {
    name: "twin of pbd",
    parts: &[
        DISPATCH,
        SHARED_TYPES,
        TYPES,
        STEP,
        KEYS,
        CONTACT,
        "
@group(0) @binding(0) var<storage, read> inputs: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> outputs: array<vec4<u32>>;

fn numbers(i: u32, k: u32) -> vec4<f32> {
    return bitcast<vec4<f32>>(inputs[7u * i + k]);
}

// Normal, least; masses, friction; rolling, hold, ids; u, old normal; turning; old tangent, gap; old rolling.
@compute @workgroup_size(256)
fn twin(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if 7u * i >= arrayLength(&inputs) {
        return;
    }
    let a = numbers(i, 0u);
    let b = numbers(i, 1u);
    let c = numbers(i, 2u);
    let u = numbers(i, 3u);
    let tangent = numbers(i, 5u);
    let contact = Contact(a.xyz, a.w, b.x, b.y, b.z, b.w, c.x, c.y);
    let old = Impulse(u.w, tangent.xyz, numbers(i, 6u).xyz);
    let now = correct_contact(contact, u.xyz, numbers(i, 4u).xyz, old);
    outputs[3u * i] = bitcast<vec4<u32>>(vec4(now.normal, now.tangent));
    outputs[3u * i + 1u] = bitcast<vec4<u32>>(vec4(now.rolling, push_apart(tangent.w, 0.02, 1e-4)));
    outputs[3u * i + 2u] = vec4(pair_key(inputs[7u * i + 2u].z, inputs[7u * i + 2u].w), 0u, 0u);
}
",
    ],
};

fn vector(random: &mut Random, size: f32) -> [f32; 3] {
    [(); 3].map(|_| size * (2.0 * random.unit() - 1.0))
}

/// A contact, and what its surfaces do.
struct Case {
    contact: Contact<f32>,
    u: [f32; 3],
    turning: [f32; 3],
    old: Impulse<f32>,
    gap: f32,
    ids: [u32; 2],
}

impl Case {
    fn new(random: &mut Random) -> Self {
        let normal = glam::Vec3::from(vector(random, 1.0)).normalize().to_array();
        let contact = Contact {
            normal,
            least: -random.unit(),
            mass: 0.01 * random.unit(),
            tangential_mass: 0.01 * random.unit(),
            rolling_mass: 1e-6 * random.unit(),
            friction: random.unit(),
            rolling: 0.001 * random.unit(),
            hold: 0.002 * random.unit(),
        };
        let old = Impulse {
            normal: 0.02 * random.unit(),
            tangent: vector(random, 0.02),
            rolling: vector(random, 2e-5),
        };
        let id = |random: &mut Random| (random.unit() * 16e6) as u32 * 250;
        Self {
            contact,
            u: vector(random, 2.0),
            turning: vector(random, 50.0),
            old,
            gap: 0.002 * (random.unit() - 0.7),
            ids: [id(random), id(random)],
        }
    }

    fn rows(&self) -> [[f32; 4]; 7] {
        let (c, old) = (&self.contact, &self.old);
        let with = |v: [f32; 3], w: f32| [v[0], v[1], v[2], w];
        let [low, high] = self.ids.map(f32::from_bits);
        [
            with(c.normal, c.least),
            [c.mass, c.tangential_mass, c.rolling_mass, c.friction],
            [c.rolling, c.hold, low, high],
            with(self.u, old.normal),
            with(self.turning, 0.0),
            with(old.tangent, self.gap),
            with(old.rolling, 0.0),
        ]
    }
}

#[test]
fn keys_and_corrections_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random::new(31);
    let cases: Vec<Case> = (0..COUNT).map(|_| Case::new(&mut random)).collect();
    let plan =
        KernelPlan { shader: &TWIN, entry: "twin", access: &[Read, Write], shared: &[], constants: &[] };
    let inputs: Vec<[f32; 4]> = cases.iter().flat_map(Case::rows).collect();
    let buffers = [storage(&gpu, &inputs), storage(&gpu, &vec![[0.0f32; 4]; WIDE[1] * COUNT])];
    let bound = Kernel::new(&gpu, &plan).bind(&gpu, &buffers.each_ref());
    run(&gpu, |pass| bound.dispatch(pass, (COUNT as u32).div_ceil(WORKGROUP)));
    let bytes = gpu.read_buffer(&buffers[1], 0, (16 * WIDE[1] * COUNT) as u64).unwrap();
    let found: Vec<[f32; 4]> = bytemuck::pod_collect_to_vec(&bytes);
    let mut worst = [0.0f32; 4];
    for (case, found) in cases.iter().zip(found.chunks(WIDE[1])) {
        let now = correct(&case.contact, case.u, case.turning, &case.old);
        let pushed = push(case.gap, 0.02, 1e-4);
        let far = |a: [f32; 3], b: &[f32]| (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f32::max);
        let apart = [
            (now.normal - found[0][0]).abs() / 0.02,
            far(now.tangent, &found[0][1..]) / 0.02,
            far(now.rolling, &found[1]) / 2e-5,
            (pushed - found[1][3]).abs() / 1e-4,
        ];
        (0..4).for_each(|k| worst[k] = worst[k].max(apart[k]));
        let [low, high] = [case.ids[0].min(case.ids[1]), case.ids[0].max(case.ids[1])];
        let words = [found[2][0], found[2][1]].map(f32::to_bits);
        assert_eq!(key(low, high), u64::from(words[0]) << 32 | u64::from(words[1]));
    }
    assert!(worst.iter().all(|apart| *apart < 1e-5), "{worst:?}");
}
