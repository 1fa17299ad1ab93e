//! Functions of shaders against the Rust functions that they mirror: each runs through a tiny kernel on random numbers.

use std::collections::HashMap;

use glam::{Mat3, Vec3};
use granule::bodies::BodyMotion;
use granule::boundary::{Boundaries, BoundarySample, MeshShape, NO_BODY, Resolution, Shape};
use granule::random::Random;
use granule::scene::Scene;
use granule::solver::iisph::acceleration::{extrapolate_pressure, extrapolate_stress, momentum};
use granule::solver::iisph::rheology::{
    compaction_rate, project_pressure, required_expansion, required_expansion_of_fluid, return_to_cone,
};
use granule::solver::iisph::setup::Setup;
use granule::solver::walls::{WALL_RELAXATION, WallContact, WallStep, correct_contact};
use granule::sph::KernelKind;
use granule::sym3::Sym3;
use granule_device::GpuDevice;
use wgpu::{Buffer, BufferUsages};

use crate::core::bodies::record;
use crate::core::capacity::Capacity;
use crate::core::constants::{self, BodyVariant, SceneConstants, Variant};
use crate::core::layout::{Params, PoseRecord, StepRecord};
use crate::core::motion;
use crate::core::shaders::{
    BODIES, CONSTANTS, CONTACTS, INTERSECTION, LOADS, MAP_WALLS, MAPS, MOTION, PAIRS, SOLIDS, STEP, TYPES,
    WALL_TABLE, WALLS,
};
use crate::iisph;
use crate::iisph::shaders::{ACCELERATION, RHEOLOGY, TYPES as IISPH_TYPES};
use crate::kernel::Access::{Read, Write};
use crate::kernel::{Kernel, KernelPlan, Shader, SharedLayout, WORKGROUP};
use crate::primitives::DISPATCH;
use crate::solid_table::SolidTable;
use crate::testing::{gpu, run, storage, uniform};

/// What a row of a buffer is.
type Row = [f32; 4];

/// Bindings that all twins have.
const BINDINGS: &str = "
@group(0) @binding(1) var<storage, read> inputs: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> outputs: array<vec4<f32>>;
";

/// A scene with its constants, and what the kernels of twins are bound to.
struct Bench {
    gpu: GpuDevice,
    scene: Scene,
    setup: Setup,
    solid_table: SolidTable,
    wall_table: u32,
    poses: Vec<PoseRecord>,
}

impl Bench {
    fn new(gpu: GpuDevice, scene: Scene) -> Self {
        let setup = Setup::new(&scene);
        let mut solid_table = SolidTable::default();
        let wall_table = solid_table.push_wall_table(&setup.wall_table);
        Self { gpu, setup, solid_table, wall_table, poses: vec![PoseRecord::default()], scene }
    }

    /// Runs the entry point `twin` for `count` threads, each with its own rows of input and output.
    fn run(&self, parts: &'static [&'static str], inputs: &[Row], count: usize, rows: usize) -> Vec<Row> {
        let gpu = &self.gpu;
        let shader = Shader { name: "twin", parts };
        let source = shader.source();
        let own = iisph::constants::overrides(&self.setup);
        let variant = Variant::new(&SceneConstants::new(&self.scene), false, BodyVariant::Absent, own);
        let constants: Vec<(&str, f64)> = variant
            .constants()
            .into_iter()
            .chain(self.solid_table.constants())
            .filter(|(name, _)| source.contains(&format!("override {name}:")))
            .collect();
        let layouts = [SharedLayout::new(gpu, "constants", CONSTANTS), SharedLayout::new(gpu, "step", 1)];
        let access = [Read, Read, Write, Read];
        let shared = [&layouts[0], &layouts[1]];
        let plan = KernelPlan {
            shader: &shader,
            entry: "twin",
            access: &access,
            shared: &shared,
            constants: &constants,
        };
        let outputs = storage(gpu, &vec![[0.0f32; 4]; count * rows]);
        let buffers = [
            storage(gpu, &self.solid_table.records),
            storage(gpu, inputs),
            outputs,
            storage(gpu, &self.poses),
        ];
        let ([params, materials, own, rheology], step) = self.constants(count);
        let bound = Kernel::new(gpu, &plan).bind_shared(
            gpu,
            &buffers.each_ref(),
            &[
                &layouts[0].bind(gpu, &[&params, &materials, &own, &rheology]),
                &layouts[1].bind(gpu, &[&step]),
            ],
        );
        run(gpu, |pass| bound.dispatch(pass, (count as u32).div_ceil(WORKGROUP)));
        bytemuck::pod_collect_to_vec(&gpu.read_buffer(&buffers[2], 0, 16 * (count * rows) as u64).unwrap())
    }

    fn constants(&self, count: usize) -> ([Buffer; CONSTANTS], Buffer) {
        let scene = SceneConstants::new(&self.scene);
        let limits = iisph::constants::limits(&self.setup);
        let params = Params {
            wall_table: self.wall_table,
            ..constants::params(&self.scene, &scene, &limits, Vec3::ZERO, &Capacity::new(1, 1.0))
        };
        let step = StepRecord { count: count as u32, dt: DT, inverse_dt: 1.0 / DT, ..StepRecord::default() };
        let materials = constants::materials(&scene.materials).unwrap();
        let step_buffer = self.gpu.create_buffer(
            "step",
            size_of::<StepRecord>() as u64,
            BufferUsages::UNIFORM | BufferUsages::COPY_DST,
        );
        self.gpu.queue.write_buffer(&step_buffer, 0, bytemuck::bytes_of(&step));
        let own = iisph::constants::params(&self.scene, &self.setup);
        let rheology = iisph::constants::rheology(&self.setup);
        let gpu = &self.gpu;
        let constants = [
            uniform(gpu, &[params]),
            uniform(gpu, &materials),
            uniform(gpu, &[own]),
            uniform(gpu, &rheology),
        ];
        (constants, step_buffer)
    }
}

/// Length of the step [s].
const DT: f32 = 0.002;

/// Random inputs per twin.
const COUNT: usize = 2000;

fn sand() -> Scene {
    let mut scene = Scene::open("column", true, &[]).unwrap();
    scene.material[0].fast_friction_angle = Some(45.0);
    scene.material[0].cohesion = 20.0;
    scene
}

fn random_rows(random: &mut Random, count: usize) -> Vec<Row> {
    (0..count).map(|_| [0; 4].map(|_: i32| random.signed())).collect()
}

/// Asserts that two numbers differ by no more than a share of a scale.
fn assert_close(found: f32, expected: f32, scale: f32, what: &str) {
    assert!(
        (found - expected).abs() <= 2e-5 * scale.abs().max(1e-20),
        "{what}: {found} instead of {expected}"
    );
}

const KERNEL_TWIN: &[&str] = &[
    DISPATCH,
    TYPES,
    STEP,
    PAIRS,
    BINDINGS,
    "@compute @workgroup_size(256)
fn twin(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3<u32>) {
    let i = thread_number(workgroup, thread);
    if i < step.count {
        outputs[i] = vec4(kernel_pair(inputs[i].x), 0.0, 0.0);
    }
}",
];

#[test]
fn kernels_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for kind in KernelKind::ALL {
        let mut scene = sand();
        scene.simulation.kernel = kind;
        let bench = Bench::new(gpu.clone(), scene);
        let (kernel, mut random) = (&bench.setup.kernel, Random::new(7));
        let reach = 1.1 * kernel.support();
        let distances: Vec<f32> = (0..COUNT).map(|_| reach * (0.02 + 0.98 * random.unit())).collect();
        let inputs: Vec<Row> = distances.iter().map(|r| [r * r, 0.0, 0.0, 0.0]).collect();
        let found = bench.run(KERNEL_TWIN, &inputs, COUNT, 1);
        let slope = |r: f32| kernel.gradient_factor(r * r);
        let (w, s) = (kernel.w(0.02 * reach), slope(0.02 * reach));
        for (r, row) in distances.iter().zip(&found) {
            assert_close(row[0], kernel.w(*r), w, &format!("{kind:?} at {r}"));
            assert_close(row[1], slope(*r), s, &format!("slope of {kind:?} at {r}"));
        }
    }
}

const RHEOLOGY_TWIN: &[&str] = &[
    DISPATCH,
    TYPES,
    IISPH_TYPES,
    STEP,
    RHEOLOGY,
    BINDINGS,
    "@compute @workgroup_size(256)
fn twin(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3<u32>) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let a = inputs[2u * i];
    let b = inputs[2u * i + 1u];
    let pressure = 1000.0 * abs(b.z);
    let limit = yield_limit(0u, pressure, 50.0 * abs(b.w));
    let s = return_to_cone(Sym3(1000.0 * a, 1000.0 * b.xy), limit);
    let compaction = step.dt * compaction_rate(2.0, abs(b.w));
    outputs[3u * i] = s.a;
    outputs[3u * i + 1u] = vec4(s.b, limit, project_pressure(pressure, a.x, 1000.0));
    outputs[3u * i + 2u] = vec4(required_expansion(1.0 + 0.4 * a.y, compaction),
        required_expansion_of_fluid(1.0 + 0.4 * a.y, 0.3), 0.0, 0.0);
}",
];

#[test]
fn material_laws_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let bench = Bench::new(gpu, sand());
    let inputs = random_rows(&mut Random::new(3), 2 * COUNT);
    let found = bench.run(RHEOLOGY_TWIN, &inputs, COUNT, 3);
    for i in 0..COUNT {
        let ([a, b], rows) = ([inputs[2 * i], inputs[2 * i + 1]], &found[3 * i..3 * i + 3]);
        let pressure = 1000.0 * b[2].abs();
        let limit = bench.setup.materials[0].yield_limit(pressure, 50.0 * b[3].abs());
        let stress = Sym3::from_array([a[0], a[1], a[2], a[3], b[0], b[1]].map(|c| 1000.0 * c));
        let returned = return_to_cone(stress, limit).to_array();
        for (k, value) in returned.iter().enumerate() {
            assert_close(rows[k / 4][k % 4], *value, 1000.0, "stress");
        }
        assert_close(rows[1][2], limit, 1000.0, "yield limit");
        assert_close(rows[1][3], project_pressure(pressure, a[0], 1000.0), 1000.0, "pressure");
        let density = 1.0 + 0.4 * a[1];
        let compaction = DT * compaction_rate(2.0, b[3].abs());
        assert_close(rows[2][0], required_expansion(density, compaction), 1.0, "expansion");
        assert_close(rows[2][1], required_expansion_of_fluid(density, 0.3), 1.0, "expansion of a fluid");
    }
}

const ACCELERATION_TWIN: &[&str] = &[
    DISPATCH,
    TYPES,
    IISPH_TYPES,
    STEP,
    RHEOLOGY,
    ACCELERATION,
    BINDINGS,
    "@compute @workgroup_size(256)
fn twin(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3<u32>) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let a = inputs[4u * i];
    let b = inputs[4u * i + 1u];
    let c = inputs[4u * i + 2u];
    let d = inputs[4u * i + 3u];
    let beta = momentum(1.0 + floor(30.0 * abs(d.w)));
    let s = extrapolate_stress(Sym3(a, b.xy), Sym3(c, d.xy), beta);
    outputs[2u * i] = s.a;
    outputs[2u * i + 1u] = vec4(s.b, extrapolate_pressure(abs(b.z), abs(d.z), beta), beta);
}",
];

#[test]
fn momentum_is_that_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let bench = Bench::new(gpu, sand());
    let inputs = random_rows(&mut Random::new(5), 4 * COUNT);
    let found = bench.run(ACCELERATION_TWIN, &inputs, COUNT, 2);
    for (rows, found) in inputs.chunks_exact(4).zip(found.chunks_exact(2)) {
        let [a, b, c, d] = [rows[0], rows[1], rows[2], rows[3]];
        let beta = momentum(1.0 + (30.0 * d[3].abs()).floor());
        let tensor = |a: Row, b: Row| Sym3::from_array([a[0], a[1], a[2], a[3], b[0], b[1]]);
        let stress = extrapolate_stress(tensor(a, b), tensor(c, d), beta).to_array();
        for (k, value) in stress.iter().enumerate() {
            assert_close(found[k / 4][k % 4], *value, 1.0, "stress");
        }
        assert_close(found[1][2], extrapolate_pressure(b[2].abs(), d[2].abs(), beta), 1.0, "pressure");
        assert_close(found[1][3], beta, 1.0, "momentum");
    }
}

const CONTACT_TWIN: &[&str] = &[
    DISPATCH,
    TYPES,
    STEP,
    CONTACTS,
    BINDINGS,
    "@compute @workgroup_size(256)
fn twin(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3<u32>) {
    let i = thread_number(workgroup, thread);
    if i < step.count {
        var contact: Contact;
        contact.normal = inputs[4u * i];
        contact.impulse = inputs[4u * i + 1u];
        contact.velocity = inputs[4u * i + 2u];
        contact.mass_splitting = inputs[4u * i + 3u].xy;
        outputs[i] = correct_contact(contact, vec3(0.1, -0.2, 0.05), inputs[4u * i + 3u].z, step.inverse_dt);
    }
}",
];

#[test]
fn contacts_are_corrected_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let bench = Bench::new(gpu, sand());
    let params = &bench.setup.params;
    let wall = WallStep {
        radius: params.radius,
        inverse_dt: 1.0 / DT,
        push_out_speed: params.push_out_speed(),
        relaxation: WALL_RELAXATION,
    };
    let mut inputs = random_rows(&mut Random::new(11), 4 * COUNT);
    for rows in inputs.chunks_exact_mut(4) {
        let normal = Vec3::from_slice(&rows[0]).normalize_or(Vec3::Y);
        rows[0] = normal.extend(params.radius * (1.0 + 1.3 * rows[0][3])).to_array();
        rows[1][3] = rows[1][3].abs();
        rows[1] = rows[1].map(|c| 20.0 * c);
        rows[3] = rows[3].map(f32::abs);
    }
    let found = bench.run(CONTACT_TWIN, &inputs, COUNT, 1);
    for (rows, row) in inputs.chunks_exact(4).zip(&found) {
        let sample = BoundarySample {
            distance: rows[0][3],
            normal: Vec3::from_slice(&rows[0]),
            closest: Vec3::ZERO,
            lambda: 0.0,
            lambda_derivative: 0.0,
            velocity: Vec3::ZERO,
            friction: None,
            boundary: 0,
            face: 0,
            body: NO_BODY,
        };
        let tangent = Vec3::from_slice(&rows[1]);
        let mut contact =
            WallContact { sample, normal: rows[1][3], tangent, mass_splitting: [rows[3][0], rows[3][1]] };
        let velocity = Vec3::new(0.1, -0.2, 0.05) - Vec3::from_slice(&rows[2]);
        correct_contact(&mut contact, velocity, rows[3][2], &wall);
        assert_close(row[3], contact.normal, 100.0, "normal impulse");
        for (found, expected) in row.iter().zip(contact.tangent.to_array()) {
            assert_close(*found, expected, 100.0, "tangential impulse");
        }
    }
}

const SAMPLE_TWIN: &[&str] = &[
    DISPATCH,
    TYPES,
    STEP,
    MOTION,
    SOLIDS,
    MAPS,
    WALLS,
    MAP_WALLS,
    WALL_TABLE,
    INTERSECTION,
    BINDINGS,
    "@group(0) @binding(3) var<storage, read> poses: array<Pose>;

var<private> accepted: u32;
var<private> place: u32;

fn accept(boundary: u32, surface: Surface) {
    if accepted < 8u {
        let lambda = select(surface.lambda, wall_lambda(surface.distance), surface.lambda < 0.0);
        outputs[place + 2u * accepted + 1u] = vec4(surface.normal, surface.distance);
        outputs[place + 2u * accepted + 2u] = vec4(f32(boundary), f32(surface.face), lambda, 0.0);
    }
    accepted++;
}

@compute @workgroup_size(256)
fn twin(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3<u32>) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    accepted = 0u;
    place = 17u * i;
    let boundary = u32(inputs[i].w);
    let pose = poses[boundary];
    for (var s = 0u; s < pose.solids.y; s++) {
        solid_walls(boundary, solid_table[pose.solids.x + s], inputs[i].xyz, params.support);
    }
    outputs[place] = vec4(f32(accepted));
}",
];

/// A solid of every kind, about 0.4 m large, and every combination.
fn shapes() -> Vec<(&'static str, Shape)> {
    let mesh = |name: &str, angle: f32, hollow: bool| {
        let shape = MeshShape {
            size: Some(0.4),
            axis: [0.3, 1.0, 0.2],
            angle,
            hollow,
            position: [0.02, -0.01, 0.03],
            ..MeshShape::of_file(format!("builtin:{name}"))
        };
        Shape::Mesh(shape)
    };
    let block = |hollow| Shape::Box { min: [-0.2, -0.15, -0.2], max: [0.1, 0.2, 0.2], hollow };
    let ball = |hollow| Shape::Sphere { center: [0.1, 0.1, 0.0], radius: 0.15, hollow };
    let (from, to) = ([-0.1, -0.2, 0.0], [0.05, 0.2, 0.1]);
    let cylinder = |hollow| Shape::Cylinder { from, to, radius: 0.12, hollow };
    let plane = Shape::Plane { point: [0.0, 0.05, 0.0], normal: [0.2, 1.0, 0.1] };
    vec![
        ("plane", plane.clone()),
        ("box", block(false)),
        ("container", block(true)),
        ("ball", ball(false)),
        ("shell", ball(true)),
        ("capsule", Shape::Capsule { from, to, radius: 0.1, hollow: false }),
        ("cylinder", cylinder(false)),
        ("pipe", cylinder(true)),
        ("cone", Shape::Cone { from, to, from_radius: 0.15, to_radius: 0.03, hollow: true }),
        ("funnel", Shape::Funnel { from, to, from_radius: 0.03, to_radius: 0.15, thickness: 0.03 }),
        ("union", Shape::Union(vec![block(false), ball(false)])),
        ("cut box", Shape::Subtraction(vec![block(false), ball(false)])),
        ("slice", Shape::Intersection(vec![cylinder(false), plane.clone()])),
        ("torus", mesh("torus", 25.0, false)),
        ("tub", mesh("box", 40.0, true)),
        ("bed", mesh("dump-bed", 10.0, false)),
        ("cut mesh", Shape::Subtraction(vec![mesh("torus", 0.0, false), block(false)])),
        ("mesh in a union", Shape::Union(vec![mesh("box", 15.0, false), ball(false)])),
    ]
}

/// Walls of every kind of solid near random points. Where a point lies within rounding of a decision (an edge, the
/// reach), both may decide differently: such points are few.
#[test]
fn walls_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut bench = Bench::new(gpu, sand());
    let (kernel, spacing) = (bench.setup.kernel, bench.setup.params.spacing);
    let list = shapes().into_iter().map(|(name, shape)| (name, shape, None, None));
    let boundaries = Boundaries::resolved(list, Some(&Resolution { kernel, spacing })).unwrap();
    bench.poses = motion::poses(&boundaries, &mut bench.solid_table).unwrap();
    let mut random = Random::new(5);
    let inputs: Vec<Row> = (0..boundaries.len() * COUNT)
        .map(|k| {
            let x = 0.3 * Vec3::new(random.signed(), random.signed(), random.signed());
            x.extend((k % boundaries.len()) as f32).to_array()
        })
        .collect();
    let found = bench.run(SAMPLE_TWIN, &inputs, inputs.len(), 17);
    let mut differing: HashMap<&str, usize> = HashMap::new();
    let mut near: HashMap<&str, usize> = HashMap::new();
    for (input, rows) in inputs.iter().zip(found.chunks_exact(17)) {
        let mut expected = Vec::new();
        let (x, number) = (Vec3::from_slice(input), input[3] as u16);
        let reach = bench.setup.params.support;
        boundaries.sample(x, reach, &bench.setup.wall_table, &mut |sample| expected.push(sample));
        expected.retain(|sample| sample.boundary == number);
        let name = boundaries.names()[usize::from(number)];
        *near.entry(name).or_default() += usize::from(!expected.is_empty());
        *differing.entry(name).or_default() += usize::from(!same_walls(&expected, rows, spacing));
    }
    for (name, near) in near {
        assert!(near > 100, "{name}: only {near} points are near a wall");
        assert!(differing[name] * 200 <= near, "{name}: {} of {near} points differ", differing[name]);
    }
}

fn same_walls(expected: &[BoundarySample], rows: &[Row], spacing: f32) -> bool {
    let found: Vec<&[Row]> = rows[1..].chunks_exact(2).take(rows[0][0] as usize).collect();
    let same = |sample: &BoundarySample, wall: &[Row]| {
        wall[1][1] == f32::from(sample.face)
            && (wall[0][3] - sample.distance).abs() < 1e-3 * spacing
            && Vec3::from_slice(&wall[0]).distance(sample.normal) < 2e-3
            && (wall[1][2] - sample.lambda).abs() < 1e-3
    };
    found.len() == expected.len().min(8) && expected.iter().all(|s| found.iter().any(|wall| same(s, wall)))
}

const BODY_TWIN: &[&str] = &[
    DISPATCH,
    TYPES,
    STEP,
    CONTACTS,
    BODIES,
    LOADS,
    BINDINGS,
    "@group(0) @binding(3) var<storage, read> bodies: array<Body>;

@compute @workgroup_size(256)
fn twin(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3<u32>) {
    let i = thread_number(workgroup, thread);
    if i < step.count {
        var body: Body;
        body.center = inputs[10u * i];
        body.linear = inputs[10u * i + 1u];
        body.angular = inputs[10u * i + 2u];
        body.inertia_x = inputs[10u * i + 3u];
        body.inertia_y = inputs[10u * i + 4u];
        body.inertia_z = inputs[10u * i + 5u];
        let x = inputs[10u * i + 6u].xyz;
        let n = inputs[10u * i + 7u].xyz;
        let number = inputs[10u * i + 8u].x;
        let words = fixed_point(number);
        outputs[2u * i] = vec4(body_velocity_at(body, x), response_along(body, x, n));
        outputs[2u * i + 1u] = vec4(largest_response(body, x), from_fixed_point(words.x, words.y), 0.0, 0.0);
    }
}",
];

#[test]
fn bodies_give_way_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let bench = Bench::new(gpu, sand());
    let mut random = Random::new(13);
    let mut vector = |scale: f32| scale * Vec3::new(random.signed(), random.signed(), random.signed());
    let mut inputs: Vec<Row> = Vec::new();
    let mut expected = Vec::new();
    for k in 0..COUNT {
        let inertia = Mat3::from_cols(vector(1.0), vector(1.0), vector(1.0));
        let motion = BodyMotion {
            center: vector(1.0),
            linear: vector(2.0),
            angular: vector(5.0),
            inverse_mass: vector(1.0).length(),
            inverse_inertia: inertia.transpose() * inertia,
        };
        let (x, n) = (vector(1.0), vector(1.0).normalize_or(Vec3::X));
        let number = vector(1.0).x * 10f32.powi(k as i32 % 13 - 5);
        let row = record(&motion);
        inputs.extend([row.center, row.begin_linear, row.begin_angular]);
        inputs.extend([row.inertia_x, row.inertia_y, row.inertia_z]);
        inputs.extend([x, n, Vec3::splat(number), Vec3::ZERO].map(|v| v.extend(0.0).to_array()));
        expected.push((motion, x, n, number));
    }
    let found = bench.run(BODY_TWIN, &inputs, COUNT, 2);
    for (rows, (motion, x, n, number)) in found.chunks_exact(2).zip(&expected) {
        let velocity = motion.velocity_at(*x);
        for (found, expected) in rows[0].iter().zip(velocity.to_array()) {
            assert_close(*found, expected, 20.0, "velocity");
        }
        assert_close(rows[0][3], motion.response_along(*x, *n), 20.0, "response");
        assert_close(rows[1][0], motion.largest_response(*x), 60.0, "largest response");
        // Numbers are kept to 2^-32, or to 24 bits.
        assert!((rows[1][1] - number).abs() <= 3e-10 + 1e-7 * number.abs(), "{} {number}", rows[1][1]);
    }
}
