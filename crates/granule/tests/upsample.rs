//! Fine grains: they follow, rest, fly and stay out of walls, and without each remedy they do not.

mod common;

use common::{D, block, floor, sand, wall};
use glam::Vec3;
use granule::boundary::{Boundaries, Pose, Sdf, Shape};
use granule::measure::fine::{Watch, blue_noise, drift_inside, evenness_inside, penetration, volume_ratio};
use granule::neighbors::Domain;
use granule::scene::{Fill, RadiusSettings, Scene, UpsampleSettings};
use granule::simd::Instructions;
use granule::simulator::Command;
use granule::upsample::{
    AdvectionSettings, CpuGrains, Fault, FineRadii, FrameInput, Grain, GrainAdvector, GuideGrid, Wall,
};
use granule::{Options, Simulation};

const RADIUS: f32 = 0.15 * D;

/// A block of sand in a box, or one that collapses.
fn scene(boxed: bool) -> Scene {
    let mut scene = sand(30.0);
    scene.boundary.push(floor());
    if boxed {
        let shape = Shape::Box { min: [0.0, -1.0, 0.0], max: [8.0 * D, 2.0, 8.0 * D], hollow: true };
        scene.boundary.push(wall("box", shape, Some(0.5)));
    }
    scene.grains.push(block([0.0, 0.0, 0.0], [8.0, 8.0, 8.0], Fill::Lattice));
    scene.upsample = Some(UpsampleSettings::of_radius(RADIUS));
    scene
}

fn run(scene: Scene, fault: Option<Fault>, seconds: f64, threads: usize) -> Simulation {
    let options = Options { upsample_fault: fault, threads: Some(threads), ..Options::default() };
    let mut simulation = Simulation::new(scene, &options).unwrap();
    simulation.run_until(seconds);
    simulation
}

fn grains(simulation: &Simulation) -> Vec<Grain> {
    simulation.fine_grains().unwrap()
}

#[test]
fn guides_do_not_feel_their_grains_and_threads_do_not_matter() {
    let fine = run(scene(false), None, 0.2, 1);
    let coarse = run(Scene { upsample: None, ..scene(false) }, None, 0.2, 1);
    assert_eq!(fine.simulator().state_hash(), coarse.simulator().state_hash());
    assert_eq!(coarse.fine_grains().unwrap(), []);
    assert_eq!(grains(&fine), grains(&run(scene(false), None, 0.2, 3)));
    let totals = fine.upsampler().unwrap().totals();
    assert_eq!((totals.made as usize, totals.drained, totals.lost), (grains(&fine).len(), 0, 0));
}

#[test]
fn a_resumed_run_has_the_same_grains_as_an_unbroken_one() {
    let mut first = run(scene(false), None, 0.1, 2);
    let bytes = first.checkpoint().unwrap();
    let mut second = Simulation::resume(&bytes, &Options::default()).unwrap();
    first.run_until(0.2);
    second.run_until(0.2);
    assert_eq!(grains(&first), grains(&second));
}

/// Volume of the grains over that of their guides.
fn volume(simulation: &Simulation) -> f64 {
    let upsampler = simulation.upsampler().unwrap();
    volume_ratio(&grains(simulation), RADIUS, upsampler.guides(), upsampler.boundaries())
}

/// Way of the grains inside a box at rest from 1 s on, in a second, in r_LR, and the change of their volume since the start.
fn at_rest(fault: Option<Fault>) -> (f64, f64) {
    let start = volume(&run(scene(true), None, 0.0, 2));
    let mut simulation = run(scene(true), fault, 1.0, 2);
    let before = grains(&simulation);
    simulation.run_until(2.0);
    let drift = drift_inside(&before, &grains(&simulation), simulation.upsampler().unwrap().guides());
    (drift / f64::from(0.5 * D), (volume(&simulation) / start - 1.0).abs())
}

#[test]
fn a_mass_at_rest_keeps_its_grains_and_the_published_share_lets_them_sink() {
    let ((creep, change), (sinking, melted)) = (at_rest(None), at_rest(Some(Fault::PublishedShare)));
    assert!(creep < 0.01 && change < 0.02, "{creep} {change}");
    assert!(sinking > 0.1 && melted > 0.02, "{sinking} {melted}");
}

/// Way of the grains of `bunker` inside the guides' mass from when the ball lies still on, in r_LR, after every second until it is
/// farther than `enough`, for 10 s at most.
fn creep_in_bunker(fault: Option<Fault>, enough: f64) -> f64 {
    let mut scene = Scene::open("bunker", true, &[]).unwrap();
    scene.quick.clear();
    let guide_radius = scene.material[0].radius;
    scene.upsample = Some(UpsampleSettings::of_radius(0.4 * guide_radius));
    let mut simulation = run(scene, fault, 1.5, 2);
    let before = grains(&simulation);
    let mut creep = 0.0;
    for second in 1..=10 {
        simulation.run_until(1.5 + f64::from(second));
        let drift = drift_inside(&before, &grains(&simulation), simulation.upsampler().unwrap().guides());
        creep = drift / f64::from(guide_radius);
        eprintln!("{fault:?}: {creep:.3} r_LR after {second} s");
        if creep > enough {
            break;
        }
    }
    creep
}

/// The time and the limit of `granule measure upsample`.
#[test]
fn in_ten_seconds_sand_at_rest_does_not_creep() {
    let creep = creep_in_bunker(None, 0.05);
    assert!(creep < 0.05, "{creep}");
}

#[test]
fn in_ten_seconds_sand_at_rest_creeps_without_slack() {
    let creep = creep_in_bunker(Some(Fault::NoSlack), 0.1);
    assert!(creep > 0.1, "{creep}");
}

#[test]
fn walls_hold_grains_in_a_collapse_and_without_contact_they_do_not() {
    let deep = |fault| {
        let simulation = run(scene(false), fault, 0.4, 2);
        let upsampler = simulation.upsampler().unwrap();
        penetration(&grains(&simulation), upsampler.radii(), upsampler.boundaries())
    };
    let (held, fallen) = (deep(None), deep(Some(Fault::NoContact)));
    assert!(held.share <= 1e-4 && held.deepest <= 1.0, "{held:?}");
    assert!(fallen.share > 1e-3 && fallen.deepest > 1.0, "{fallen:?}");
}

/// Radii of 1 to 3: walls hold every grain by its own, numbers are those of the mean volume, and what is written has radii.
#[test]
fn grains_of_different_radii_are_held_by_their_own() {
    let mut scene = scene(true);
    let settings = UpsampleSettings { radius: RadiusSettings::Range([0.08 * D, 0.24 * D]), fraction: 0.3825 };
    scene.upsample = Some(settings);
    let simulation = run(scene, None, 0.3, 2);
    let upsampler = simulation.upsampler().unwrap();
    let (radii, walls, grains) = (upsampler.radii(), upsampler.boundaries(), grains(&simulation));
    let volume: f64 = grains.iter().map(|grain| f64::from(radii.of(grain.id)).powi(3)).sum();
    let mean = (volume / grains.len() as f64).cbrt();
    assert!((mean / f64::from(radii.mean()) - 1.0).abs() < 0.02, "{mean} {}", radii.mean());
    // Of a cube of which only whole grains fit into a layer at its sides.
    let filled = 4.0 / 3.0 * std::f64::consts::PI * volume / f64::from(8.0 * D).powi(3);
    assert!((0.3..0.39).contains(&filled), "{filled}");
    let gap = |grain: &Grain| walls.distance(grain.position.into()) / radii.of(grain.id);
    let least = grains.iter().map(gap).fold(f32::INFINITY, f32::min);
    let nearest =
        grains.iter().map(|grain| walls.distance(grain.position.into())).fold(f32::INFINITY, f32::min);
    eprintln!(
        "{} grains, {filled:.3} of the volume, gaps from {least} radii, {} means",
        grains.len(),
        nearest / radii.mean()
    );
    assert!(least > 0.9, "large ones keep off: {least}");
    assert!(nearest < 0.8 * radii.mean(), "small ones come nearer than the mean: {nearest}");
    let snapshot = simulation.read_fine().unwrap().unwrap();
    let (id, own) = (snapshot.integer("id").unwrap(), snapshot.scalar("radius").unwrap());
    assert!(id.iter().zip(own).all(|(id, own)| radii.of(*id) == *own));
}

#[test]
fn impossible_radii_of_fine_grains_are_refused_by_their_key() {
    for (radius, word) in [
        ("[0.001, 0.1]", "of material.0.radius"),
        ("[0.004, 0.003]", "smallest"),
        ("{ table = { rows = [] } }", "upsample.radius.table.rows"),
        ("{ uniform = { min = 0.0011, max = 0.019 } }", "10 times the smallest"),
    ] {
        let set = [("upsample.radius".to_string(), radius.to_string())];
        let error = Scene::open("column", true, &set).unwrap_err().to_string();
        assert!(error.contains("upsample.radius") && error.contains(word), "{radius}: {error}");
    }
}

#[test]
fn a_collapse_keeps_grains_spread_and_without_spreading_they_clump() {
    let clumping = |fault| {
        let mut scene = scene(false);
        scene.grains = vec![block([0.0; 3], [12.0; 3], Fill::Lattice)];
        let simulation = run(scene, fault, 0.6, 2);
        let (all, upsampler) = (grains(&simulation), simulation.upsampler().unwrap());
        let found = evenness_inside(&all, RADIUS, upsampler.guides(), upsampler.boundaries());
        (found.variance / blue_noise(RADIUS).variance, volume(&simulation))
    };
    let (spread, kept) = clumping(None);
    let (clumped, packed) = clumping(Some(Fault::NoShifting));
    let (uneven, _) = clumping(Some(Fault::NoNodeShifting));
    assert!(spread < 1.5, "{spread}");
    assert!(clumped > 1.5 && uneven > 1.5, "{clumped} {uneven}");
    assert!(packed < 0.8 * kept, "{packed} {kept}");
}

/// A single grain without guides through some frames.
fn lone(fault: Option<Fault>, start: Grain, walls: &[Wall], frames: u64, mut look: impl FnMut(u64, &Grain)) {
    let settings = AdvectionSettings {
        radii: FineRadii::one(RADIUS),
        radius: RADIUS,
        spread: RADIUS,
        guide_radius: 0.5 * D,
        domain: Domain::default(),
        friction: vec![0.5],
        fault,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut advector = CpuGrains::new(settings, Instructions::best(), pool);
    advector.add(&[start]).unwrap();
    let guides = GuideGrid::new(Vec::new(), 0.5 * D, &Domain::default());
    for frame in 1..=frames {
        let gravity = Vec3::NEG_Y * 9.81;
        let outlets = &[];
        let input = FrameInput { frame, dt: 0.02, gravity, guides: &guides, after: &guides, walls, outlets };
        advector.advance(&input).unwrap();
        look(frame, &advector.read().unwrap()[0]);
    }
}

#[test]
fn a_lone_grain_flies_on_a_parabola_and_by_euler_it_does_not() {
    let worst = |fault| {
        let mut watch = Watch::new(0.02, RADIUS, Vec3::NEG_Y * 9.81, 0.5);
        let walls = Boundaries::default();
        let guides = GuideGrid::new(Vec::new(), 0.5 * D, &Domain::default());
        let start = Grain { velocity: [2.0, 3.0, 0.0], ..Grain::default() };
        lone(fault, start, &[], 20, |frame, grain| {
            let time = 0.02 * frame as f64;
            watch.frame(time, &[*grain], &guides, &walls);
        });
        assert_eq!(watch.flights, 1);
        watch.off_arc
    };
    let (free, euler) = (worst(None), worst(Some(Fault::EulerFlight)));
    assert!(free < 1e-4, "{free}");
    assert!(euler > 0.01, "{euler}");
}

#[test]
fn a_steep_tool_lets_a_grain_go_and_sticky_walls_do_not() {
    let shape = Shape::Plane { point: [0.0; 3], normal: [1.0, 0.0, 0.0] };
    let still = Pose::IDENTITY;
    let tool = Wall { sdf: Sdf::new(&shape).unwrap(), friction: Some(0.5), start: still, end: still };
    let walls = Boundaries::new([("tool", shape, Some(0.5), None)]).unwrap();
    let stuck = |fault| {
        let mut watch = Watch::new(0.02, RADIUS, Vec3::NEG_Y * 9.81, 0.5);
        let guides = GuideGrid::new(Vec::new(), 0.5 * D, &Domain::default());
        let start = Grain { position: [RADIUS, 0.0, 0.0], ..Grain::default() };
        lone(fault, start, std::slice::from_ref(&tool), 30, |frame, grain| {
            let time = 0.02 * frame as f64;
            watch.frame(time, &[*grain], &guides, &walls);
        });
        watch.stuck
    };
    assert_eq!((stuck(None), stuck(Some(Fault::StickyWalls))), (0, 1));
}

#[test]
fn emitted_guides_bring_grains_and_outlets_take_them() {
    let scene = Scene::open("silo", true, &[("upsample.radius".into(), "0.005".into())]).unwrap();
    let simulation = run(scene, None, 0.5, 2);
    let totals = simulation.upsampler().unwrap().totals();
    assert!(totals.drained > 0, "{totals:?}");
    assert_eq!(totals.made, totals.drained + totals.lost + grains(&simulation).len() as u64);
    let scene = Scene::open("heap", true, &[("upsample.radius".into(), "0.004".into())]).unwrap();
    let simulation = run(scene, None, 0.4, 2);
    let per_guide = grains(&simulation).len() as f64 / simulation.particle_count() as f64;
    assert!((per_guide / (8.0 * 27.0 / 10.95) - 1.0).abs() < 0.1, "{per_guide}");
}

#[test]
fn a_removed_region_takes_its_fine_grains_and_the_rest_goes_on() {
    let mut simulation = run(scene(true), None, 0.1, 2);
    let before = grains(&simulation);
    let region = Shape::cuboid([-1.0; 3], [4.0 * D, 1.0, 1.0]);
    let removed = simulation.apply(&Command::Remove { region }).unwrap().removed;
    let after = grains(&simulation);
    assert!(removed > 100 && simulation.ledger().unaccounted() == 0);
    let inside = |grain: &Grain| grain.position[0] < 4.0 * D;
    let kept: Vec<Grain> = before.iter().copied().filter(|grain| !inside(grain)).collect();
    assert_eq!(after, kept);
    let totals = simulation.upsampler().unwrap().totals();
    assert_eq!(totals.removed as usize, before.len() - after.len());
    let bytes = simulation.checkpoint().unwrap();
    let mut resumed = Simulation::resume(&bytes, &Options::default()).unwrap();
    simulation.run_until(0.3);
    resumed.run_until(0.3);
    assert_eq!(grains(&simulation), grains(&resumed));
    let totals = resumed.upsampler().unwrap().totals();
    assert_eq!(totals.made, totals.drained + totals.removed + totals.lost + grains(&resumed).len() as u64);
}

/// Position-based grains of two sizes guide fine grains as particles of a continuum do: none is lost, and their middle stays with
/// that of their guides while a column of sand falls apart.
#[test]
fn fine_grains_follow_position_based_grains_of_any_size() {
    let text = |fraction: &str| {
        format!(
            "name = \"fine\"\n[simulation]\nsolver = \"pbd\"\nfps = 50\n[[material]]\nname = \"sand\"\nradius = 0.02\n\
             density = 2650\n[material.pbd]\nfriction = 0.5\nrolling_friction = 0.1\n[[grains]]\nmaterial = \"sand\"\n\
             fill = \"relaxed\"\nradius = [0.013, 0.026]\nshape.box = {{ min = [-0.16, 0, -0.16], max = [0.16, 0.4, 0.16] }}\n\
             [[boundary]]\nname = \"floor\"\nshape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n[upsample]\n\
             radius = 0.006\n{fraction}\n"
        )
    };
    let start = |fraction: &str| {
        let scene = Scene::parse(&text(fraction), "fine").unwrap_or_else(|error| panic!("{error}"));
        Simulation::new(scene, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
    };
    let (mut sand, dense) = (start(""), start("fraction = 0.6"));
    let [few, many] = [&sand, &dense].map(|run| run.upsampler().unwrap().count() as f64);
    assert!((many / few / (0.6 / 0.3825) - 1.0).abs() < 0.05, "{few} {many}");
    let middles = |run: &mut Simulation| {
        let fields = run.read(&["position", "radius"]).unwrap();
        let (at, radius) = (fields.vec3("position").unwrap(), fields.scalar("radius").unwrap());
        let volume: f32 = radius.iter().map(|r| r.powi(3)).sum();
        let guides: Vec3 = at.iter().zip(radius).map(|(x, r)| Vec3::from(*x) * r.powi(3) / volume).sum();
        let grains = run.fine_grains().unwrap();
        let share = 1.0 / grains.len() as f32;
        (guides, grains.iter().map(|grain| Vec3::from(grain.position) * share).sum::<Vec3>())
    };
    let high = middles(&mut sand).0.y;
    sand.run_until(0.8);
    let (guides, grains) = middles(&mut sand);
    assert!(guides.y < 0.7 * high, "{guides} of {high}");
    assert!(guides.distance(grains) < 0.02, "{guides} {grains}");
    assert_eq!(sand.upsampler().unwrap().count() as f64, few);
    assert!(sand.fine_grains().unwrap().iter().all(|grain| grain.position[1] > 0.9 * 0.006));
}
