//! Grains of several spheres from a scene to a solver: filling, emission, outlets, books and free flight, with a solver that
//! lets them fly through each other.

use granule::assemblies::{Assemblies, Load, Rates};
use granule::columns::ParticleColumns;
use granule::material::Material;
use granule::neighbors::Domain;
use granule::position::ExactPosition;
use granule::scene::{Scene, SolverCapabilities, YieldLaw};
use granule::simulator::{FieldData, FieldInfo, FieldKind, StepReport};
use granule::solver::particle_solver::ParticleSolver;
use granule::solver::reads::{Gather, field};
use granule::solver::world::{World, equal_steps};
use granule::{Options, Simulation, SolverEntry, SolverInput};

use glam::{DVec3, Vec3, Vec4};

granule::particle_columns! {
    /// Columns of the flyer.
    pub struct FlyerState {
        /// Steps that a particle has seen.
        steps: Vec<u32> => State,
    }
    beside {
        /// The rigid grains.
        assemblies: Assemblies,
    }
}

/// Grains fly freely.
struct Flyer {
    world: World,
    state: FlyerState,
    materials: Vec<Material>,
    smallest: f32,
}

impl Flyer {
    fn new(input: SolverInput) -> Self {
        let materials = input.scene.material.iter().map(|m| Material::new(m, YieldLaw::Tan)).collect();
        let (smallest, _) = input.grain_shapes.limits(&input.scene).unwrap();
        let world = World::new(input.scene, input.boundaries, input.bodies, input.grains, input.team);
        let mut flyer = Self { world, state: FlyerState::default(), materials, smallest };
        flyer.state.resize(flyer.world.particles.len());
        flyer.after_growth(0);
        flyer.add_assemblies(input.assemblies);
        flyer
    }
}

impl ParticleSolver for Flyer {
    type Columns = FlyerState;
    const NAME: &'static str = "flyer";
    const FIELDS: &'static [FieldInfo] = &[
        field("id", "1", FieldKind::Integer),
        field("position", "m", FieldKind::Vec3),
        field("velocity", "m/s", FieldKind::Vec3),
        field("radius", "m", FieldKind::Scalar),
        field("grain", "1", FieldKind::Integer),
        field("mass", "kg", FieldKind::Scalar),
    ];

    fn world(&self) -> &World {
        &self.world
    }
    fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }
    fn columns(&self) -> &FlyerState {
        &self.state
    }
    fn columns_mut(&mut self) -> &mut FlyerState {
        &mut self.state
    }
    fn domain(&self) -> Domain {
        Domain::default()
    }
    fn materials(&self) -> &[Material] {
        &self.materials
    }
    fn assemblies(&self) -> &Assemblies {
        &self.state.assemblies
    }

    fn after_growth(&mut self, first: usize) {
        assert_eq!(self.state.steps.len(), self.world.particles.len());
        assert!(self.state.steps[first..].iter().all(|steps| *steps == 0));
        self.state.assemblies.grow(self.world.particles.len());
    }

    fn add_assemblies(&mut self, new: &[granule::clumps::PlacedAssembly]) {
        let base = self.world.particles.len();
        for placed in new {
            let members = placed.first..placed.first + placed.assembly.spheres.len();
            assert!(members.end <= base);
            self.state.assemblies.push(&placed.assembly, &self.world.particles.id[members], placed.first);
        }
    }

    fn after_removal(&mut self, keep: &[bool], _id: &[u32]) {
        let mut keep = keep.to_vec();
        self.state.assemblies.retain(&mut keep);
    }

    fn step_stages(&mut self, max_dt: f64) -> StepReport {
        let dt = equal_steps(max_dt, 1e-3);
        let gravity = self.world.gravity;
        let particles = &mut self.world.particles;
        let exact = |x: &Vec4| ExactPosition::new(x.truncate()).unwrap();
        let mut place: Vec<ExactPosition> = particles.position.iter().map(exact).collect();
        self.state.steps.iter_mut().for_each(|steps| *steps += 1);
        for (i, place) in place.iter_mut().enumerate() {
            if self.state.assemblies.assembly_of(i).is_none() {
                particles.velocity[i] += (dt as f32 * gravity).extend(0.0);
                let way = dt * particles.velocity[i].truncate().as_dvec3();
                assert!(place.advance_meters(way));
            }
        }
        let weight = |mass: f64| Load { force: mass * gravity.as_dvec3(), torque: DVec3::ZERO };
        let loads: Vec<Load> =
            self.state.assemblies.all().iter().map(|a| weight(a.properties.mass)).collect();
        self.state.assemblies.kick(&loads, dt);
        self.state.assemblies.drift(dt);
        let mut spin = vec![Vec4::ZERO; place.len()];
        self.state.assemblies.place_members(Rates::Now, &mut place, &mut particles.velocity, &mut spin);
        for (position, place) in particles.position.iter_mut().zip(&place) {
            *position = place.to_vec3().extend(position.w);
        }
        self.world.time += dt;
        StepReport { dt, particles: self.world.particles.len(), converged: true, ..StepReport::default() }
    }

    fn field(&self, name: &str, order: &[u32]) -> FieldData {
        match name {
            "mass" => Gather(order).scalar(|i| self.world.particles.velocity[i].w),
            _ => {
                Gather(order).integer(|i| self.state.assemblies.assembly_of(i).map_or(u32::MAX, |k| k as u32))
            }
        }
    }

    fn adopt(&mut self, scene: Scene) {
        self.world.adopt(scene);
    }

    fn other_bytes(&self) -> usize {
        self.state.assemblies.bytes()
    }

    fn mass_of(&self, grain: &granule::particles::NewGrain) -> f32 {
        let density = self.world.scene.material[grain.material as usize].density;
        granule::material::grain_mass(density, grain.radius)
    }
}

const CAN: SolverCapabilities =
    SolverCapabilities { one_radius: false, has_grains: true, has_clumps: true, has_particle_bodies: false };

static FLYER: SolverEntry = SolverEntry {
    kind: None,
    name: "flyer",
    capabilities: CAN,
    fields: <Flyer as ParticleSolver>::FIELDS,
    check: granule::solver::takes_all,
    make: |input| Box::new(Flyer::new(input)),
};

fn options() -> Options {
    Options { solver: Some(&FLYER), threads: Some(2), ..Options::default() }
}

fn scene(grains: &str) -> Scene {
    let text = format!(
        "name = \"clumps\"\n[simulation]\nfps = 100\ngravity = [0, 0, 0]\n[[material]]\nname = \"sand\"\nradius = 0.005\n\
         density = 2500\n{grains}"
    );
    // The registry's default solver has no grains; the text is checked for the flyer when it is simulated.
    toml::from_str(&text).unwrap()
}

fn simulate(grains: &str) -> Simulation {
    Simulation::new(scene(grains), &options()).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(grains: &str) -> String {
    match Simulation::new(scene(grains), &options()) {
        Ok(_) => panic!("taken: {grains}"),
        Err(error) => error.to_string(),
    }
}

const BOX: &str = "shape.box = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\n";

/// Positions with radii, and the grain of each sphere.
fn spheres(simulation: &mut Simulation) -> (Vec<(Vec3, f32)>, Vec<u32>, Vec<f32>) {
    let snapshot = simulation.read(&["position", "radius", "grain", "mass"]).unwrap();
    let radius = snapshot.scalar("radius").unwrap();
    let position = snapshot.vec3("position").unwrap().iter().map(|x| Vec3::from(*x));
    let mass = snapshot.scalar("mass").unwrap().to_vec();
    (position.zip(radius.iter().copied()).collect(), snapshot.integer("grain").unwrap().to_vec(), mass)
}

fn check_overlaps(simulation: &mut Simulation) {
    let (spheres, grain, _) = spheres(simulation);
    for i in 0..spheres.len() {
        for j in 0..i {
            let apart = spheres[i].0.distance(spheres[j].0);
            let touching = spheres[i].1 + spheres[j].1;
            assert!(
                grain[i] == grain[j] && grain[i] != u32::MAX || apart > 0.8999 * touching,
                "{i} {j}: {apart}"
            );
        }
    }
}

#[test]
fn a_box_is_filled_with_whole_grains_that_do_not_overlap() {
    for (shape, members) in [
        ("\"tetrahedron\"", 4),
        ("\"rod\"", 3),
        ("\"cube\"", 8),
        ("{ spheres = [[0, 0, 0, 2], [3, 0, 0, 2.5]] }", 2),
    ] {
        let text = format!("[[grains]]\nmaterial = \"sand\"\nfill = \"random\"\ngrain = {shape}\n{BOX}");
        let mut simulation = simulate(&text);
        let (spheres, grain, mass) = spheres(&mut simulation);
        let grains = simulation.grain_count();
        assert_eq!(spheres.len(), members * grains, "{shape}");
        // About a quarter of 1 litre, walls included, in grains of the volume of a sphere of 5 mm: 0.52 cm3.
        let volume = 4.0 / 3.0 * std::f64::consts::PI * 0.005f64.powi(3);
        let fraction = grains as f64 * volume / 1e-3;
        assert!((0.22..0.29).contains(&fraction), "{shape}: {fraction}");
        let total: f64 = mass.iter().map(|m| f64::from(*m)).sum();
        assert!((total / (grains as f64 * 2500.0 * volume) - 1.0).abs() < 1e-5, "{shape}: {total}");
        for (i, (x, radius)) in spheres.iter().enumerate() {
            assert!(
                (x.min_element() > radius * 0.999) && x.max_element() < 0.1 - radius * 0.999,
                "{shape}: {x}"
            );
            for j in 0..i {
                let apart = x.distance(spheres[j].0);
                assert!(grain[i] == grain[j] || apart > 0.9999 * (radius + spheres[j].1), "{shape}: {apart}");
            }
        }
        assert_eq!(simulation.ledger().initial, grains as u64);
        // The same grains from the same seed, others from another one.
        let again = |seed: u64| {
            let mut scene = scene(&text);
            scene.simulation.seed = seed;
            Simulation::new(scene, &options()).unwrap().simulator().state_hash()
        };
        assert_eq!(again(1), simulation.simulator().state_hash());
        assert_ne!(again(2), simulation.simulator().state_hash());
    }
}

/// Mean of n n^T over grains is 1/3 where directions are alike, with n along a rod.
#[test]
fn grains_are_turned_at_random() {
    let text = "[[grains]]\nmaterial = \"sand\"\ngrain = \"rod\"\n\
                shape.box = { min = [0, 0, 0], max = [0.36, 0.36, 0.36] }\n";
    let mut simulation = simulate(text);
    let (spheres, ..) = spheres(&mut simulation);
    let mut mean = Vec3::ZERO;
    let mut cross = 0.0;
    let rods = spheres.len() / 3;
    for rod in spheres.chunks(3) {
        let along = (rod[2].0 - rod[0].0).normalize();
        mean += along * along / rods as f32;
        cross += along.x * along.y / rods as f32;
    }
    assert!(rods > 3000, "{rods}");
    // A share of cos^2 has a standard deviation of sqrt(4/45) = 0.30 per grain: 0.005 for 3500 of them.
    assert!((mean - 1.0 / 3.0).abs().max_element() < 0.02 && cross.abs() < 0.02, "{mean} {cross}");
}

#[test]
fn sizes_follow_their_distribution_and_mix_with_spheres() {
    let text = format!(
        "[[grains]]\nmaterial = \"sand\"\nfill = \"random\"\ngrain = \"dumbbell\"\nradius = [0.003, 0.006]\n{BOX}\
         [[grains]]\nmaterial = \"sand\"\nfill = \"random\"\nshape.box = {{ min = [0, 0.11, 0], max = [0.1, 0.2, 0.1] }}\n"
    );
    let mut simulation = simulate(&text);
    let (all, grain, _) = spheres(&mut simulation);
    let clumps = all.iter().zip(&grain).filter(|(_, grain)| **grain != u32::MAX);
    let radii: Vec<f32> = clumps.map(|((_, radius), _)| *radius).collect();
    let limits = radii.iter().fold((1.0f32, 0.0f32), |(a, b), r| (a.min(*r), b.max(*r)));
    // Two spheres a radius apart: 27/16 of the volume of one.
    let member = (27f32 / 16.0).cbrt().recip();
    assert!((limits.0 / member) > 0.003 * 0.999 && limits.0 / member < 0.0033, "{limits:?}");
    assert!((limits.1 / member) < 0.006 * 1.001 && limits.1 / member > 0.0057, "{limits:?}");
    let singles = grain.iter().filter(|grain| **grain == u32::MAX).count();
    assert_eq!(simulation.grain_count(), singles + radii.len() / 2);
    check_overlaps(&mut simulation);
}

const HOSE: &str = "[[emitter]]\nname = \"hose\"\nmaterial = \"sand\"\ngrain = \"tetrahedron\"\nradius = [0.004, 0.006]\n\
                    shape.box = { min = [0, 0.2, 0], max = [0.1, 0.22, 0.1] }\nvelocity = [0, -2, 0]\nrate = 2000\n";
const DRAIN: &str = "[[outlet]]\nname = \"drain\"\nshape.plane = { point = [0, 0.1, 0], normal = [0, 1, 0] }\n\
                     [[counter]]\nname = \"air\"\nshape.box = { min = [-1, 0.1, -1], max = [1, 1, 1] }\n";

/// Emitters emit whole grains, outlets take whole grains by their centres, and the books agree after every step.
#[test]
fn whole_grains_come_and_go_and_the_books_count_them() {
    let mut simulation = simulate(&format!("{HOSE}{DRAIN}"));
    let mut emitted = 0;
    for _ in 0..200 {
        let report = simulation.step();
        emitted += report.emitted;
        assert_eq!(simulation.ledger().unaccounted(), 0);
        assert_eq!(simulation.particle_count(), 4 * simulation.grain_count());
    }
    check_overlaps(&mut simulation);
    let ledger = simulation.ledger();
    assert!(ledger.emitted as usize == emitted && emitted > 100, "{ledger:?}");
    assert!(ledger.drained > 50, "{ledger:?}");
    assert_eq!(simulation.flow().history().last().unwrap().counted, [simulation.grain_count() as u64]);
    // No sphere of a grain stays behind when its centre has gone.
    let (all, grain, _) = spheres(&mut simulation);
    let mut members = std::collections::BTreeMap::new();
    for ((x, _), grain) in all.iter().zip(&grain) {
        members.entry(*grain).or_insert_with(Vec::new).push(*x);
    }
    assert!(members.values().all(|spheres| spheres.len() == 4));
    let center = |spheres: &Vec<Vec3>| spheres.iter().sum::<Vec3>() / 4.0;
    assert!(members.values().all(|spheres| center(spheres).y > 0.0999));
    assert!(members.values().flatten().any(|x| x.y < 0.0999), "some reach below");
}

/// A grain that is thrown flies along a parabola without turning, whatever its form.
#[test]
fn a_thrown_grain_flies_along_a_parabola() {
    let text = "[[grains]]\nmaterial = \"sand\"\ngrain = \"cube\"\nvelocity = [1, 2, 0]\n\
                shape.box = { min = [0, 0, 0], max = [0.02, 0.02, 0.02] }\n";
    let mut scene = scene(text);
    scene.simulation.gravity = [0.0, -9.81, 0.0];
    let mut simulation = Simulation::new(scene, &options()).unwrap();
    assert_eq!(simulation.grain_count(), 1);
    let (before, ..) = spheres(&mut simulation);
    simulation.run_until(0.2);
    let (after, ..) = spheres(&mut simulation);
    // Kick and drift by dt = 1 ms: v t - g t (t + dt)/2.
    let way = Vec3::new(0.2, 0.4 - 0.5 * 9.81 * 0.2 * 0.201, 0.0);
    for (a, b) in before.iter().zip(&after) {
        assert!((b.0 - a.0 - way).length() < 1e-6, "{} instead of {way}", b.0 - a.0);
    }
}

#[test]
fn the_solver_hears_of_the_smallest_sphere() {
    let mut simulation = simulate(&format!("{HOSE}[[grains]]\nmaterial = \"sand\"\n{BOX}"));
    let smallest = simulation.solver_as::<Flyer>().unwrap().smallest;
    // The tetrahedron of radius 4 mm: spheres of 4 mm / 3.5268^(1/3).
    assert!((smallest / (0.004 / 3.526_83_f32.cbrt()) - 1.0).abs() < 1e-4, "{smallest}");
}

#[test]
fn shapes_come_from_files_and_meshes() {
    let folder = std::env::temp_dir().join(format!("granule-clumps-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("peanut.txt");
    std::fs::write(&file, "# a peanut\n-0.5 0 0 1\n0.7 0 0 0.8\n").unwrap();
    let of_file = |file: &std::path::Path| {
        format!(
            "[[grains]]\nmaterial = \"sand\"\nfill = \"random\"\ngrain.file = \"{}\"\n{BOX}",
            file.display()
        )
    };
    let simulation = simulate(&of_file(&file));
    assert_eq!(simulation.particle_count(), 2 * simulation.grain_count());
    // A scene's file names its grains relative to itself.
    let scene_file = folder.join("scene.toml");
    let text = "name = \"a\"\n[simulation]\nsolver = \"iisph\"\n[[material]]\nname = \"sand\"\n[[grains]]\n\
                material = \"sand\"\nfill = \"random\"\ngrain.file = \"peanut.txt\"\n\
                shape.box = { min = [0, 0, 0], max = [1, 1, 1] }\n";
    std::fs::write(&scene_file, text).unwrap();
    let error = Scene::load(&scene_file).unwrap_err().to_string();
    assert!(error.contains("grains.0.grain") || error.contains("grain"), "{error}");
    assert!(error.contains("iisph") && error.contains("rigid grains"), "{error}");
    // What is wrong with a file is said with its name and line.
    std::fs::write(&file, "0 0 0 1\n0 0 1\n").unwrap();
    let error = refused(&of_file(&file));
    assert!(
        error.contains("peanut.txt") && error.contains("line 2") && error.contains("x y z radius"),
        "{error}"
    );
    std::fs::write(&file, "0 0 0 1\n0 0 3 1\n").unwrap();
    let error = refused(&of_file(&file));
    assert!(error.contains("peanut.txt") && error.contains("sphere 1 touches none"), "{error}");
    let error = refused(&of_file(&folder.join("nut.txt")));
    assert!(error.contains("nut.txt"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
    let mesh = "grain.mesh = { file = \"builtin:box\", spheres = 12 }\nfill = \"random\"\n";
    let simulation = simulate(&format!("[[grains]]\nmaterial = \"sand\"\n{mesh}{BOX}"));
    let per_grain = simulation.particle_count() / simulation.grain_count();
    assert!((2..=12).contains(&per_grain), "{per_grain}");
}

#[test]
fn grains_that_cannot_be_are_refused_with_the_remedy() {
    let entry = |keys: &str| format!("[[grains]]\nmaterial = \"sand\"\n{keys}\n{BOX}");
    let error = refused(&entry("grain.spheres = []"));
    assert!(error.contains("grains.0.grain.spheres") && error.contains("1 to 1000"), "{error}");
    let error = refused(&entry("grain.spheres = [[0, 0, 0, 1], [0, 0, 0.5, 0]]"));
    assert!(error.contains("sphere 1") && error.contains("positive"), "{error}");
    let error = refused(&entry("grain.spheres = [[0, 0, 0, 1], [0, 0, 1, 0.05]]"));
    assert!(error.contains("20.0 times") && error.contains("Leave out the smallest"), "{error}");
    let error = refused(&entry("grain.mesh = { file = \"builtin:box\", spheres = 0 }"));
    assert!(error.contains("grain.mesh.spheres") && error.contains("1000"), "{error}");
    let error = refused(&entry("grain = \"rod\"\nfill = \"relaxed\""));
    assert!(error.contains("grains.0.fill") && error.contains("random"), "{error}");
    // Spheres of 2 and 30 mm in one scene, though equivalent radii differ less.
    let small = "grain.spheres = [[0, 0, 0, 1], [1, 0, 0, 0.2]]\nradius = 0.005";
    let error = refused(&format!(
        "{}[[grains]]\nmaterial = \"sand\"\nradius = 0.03\nshape.box = {{ min = [1, 0, 0], max = \
         [1.1, 0.1, 0.1] }}\n",
        entry(small)
    ));
    assert!(error.contains("times the smallest of the scene") && error.contains("at most 10"), "{error}");
    // Solvers without rigid grains refuse them by the key.
    let error = match Simulation::new(scene(&entry("grain = \"rod\"")), &Options::default()) {
        Ok(_) => panic!("taken by iisph"),
        Err(error) => error.to_string(),
    };
    assert!(error.contains("grain") && error.contains("iisph") && error.contains("dem"), "{error}");
}

/// All forms of a grain go through a scene's text and come back.
#[test]
fn every_form_of_a_grain_survives_a_scene_file() {
    for grain in [
        "\"sphere\"",
        "\"ellipsoid\"",
        "{ spheres = [[0, 0, 0, 1], [0.5, 0, 0, 0.75]] }",
        "{ file = \"/grains/peanut.txt\" }",
        "{ mesh = { file = \"builtin:box\" } }",
        "{ mesh = { file = \"/rock.obj\", spheres = 20 } }",
    ] {
        let text = format!(
            "name = \"a\"\n[simulation]\nsolver = \"dem\"\n[[material]]\nname = \"sand\"\n[[grains]]\nmaterial = \"sand\"\n\
             grain = {grain}\n{BOX}[[emitter]]\nname = \"hose\"\nmaterial = \"sand\"\nrate = 5\ngrain = {grain}\n{BOX}"
        );
        let scene = Scene::parse(&text, "text").unwrap_or_else(|error| panic!("{grain}: {error}"));
        assert_eq!(scene.grains[0].grain, scene.emitter[0].grain);
        assert_eq!(Scene::parse(&scene.to_toml().unwrap(), "again").unwrap(), scene, "{grain}");
    }
    let wrong = Scene::parse(
        "name = \"a\"\n[[material]]\nname = \"sand\"\n[[grains]]\nmaterial = \"sand\"\ngrain = \"tetraheder\"\n\
         shape.box = { min = [0, 0, 0], max = [1, 1, 1] }",
        "text",
    );
    let error = wrong.unwrap_err().to_string();
    assert!(error.contains("grains.0.grain") && error.contains("tetrahedron"), "{error}");
}
