//! Measures what the tables of docs/grains.md hold: angles of repose, friction of walls and cohesion of grains with given
//! constants of their contacts. `cargo run --release --example grains [repose|walls|cohesion]`, or
//! `cargo run --release --example grains heap SOLVER FRICTION ROLLING GRAINS SEED` for one poured heap (minutes).
#![allow(clippy::print_stdout)]

use std::error::Error;

use granule::measure::{HeapContacts, MeasureOptions, heap_angle, surface_angle};
use granule::scene::SolverKind;
use granule::{Options, Scene, Simulation};

/// Diameter of the grains [m].
const DIAMETER: f64 = 0.01;
/// Bulk density [kg/m3]; grains have it over 0.6.
const BULK: f64 = 1600.0;
const GRAVITY: f64 = 9.81;

/// What grains are like in contacts.
#[derive(Clone, Copy)]
struct Grains {
    friction: f64,
    rolling: f64,
    solver: SolverKind,
    /// Pull of a liquid bridge over the weight of a grain.
    bridge: f64,
}

/// Dry grains, as most scenes get them.
const PLAIN: Grains = Grains { friction: 0.5, rolling: 0.2, solver: SolverKind::Dem, bridge: 0.0 };

fn main() -> Result<(), Box<dyn Error>> {
    let all = ["repose", "walls", "cohesion"].map(String::from).to_vec();
    let asked: Vec<String> = std::env::args().skip(1).collect();
    if let [name, rest @ ..] = asked.as_slice()
        && name == "heap"
    {
        return heap(rest);
    }
    for table in if asked.is_empty() { all } else { asked } {
        match table.as_str() {
            "repose" => repose()?,
            "walls" => walls()?,
            "cohesion" => cohesion()?,
            other => return Err(format!("no table `{other}`: repose, walls, cohesion").into()),
        }
    }
    Ok(())
}

/// One heap as `measure repose` pours it, on one thread; `sliding` are position-based grains that do not turn.
fn heap(asked: &[String]) -> Result<(), Box<dyn Error>> {
    let [solver, friction, rolling, count, seed] = asked else {
        return Err(
            "after `heap`: solver (dem, pbd, sliding), friction, rolling friction, grains, seed".into()
        );
    };
    let (kind, rotation) = match solver.as_str() {
        "dem" => (SolverKind::Dem, true),
        "pbd" => (SolverKind::Pbd, true),
        "sliding" => (SolverKind::Pbd, false),
        other => return Err(format!("no grains are called `{other}`: dem, pbd, sliding").into()),
    };
    let contact = HeapContacts { friction: friction.parse()?, rolling: rolling.parse()?, rotation };
    let simulation = Options { threads: Some(1), ..Options::default() };
    let options = MeasureOptions { solver: Some(kind), simulation, ..MeasureOptions::default() };
    let angle = heap_angle(&options, contact, count.parse()?, seed.parse()?)?;
    println!("{solver} {friction} {rolling} {count} {seed} {angle:.2}");
    Ok(())
}

/// A scene with one material, and walls and grains as TOML.
fn scene(grains: Grains, depth: f64, gravity: [f64; 2], parts: &str) -> Result<Scene, Box<dyn Error>> {
    let Grains { friction, rolling, bridge, solver } = grains;
    let (density, radius) = (BULK / 0.6, 0.5 * DIAMETER);
    let weight = density * std::f64::consts::PI / 6.0 * DIAMETER.powi(3) * GRAVITY;
    let tension = bridge * weight / (2.0 * std::f64::consts::PI * radius);
    let liquid = if bridge > 0.0 { 1e-3 * radius.powi(3) } else { 0.0 };
    // Weight and bridges let grains overlap by 1 and by 0.3 % of a diameter, as in scenes that are translated.
    let of_pull = 1.5 * 0.91 * bridge * weight / ((0.5 * radius).sqrt() * (0.003 * DIAMETER).powf(1.5));
    let young = of_pull.max(3000.0 * BULK * GRAVITY * depth);
    let text = format!(
        "name = \"grains\"\n[simulation]\nsolver = \"{}\"\nfps = 50\ngravity = [{}, {}, 0]\n{parts}\n\
         [dem]\nrayleigh_share = 0.2\ncollision_share = 0.1\nbridges_at_start = true\n\
         [[material]]\nname = \"sand\"\nradius = {radius}\ndensity = {density}\n\
         [material.dem]\nyoung = {young}\nfriction = {friction}\nrolling_friction = {rolling}\n\
         liquid_volume = {liquid:e}\nliquid_tension = {tension:e}\n\
         [material.pbd]\nfriction = {friction}\nrolling_friction = {rolling}\n",
        solver.name(),
        gravity[0],
        gravity[1]
    );
    Ok(Scene::parse(&text, "grains")?)
}

fn begin(scene: Scene) -> Result<Simulation, Box<dyn Error>> {
    let options = Options { threads: Some(1), ..Options::default() };
    Ok(Simulation::new(scene, &options)?)
}

/// A wedge of 45 degrees between a wall and the edge of a rough table, 25 d long and high and 6 d deep, periodic: what does not
/// fall over the edge comes to rest at the angle of repose.
fn repose() -> Result<(), Box<dyn Error>> {
    println!("friction  rolling  angle of repose [degrees]  grains  mean speed [m/s]");
    for (friction, rolling) in [(0.1, 0.0), (0.3, 0.0), (0.5, 0.0), (0.5, 0.1), (0.5, 0.3), (0.8, 0.5)] {
        let [angle, count, speed] = repose_of(Grains { friction, rolling, ..PLAIN })?;
        println!("{friction:8} {rolling:8} {angle:26.1} {count:7} {speed:17.1e}");
    }
    Ok(())
}

/// Angle of the slope [degrees], number of its grains and their mean speed [m/s] after two seconds.
fn repose_of(grains: Grains) -> Result<[f64; 3], Box<dyn Error>> {
    let length = 25.0 * DIAMETER;
    let depth = 6.0 * DIAMETER;
    let parts = format!(
        "periodic = {{ z = [0, {depth}] }}\n\
         [[grains]]\nmaterial = \"sand\"\nfill = \"relaxed\"\n\
         [[grains.shape.intersection]]\nbox = {{ min = [0, {0}, 0], max = [{length}, {length}, {depth}] }}\n\
         [[grains.shape.intersection]]\nplane = {{ point = [{length}, {0}, 0], normal = [0.70711, 0.70711, 0] }}\n\
         [[boundary]]\nname = \"back\"\nfriction = 0\nshape.plane = {{ point = [0, 0, 0], normal = [1, 0, 0] }}\n\
         [[boundary]]\nname = \"table\"\nrough = {DIAMETER}\n\
         rough_region = {{ min = [0, -0.001, 0], max = [{length}, 0.001, {depth}] }}\n\
         shape.box = {{ min = [-1, -1, -1], max = [{length}, 0, 1] }}\n\
         [[outlet]]\nname = \"below\"\nshape.plane = {{ point = [0, -0.05, 0], normal = [0, 1, 0] }}\n",
        0.75 * DIAMETER
    );
    let mut simulation = begin(scene(grains, length, [0.0, -GRAVITY], &parts)?)?;
    simulation.run_until(2.0);
    let state = simulation.read(&["position", "speed"])?;
    let speed = state.scalar("speed").unwrap_or_default();
    let mean = speed.iter().map(|speed| f64::from(*speed)).sum::<f64>() / speed.len().max(1) as f64;
    // Spheres of the table are no part of the surface.
    let sand: Vec<[f32; 3]> =
        state.vec3("position").unwrap_or_default().iter().copied().filter(|x| x[1] > 0.005).collect();
    Ok([surface_angle(&sand, DIAMETER), sand.len() as f64, mean])
}

/// A bed of 8 d in all directions, periodic across, slides down a smooth wall of 40 degrees.
fn walls() -> Result<(), Box<dyn Error>> {
    // Grains of 30 degrees (tables 6), and those of 35.
    let grains =
        [(SolverKind::Dem, 0.115), (SolverKind::Dem, 0.3), (SolverKind::Pbd, 0.03), (SolverKind::Pbd, 0.1)];
    println!(
        "solver  rolling  friction of the contact  friction of the bed, rolling friction of the wall: the grains' | friction"
    );
    for (solver, rolling) in grains {
        for friction in [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.5] {
            let bed = Grains { rolling, solver, ..PLAIN };
            let (own, held) = (wall_of(bed, friction, rolling)?, wall_of(bed, friction, friction)?);
            println!("{:>6} {rolling:8} {friction:24} {own:20.3} {held:20.3}", solver.name());
        }
    }
    Ok(())
}

/// Shear over normal force at the wall, from how much slower than free the bed becomes faster.
///
/// ```text
/// mu = tan(theta) - a/(g cos(theta))
/// ```
fn wall_of(grains: Grains, friction: f64, rolling: f64) -> Result<f64, Box<dyn Error>> {
    let slope = 40f64.to_radians();
    let side = 8.0 * DIAMETER;
    let parts = format!(
        "periodic = {{ x = [0, {side}], z = [0, {side}] }}\n\
         [[grains]]\nmaterial = \"sand\"\nfill = \"relaxed\"\n\
         shape.box = {{ min = [0, 0, 0], max = [{side}, {side}, {side}] }}\n\
         [[boundary]]\nname = \"wall\"\nfriction = {friction}\nrolling_friction = {rolling}\n\
         shape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n"
    );
    let gravity = [GRAVITY * slope.sin(), -GRAVITY * slope.cos()];
    let mut simulation = begin(scene(grains, 20.0 * DIAMETER, gravity, &parts)?)?;
    let mut speeds = Vec::new();
    for time in [0.2, 0.4] {
        simulation.run_until(time);
        let state = simulation.read(&["velocity"])?;
        let velocity = state.vec3("velocity").unwrap_or_default();
        speeds.push(velocity.iter().map(|v| f64::from(v[0])).sum::<f64>() / velocity.len().max(1) as f64);
    }
    let acceleration = (speeds[1] - speeds[0]) / 0.2;
    Ok(slope.tan() - acceleration / (GRAVITY * slope.cos()))
}

/// Vertical cuts with liquid bridges of several strengths, and the cohesion that would just hold them.
///
/// ```text
/// c = rho g H/(4 tan(45 + phi/2)),   k = c d^2/(F tan(phi))
/// ```
fn cohesion() -> Result<(), Box<dyn Error>> {
    println!("friction  rolling  pull of a bridge over weight      k  part that has fallen");
    let bridges = [5.0, 6.0, 7.0, 8.0, 10.0, 12.0];
    let cuts = [(0.1, 28.2), (0.3, 35.2)];
    for (rolling, angle) in cuts {
        let (angle, friction) = (f64::to_radians(angle), 0.5);
        let just = 16.0 / (4.0 * (std::f64::consts::FRAC_PI_4 + 0.5 * angle).tan());
        for bridge in bridges {
            let fallen = fallen(Grains { friction, rolling, bridge, ..PLAIN })?;
            // A grain weighs pi/6/0.6 of a cube of a diameter of bulk matter.
            let k = just / (bridge * std::f64::consts::PI / 3.6 * angle.tan());
            println!("{friction:8} {rolling:8} {bridge:29} {k:6.2} {fallen:21.3}");
        }
    }
    Ok(())
}

/// The part of a block of moist grains as it was built, 16 d long and high and 6 d deep, periodic, that lies in front of its
/// vertical cut after 0.9 s.
fn fallen(grains: Grains) -> Result<f64, Box<dyn Error>> {
    let (side, depth, low) = (16.0 * DIAMETER, 6.0 * DIAMETER, 0.75 * DIAMETER);
    let parts = format!(
        "periodic = {{ z = [0, {depth}] }}\n\
         [[grains]]\nmaterial = \"sand\"\nfill = \"touching\"\n\
         shape.box = {{ min = [0, {low}, 0], max = [{side}, {0}, {depth}] }}\n\
         [[boundary]]\nname = \"back\"\nfriction = 0\nshape.plane = {{ point = [0, 0, 0], normal = [1, 0, 0] }}\n\
         [[boundary]]\nname = \"floor\"\nrough = {DIAMETER}\n\
         rough_region = {{ min = [0, -0.001, 0], max = [0.4, 0.001, {depth}] }}\n\
         shape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n",
        low + side,
    );
    let mut simulation = begin(scene(grains, side, [0.0, -GRAVITY], &parts)?)?;
    simulation.run_until(0.9);
    let state = simulation.read(&["position"])?;
    let sand: Vec<&[f32; 3]> =
        state.vec3("position").unwrap_or_default().iter().filter(|x| x[1] > 0.0055).collect();
    let front = (side + 2.0 * DIAMETER) as f32;
    Ok(sand.iter().filter(|x| x[0] > front).count() as f64 / sand.len().max(1) as f64)
}
