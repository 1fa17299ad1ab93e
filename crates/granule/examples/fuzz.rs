//! Mutates scene files, checkpoints and meshes, and runs random valid scenes: nothing may panic, hang, eat memory or
//! become not finite. `cargo xtask fuzz --minutes N` starts it, with `--only scenes`, `checkpoints` or `meshes` for some
//! of it; a failing case is written to `target/fuzz/`.

#[path = "fuzz/meshes.rs"]
mod meshes;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use granule::boundary::{Sdf, Shape};
use granule::preflight::check_memory;
use granule::random::Random;
use granule::scene::{BoundarySettings, Fill, GrainsSettings, Scene, builtin_scenes};
use granule::simulator::FieldData;
use granule::sph::KernelKind;
use granule::{Options, Simulation};

/// Longest time of one case.
const PATIENCE: Duration = Duration::from_secs(20);
/// Most bytes that the process may hold.
const MOST_MEMORY: u64 = 3 << 30;
/// Most grains of a mutated scene that is run.
const MOST_GRAINS: f64 = 3000.0;
/// Steps of a mutated scene.
const STEPS: usize = 3;

/// The case that runs now, and since when.
type Current = Arc<Mutex<Option<(Instant, Vec<u8>)>>>;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number = |name: &str, default: f64| {
        let at = args.iter().position(|arg| arg == name);
        at.and_then(|at| args.get(at + 1)).and_then(|value| value.parse().ok()).unwrap_or(default)
    };
    let (minutes, scenes, seed) =
        (number("--minutes", 1.0), number("--scenes", 500.0), number("--seed", 1.0));
    let only = args.iter().position(|arg| arg == "--only").and_then(|at| args.get(at + 1));
    let mut random = Random::new(seed as u64);
    if only.is_none_or(|only| only == "scenes") {
        run_valid_scenes(scenes as u32, &mut random);
    }
    let kinds = [
        Kind { name: "scenes", weight: 3, corpora: vec![scene_corpus()], accept: |_, case| try_scene(case) },
        Kind {
            name: "checkpoints",
            weight: 1,
            corpora: vec![checkpoint_corpus()],
            accept: |_, case| try_checkpoint(case),
        },
        Kind { name: "meshes", weight: 4, corpora: meshes::corpora(), accept: meshes::accept },
    ];
    let kinds: Vec<Kind> =
        kinds.into_iter().filter(|kind| only.is_none_or(|only| only == kind.name)).collect();
    assert!(!kinds.is_empty(), "--only scenes, checkpoints or meshes");
    mutate(&kinds, Duration::from_secs_f64(60.0 * minutes), &mut random);
}

/// A kind of input.
struct Kind {
    name: &'static str,
    /// How often it comes.
    weight: usize,
    /// Sound inputs to start from, those that may be mixed together.
    corpora: Vec<Vec<Vec<u8>>>,
    /// Whether an input from a corpus was accepted and used.
    accept: fn(usize, &[u8]) -> bool,
}

/// Random scenes that are right: no value may become not finite, no grain may be lost.
fn run_valid_scenes(count: u32, random: &mut Random) {
    let start = Instant::now();
    let mut grains = 0;
    for k in 0..count {
        let scene = valid_scene(random);
        let text = scene.to_toml().unwrap_or_default();
        let mut simulation = match Simulation::new(scene, &one_thread()) {
            Ok(simulation) => simulation,
            Err(error) => fail(&format!("valid scene {k} was refused: {error}"), text.as_bytes()),
        };
        for _ in 0..20 {
            simulation.step();
        }
        let names: Vec<&str> = simulation.fields().iter().map(|info| info.name).collect();
        let Ok(snapshot) = simulation.read(&names) else { fail("fields were refused", text.as_bytes()) };
        if simulation.lost() > 0 || !snapshot.columns.iter().all(|(_, data)| is_finite(data)) {
            fail(
                &format!("valid scene {k} lost {} grains or is not finite", simulation.lost()),
                text.as_bytes(),
            );
        }
        grains += simulation.particle_count();
    }
    eprintln!(
        "{count} valid scenes of {grains} grains ran 20 steps in {:.1} s",
        start.elapsed().as_secs_f64()
    );
}

fn one_thread() -> Options {
    Options { threads: Some(1), ..Options::default() }
}

fn is_finite(data: &FieldData) -> bool {
    match data {
        FieldData::Integer(_) => true,
        FieldData::Scalar(values) => values.iter().all(|v| v.is_finite()),
        FieldData::Vec3(values) => values.iter().flatten().all(|v| v.is_finite()),
        FieldData::Quaternion(values) => values.iter().flatten().all(|v| v.is_finite()),
        FieldData::Tensor(values) => values.iter().flatten().all(|v| v.is_finite()),
    }
}

/// A scene that is right, with random material, kernel, grains, walls and speeds.
fn valid_scene(random: &mut Random) -> Scene {
    let mut scene = Scene::parse(builtin_scenes()[0].text, "column").expect("the built-in scene is right");
    scene.quick.clear();
    scene.expect.clear();
    let radius = 0.002 * 10f32.powf(1.5 * random.unit());
    let d = 2.0 * radius;
    let pick = |random: &mut Random, n: u64| random.bits() % n;
    let kernels = [KernelKind::Cubic, KernelKind::Wendland, KernelKind::Poly6, KernelKind::Spiky];
    scene.simulation.kernel = kernels[pick(random, 4) as usize];
    scene.simulation.support = 1.8 + 0.7 * random.unit();
    scene.simulation.seed = pick(random, 1000);
    scene.simulation.gravity = [3.0 * random.signed(), -10.0 * random.unit(), 3.0 * random.signed()];
    let material = &mut scene.material[0];
    material.radius = radius;
    material.density = 500.0 + 4000.0 * random.unit();
    material.friction_angle = if pick(random, 4) == 0 { 0.0 } else { 60.0 * random.unit() };
    material.cohesion = if pick(random, 4) == 0 { 2000.0 * random.unit() } else { 0.0 };
    material.viscosity = if pick(random, 4) == 0 { 0.01 * random.unit() } else { 0.0 };
    scene.grains.clear();
    for k in 0..1 + pick(random, 2) {
        let low = [0.0, 14.0 * k as f32 + 2.0, 0.0].map(|c| c * d);
        let size = [0, 1, 2].map(|_| (1.0 + 9.0 * random.unit()) * d);
        let shape =
            Shape::Box { min: low, max: [0, 1, 2].map(|c| low[c] + size[c].max(1.1 * d)), hollow: false };
        let fills = [Fill::Lattice, Fill::Jittered, Fill::Random, Fill::Relaxed];
        let fill = fills[pick(random, 4) as usize];
        let velocity = [0; 3].map(|_| 3.0 * random.signed());
        scene.grains.push(GrainsSettings {
            material: "sand".into(),
            shape,
            fill,
            velocity,
            radius: None,
            grain: Default::default(),
            fixed: false,
        });
    }
    let wall = BoundarySettings::new;
    scene.boundary = vec![wall("floor", Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] })];
    let side = 14.0 * d;
    match pick(random, 4) {
        0 => scene.boundary.push(wall(
            "box",
            Shape::Box { min: [-2.0 * d, 0.0, -2.0 * d], max: [side, 1e3 * d, side], hollow: true },
        )),
        1 => scene.boundary.push(wall(
            "ball",
            Shape::Sphere { center: [5.0 * d, -2.0 * d, 5.0 * d], radius: 3.0 * d, hollow: false },
        )),
        2 => scene.simulation.periodic.x = Some([-2.0 * d, side]),
        _ => {}
    }
    scene.boundary[0].friction = if pick(random, 2) == 0 { None } else { Some(random.unit()) };
    scene
}

/// Mutates inputs of all kinds until the time is over.
fn mutate(kinds: &[Kind], time: Duration, random: &mut Random) {
    let current: Current = Arc::default();
    watch(current.clone());
    std::panic::set_hook(Box::new(|_| {}));
    let turns: Vec<usize> = (0..kinds.len()).flat_map(|k| std::iter::repeat_n(k, kinds[k].weight)).collect();
    let start = Instant::now();
    let mut counts = vec![(0u64, 0u64); kinds.len()];
    for turn in 0u64.. {
        if start.elapsed() >= time {
            break;
        }
        let which = turns[(random.bits() % turns.len() as u64) as usize];
        let kind = &kinds[which];
        let corpus = (random.bits() % kind.corpora.len() as u64) as usize;
        let case = mutated(&kind.corpora[corpus], random);
        if let Ok(mut slot) = current.lock() {
            *slot = Some((Instant::now(), case.clone()));
        }
        match catch_unwind(AssertUnwindSafe(|| (kind.accept)(corpus, &case))) {
            Ok(accepted) => counts[which].1 += u64::from(accepted),
            Err(panic) => {
                let words = panic.downcast_ref::<String>().cloned();
                let words = words.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
                fail(&format!("{} {corpus}: panic: {}", kind.name, words.unwrap_or_default()), &case);
            }
        }
        counts[which].0 += 1;
        if turn % 65536 == 65535 {
            eprintln!("{} cases, {:.0} s", turn + 1, start.elapsed().as_secs_f64());
        }
    }
    for (kind, (cases, accepted)) in kinds.iter().zip(counts) {
        eprintln!(
            "{cases} mutated {}, {accepted} of them used: no panic, no hang, no unbounded memory",
            kind.name
        );
    }
}

/// Whether the scene was accepted and run.
fn try_scene(case: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(case) else { return false };
    let Ok(scene) = Scene::resolve(text, "case", case.len().is_multiple_of(2), &[]) else { return false };
    let shapes: Result<Vec<Sdf>, _> = scene.grains.iter().map(|grains| Sdf::new(&grains.shape)).collect();
    let few = |shapes: Vec<Sdf>| check_memory(&scene, &shapes, |_| 1, Some(800.0 * MOST_GRAINS)).is_ok();
    if !shapes.is_ok_and(few) {
        return false;
    }
    let Ok(mut simulation) = Simulation::new(scene, &one_thread()) else { return false };
    for _ in 0..STEPS {
        if simulation.particle_count() as f64 > MOST_GRAINS {
            break;
        }
        simulation.step();
    }
    true
}

/// Whether the checkpoint was accepted and run.
fn try_checkpoint(case: &[u8]) -> bool {
    let Ok(mut simulation) = Simulation::resume(case, &one_thread()) else { return false };
    simulation.step();
    true
}

fn scene_corpus() -> Vec<Vec<u8>> {
    let mut corpus: Vec<Vec<u8>> =
        builtin_scenes().iter().map(|scene| scene.text.as_bytes().to_vec()).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    corpus.extend(files.iter().filter_map(|file| std::fs::read(file).ok()));
    corpus
}

fn checkpoint_corpus() -> Vec<Vec<u8>> {
    let small = scene_corpus().into_iter().filter_map(|text| {
        let scene = Scene::parse(std::str::from_utf8(&text).ok()?, "corpus").ok()?;
        let mut simulation = Simulation::new(scene, &one_thread()).ok()?;
        if simulation.particle_count() > 1000 {
            return None;
        }
        simulation.run_until(2.0 / simulation.scene().simulation.fps);
        simulation.checkpoint().ok()
    });
    small.collect()
}

/// A case from the corpus with one to four random changes.
fn mutated(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut below = |n: usize| (random.bits() % n.max(1) as u64) as usize;
    let mut case = corpus[below(corpus.len())].clone();
    const WORDS: &[&str] = &[
        "nan",
        "inf",
        "-1",
        "0",
        "1e38",
        "1e-38",
        "999999999999999999",
        "\"\"",
        "[]",
        "{}",
        "true",
        "-0.0",
        "1e9",
    ];
    for _ in 0..1 + below(4) {
        let (at, length) = (below(case.len()), 1 + below(24));
        let end = (at + length).min(case.len());
        match below(7) {
            0 => case[at] ^= 1 << below(8),
            1 => drop(case.drain(at..end)),
            2 => {
                let piece = case[at..end].to_vec();
                case.splice(at..at, piece);
            }
            3 => {
                let other = &corpus[below(corpus.len())];
                let from = below(other.len());
                let piece = other[from..(from + 4 * length).min(other.len())].to_vec();
                case.splice(at..at, piece);
            }
            4 | 5 => replace_number(&mut case, at, WORDS[below(WORDS.len())]),
            _ => case.truncate(at + 1),
        }
        if case.is_empty() {
            case.push(b'a');
        }
    }
    case
}

/// Replaces the first number after a place.
fn replace_number(case: &mut Vec<u8>, at: usize, word: &str) {
    let is_part = |byte: &u8| byte.is_ascii_digit() || b".-+e".contains(byte);
    let Some(start) = case[at..].iter().position(u8::is_ascii_digit).map(|k| at + k) else { return };
    let end = case[start..].iter().position(|byte| !is_part(byte)).map_or(case.len(), |k| start + k);
    case.splice(start..end, word.bytes());
}

/// Ends the program when a case takes too long or too much memory.
fn watch(current: Current) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let case = current.lock().ok().and_then(|slot| slot.clone());
            let Some((since, case)) = case else { continue };
            if since.elapsed() > PATIENCE {
                fail("a case takes too long", &case);
            }
            if resident_bytes() > MOST_MEMORY {
                fail("a case takes too much memory", &case);
            }
        }
    });
}

fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    4096 * text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0)
}

/// Writes the case to a file and ends the program.
fn fail(reason: &str, case: &[u8]) -> ! {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz");
    let mut hash = granule::hash::Fnv::default();
    hash.bytes(case);
    let file = folder.join(format!("{:016x}", hash.finish()));
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, case));
    eprintln!("fuzz: {reason}\n  case: {} ({written:?})", file.display());
    std::process::exit(1);
}
