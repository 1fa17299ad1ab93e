//! Radii of grains, rough walls and grains that are held in place: what scenes may say, what solvers without grains refuse,
//! and what a solver with grains is given.

mod common;

use std::f32::consts::PI;

use common::{block, floor, sand, wall};
use glam::Vec3;
use granule::bodies::BodyReport;
use granule::boundary::{Sdf, Shape};
use granule::particles::{NewGrain, NewParticle};
use granule::scene::{
    EmitterSettings, Fill, RadiusDistribution, RadiusSettings, RegionSettings, Scene, SceneError, ShareOf,
    SolverCapabilities,
};
use granule::simulator::{
    Command, CommandError, CommandReport, FieldError, FieldInfo, ReadTicket, Simulator, Snapshot, StateError,
    StepReport,
};
use granule::{Options, Simulation, SolverEntry, SolverInput};

/// What a solver with grains can do.
const GRAINS: SolverCapabilities =
    SolverCapabilities { one_radius: false, has_grains: true, has_clumps: false, has_particle_bodies: false };

/// A solver that moves nothing and keeps what it is given.
static KEEPER: SolverEntry = SolverEntry {
    kind: None,
    name: "keeper",
    capabilities: GRAINS,
    fields: &[],
    check: granule::solver::takes_all,
    make: |input: SolverInput| {
        Box::new(Keeper { grains: input.grains.to_vec(), room: usize::MAX, time: 0.0 })
    },
};

struct Keeper {
    grains: Vec<NewParticle>,
    /// Grains that an emission finds room for.
    room: usize,
    time: f64,
}

impl Simulator for Keeper {
    fn solver(&self) -> &'static str {
        "keeper"
    }
    fn device(&self) -> String {
        "none".into()
    }
    fn step(&mut self, max_dt: f64) -> StepReport {
        self.time += max_dt;
        StepReport { dt: max_dt, particles: self.grains.len(), ..StepReport::default() }
    }
    fn apply(&mut self, _: &Command) -> Result<CommandReport, CommandError> {
        Ok(CommandReport::default())
    }
    fn emit(&mut self, grains: &[NewGrain], places: &[Vec3]) -> usize {
        let before = self.grains.len();
        let added = grains.iter().zip(places).take(self.room);
        self.grains.extend(added.map(|(grain, place)| grain.at(*place, 1.0)));
        self.grains.len() - before
    }
    fn remove_inside(&mut self, regions: &[&Sdf]) -> Vec<usize> {
        vec![0; regions.len()]
    }
    fn fields(&self) -> &'static [FieldInfo] {
        &[]
    }
    fn read(&mut self, _: &[&str]) -> Result<ReadTicket, FieldError> {
        Ok(ReadTicket(0))
    }
    fn poll(&mut self, _: ReadTicket, _: &mut Snapshot) -> bool {
        true
    }
    fn particle_count(&self) -> usize {
        self.grains.len()
    }
    fn time(&self) -> f64 {
        self.time
    }
    fn bytes_per_particle(&self) -> f64 {
        0.0
    }
    fn state_hash(&self) -> u64 {
        0
    }
    fn bodies(&self) -> Vec<BodyReport> {
        Vec::new()
    }
    fn set_diagnostics(&mut self, _: bool) {}
    fn checkpoint(&self) -> Result<Vec<u8>, StateError> {
        Ok(Vec::new())
    }
    fn restore(&mut self, _: &[u8]) -> Result<(), StateError> {
        Ok(())
    }
}

fn keep(scene: Scene) -> Simulation {
    let options = Options { solver: Some(&KEEPER), ..Options::default() };
    Simulation::new(scene, &options).unwrap_or_else(|error| panic!("{error}"))
}

fn kept(simulation: &mut Simulation) -> Vec<NewParticle> {
    simulation.solver_as::<Keeper>().unwrap().grains.clone()
}

/// A block of 0.4 m to be filled.
fn filled(fill: Fill, radius: RadiusSettings) -> Scene {
    let mut scene = sand(30.0);
    let mut grains = block([0.0; 3], [20.0; 3], fill);
    grains.radius = Some(radius);
    scene.grains.push(grains);
    scene
}

fn wrong(result: Result<(), SceneError>) -> (String, String) {
    let error = result.expect_err("it must be refused");
    let problem = error.problem().unwrap_or_else(|| panic!("{error}"));
    (problem.path.join("."), error.to_string())
}

#[test]
fn every_form_of_a_radius_survives_a_scene_file() {
    let by = ShareOf::Volume;
    let forms = [
        ("0.01", RadiusSettings::One(0.01)),
        ("1", RadiusSettings::One(1.0)),
        ("[0.008, 0.012]", RadiusSettings::Range([0.008, 0.012])),
        (
            "{ uniform = { min = 0.008, max = 0.012, by = \"volume\" } }",
            RadiusSettings::Distribution(RadiusDistribution::Uniform { min: 0.008, max: 0.012, by }),
        ),
        (
            "{ normal = { mean = 0.01, deviation = 0.001 } }",
            RadiusSettings::Distribution(RadiusDistribution::Normal {
                mean: 0.01,
                deviation: 0.001,
                min: None,
                max: None,
                by: ShareOf::Number,
            }),
        ),
        (
            "{ log_normal = { median = 0.01, deviation = 0.2, max = 0.015 } }",
            RadiusSettings::Distribution(RadiusDistribution::LogNormal {
                median: 0.01,
                deviation: 0.2,
                min: None,
                max: Some(0.015),
                by: ShareOf::Number,
            }),
        ),
        (
            "{ table = { rows = [[0.01, 1.0], [0.02, 3.0]], by = \"volume\" } }",
            RadiusSettings::Distribution(RadiusDistribution::Table {
                rows: vec![[0.01, 1.0], [0.02, 3.0]],
                by,
            }),
        ),
    ];
    for (text, wanted) in forms {
        #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        struct Section {
            radius: RadiusSettings,
        }
        let section: Section = toml::from_str(&format!("radius = {text}")).unwrap();
        assert_eq!(section.radius, wanted, "{text}");
        let again: Section = toml::from_str(&toml::to_string(&section).unwrap()).unwrap();
        assert_eq!(again, section, "{text}");
    }
}

#[test]
fn wrong_radii_are_named_with_what_is_allowed() {
    let scene = |radius: &str| {
        let text = format!(
            "name = \"t\"\n[[material]]\nradius = 0.01\n[[grains]]\nmaterial = \"sand\"\nfill = \"random\"\n\
             shape.box = {{ min = [0, 0, 0], max = [1, 1, 1] }}\nradius = {radius}\n"
        );
        Scene::parse(&text, "t").map(|_| ())
    };
    for (radius, words) in [
        ("-0.01", ["grains.0.radius", "above 0"]),
        ("[0.02, 0.01]", ["grains.0.radius", "from 0.02 to 0.01"]),
        ("[0.01]", ["grains.0.radius", "2"]),
        ("\"small\"", ["grains.0.radius", "a radius in metres, a range [from, to]"]),
        ("{ normall = { mean = 0.01, deviation = 0.001 } }", ["normall", "log_normal"]),
        ("{ normal = { mean = 0.01, deviation = 0.005 } }", ["grains.0.radius", "smaller deviation"]),
        ("{ normal = { mean = 0.01, deviation = 0.0 } }", ["grains.0.radius.normal.deviation", "above 0"]),
        ("{ normal = { mean = 0.01 } }", ["grains.0.radius.normal", "deviation"]),
        ("{ table = { rows = [] } }", ["grains.0.radius.table.rows", "at least one"]),
        ("{ table = { rows = [[0.01, 0.0]] } }", ["grains.0.radius.table.rows.0.1", "above 0"]),
        ("{ uniform = { min = 0.01, max = 0.02, by = \"weight\" } }", ["weight", "volume"]),
    ] {
        let text = scene(radius).expect_err(radius).to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{radius}: {text}");
    }
}

/// `iisph` and `wcsph` say by name what they cannot do: file, key, solver, remedy.
#[test]
fn solvers_without_grains_refuse_their_keys_by_name() {
    for solver in ["iisph", "wcsph"] {
        let check = |more: &str| {
            let text = format!(
                "name = \"t\"\n[simulation]\nsolver = \"{solver}\"\n[[material]]\nradius = 0.01\nfriction_angle = 0\n\
                 [[boundary]]\nname = \"floor\"\nshape.plane = {{ normal = [0, 1, 0] }}\n{more}"
            );
            Scene::parse(&text, "t.toml").map(|_| ())
        };
        let grains = "[[grains]]\nmaterial = \"sand\"\nfill = \"random\"\nshape.box = { min = [0, 0, 0], max = [1, 1, 1] }\n";
        assert!(check(&format!("{grains}radius = 0.01\n")).is_ok(), "the material's own radius");
        for (more, path) in [
            (format!("{grains}radius = 0.02\n"), "grains.0.radius"),
            (format!("{grains}radius = [0.01, 0.02]\n"), "grains.0.radius"),
            (format!("{grains}fixed = true\n"), "grains.0.fixed"),
            (
                "rough = 0.02\nrough_region = { min = [0, -1, 0], max = [1, 1, 1] }\n".into(),
                "boundary.0.rough",
            ),
        ] {
            let (found, text) = wrong(check(&more));
            assert_eq!(found, path, "{text}");
            assert!(
                text.contains("t.toml") && text.contains(solver) && text.contains("leave it out"),
                "{text}"
            );
        }
        let emitter = "[[emitter]]\nname = \"e\"\nmaterial = \"sand\"\nrate = 1\nradius = [0.01, 0.02]\n\
                       shape.sphere = { center = [0, 1, 0], radius = 0.1 }\n";
        assert_eq!(wrong(check(emitter)).0, "emitter.0.radius");
    }
}

#[test]
fn solvers_with_grains_take_them_and_still_have_limits() {
    let check = |scene: &Scene| scene.validate_for("grains", GRAINS);
    check(&filled(Fill::Random, RadiusSettings::Range([0.01, 0.1]))).unwrap();
    let (path, text) = wrong(check(&filled(Fill::Random, RadiusSettings::Range([0.01, 0.11]))));
    assert!(
        path == "grains.0.radius" && text.contains("at most 10 times") && text.contains("0.01 m"),
        "{text}"
    );
    let (path, text) = wrong(check(&filled(Fill::Lattice, RadiusSettings::Range([0.01, 0.02]))));
    assert!(path == "grains.0.fill" && text.contains("relaxed"), "{text}");
    check(&filled(Fill::Lattice, RadiusSettings::One(0.02))).unwrap();
    // The ratio counts over entries and walls.
    let mut scene = filled(Fill::Random, RadiusSettings::One(0.01));
    scene.boundary.push(wall("tub", Shape::Box { min: [0.0; 3], max: [1.0; 3], hollow: true }, None));
    scene.boundary[0].rough = Some(0.3);
    let (path, text) = wrong(check(&scene));
    assert!(path == "boundary.0.rough" && text.contains("grains.0.radius"), "{text}");
    // Planes must say where they are rough, and moving walls cannot be.
    scene.boundary[0] = floor();
    scene.boundary[0].rough = Some(0.02);
    let (path, text) = wrong(check(&scene));
    assert!(path == "boundary.0.rough_region" && text.contains("no end"), "{text}");
    scene.boundary[0].rough_region = Some(RegionSettings { min: [0.0; 3], max: [1.0, -1.0, 1.0] });
    assert_eq!(wrong(check(&scene)).0, "boundary.0.rough_region.max");
}

/// Fills of different sizes: radii of the distribution, no overlaps, masses of spheres, the same for a seed.
#[test]
fn fills_have_the_radii_that_the_scene_asks_for() {
    let radius = RadiusSettings::Range([0.008, 0.024]);
    for (fill, least, most) in [(Fill::Random, 0.3, 0.45), (Fill::Relaxed, 0.47, 0.53)] {
        let grains = kept(&mut keep(filled(fill, radius.clone())));
        let volume = |r: f32| 4.0 / 3.0 * PI * r.powi(3);
        let fraction = grains.iter().map(|g| volume(g.radius)).sum::<f32>() / 0.4f32.powi(3);
        assert!((least..most).contains(&fraction), "{fill:?}: {fraction}");
        let mean = grains.iter().map(|g| g.radius).sum::<f32>() / grains.len() as f32;
        assert!((mean / 0.016 - 1.0).abs() < 0.06, "{fill:?}: {mean}");
        for (i, a) in grains.iter().enumerate() {
            assert!((0.008..=0.024).contains(&a.radius) && !a.fixed);
            assert!((a.mass / (1600.0 * volume(a.radius)) - 1.0).abs() < 1e-4, "{}", a.mass);
            let wall = a.position.min(0.4 - a.position).min_element();
            assert!(wall > 0.998 * a.radius, "{fill:?}: {a:?}");
            for b in &grains[..i] {
                let gap = a.position.distance(b.position) - a.radius - b.radius;
                assert!(gap > -2e-3 * a.radius.min(b.radius), "{fill:?}: {a:?} {b:?}");
            }
        }
        assert_eq!(grains, kept(&mut keep(filled(fill, radius.clone()))), "the same for the seed");
        let mut other = filled(fill, radius.clone());
        other.simulation.seed = 2;
        assert_ne!(grains, kept(&mut keep(other)));
    }
}

#[test]
fn fixed_grains_and_rough_walls_reach_the_solver() {
    let mut scene = filled(Fill::Relaxed, RadiusSettings::One(0.01));
    scene.grains[0].shape = Shape::Box { min: [0.0, 0.03, 0.0], max: [0.2, 0.1, 0.2], hollow: false };
    let mut held = scene.grains[0].clone();
    held.shape = Shape::Box { min: [0.0, 0.2, 0.0], max: [0.2, 0.25, 0.2], hollow: false };
    held.fixed = true;
    scene.grains.push(held);
    scene.boundary.push(floor());
    scene.boundary[0].rough = Some(0.02);
    scene.boundary[0].rough_region = Some(RegionSettings { min: [0.0, -0.1, 0.0], max: [0.2, 0.1, 0.2] });
    let grains = kept(&mut keep(scene.clone()));
    let free = grains.iter().filter(|g| !g.fixed);
    assert!(free.clone().count() > 200 && free.clone().all(|g| g.position.y < 0.1));
    let on_floor: Vec<&NewParticle> = grains.iter().filter(|g| g.fixed && g.position.y < 0.01).collect();
    assert!((80..130).contains(&on_floor.len()), "about 100, one per squared diameter: {}", on_floor.len());
    assert!(on_floor.iter().all(|g| g.radius == 0.01 && g.velocity == Vec3::ZERO));
    assert!(grains.iter().filter(|g| g.fixed && g.position.y > 0.2).count() > 100);
    // Grains that would lie in the rough floor are refused with the remedy.
    scene.grains[0].shape = Shape::Box { min: [0.0, 0.0, 0.0], max: [0.2, 0.1, 0.2], hollow: false };
    let options = Options { solver: Some(&KEEPER), ..Options::default() };
    let error = Simulation::new(scene, &options).err().unwrap().to_string();
    assert!(error.contains("grains.0") && error.contains("rough wall"), "{error}");
}

/// Large grains that find no room are not passed over: radii come in one order, whenever there is room for them.
#[test]
fn emitters_keep_their_distribution_also_when_blocked() {
    let emit = |room: usize| {
        let mut scene = sand(30.0);
        let shape = Shape::Box { min: [0.0; 3], max: [1.0; 3], hollow: false };
        scene.emitter.push(EmitterSettings {
            name: "tap".into(),
            material: "sand".into(),
            shape,
            velocity: [0.0, -1.0, 0.0],
            radius: Some(RadiusSettings::Range([0.01, 0.03])),
            rate: 5000.0,
            time: None,
            grain: Default::default(),
            limit: None,
        });
        let mut simulation = keep(scene);
        simulation.solver_as::<Keeper>().unwrap().room = room;
        simulation.run_until(1.0);
        let emitted = kept(&mut simulation);
        assert_eq!(simulation.ledger().unaccounted(), 0);
        emitted.iter().map(|g| g.radius).collect::<Vec<f32>>()
    };
    let (free, blocked) = (emit(usize::MAX), emit(3));
    assert!(
        free.len() == 5000 && blocked.len() > 100 && blocked.len() < 1000,
        "{} {}",
        free.len(),
        blocked.len()
    );
    assert_eq!(free[..blocked.len()], blocked[..]);
    let mean = free.iter().sum::<f32>() / 5000.0;
    assert!((mean - 0.02).abs() < 3e-4 && free.iter().all(|r| (0.01..=0.03).contains(r)), "{mean}");
}
