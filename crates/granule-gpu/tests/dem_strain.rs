//! Periodic cells that strain, of distinct elements on a device against the CPU's.

mod common;

use common::dem::{RADIUS, compare};
use common::runs::{apart, frames, options, repeat_and_resume, simulate};
use common::{difference, gpu};
use granule::cell::CellState;
use granule::scene::Scene;
use granule::simulator::Command;
use granule::{Device, Simulation};

/// Spheres of 4.5 to 5.5 mm, packed, in a cell of 6 cm that strains.
fn cell(strain: &str) -> Scene {
    with_grains(strain, "fill = \"relaxed\"\nradius = [0.0045, 0.0055]\n", "")
}

fn with_grains(strain: &str, grains: &str, more: &str) -> Scene {
    let text = format!(
        "name = \"cell\"\n[simulation]\nsolver = \"dem\"\nfps = 1000\ngravity = [0, 0, 0]\n\
         periodic = {{ x = [-0.01, 0.05], y = [0.002, 0.062], z = [0, 0.06] }}\n[simulation.strain]\n{strain}\
         [[material]]\nname = \"glass\"\nradius = 0.005\ndensity = 2500\n[material.dem]\nyoung = 5e6\npoisson = 0.3\n\
         restitution = 0.5\nfriction = 0.5\n[[grains]]\nmaterial = \"glass\"\n{grains}\
         shape.box = {{ min = [-0.01, 0.002, 0], max = [0.05, 0.062, 0.06] }}\n{more}"
    );
    Scene::parse(&text, "cell").unwrap()
}

const ISOTROPIC: &str = "x = { pressure = 3000, max_rate = 4 }\ny = { pressure = 3000, max_rate = 4 }\n\
                         z = { pressure = 3000, max_rate = 4 }\n";
const SHEAR: &str = "x = { rate = 6 }\ny = { rate = -6 }\nstart = 1e-4\n";
const TRIAXIAL: &str = "x = { pressure = 3000, rate = 2, max_rate = 20 }\ny = { pressure = 3000, rate = -4, max_rate = 0 }\n\
                        z = { pressure = 3000, rate = 2, max_rate = 20 }\n";

/// Largest difference of two cells' lengths, relative, and of their stresses, over the largest.
fn cells_apart(a: CellState, b: CellState) -> [f64; 2] {
    let lengths = ((a.to - a.from) / (b.to - b.from) - 1.0).abs().max_element();
    let places = (a.from - b.from).abs().max_element() / (a.to - a.from).max_element();
    [lengths.max(places), (a.stress - b.stress).abs().max_element() / a.stress.abs().max_element()]
}

/// Lets a scene go on both devices for a frame of about so many steps, and gives how cells differ after it.
fn compare_cells(scene: &Scene, steps: usize, device: &Device) -> [f64; 2] {
    let mut scene = scene.clone();
    scene.simulation.fps = 1.0 / (steps as f64 * simulate(&scene, &Device::Cpu).step().dt);
    let [cpu, gpu] = [&Device::Cpu, device].map(|device| {
        let mut simulation = simulate(&scene, device);
        frames(&mut simulation, 1);
        simulation.simulator().cell().unwrap()
    });
    let found = cells_apart(cpu, gpu);
    let lengths = cpu.to - cpu.from;
    eprintln!(
        "cell of {lengths} m under {} Pa: {:.2e} of lengths, {:.2e} of stress",
        cpu.stress, found[0], found[1]
    );
    found
}

/// Two hundred steps of compression under a pressure, of shear at constant volume, and of shortening with stresses held.
#[test]
fn every_kind_of_strain_is_that_of_the_cpu() {
    let Some(device) = gpu() else { return };
    for (name, strain) in [("isotropic", ISOTROPIC), ("shear", SHEAR), ("triaxial", TRIAXIAL)] {
        let found = compare(&cell(strain), 200, &device);
        let of_cells = compare_cells(&cell(strain), 200, &device);
        assert!(found[0] < 1e-4 && found[1] < 1e-3, "{name}: {found:?}");
        assert!(of_cells[0] < 1e-7 && of_cells[1] < 1e-3, "{name}: {of_cells:?}");
    }
}

/// The same with grains of several spheres, whose stress is that of branches between centres of mass; and above a floor, which
/// does not strain.
#[test]
fn grains_of_several_spheres_and_walls_are_those_of_the_cpu() {
    let Some(device) = gpu() else { return };
    let grain = "fill = \"lattice\"\nradius = 0.0058\nvelocity = [1, 0.5, 0.2]\ngrain = \"tetrahedron\"\n";
    let clumps = with_grains(&ISOTROPIC.replace("max_rate = 4", "max_rate = 30"), grain, "");
    let floor = "[[boundary]]\nname = \"floor\"\nshape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }\n";
    let spheres = "fill = \"relaxed\"\nradius = [0.0045, 0.0055]\nvelocity = [0, -1, 0]\n";
    let strain = "x = { rate = -6 }\nz = { pressure = 3000, max_rate = 6 }\n";
    let mut above = with_grains(strain, spheres, floor);
    above.simulation.periodic.y = None;
    for (name, scene) in [("clumps", clumps), ("floor", above)] {
        let found = compare(&scene, 200, &device);
        let of_cells = compare_cells(&scene, 200, &device);
        assert!(found[0] < 1e-4 && found[1] < 1e-3, "{name}: {found:?}");
        assert!(of_cells[0] < 1e-7 && of_cells[1] < 1e-4, "{name}: {of_cells:?}");
    }
}

/// Over two thousand steps under a pressure, until grains carry it: volume, stress, contacts and energy.
#[test]
fn totals_are_those_of_the_cpu_over_thousands_of_steps() {
    let Some(device) = gpu() else { return };
    let mut scene = cell(ISOTROPIC);
    scene.simulation.fps = 1.0 / (1100.0 * simulate(&scene, &Device::Cpu).step().dt);
    let found = [Device::Cpu, device].map(|device| {
        let mut simulation = simulate(&scene, &device);
        let energy = frames(&mut simulation, 2).kinetic_energy;
        assert_eq!((simulation.lost(), simulation.ledger().unaccounted()), (0, 0));
        assert!(simulation.steps() >= 2000);
        let cell = simulation.simulator().cell().unwrap();
        let pressure = cell.stress.element_sum() / 3.0;
        [(cell.to - cell.from).element_product(), pressure, simulation.contacts().len() as f64, energy]
    });
    eprintln!("volume, pressure, contacts and energy: {found:?}");
    let [cpu, gpu] = found;
    let near = |k: usize, share: f64| (cpu[k] - gpu[k]).abs() < share * cpu[k];
    assert!(near(0, 2e-3) && near(1, 5e-3) && near(2, 0.03) && near(3, 0.5), "{found:?}");
    assert!((cpu[1] - 3000.0).abs() < 60.0, "{cpu:?}");
}

#[test]
fn repeated_and_resumed_runs_give_the_same_bits_however_they_are_cut_into_batches() {
    let Some(device) = gpu() else { return };
    repeat_and_resume(&cell(TRIAXIAL), 2, &device);
}

/// A run goes on on the other device, with other rates from then on.
#[test]
fn a_run_goes_on_on_the_other_device() {
    let Some(device) = gpu() else { return };
    let mut gpu = simulate(&cell(ISOTROPIC), &device);
    frames(&mut gpu, 2);
    let mut cpu = Simulation::resume(&gpu.checkpoint().unwrap(), &options(&Device::Cpu)).unwrap();
    assert_eq!(cpu.simulator().cell(), gpu.simulator().cell());
    assert_eq!(cpu.contacts().len(), gpu.contacts().len());
    let [a, b] = [&mut cpu, &mut gpu].map(|simulation| {
        for (path, value) in [("y.rate", -5.0), ("y.max_rate", 0.0), ("x.rate", 2.0)] {
            let path = format!("simulation.strain.{path}");
            simulation.apply(&Command::Set { path, value }).unwrap();
        }
        frames(simulation, 2);
        (simulation.read(&["position", "velocity"]).unwrap(), simulation.simulator().cell().unwrap())
    });
    assert!((b.1.rate.y + 5.0).abs() < 1e-5, "{}", b.1.rate);
    let found = [apart(&a.0, &b.0) / RADIUS, difference(&a.0, &b.0, "velocity")];
    let of_cells = cells_apart(a.1, b.1);
    eprintln!("two frames after a change of devices: {found:?} {of_cells:?}");
    assert!(found[0] < 1e-4 && found[1] < 1e-3, "{found:?}");
    assert!(of_cells[0] < 1e-7 && of_cells[1] < 1e-4, "{of_cells:?}");
}
