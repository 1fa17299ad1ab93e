//! The law of a contact in shaders against that of the CPU, on random contacts: every model of it.

use granule::random::Random;
use granule::solver::dem::contact::{
    Capillary, Damping, Geometry, History, Motion, Normal, NormalModel, PairLaw, Rolling, Tangential,
    TangentialModel, Twisting, contact_loads, contact_sphere_sphere, contact_sphere_wall,
};
use granule_device::GpuDevice;

use super::constants;
use super::layout::{LawRecord, MOST_LAWS, ParamsRecord};
use super::shaders::{CONTACT, TYPES};
use crate::core::layout::{MOST_MATERIALS, MaterialRecord, Params};
use crate::core::shaders::{CONSTANTS, TYPES as SHARED_TYPES};
use crate::kernel::Access::{Read, Write};
use crate::kernel::{Kernel, KernelPlan, Shader, SharedLayout, WORKGROUP};
use crate::primitives::DISPATCH;
use crate::testing::{gpu, run, storage, uniform};

const COUNT: usize = 1500;

const TWIN: Shader = Shader {
    name: "contact twin",
    parts: &[
        DISPATCH,
        SHARED_TYPES,
        TYPES,
        CONTACT,
        "
@group(0) @binding(0) var<storage, read> inputs: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> outputs: array<vec4<f32>>;

// Difference and radius, or normal and distance with radius and curvature; velocities, angular velocities; memory.
@compute @workgroup_size(256)
fn twin(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if 8u * i >= arrayLength(&inputs) {
        return;
    }
    let a = inputs[8u * i];
    let b = inputs[8u * i + 1u];
    var geometry = contact_sphere_sphere(a.xyz, b.x, b.y);
    if b.z > 0.0 {
        geometry = contact_sphere_wall(a.xyz, a.w, b.x, b.w);
    }
    let motion = PairMotion(
        inputs[8u * i + 2u].xyz,
        inputs[8u * i + 3u].xyz,
        inputs[8u * i + 4u].xyz,
        inputs[8u * i + 5u].xyz,
    );
    let before = History(inputs[8u * i + 6u], inputs[8u * i + 7u]);
    let mass = inputs[8u * i + 2u].w;
    let found = contact_loads(laws[0], geometry, mass, motion, inputs[8u * i + 3u].w, before);
    outputs[5u * i] = vec4(found.force, 0.0);
    outputs[5u * i + 1u] = vec4(found.torque_a, 0.0);
    outputs[5u * i + 2u] = vec4(found.torque_b, 0.0);
    outputs[5u * i + 3u] = found.history.first;
    outputs[5u * i + 4u] = found.history.second;
}
",
    ],
};

const RADIUS: f32 = 0.005;

fn law(model: NormalModel, tangential: TangentialModel, more: bool, wet: bool) -> PairLaw<f64> {
    let cohesive = matches!(model, NormalModel::Dmt | NormalModel::Jkr);
    let stiffness = match model {
        NormalModel::Hooke => 2e4,
        _ => 2.7e6,
    };
    let friction_stiffness = match tangential {
        TangentialModel::Linear => 6e3,
        TangentialModel::Viscous => 0.5,
        _ => 6e6,
    };
    PairLaw {
        normal: Normal {
            model,
            stiffness,
            surface_energy: if cohesive { 0.5 } else { 0.0 },
            damping: if cohesive { Damping::Viscoelastic } else { Damping::Restitution },
            damping_factor: if cohesive { 1e5 } else { 0.5 },
            limit_damping: more && !cohesive,
        },
        tangential: Tangential {
            model: tangential,
            stiffness: friction_stiffness,
            damping_ratio: 1.0,
            friction: 0.4,
        },
        rolling: more.then_some(Rolling { stiffness: 500.0, damping: 0.09, friction: 0.1 }),
        twisting: more.then_some(Twisting { stiffness: 0.01, damping: 1e-6, friction: 1e-4 }),
        capillary: wet.then(|| Capillary::new(2e-10, 0.072, 0.3)),
    }
}

/// A contact: geometry, motion, memory, mass and length of a step.
struct Case {
    geometry: Geometry<f32>,
    motion: Motion<f32>,
    history: History<f32>,
    mass: f32,
    dt: f32,
    rows: [[f32; 4]; 8],
}

fn case(random: &mut Random) -> Case {
    let mut vector = |scale: f32| -> [f32; 3] { std::array::from_fn(|_| scale * random.signed()) };
    let (direction, velocity, spin) = (
        glam::Vec3::from(vector(1.0)).normalize_or(glam::Vec3::X),
        [vector(0.5), vector(0.5)],
        [vector(30.0), vector(30.0)],
    );
    let (spring, rolling) = (vector(2e-6), vector(1e-5));
    let (radius, other) = (RADIUS * (1.0 + 0.3 * random.signed()), RADIUS * (1.0 + 0.3 * random.signed()));
    // Gaps that necks and bridges span, and overlaps.
    let overlap = 2e-5 * random.signed() + 1e-5;
    let wall = random.signed() > 0.3;
    let known = random.signed() > -0.3;
    let area = if known { 4e-4 * random.signed().abs() } else { 0.0 };
    let history = History {
        tangential: spring.map(|x| if known { x } else { 0.0 }),
        contact_radius: if random.signed() > 0.8 { -1.0 } else { area },
        rolling: rolling.map(|x| if known { x } else { 0.0 }),
        twisting: if known { 1e-3 * random.signed() } else { 0.0 },
    };
    let curvature = if wall { 20.0 * random.signed() } else { 0.0 };
    let difference = direction * (radius + other - overlap);
    let geometry = if wall {
        contact_sphere_wall(direction.to_array(), radius - overlap, radius, curvature)
    } else {
        contact_sphere_sphere(difference.to_array(), radius, other)
    };
    let (mass, dt) = (1e-3 * (1.0 + 0.5 * random.signed()), 4e-5);
    let first = if wall { direction.extend(radius - overlap) } else { difference.extend(0.0) };
    let wide = |v: [f32; 3], w: f32| [v[0], v[1], v[2], w];
    let memory = history.to_array();
    let rows = [
        first.to_array(),
        [radius, other, if wall { 1.0 } else { 0.0 }, curvature],
        wide(velocity[0], mass),
        wide(velocity[1], dt),
        wide(spin[0], 0.0),
        wide(spin[1], 0.0),
        std::array::from_fn(|k| memory[k]),
        std::array::from_fn(|k| memory[4 + k]),
    ];
    let motion = Motion { velocity, angular_velocity: spin };
    Case { geometry, motion, history, mass, dt, rows }
}

fn run_twin(gpu: &GpuDevice, law: &PairLaw<f32>, cases: &[Case]) -> Vec<[f32; 4]> {
    let constants = constants::models(law);
    let declared: Vec<(&str, f64)> = constants
        .into_iter()
        .filter(|(name, _)| TWIN.source().contains(&format!("override {name}:")))
        .collect();
    let layout = SharedLayout::new(gpu, "constants", CONSTANTS);
    let plan = KernelPlan {
        shader: &TWIN,
        entry: "twin",
        access: &[Read, Write],
        shared: &[&layout],
        constants: &declared,
    };
    let mut laws = vec![LawRecord::default(); MOST_LAWS];
    laws[0] = constants::record(law);
    let shared = [
        uniform(gpu, &[Params::default()]),
        uniform(gpu, &vec![MaterialRecord::default(); MOST_MATERIALS]),
        uniform(gpu, &[ParamsRecord::default()]),
        uniform(gpu, &laws),
    ];
    let inputs: Vec<[f32; 4]> = cases.iter().flat_map(|case| case.rows).collect();
    let buffers = [storage(gpu, &inputs), storage(gpu, &vec![[0.0f32; 4]; 5 * cases.len()])];
    let bound = Kernel::new(gpu, &plan).bind_shared(
        gpu,
        &buffers.each_ref(),
        &[&layout.bind(gpu, &shared.each_ref())],
    );
    run(gpu, |pass| bound.dispatch(pass, (cases.len() as u32).div_ceil(WORKGROUP)));
    let bytes = 16 * 5 * cases.len() as u64;
    bytemuck::pod_collect_to_vec(&gpu.read_buffer(&buffers[1], 0, bytes).unwrap())
}

/// Forces, torques and memories of both, relative to the largest of each kind. Where a contact is at a threshold, rounding may
/// decide otherwise: one in five hundred may.
#[test]
fn every_model_of_the_law_is_that_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    use NormalModel::{Dmt, Hertz, Hooke, Jkr};
    use TangentialModel::{Linear, Mindlin, MindlinRescale, Viscous};
    let laws = [
        law(Hertz, MindlinRescale, false, false),
        law(Hertz, Mindlin, true, false),
        law(Hooke, Linear, true, false),
        law(Hertz, Viscous, false, false),
        law(Hertz, MindlinRescale, false, true),
        law(Dmt, MindlinRescale, true, false),
        law(Jkr, MindlinRescale, true, false),
    ];
    let mut random = Random::new(23);
    for wide in &laws {
        let law: PairLaw<f32> = wide.cast();
        let cases: Vec<Case> = (0..COUNT).map(|_| case(&mut random)).collect();
        let found = run_twin(&gpu, &law, &cases);
        let expected: Vec<[f32; 4]> = cases
            .iter()
            .flat_map(|case| {
                let (loads, now) =
                    contact_loads(&law, &case.geometry, case.mass, &case.motion, case.dt, &case.history);
                let wide = |v: [f32; 3]| [v[0], v[1], v[2], 0.0];
                let memory = now.to_array();
                [
                    wide(loads.force),
                    wide(loads.torque_i),
                    wide(loads.torque_j),
                    std::array::from_fn(|k| memory[k]),
                    std::array::from_fn(|k| memory[4 + k]),
                ]
            })
            .collect();
        for kind in 0..5 {
            let of_kind =
                |rows: &[[f32; 4]]| -> Vec<[f32; 4]> { rows.iter().skip(kind).step_by(5).copied().collect() };
            let (found, expected) = (of_kind(&found), of_kind(&expected));
            let largest = expected.as_flattened().iter().fold(1e-30f32, |most, x| most.max(x.abs()));
            let apart = |(a, b): (&[f32; 4], &[f32; 4])| {
                a.iter().zip(b).map(|(a, b)| (a - b).abs() / largest).fold(0.0, f32::max)
            };
            let mut differences: Vec<f32> = found.iter().zip(&expected).map(apart).collect();
            differences.sort_by(f32::total_cmp);
            let bound = differences[COUNT - 1 - COUNT / 500];
            let name = (wide.normal.model, wide.tangential.model, kind);
            assert!(bound < 2e-5, "{name:?}: {bound:e} of {largest:e}");
        }
        let touching = expected.iter().skip(3).step_by(5).filter(|row| row[3] > 0.0).count();
        assert!(touching > COUNT / 3, "{touching} of {COUNT} touch");
    }
}
