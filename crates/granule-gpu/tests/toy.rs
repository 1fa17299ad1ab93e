//! A method that lives outside of the crate, added by the recipe of docs/adding-a-solver.md: free flight with walls. It has
//! columns of its own, so that it shows what the registry of columns does with them.

mod common;

use std::ops::ControlFlow;

use glam::Vec3;
use granule::boundary::Shape;
use granule::columns::{ColumnData, SavedColumns};
use granule::contacts::SavedContacts;
use granule::particles::Particles;
use granule::scene::{Scene, SolverKind};
use granule::simulator::{Command, FieldData, FieldInfo, FieldKind, StateError};
use granule::solver::SolverEntry;
use granule::solver::saved::SavedState;
use granule::stages::Stage;
use granule::{Device, Options, Simulation};
use granule_gpu::core::binder::Binder;
use granule_gpu::core::buffers::Buffers;
use granule_gpu::core::columns::{ColumnInfo, Initial};
use granule_gpu::core::constants::StepLimits;
use granule_gpu::core::hooks::Hooks;
use granule_gpu::core::method::{FieldInput, MethodStages, StateToRestore, StateToSave};
use granule_gpu::core::recording::{Recorded, StageList};
use granule_gpu::core::shaders::{CONTACTS, SOUNDNESS, STEP};
use granule_gpu::core::shared::SharedStages;
use granule_gpu::kernel::Access::{Read, Write};
use granule_gpu::kernel::Bound;
use granule_gpu::primitives::TREE;
use granule_gpu::{GpuBackend, Method, MethodEntry};

use common::{D, adapter, block, sand, wall};

granule_gpu::gpu_shaders! { "tests/toy";
    /// Flight.
    FLY = "fly": [STEP, TREE, CONTACTS, SOUNDNESS];
}

/// The id plus one, written in the first step: a column of one word.
const MARK: ColumnInfo = ColumnInfo::state("mark", 4);

/// The id, and what particles begin with.
const ORIENTATION: ColumnInfo =
    ColumnInfo::state_from("orientation", 16, Initial::Words(&[0, 0, 0, 0x3f80_0000]));

/// A fifth column of 16 bytes, so that the sort takes two rounds.
const ANGULAR_VELOCITY: ColumnInfo = ColumnInfo::state("angular velocity", 16);

const FIELDS: &[FieldInfo] = &[
    FieldInfo { name: "id", unit: "1", kind: FieldKind::Integer },
    FieldInfo { name: "position", unit: "m", kind: FieldKind::Vec3 },
    FieldInfo { name: "velocity", unit: "m/s", kind: FieldKind::Vec3 },
    FieldInfo { name: "mark", unit: "1", kind: FieldKind::Integer },
    FieldInfo { name: "orientation", unit: "1", kind: FieldKind::Quaternion },
];

/// The method on a device.
static METHOD: MethodEntry =
    MethodEntry { name: "flight", make: |input| Ok(Box::new(Flight::new(input.scene))) };

/// The solver for the engine, which has it on no CPU core here.
static SOLVER: SolverEntry = SolverEntry {
    kind: None,
    name: METHOD.name,
    capabilities: SolverKind::Iisph.capabilities(),
    fields: FIELDS,
    check: granule::solver::takes_all,
    make: |_| unreachable!("only on a device"),
};

fn options(device: &Device) -> Options {
    Options { device: device.clone(), solver: Some(&SOLVER), ..Options::default() }
}

struct Flight {
    longest: f32,
}

impl Flight {
    fn new(scene: &Scene) -> Self {
        Self { longest: scene.simulation.time_step.unwrap_or(1e-3) as f32 }
    }
}

struct FlightStages {
    fly: Bound,
}

impl MethodStages for FlightStages {
    fn list<'a>(&'a self, s: &'a SharedStages, recorded: &Recorded) -> StageList<'a> {
        let Recorded { blocks, passes, .. } = *recorded;
        vec![
            (
                Stage::Sort,
                Box::new(move |pass| {
                    s.sorting.begin(pass, blocks);
                    s.sorting.sort(pass, passes);
                }),
            ),
            (Stage::Neighbors, Box::new(|pass| s.search.find_neighbors(pass))),
            (Stage::SampleBoundaries, Box::new(|pass| s.search.sample_boundaries(pass))),
            (Stage::Integrate, Box::new(|pass| s.over_particles(pass, &self.fly))),
            (Stage::Quarantine, Box::new(|pass| s.end(pass))),
        ]
    }
}

impl Method for Flight {
    fn name(&self) -> &'static str {
        METHOD.name
    }

    fn fields(&self) -> &'static [FieldInfo] {
        FIELDS
    }

    fn adopt(&mut self, scene: &Scene) {
        *self = Self::new(scene);
    }

    fn limits(&self) -> StepLimits {
        let (longest, viscous) = (self.longest, f32::MAX);
        StepLimits { cfl: 0.4, fixed: true, longest, viscous, push_out_speed: 0.1, skin: 0.0, reach: None }
    }

    fn columns(&self) -> Vec<ColumnInfo> {
        vec![MARK, ORIENTATION, ANGULAR_VELOCITY]
    }

    fn hooks(&self) -> Hooks {
        Hooks::PLAIN
    }

    fn bind(&self, b: &mut Binder, c: &Buffers) -> Box<dyn MethodStages> {
        let buffers = [
            (Write, &c.position),
            (Write, &c.velocity),
            (Write, &c.meta),
            (Read, &c.density_state),
            (Read, &c.contacts),
            (Write, &c.partials),
            (Write, c.columns.of(MARK)),
            (Write, c.columns.of(ORIENTATION)),
        ];
        Box::new(FlightStages { fly: b.stage(&FLY, "fly", &[], &buffers) })
    }

    fn field_columns(&self, field: &str) -> Vec<ColumnInfo> {
        if field == "mark" { vec![MARK] } else { vec![ORIENTATION] }
    }

    fn field(&self, name: &str, input: &FieldInput) -> FieldData {
        let all = input.order.iter().map(|&i| i as usize);
        if name == "mark" {
            let mark: Vec<u32> = input.rows.of(MARK);
            return FieldData::Integer(all.map(|i| mark[i]).collect());
        }
        let orientation: Vec<[f32; 4]> = input.rows.of(ORIENTATION);
        FieldData::Quaternion(all.map(|i| orientation[i]).collect())
    }

    fn save(&self, state: StateToSave) -> Result<Vec<u8>, StateError> {
        let mark: Vec<u32> = state.rows.of(MARK);
        let orientation: Vec<[f32; 4]> = state.rows.of(ORIENTATION);
        let mark = state.live.iter().map(|&i| mark[i]).collect();
        let orientation = state.live.iter().map(|&i| glam::Quat::from_array(orientation[i])).collect();
        let mut columns = SavedColumns::default();
        columns.set("mark", ColumnData::U32(mark));
        columns.set("orientation", ColumnData::Quat(orientation));
        SavedState::new(state.world, &state.particles, columns, SavedContacts::default(), true).encode()
    }

    fn decode(
        &self,
        bytes: &[u8],
        scene: &Scene,
        boundary_count: usize,
    ) -> Result<StateToRestore, StateError> {
        let mut saved = SavedState::decode(bytes, scene, boundary_count, &Particles::default())?;
        let count = saved.particles.len();
        let mark: Vec<u32> = saved.columns.take_values("mark", count)?;
        let orientation: Vec<glam::Quat> = saved.columns.take_values("orientation", count)?;
        let orientation: Vec<[f32; 4]> = orientation.iter().map(|q| q.to_array()).collect();
        Ok(StateToRestore {
            lists: None,
            scene: saved.scene,
            world: saved.world,
            particles: saved.particles,
            contacts: saved.contacts,
            density: vec![1.0; count],
            neighbor_count: vec![0; count],
            columns: vec![
                (MARK, bytemuck::pod_collect_to_vec(&mark)),
                (ORIENTATION, bytemuck::pod_collect_to_vec(&orientation)),
            ],
            progress: 0,
            remembered: None,
            assemblies: Default::default(),
        })
    }
}

fn device() -> Option<Device> {
    Some(GpuBackend::adopt(adapter()?).with_method(&METHOD).into_device())
}

/// Grains that fly through each other and against two walls.
fn scene() -> Scene {
    let mut scene = sand(30.0, 1);
    scene.simulation.time_step = Some(1e-3);
    scene.simulation.fps = 100.0;
    let mut first = block([0.0, 1.0, 0.0], [9.0, 9.0, 9.0]);
    first.velocity = [3.0, 1.0, 0.0];
    let mut second = block([20.0, 1.0, 0.0], [28.0, 8.0, 9.0]);
    second.velocity = [-3.0, 0.0, 0.2];
    scene.grains.extend([first, second]);
    let floor = Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] };
    scene.boundary.push(wall("floor", floor, None));
    let side = Shape::Plane { point: [40.0 * D, 0.0, 0.0], normal: [-1.0, 0.0, 0.0] };
    scene.boundary.push(wall("side", side, None));
    scene
}

fn simulate(scene: &Scene, device: &Device) -> Simulation {
    Simulation::new(scene.clone(), &options(device)).unwrap()
}

fn frames(simulation: &mut Simulation, count: usize) {
    for _ in 0..count {
        let _ = simulation.run_frame(&mut |_, _| ControlFlow::Continue(()));
    }
    assert_eq!(simulation.failure(), None);
}

/// Where ids, marks and orientations of all particles are.
fn assert_columns_follow(simulation: &mut Simulation) {
    let snapshot = simulation.read(&["id", "mark", "orientation"]).unwrap();
    let ids = snapshot.integer("id").unwrap();
    let Some(FieldData::Quaternion(orientation)) = snapshot.column("orientation") else { panic!() };
    assert_eq!(ids.len(), simulation.particle_count());
    for ((id, mark), orientation) in ids.iter().zip(snapshot.integer("mark").unwrap()).zip(orientation) {
        assert_eq!(*mark, id + 1);
        assert_eq!(*orientation, [*id as f32, 0.0, 0.0, 1.0]);
    }
}

#[test]
fn grains_fly_as_newton_says_and_walls_stop_them() {
    let Some(device) = device() else { return };
    let scene = scene();
    let mut simulation = simulate(&scene, &device);
    assert_eq!(simulation.simulator().solver(), "flight");
    let start = simulation.read(&["position"]).unwrap().vec3("position").unwrap().to_vec();
    frames(&mut simulation, 2);
    // Semi-implicit: n steps of dt give g dt^2 n (n + 1) / 2.
    let (steps, dt) = (20.0f32, 1e-3f32);
    let fall = 0.5 * steps * (steps + 1.0) * dt * dt * Vec3::from(scene.simulation.gravity);
    let now = simulation.read(&["position", "velocity"]).unwrap();
    let velocities = now.vec3("velocity").unwrap();
    let mut free = 0;
    for ((x, x_0), v) in now.vec3("position").unwrap().iter().zip(&start).zip(velocities) {
        let v_0 = if v[0] > 0.0 { Vec3::new(3.0, 1.0, 0.0) } else { Vec3::new(-3.0, 0.0, 0.2) };
        let expected = Vec3::from(*x_0) + steps * dt * v_0 + fall;
        if expected.y > 2.0 * D {
            free += 1;
            assert!(Vec3::from(*x).distance(expected) < 1e-5, "{x:?} instead of {expected}");
        }
    }
    assert!(free > start.len() / 2);
    frames(&mut simulation, 60);
    let end = simulation.read(&["position", "velocity"]).unwrap();
    let radius = 0.5 * D;
    for (x, v) in end.vec3("position").unwrap().iter().zip(end.vec3("velocity").unwrap()) {
        assert!(x[1] > 0.99 * radius && x[0] < 40.0 * D - 0.99 * radius, "{x:?}");
        assert!(x[1] > 1.5 * radius || v[1].abs() < 0.05, "{x:?} {v:?}");
    }
}

/// Columns of every width stay with their particles through sorts, when buffers grow, and over a checkpoint.
#[test]
fn columns_stay_with_their_particles() {
    let Some(device) = device() else { return };
    let mut simulation = simulate(&scene(), &device);
    frames(&mut simulation, 8);
    assert_columns_follow(&mut simulation);
    // More than there is room for.
    let positions: Vec<Vec3> =
        (0..1500).map(|k| D * Vec3::new((k % 30) as f32, 60.0 + (k / 30) as f32, 4.0)).collect();
    let emit = Command::Emit { material: "sand".into(), positions, velocity: Vec3::ZERO };
    assert_eq!(simulation.apply(&emit).unwrap().emitted, 1500);
    frames(&mut simulation, 4);
    assert_columns_follow(&mut simulation);
    let checkpoint = simulation.checkpoint().unwrap();
    let mut resumed = Simulation::resume(&checkpoint, &options(&device)).unwrap();
    assert_columns_follow(&mut resumed);
    frames(&mut simulation, 3);
    frames(&mut resumed, 3);
    assert_columns_follow(&mut resumed);
    assert_eq!(simulation.simulator().state_hash(), resumed.simulator().state_hash());
}
