//! Distinct elements: what must be conserved, what must not grow, and that nothing depends on threads, places or restarts.

use glam::DVec3;
use granule::scene::Scene;
use granule::simulator::Command;
use granule::solver::dem::Dem;
use granule::{Options, Simulation};

const MATERIAL: &str = r#"
[[material]]
name = "sand"
radius = 0.005
density = 2500
[material.dem]
young = 5e6
restitution = 0.6
friction = 0.5
rolling_friction = 0.05
twisting_friction = 1e-4
"#;

fn options(threads: usize) -> Options {
    Options { threads: Some(threads), ..Options::default() }
}

fn scene(simulation: &str, rest: &str) -> Scene {
    let text = format!("name = \"test\"\n[simulation]\nsolver = \"dem\"\n{simulation}\n{MATERIAL}\n{rest}");
    Scene::parse(&text, "test").unwrap()
}

/// A box of grains that settle, with an emitter above and an outlet in the floor.
fn flow() -> Scene {
    scene(
        "fps = 100",
        r#"
        [[material]]
        name = "steel"
        radius = 0.005
        [material.dem]
        young = 2e7
        poisson = 0.25
        [[pair]]
        materials = ["sand", "steel"]
        friction = 0.3
        [[grains]]
        material = "sand"
        fill = "random"
        radius = [0.004, 0.008]
        shape.box = { min = [-0.05, 0.07, -0.05], max = [0.05, 0.2, 0.05] }
        [[grains]]
        material = "steel"
        fill = "random"
        fixed = true
        shape.box = { min = [-0.05, 0.0, -0.05], max = [-0.01, 0.04, -0.01] }
        [[boundary]]
        name = "tank"
        material = "steel"
        shape.box = { min = [-0.05, -0.05, -0.05], max = [0.05, 0.5, 0.05], hollow = true }
        [[boundary]]
        name = "plate"
        shape.box = { min = [0.0, 0.0, -0.02], max = [0.002, 0.06, 0.02] }
        [boundary.motion]
        [[boundary.motion.keyframe]]
        time = 0.0
        [[boundary.motion.keyframe]]
        time = 1.0
        translation = [-0.04, 0.02, 0.0]
        angle = 40.0
        axis = [0, 0, 1]
        [[emitter]]
        name = "hose"
        material = "sand"
        shape.box = { min = [-0.02, 0.25, -0.02], max = [0.02, 0.27, 0.02] }
        velocity = [0, -0.5, 0]
        rate = 2000
        [[outlet]]
        name = "drain"
        shape.box = { min = [0.02, -0.05, -0.05], max = [0.05, 0.05, 0.05] }
        [air]
        density = 1.2
        "#,
    )
}

fn hash(simulation: &mut Simulation) -> u64 {
    simulation.simulator().state_hash()
}

/// Momentum and angular momentum over the sums of their moduli, and energy \[J\].
fn momenta(simulation: &mut Simulation, density: f64) -> (DVec3, DVec3, f64, f64) {
    let fields = simulation.read(&["position", "velocity", "angular_velocity", "radius"]).unwrap();
    let rows = |name: &str| fields.vec3(name).unwrap().iter().map(|x| DVec3::from(x.map(f64::from)));
    let radius = fields.scalar("radius").unwrap();
    let (mut p, mut l, mut p_all, mut l_all) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0);
    for (((x, v), w), r) in rows("position").zip(rows("velocity")).zip(rows("angular_velocity")).zip(radius) {
        let r = f64::from(*r);
        let m = density * 4.0 / 3.0 * std::f64::consts::PI * r.powi(3);
        let spin = 0.4 * m * r * r * w;
        p += m * v;
        l += m * x.cross(v) + spin;
        p_all += m * v.length();
        l_all += m * (x.length() * v.length()) + spin.length();
    }
    (p, l, p_all, l_all)
}

/// A cluster of grains that collide and turn in empty space, over ten thousand steps.
#[test]
fn a_free_cluster_keeps_its_momentum_and_angular_momentum() {
    let scene = scene(
        "fps = 100\ngravity = [0, 0, 0]\ntime_step = 2e-5",
        r#"
        [[grains]]
        material = "sand"
        fill = "random"
        radius = [0.003, 0.006]
        velocity = [0.6, 0.1, 0.0]
        shape.box = { min = [-0.06, 0.0, 0.0], max = [-0.02, 0.04, 0.04] }
        [[grains]]
        material = "sand"
        fill = "random"
        radius = [0.003, 0.006]
        velocity = [-0.3, 0.0, 0.1]
        shape.box = { min = [0.0, 0.01, 0.01], max = [0.04, 0.05, 0.05] }
        "#,
    );
    let mut simulation = Simulation::new(scene, &options(2)).unwrap();
    let (p, l, p_all, l_all) = momenta(&mut simulation, 2500.0);
    while simulation.steps() < 10_000 {
        simulation.step();
    }
    let (p_end, l_end, ..) = momenta(&mut simulation, 2500.0);
    let touched = simulation.read(&["angular_velocity"]).unwrap();
    let spins = touched.vec3("angular_velocity").unwrap().iter().filter(|w| w[0] != 0.0).count();
    assert!(spins > 30, "{spins} grains have collided");
    let (linear, angular) = ((p_end - p).length() / p_all, (l_end - l).length() / l_all);
    eprintln!("momentum {linear:.2e}, angular momentum {angular:.2e}");
    assert!(linear < 1e-6 && angular < 1e-6, "{linear} {angular}");
}

/// Weight times height above the floor, energy of motion, and what the springs of contacts hold \[J\]: of spheres of one radius
/// without resistance to rolling.
///
/// ```text
/// normal: 2/5 (4/3 E* sqrt(R*)) delta^(5/2)          tangential: f^2/(2 * 8 G* a)
/// ```
fn energies(simulation: &mut Simulation, young: f64, radius: f64) -> (f64, f64, f64) {
    let poisson = 0.3;
    let kinetic = simulation.step().kinetic_energy;
    let fields = simulation.read(&["position"]).unwrap();
    let heights: f64 = fields.vec3("position").unwrap().iter().map(|x| f64::from(x[1]) - radius).sum();
    let mass = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    let normal = 4.0 / 3.0 * young / (2.0 * (1.0 - poisson * poisson));
    let tangential = 8.0 * young / (4.0 * (2.0 - poisson) * (1.0 + poisson));
    let springs = simulation.contacts().into_iter().map(|contact| {
        let effective = if contact.partner.as_wall().is_some() { radius } else { 0.5 * radius };
        let overlap = f64::from(contact.overlap.max(0.0));
        let a = (effective * overlap).sqrt();
        let shear = f64::from(contact.tangential_force.length_squared());
        0.4 * normal * effective.sqrt() * overlap.powf(2.5) + shear / (2.0 * tangential * a.max(1e-9))
    });
    (kinetic, mass * 9.81 * heights, springs.sum())
}

/// Friction and damping only take from the energy: of motion, of height, of springs.
#[test]
fn the_energy_of_a_bed_never_grows() {
    let text = MATERIAL.replace("rolling_friction = 0.05\ntwisting_friction = 1e-4", "poisson = 0.3");
    let bed = r#"
        [[grains]]
        material = "sand"
        fill = "random"
        shape.box = { min = [-0.03, 0.0, -0.03], max = [0.03, 0.1, 0.03] }
        [[boundary]]
        name = "tank"
        shape.box = { min = [-0.03, 0.0, -0.03], max = [0.03, 0.5, 0.03], hollow = true }
        "#;
    let text = format!("name = \"test\"\n[simulation]\nsolver = \"dem\"\nfps = 1000\n{text}\n{bed}");
    let mut simulation = Simulation::new(Scene::parse(&text, "test").unwrap(), &options(2)).unwrap();
    let (kinetic, height, springs) = energies(&mut simulation, 5e6, 0.005);
    let start = kinetic + height + springs;
    let (mut least, mut fastest, mut motion, mut growth) = (start, 0.0f64, 0.0, f64::NEG_INFINITY);
    while simulation.time() < 0.5 {
        let (kinetic, height, springs) = energies(&mut simulation, 5e6, 0.005);
        let now = kinetic + height + springs;
        growth = growth.max((now - least) / start);
        least = least.min(now);
        fastest = fastest.max(kinetic);
        motion = kinetic;
    }
    eprintln!("largest growth {growth:e} of the energy at the start");
    assert!(growth < 1e-6, "{growth:e}");
    assert!(fastest > 0.1 * start, "grains have fallen");
    assert!(motion < 1e-5 * start, "and come to rest: {motion} of {start}");
}

/// Steps one by one, and many at once, where the end of one and the beginning of the next are one pass over the grains.
#[test]
fn steps_at_once_are_steps_one_by_one() {
    let bed = || {
        scene(
            "fps = 100",
            r#"
            [[grains]]
            material = "sand"
            fill = "random"
            radius = [0.004, 0.008]
            shape.box = { min = [-0.05, 0.0, -0.05], max = [0.05, 0.1, 0.05] }
            [[grains]]
            material = "sand"
            fill = "random"
            grain = "tetrahedron"
            velocity = [0.3, -1.0, 0.0]
            shape.box = { min = [-0.05, 0.12, -0.05], max = [0.05, 0.2, 0.05] }
            [[boundary]]
            name = "tank"
            shape.box = { min = [-0.05, 0.0, -0.05], max = [0.05, 0.5, 0.05], hollow = true }
            "#,
        )
    };
    let [mut single, mut many] = [(); 2].map(|()| Simulation::new(bed(), &options(2)).unwrap());
    let mut energies = Vec::new();
    while single.frame() < 8 {
        energies.push(single.step().kinetic_energy);
    }
    let mut same = 0;
    while many.frame() < 8 {
        let reports = many.step_ahead();
        assert!(reports.len() > 1, "{} step at once", reports.len());
        for (report, _) in reports {
            assert_eq!(report.kinetic_energy, energies[same], "step {same}");
            same += 1;
        }
    }
    assert_eq!(same, energies.len());
    assert_eq!(hash(&mut single), hash(&mut many));
}

/// Emission, outlets, moving walls, air, held grains, two materials: the same bits for any number of threads.
#[test]
fn threads_do_not_matter() {
    let run = |threads: usize| {
        let mut simulation = Simulation::new(flow(), &options(threads)).unwrap();
        simulation.run_until(0.12);
        (hash(&mut simulation), simulation.ledger())
    };
    let (one, ledger) = run(1);
    assert!(ledger.emitted > 100 && ledger.drained > 5, "{ledger:?}");
    assert_eq!(ledger.unaccounted(), 0);
    for threads in [2, 4] {
        assert_eq!(run(threads).0, one, "{threads} threads");
    }
}

#[test]
fn instructions_do_not_matter() {
    use granule::simd::Instructions;
    let run = |instructions: Instructions| {
        let options = Options { instructions: Some(instructions), ..options(2) };
        let mut simulation = Simulation::new(flow(), &options).unwrap();
        simulation.run_until(0.04);
        hash(&mut simulation)
    };
    let all: Vec<u64> = Instructions::ALL.into_iter().filter(|set| set.available()).map(run).collect();
    assert!(all.iter().all(|hash| *hash == all[0]), "{all:?}");
}

/// All fields, and all contacts.
fn same_fields(a: &mut Simulation, b: &mut Simulation) {
    for info in a.fields() {
        let [a, b] = [&mut *a, &mut *b].map(|run| run.read(&[info.name]).unwrap());
        assert_eq!(a.column(info.name), b.column(info.name), "{}", info.name);
    }
    let contacts = a.contacts();
    assert!(contacts.len() > 10, "{} contacts", contacts.len());
    assert_eq!(contacts, b.contacts());
}

#[test]
fn a_run_resumed_in_the_middle_of_a_flow_gives_the_same_bits() {
    let mut unbroken = Simulation::new(flow(), &options(2)).unwrap();
    unbroken.apply(&Command::Gravity(glam::Vec3::new(0.3, -9.81, 0.0))).unwrap();
    unbroken.run_until(0.06);
    let checkpoint = unbroken.checkpoint().unwrap();
    let mut resumed = Simulation::resume(&checkpoint, &options(1)).unwrap();
    assert_eq!(hash(&mut unbroken), hash(&mut resumed));
    same_fields(&mut unbroken, &mut resumed);
    unbroken.run_until(0.12);
    resumed.run_until(0.12);
    assert_eq!(hash(&mut unbroken), hash(&mut resumed));
    same_fields(&mut unbroken, &mut resumed);
}

/// Held grains stay where they are, and bear what lies on them.
#[test]
fn held_grains_stay() {
    let mut simulation = Simulation::new(flow(), &options(2)).unwrap();
    let held = |simulation: &mut Simulation| {
        let fields = simulation.read(&["position", "material"]).unwrap();
        let material = fields.integer("material").unwrap().to_vec();
        let position = fields.vec3("position").unwrap().to_vec();
        position.into_iter().zip(material).filter(|(_, m)| *m == 1).map(|(x, _)| x).collect::<Vec<_>>()
    };
    let start = held(&mut simulation);
    assert!(start.len() > 5);
    simulation.run_until(0.05);
    assert_eq!(held(&mut simulation), start);
}

/// A sphere on a plane sinks in until the plane bears its weight: delta = (m g/(4/3 E* sqrt(R)))^(2/3).
#[test]
fn a_grain_rests_at_the_depth_of_hertz_wherever_it_is() {
    let radius = 0.005f64;
    for (x, y) in [(0.0, 0.0), (10.0, 0.0), (-7.0, 10.0)] {
        let rest = format!(
            r#"
            [[grains]]
            material = "sand"
            shape.box = {{ min = [{x}, {y}, 0.0], max = [{}, {}, 0.01001] }}
            [[boundary]]
            name = "floor"
            shape.plane = {{ point = [0, {y}, 0], normal = [0, 1, 0] }}
            "#,
            x + 0.01001,
            y + 0.01001
        );
        let mut simulation = Simulation::new(scene("fps = 50", &rest), &options(1)).unwrap();
        assert_eq!(simulation.particle_count(), 1);
        simulation.run_until(1.0);
        let solver = simulation.solver_as::<Dem>().unwrap();
        let height = solver.exact_positions()[0].to_meters().y - f64::from(y as f32);
        let mass = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        let modulus = 5e6 / (2.0 * (1.0 - 0.09));
        let depth = (mass * 9.81 / (4.0 / 3.0 * modulus * radius.sqrt())).powf(2.0 / 3.0);
        let found = f64::from(0.005f32) - height;
        assert!((found / depth - 1.0).abs() < 2e-3, "at ({x}, {y}): {found} instead of {depth}");
    }
}

fn refusal(simulation: &str, rest: &str) -> String {
    let text = format!("name = \"test\"\n[simulation]\nsolver = \"dem\"\n{simulation}\n{rest}");
    let made = Scene::parse(&text, "test").map_err(|error| error.to_string());
    match made.and_then(|scene| Simulation::new(scene, &options(1)).map_err(|error| error.to_string())) {
        Ok(_) => panic!("the scene was taken: {text}"),
        Err(error) => error,
    }
}

fn grains(dem: &str) -> String {
    format!(
        "[[material]]\nname = \"sand\"\nradius = 0.005\ndensity = 2500\n[material.dem]\n{dem}\n[[grains]]\nmaterial = \
         \"sand\"\nshape.box = {{ min = [0, 0, 0], max = [0.05, 0.05, 0.05] }}\n"
    )
}

#[test]
fn what_cannot_be_computed_is_refused_with_the_remedy() {
    let long = refusal("time_step = 0.001", &grains("young = 1e7"));
    assert!(long.contains("simulation.time_step") && long.contains("collision"), "{long}");
    let still = refusal("time_step = 0.001\ngravity = [0, 0, 0]", &grains("young = 1e7"));
    assert!(still.contains("simulation.time_step") && still.contains("Rayleigh"), "{still}");
    for (key, remedy) in [
        ("young = -1", "1e3 to 1e13"),
        ("young = 1e20", "1e3 to 1e13"),
        ("poisson = 0.6", "0 to 0.5"),
        ("restitution = 0", "above 0"),
        ("restitution = 1.2", "at most 1"),
        ("friction = -0.5", "0 or more"),
    ] {
        let error = refusal("", &grains(key));
        let name = key.split(' ').next().unwrap();
        assert!(error.contains(&format!("dem.{name}")) && error.contains(remedy), "{key}: {error}");
    }
    let sticky = "[dem]\nnormal = \"jkr\"\n".to_string()
        + &grains("surface_energy = 0.1")
        + "[[grains]]\nmaterial = \"sand\"\nshape.box = { min = [0.0495, 0, 0], max = [0.0595, 0.05, 0.05] }\n";
    let error = refusal("", &sticky);
    assert!(error.contains("sticky grains overlap") && error.contains("dry grains"), "{error}");
    let pair = grains("") + "[[pair]]\nmaterials = [\"sand\", \"steal\"]\n";
    assert!(refusal("", &pair).contains("steal"), "{}", refusal("", &pair));
    let ratio = grains("")
        + "[[grains]]\nmaterial = \"sand\"\nfill = \"random\"\nradius = 0.06\n\
                shape.box = { min = [0, 1, 0], max = [1, 2, 1] }\n";
    assert!(refusal("", &ratio).contains("at most 10 times"), "{}", refusal("", &ratio));
}
