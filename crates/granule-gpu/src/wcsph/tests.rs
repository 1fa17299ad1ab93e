//! Lists that are kept over several steps: as long as they hold, and no longer.

use granule::simulator::Snapshot;
use granule::{Device, Options, Scene, Simulation};

use crate::testing::gpu;
use crate::{GpuBackend, GpuSimulation};

/// Particle spacing [m].
const D: f32 = 0.02;

/// A block of water that falls on a floor, with neighbours listed so much farther than the support, and with walls that
/// move past it.
fn falling(skin: f32, wall_speed: f32) -> Scene {
    let text = format!(
        "name = \"test\"\n[simulation]\nsolver = \"wcsph\"\nfps = 50\n[wcsph]\nskin = {skin}\nsound_speed = 20\n\
         [[material]]\nname = \"water\"\nfriction_angle = 0\nartificial_viscosity = 0.05\n[[grains]]\n\
         material = \"water\"\nfill = \"jittered\"\nvelocity = [0.5, -0.5, 0]\n\
         shape.box = {{ min = [0, 0.02, 0], max = [0.2, 0.22, 0.16] }}\n[[boundary]]\nname = \"floor\"\nfriction = 0.2\n\
         shape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n[[boundary]]\nname = \"lid\"\nfriction = 0\n\
         shape.plane = {{ point = [0, 0.4, 0], normal = [0, -1, 0] }}\n\
         motion.keyframe = [{{ time = 0 }}, {{ time = 1, translation = [0, {}, 0] }}]\n",
        -wall_speed
    );
    Scene::parse(&text, "test").unwrap()
}

/// A step: whether it has listed neighbours, and the farthest that a particle can have moved [m].
struct Taken {
    listed: bool,
    displacement: f64,
}

fn take_steps(scene: Scene, device: &Device, steps: usize) -> (Vec<Taken>, Snapshot) {
    let options = Options { device: device.clone(), ..Options::default() };
    let mut simulation = Simulation::new(scene, &options).unwrap();
    let mut taken = Vec::new();
    for _ in 0..steps {
        let report = simulation.step();
        assert_eq!(simulation.failure(), None);
        // Cells are counted where neighbours are searched.
        let listed = simulation.solver_as::<GpuSimulation>().unwrap().step.cells_needed > 0;
        taken.push(Taken { listed, displacement: report.dt * report.max_speed });
    }
    (taken, simulation.read(&["position", "velocity", "neighbor_count"]).unwrap())
}

/// Largest difference of two vector fields.
fn apart(a: &Snapshot, b: &Snapshot, field: &str) -> f32 {
    let pairs = a.vec3(field).unwrap().iter().zip(b.vec3(field).unwrap());
    pairs.map(|(a, b)| glam::Vec3::from(*a).distance(glam::Vec3::from(*b))).fold(0.0, f32::max)
}

#[test]
fn kept_lists_give_what_lists_of_every_step_give() {
    let Some(gpu) = gpu() else { return };
    let device = GpuBackend::adopt(gpu.clone()).into_device();
    let steps = 40;
    let (every, fresh) = take_steps(falling(0.0, 0.0), &device, steps);
    assert!(every.iter().all(|step| step.listed), "without a skin every step lists");
    let (taken, kept) = take_steps(falling(0.1, 0.0), &device, steps);
    let half_skin = f64::from(0.05 * 2.0 * D);
    let (mut displacement, mut listings) = (half_skin, 0);
    for step in &taken {
        displacement += step.displacement;
        if step.listed {
            listings += 1;
            assert!(displacement > 0.9 * half_skin, "lists were given up after {displacement} m");
            displacement = 0.0;
        }
    }
    assert!((4..=steps / 2).contains(&listings), "{listings} of {steps} steps listed neighbours");
    let found = [apart(&fresh, &kept, "position") / D, apart(&fresh, &kept, "velocity")];
    assert!(found[0] < 1e-4 && found[1] < 1e-3, "{found:?}");
    let counts = [&fresh, &kept].map(|s| s.integer("neighbor_count").unwrap().to_vec());
    let differ = counts[0].iter().zip(&counts[1]).filter(|(a, b)| a != b).count();
    assert!(differ <= counts[0].len() / 500, "{differ} of {} neighbour counts", counts[0].len());
}

/// A wall that comes near while lists hold must not be missed by particles that were far from it.
#[test]
fn walls_that_move_far_let_lists_go() {
    let Some(gpu) = gpu() else { return };
    let device = GpuBackend::adopt(gpu.clone()).into_device();
    let listings = |wall_speed| {
        let (taken, _) = take_steps(falling(0.1, wall_speed), &device, 12);
        taken.iter().filter(|step| step.listed).count()
    };
    let (still, moving) = (listings(0.0), listings(12.0));
    assert!(still <= 6 && moving >= 11, "{still} without motion, {moving} with");
}
